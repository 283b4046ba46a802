"""The lesson plans of docs/teaching.md link only to what the page has."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from viz.tabs import TABS
from viz.tabs.learn.sections import SECTIONS

PLANS = (Path(__file__).resolve().parent.parent / "docs" / "teaching.md").read_text(encoding="utf-8")
LINKS = re.findall(r"\((http://127\.0\.0\.1:7860/\?[^)]+)\)", PLANS)


def test_the_plans_have_links():
    assert len(LINKS) > 10


@pytest.mark.parametrize("link", LINKS)
def test_a_link_of_a_plan_names_a_tab_and_a_section_that_there_are(link):
    view = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
    assert view["tab"] in {tab.name for tab in TABS}
    assert view.get("section", SECTIONS[0].name) in {section.name for section in SECTIONS}
