"""Tracing a number in Explore: each step equals the file of weights."""

import pytest
import torch
from playwright.sync_api import Locator, expect
from safetensors.torch import load_file

import former
from tests.browser.pages import Exploring
from tests.browser.reference import CHECKPOINTS

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring


def vector(tab: Exploring, name: str, row: int) -> list[float]:
    """Returns one of the head's vectors, as the page received it."""
    return tab.page.evaluate(
        """([name, row]) => {
            const { vectors, map } = former.shownNow();
            return [...vectors[name].slice(row * map.headSize, (row + 1) * map.headSize)];
        }""",
        [name, row],
    )


def follow(tab: Exploring, **asked: str) -> Locator:
    """Opens the panel on one weight; returns its steps."""
    tab.open(layer=1, head=2, token=8, key=5, **asked)
    return tab.unfold("trace").locator(".chain")


def test_a_weight_is_followed_to_its_file_and_forward_to_the_stream(tab):
    chain = follow(tab, model="tiny-generator", text="The cat sat on")
    expect(chain).to_have_attribute("data-part", "q")
    step = {name: float(chain.get_attribute(f"data-{name}") or "") for name in ("computed", "weight")}
    result = tab.page.evaluate("former.rowOf(former.shownNow(), 8)[5]")
    assert step["weight"] == pytest.approx(result, abs=1e-6)
    assert step["computed"] == pytest.approx(result, abs=1e-5)

    chain.get_by_role("button", name="k of “").nth(4).click()
    expect(chain).to_have_attribute("data-part", "k")
    state = load_file(CHECKPOINTS / "tiny-generator" / "model.safetensors")
    assert float(chain.get_attribute("data-value") or "") == pytest.approx(vector(tab, "k", 5)[4], abs=1e-5)
    expect(chain).to_contain_text("transformer.blocks.1.attention.tokeys.weight in tiny-generator/model.safetensors")
    table = chain.locator("table.products tbody tr")
    label, weight = table.first.locator("th").inner_text(), table.first.locator("td").first.inner_text()
    row, column = (int(number) for number in label.strip("[]").split(","))
    assert row == 2 * 16 + 4
    tensor = state["transformer.blocks.1.attention.tokeys.weight"].float()
    assert float(weight.replace("−", "-")) == pytest.approx(float(tensor[row, column]), abs=6e-5)
    expect(chain).to_contain_text(f"x[{column}] of “")
    expect(chain).to_contain_text("transformer.token_embedding.weight[")

    button = chain.locator(".largest button").first
    at = int(button.get_attribute("data-at") or "")
    button.click()
    expect(chain).to_have_attribute("data-part", "adds")
    out = vector(tab, "out", 8)
    unify = state["transformer.blocks.1.attention.unifyheads.weight"].float()[at, 32:48]
    assert float(chain.get_attribute("data-value") or "") == pytest.approx(float(unify @ torch.tensor(out)), abs=1e-4)


@torch.no_grad()
def test_a_number_that_positions_turn_is_followed_to_before_it_was_turned(tab):
    chain = follow(tab, model="tiny-modern", text="The cat sat on")
    expect(chain).to_contain_text("rotary positions turn the point (q[0], q[8])")
    step = {name: float(chain.get_attribute(f"data-{name}") or "") for name in ("computed", "weight", "value")}
    assert step["computed"] == pytest.approx(step["weight"], abs=1e-5)
    model = former.load("tiny-modern").model
    ids = torch.tensor([list(b"The cat sat on")])
    _, capture = former.run_with_capture(model, ids, ["resid_pre"])
    block = model.transformer.blocks[1]
    before = block.attention.toqueries(block.norm1(capture["resid_pre", 1]))[0, 8, 2 * 16]
    assert step["value"] == pytest.approx(float(before), abs=1e-4)  # the page's model is a faster one, in float32
    expect(chain).to_contain_text("before it is turned")
    expect(chain).to_contain_text("r / rms × γ")
    expect(chain).not_to_contain_text("of its position")


def test_a_heads_output_that_nothing_joins_is_what_it_adds(tab):
    chain = follow(tab, model="tiny-no-unify", text="The cat sat on")
    out = vector(tab, "out", 8)
    button = chain.locator(".largest button").first
    at = int(button.get_attribute("data-at") or "") - 2 * 16  # of the stream, to which head 2 adds from here on
    button.click()
    expect(chain).to_have_attribute("data-part", "adds")
    expect(chain).to_contain_text("no map after its heads")
    assert float(chain.get_attribute("data-value") or "") == pytest.approx(out[at], abs=1e-4)


def test_a_berts_number_goes_back_to_its_three_embeddings_and_where_none_is_followed_there_is_no_panel(tab):
    chain = follow(tab, model="bert", text="A dull film. [SEP] Nobody laughed.")
    expect(chain).to_contain_text("the embeddings’ [")
    for tensor in (
        "embedding_norm",
        "transformer.token_embedding",
        "transformer.positions.embedding",
        "segment_embedding",
    ):
        expect(chain).to_contain_text(f"{tensor}.weight")

    tab.open(model="xl", text="The cat sat on")
    expect(tab.part("trace")).to_be_hidden()
