"""On a phone: all tabs are in sight, content beyond the edge is indicated, and fingers drag and scroll."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser.conftest import PATIENCE, Guard
from tests.browser.held import Held
from tests.browser.learn.pages import SHOWN, Learning
from tests.browser.mask.pages import Masking
from tests.browser.page.test_geometry import FAULTS
from tests.browser.pages import Exploring, Tab, Writing, presents
from viz.text import LANGUAGES

pytestmark = pytest.mark.browser
SIZE: ViewportSize = {"width": 390, "height": 844}
GOES_ON = """(selector) => [...document.querySelectorAll(selector)].filter((place) => {
  const style = getComputedStyle(place);
  const scrolls = /auto|scroll/.test(style.overflowX) && place.checkVisibility() && !place.matches("pre");
  return scrolls && place.scrollWidth > place.clientWidth + 2 && style.backgroundImage === "none";
}).map((place) => place.closest("[data-section], [data-panel]").className + " " + place.className)"""


@pytest.fixture
def phone(browser: Browser, guard: Guard) -> Iterator[Page]:
    """A page on a phone."""
    context = browser.new_context(viewport=SIZE, device_scale_factor=2, has_touch=True, is_mobile=True)
    guard.watch(context)
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def swipe(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Moves a finger over the page."""
    session = page.context.new_cdp_session(page)
    steps = 6
    for step in range(steps + 1):
        x, y = (a + (b - a) * step / steps for a, b in zip(start, end, strict=True))
        kind = "touchMove" if step else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tab_is_in_sight(phone: Page, guard: Guard, language: str):
    tab = Tab(phone, guard.origin)
    for width in (390, 360):
        phone.set_viewport_size({"width": width, "height": 844})
        tab.goto(tab="mask", lang=language)
        expect(phone.locator("[role=tab]:visible")).to_have_count(5)
        ends = phone.locator("[role=tab]:visible").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().right)"
        )
        assert max(ends) <= width
        expect(phone.locator(".overflow-menu")).to_be_hidden()


def test_the_text_that_is_written_begins_on_the_first_screen_and_its_settings_unfold(phone: Page, guard: Guard):
    tab = Writing(phone, guard.origin).open()
    box = phone.locator(".former-written-text .tokens").first.bounding_box()
    assert box
    assert box["y"] < SIZE["height"] - 200, "several lines of it, above the edge"
    slider = phone.get_by_role("slider", name="Temperature")
    expect(slider).to_be_hidden()
    tab.button("Sampling settings").tap()
    expect(slider).to_be_visible()


def test_a_table_that_goes_on_beyond_the_edge_says_so_and_a_tap_reads_a_cell(phone: Page, guard: Guard):
    tab = Learning(phone, guard.origin)
    for section in SHOWN:
        tab.open(section.name)
        assert phone.evaluate(GOES_ON, ".section:not([hidden]) .picture *") == []
    mask = Masking(phone, guard.origin).open()
    phone.touchscreen.tap(*mask.point_of(mask.square("stages", "weights"), 17, 6, 23))
    expect(phone.locator(".former-mask-stages .readout")).to_contain_text("“e” (17) → “t” (6)")
    assert phone.evaluate(GOES_ON, ".former-mask-stages *, .former-mask-reach *") == []


def test_a_finger_joins_two_units_of_a_graph_and_scrolls_beside_them(phone: Page, guard: Guard):
    tab = Learning(phone, guard.origin).open("graphs")
    units = tab.section.locator(".node")
    units.first.scroll_into_view_if_needed()
    boxes = [unit.bounding_box() for unit in (units.nth(0), units.nth(3))]
    start, end = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box)
    assert "0-3" not in tab.view()["graph"]
    swipe(phone, start, end)
    tab.settled()
    assert "0-3" in tab.view()["graph"]
    before = phone.evaluate("scrollY")
    swipe(phone, (8, 700), (8, 300))
    phone.wait_for_function("(before) => scrollY > before + 100", arg=before)


def test_a_follower_scrolls_by_a_finger_and_goes_on_following_until_a_tap(phone: Page, guard: Guard, page: Page):
    leader = Exploring(page, guard.origin).open()
    page.evaluate("former.room.lead('phones')")
    expect(page.locator(".room-bar")).to_contain_text("You lead")
    follower = Exploring(phone, guard.origin).open(room="phones", lang="zh")
    bar = phone.locator(".room-bar")
    expect(bar).to_contain_text("phones")
    said = bar.inner_text()
    swipe(phone, (200, 600), (200, 200))
    phone.wait_for_function("scrollY > 100")
    assert bar.inner_text() == said
    leader.cell(3, 4).click()
    follower.wait("() => former.store.view.layer === 3 && former.store.view.head === 4")
    phone.locator(".former-head-map canvas").tap()
    expect(phone.get_by_role("button", name="重新跟随")).to_be_visible()


def test_explore_before_its_first_pass_is_whole_and_follows_what_it_is_sent(phone: Page, guard: Guard):
    held = Held(phone, "**/attention/*")
    tab = Exploring(phone, guard.origin)
    tab.goto(tab="explore")
    for name in ("overview", "head-map", "interventions"):
        expect(phone.locator(f".former-{name} .panel").first).to_be_visible()
    tab.wait("Boolean(former.page && former.store) && !former.store.pass")
    assert phone.evaluate(FAULTS, ".former .panel, .page-title, .former-lesson, .tab-controls") == []
    phone.evaluate("former.page.follow(new URLSearchParams('tab=explore&layer=2&head=1&scale=row'))")
    held.release()
    tab.settled()
    assert [tab.link()[name] for name in ("layer", "head", "scale")] == ["2", "1", "row"]
    assert phone.evaluate(FAULTS, ".former .panel, .page-title, .former-lesson, .tab-controls") == []


def test_type_that_is_presented_can_still_be_read(phone: Page, guard: Guard):
    tab = Exploring(phone, guard.origin)
    tab.goto(tab="explore", model="gpt", text="The cat sat", present=1, panel="writes")
    presents(phone, "writes")
    expect(phone.locator(".former-writes tbody tr")).to_have_count(6)
    tab.painted()
    assert phone.locator(".presented .writes-told p").first.evaluate("line => line.currentCSSZoom") >= 0.8
