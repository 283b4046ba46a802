"""Whatever a visitor types is shown as text, and gets an answer or a clear message."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.pages import Exploring, Writing
from tests.browser.permute.pages import Permuting

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring

MARKUP = (
    "<img src=x onerror=window.hacked=1>",  # an image that runs
    "</script><script>window.hacked=1</script>",
    "${window.hacked=1} `${hacked=1}` {{value}}",
    "</style></textarea><svg onload=window.hacked=1>",
)
STRANGE = (
    "a 👩‍👩‍👧 b 🇫🇷",
    "abc \u202eשלום مرحبا\u202c def",  # right to left
    "a\x01b\x07c\x1b[31md\u200be",  # control characters
    "a\ufffdb\ufeffc",  # half a surrogate's neighbour
    "Z̸̡̛a̷l̶g̵o",  # combining marks
)


def nothing_ran(page: Page) -> None:
    """Asserts that no script in the text was run and no element was created from it."""
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src=x], svg[onload]").count() == 0


def test_markup_that_is_typed_stays_text(tab):
    text = "".join(MARKUP)
    tab.open(model="generator", text="abc")
    tab.type(text)
    assert tab.tokens() == list(text.replace(" ", "␣"))
    surprise = "".join(tab.page.locator(".former-surprise .token").all_text_contents())
    assert surprise == text.replace(" ", "␣")
    tab.set("View", "Lines")
    tab.token(0).click()
    nothing_ran(tab.page)


# Types two texts, one right after the other; returns which the page asks for after each.
TYPE = """() => ["one", "one two"].map((text) => {
  const box = document.querySelector(".explore-top textarea");
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  return former.store.asked.text;
})"""


def test_a_text_is_asked_for_as_soon_as_it_is_typed_and_once(tab, guard):
    tab.open(model="generator", text="abc")
    before = guard.requests.count("POST /attention")
    assert tab.page.evaluate(TYPE) == ["one", "one two"]
    tab.wait("former.store.pass.header.text === 'one two'")
    tab.painted()  # Gradio has reported both by now
    assert guard.requests.count("POST /attention") == before + 2


@pytest.mark.own_page
def test_markup_in_a_link_stays_text(tab):
    text = "".join(MARKUP)
    layer, model, token, named = MARKUP
    tab.open(model=model, text=text, layer=layer, token=token, tab=named)
    assert "".join(tab.tokens()) == text.replace(" ", "␣")
    expect(tab.page.locator(".former-notices .notice.error").first).to_be_visible()
    nothing_ran(tab.page)


def test_markup_that_is_written_on_from_stays_text(page, guard):
    text = "".join(MARKUP)
    tab = Writing(page, guard.origin).open(text=text, length=3, pace=30)
    tab.press("Start")
    tab.wait("() => former.writing.cursor.depth === 3")
    tab.rested()
    assert "".join(tab.shown()[: len(text)]) == text
    nothing_ran(page)


def test_strange_characters_are_shown_a_label_a_byte(tab):
    text = " ".join(STRANGE)
    tab.open(model="generator", text="abc")
    tab.type(text)
    tokens = tab.tokens()
    assert len(tokens) == len(text.encode())
    assert all(token.strip() for token in tokens), "a label is invisible"
    assert not re.search(r"[\x00-\x1f\x7f\u200b\u202a-\u202e]", "".join(tokens)), "a control character reached the page"
    tab.set("View", "Lines")


def test_a_word_of_two_hundred_letters_is_shortened_where_a_sentence_names_it(tab):
    tab.open(model="classifier", text=f"{'x' * 200} good", layer=0, head=1, token=1, key=0)
    tab.unfold("pair")
    heading = tab.part("pair").locator("b").first
    expect(heading).to_have_text("“good” (1) → “<unk> xxxxxxxxxxxxx…” (0)")


@pytest.mark.parametrize("text", ["", "   \n  "])
def test_an_empty_text_gets_a_message_and_what_was_there_stays(tab, text):
    tab.open(text="abc")
    tab.page.get_by_role("textbox", name="Text", exact=True).fill(text)
    expect(tab.page.locator(".former-notices .notice.error")).to_contain_text("type a few words")
    assert tab.tokens() == ["a", "b", "c"]
    tab.type("abcd")
    expect(tab.page.locator(".former-notices .notice")).to_have_count(0)


@pytest.mark.own_page
def test_ten_thousand_characters_get_a_message_that_says_the_limit(tab):
    tab.open(text="abc")
    tab.page.get_by_role("textbox", name="Text", exact=True).fill("word " * 2000)
    notice = tab.page.locator(".former-notices .notice.error")
    expect(notice).to_contain_text("10,000")
    expect(notice).to_contain_text("4,000")
    assert tab.tokens() == ["a", "b", "c"]


@pytest.mark.own_page
def test_a_prompt_of_ten_thousand_characters_gets_a_message_that_says_the_limit(page, guard):
    guard.allow("422")  # the browser reports the refusal on the console
    tab = Writing(page, guard.origin).open(text="abc")
    tab.page.get_by_label("Prompt", exact=True).fill("word " * 2000)
    status = tab.page.locator(".former-writing-controls .status")
    expect(status).to_contain_text("10,000")
    expect(status).to_contain_text("4,000")


@pytest.mark.own_page
def test_words_of_more_characters_than_can_be_sent_get_a_message_that_says_the_limit(page, guard):
    guard.allow("422")
    tab = Permuting(page, guard.origin).open(text="good film")
    page.get_by_role("textbox", name="Text", exact=True).fill("word " * 3000)
    expect(tab.part("permute-controls").locator(".message")).to_contain_text("15,000 characters; the limit is 4,000")
    assert tab.words() == ["good", "film"]


@pytest.mark.own_page
def test_an_empty_prompt_gets_a_message(page, guard):
    guard.allow("422")
    tab = Writing(page, guard.origin).open(text="abc")
    tab.page.get_by_label("Prompt", exact=True).fill("")
    expect(tab.page.locator(".former-writing-controls .status")).to_contain_text("type at least one character")


@pytest.mark.own_page
def test_a_server_that_is_gone_is_said_so_and_the_last_answer_stays(tab, guard, context):
    guard.allow("ERR_INTERNET_DISCONNECTED")
    tab.open(text="abc", layer=1)
    context.set_offline(True)
    tab.cell(2, 1).click()
    tab.painted()
    expect(tab.page.locator(".former-head-map").get_by_role("heading")).to_have_text("Layer 2, head 1")
    assert tab.tokens() == ["a", "b", "c"]
    reading = tab.point(0.25, 0.8)
    assert "weight" in reading, "the packed weights are still here"
    context.set_offline(False)


@pytest.mark.own_page
@pytest.mark.parametrize("what", ["the pass", "the chosen head"])
def test_what_the_server_no_longer_holds_is_made_again_and_shown(tab, guard, what):
    guard.allow("404")
    left = ["once"]

    def held(route: Route) -> None:
        of_a_head = urlsplit(route.request.url).path.count("/") > 2
        if left and of_a_head == (what == "the chosen head"):
            left.pop()
            return route.fulfill(status=404)
        return route.continue_()

    tab.page.route("**/attention/**", held)
    tab.open(text="Held no longer")
    assert not left
    assert "".join(tab.tokens()) == "Held␣no␣longer"
    assert tab.page.locator(".former-head-map[data-shown$=' exact']").count() == 1
