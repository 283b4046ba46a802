"""A teacher's slides, stored in a link; one panel embedded in another page."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.pages import Exploring, presents

pytestmark = pytest.mark.browser
TAB = Exploring
TEXT = "The cat sat on the mat."


def menu(tab):
    """Opens the menu of slides."""
    sheet = tab.page.locator(".class-menu .slides")
    if not sheet.is_visible():
        tab.page.get_by_text("In class", exact=True).click()
    return sheet


def test_slides_are_walked_by_a_remote_control_wherever_their_link_is_opened(tab, guard, browser):
    tab.open(layer=1, head=2, present=1, panel="head-map")
    presents(tab.page, "head-map")
    add = tab.page.locator(".presenter-caption button").last
    add.click()
    expect(add).to_have_text("Added: 1 slide")
    tab.page.evaluate("former.presenter.go('mask', 'mask-reach')")
    presents(tab.page, "mask-reach")
    tab.wait("() => former.masking.answers.stages")
    tab.page.evaluate("former.masking.set({ mask: 'strided' })")
    add.click()
    expect(add).to_have_text("Added: 2 slides")
    tab.page.keyboard.press("Escape")
    tab.page.get_by_role("tab", name="Explore").click()
    tab.settled()
    tab.cell(4, 4).click()
    expect(menu(tab)).to_contain_text("2 slides of at most 40")
    menu(tab).get_by_role("button", name="Add this view").click()
    expect(menu(tab)).to_contain_text("3 slides of at most 40")
    link = menu(tab).get_by_label("Link to my slides").input_value()

    elsewhere = browser.new_context(viewport={"width": 1280, "height": 720})
    guard.watch(elsewhere)
    copy = Exploring(elsewhere.new_page(), guard.origin)
    copy.page.goto(link)
    presents(copy.page, "head-map")
    expect(copy.page.locator(".presenter-caption")).to_contain_text("Slide 1 of 3 · Layer 1, head 2")
    copy.page.keyboard.press("PageDown")
    presents(copy.page, "mask-reach")
    copy.wait("() => former.masking?.view.mask === 'strided'")
    copy.page.keyboard.press("ArrowRight")
    presents(copy.page, "overview")
    copy.wait("() => former.store.view.layer === 4 && former.store.view.head === 4")
    copy.page.keyboard.press("ArrowRight")  # no slide exists
    expect(copy.page.locator(".presenter-caption")).to_contain_text("Slide 3 of 3")
    copy.page.keyboard.press("PageUp")
    copy.page.keyboard.press("PageUp")
    presents(copy.page, "head-map")
    copy.wait("() => former.store.view.layer === 1 && former.store.view.head === 2")
    copy.page.keyboard.press("Escape")
    assert "slide" not in copy.link()
    expect(menu(copy).locator("li")).to_have_count(3)
    elsewhere.close()


def test_a_slide_of_a_panel_that_comes_with_its_view_presents_that_panel(tab):
    tab.open(text=TEXT, present=1, panel="overview")
    presents(tab.page, "overview")
    pinned = {"tab": "explore", "model": "gpt", "text": TEXT, "pin": "gpt", "pin_text": TEXT, "panel": "beside"}
    tab.page.evaluate("view => former.page.follow(new URLSearchParams(view))", pinned)
    presents(tab.page, "beside")


def test_slides_are_put_in_order_and_removed_and_the_link_follows(tab):
    tab.open()
    for layer in (1, 2, 3):
        tab.cell(layer, 0).click()
        menu(tab).get_by_role("button", name="Add this view").click()
        expect(menu(tab).locator("li")).to_have_count(layer)
    views = "former.slides.list.map(([, view]) => new URLSearchParams(view).get('layer')).join()"
    menu(tab).get_by_role("button", name=re.compile("^Move up")).last.click()
    tab.wait(f"() => {views} === '1,3,2'")
    menu(tab).get_by_role("button", name=re.compile("^Remove")).first.click()
    tab.wait(f"() => {views} === '3,2'")
    tab.page.reload()
    tab.wait(f"() => window.former?.slides && {views} === '3,2'")


def test_what_a_link_of_slides_cannot_hold_is_refused_with_the_bound(tab):
    tab.open()
    texts = "Array.from({ length: 3500 }, () => String.fromCharCode(33 + Math.random() * 90)).join('')"
    before = tab.page.url
    refused = tab.page.evaluate(
        f"""async () => {{
          history.replaceState(null, "", "?text=" + encodeURIComponent({texts} + {texts}));
          return former.inWords(await former.slides.add());
        }}"""
    )
    assert "8,000 characters" in refused
    assert "slides=" not in tab.page.url
    tab.page.evaluate("(url) => history.replaceState(null, '', url)", before)
    result = tab.page.evaluate(
        """async () => {
          for (let i = 0; i < 40; i++) await former.slides.add();
          return [former.slides.list.length, former.inWords(await former.slides.add()), location.href.length];
        }"""
    )
    assert result[0] == 40
    assert "40 slides" in result[1]
    assert result[2] < 8200


@pytest.mark.parametrize(
    "slides", ["x", "<img src=x onerror=window.hacked=1>", "q1YqVrJSUDJU0lFQSlayUohWKlGKVaoFAA", "a" * 9000]
)
def test_slides_that_cannot_be_read_are_named_and_nothing_else_happens(tab, slides):
    tab.page.goto(f"{tab.origin}/?tab=explore#slides={slides}")
    tab.settled()
    expect(tab.page.locator(".room-bar")).to_contain_text("cannot be read")
    assert tab.page.evaluate("[former.slides.list.length, window.hacked ?? null]") == [0, None]


def test_a_title_of_a_slide_stays_text(tab):
    tab.open()
    code = tab.page.evaluate(
        """async () => {
          const list = JSON.stringify([["<img src=x onerror=window.hacked=1>", "layer=2"]]);
          const made = new Response(new Blob([list]).stream().pipeThrough(new CompressionStream("deflate-raw")));
          return btoa(String.fromCharCode(...new Uint8Array(await made.arrayBuffer())));
        }"""
    )
    tab.page.goto(f"{tab.origin}/?layer=1#slides={code.replace('+', '-').replace('/', '_').rstrip('=')}")
    tab.settled()
    expect(menu(tab).locator("li")).to_contain_text("<img src=x")
    assert tab.page.evaluate("window.hacked ?? null") is None


def test_the_embed_entry_gives_a_line_of_html_that_shows_one_panel_alone_and_live(tab, guard, other):
    tab.open(layer=2, head=5, text="Alone & <b>live</b>")
    tab.page.get_by_text("Copy link", exact=True).click()
    tab.page.get_by_label("Panel", exact=True).select_option("overview")
    line = tab.page.get_by_label("HTML code").input_value()
    assert line.startswith("<iframe ")
    host = other()
    host.page.route("**/host.html", lambda route: route.fulfill(body=f"<p>A blog</p>{line}", content_type="text/html"))
    host.page.goto(f"{guard.origin}/host.html")
    frame = host.page.frame_locator("iframe")
    expect(frame.locator(".presented h2")).to_have_text("All heads")
    inside = host.page.frames[1]
    inside.wait_for_function("() => window.former?.store?.pass?.header.text === 'Alone & <b>live</b>'")
    assert inside.evaluate("former.store.view.head") == 5
    for gone in ("tab", "textbox"):
        expect(frame.get_by_role(gone).first).to_be_hidden()
    frame.locator("[data-layer='3'][data-head='1']").click()
    inside.wait_for_function("() => former.store.view.layer === 3 && former.store.view.head === 1")
    assert inside.evaluate("getComputedStyle(document.body).overflowY") == "hidden"
    frame.locator(".presented").press("p")
    frame.locator(".presented").press("Escape")
    expect(frame.locator(".presented h2")).to_have_text("All heads")
    with host.page.context.expect_page() as opened:
        frame.get_by_role("link", name="open the whole page").click()
    whole = Exploring(opened.value, guard.origin)
    whole.settled()
    assert (whole.link()["layer"], whole.link()["head"], "embed" in whole.link()) == ("3", "1", False)


@pytest.mark.parametrize(
    ("panel", "tab_name"), [("mask-growth", "mask"), ("verdicts", "permute"), ("learn-films", "learn")]
)
def test_a_panel_alone_needs_no_tab_in_its_address(tab, panel, tab_name):
    tab.goto(embed=panel)
    presents(tab.page, panel)
    assert tab.page.evaluate("former.page.tab") == tab_name


OVERLAP = """parts => {
  const [one, other] = parts.map((part) => document.querySelector(`.presented ${part}`).getBoundingClientRect());
  const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  return across > 1 && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
}"""


@pytest.mark.parametrize(
    ("section", "parts"),
    [
        ("self-attention", [".plane-place", ".tables"]),
        ("queries-keys-values", [".planes", ".tables"]),
        ("key-value", [".plane-place", ".both"]),
        ("train-now", [".curve", ".attention"]),
    ],
)
def test_the_parts_of_a_section_alone_do_not_overlap_at_the_size_of_an_embed_or_a_phone(tab, section, parts):
    tab.goto(embed=f"learn-{section}")
    presents(tab.page, f"learn-{section}")
    tab.page.locator(f".presented {parts[1]}").wait_for()
    for width, height in ((800, 500), (640, 360), (390, 844)):
        tab.page.set_viewport_size({"width": width, "height": height})
        tab.painted()
        assert not tab.page.evaluate(OVERLAP, parts), (width, height)


def test_a_panel_with_nothing_to_show_says_so_until_it_has_something(tab):
    tab.goto(embed="lines")
    tab.wait("() => window.former?.store?.exact")
    element = tab.page.locator(".embed-unknown")
    expect(element).to_have_text("The panel “lines” has nothing to show for this text, model and view.")
    expect(element).to_be_visible()
    tab.page.evaluate("former.store.set({ view: 'lines' })")
    presents(tab.page, "lines")
    expect(element).to_be_hidden()


COUNTED = """window.timers = 0;
for (const name of ["setTimeout", "setInterval"]) {
  const begin = window[name];
  window[name] = (...given) => (window.timers++, begin(...given));
}"""


@pytest.mark.own_browser
def test_a_panel_with_nothing_to_show_waits_without_looking_again_and_again(tab):
    tab.page.add_init_script(COUNTED)
    tab.goto(embed="lines")
    expect(tab.page.locator(".embed-unknown")).to_be_visible()
    for _ in range(3):  # shown and hidden again: no more waits after each
        tab.page.evaluate("former.store.set({ view: 'lines' })")
        presents(tab.page, "lines")
        tab.page.evaluate("former.store.set({ view: 'map' })")
        expect(tab.page.locator(".embed-unknown")).to_be_visible()
    tab.painted()
    before = tab.page.evaluate("window.timers")
    tab.page.wait_for_timeout(3000)
    assert tab.page.evaluate("window.timers") - before <= 3  # the page asks now and then whether the server is there


def test_the_written_text_alone_can_be_written_on(tab):
    tab.page.set_viewport_size({"width": 800, "height": 500})
    tab.goto(embed="written-text")
    presents(tab.page, "written-text")
    tab.wait("() => former.writing.status === 'idle' && former.writing.cursor.state")
    tab.page.get_by_role("button", name="Step", exact=True).click()
    tab.wait("() => former.writing.cursor.depth === 1")


@pytest.mark.parametrize("name", ["no-such-panel", "__proto__", "<img src=x onerror=window.hacked=1>"])
def test_a_panel_that_there_is_not_is_named_with_those_that_there_are(tab, name):
    tab.goto(embed=name)
    element = tab.page.locator(".embed-unknown")
    expect(element).to_contain_text(f"There is no panel “{name}”")
    expect(element.get_by_role("link", name="head-map")).to_be_visible()
    assert tab.page.evaluate("window.hacked ?? null") is None
