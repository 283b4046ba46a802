"""GPT-2's configuration of a Generator: its published sizes, and its initial weights. test_pretrained.py compares its
numbers with `transformers`."""

import pytest
import torch

import former
from former import gpt2

PUBLISHED = {
    "distilgpt2": 81_912_576,
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
}


@pytest.mark.parametrize(("name", "parameters"), PUBLISHED.items())
def test_each_published_size_has_its_number_of_parameters(name, parameters):
    with torch.device("meta"):
        model = former.Generator(gpt2.config(**gpt2.SIZES[name]))
    assert sum(parameter.numel() for parameter in model.parameters()) == parameters


def test_a_field_that_is_no_size_is_refused():
    with pytest.raises(ValueError, match="heads must divide emb"):
        gpt2.config(heads=7)


@pytest.mark.parametrize("variant", ["narrow", "chunked"])
def test_the_start_is_small_and_smaller_where_a_branch_ends(variant):
    sizes = {"num_tokens": 500, "seq_length": 64, "emb": 128, "heads": 4, "depth": 8}
    config = gpt2.config(**sizes, variant=variant)
    model = gpt2.initialize(former.Generator(config), torch.Generator().manual_seed(0))
    for name, parameter in model.named_parameters():
        if parameter.dim() == 1:
            assert torch.equal(parameter, torch.full_like(parameter, "norm" in name and name.endswith("weight"))), name
        else:
            expected = 0.02 / 4 if name.endswith(("unifyheads.weight", "ff.2.weight")) else 0.02  # √(2 · 8) = 4
            assert parameter.std().item() == pytest.approx(expected, rel=0.05), name  # 4,096 numbers and more


def test_the_residual_stream_starts_no_wider_in_a_deeper_model():
    widths: dict[int, float] = {}
    for depth in (2, 24):
        torch.manual_seed(0)
        config = gpt2.config(num_tokens=500, seq_length=64, emb=128, heads=4, depth=depth)
        model = gpt2.initialize(former.Generator(config)).eval()
        tokens = torch.randint(500, (4, 64), generator=torch.Generator().manual_seed(1))
        last = former.run_with_capture(model, tokens, "resid_post")[1].get("resid_post", depth - 1)
        widths[depth] = last.std().item()
    assert widths[24] == pytest.approx(widths[2], rel=0.1)
