"""Presenting: one panel at a time fills the window, and keys go through all panels."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.browser.pages import Exploring, Tab, Writing, presented, presents

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring
TEXT = "The cat sat on the mat."  # a longer one takes two lines of the screen


def present(tab: Tab, panel: str, /, **view: str) -> None:
    """Presents a panel of a view that the open page takes up."""
    tab.visit(text=TEXT, **view)
    tab.wait("(name) => former.page.tab === name && former.presenter", view["tab"])
    tab.page.evaluate("panel => former.presenter.go(former.page.tab, panel)", panel)
    presents(tab.page, panel)


def test_a_key_presents_one_panel_and_escape_ends_it(tab):
    tab.open(text=TEXT, token=4)
    assert presented(tab.page) is None
    tab.page.keyboard.press("p")
    presents(tab.page, "overview")
    box = tab.page.locator(".presented").bounding_box()
    assert box
    assert (box["x"], box["width"]) == (0, 1280)
    assert box["height"] > 600
    expect(tab.page.get_by_role("tab", name="Generate")).to_be_hidden()
    tab.page.keyboard.press("Escape")
    assert presented(tab.page) is None
    assert tab.page.evaluate("former.store.view.token") == 4, "Escape has ended presenting and nothing else"
    expect(tab.page.get_by_role("tab", name="Generate")).to_be_visible()
    assert "present" not in tab.link()


VIEWS = {
    "explore": "overview head-map statistics interventions prediction surprise token-strip carry reads pair "
    "trace lens writes scan",
    "generate": "written-text next-token trail guess cache",
    "mask": "mask-stages mask-proof mask-growth mask-reach mask-consequence",
    "permute": "word-order permutation equivariance moved-rows verdicts position-maps",
}


@pytest.mark.own_page
def test_arrow_keys_and_a_remote_control_go_over_the_end_of_every_tab_but_the_last_and_back(tab):
    for name, after in pairwise(VIEWS):
        last, first = VIEWS[name].split()[-1], VIEWS[after].split()[0]
        tab.goto(tab=name, present=1, panel=last)
        presents(tab.page, last)
        for key, back in (("ArrowRight", "ArrowLeft"), ("PageDown", "PageUp")):
            tab.page.keyboard.press(key)
            presents(tab.page, first)
            tab.comes(after)
            tab.page.keyboard.press(back)
            presents(tab.page, last)
            tab.comes(name)
    *_, end = VIEWS.values()
    for panel in end.split():
        tab.page.keyboard.press("PageDown")
        presents(tab.page, panel)
    tab.page.keyboard.press("ArrowRight")  # after the last, nothing more
    tab.painted()
    presents(tab.page, end.split()[-1])


@pytest.mark.parametrize(
    ("asked", "panel", "clicked", "next_one"),
    [
        ({"tab": "explore"}, "overview", "[role=gridcell] >> nth=9", "head-map"),
        ({"tab": "mask"}, "mask-stages", "[data-field=mask] label >> nth=2", "mask-proof"),
        ({"tab": "mask"}, "mask-stages", "[data-map=weights] canvas", "mask-proof"),
        ({"tab": "generate"}, "written-text", ".tokens [data-at] >> nth=5", "next-token"),
        ({"tab": "generate"}, "next-token", ".candidate >> nth=1", "trail"),
        ({"tab": "permute"}, "word-order", ".chip >> nth=2", "permutation"),
    ],
)
def test_a_remote_control_goes_on_whatever_was_clicked_before(tab, asked, panel, clicked, next_one):
    present(tab, panel, **asked)
    for key, back in (("PageDown", "PageUp"), ("ArrowRight", "ArrowLeft")):
        tab.page.locator(".presented").locator(clicked).click()
        view = tab.link() | {"panel": next_one}
        tab.page.keyboard.press(key)
        presents(tab.page, next_one)
        assert tab.link() == view, "the key has done nothing else"
        tab.page.keyboard.press(back)
        presents(tab.page, panel)


def test_the_key_p_presents_while_a_radio_button_has_the_focus_and_not_where_one_types(tab):
    tab.open(text=TEXT)
    tab.page.get_by_role("radio", name="Rollout").check()
    tab.page.keyboard.press("p")
    presents(tab.page, "overview")
    tab.page.keyboard.press("Escape")
    tab.visit(tab="mask", text=TEXT)
    tab.wait("() => former.page.tab === 'mask' && former.masking?.answers.stages")
    tab.page.get_by_role("spinbutton", name="Row", exact=True).press("p")
    assert presented(tab.page) is None


@pytest.mark.own_page
def test_single_keys_can_be_switched_off_and_stay_so(tab, other):
    tab.open(text=TEXT)
    tab.page.get_by_text("In class", exact=True).click()
    tab.page.get_by_label("Single keys are shortcuts").uncheck()
    tab.page.locator(".former-overview h2").click()
    for page in (tab.page, other().open().page):
        page.keyboard.press("p")
        page.wait_for_timeout(100)
        assert presented(page) is None
    tab.page.get_by_text("In class", exact=True).click()
    tab.page.get_by_label("Single keys are shortcuts").check()
    tab.page.keyboard.press("p")
    presents(tab.page, "overview")


def test_a_maximised_panel_holds_the_focus(tab):
    tab.open(text=TEXT)
    panel = tab.page.locator(".former-statistics .panel")
    panel.get_by_role("button", name=re.compile("^Maximise")).click()
    for _ in range(12):
        tab.page.keyboard.press("Tab")
        inside = "(panel) => document.activeElement === document.body || panel.contains(document.activeElement)"
        assert panel.evaluate(inside), "the focus has left it"
    tab.page.keyboard.press("Escape")
    expect(panel.get_by_role("button", name=re.compile("^Maximise"))).to_be_focused()
    tab.cell(1, 1).click()
    assert (tab.link()["layer"], tab.link()["head"]) == ("1", "1")


@pytest.mark.own_page
def test_type_is_larger_than_on_the_page(tab):
    tab.open()
    number = tab.page.locator(".former-statistics [data-statistic=previous] > span").last
    before = number.bounding_box()
    tab.page.goto(f"{tab.origin}/?tab=explore&present=1&panel=statistics")
    presents(tab.page, "statistics")
    expect(number).to_contain_text("%")
    after = number.bounding_box()
    assert before
    assert after
    assert after["height"] > 2.5 * before["height"]


def test_a_copied_link_presents_the_same_panel(tab, other):
    tab.open(text=TEXT, layer=2, head=3)
    tab.page.keyboard.press("p")
    presents(tab.page, "overview")
    tab.page.keyboard.press("ArrowRight")
    presents(tab.page, "head-map")
    copy = other()
    copy.page.goto(tab.address())
    presents(copy.page, "head-map")
    expect(copy.page.locator(".presented h2")).to_have_text("Layer 2, head 3")


FILLED = """() => {
  const panel = document.querySelector(".presented");
  const body = panel.querySelector(".panel-body");
  const over = (one) => one.scrollHeight > one.clientHeight + 2 || one.scrollWidth > one.clientWidth + 2;
  const scroll = ".sr-only, .lens-sheet, .scan-places";
  const seen = (node) => node.checkVisibility() && !node.closest(scroll);
  const right = [...panel.querySelectorAll("*")].filter(seen)
    .map((node) => node.getBoundingClientRect()).filter(({ width, height }) => width * height > 0);
  const cut = right.filter((box) => box.bottom > innerHeight - 40 || box.right > innerWidth + 2).length;
  const cells = panel.querySelectorAll(".number-row .numbers > *");
  const parts = [panel, body, document.querySelector(".presenter-caption b"), ...cells];
  const hasWords = ({ childNodes: [text] }) => text?.nodeType === Node.TEXT_NODE && text.data.trim();
  const type = [...panel.querySelectorAll("*")].filter(hasWords)
    .filter((node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest(".sr-only"))
    .map((node) => parseFloat(getComputedStyle(node).fontSize) * node.currentCSSZoom);
  return { over: parts.some(over), cut, zoom: Number(panel.style.getPropertyValue("--zoom")), type: Math.min(...type) };
}"""
ANSWERED = {  # until nothing that a tab's panels show is asked of the server
    "explore": """() => former.store?.exact && !former.store.old &&
      !document.querySelector(".presented").closest(".late")""",
    "generate": "() => former.writing?.status === 'idle' && former.writing.cursor.state",
    "mask": """() => former.masking?.settings && !former.masking.busy &&
      !Object.values(former.masking.answers).includes(null)""",
    "permute": """() => former.permuting?.rev && !former.permuting.busy &&
      !document.querySelector(".presented").closest(".former-position-maps .former-position-maps:not([data-table])")""",
}
LEAST = {  # relative to the page's font size
    **{"writes": 1.2, "reads": 1.2, "trace": 1.2, "scan": 1.22, "mask-stages": 1.15},
    **{"next-token": 1.4, "mask-reach": 1.2, "mask-consequence": 1.2},
}
SMALLEST = {"mask-reach": 11.9, "mask-consequence": 11.9}  # pixels, in a window of 1280 × 720


@pytest.mark.own_page
@pytest.mark.parametrize("name", list(VIEWS))
def test_keys_go_through_a_tab_s_panels_which_fill_the_screen_and_nothing_of_them_is_cut(tab, name):
    tab.goto(tab=name, present=1)
    for number, panel in enumerate(VIEWS[name].split()):
        presents(tab.page, panel)
        tab.wait(ANSWERED[name])
        for width, height in ((1920, 1080), (1280, 720)):
            tab.page.set_viewport_size({"width": width, "height": height})
            tab.painted()
            result = tab.page.evaluate(FILLED)
            assert (panel, width, result["over"], result["cut"]) == (panel, width, False, 0)
            assert result["zoom"] >= width / 1280 * LEAST.get(panel, 1.45), (panel, width)
            assert result["type"] >= width / 1280 * SMALLEST.get(panel, 14.6), (panel, width)
        tab.page.keyboard.press(("PageDown", "ArrowRight")[number % 2])


SCROLLED = """() => [...document.querySelectorAll(".presented *")].filter((node) => node.checkVisibility() &&
  /auto|scroll/.test(getComputedStyle(node).overflowY) && node.scrollHeight > node.clientHeight + 2).map(String)"""


@pytest.mark.parametrize("panel", ["trace", "reads", "writes", "scan"])
def test_in_a_small_window_a_presented_panel_scrolls_as_a_whole(tab, panel):
    present(tab, panel, tab="explore")
    tab.wait(ANSWERED["explore"])
    tab.page.set_viewport_size({"width": 640, "height": 360})
    tab.painted()
    assert tab.page.evaluate(SCROLLED) == []
    assert tab.page.locator(".presented").evaluate("panel => panel.scrollHeight > panel.clientHeight + 2")


def test_the_mask_s_legends_are_seen_when_it_is_presented(tab):
    present(tab, "mask-stages", tab="mask")
    tab.wait("() => former.masking.answers.stages")
    tab.painted()
    for name in ("scores", "masked", "weights"):
        expect(tab.page.locator(f".presented [data-map={name}] .legend")).to_be_visible()
    expect(tab.page.locator(".presented .readout")).to_contain_text("Point at a cell")


@pytest.mark.own_page
def test_generate_is_presented_with_its_prompt_start_step_and_temperature(page, guard):
    writing = Writing(page, guard.origin)
    writing.goto(tab="generate", present=1, length=3, pace=30)
    presents(page, "written-text")
    writing.rested()
    page.get_by_label("Prompt", exact=True).fill("Once")
    writing.wait(
        "() => former.writing.settings.text === 'Once' && former.writing.branches.root.state?.labels.length === 4"
    )
    page.get_by_role("slider", name="Temperature").fill("0")
    writing.press("Step")
    writing.wait("() => former.writing.cursor.depth === 1")
    writing.press("Resume")
    writing.wait("() => former.writing.cursor.depth === 3")
    writing.rested()
    assert len(writing.shown()) == 7
    assert presented(page) == "written-text"


def test_explore_is_presented_with_its_model_and_text(tab):
    present(tab, "head-map", tab="explore")
    tab.type("A new text.")
    tab.choose_model("classifier")
    assert tab.link()["model"] == "classifier"
    expect(tab.page.get_by_role("tab", name="Generate")).to_be_hidden()


@pytest.mark.own_page
def test_the_link_to_a_slide_is_copied_while_presenting(tab, other):
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.open(room="slide-link", lead=1, layer=1)
    tab.page.goto(f"{tab.origin}/?present=1&panel=statistics&layer=1&room=slide-link")
    presents(tab.page, "statistics")
    tab.page.get_by_role("button", name="Copy link to this slide").click()
    expect(tab.page.get_by_role("button", name="Copied")).to_be_visible()
    link = tab.page.evaluate("navigator.clipboard.readText()")
    assert "room" not in link
    copy = other()
    copy.page.goto(link)
    presents(copy.page, "statistics")
    copy.settled()
    assert copy.link()["layer"] == "1"


@pytest.mark.own_page
def test_a_link_presents_a_panel_of_the_tab_it_names_or_its_first(tab):
    for asked, seen in (({"panel": "verdicts"}, "verdicts"), ({}, "word-order")):
        tab.goto(tab="permute", present=1, **asked)
        presents(tab.page, seen)
        assert tab.link()["tab"] == "permute"


def test_the_caption_says_what_to_look_at_and_which_panel_of_how_many(tab):
    present(tab, "overview", tab="explore")
    caption = tab.page.locator(".presenter-caption")
    tab.settled()
    link = tab.link()
    text = tab.page.locator(".former-lesson[data-tab=explore] .sentence").text_content() or ""  # covered by the panel
    assert text.startswith(f"Layer {link['layer']}, head {link['head']} ")
    expect(caption).to_contain_text(text)
    expect(caption).to_contain_text(re.compile(r"1 of \d+ · All heads"))


def test_the_pointed_cell_lights_up_as_under_a_laser_pointer(tab):
    present(tab, "head-map", tab="explore")
    tab.settled()
    read = tab.point(0.4, 0.7)
    assert {"query", "key"} <= set(read)
    red = """() => {
      const map = document.querySelector('.former-head-map .heat-map');
      const { data } = map.getContext('2d').getImageData(0, 0, map.width, map.height);
      const isRed = (i) => data[i] > 200 && data[i + 1] < 60 && data[i + 2] < 90 && data[i + 3] > 200;
      let count = 0;
      for (let i = 0; i < data.length; i += 4) count += isRed(i);
      return count;
    }"""
    assert tab.page.evaluate(red) > 20
    tab.page.keyboard.press("Escape")
    tab.page.mouse.move(0, 0)
    tab.settled()
    tab.point(0.4, 0.7)
    assert tab.page.evaluate(red) == 0


def test_pointing_at_a_presented_map_reads_the_cell_under_the_pointer(tab):
    tab.open(text="abcdefgh")
    tab.page.keyboard.press("p")
    presents(tab.page, "overview")
    tab.page.keyboard.press("PageDown")
    presents(tab.page, "head-map")
    tab.settled()
    left, top, width, height = map(float, (tab.map.get_attribute("data-frame") or "").split())
    zoom = tab.map.evaluate("canvas => canvas.currentCSSZoom")
    assert zoom > 1
    box = tab.map.bounding_box()
    assert box
    for query, key in ((6, 2), (3, 1)):
        x = box["x"] + zoom * (left + (key + 0.5) * width / 8)
        y = box["y"] + zoom * (top + (query + 0.5) * height / 8)
        tab.page.mouse.move(x, y)
        tab.painted()
        read = tab.page.locator(".former-head-map .readout").evaluate("node => ({ ...node.dataset })")
        assert (int(read["query"]), int(read["key"])) == (query, key)


def test_a_maximised_panel_that_is_left_or_presented_leaves_the_page_usable(tab):
    inert = "[...document.querySelectorAll('[inert]')].filter((node) => !node.closest('.maximised')).length"
    tab.open(text=TEXT)
    none = tab.page.evaluate(inert)
    maximise = tab.page.locator(".former-statistics .panel").get_by_role("button", name=re.compile("^Maximise"))
    maximise.click()
    assert tab.page.evaluate(inert) > none
    tab.page.evaluate("former.page.open('mask')")  # as Back does, or a room's leader
    tab.wait(f"{inert} <= {none}")
    tab.page.evaluate("former.page.open('explore')")
    maximise.click()
    tab.page.keyboard.press("p")
    presents(tab.page, "overview")
    assert tab.page.evaluate(inert) <= none
    tab.page.keyboard.press("Escape")
    expect(tab.page.locator(".maximised")).to_have_count(0)


@pytest.mark.own_page
def test_presenting_that_ends_on_the_way_to_another_tab_stays_ended(tab):
    tab.open(text=TEXT, present=1)
    presents(tab.page, "overview")
    tab.page.evaluate(
        """async () => {
          const { presenter, page } = former;
          const gone = presenter.go("mask");
          document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
          await gone;
        }"""
    )
    tab.wait("former.page.tab === 'mask'")
    tab.painted()
    assert tab.page.evaluate("former.presenter.on") is False
    expect(tab.page.locator(".presented")).to_have_count(0)


@pytest.mark.own_page
def test_presenting_that_ends_before_the_tab_has_panels_looks_for_them_no_more(tab):
    tab.open()
    looked = tab.page.evaluate(
        """async () => {
          const find = document.querySelector.bind(document);
          const place = ".former-lesson[data-tab=explore]"; // by it the panels of a tab are found
          find(place).dataset.tab = "none";
          former.presenter.toggle();
          former.presenter.toggle();
          const pause = () => new Promise((done) => setTimeout(done, 500));
          await pause();
          let looked = 0;
          document.querySelector = (asked) => ((looked += asked === place), find(asked));
          await pause();
          return looked;
        }"""
    )
    assert looked == 0


def test_typing_a_p_in_the_text_does_not_present(tab):
    tab.open(text=TEXT)
    tab.page.get_by_role("textbox", name="Text", exact=True).press("p")
    assert presented(tab.page) is None


@pytest.mark.own_page
def test_rooms_and_presenting_work_where_tabs_do_not_fit_and_stand_in_a_menu(tab, guard):
    tab.page.set_viewport_size({"width": 340, "height": 640})
    tab.open(room="narrow")
    expect(tab.page.get_by_role("tab", name="Word order")).to_be_hidden()
    for view, panel in (("tab=permute", "word-order"), ("tab=mask&mask=strided", "mask-stages")):
        response = tab.page.request.put(f"{guard.origin}/room/narrow", data={"key": "0" * 32, "view": view})
        assert response.ok
        name = view[4:].partition("&")[0]
        tab.wait(
            "(name) => former.page.tab === name && document.querySelector(`.former-lesson[data-tab=${name}]`)", name
        )
        expect(tab.page.locator(f".former-{panel} h2").first).to_be_visible()
    tab.wait("() => former.masking.view.mask === 'strided'")
    tab.page.keyboard.press("p")
    presents(tab.page, "mask-stages")
    tab.page.keyboard.press("PageUp")
    presents(tab.page, VIEWS["generate"].split()[-1])
    for panel in VIEWS["mask"].split():
        tab.page.keyboard.press("PageDown")
        presents(tab.page, panel)
    tab.page.keyboard.press("PageDown")
    presents(tab.page, "word-order")
    assert tab.link()["tab"] == "permute"
