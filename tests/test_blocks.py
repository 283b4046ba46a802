"""The block compared with torch's own, and the effect of a permutation on a stack of blocks."""

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given
from torch import nn

import former
from former.config import Norm, Variant
from tests.test_attention import copy_attention, make_mask, some_mask


@given(
    st.integers(1, 3),
    st.integers(1, 10),
    st.sampled_from([1, 2, 4]),
    some_mask,
    st.sampled_from(["post", "pre"]),
    st.sampled_from(["relu", "gelu"]),
    st.integers(0, 2**31),
)
def test_block_equals_torch_transformer_encoder_layer_with_the_same_weights(b, t, heads, mask_name, norm, act, seed):
    torch.manual_seed(seed)
    ours = former.TransformerBlock(16, heads, norm=norm, activation=act).double()
    theirs = nn.TransformerEncoderLayer(
        16, heads, 64, dropout=0.0, activation=act, batch_first=True, norm_first=norm == "pre", dtype=torch.float64
    )
    copy_attention(ours.attention, theirs.self_attn)
    theirs.linear1.load_state_dict(ours.ff[0].state_dict())
    theirs.linear2.load_state_dict(ours.ff[2].state_dict())
    with torch.no_grad():
        for norm_layer in (ours.norm1, ours.norm2):  # as made they are all 1 and 0, and so all alike
            norm_layer.weight.uniform_(0.5, 1.5)
            norm_layer.bias.uniform_(-1, 1)
    theirs.norm1.load_state_dict(ours.norm1.state_dict())
    theirs.norm2.load_state_dict(ours.norm2.state_dict())
    x, mask = torch.randn(b, t, 16, dtype=torch.float64), make_mask(mask_name, t)
    torch.testing.assert_close(ours(x, mask), theirs(x, src_mask=~mask), atol=1e-12, rtol=0)


def stack(depth: int, variant: Variant, norm: Norm) -> nn.Module:
    blocks = [former.TransformerBlock(16, 4, variant=variant, norm=norm) for _ in range(depth)]
    return nn.Sequential(*blocks).double()


@given(
    st.integers(1, 3),
    st.integers(1, 12),
    st.integers(1, 4),
    st.sampled_from(["narrow", "wide"]),
    st.sampled_from(["post", "pre"]),
    st.integers(0, 2**31),
)
def test_permuting_the_inputs_permutes_the_outputs_of_any_stack_without_positions(b, t, depth, variant, norm, seed):
    torch.manual_seed(seed)
    blocks = stack(depth, variant, norm)
    x = torch.randn(b, t, 16, dtype=torch.float64)
    error = former.analysis.equivariance_error(blocks, x, torch.randperm(t))
    assert error < 1e-10  # float64 rounding; sums run in another order


@pytest.mark.parametrize("positions", ["learned", "sinusoidal"])
def test_permuting_the_inputs_does_not_permute_the_outputs_with_positions(positions):
    torch.manual_seed(0)
    errors = {}
    for kind in ("none", positions):
        config = former.ModelConfig(num_tokens=20, emb=16, heads=4, depth=2, seq_length=9, positions=kind)
        model = former.Generator(config).double()
        tokens = torch.arange(9)[None]

        def unmasked(tokens, model=model):
            return model(tokens, mask=former.masks.none(9))

        errors[kind] = former.analysis.equivariance_error(unmasked, tokens, torch.arange(9).flip(0))
    assert errors["none"] < 1e-10
    assert errors[positions] > 1e-2


def test_a_causal_mask_breaks_the_equivariance_of_a_stack():
    torch.manual_seed(0)
    block = former.TransformerBlock(16, 4).double()
    x = torch.randn(1, 9, 16, dtype=torch.float64)
    flip = torch.arange(9).flip(0)
    assert former.analysis.equivariance_error(lambda x: block(x, former.masks.causal(9)), x, flip) > 1e-2


def test_dropout_acts_in_training_and_only_there():
    torch.manual_seed(0)
    block, x = former.TransformerBlock(16, 4, dropout=0.5), torch.randn(1, 5, 16)
    assert not torch.equal(block(x), block(x))
    block.eval()
    assert torch.equal(block(x), block(x))
