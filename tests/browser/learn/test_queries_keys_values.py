"""Section "Queries, keys, values": dragged matrices give former's numbers; a trained head's come from its file."""

import pytest
import torch
from playwright.sync_api import expect
from safetensors.torch import load_file

import former
from tests.browser.learn.pages import Learning
from tests.browser.reference import CHECKPOINTS
from viz.tabs.learn.sections import queries_keys_values

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning
NAME = "queries-keys-values"


def holds(tab: Learning) -> torch.Tensor:
    """Asserts that the numbers on the screen are those of `former.attention_weights`; returns the weights."""
    values = []
    x = torch.tensor(queries_keys_values.circle(), dtype=torch.float64)
    for columns in tab.view()["matrices"].split(";"):
        a, c, b, d = (float(number) for number in columns.split(","))
        values.append(x @ torch.tensor([[a, b], [c, d]], dtype=torch.float64).T)
    q, k, v = values
    scores, weights = former.attention_weights(q[None, None], k[None, None])
    actual = tab.data("found")
    assert actual["scores"] == pytest.approx(scores[0, 0].numpy(), abs=1e-6)
    assert actual["weights"] == pytest.approx(weights[0, 0].numpy(), abs=1e-6)
    assert actual["y"] == pytest.approx((weights[0, 0] @ v).numpy(), abs=1e-6)
    assert tab.numbers("Weights") == pytest.approx(weights[0, 0].numpy(), abs=0.00501)
    return weights[0, 0]


def test_dragged_columns_and_every_try_give_former_s_numbers(tab):
    tab.open(NAME)
    holds(tab)
    tab.section.locator("[data-part=k] .grip[data-id=column1]").focus()
    tab.page.keyboard.press("Shift+ArrowRight")
    tab.painted()
    assert tab.view()["matrices"] == "1,0,0,1;1,0,0.5,1;1,0,0,1"
    holds(tab)
    tab.attempt("nothing")
    assert holds(tab).numpy() == pytest.approx(0.2)


def test_the_puzzle_is_solved_by_a_turn_of_the_queries(tab):
    tab.open(NAME)
    expect(tab.section.locator(".puzzle")).not_to_have_class("puzzle solved")
    tab.open(NAME, matrices="0.62,-1.9,1.9,0.62;1,0,0,1;1,0,0,1")
    assert holds(tab)[1:].argmax(1).tolist() == [0, 1, 2, 3]
    expect(tab.section.locator(".puzzle")).to_have_class("puzzle solved")


def test_a_number_of_a_trained_head_is_followed_to_its_file(tab):
    tab.goto(tab="learn", section=NAME, show="head")
    tab.settled()
    tab.section.locator(".number-row button").nth(3).click()
    tab.painted()
    view = tab.view()
    trained = tab.page.evaluate("former.learn.find('queries-keys-values').live.answers.trained")
    named = trained["weight"]["q"]
    state = load_file(CHECKPOINTS / named["file"])
    row = state[named["tensor"]][named["row"] + 3].double()
    x = torch.tensor(trained["x"][view["query"]], dtype=torch.float64)
    trace = tab.section.locator(".trace")
    assert float(trace.get_attribute("data-sum") or "") == pytest.approx(float(row @ x), abs=1e-4)
    assert trained["q"][view["query"]][3] == pytest.approx(float(row @ x), abs=1e-4)
    expect(trace).to_contain_text(named["tensor"])
    chain = tab.section.locator(".chain")
    weight = trained["weights"][view["query"]][view["key"]]
    assert float(chain.get_attribute("data-weight") or "") == weight
    assert weight > 0.3, "it opens on a pair worth following"
