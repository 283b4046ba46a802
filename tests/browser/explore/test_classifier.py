"""Tab Explore with the classifier: its verdict, and the words behind it."""

import re
from functools import partial

import pytest
import torch
from playwright.sync_api import Page, expect

from tests.browser.conftest import Guard
from tests.browser.pages import Exploring, agrees
from tests.browser.reference import Reference, rollout
from tests.ranked import clear_largest

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
MODEL = partial(Reference, "classifier")

TEXT = "this film is not bad at all but the story is a mess"
UNK = 1


@pytest.fixture
def tab(page: Page, guard: Guard) -> Exploring:
    return Exploring(page, guard.origin).open(model="classifier", text=TEXT)


def verdict(tab: Exploring) -> tuple[str, str]:
    """Returns the class on the screen, and its probability."""
    words = tab.page.locator(".former-prediction .verdict")
    return words.locator("b").first.inner_text(), words.locator(".number").inner_text()


def log_odds(model: Reference, ids: list[int], chosen: int) -> float:
    log_probs = model.run(ids).out.log_softmax(-1)
    return float(log_probs[chosen] - torch.log1p(-log_probs[chosen].exp()))


def test_the_verdict_and_its_probability_are_those_of_the_weights(tab, model):
    probs = model.run(model.ids(TEXT)).out.softmax(-1)
    name, share = verdict(tab)
    classes = model.card.get("classes") or ["negative", "positive"]
    assert name == classes[clear_largest(probs, 1e-4)]
    assert agrees(share, float(probs.max()))
    assert tab.tokens() == TEXT.split()


def test_the_verdict_follows_what_is_typed(tab, model):
    values = []
    for text in ("a wonderful film", "a wonderful film ruined by an awful terrible ending"):
        tab.type(text)
        name, share = verdict(tab)
        probs = model.run(model.ids(text)).out.softmax(-1)
        assert agrees(share, float(probs.max()))
        values.append((name, share))
    assert values[0] != values[1]


def test_pointing_at_the_map_reads_the_models_weight_for_every_pair(tab, model):
    tab.cell(1, 2).click()
    tab.settled()
    weights = model.run(model.ids(TEXT)).weights[1][2]
    read = [tab.point(x, y) for x in (0.4, 0.5, 0.6) for y in (0.4, 0.6, 0.8)]
    pairs = {(int(r["query"]), int(r["key"])): float(r["weight"]) for r in read if "weight" in r}
    assert len(pairs) >= 5
    assert any(key > query for query, key in pairs), "nothing is masked here"
    for (query, key), weight in pairs.items():
        assert weight == pytest.approx(float(weights[query, key]), abs=2e-5)


def columns(tab: Exploring) -> list[dict[str, str]]:
    """Returns the strongest words of both columns, each with its number."""
    expect(tab.page.locator(".former-words .finding")).to_contain_text("rankings", timeout=60_000)
    values = []
    for i in range(2):
        rows = tab.page.locator(".former-words .words-column").nth(i).locator(".words-top li")
        values.append({row.locator(".label").inner_text(): row.locator(".number").inner_text() for row in rows.all()})
    return values


def test_the_words_that_carried_it_are_shown_in_two_ways_with_a_caution(tab, model):
    taken, attention = columns(tab)
    ids, words = model.ids(TEXT), TEXT.split()
    run = model.run(ids)
    best = clear_largest(run.out, 1e-3)
    whole = log_odds(model, ids, best)
    index = {word: i for i, word in enumerate(words) if words.count(word) == 1}
    checked = 0
    for word in index.keys() & taken.keys():
        fall = whole - log_odds(model, [*ids[: index[word]], UNK, *ids[index[word] + 1 :]], best)
        assert float(taken[word].replace("−", "-")) == pytest.approx(fall, abs=0.0051)
        checked += 1
    assert checked >= 2
    shares = rollout(run.weights).mean(0)
    for word in index.keys() & attention.keys():
        assert agrees(attention[word], float(shares[index[word]]))
    panel = tab.part("words")
    expect(panel).to_contain_text("Attention alone is not an explanation")
    headings = panel.get_by_role("heading", level=3)
    assert len(set(headings.all_inner_texts())) == 2


@pytest.mark.own_page
def test_a_head_switched_off_shows_the_verdict_before_and_after(tab, model):
    tab.page.get_by_role("checkbox", name="the whole layer").check()
    tab.edited(lambda: tab.page.get_by_role("button", name="Switch off").click())
    ids = model.ids(TEXT)
    without = {(0, head): 0.0 for head in range(model.config["heads"])}
    probs = model.run(ids, without).out.softmax(-1)
    name, share = verdict(tab)
    classes = model.card.get("classes") or ["negative", "positive"]
    expect(tab.page.locator(".former-prediction .legend")).to_be_visible()
    if name == classes[clear_largest(probs, 1e-4)]:
        assert agrees(share.split("→")[-1].strip(), float(probs.max()))
    assert classes[clear_largest(probs, 1e-4)] in tab.page.locator(".former-prediction .verdict").inner_text()


@pytest.mark.own_page
def test_measuring_every_head_says_what_it_is_worth_to_the_verdict(tab, model):
    tab.page.get_by_role("button", name="Measure every head").click()
    finding = tab.page.locator(".former-interventions .finding")
    expect(finding).to_contain_text("heads measured", timeout=60_000)
    ids = model.ids(TEXT)
    best = clear_largest(model.run(ids).out, 1e-3)
    whole = log_odds(model, ids, best)
    for layer, head in ((0, 0), (model.config["depth"] - 1, model.config["heads"] - 1)):
        log_probs = model.run(ids, {(layer, head): 0.0}).out.log_softmax(-1)
        fall = whole - float(log_probs[best] - torch.log1p(-log_probs[best].exp()))
        match = re.search(r"([+−]\d+\.\d+)", tab.cell(layer, head).get_attribute("aria-label") or "")
        assert match
        assert float(match[1].replace("−", "-")) == pytest.approx(fall, abs=0.0006)


def test_a_word_the_model_never_saw_is_shown_as_such(tab):
    tab.type("a zzyzxian film")
    assert "zzyzxian" in " ".join(tab.tokens())
    assert "<unk>" in " ".join(tab.tokens())


@pytest.mark.own_page
def test_a_text_without_a_word_gets_a_message(tab, guard):
    guard.allow("422")
    before = tab.tokens()
    tab.page.get_by_role("textbox", name="Text", exact=True).fill("<br>")
    expect(tab.page.locator(".former-notices .notice.error")).to_be_visible()
    assert tab.tokens() == before


def test_changing_the_model_changes_what_is_shown_for_the_same_text(tab):
    tab.choose_model("generator")
    assert tab.tokens() == [*TEXT.replace(" ", "␣")]
    expect(tab.page.locator(".former-words section")).to_be_hidden()
    expect(tab.page.locator(".former-surprise section")).to_be_visible()
    tab.choose_model("classifier")
    assert tab.tokens() == TEXT.split()
    expect(tab.page.locator(".former-surprise section")).to_be_hidden()
