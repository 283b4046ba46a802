"""Section "Why 'key' and 'value'": the dictionary is Python's; the soft dictionary is former's attention."""

from typing import Any

import pytest
import torch
from playwright.sync_api import expect

import former
from tests.browser.learn.pages import Learning

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning
SECTION = "key-value"


def parse(text: str) -> list[list[float]]:
    return [[float(number) for number in pair.split(",")] for pair in text.split(";")]


def holds(tab: Learning) -> dict[str, Any]:
    """Asserts that every number of the panel is `former`'s, and the dictionary's answer Python's own."""
    view = tab.view()
    keys, values = parse(view["keys"]), [float(value) for value in view["values"].split(",")]
    queries = keys if view["asker"] == "keys" else parse(view["query"])
    q, k = (torch.tensor([[pairs]], dtype=torch.float64) for pairs in (queries, keys))
    divisor = 10 ** ((view["soft"] - 20) / 10) if view["soft"] else 1e-9  # so small that the largest takes all
    scores, weights = former.attention_weights(q / divisor, k)
    y = former.attend(q / divisor, k, torch.tensor(values, dtype=torch.float64)[None, None, :, None])
    result = tab.data("found")
    if view["soft"]:
        assert result["scores"] == pytest.approx(scores[0, 0].numpy(), abs=1e-6)
    assert result["weights"] == pytest.approx(weights[0, 0].numpy(), abs=1e-6)
    assert result["y"] == pytest.approx(y[0, 0, :, 0].numpy(), abs=1e-6)
    request = queries[view["row"] if view["asker"] == "keys" else 0]
    store = dict(zip(map(tuple, keys), values, strict=True))
    assert result["store"] == store.get(tuple(request))
    text = tab.section.locator("pre.result b").inner_text()
    assert text == (f"{store[tuple(request)]:g}" if tuple(request) in store else f"KeyError: {tuple(request)}")
    return result


def test_both_dictionaries_give_what_python_and_former_give(tab):
    tab.open(SECTION)
    result = holds(tab)
    assert result["store"] is None
    assert tab.sentence().startswith("The dictionary has no such key. Attention returns 13.")
    texts = tab.section.locator(".lookup tbody tr").nth(1).locator("td").all_text_contents()
    assert float(texts[0]) == pytest.approx(result["scores"][0][1], abs=0.00501)
    assert float(texts[1]) == pytest.approx(result["weights"][0][1], abs=0.000501)
    assert float(texts[3]) == pytest.approx(18 * result["weights"][0][1], abs=0.00501)


@pytest.mark.parametrize("soft", [0, 1, 10, 40])
def test_the_slider_goes_from_the_hard_limit_to_the_average(tab, soft):
    tab.open(SECTION)
    tab.section.get_by_role("slider").fill(str(soft))
    tab.painted()
    y = holds(tab)["y"][0]
    assert tab.link()["soft"] == str(soft)
    if soft == 0:
        assert y == 18
    if soft == 40:
        assert y == pytest.approx((9 + 18 + 10 + 2) / 4, abs=0.2)


def test_a_click_on_a_key_asks_for_it_and_the_dictionary_finds_it(tab):
    tab.open(SECTION)
    tab.section.get_by_role("button", name="autumn", exact=True).click()
    assert tab.view()["query"] == "-1.5,0"
    assert holds(tab)["store"] == 10


def test_keys_query_and_values_are_edited(tab):
    tab.open(SECTION)
    tab.drag("key0", 30, 20)
    tab.drag("query", -25, 15)
    field = tab.section.get_by_role("textbox", name="Value of winter")
    field.fill("-4.5")
    field.press("Enter")
    tab.painted()
    view = tab.view()
    assert view["keys"].split(";")[0] != "1.5,0"
    assert view["query"] != "1,1.2"
    assert view["values"] == "9,18,10,-4.5"
    holds(tab)


@pytest.mark.parametrize("typed", ["", "much", "1000", "<b>1</b>"])
def test_what_is_no_value_is_refused_and_the_last_stays(tab, typed):
    tab.open(SECTION)
    field = tab.section.get_by_role("textbox", name="Value of spring")
    field.fill(typed)
    field.press("Enter")
    expect(tab.page.locator(".former-learn > .note")).to_contain_text("A value is a number")
    expect(field).to_have_value("9")
    holds(tab)


def test_a_dictionary_keeps_the_last_value_of_equal_keys_and_attention_averages_both(tab):
    tab.open(SECTION, keys="1,0;1,0;-1,0;0,-1", query="1,0", soft=0)
    result = holds(tab)
    assert result["store"] == 18
    assert result["y"] == [pytest.approx((9 + 18) / 2)]


def test_the_tries_show_what_they_say(tab):
    tab.open(SECTION)
    tab.attempt("there")
    assert holds(tab)["store"] == 18
    tab.attempt("hard")
    result = holds(tab)
    assert (result["store"], result["y"]) == (None, [18])
    tab.attempt("itself")
    result = holds(tab)
    assert len(result["weights"]) == 4
    assert all(row[i] == max(row) for i, row in enumerate(result["weights"]))


def test_where_the_keys_ask_each_can_be_looked_at(tab):
    tab.open(SECTION)
    tab.section.get_by_role("checkbox", name="Let every key be a query").check()
    tab.section.get_by_role("button", name="winter", exact=True).click()
    assert tab.view()["row"] == 3
    assert holds(tab)["store"] == 2
    assert tab.sentence().startswith("The query is the key of “winter”. The dictionary returns 2")


def test_the_puzzle_is_solved_by_keys_and_not_by_the_slider(tab):
    tab.open(SECTION)
    puzzle = tab.section.locator(".puzzle")
    tab.section.get_by_role("slider").fill("0")
    tab.painted()
    assert holds(tab)["y"] == [18]
    expect(puzzle).not_to_have_class("puzzle solved")
    tab.open(SECTION, keys="-2.5,-2.5;2.5,2.5;-2.5,-2.5;-2.5,-2.5")
    assert holds(tab)["y"] == [pytest.approx(18, abs=0.1)]
    expect(puzzle).to_have_class("puzzle solved")


def test_the_answer_is_computed_from_the_values_as_they_are(tab):
    tab.open(SECTION, values="1,2,3,6")
    assert tab.choose("The average of all values").startswith("Yes.")
    expect(tab.section.locator(".check .said")).to_contain_text("the answer is 3.00")


@pytest.mark.parametrize("asked", [{"keys": "1,2"}, {"values": "a,b,c,d"}, {"query": "9,9"}, {"soft": "99"}])
def test_nonsense_in_a_link_is_named_and_the_usual_is_shown(tab, asked):
    tab.open(SECTION, **asked)
    expect(tab.page.locator(".former-learn > .note")).to_contain_text(next(iter(asked.values())))
    holds(tab)


def test_the_tensors_under_the_code_are_those_of_the_view(tab):
    tab.open(SECTION, soft=12)
    result = holds(tab)
    actual = tab.tensors()
    assert actual["weights"] == pytest.approx(torch.tensor(result["weights"]).numpy(), abs=6e-4)
    assert actual["y"] == [[pytest.approx(result["y"][0], abs=6e-4)]]
