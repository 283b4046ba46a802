"""Section "Several heads": the lines are the attention of torch; output changes and parameters are recomputed."""

import pytest
import torch
from playwright.sync_api import expect
from torch import nn

import former
from tests.browser.learn.pages import Learning
from tests.browser.written import number
from viz.tabs.learn.sections import several_heads

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning


def torch_says(heads: int, positions: str) -> torch.Tensor:
    """Returns the weights of "gave" (h, t) by torch's own attention, with the section's matrices."""
    attention = several_heads.by_hand(heads, positions == "on")
    theirs = nn.MultiheadAttention(20, heads, bias=False, batch_first=True)
    maps = (attention.toqueries, attention.tokeys, attention.tovalues)
    theirs.in_proj_weight.data = torch.cat([linear.weight.data for linear in maps])
    x = torch.cat([torch.eye(5), torch.eye(5) * (positions == "on"), torch.zeros(5, 10)], dim=1)[None]
    return theirs(x, x, x, average_attn_weights=False)[1][0, :, 1].detach()


def drawn(tab: Learning, order: str) -> list[list[float]]:
    """Returns the weights of the drawn lines, head by head."""
    lines = tab.section.locator(f"[data-order={order}] path")
    weights = [float(line.get_attribute("data-weight") or "") for line in lines.all()]
    return [weights[first : first + 5] for first in range(0, len(weights), 5)]


@pytest.mark.parametrize(("heads", "positions"), [(4, "on"), (1, "off")])
def test_lines_and_parts_of_y_are_the_attention_of_torch_in_both_orders(tab, heads, positions):
    tab.open("several-heads", heads=heads, positions=positions)
    exact = torch_says(heads, positions)
    assert drawn(tab, "before") == pytest.approx(exact.numpy(), abs=1e-5)
    parts = [
        [[float(cell) for cell in row.locator("td").all_text_contents()] for row in order.locator("tbody tr").all()]
        for order in tab.section.locator("[data-order]").all()
    ]
    assert parts[0] == pytest.approx(exact.numpy(), abs=0.00501)
    moved = exact[:, [4, 1, 2, 3, 0]] if positions == "on" else exact
    assert parts[1] == pytest.approx(moved.numpy(), abs=0.00501)
    assert tab.sentence().startswith("Four heads with positions" if heads == 4 else "Swap mary and susan")


def test_the_tries_lead_from_different_parts_to_one_sum_and_to_nothing_that_moves(tab):
    tab.open("several-heads")
    tab.attempt("one")
    assert len(drawn(tab, "before")) == 1
    for name in tab.section.locator(".gave .numbers tbody th").all():
        assert name.evaluate("name => name.scrollWidth <= name.clientWidth"), "the row's name is cut"
    assert "66\u00a0% of mary and 24\u00a0% of susan" in tab.sentence()
    tab.attempt("off")
    assert drawn(tab, "before")[0] == drawn(tab, "before")[2], "who gives and who receives: the same"
    element = tab.section.locator(".hand .chosen")
    expect(element).to_have_text("0")


def test_without_positions_every_way_of_making_the_matrices_moves_by_rounding_alone(tab):
    tab.open("several-heads")
    moves = {
        name: [float(cell.get_attribute("data-moved") or "") for cell in tab.section.locator(where).all()]
        for name, where in {"off": "[data-moved][data-positions=off]", "on": "[data-moved][data-positions=on]"}.items()
    }
    assert max(moves["off"]) < 1e-5
    assert min(moves["on"]) > 1e-3
    for made in ("set by hand", "random", "learned: classifier, first layer", "learned: classifier-bag, first layer"):
        expect(tab.section.get_by_role("rowheader", name=made, exact=True).first).to_be_visible()
    assert tab.choose("No, never").startswith("Yes. Without positions")


def test_the_parameters_of_any_k_and_h_are_those_of_the_formula_and_of_the_built_layer(tab):
    tab.open("several-heads")
    tab.attempt("paper")
    for variant, maps in {"narrow": 3 * 512**2, "wide": 3 * 8 * 512**2, "chunked": 3 * 512**2 // 8}.items():
        unify = 512**2 * (8 if variant == "wide" else 1) + 512
        cells = tab.section.locator(f".sizes tr.{variant} td").all_text_contents()
        assert number(cells[1].split("=")[1]) == number(cells[2]) == maps + unify
        assert float(tab.section.locator(f".sizes tr.{variant} [data-seconds]").get_attribute("data-seconds") or "") > 0
    heads = tab.section.get_by_role("spinbutton", name="h, heads")
    heads.fill("7")
    heads.press("Enter")
    tab.settled()
    expect(tab.section.locator(".sizes tr.narrow")).to_contain_text("k must be a multiple of h")
    expect(tab.section.locator(".sizes tr.wide")).to_contain_text("7,340,544")  # 4·7·512² + 512
    heads.fill("65")
    heads.press("Enter")
    assert tab.view()["count"] == 64


def test_what_the_parts_are_worth_is_what_the_cards_say(tab):
    tab.open("several-heads")
    names = {"same": "family/tiny-generator", "unify": "tiny-no-unify", "one": "tiny-one-head", "wide": "tiny-wide"}
    bits = {}
    for change, name in names.items():
        bundle = former.load(name)
        cells = tab.section.locator(f".sizes tr.trained-{change} td").all_text_contents()
        assert number(cells[0]) == sum(parameter.numel() for parameter in bundle.model.parameters())
        bits[change] = next(held["bits_per_byte"] for held in bundle.card["quality"] if held["split"] == "val")
        assert float(cells[1]) == pytest.approx(bits[change], abs=0.00501)
    more = f"{bits['unify'] - bits['same']:.2f} bits higher"
    expect(tab.section.locator(".worth")).to_contain_text(more)


def test_the_tensors_under_the_code_are_those_of_the_view(tab):
    tab.open("several-heads", heads=1, positions="on")
    actual = tab.tensors()
    y = torch_says(1, "on")[0]
    assert actual["y_gave"][0][:5] == pytest.approx(y.numpy(), abs=6e-4)
    assert actual["y_gave_swapped"][0][:5] == pytest.approx(y[[4, 1, 2, 3, 0]].numpy(), abs=6e-4)
