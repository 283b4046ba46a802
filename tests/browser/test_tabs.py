"""The order of the tabs is defined in one place: any tab may be first, and every link still opens the same view."""

import pytest

from tests.browser.conftest import App, free_port, serve, stop, wait_until_up
from tests.browser.pages import Exploring
from tests.browser.pages_permute import Permuting

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
    port, log = free_port(), tmp_path_factory.mktemp("app") / "app.log"
    process = serve(port, log, program=("-c", REVERSED), OMP_NUM_THREADS="1")
    try:
        running = App(f"http://127.0.0.1:{port}", log)
        wait_until_up(running.origin, lambda: process.poll() is None, log)
        yield running
    finally:
        stop(process)


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
