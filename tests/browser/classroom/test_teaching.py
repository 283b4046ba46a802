"""Each link of the lesson plans of docs/teaching.md opens the step that it names."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.learn.pages import Learning
from tests.browser.pages import Tab, presents
from viz.text import message

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning
PLANS = (Path(__file__).resolve().parents[3] / "docs" / "teaching.md").read_text(encoding="utf-8")
LINKS = [
    (name, {key: values[0] for key, values in parse_qs(urlsplit(link).query).items()})
    for name, link in dict.fromkeys(re.findall(r"\[([^\]]+)\]\((http://127\.0\.0\.1:7860/\?[^)]+)\)", PLANS))
]
SECTIONS = [(name, view["section"]) for name, view in LINKS if "section" in view]
OTHERS = [view for _, view in LINKS if "section" not in view]


def test_every_link_of_the_plans_is_tried():
    assert len(SECTIONS) >= 9
    assert len(SECTIONS) + len(OTHERS) == PLANS.count("](http://127.0.0.1:7860/")


@pytest.mark.parametrize(("name", "section"), SECTIONS)
def test_a_link_to_a_section_opens_the_section_of_that_title(tab, name, section):
    tab.open(section)
    assert tab.name() == section
    assert name == message(f"learn_{section.replace('-', '_')}_title")
    expect(tab.section).to_have_attribute("aria-label", name)


@pytest.mark.own_page
@pytest.mark.parametrize(
    "view", OTHERS, ids=["&".join(f"{key}={value}" for key, value in each.items()) for each in OTHERS]
)
def test_a_link_to_another_tab_opens_it_with_the_settings_that_it_names(tab: Tab, view):
    tab.goto(**view)
    if "print" in view:
        tab.page.wait_for_function("document.body.dataset.ready === 'print'", timeout=120_000)
        return
    tab.wait("Boolean(window.former?.followers)")
    if panel := view.get("panel"):
        presents(tab.page, panel)
        return
    expect(tab.page.get_by_role("tab", selected=True)).to_have_text(message(f"tab_{view['tab']}"))
    assert view.items() - {("tab", view["tab"])} <= tab.link().items()
    expect(tab.page.locator(".toast-body")).to_have_count(0)
