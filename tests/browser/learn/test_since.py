"""Section "Since the article": its parts show what its functions compute, and its table what the cards say."""

import pytest

import former
from tests.browser.learn.pages import Learning
from viz.tabs.learn.sections import since

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning


def value(tab, selector: str, name: str) -> float:
    return float(tab.section.locator(selector).get_attribute(f"data-{name}") or "")


def test_moving_both_tokens_leaves_their_score_and_adding_to_all_numbers_leaves_their_layer_norm(tab):
    tab.open("since")
    tab.attempt("far")
    result = since.turn_head(former.load("tiny-rotary"), since.TEXT, 20, 1, 0, since.SHIFTS)
    for name in ("score", "moved"):
        assert value(tab, ".rotary .result", name) == pytest.approx(float(result[name]), abs=1e-3)
    assert tab.choose("It stays the same").startswith("Yes.")
    tab.attempt("added")
    assert value(tab, ".norm .result", "layer") < 1e-3
    assert value(tab, ".norm .result", "rms") > 0.1


def test_a_link_adds_a_negative_number(tab):
    tab.open("since", show="norm", added=-1.5)
    assert tab.view()["added"] == -1.5
    result = since.norm_vector(former.load(since.RMS), since.TEXT, tab.view()["at"], -1.5)
    assert value(tab, ".norm .result", "rms") == pytest.approx(float(result["moved_rms"]), abs=1e-3)


def test_the_table_shows_what_the_cards_say(tab):
    tab.open("since")
    tab.attempt("worth")
    for name in since.FAMILY + since.LARGER:
        card = former.load(name).card
        # gpt was trained further than modern.
        measured = next(each for each in card["earlier"] if each["name"] == "gpt-fifth") if name == "gpt" else card
        held = next(held for held in measured["quality"] if held["split"] == "val")
        assert value(tab, f"[data-model='{name}'] [data-column=bits]", "value") == held["bits_per_byte"]
