"""A late or missing answer: the page marks its content as outdated, and asks again."""

import json
import re
from itertools import pairwise
from typing import Any

import gradio as gr
import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.held import Held
from tests.browser.pages import Exploring

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring
PASS = re.compile(r"/attention/\w+$")
HEAD = re.compile(r"/attention/\w+/self/\d+/\d+$")
ASKED = re.compile("/attention$")


def box(tab: Exploring):
    return tab.page.get_by_role("textbox", name="Text", exact=True)


def says_old(tab: Exploring, words: str = "Updating") -> bool:
    """Returns whether every panel with a picture is dimmed and its title gives the reason."""
    return tab.page.evaluate(
        """(words) => ["overview", "head-map", "statistics", "token-strip"].every((name) => {
             const panel = document.querySelector(`.former-${name} .panel`);
             const word = getComputedStyle(panel.querySelector("h2"), "::after").content;
             const dim = Number(getComputedStyle(panel.querySelector(".panel-body")).opacity) < 0.6;
             return dim && word.includes(words);
           })""",
        words,
    )


@pytest.mark.own_page
@pytest.mark.parametrize(
    ("model", "panels"),
    [
        ("gpt", {"prediction", "surprise"}),
        ("bert", {"blanks"}),
        ("classifier", {"prediction", "words"}),
    ],
)
def test_before_the_first_pass_only_the_panels_of_its_model_are_shown(page, guard, model, panels):
    tab = Exploring(page, guard.origin)
    held = Held(page, PASS)
    tab.goto(tab="explore", model=model)
    held.wait()
    tab.wait("!document.querySelector('[data-coming]')")
    of_models = {"prediction", "blanks", "surprise", "words"}
    shown = {name for name in of_models if tab.page.locator(f"[data-panel={name}]").is_visible()}
    assert shown == panels
    held.release()


def test_a_picture_is_marked_as_old_until_that_of_the_new_text_is_here(tab):
    tab.open(text="abc")
    assert not says_old(tab)
    held = Held(tab.page, PASS)
    with tab.page.expect_request(PASS):
        box(tab).fill("abcdef")
    tab.wait("() => former.store.old")
    assert says_old(tab)
    assert tab.tokens() == ["a", "b", "c"]
    held.release()
    tab.wait("() => !former.store.old && former.store.pass.header.text === 'abcdef'")
    tab.settled()
    assert not says_old(tab)


@pytest.mark.own_page
def test_a_pass_that_does_not_come_is_asked_for_again_by_itself(tab, guard):
    guard.allow("ERR_FAILED|Failed to load")
    tab.open(text="abc")
    failures = [0]

    def fail(route: Route) -> None:
        failures[0] += 1
        route.abort() if failures[0] <= 2 else route.continue_()

    tab.page.route(PASS, fail)
    tab.page.evaluate("former.PAUSE.first = former.PAUSE.most = 1000")  # ms, in which the message can be read
    box(tab).fill("abcdef")
    tab.wait("() => former.store.old === 'offline'")
    expect(tab.page.locator(".former-notices .notice.error")).to_contain_text("will try again by itself")
    tab.wait("() => former.store.pass.header.text === 'abcdef'")
    tab.settled()
    expect(tab.page.locator(".former-notices .notice")).to_have_count(0)
    assert failures[0] == 3


@pytest.mark.own_page
def test_an_offline_moment_keeps_what_was_typed_and_is_made_up_for(tab, guard, context):
    guard.allow("ERR_INTERNET_DISCONNECTED|Failed to fetch|Could not")
    tab.open(text="abc")
    tab.page.evaluate("former.PAUSE.first = former.PAUSE.most = 300")  # ms
    context.set_offline(True)
    box(tab).fill("typed offline")
    tab.wait("() => former.store.old")
    assert tab.link()["text"] == "typed offline", "a reload would lose it"
    context.set_offline(False)
    tab.wait("() => window.former?.store?.pass?.header.text === 'typed offline'")
    tab.settled()
    assert box(tab).input_value() == "typed offline"


def test_a_refused_text_leaves_the_picture_marked_and_the_link_to_what_is_shown(tab):
    tab.open(text="abc")
    box(tab).fill("   ")
    expect(tab.page.locator(".former-notices .notice.error")).to_contain_text("type a few words")
    tab.wait("() => former.store.old === 'refused'")
    assert says_old(tab, "Not updated"), "no answer will come"
    header = tab.part("interventions").locator(".panel > header > :visible")
    ends = header.evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right])"
    )
    assert all(right <= left for (_, right), (left, _) in pairwise(ends)), "nothing overlaps"
    assert tab.link()["text"] == "abc"
    box(tab).fill("abc")
    tab.wait("() => !former.store.old")


def test_a_head_that_is_refused_is_asked_for_again_and_at_once_by_a_second_click(tab, guard):
    guard.allow("ERR_FAILED|Failed to load")
    tab.open(text="abc", layer=0, head=0)
    tab.page.route(HEAD, lambda route: route.abort())
    tab.cell(2, 3).click()
    tab.painted()
    tab.page.unroute(HEAD)
    tab.cell(2, 3).click()
    tab.settled()
    assert tab.page.evaluate("former.store.exact.head") == 3


def test_a_picture_of_scores_is_never_one_of_weights_or_of_another_head(tab):
    tab.open(text="abc abc", layer=0, head=0, show="scores")
    held = Held(tab.page, HEAD)
    tab.cell(2, 3).click()
    tab.painted()
    map_ = tab.page.locator(".former-head-map canvas").first
    expect(map_).to_have_class(re.compile("late"))
    tab.page.evaluate("void former.makePicture().then((picture) => (window.caption = picture.caption))")
    tab.painted()
    assert tab.page.evaluate("window.caption") is None, "a picture was made before there were scores"
    held.release()
    tab.wait("() => window.caption")
    assert "scores" in tab.page.evaluate("window.caption")
    expect(map_).not_to_have_class(re.compile("late"))


@pytest.fixture(scope="module")
def fields(browser: Browser) -> re.Pattern[str]:
    """Returns the scripts that Gradio loads only for a page with a text box and a menu."""

    def scripts(*components: Any) -> set[str]:
        with gr.Blocks(analytics_enabled=False) as plain, gr.Tabs(), gr.Tab("tab"), gr.Row(), gr.Column():
            gr.HTML("text")
            for component in components:
                component(label="field")
        _, address, _ = plain.launch(prevent_thread_lock=True, quiet=True, ssr_mode=False)
        page, names = browser.new_page(), set()
        page.on("request", lambda request: names.add(request.url.rpartition("/")[2]))
        page.goto(address, wait_until="networkidle")
        expect(page.get_by_text("text", exact=True)).to_be_visible()  # a busy machine is idle before all is drawn
        expect(page.get_by_label("field", exact=True)).to_have_count(len(components))
        page.close()
        plain.close()
        return {name for name in names if name.endswith(".js")}

    return re.compile("|".join(map(re.escape, scripts(gr.Textbox, gr.Dropdown) - scripts())))


@pytest.mark.own_page
@pytest.mark.parametrize("model_of_link", ["generator", "tiny-unmasked"])
def test_a_link_s_text_and_edits_stay_together_where_the_fields_come_after_its_answer(tab, fields, model_of_link):
    requests: list[str] = []
    held = Held(tab.page, fields)
    tab.page.on("request", lambda request: requests.append(request.url))
    with tab.page.expect_response(ASKED):
        tab.goto(tab="explore", model=model_of_link, text="Held back", edits="0.1.off")
    tab.settled()
    assert held.routes, "else this tests nothing"
    held.release()
    box = tab.page.get_by_role("textbox", name="Text", exact=True)
    expect(box).to_have_value("Held back")
    tab.settled()
    assert tab.link()["edits"] == "0.1.off"
    assert tab.page.evaluate("former.store.pass.header.edits.length") == 1
    assert len({url for url in requests if PASS.search(url)}) == 1, "what is half the link was shown too"
    box.fill("Typed")
    tab.wait("() => former.store.pass.header.text === 'Typed'")
    assert tab.link()["edits"] == "0.1.off"


def test_what_comes_late_is_never_shown_of_another_model(tab):
    panels = {"lens": r"/ask/lens/", "writes": r"/ask/writes/", "scan": r"/ask/scan/heads$"}
    held = Held(tab.page, re.compile("|".join(panels.values())))
    tab.open(model="generator", text="It is one of them.")
    for name, asks in panels.items():
        tab.unfold(name)
        held.wait(asks=asks)
    tab.page.evaluate("scrollTo(0, 0)")
    late = list(held.routes)
    tab.open(model="gpt", text="abc abc", layer=5, head=7)
    for route in late:
        route.fulfill(response=route.fetch())
    tab.page.wait_for_timeout(200)
    for name in panels:
        expect(tab.part(name)).to_have_class(re.compile(r"\blate\b"))


@pytest.mark.own_page
@pytest.mark.parametrize(
    ("model", "text", "panel", "below"),
    [("dates", "4 July 1976", "lens", "writes"), ("gpt", "abc", "writes", "export"), ("gpt", "abc", "scan", "export")],
)
def test_what_stands_below_a_panel_does_not_move_from_under_a_pointer_when_its_answer_comes(
    tab, model, text, panel, below
):
    passes, values = Held(tab.page, PASS), Held(tab.page, re.compile(rf"/{panel}(/|$)"))
    tab.goto(tab="explore", model=model, text=text, open="corpus" if panel == "scan" else "inside")
    passes.wait()
    tab.painted()
    tab.part(panel).scroll_into_view_if_needed()  # in view before the pass, as where the parts above are late
    tab.painted()
    passes.release()
    tab.settled()
    tab.part(below).scroll_into_view_if_needed()
    values.wait()
    tab.painted()
    stood = tab.part(below).bounding_box()
    values.release()
    drawn = {"scan": ".panel[data-of]"}.get(panel, "[data-rev]")
    tab.page.locator(f".former-{panel} {drawn}, .former-{panel}{drawn}").first.wait_for(state="attached")
    tab.painted()
    stands = tab.part(below).bounding_box()
    assert stood
    assert stands
    assert stands["y"] == pytest.approx(stood["y"], abs=8)  # less than half a button


def test_a_head_that_is_pointed_at_is_let_go_where_the_next_model_has_fewer(tab):
    tab.open(model="gpt", text="abc")
    tab.cell(5, 7).hover()
    tab.open(model="tiny-induction", text="abc")
    expect(tab.page.locator(".former-overview .readout")).to_have_text(re.compile("^Layer [01], head"))


@pytest.mark.parametrize("last", ["cab", "abc"])  # abc is on the screen when the first of them is followed
def test_of_two_links_that_are_followed_before_an_answer_the_second_is_shown(tab, last):
    follow = "(view) => former.page.follow(new URLSearchParams({tab: 'explore', model: 'tiny-generator', ...view}))"
    tab.open(model="tiny-generator", text="abc")
    held = Held(tab.page, ASKED)
    with tab.page.expect_request(ASKED):
        tab.page.evaluate(follow, {"text": "bca", "layer": "1", "head": "3"})
    tab.page.evaluate(follow, {"text": last, "layer": "0", "head": "2"})
    second = json.dumps(last)
    with tab.page.expect_response(
        lambda answer: bool(ASKED.search(answer.url)) and second in (answer.request.post_data or "")
    ):
        held.release()  # the first, and the second if it has been asked for by now
    tab.page.wait_for_timeout(1000)  # the content then remains
    tab.settled()
    assert (tab.tokens(), box(tab).input_value()) == (list(last), last)
    assert (tab.link()["layer"], tab.link()["head"]) == ("0", "2")


def test_a_mean_and_a_difference_are_shown_once_python_has_computed_them(tab):
    tab.open(model="tiny-generator", text="The cat sat", layer=1, head=2)
    canvas = tab.page.locator(".former-head-map canvas").first
    picture = "canvas => canvas.toDataURL()"
    head = canvas.evaluate(picture)
    mean = Held(tab.page, re.compile("/mean$"))
    tab.page.evaluate("former.store.set({ of: 'mean', token: 3 })")
    mean.wait()
    tab.painted()
    late = re.compile(r"\blate\b")
    expect(canvas).to_have_class(late)
    for name in ("token-strip", "statistics"):
        expect(tab.part(name)).to_have_class(late)
    expect(tab.page.locator(".former-head-map .readout")).to_contain_text("…")
    assert canvas.evaluate(picture) == head
    mean.release()
    tab.settled()
    expect(canvas).not_to_have_class(late)
    for name in ("token-strip", "statistics"):
        expect(tab.part(name)).not_to_have_class(late)
    assert canvas.evaluate(picture) != head

    tab.page.get_by_role("button", name="Pin to compare").click()
    difference = Held(tab.page, re.compile("/ask/beside/vs$"))
    box(tab).fill("The old cat sat")
    change = tab.part("beside").locator("[data-part=change]")
    difference.wait()
    expect(tab.part("beside").locator("[data-part=after]")).to_contain_text("The old cat sat")
    expect(change).to_be_hidden()
    difference.release()
    expect(change).to_be_visible()
    expect(tab.part("beside").locator(".finding").first).to_contain_text("changed the most")
