"""Section "Transformer-XL": bits with and without the memory, and the reach of each layer, are recomputed."""

import math

import pytest
import torch
from playwright.sync_api import expect

import former
from tests.browser.learn.pages import Learning
from tests.browser.pages import says

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif("xl" not in former.available(), reason="xl is not shipped here"),
]
TAB = Learning
TEXT = "The cat sat on the mat, and the <b>cat</b> sat on the mat again until the evening came."


def bits(tokens: torch.Tensor, memory_length: int) -> float:
    """Returns the mean bits of each byte after the first, read in segments of 32."""
    model, memory, costs = former.load("xl").model, None, []
    for first in range(0, tokens.shape[1] - 1, 32):
        last = min(first + 32, tokens.shape[1] - 1)
        logits, memory = model(tokens[:, first:last], memory, memory_length=memory_length)
        probs = logits[0].softmax(-1)
        costs += [-math.log2(probs[i, tokens[0, first + i + 1]]) for i in range(last - first)]
    return sum(costs) / len(costs)


def test_a_memory_makes_a_text_cheaper_and_each_layer_reaches_one_memory_further(tab):
    tab.open("transformer-xl", text=TEXT)
    tokens = torch.tensor([list(TEXT.encode())])
    on, off = bits(tokens, 128), bits(tokens, 0)
    element = tab.section.locator(".bytes")
    assert float(element.get_attribute("data-bits") or 0) == pytest.approx(on, abs=1e-3)
    element.press("ArrowRight")
    element.press("ArrowRight")  # the third byte: the first costs nothing that could be said
    card = tab.page.locator(".hint-card")
    expect(card).to_have_text(element.locator("[title]").nth(1).get_attribute("title") or "none")
    element.press("Escape")
    expect(card).to_be_hidden()
    tab.section.get_by_role("radio", name="off", exact=True).check()  # a try would take the opening text
    tab.settled()
    assert float(element.get_attribute("data-bits") or 0) == pytest.approx(off, abs=1e-3)
    costs = "Without a memory this text costs {:.2f} bits per byte; with a memory of 128 bytes, {:.2f}."
    assert says(tab.sentence(), costs, off, on)
    tab.attempt("reach")
    tab.section.get_by_role("radio", name="off", exact=True).check()
    tab.settled()
    far = tab.section.locator(".far td")
    own = (32 - 1) % 4  # of the first 32 bytes, in segments of 4
    expect(far.first).to_have_text(f"{own} bytes back")
    tab.section.get_by_role("radio", name="on", exact=True).check()
    expect(far).to_have_text([f"{own + 4 * layer} bytes back" for layer in range(1, 7)])
    assert tab.choose("More: a memory for each layer").startswith("Yes.")
    tab.attempt("terms")
    chart = tab.section.locator(".in-terms .chart")
    chart.locator(".nsewdrag").wait_for()
    columns = chart.evaluate("chart => chart.data.map(({ y }) => [...y])")
    assert [sum(parts) for parts in zip(*columns[:4], strict=True)] == pytest.approx(columns[4], abs=1e-3)
