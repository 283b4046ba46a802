"""Accessibility: by keyboard alone, in the dark theme, on a phone, and by the rules of axe."""

import io
import re
import time
from typing import Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from PIL import Image, ImageColor
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Guard
from tests.browser.learn.pages import SHOWN, Learning
from tests.browser.mask.pages import Masking
from tests.browser.pages import Exploring, Tab, Writing, tab_to
from tests.browser.permute.pages import Permuting
from viz import style

pytestmark = [pytest.mark.browser, pytest.mark.one_page]

TEXT = "The cat sat on the mat. The cat sat."
SHORT = "cat sat cat"

# axe checks the contrast of one element of each style (its own and its ancestors') in a section: that rule takes nine
# tenths of its time, and the numbers of a table differ only in their text.
SERIOUS = """async ([within, rules]) => {
  const root = within ? document.querySelector(within) : document.body;
  const styles = new Map(); // element → style of its ancestors
  const ground = (node) => {
    if (!node) return "";
    if (!styles.has(node)) {
      const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode } = getComputedStyle(node);
      const own = [backgroundColor, backgroundImage, opacity, filter, mixBlendMode].join();
      const under = ground(node.parentElement);
      styles.set(node, under.endsWith(own) ? under : `${under}|${own}`);
    }
    return styles.get(node);
  };
  const kinds = new Map();
  for (const node of root.querySelectorAll("*")) {
    const says = [...node.childNodes].some(({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim());
    if (!says && !node.matches("input, select, textarea")) continue;
    if (!node.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true })) continue;
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(node);
    const field = says ? "" : `${node.localName} ${node.type} ${node.disabled}`;
    const place = node.closest("[data-section]")?.dataset.section;
    const kind = [place, field, color, fontSize, fontWeight, textShadow, ground(node)].join();
    if (!kinds.has(kind)) kinds.set(kind, node);
  }
  const contrast = "color-contrast";
  const coloured = { include: [...kinds.values(), ...root.querySelectorAll("a")] };
  const runs = [[coloured, { runOnly: { type: "rule", values: rules.length ? rules : [contrast] } }]];
  if (!rules.length) runs.push([within || document, { rules: { [contrast]: { enabled: false } } }]);
  const found = [];
  for (const [asked, options] of runs)
    found.push(...(await axe.run(asked, { resultTypes: ["violations"], ...options })).violations);
  const sectionOf = (target) => document.querySelector(target[0])?.closest("[data-section]")?.dataset.section ?? "";
  const named = ({ html, target }) => `${sectionOf(target)} ${html.slice(0, 160)}`;
  return found.filter(({ impact }) => impact === "serious" || impact === "critical").map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 4).map(named).join(" ")}`);
}"""

# Put aside while axe looks, whose time is that of all elements there are: the tabs and sections that are not shown.
ASIDE = """() => {
  const asked = ".tabitem, .former-learn article[hidden]";
  const unseen = [...document.querySelectorAll(asked)].filter((node) => !node.checkVisibility());
  const places = unseen.map(() => document.createComment("aside"));
  unseen.forEach((node, i) => node.replaceWith(places[i]));
  window.backAgain = () => unseen.reverse().forEach((node, i) => places.at(-1 - i).replaceWith(node));
}"""


def serious(page: Page, rules: tuple[str, ...] = (), within: str = "") -> list[str]:
    """Returns axe's serious and critical findings on a page or a part of it, by all rules or by some, with the
    elements."""
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(AXE_SCRIPT)
    page.evaluate(ASIDE)
    result = page.evaluate(SERIOUS, [within, list(rules)])
    page.evaluate("backAgain()")
    return result


def open_tab(page: Page, guard: Guard, tab: str, small: bool = False) -> Tab:
    """Opens a tab, with the given text or a short one that shows every kind of element."""
    text = SHORT if small else TEXT
    if tab == "generate":
        return Writing(page, guard.origin).open(text=text, written="32.84.104")
    if tab == "mask":
        texts = {"text": "abc", "long": text} if small else {}
        return Masking(page, guard.origin).open(mask="strided", stage=3, **texts)
    if tab == "permute":
        return Permuting(page, guard.origin).open(text=text)
    tiny = small and tab != "map"  # the first view is that of the model that the page opens with
    of_explore = {"text": text, "token": 2} | ({"model": "tiny-generator"} if tiny else {})
    if tab == "presenting":
        room = f"axe-{time.time_ns()}"  # each page has another key
        explore = Exploring(page, guard.origin).open(**of_explore, present=1, room=room, lead=1)
        expect(page.locator(".presenter-caption")).to_contain_text(f"Room “{room}”")
        return explore
    explore = Exploring(page, guard.origin).open(**of_explore)
    if tab == "class":
        page.get_by_text("In class", exact=True).click()
    if tab == "lines":
        explore.set("View", "Lines")
    if tab == "changed":
        explore.edited(lambda: page.get_by_role("button", name="Switch off").click())
        page.get_by_role("button", name="Measure every head").click()
        expect(page.locator(".former-interventions .finding")).to_contain_text("heads measured", timeout=60_000)
        for panel in ("lens", "writes"):  # pale until they come into view and are those of the edited pass
            explore.unfold(panel)
            expect(page.locator(f".former-{panel}").last).not_to_have_class(re.compile(r"\blate\b"))
    return explore


def serious_in_both(page: Page, within: str = "") -> dict[str, list[str]]:
    """Returns axe's findings in the light theme, and the dark theme's findings of the rules that depend on colours."""
    values = {}
    schemes: dict[Literal["light", "dark"], tuple[str, ...]] = {
        "light": (),
        "dark": ("color-contrast", "link-in-text-block"),
    }
    for scheme, rules in schemes.items():
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function("(dark) => former.isDark() === dark", arg=scheme == "dark")
        values[scheme] = serious(page, rules, within)
    return {scheme: each for scheme, each in values.items() if each}


# Where a view has another part, axe looks at that part alone: the rest of the page is that of the tab's first view.
PART = {"lines": ".former-lines", "class": ".class-menu[open]"}


@pytest.mark.parametrize("tab", ["map", "lines", "changed", "generate", "mask", "permute", "class", "presenting"])
def test_axe_finds_nothing_serious(page, guard, tab):
    open_tab(page, guard, tab, small=True)  # axe's time is that of all elements there are
    assert serious_in_both(page, PART.get(tab, "")) == {}


@pytest.mark.own_page
def test_axe_finds_nothing_serious_in_any_section_of_learn(page, guard):
    learning = Learning(page, guard.origin).open()
    for section in SHOWN:
        page.evaluate("(name) => former.learn.show(name)", section.name)
        learning.settled()
    # All at once: one by one they take axe twice the time.
    page.evaluate("document.querySelectorAll('.former-learn .section').forEach((each) => (each.hidden = false))")
    assert page.locator(".former-learn .section:visible").count() == len(SHOWN)
    assert serious_in_both(page) == {}


@pytest.mark.own_page
@pytest.mark.parametrize("how", ["the system asks for it", "the link asks for it"])
def test_dark_mode_darkens_the_page_the_panels_and_the_map(page, guard, how):
    tab = Exploring(page, guard.origin)
    if how == "the system asks for it":
        page.emulate_media(color_scheme="dark")
        tab.open(text=TEXT)
    else:
        tab.open(text=TEXT, __theme="dark")
    panel, chart = page.locator(".former-head-map .panel").bounding_box(), tab.map.bounding_box()
    assert panel
    assert chart
    screen = Image.open(io.BytesIO(page.screenshot())).convert("RGB")

    def lightness(x: float, y: float) -> int:
        """Returns the sum of a pixel's red, green and blue."""
        return sum(screen.crop((int(x), int(y), int(x) + 1, int(y) + 1)).tobytes())

    assert lightness(4, 300) < 200
    assert lightness(int(panel["x"]) + 5, int(panel["y"] + panel["height"]) - 5) < 200
    masked = lightness(chart["x"] + 0.6 * chart["width"], chart["y"] + 0.3 * chart["height"])
    assert masked < 300


@pytest.mark.own_page
@pytest.mark.parametrize(("system", "theme"), [("dark", "light"), ("light", "dark")])
def test_a_theme_that_a_link_asks_for_goes_before_the_system_s(page, guard, system, theme):
    page.emulate_media(color_scheme=system)
    Masking(page, guard.origin).open(__theme=theme)
    body = "() => ['backgroundColor', 'color'].map((name) => getComputedStyle(document.body)[name])"
    colours = [ImageColor.getrgb(style.BROWSER["colours"][theme][name]) for name in ("page", "text")]
    assert page.evaluate(body) == [f"rgb{colour}" for colour in colours]


BEYOND = """() => [...document.querySelectorAll("button, input, select, textarea, canvas, h2, h3, p")]
  .filter((node) => node.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true }))
  .filter((node) => !node.closest("[class*=sr-only], .former-attention-store, [aria-hidden=true]"))
  .map((node) => [node.getBoundingClientRect(), node])
  .filter(([box, node]) => box.width > 1 && box.right > 391 && !scrolls(node.parentElement))
  .map(([box, node]) => `${Math.round(box.right)} ${node.outerHTML.slice(0, 120)}`);
function scrolls(node) {
  for (; node; node = node.parentElement)
    if (/auto|scroll/.test(getComputedStyle(node).overflowX) && node.scrollWidth > node.clientWidth)
      return true;
  return false;
}"""
COVERED = """() => [...document.querySelectorAll("[role=tab], .class-menu summary")]
  .filter((node) => node.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true }))
  .map((node) => [node.getBoundingClientRect(), node])
  .filter(([box]) => box.width > 1)
  .filter(([{ x, y, width, height }, node]) =>
    !node.contains(document.elementFromPoint(x + width / 2, y + height / 2)))
  .map(([, node]) => node.textContent)"""


def test_a_phone_of_390_pixels_needs_no_sideways_scrolling(browser: Browser, guard):
    context = browser.new_context(viewport={"width": 390, "height": 844}, device_scale_factor=2, has_touch=True)
    guard.watch(context)
    context.set_default_timeout(20_000)
    page = context.new_page()
    for tab in ("map", "lines", "generate", "mask", "permute", "class"):
        open_tab(page, guard, tab)
        page.evaluate("scrollTo(0, 0)")  # the view before may have left it further down
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, tab
        assert page.evaluate(BEYOND) == [], tab
        covered = page.evaluate(COVERED)
        assert covered == [] or tab == "class", tab  # its open sheet covers them
    context.close()


@pytest.mark.own_page
def test_explore_works_by_keyboard_alone(page, guard):
    tab = Exploring(page, guard.origin).open(model="generator", layer=4, head=7)
    keys = page.keyboard
    tab_to(page, "at.tagName === 'TEXTAREA'")
    keys.press("Control+A")
    keys.type("The cat sat on the mat.")
    tab.wait("() => former.store.pass.header.text === 'The cat sat on the mat.'")
    tab.settled()
    tab_to(page, "at.type === 'radio' && at.closest('[data-field=scale]')")
    keys.press("ArrowRight")
    assert tab.link()["scale"] == "row"
    tab_to(page, "at.getAttribute('role') === 'gridcell'")
    layer, head = int(tab.link()["layer"]), int(tab.link()["head"])
    keys.press("ArrowUp")
    keys.press("ArrowUp")
    keys.press("ArrowLeft")
    tab.settled()
    assert (tab.link()["layer"], tab.link()["head"]) == (str(layer - 2), str(head - 1))
    expect(page.locator(".former-head-map").get_by_role("heading")).to_have_text(f"Layer {layer - 2}, head {head - 1}")
    tab_to(page, "at.getAttribute('role') === 'application'")
    keys.press("ArrowUp")
    tab.painted()
    reading = page.locator(".former-head-map .readout")
    assert reading.get_attribute("data-query") == str(len("The cat sat on the mat.") - 2)
    keys.press("Enter")
    assert tab.link()["token"] == str(len("The cat sat on the mat.") - 2)
    keys.press("Escape")
    assert "token" not in tab.link()
    tab_to(page, "at.classList.contains('token')")
    keys.press("End")
    keys.press("Enter")
    tab.painted()
    assert "locked" in tab.strip()
    tab_to(page, "at.textContent === 'Switch off'")
    tab.edited(lambda: keys.press("Enter"))
    expect(page.locator(".former-prediction .total")).to_contain_text("→")
    tab_to(page, "at.textContent === 'Measure every head'")
    keys.press("Enter")
    expect(page.locator(".former-interventions .finding")).to_contain_text("heads measured", timeout=60_000)
    tab_to(page, "at.textContent === 'CSV'")
    with page.expect_download():
        keys.press("Enter")


@pytest.mark.own_page
def test_another_model_and_tab_are_chosen_by_keyboard(page, guard):
    tab = Exploring(page, guard.origin).open()
    names = page.evaluate("[former.store.pass.header.model]")
    tab_to(page, "at.matches('.former-model select')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    tab.wait("([name]) => former.store.pass.header.model !== name", names)
    tab.settled()
    page.get_by_role("tab", name="Explore").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Generate")).to_have_attribute("aria-selected", "true")


@pytest.mark.own_page
def test_where_one_is_is_seen_when_walking_by_keyboard(page, guard):
    Exploring(page, guard.origin).open()
    unseen = []
    for _ in range(25):
        page.keyboard.press("Tab")
        result = page.evaluate(
            """() => {
              const at = document.activeElement;
              const outlined = (node) => {
                const style = getComputedStyle(node);
                return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
              };
              for (let node = at; node; node = node.parentElement) if (outlined(node)) return null;
              const styled = at.nextElementSibling; // a label drawn in an input's place
              return at === document.body || (styled && outlined(styled)) ? null : at.outerHTML.slice(0, 120);
            }"""
        )
        if result:
            unseen.append(result)
    assert unseen == []
