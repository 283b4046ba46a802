"""A copied link opens the same view; an invalid one opens the usual view and says so."""

import pytest
from playwright.sync_api import expect

from tests.browser.pages import REFUSED, Exploring, Writing
from tests.browser.permute.pages import Permuting

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring

TEXT = "Paris & Berlin? 100 % of “Ünïcödé” + more."


def shown(tab: Exploring) -> dict[str, object]:
    """Returns what is on the screen, as a visitor would describe it."""
    page = tab.page
    return {
        "tokens": tab.tokens(),
        "strip": tab.strip(),
        "chosen": page.locator("[role=gridcell][aria-selected=true]").evaluate_all(
            "cells => cells.map((cell) => cell.getAttribute('aria-label'))"
        ),
        "switches": page.locator("input[type=radio]:checked").evaluate_all("inputs => inputs.map((one) => one.value)"),
        "sentence": page.locator(".former-lesson[data-tab=explore] .sentence").inner_text(),
        "model": page.get_by_role("combobox", name="Model", exact=True).input_value(),
        "text": page.get_by_role("textbox", name="Text", exact=True).input_value(),
    }


def test_a_copied_link_opens_the_same_view(tab, guard):
    tab.open(model="gpt", text="Paris")
    tab.type(TEXT)
    tab.cell(2, 5).click()
    tab.set("Show", "Rollout")
    tab.set("Scale", "√")
    tab.token(3).click()
    tab.set("View", "Lines")
    other = Exploring(tab.page.context.new_page(), guard.origin)
    other.page.goto(tab.address())
    other.settled()
    tab.page.mouse.move(0, 0)
    assert shown(other) == shown(tab)
    assert "locked" in other.strip()
    assert other.link() == tab.link()


def test_the_view_survives_a_reload(tab):
    tab.open(text=TEXT)
    tab.cell(1, 1).click()
    tab.set("Scale", "Per row")
    before = shown(tab)
    tab.page.reload()
    tab.settled()
    assert shown(tab) == before


NONSENSE = [
    {"layer": "99", "head": "two", "token": "1e9", "scale": "<b>", "show": "${1}", "of": "0", "view": "picture"},
    {"layer": "-1", "tab": "nowhere", "model": "gpt-5"},
    {"model": "__proto__"},
    {"model": "toString"},
]


@pytest.mark.own_page
@pytest.mark.parametrize("asked", NONSENSE)
def test_nonsense_in_a_link_is_named_and_the_usual_is_shown(tab, asked):
    tab.open(text="abc", **asked)
    notices = tab.page.locator(".former-notices .notice.error")
    expect(notices).to_have_count(len(asked))
    for value in asked.values():
        expect(notices.filter(has_text=f"“{value}”")).to_have_count(1)
    assert "".join(tab.tokens()) == "abc"
    usual = {"model": "gpt", "layer": "0", "head": "0"}
    for name in asked:
        assert tab.link().get(name) == usual.get(name)


@pytest.mark.own_page
def test_nonsense_in_a_link_that_an_open_page_takes_up_is_named_until_the_next(tab):
    tab.open(text="abc", model="tiny-generator")
    notices = tab.page.locator(".former-notices .notice.error")
    follow = "(view) => former.page.follow(new URLSearchParams({tab: 'explore', model: 'tiny-generator', ...view}))"
    for view, refused in (
        ({"text": "abc", "head": "two", "scale": "loud"}, ("two", "loud")),  # the pass on screen
        (
            {"text": "abd", "layer": "7", "show": "all"},
            ("7", "all"),
        ),  # another model; its number of layers is known once it is loaded
        ({"text": "abd", "layer": "1"}, ()),
    ):
        tab.page.evaluate(follow, view)
        expect(notices).to_have_count(len(refused))
        for value in refused:
            expect(notices.filter(has_text=f"“{value}”")).to_have_count(1)
        assert "".join(tab.tokens()) == view["text"]


@pytest.mark.own_page
def test_links_made_before_gpt_was_first_open_what_they_did(tab, other):
    tab.open(text="abc", layer=1)  # the page has always named the model, but not in Generate
    assert (tab.link()["model"], tab.tokens()) == ("generator", ["a", "b", "c"])
    writing = Writing(other().page, tab.origin).open(text="In", written="32.49", seed=3)
    assert writing.link()["model"] == "generator"
    assert writing.shown()[:4] == ["I", "n", " ", "1"]


@pytest.mark.own_page
def test_without_a_link_both_tabs_begin_with_gpt_and_say_so_in_their_links(tab, other):
    tab.open()
    assert tab.link()["model"] == "gpt"
    assert any(len(token) > 3 for token in tab.tokens()), "its tokens are parts of words"
    box = tab.page.get_by_role("combobox", name="Model", exact=True)
    expect(box.locator("option:checked")).to_have_text("gpt: writes English in words and parts of words")
    groups = [group.get_attribute("label") for group in box.locator("optgroup").all()]
    assert groups == ["Writes", "Classifies", "Fills in", "Translates", "Small experiments"]
    writing = Writing(other().page, tab.origin).open()
    writing.press("Step")
    writing.rested()
    reopened = Writing(writing.page.context.new_page(), tab.origin)
    reopened.page.goto(writing.page.url)
    reopened.rested()
    assert (reopened.link()["model"], reopened.shown()) == ("gpt", writing.shown())


@pytest.mark.own_page
def test_an_empty_text_in_a_link_gets_a_message_and_the_worked_example(tab):
    tab.open(text="")
    expect(tab.page.locator(".former-notices .notice.error")).to_be_visible()
    assert len(tab.tokens()) > 20


@pytest.mark.own_page
def test_too_long_a_text_in_a_link_gets_a_message_and_the_worked_example(tab):
    tab.open(text="word " * 1200)
    expect(tab.page.locator(".former-notices .notice.error")).to_contain_text("4,000")
    assert len(tab.tokens()) > 20


@pytest.mark.own_page
def test_the_tab_of_a_link_is_in_front_and_the_other_is_a_click_away(page, guard):
    tab = Writing(page, guard.origin).open(text="abc")
    expect(page.get_by_role("tab", name="Generate")).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="Explore").click()
    explore = Exploring(page, guard.origin)
    explore.settled()
    expect(page.locator(".former-overview canvas").first).to_be_visible()
    assert "tab" not in explore.link()
    page.get_by_role("tab", name="Generate").click()
    tab.rested()
    assert tab.link()["tab"] == "generate"


@pytest.mark.own_page
def test_back_and_forward_go_from_tab_to_tab_with_the_view_that_each_had(tab, guard):
    page = tab.page
    tab.open(text="abc", layer=2)
    page.get_by_role("tab", name="Word order").click()
    permute = Permuting(page, guard.origin)
    permute.settled()
    permute.type("good film")
    page.get_by_role("tab", name="Explore").click()
    tab.wait("() => !new URL(location).searchParams.has('tab')")
    page.go_back()
    expect(page.get_by_role("tab", name="Word order")).to_have_attribute("aria-selected", "true")
    permute.settled()
    assert (permute.words(), permute.link()["text"]) == (["good", "film"], "good film")
    page.go_back()
    expect(page.get_by_role("tab", name="Explore")).to_have_attribute("aria-selected", "true")
    tab.settled()
    assert (tab.tokens(), tab.link()["layer"]) == (["a", "b", "c"], "2")
    page.go_forward()
    expect(page.get_by_role("tab", name="Word order")).to_have_attribute("aria-selected", "true")
    assert permute.words() == ["good", "film"]


@pytest.mark.own_page
def test_back_right_after_a_choice_leaves_the_way_forward(tab):
    tab.goto(tab="generate")
    tab.page.get_by_role("tab", name="Explore").click()
    tab.settled()
    entries = tab.page.evaluate("history.length")
    tab.page.evaluate("former.store.set({ layer: 2, head: 3 }), history.back()")
    tab.wait("former.page.tab === 'generate'")
    tab.painted()
    assert (tab.link()["tab"], tab.page.evaluate("history.length")) == ("generate", entries)
    tab.page.go_forward()
    tab.wait("former.page.tab === 'explore'")


@pytest.mark.own_page
def test_back_twice_at_once_goes_two_tabs_back_and_leaves_the_way_forward(tab):
    tab.goto(tab="mask")
    for name, last in (("Word order", "permute"), ("Explore", "explore")):
        tab.page.get_by_role("tab", name=name).click()
        tab.comes(last)
    entries = tab.page.evaluate("history.length")
    tab.page.evaluate("history.back(), setTimeout(() => history.back(), 10)")
    tab.comes("mask")
    tab.wait("former.page.tab === 'mask'")
    tab.painted()
    assert (tab.link()["tab"], tab.page.evaluate("history.length")) == ("mask", entries)
    tab.page.go_forward()
    tab.wait("former.page.tab === 'permute'")


NAMES = {  # tab → what its links name, and where it says what is wrong with them
    "generate": ("model", ".former-writing-controls .status"),
    "mask": ("model", ".former-mask-controls .note"),
    "permute": ("table", ".former-permute-controls .message"),
}


@pytest.mark.parametrize("opened", NAMES)
def test_a_link_that_names_what_every_object_has_names_nothing_here(tab, opened):
    name, message = NAMES[opened]
    tab.goto(tab=opened, **{name: "__proto__"})
    expect(tab.page.locator(message).last).to_contain_text(f"{name} (“__proto__”) cannot be shown")
    assert tab.link().get(name) != "__proto__"


FRAMED = """if (window.parent !== window) Object.defineProperty(window, 'parent', {
  value: { postMessage: (message, to) => (window.told ??= []).push([message, to]) } });"""


@pytest.mark.own_page
@pytest.mark.parametrize("refused", [False, True])
def test_copy_link_gives_the_address_and_says_where_the_clipboard_is_refused(tab, context, refused):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.open(text="Mine", layer=2)
    if refused:
        tab.page.evaluate(REFUSED)
    tab.page.get_by_text("Copy link", exact=True).click()
    element = tab.page.locator(".class-menu.link .sheet > [role=status]")
    expect(element).to_contain_text("does not let this page copy" if refused else "Copied")
    assert tab.page.get_by_label("Link to this view").input_value() == tab.page.url
    if not refused:
        assert tab.page.evaluate("navigator.clipboard.readText()") == tab.page.url


@pytest.mark.own_browser
def test_in_another_page_s_frame_the_hub_is_told_the_query_as_it_changes(tab):
    tab.page.context.add_init_script(FRAMED)
    tab.page.goto(f"{tab.origin}/alive")
    tab.page.evaluate("""() => {
      const frame = document.createElement('iframe');
      Object.assign(frame, { src: '/?text=Framed&layer=1', width: 1200, height: 700 });
      document.body.append(frame);
    }""")
    frame = tab.page.locator("iframe").element_handle().content_frame()
    assert frame
    frame.wait_for_function(
        "() => window.former?.store?.pass?.header.text === 'Framed' && former.store.view.layer === 1"
    )
    frame.evaluate("former.store.set({ layer: 3 })")
    frame.wait_for_function("() => window.told.at(-1)[0].queryString.includes('layer=3')")
    message, to = frame.evaluate("window.told.at(-1)")
    assert to == "https://huggingface.co"
    assert "text=Framed" in message["queryString"]
