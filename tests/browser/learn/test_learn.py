"""The frame of tab Learn: one section at a time, opened by a click, key, link, slide or room; progress is saved."""

import csv
import io
import json
import re
from inspect import getsource

import pytest
from playwright.sync_api import Route, expect

from tests.browser.held import Held
from tests.browser.learn.pages import SHOWN, Learning
from tests.browser.pages import Exploring, presented, presents
from viz.tabs.learn.sections import GROUPS
from viz.text import message

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning
STAR = "8:" + ",".join(f"0-{i}" for i in range(1, 8))  # solves the puzzle of its section
DONE = re.compile(r"\bdone\b")
NAMES = [section.name for section in SHOWN]


def title(name: str) -> str:
    return message(f"learn_{name.replace('-', '_')}_title")


@pytest.mark.own_page
def test_a_page_without_a_link_opens_the_first_section_and_no_script_but_its_own(tab, guard):
    tab.open()
    assert tab.name() == NAMES[0]
    assert tab.link() == {"section": NAMES[0]}
    expect(tab.page.get_by_role("tab", name="Learn")).to_have_attribute("aria-selected", "true")
    assert not [asked for asked in guard.requests if " /learn/" in asked]
    scripts = [asked for asked in guard.requests if "/learn/sections/" in asked]
    assert [script.rpartition("/")[2] for script in scripts] == [f"{NAMES[0].replace('-', '_')}.js"]
    assert not [asked for asked in guard.requests if "plotly" in asked]


@pytest.mark.parametrize("name", NAMES)
def test_every_section_has_its_words_tries_that_are_put_back_and_a_question_with_one_answer(tab, name):
    tab.open(name)
    reads(tab, name)
    tries_change_the_view_and_are_put_back(tab)
    chip = tab.page.locator(f".former-learn .chips [data-section={name}]")
    expect(chip).not_to_have_class(DONE)
    every_choice_is_judged_by_the_same_answer(tab)
    expect(chip).to_have_class(DONE)


def test_a_section_shows_the_code_that_the_server_has_of_it(tab):  # a test of the server has that of every section
    tab.open(NAMES[0])
    tab.section.locator("details.code > summary").click()
    expect(tab.section.locator(".code pre").first).to_contain_text("def ")
    texts = tab.section.locator(".code pre").all_text_contents()
    for function, text in zip(SHOWN[0].code, texts, strict=True):
        assert "".join(text.split()) == "".join(getsource(function).split())


@pytest.mark.own_page
def test_progress_is_kept_over_a_reload_and_cleared_after_a_question(tab):
    tab.open("graphs", graph=STAR)
    progress = tab.page.locator(".former-learn nav summary")
    for count, name in enumerate(("self-attention", "key-value"), 1):
        tab.open(name)
        tab.choose(tab.choices()[0])
        expect(progress).to_contain_text(f" {count} of {len(NAMES)} answered")
    tab.page.reload()
    tab.settled()
    expect(progress).to_contain_text(f" 2 of {len(NAMES)} answered")
    for name in ("self-attention", "key-value"):
        expect(tab.page.locator(f".former-learn .chips [data-section={name}]")).to_have_class("done")
    clears_progress(tab, "✓ 2 questions answered, ◆ 1 puzzle solved: kept in this browser only.")
    tab.page.reload()
    tab.settled()
    expect(progress).to_contain_text(f" 0 of {len(NAMES)} answered")
    expect(tab.page.locator(".former-learn nav :is(.done, .solved)")).to_have_count(0)


def clears_progress(tab: Learning, kept: str) -> None:
    summary, sheet = tab.page.locator(".former-learn nav summary"), tab.page.locator(".former-learn nav .sheet")
    summary.click()
    expect(sheet.locator("footer span")).to_have_text(kept)
    sheet.get_by_role("button", name="Clear", exact=True).click()
    expect(sheet.locator("footer span")).to_have_text(kept)
    sheet.get_by_role("button", name="Clear all progress?").click()
    expect(sheet.locator("footer span")).to_contain_text("0 questions answered, ◆ 0 puzzles solved")
    expect(summary).to_contain_text(f" 0 of {len(NAMES)} answered")
    summary.click()


# Storage that is full, as in some browsers' private windows: it can be read, and takes nothing.
FULL = """Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };"""


@pytest.mark.own_browser
def test_where_the_browser_stores_nothing_progress_lasts_as_long_as_the_page(tab):
    tab.page.context.add_init_script(FULL)
    tab.open("key-value")
    tab.choose(tab.choices()[0])
    expect(tab.page.locator(".former-learn nav summary")).to_contain_text(f" 1 of {len(NAMES)} answered")
    clears_progress(tab, "✓ 1 question answered, ◆ 0 puzzles solved: kept in this browser only.")


def reads(tab: Learning, name: str) -> None:
    section = tab.section
    expect(section.locator("h2").first).to_have_text(title(name))
    expect(section.locator(".equation .katex-mathml").filter(visible=True).first).to_be_attached()
    idea, text = message(f"learn_{name.replace('-', '_')}_text").split("\n\n", 1)
    expect(section.locator(".idea")).to_have_text(idea)
    assert len(idea.split()) <= 40
    assert 60 <= len(text.split()) <= 120
    assert section.locator(".open-in a").count() >= 1
    article = tab.lesson.get_by_role("link")
    expect(article).to_have_attribute("href", re.compile("^https://peterbloem.nl/blog/transformers#:~:text="))


def tries_change_the_view_and_are_put_back(tab: Learning) -> None:
    before, buttons = tab.view(), tab.section.locator("[data-try]:not([data-try=reset])").all()
    assert 1 <= len(buttons) <= 3
    for button in buttons:
        button.click()
        tab.settled()
        assert tab.view() != before
        expect(button).to_have_attribute("aria-pressed", "true")
        tab.attempt("reset")
        expect(button).to_have_attribute("aria-pressed", "false")
        assert tab.view() == before


def every_choice_is_judged_by_the_same_answer(tab: Learning) -> None:
    values = [tab.choose(words) for words in tab.choices()]
    assert len(values) >= 2
    assert sum(each.startswith("Yes.") for each in values) == 1
    right = next(each for each in values if each.startswith("Yes.")).removeprefix("Yes. ")
    assert all(each.endswith(right) for each in values)


@pytest.mark.own_page
def test_sections_follow_each_other_by_buttons_and_keys_and_each_is_loaded_once(tab, guard):
    tab.open()
    for name in NAMES[1:]:
        tab.page.keyboard.press("n")
        tab.settled()
        assert tab.name() == name
        assert tab.link()["section"] == name
    expect(tab.page.get_by_role("button", name="Next section")).to_be_disabled()
    for name in NAMES[-2:-4:-1]:
        tab.page.get_by_role("button", name="Previous section").click()
        tab.settled()
        assert tab.name() == name
        assert tab.link()["section"] == name
    scripts = [asked for asked in guard.requests if asked.startswith("GET /learn/")]
    assert len(scripts) == len(set(scripts)) == len(NAMES) - 1  # the first section's is in the page itself


@pytest.mark.own_page
def test_sections_that_are_opened_faster_than_their_scripts_come_are_all_drawn(tab, guard):
    names = NAMES[1:]
    tab.open()
    scripts = Held(tab.page, "**/learn/sections/*/*.js")
    tab.page.evaluate("(names) => names.forEach((name) => former.learn.show(name))", names)
    scripts.wait(len(names))
    scripts.routes.reverse()  # the last one asked for comes first
    scripts.release()
    tab.wait("(names) => names.every((name) => former.learn.find(name).node?.dataset.drawn)", names)
    tab.settled()
    assert tab.name() == tab.link()["section"] == names[-1]
    assert not guard.unexpected()


def test_typing_an_n_in_a_field_opens_nothing(tab):
    tab.open()
    tab.section.get_by_role("textbox").first.press("n")
    assert tab.name() == NAMES[0]


def test_the_list_names_every_section_and_opens_it(tab):
    tab.open()
    tab.page.locator(".former-learn nav summary").click()
    names = tab.page.locator(".former-learn .titles button")
    assert names.all_inner_texts() == [title(name) for name in NAMES]
    names.last.click()
    tab.settled()
    assert tab.name() == NAMES[-1]


def test_the_groups_stand_in_sight_each_opens_at_its_first_section_and_shows_its_titles(tab):
    tab.open()
    for group, names in GROUPS.items():
        tab.page.get_by_role("button", name=message(f"learn_group_{group}"), exact=True).click()
        tab.settled()
        assert tab.name() == names[0].replace("_", "-")
        titles = tab.page.locator(".former-learn .chips li:visible span")
        assert titles.all_inner_texts() == [title(name) for name in names if name.replace("_", "-") in NAMES]


def test_a_try_starts_from_the_opening_state_and_is_marked_until_it_is_changed(tab):
    tab.open("going-big")
    tab.attempt("half")
    alone = tab.view()
    tab.attempt("long")
    tab.attempt("half")
    assert tab.view() == alone
    pressed = tab.section.locator("[data-try][aria-pressed=true]")
    expect(pressed).to_have_attribute("data-try", "half")
    tab.section.get_by_role("radio", name="32").check()
    expect(pressed).to_have_count(0)


@pytest.mark.own_page
def test_arrow_keys_go_through_the_answers_to_a_question_and_the_space_bar_chooses(tab):
    tab.open("key-value")
    tab.ask()
    choices = tab.section.locator(".check").get_by_role("radio")
    choices.first.focus()
    for _ in range(2):
        tab.page.keyboard.press("ArrowDown")
    expect(choices.nth(2)).to_be_focused()
    assert not tab.section.locator(".check :checked").count(), "passing by an answer is no answer"
    tab.page.keyboard.press("ArrowUp")
    tab.page.keyboard.press("Space")
    expect(choices.nth(1)).to_be_checked()
    expect(tab.section.locator(".check .said")).to_have_class(re.compile("right|wrong"))


@pytest.mark.own_page
@pytest.mark.parametrize(("name", "view"), [("films", "learn"), ("positions", "score"), ("transformer-xl", "reach")])
def test_opening_a_question_brings_what_it_asks_about(tab, name, view):
    tab.open(name)
    assert tab.view()["show"] != view
    tab.ask()
    tab.wait("(view) => former.learn.find(former.learn.open).live.view.show === view", view)


@pytest.mark.parametrize(("name", "field"), [("scaling", "measure"), ("recurrent", "show")])
def test_the_sentence_follows_what_is_shown(tab, name, field):
    tab.open(name)
    choices = tab.page.evaluate("(field) => former.learn.find(former.learn.open).live.fields[field].choices", field)
    said = set()
    for value in choices:
        tab.page.evaluate("(change) => former.learn.find(former.learn.open).live.set(change)", {field: value})
        tab.settled()
        said.add(tab.sentence())
    assert len(said) == len(choices)


def test_a_link_of_a_section_that_is_not_there_is_named_and_the_first_is_shown(tab):
    tab.open("nowhere")
    assert tab.name() == NAMES[0]
    expect(tab.page.locator(".former-learn > .note")).to_contain_text("nowhere")


def test_a_copied_link_opens_the_section_as_it_is(tab, other):
    tab.open("in-pytorch", tab="learn")
    tab.attempt("swap")
    other_page = other()
    other_page.page.goto(tab.address())
    other_page.settled()
    assert other_page.name() == "in-pytorch"
    assert other_page.view() == tab.view()


@pytest.mark.own_page
def test_presenting_after_the_last_section_comes_explore_and_back_the_sections(tab):
    tab.open(NAMES[-1])  # the geometry test goes from the first to this one
    tab.page.keyboard.press("p")
    presents(tab.page, f"learn-{NAMES[-1]}")
    tab.page.keyboard.press("PageDown")
    presents(tab.page, "overview")
    tab.page.keyboard.press("PageUp")
    presents(tab.page, f"learn-{NAMES[-1]}")
    tab.page.keyboard.press("PageUp")
    presents(tab.page, f"learn-{NAMES[-2]}")
    assert tab.link()["section"] == NAMES[-2]


@pytest.mark.own_page
def test_a_room_follows_to_a_section_and_to_what_is_tried_there_and_so_does_who_presents(tab, other):
    tab.open(room="learn", lead=1)
    follower, presenting = other(), other()
    follower.open(room="learn")
    presenting.open(room="learn", present=1)  # the key P would count as a touch and end following
    presents(presenting.page, f"learn-{NAMES[0]}")
    tab.page.locator(".former-learn .chips [data-section=in-pytorch]").click()  # of the group that is open
    tab.settled()
    tab.attempt("swap")
    for each in (follower, presenting):
        each.wait("(text) => former.learn.find('in-pytorch')?.live?.view.text === text", tab.view()["text"])
    presents(presenting.page, "learn-in-pytorch")
    assert presented(follower.page) is None


@pytest.mark.own_page
def test_the_leader_of_a_room_sees_how_many_chose_what_and_who_answers_goes_on_following(tab, browser):
    tab.open("key-value", room="votes", lead=1)
    words = tab.choices()
    counts = tab.section.locator(".check .votes")
    expect(counts).to_have_text(["0", "0", "0"])
    visitors = [browser.new_context() for _ in range(2)]
    for visitor, choice in zip(visitors, (2, 0), strict=True):
        student = Learning(visitor.new_page(), tab.origin)
        student.goto(room="votes")
        student.wait("() => window.former?.learn?.open === 'key-value'")
        student.settled()
        student.choose(words[choice])
        student.choose(words[1])  # the first answer counts
        expect(student.page.locator(".room-bar")).to_contain_text("You follow")
        expect(student.section.locator(".check .votes:visible")).to_have_count(0)
    expect(counts).to_have_text(["1", "0", "1"])
    expect(tab.section.locator(".all-votes")).to_have_text("2 answers in this room so far; only you see them.")
    takes_home(tab, title("key-value"), words)
    tab.page.keyboard.press("p")
    expect(tab.page.locator(".check:visible")).to_have_count(0)
    tab.page.get_by_role("button", name="Check yourself: 2 answers").click()
    expect(tab.page.locator(".check:visible summary b")).to_have_text("Check yourself")
    expect(tab.page.locator(".check:visible .votes:visible")).to_have_text(["1", "0", "1"])
    tab.page.keyboard.press("Escape")
    tab.page.locator(".former-learn [data-group=building]").click()
    tab.settled()
    expect(tab.section.locator(".check .votes")).to_have_text(["0", "0", "0"])
    for visitor in visitors:
        visitor.close()


@pytest.mark.own_page
def test_the_record_has_the_words_of_a_question_that_the_leader_s_page_has_not_shown(tab, browser):
    tab.open("key-value", room="unseen", lead=1)
    visitor = browser.new_context()
    student = Learning(visitor.new_page(), tab.origin)
    student.goto(room="unseen")
    student.wait("() => window.former?.learn?.open === 'key-value'")
    student.page.evaluate("() => former.learn.show('scaling')")
    student.settled()
    words = student.choices()
    student.choose(words[1])
    tab.page.get_by_role("button", name="1 follower · 1 answer").click()
    record = tab.page.locator(".room-record [data-question=scaling]")
    expect(record.locator("p")).to_have_text(message("learn_scaling_question"))
    expect(record.locator("li span:first-child")).to_have_text(words)
    expect(record.locator(".votes")).to_have_text(["0", "1", "0"])
    assert tab.page.evaluate("() => former.learn.open") == "key-value"
    expect(tab.page.locator("article[data-section=scaling]")).to_be_hidden()
    visitor.close()


def takes_home(tab: Learning, title: str, words: list[str]) -> None:
    """The record has the first answers of both members, to read and as a file that no spreadsheet runs."""
    tab.page.get_by_role("button", name="2 followers · 2 answers").click()
    record = tab.page.locator(".room-record")
    expect(record.get_by_role("status")).to_have_text("2 answers by 2 members of the room. Only first answers count.")
    expect(record.locator("[data-question] > button")).to_have_text(title)
    expect(record.locator("li span:first-child")).to_have_text(words)
    expect(record.locator(".votes")).to_have_text(["1", "0", "1"])
    expect(record.locator("footer")).to_contain_text("The record ends with the room")
    with tab.page.expect_download() as download:
        record.get_by_role("button", name="Download CSV").click()
    assert download.value.suggested_filename == "votes.csv"
    rows = list(csv.reader(io.StringIO(download.value.path().read_text(encoding="utf-8-sig"))))
    assert rows[0] == ["Member", "Section", "Question", "Answer", "Right"]
    question = message("learn_key_value_question")
    assert rows[1:] == [["1", title, question, words[2], "yes"], ["2", title, question, words[0], "no"]]
    for cell in ("=1+1", "+1", "-1", "@x", "\t=1", 'a "b", c', "−1"):
        [[read]] = csv.reader(io.StringIO(tab.page.evaluate("(cell) => former.csvCell(cell)", cell)))
        assert read == (f"'{cell}" if cell[0] in "=+-@\t" else cell)
    tab.page.keyboard.press("Escape")
    expect(record).to_be_hidden()


def test_the_same_text_is_a_click_away_in_explore(tab):
    tab.open("in-pytorch", text="not a bad film")
    tab.section.get_by_role("link", name="Explore").click()
    explore = Exploring(tab.page, tab.origin)
    explore.wait("() => former.store?.pass?.header.text === 'not a bad film'")  # not the example that it opens with
    explore.settled()
    assert explore.tokens() == ["not", "a", "bad", "film"]
    assert "section" not in tab.link()


@pytest.mark.own_page
def test_a_section_whose_script_does_not_come_says_so_and_is_asked_for_again(tab, guard):
    guard.allow("Failed to load resource")
    tab.page.route("**/sections/**", lambda route: route.abort())
    tab.goto()
    expect(tab.section.locator(".loading")).to_contain_text("did not answer")
    tab.page.unroute("**/sections/**")
    tab.section.get_by_role("button", name="Try again").click()
    tab.settled()
    expect(tab.section.locator(".plane .grip").first).to_be_visible()


@pytest.mark.own_page
def test_an_equation_that_cannot_be_set_stands_as_it_is_written_and_hides_no_other(tab):
    good, bad = SHOWN[0].equation.split(r" \qquad ")[1], "\\frac{1}{"
    written, broken = (json.dumps(equation)[1:-1] for equation in (good, bad))

    def breaks(route: Route) -> None:
        answer = route.fetch()
        assert written in answer.text(), "else this tests nothing"
        route.fulfill(response=answer, body=answer.text().replace(written, broken))

    tab.page.route(re.compile(r"/\?"), breaks)
    tab.open(SHOWN[0].name)
    expect(tab.section.locator(".equation").first).to_have_text(f"$${bad}$$")
    tab.open(SHOWN[1].name)
    expect(tab.section.locator(".equation .katex-mathml").filter(visible=True).first).to_be_attached()


# Finds tables without rows, charts without a drawing and headings, visible in the open section before its answer.
EMPTY = """() => {
  const seen = (one) => one.checkVisibility({ visibilityProperty: true });
  const picture = document.querySelector(".section:not([hidden]) .picture");
  const empty = [...picture.querySelectorAll("table, .chart")].filter((one) => !one.querySelector("td, th, svg"));
  const isBare = (one) => one.nextElementSibling?.matches(":empty, .chart-place:has(> .chart:empty)");
  const alone = [...picture.querySelectorAll("h3")].filter(isBare);
  return [...empty, ...alone].filter(seen).map((one) => one.outerHTML.slice(0, 80));
}"""


@pytest.mark.own_page
def test_a_section_without_its_answer_says_that_it_is_loading_and_shows_no_empty_heading(tab):
    tab.page.route("**/ask/learn-*/**", lambda _: None)
    tab.goto(tab="learn")
    tab.wait("window.former?.learn?.open")
    for section in SHOWN:
        tab.page.evaluate("name => former.learn.show(name)", section.name)
        tab.wait("name => former.learn.find(name).node?.dataset.drawn", section.name)
        tab.painted()
        assert tab.page.evaluate(EMPTY) == [], section.name
    for name in ("block", "since", "which-head"):
        tab.page.evaluate("name => former.learn.show(name)", name)
        expect(tab.section.locator(".loading")).to_have_text("Loading this section …")


def test_on_a_phone_the_picture_comes_first_and_nothing_is_wider_than_the_screen(tab):
    tab.page.set_viewport_size({"width": 390, "height": 844})
    tab.open()
    for name in NAMES:
        assert tab.name() == name
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
        box = tab.section.locator(".panel").first.bounding_box()
        assert box
        assert box["y"] < 300
        if name != NAMES[-1]:
            tab.page.get_by_role("button", name="Next section").click()
            tab.settled()
