"""Tab Mask: one row of a head through mask and softmax, step by step, compared with the weights on disk."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import expect
from torch import Tensor

from tests.browser.mask.pages import TEXT, Masking, T, read
from tests.browser.pages import says
from tests.browser.reference import Reference
from tests.ranked import clear_largest

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Masking

ROW: dict[str, Any] = {"layer": 3, "head": 2, "row": 13}


class Row(NamedTuple):
    """One row of a head, given by ROW."""

    scores: Tensor  # (t,), all of them
    weights: Tensor  # (t,), 0 where masked


@pytest.fixture(scope="module")
def row() -> Row:
    model = Reference("generator")
    run = model.run(model.ids(TEXT))
    return Row(run.scores[3][2][13], run.weights[3][2][13])


def shares(texts: list[str]) -> list[float]:
    """Returns a line of the table, in which a masked or nearly zero share is written in words."""
    return [0.0 if text in ("≈ 0", "–") else read(text) for text in texts]


def test_a_row_begins_with_its_scores_and_those_of_later_tokens_become_minus_infinity(tab, row):
    tab.open(**ROW)
    assert [read(text) for text in tab.line("scores")] == pytest.approx(row.scores.tolist(), abs=0.0071)
    assert not any(tab.line("masked") + tab.line("exp") + tab.line("weights"))
    assert says(tab.sentence(), "from {:.2f}", float(row.scores.min()))
    tab.next()
    masked = tab.line("masked")
    assert [read(text) for text in masked[:14]] == pytest.approx(row.scores[:14].tolist(), abs=0.0071)
    assert masked[14:] == ["−∞"] * 9
    assert tab.sentence() == "The mask sets 9 of the 23 scores to −∞; 14 remain."
    assert not any(tab.line("exp"))


def test_the_exponentials_of_a_row_are_shown_and_then_their_sum(tab, row):
    tab.open(**ROW, stage=1)
    tab.next()
    left = row.scores[:14]
    exps = (left - left.max()).exp()
    assert shares(tab.line("exp")) == pytest.approx([*exps.tolist(), *[0.0] * 9], abs=2e-3)
    assert tab.line("exp")[14:] == ["0"] * 9
    assert read(tab.total("masked")) == pytest.approx(float(left.max()), abs=0.0071)
    assert tab.total("exp") == ""
    tab.next()
    assert read(tab.total("exp")) == pytest.approx(float(exps.sum()), abs=3e-3)
    assert not any(tab.line("weights"))


def test_a_row_ends_with_the_weights_of_the_model_and_goes_back(tab, row):
    tab.open(**ROW, stage=3)
    tab.next()
    assert shares(tab.line("weights")) == pytest.approx(row.weights.tolist(), abs=2e-3)
    assert tab.line("weights")[14:] == ["–"] * 9  # a masked cell has no weight, not a weight of 0
    best = clear_largest(row.weights, 1e-5)
    share = tab.sentence().partition(f"({best}) gets the largest weight, ")[2]
    assert float(share.partition("%")[0]) == pytest.approx(100 * float(row.weights[best]), abs=0.501)  # whole percents
    assert read(tab.sentence().rsplit("within ", 1)[1].rstrip(".")) < 1e-5
    expect(tab.button("Next →")).to_be_disabled()
    tab.button("← Back").click()
    tab.painted()
    assert not any(tab.line("weights"))
    assert (tab.link()["row"], tab.link()["stage"]) == ("13", "3")


def test_the_square_root_brings_out_small_weights_and_stands_in_the_link(tab, row):
    tab.open(**ROW)
    ground = tab.page.evaluate("[...former.palette().weights]")
    canvas = tab.square("stages", "weights")

    def agrees(level: Callable[[float], float]) -> bool:
        actual = tab.colours(canvas, [(13, key) for key in range(14)], T)
        pixels = [ground[round(255 * level(float(weight)))] for weight in row.weights[:14]]
        exact = [tuple(pixel >> by & 255 for by in (0, 8, 16)) for pixel in pixels]
        return all(
            abs(a - b) <= 4 for one, two in zip(actual, exact, strict=True) for a, b in zip(one, two, strict=True)
        )

    assert agrees(lambda weight: weight)
    assert not agrees(math.sqrt)
    switch = tab.page.get_by_role("button", name="The square root of the weight")
    switch.click()
    tab.painted()
    assert agrees(math.sqrt)
    assert tab.link()["scale"] == "root"
    tab.page.reload()
    tab.settled()
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.press("Enter")
    tab.painted()
    assert agrees(lambda weight: weight)
    assert "scale" not in tab.link()
