"""The page in Chinese: chosen by the link, by the visitor or by the browser; the view stays, and nothing is English."""

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from former.checkpoints import available
from tests.browser.pages import Exploring
from tests.viz.text.test_text import LATIN, SPARED, STAY
from viz.tabs import TABS
from viz.tabs.learn.sections.films import FILMS
from viz.tabs.learn.sections.several_heads import WORDS
from viz.text import LANGUAGES, message
from viz.text.examples import EXAMPLES, PAIRS, REVIEW

pytestmark = pytest.mark.browser
TAB = Exploring

CHINESE = re.compile("[\u4e00-\u9fff]")
VIEW = {"tab": "explore", "model": "tiny-generator", "text": "abc abc", "layer": 1, "head": 1, "scale": "root"}


def language(page: Page) -> str | None:
    """Returns the page's language, once its tabs are named in it."""
    text = page.locator("html").get_attribute("lang")
    for tab in TABS:
        expect(page.get_by_role("tab", name=message(f"tab_{tab.name}", text or ""), exact=True)).to_be_attached()
    return text


def switch(page: Page, name: str) -> Locator:
    return page.locator(".languages").get_by_role("button", name=message("language_name", name), exact=True)


def test_a_link_opens_the_page_in_its_language(tab):
    tab.open(**VIEW, lang="zh")
    assert language(tab.page) == "zh"
    assert CHINESE.search(tab.lesson())
    box = tab.page.get_by_role("textbox", name=message("text", "zh"), exact=True)
    expect(box).to_have_attribute("placeholder", message("text_hint", "zh"))
    expect(tab.page.locator(".page-title p")).to_have_text(message("subtitle", "zh"))
    menu = tab.page.get_by_role("combobox", name=message("model", "zh"), exact=True)
    for option in menu.locator("option").all_inner_texts():
        assert CHINESE.search(option)


def test_a_page_whose_messages_are_late_asks_for_them_again(tab, guard):
    guard.allow("ERR_FAILED|status of 404")
    answers = [
        lambda route: route.abort(),
        lambda route: route.fulfill(status=404, json={"detail": "Not Found"}),
        lambda route: route.fulfill(body="<!doctype html><title>Please log in</title>"),
        lambda route: route.continue_(),
    ]

    def answer(route: Route) -> None:
        answers.pop(0)(route)

    tab.page.route("**/text/en-*.json", answer)
    tab.open(**VIEW)
    assert not answers
    assert language(tab.page) == "en"
    assert tab.tokens() == list("abc␣abc")


def test_the_switch_keeps_the_view_and_stands_in_the_link(tab):
    tab.open(**VIEW)
    tab.token(2).click()
    before = tab.link()
    assert language(tab.page) == "en"
    for name in ("zh", "en"):
        switch(tab.page, name).click()
        expect(tab.page.locator("html")).to_have_attribute("lang", name)
        tab.settled()
        assert language(tab.page) == name
        assert tab.link() == before | {"lang": name}
        expect(switch(tab.page, name)).to_have_attribute("aria-pressed", "true")


def test_what_was_chosen_once_holds_for_the_next_visit_whose_links_do_not_name_it(tab):
    tab.open(**VIEW)
    switch(tab.page, "zh").click()
    expect(tab.page.locator("html")).to_have_attribute("lang", "zh")
    tab.goto(**VIEW)
    tab.settled()
    assert language(tab.page) == "zh"
    assert "lang" not in tab.link()
    tab.goto(**VIEW, lang="en")
    tab.settled()
    assert language(tab.page) == "en"


@pytest.mark.parametrize(("locale", "expected"), [("zh-CN", "zh"), ("zh-TW", "zh"), ("de-DE", "en")])
def test_a_browser_that_prefers_a_language_gets_it(app, browser, guard, locale, expected):
    with browser.new_context(locale=locale) as context:
        guard.watch(context)
        tab = Exploring(context.new_page(), app.origin)
        tab.open(**VIEW)
        assert language(tab.page) == expected
        assert "lang" not in tab.link()
        tab.open(**VIEW, lang="en")
        assert language(tab.page) == "en"


def test_the_switch_keeps_what_no_link_holds(tab):
    """Uses two texts, of which a link has room for only one."""
    texts = {"text": "很" * 3900, "long": "长" * 3900}
    tab.open(**VIEW)
    tab.page.evaluate("view => former.page.follow(new URLSearchParams(view))", {"tab": "mask", **texts})
    tab.wait("(text) => former.masking?.view.text === text", texts["text"])
    assert "left_out" in tab.link()
    switch(tab.page, "zh").click()
    expect(tab.page.locator("html")).to_have_attribute("lang", "zh")
    tab.wait("({ text, long }) => former.masking.view.text === text && former.masking.view.long === long", texts)


def test_the_server_s_refusals_are_in_the_page_s_language(tab, guard):
    guard.allow("422")
    tab.open(text="abc", model="gpt-5", lang="zh")
    error = tab.page.locator(".former-notices .notice.error")
    expect(error).to_have_text(message("unknown_model", "zh", given="gpt-5", used="gpt"))
    result = tab.page.evaluate("former.answerTo('/ask/equivariance/errors', {}).catch((error) => error.message)")
    assert result in LANGUAGES["zh"].values()


def test_a_follower_keeps_their_language(tab, other):
    tab.open(**VIEW, lang="en", room="two-languages", lead="1")
    expect(tab.page.locator(".room-bar")).to_contain_text("two-languages")
    follower = other()
    follower.goto(room="two-languages", lang="zh")
    follower.wait("() => window.former?.room?.state === 'following'")
    tab.cell(0, 1).click()
    follower.wait("() => former.store.view.layer === 0 && former.store.view.head === 1")
    assert language(follower.page) == "zh"
    assert follower.link()["lang"] == "zh"
    tab.page.evaluate("former.room.leave()")


CODE = re.compile(r"[\w-]+(?:[./_][\w-]+)+|<\w+>")  # a function, a file, a tensor in it; a special token
QUOTED = re.compile("“[^”]*”|《[^》]*》")  # a word that a model reads or writes; a film
NAMES = {  # besides those in messages (STAY): of models, people, films and machines; py is a button
    *("py", "English", "SmolLM2", "Qwen2", "TinyLlama", "distilgpt2", "gpt2-medium", "gpt2-large", "XL", "wiki100"),
    *("Ada", "Ben", "Chen", "Dana", "Eli", "Fay", "AMD", "EPYC", "Intel", "family", "model", "cpu"),
    *LATIN.findall(" ".join((*FILMS, *WORDS))),
    *available(),
}
# Text that is not translated: of a model, of code and equations, and the article's headings.
THEIRS = """textarea, input, code, pre, script, style, .katex, .former-lesson a, footer, .paper-address, .written,
  .paper-text, .token, .tokens, .label, .labels, .piece, .typed, .prompt, .review, .chips, .chips-of, .candidates,
  .former-examples button, .pairs button, .strongest .name, .lens-sheet, .nearest, .textpoint, .xtick, .ytick"""
SAID = """(theirs) => {
  const nodes = [...document.querySelectorAll("body *")].filter((node) => !node.closest(theirs));
  const own = (node) => [...node.childNodes].filter((child) => child.nodeType === 3).map((child) => child.textContent);
  const named = (node) => ["aria-label", "title", "placeholder"].map((name) => node.getAttribute(name) ?? "");
  return [...new Set(nodes.flatMap((node) => [...own(node), ...named(node)]))];
}"""
SHOW = """(at) => {
  for (const section of document.querySelectorAll(".former-learn .section"))
    section.querySelectorAll(`[data-field=show] input`)[at]?.click();
}"""
MODELS = [  # with these, every panel of tab Explore
    {"model": "gpt", "text": VIEW["text"]},
    {"model": "bert", "text": "The cat [MASK] on the mat. [SEP] It slept."},
    {"model": "classifier", "text": "not bad"},
    {"model": "dates", "text": "4 July 1976"},
    {"model": "tiny-induction", "text": "qkzxqkzx"},
]


def said(page: Page) -> list[str]:
    """Returns what the tab in front says, once all of it is drawn, its charts too."""
    page.evaluate("former.paper.prepare()")
    return page.evaluate(SAID, THEIRS)


def test_no_word_on_a_chinese_page_is_english_but_for_names(tab):
    read = " ".join(text for texts in (*EXAMPLES.values(), *PAIRS, [REVIEW]) for text in texts)
    known = STAY | NAMES | set(LATIN.findall(read)) | set(LATIN.findall(read.lower()))
    tab.open(**VIEW, lang="zh")
    found = {}
    views = [{"tab": "learn"}, *({"tab": "explore"} | view for view in MODELS)]
    views += [{"tab": one.name} for one in TABS if one.name not in ("learn", "explore")]
    for view in views:
        tab.page.evaluate("(view) => former.page.follow(new URLSearchParams(view))", view)
        shown = "({ tab, model }) => former.page.tab === tab && (!model || former.store.header?.model === model)"
        tab.wait(shown, view)
        tab.painted()
        tab.page.evaluate("former.page.showAll[former.page.tab]?.()")
        for at in range(5 if view["tab"] == "learn" else 1):  # what a section can show
            tab.page.evaluate(SHOW, at)
            for text in said(tab.page):
                words = LATIN.findall(CODE.sub("", QUOTED.sub("", SPARED.sub("", text))))
                if foreign := {word for word in words if len(word) > 1} - known:
                    found[text] = (*view.values(), foreign)
        if view.get("model") == "classifier":  # also where tokens stand, but for passages of the corpus
            assert not {"negative", "positive"} & set(tab.page.evaluate(SAID, "script, style, [data-panel=scan]"))
        assert view["tab"] != "learn" or tab.page.locator(".main-svg").count() > 20  # the charts were waited for
    assert found == {}
