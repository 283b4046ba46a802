"""A server that is slow, busy or gone: the page says so in a sentence, and retries what it can."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.held import Held
from tests.browser.learn.pages import SHOWN, Learning
from tests.browser.pages import Exploring
from viz.text import message

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring
PASS = re.compile(r"/attention/\w+$")
OFFLINE = message("offline")
EARLY = message("python_early")
# Presses each button that can be seen and pressed in a place, chooses each choice, and closes what opens.
PRESS_ALL = """(place) => {
  for (const one of place.querySelectorAll("button, input[type=radio]")) {
    if (one.checkVisibility() && !one.disabled) one.click();
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  }
}"""


def refuse(route: Route) -> None:
    """Answers as a busy server does."""
    route.fulfill(status=503, json={"error": {"key": "busy_measuring", "values": {}}})


def hold(_: Route) -> None:
    """Never answers, like an overloaded server."""


def posts(page: Page, path: str, answer) -> None:
    """Handles POSTs to a path with the given handler; other methods reach the server."""
    page.route(path, lambda route: answer(route) if route.request.method == "POST" else route.continue_())


def test_a_pinned_pass_behind_a_busy_server_says_so_and_comes_by_itself(tab, guard):
    guard.allow("503")
    tab.open(model="tiny-generator", text="abc")
    tab.page.evaluate("former.PAUSE.first = former.PAUSE.most = 100")  # ms, instead of up to 20 s
    answers = []

    def refuse_for_long(route: Route) -> None:
        answers.append(1)
        refuse(route) if len(answers) <= 8 else route.continue_()  # it is asked 4 times before it says something

    tab.page.route(PASS, refuse_for_long)
    tab.page.evaluate("former.beside.read(new URLSearchParams({pin: 'tiny-generator', pin_text: 'another'}))")
    tab.wait("() => former.beside.refused")
    assert tab.page.evaluate("former.beside.refused") == message("busy_measuring")
    tab.wait("() => former.beside.pass && !former.beside.refused")


def test_what_answers_in_lines_says_that_the_server_is_gone(tab, guard):
    guard.allow("ERR_FAILED|Failed to load")
    tab.open(model="tiny-generator", text="abc")
    tab.page.route("**/ask/interventions/removed", lambda route: route.abort())
    tab.page.get_by_role("button", name=message("effects_measure"), exact=False).click()
    expect(tab.part("interventions")).to_contain_text(OFFLINE)


def test_a_training_that_cannot_be_asked_for_says_that_the_server_is_gone(page, guard):
    guard.allow("ERR_FAILED|Failed to load")
    tab = Learning(page, guard.origin).open("train-now")
    page.route("**/learn/train-now/*", lambda route: route.abort())
    tab.section.get_by_role("button", name="Train", exact=True).click()
    expect(page.locator(".former-learn .note")).to_have_text(OFFLINE)


def test_an_answer_that_is_cut_off_or_is_another_s_page_is_one_that_did_not_come(tab, guard):
    guard.allow("ERR_|Failed to load")
    tab.open(text="abc")
    page = "<!doctype html><title>Please log in</title>"
    tab.page.route("**/ask/lens/depths", lambda route: route.fulfill(body=page, content_type="text/html"))
    request = "(path) => former.answerTo(path).catch((error) => former.whyNot(error))"
    assert tab.page.evaluate(request, "/ask/lens/depths") == OFFLINE


def test_an_error_of_a_script_is_for_the_console_and_a_visitor_reads_a_sentence(tab, guard):
    guard.allow("no such thing")
    tab.open(text="abc")
    result = tab.page.evaluate("former.whyNot(new TypeError('no such thing'))")
    assert result == message("not_possible")
    tab.page.wait_for_function("() => true")
    assert [error for error in guard.errors if "no such thing" in error], "it is not in the console"


def test_a_listener_that_fails_keeps_nothing_from_the_others(tab, guard):
    guard.allow("the first fails")
    tab.open(text="abc")
    heard = tab.page.evaluate(
        """() => {
          const { subscribe, publish } = former.listeners(["change"]);
          const heard = [];
          let calls = 0;
          subscribe(document.body, () => { if (calls++) throw new Error("the first fails"); });
          subscribe(document.body, () => heard.push("second"));
          publish("change");
          return heard;
        }"""
    )
    assert heard == ["second", "second"], "once at first, once of the change"


def test_a_room_s_name_is_asked_for_where_one_can_see_it_and_nowhere_else(tab, guard):
    tab.open(text="abc")
    lead = tab.page.locator(".class-menu form button[type=submit]")
    lead.evaluate("(button) => button.click()")  # in the closed menu
    assert tab.page.evaluate("former.room.state") is None
    tab.page.get_by_text("In class", exact=True).click()
    lead.click()
    assert tab.page.evaluate("document.activeElement.matches('.class-menu form input')"), "it does not say what lacks"
    assert not guard.unexpected()


def test_fill_in_the_blanks_says_which_words_the_model_does_not_know(tab):
    tab.open(model="bert", text="The ☃ likes [☃☃] and hats.")
    panel = tab.part("blanks")
    expect(panel).to_contain_text(message("blanks_foreign", words="“☃” and “☃☃”", count=2))
    expect(panel.locator(".token .pieces").nth(1)).to_have_text("[UNK]")
    tab.open(model="bert", text="The film likes hats.")
    expect(panel).not_to_contain_text("[UNK]")


# --- Learn --------------------------------------------------


def test_no_question_of_a_section_is_judged_without_the_server_where_it_needs_it(page, guard):
    guard.allow("ERR_FAILED|Failed to load")
    tab = Learning(page, guard.origin).open("self-attention")
    posts(page, "**/ask/learn-*/*", lambda route: route.abort())
    refused = []
    for section in SHOWN:
        tab.visit(section=section.name)
        tab.wait("(name) => former.learn.find(name).node?.dataset.drawn", section.name)
        tab.ask()
        tab.section.locator(".check input").first.check()
        element = tab.section.locator(".check .said")
        expect(element).not_to_have_text(re.compile(f"^({re.escape(message('learn_check_wait'))})?$"))
        judged = "right" in (element.get_attribute("class") or "") or "wrong" in (element.get_attribute("class") or "")
        assert judged or element.inner_text() == OFFLINE, section.name
        refused += [] if judged else [section.name]
    assert len(refused) >= 11
    assert not page.evaluate("(names) => names.filter((name) => former.learn.is('answered', name))", refused)


@pytest.mark.own_page
def test_a_vote_counts_once_the_page_can_say_what_is_right(page, guard):
    tab = Learning(page, guard.origin).open("self-attention")
    values = Held(page, "**/ask/learn-scaling/*", method="POST")
    tab.visit(section="scaling")
    tab.wait("() => former.learn.find('scaling').node?.dataset.drawn")
    page.evaluate("void (former.room.vote = (...vote) => (window.votes ??= []).push(vote))")
    tab.ask()
    tab.section.locator(".check input").first.check()
    page.wait_for_timeout(300)
    assert page.evaluate("window.votes ?? []") == []
    values.release()
    said = tab.section.locator(".check .said:is(.right, .wrong)")
    expect(said).to_be_visible()
    assert page.evaluate("window.votes") == [["scaling", 0, "right" in (said.get_attribute("class") or "").split()]]


@pytest.mark.own_page
def test_what_is_pressed_before_a_section_s_script_is_here_says_that_it_is_early(page, guard):
    tab = Learning(page, guard.origin).open("self-attention")
    page.route("**/learn/films.json", hold)
    tab.visit(section="films")
    tab.section.locator("details.code > summary").click()
    tab.section.get_by_role("button", name="Show my numbers").click()
    expect(tab.section.locator(".tensors")).to_have_text(EARLY)
    tab.section.locator(".panel-python").click()
    expect(page.get_by_role("dialog")).to_have_text(re.compile(re.escape(EARLY)))
    assert not [asked for asked in guard.requests if "/films/values" in asked or "/python/" in asked]


def test_every_button_of_a_section_may_be_pressed_while_nothing_is_answered(page, guard):
    tab = Learning(page, guard.origin).open("self-attention")
    posts(page, "**/ask/learn-*/*", hold)
    for section in SHOWN:
        tab.visit(section=section.name)
        tab.wait("(name) => former.learn.find(name).node?.dataset.drawn", section.name)
        tab.section.evaluate(PRESS_ALL)
        tab.painted()
        assert not guard.unexpected(), section.name


@pytest.mark.own_page
@pytest.mark.parametrize("model", ["bert", "classifier"])
def test_every_button_of_explore_may_be_pressed_before_there_is_a_pass(tab, model):
    tab.page.route("**/attention/*", hold)
    tab.goto(tab="explore", model=model, text="a film")
    tabpanel = tab.page.get_by_role("tabpanel").filter(has=tab.page.locator(".former-lesson[data-tab=explore]"))
    tabpanel.locator(".panel").nth(12).wait_for(state="attached")
    tabpanel.evaluate(PRESS_ALL)
    tab.painted()


# --- Copy as Python --------------------------------------------------


@pytest.mark.own_page
@pytest.mark.parametrize(
    ("view", "panel", "path"),
    [
        ("tab=explore", "head-map", "**/attention/*"),
        ("tab=generate", "next-token", "**/write"),
        ("tab=mask&text=abc", "mask-reach", "**/ask/mask-*/*"),  # the tab's own view comes with the page
        ("tab=permute", "verdicts", "**/ask/**"),
    ],
)
def test_the_python_of_a_panel_that_shows_nothing_yet_is_not_asked_for(page, guard, view, panel, path):
    page.route(path, hold)
    page.goto(f"{guard.origin}/?{view}")
    button = page.locator(f"[data-panel={panel}] .panel-python")
    button.wait_for(state="attached")
    button.evaluate("(button) => button.click()")
    expect(page.locator("dialog[open]")).to_have_text(re.compile(re.escape(EARLY)))
    assert not [asked for asked in guard.requests if "/python/" in asked]


def test_the_lines_of_a_panel_are_waited_for_in_the_dialog_and_never_open_it_later(tab):
    tab.open(text="abc")
    values = Held(tab.page, "**/python/head-map", method="POST")
    tab.page.locator("[data-panel=head-map] .panel-python").click()
    dialog = tab.page.locator("[data-panel=head-map] dialog")
    expect(dialog).to_contain_text(message("python_writing"))
    dialog.get_by_role("button", name="Close").click()
    with tab.page.expect_response("**/python/head-map"):
        values.release()
    tab.painted()
    expect(dialog).to_be_hidden()


@pytest.mark.parametrize(
    ("panel", "view", "why"),
    [
        ("writes", {"model": "dates", "text": "4 July 1976", "map": 1}, "writes_encoder"),
        ("lens", {"model": "bert", "text": "The cat sat"}, "no_blanks"),
    ],
)
def test_the_python_of_a_panel_that_has_nothing_to_show_is_a_sentence_and_no_error(tab, panel, view, why):
    tab.open(**view)
    tab.unfold(panel).locator(".panel-python").click()
    expect(tab.page.get_by_role("dialog")).to_contain_text(message(why))
