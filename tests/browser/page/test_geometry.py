"""No text is cut, runs out of its panel or lies over other text, no panel is half empty, and the page is not wider than
its window: in both languages, at a laptop's, a projector's and a phone's size, at 200 % zoom, on paper and presented.

One walk over the sections of Learn in a language finds what all tests of the sections assert.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.browser.learn.pages import SHOWN, Learning
from tests.browser.pages import Exploring, Tab, presents
from viz.text import LANGUAGES

pytestmark = [pytest.mark.browser, pytest.mark.own_page]
TAB = Learning
FAULTS = (Path(__file__).parent / "geometry.js").read_text(encoding="utf-8")
SIZES = ((1280, 720), (1024, 768), (640, 360), (390, 844))
PRESENTED = ((1920, 1080), (1280, 720), (1024, 768))
FRAME = ".page-title, .former-lesson, .tab-controls"
VIEWS = [  # with these, every panel of the other tabs
    {"tab": "explore", "model": "gpt", "text": "The cat sat on the mat because it was tired."},
    {"tab": "explore", "model": "bert", "text": "The cat [MASK] on the mat."},
    {"tab": "explore", "model": "classifier", "text": "this film is not bad but wonderful ."},
    {"tab": "explore", "model": "tiny-induction", "text": "qkzxqkzx"},
    {"tab": "generate"},
    {"tab": "mask"},
    {"tab": "permute"},
]

# What is wrong with a presented section as a slide.
SLIDE = """() => {
  const cut = [...document.querySelectorAll(".presented, .presented > .panel-body, .presenter-caption b")]
    .some((one) => one.scrollHeight > one.clientHeight + 2 || one.scrollWidth > one.clientWidth + 2);
  const seen = [...document.querySelectorAll(".presented .equation .katex")]
    .some((one) => one.checkVisibility({ visibilityProperty: true }));
  return [...(cut ? ["it is cut"] : []), ...(seen ? [] : ["its equation is not seen"])];
}"""

# The panels of which a larger share is one empty band across them.
EMPTY = """(share) => [...document.querySelectorAll(".former .panel")].filter((panel) => panel.checkVisibility())
  .flatMap((panel) => {
    const isSeen = (node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest(".sr-only");
    const boxes = [...panel.querySelectorAll("canvas, svg, input, select, button, .bar, .bars, .js-plotly-plot")]
      .filter(isSeen).map((node) => node.getBoundingClientRect());
    const walk = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      if (!walk.currentNode.data.trim() || !isSeen(walk.currentNode.parentElement)) continue;
      const range = document.createRange();
      range.selectNodeContents(walk.currentNode);
      boxes.push(...range.getClientRects());
    }
    const frame = panel.getBoundingClientRect();
    let [end, gap] = [frame.top, 0];
    for (const { top, bottom } of boxes.sort((a, b) => a.top - b.top)) {
      gap = Math.max(gap, top - end);
      end = Math.max(end, bottom);
    }
    gap = Math.max(gap, frame.bottom - end);
    return gap > share * frame.height ? [`${panel.dataset.panel}: ${Math.round(gap)} px are empty`] : [];
  })"""


def faults(tab: Tab, places: str, state: str) -> list[str]:
    """Returns what is wrong with these places, once all is asked and drawn."""
    tab.painted()
    tab.wait("!former.asking()")
    tab.painted()
    return [f"{state}: {fault}" for fault in tab.page.evaluate(FAULTS, f"{places}, {FRAME}")]


def presented(tab: Tab, name: str, number: int, language: str, slides: list[str] | None = None) -> list[str]:
    """The same of the presented panel, at a projector's sizes; in Chinese, which is shorter, at the first alone. It
    begins with the size with which the panel before ended: a panel is fitted to each anew. Adds to `slides` what is
    wrong with the panel of a section as a slide, on a laptop."""
    sizes = PRESENTED if language == "en" else PRESENTED[:1]
    problems = []
    for width, height in sizes[::-1] if number % 2 else sizes:
        tab.page.set_viewport_size({"width": width, "height": height})
        problems += faults(tab, ".presented", f"{name}, presented at {width} × {height}")
        if slides is not None and (width, height) == (1280, 720):
            slides += [f"{name}: {fault}" for fault in tab.page.evaluate(SLIDE)]
    return problems


def at_all_sizes(tab: Tab, places: str) -> list[str]:
    problems = []
    for width, height in SIZES:
        tab.page.set_viewport_size({"width": width, "height": height})
        problems += faults(tab, places, f"{width} × {height}")
    tab.page.set_viewport_size({"width": 1280, "height": 720})
    tab.page.evaluate("former.paper.prepare()")
    return problems + faults(tab, places, "on paper")


@dataclass
class Walk:
    """What is wrong with the sections of Learn in a language."""

    text: list[str] = field(default_factory=list)
    slides: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def walks() -> dict[str, Walk]:
    return {}


@pytest.fixture
def walk(tab: Learning, walks: dict[str, Walk], request: pytest.FixtureRequest) -> Callable[[str], Walk]:
    """Returns the walk over all sections in a language, which the first test that asks for it makes."""

    def walk_in(language: str) -> Walk:
        if language not in walks or getattr(request.node, "execution_count", 1) > 1:  # tried again
            walks[language] = over_all_sections(tab, language)
        return walks[language]

    return walk_in


def over_all_sections(tab: Learning, language: str) -> Walk:
    """Opens each section, presents each, then shows all of them at every size."""
    walk = Walk()
    tab.open(lang=language)
    for section in SHOWN:
        tab.open(section.name)
        if language == "en":
            walk.empty += empties(tab, section.name, 0.2)
    tab.open(SHOWN[0].name)
    tab.page.keyboard.press("p")
    for number, section in enumerate(SHOWN):
        if number:
            tab.page.keyboard.press("PageDown")
        presents(tab.page, f"learn-{section.name}")
        tab.settled()
        walk.text += presented(tab, section.name, number, language, walk.slides)
    tab.page.keyboard.press("Escape")
    tab.page.evaluate("document.querySelectorAll('.former-learn .section').forEach((each) => (each.hidden = false))")
    walk.text += at_all_sizes(tab, ".former-learn .section, .former-learn nav")
    return walk


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_of_a_section_is_cut_or_over_another(walk: Callable[[str], Walk], language: str):
    assert walk(language).text == []


def test_presenting_each_section_is_a_slide_with_its_equation_and_nothing_cut(walk: Callable[[str], Walk]):
    assert walk("en").slides == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.get("model", view["tab"]))
def test_no_text_of_a_panel_is_cut_or_over_another(page: Any, guard: Any, view: dict[str, str], language: str):
    tab = (Exploring if view["tab"] == "explore" else Tab)(page, guard.origin)
    tab.goto(**view, lang=language)
    tab.painted()
    if isinstance(tab, Exploring):
        tab.settled()
        tab.page.evaluate("former.page.showAll.explore()")
    problems = []
    tab.wait("Boolean(former.presenter)")  # it comes after the first view
    for number, name in enumerate(tab.page.evaluate("former.presenter.panels().map(({ name }) => name)")):
        tab.page.evaluate("name => former.presenter.go(former.page.tab, name)", name)
        presents(tab.page, name)
        problems += presented(tab, name, number, language)
    tab.page.keyboard.press("Escape")
    assert problems + at_all_sizes(tab, ".former .panel") == []


def empties(tab: Tab, state: str, share: float, *larger: tuple[int, int]) -> list[str]:
    """Returns the panels of which a larger share is empty, on a laptop, on a projector and in `larger` windows."""
    problems = []
    for width, height in ((1280, 720), (1024, 768), *larger):
        tab.page.set_viewport_size({"width": width, "height": height})
        tab.painted()
        tab.wait("!former.asking()")
        tab.wait("[...document.querySelectorAll('.chart:empty')].every((chart) => !chart.checkVisibility())")
        tab.painted()
        problems += [f"{state}, {width} × {height}: {each}" for each in tab.page.evaluate(EMPTY, share)]
    return problems


def test_no_panel_of_a_section_has_an_empty_fifth(walk: Callable[[str], Walk]):
    assert walk("en").empty == []


@pytest.mark.parametrize("view", VIEWS[:3], ids=lambda view: view["model"])
def test_no_panel_of_explore_is_half_empty(page: Any, guard: Any, view: dict[str, str]):
    tab = Exploring(page, guard.origin)
    tab.goto(**view)
    tab.settled()
    assert empties(tab, view["model"], 0.5, (1920, 1080)) == []
