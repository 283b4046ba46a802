"""The order of the tabs is defined in one place: any tab may be first, and every link still opens the same view."""

from functools import partial

import pytest

from tests.browser.conftest import running, serve
from tests.browser.pages import Exploring
from tests.browser.permute.pages import Permuting

pytestmark = pytest.mark.browser
TAB = Exploring
REVERSED = """
from viz import app
app.TABS = app.TABS[::-1]
app.main()
"""


@pytest.fixture(scope="module")
def app(browser, tmp_path_factory):  # noqa: ARG001 - no browser, no app
    """Runs the app with its tabs in the reverse order: Word order first, Explore last."""
    with running(partial(serve, program=("-c", REVERSED)), tmp_path_factory) as app:
        yield app


def in_front(tab) -> str:
    return tab.page.locator("[role=tab][aria-selected=true]").inner_text()


def test_a_page_without_a_link_opens_the_first_tab_whose_links_need_no_name(page, guard):
    tab = Permuting(page, guard.origin)
    tab.goto()
    tab.settled()
    assert in_front(tab) == "Word order"
    tab.page.get_by_role("button", name="Shuffle", exact=True).first.click()
    tab.settled()
    assert "tab" not in tab.link()
    assert "order" in tab.link()


def test_a_link_with_a_view_of_explore_opens_it_wherever_it_stands(tab):
    tab.goto(text="abc")
    tab.settled()
    assert in_front(tab) == "Explore"
    assert tab.tokens() == ["a", "b", "c"]


def test_a_tab_that_is_not_the_first_is_opened_by_a_click(page, guard):
    Permuting(page, guard.origin).goto()
    page.get_by_role("tab", name="Explore").click()
    tab = Exploring(page, guard.origin)
    tab.settled()
    assert len(tab.tokens()) > 20
