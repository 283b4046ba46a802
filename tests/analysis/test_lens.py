"""The hook points of a block and the logit lens: the residual stream, and the predictions computed from it."""

from dataclasses import replace
from typing import Any

import pytest
import torch

import former
from former.edits import Edit, ablate_head
from former.hooks import BLOCK_POINTS, POINTS

CONFIG = former.ModelConfig(num_tokens=20, emb=16, heads=4, depth=3, seq_length=16)
TOKENS = torch.randint(20, (2, 9), generator=torch.Generator().manual_seed(1))


def model_of(norm="pre", kind: Any = former.Generator, **changes) -> Any:
    torch.manual_seed(0)
    model = kind(replace(CONFIG, norm=norm, **changes)).eval()
    for parameter in model.parameters():  # norms and biases as made are all 1 and 0, and so all alike
        parameter.data += 0.1 * torch.randn(parameter.shape)
    return model


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh"])
def test_every_point_of_the_block_holds_what_its_place_in_the_equations_says(norm, activation):
    model = model_of(norm, activation=activation)
    logits, capture = former.run_with_capture(model, TOKENS, [*POINTS, *BLOCK_POINTS])
    x = post = model.transformer.token_embedding(TOKENS) + model.transformer.positions(torch.arange(9))
    for layer, block in enumerate(model.transformer.blocks):
        pre, mid, hidden, fed, post = (capture.get(point, layer) for point in BLOCK_POINTS)
        torch.testing.assert_close(pre, x)
        out = capture.get("out", layer).transpose(1, 2).flatten(2)
        added = block.attention.unifyheads(out)
        torch.testing.assert_close(mid, pre + added if norm == "pre" else block.norm1(pre + added))
        y = block.norm2(mid) if norm == "pre" else mid
        torch.testing.assert_close(hidden, block.ff[1](block.ff[0](y)))
        torch.testing.assert_close(fed, block.ff[2](hidden))
        x = mid + fed if norm == "pre" else block.norm2(mid + fed)
        torch.testing.assert_close(post, x)
    torch.testing.assert_close(model.unembed(x), logits)
    assert logits.equal(model.toprobs(model.norm(post)) if norm == "pre" else model.toprobs(post))


def test_looking_at_the_block_leaves_attention_on_the_fast_kernel(monkeypatch):
    model, calls = model_of(), []
    kernel = torch.nn.functional.scaled_dot_product_attention
    monkeypatch.setattr(
        "former.attention.F.scaled_dot_product_attention", lambda *a, **kw: calls.append(1) or kernel(*a, **kw)
    )
    former.run_with_capture(model, TOKENS, BLOCK_POINTS, edits=[former.edits.Edit(1, "mlp_out", torch.zeros_like)])
    assert len(calls) == 3
    former.run_with_capture(model, TOKENS, BLOCK_POINTS, edits=[former.edits.ablate_head(1, 0)])
    assert len(calls) == 3 + 3, "what a head gives is there without its weights"
    former.run_with_capture(model, TOKENS, BLOCK_POINTS, edits=[former.edits.set_weight(1, 0, 2, 1, 0.5)])
    assert len(calls) == 3 + 3 + 2, "the layer of the edit shows its equation"


def test_an_edit_of_the_stream_is_what_the_model_goes_on_with():
    model = model_of()
    removed = former.edits.Edit(2, "mlp_out", torch.zeros_like)
    logits, capture = former.run_with_capture(model, TOKENS, ["resid_mid", "resid_post"], edits=[removed])
    assert torch.equal(capture.get("resid_post", 2), capture.get("resid_mid", 2))
    torch.testing.assert_close(logits, model.unembed(capture.get("resid_mid", 2)))


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_lens_reads_the_stream_before_the_first_block_and_after_each_and_ends_in_the_models_own_logits(norm):
    model = model_of(norm)
    lens = former.logit_lens(model, TOKENS)
    assert lens.shape == (4, 2, 9, 20)
    torch.testing.assert_close(lens[-1], model(TOKENS), atol=1e-5, rtol=0)
    _, capture = former.run_with_capture(model, TOKENS, ["resid_pre"])
    for layer in range(3):
        torch.testing.assert_close(lens[layer], model.unembed(capture.get("resid_pre", layer)))
    values, ids = former.logit_lens(model, TOKENS, top=3)
    assert values.shape == ids.shape == (4, 2, 9, 3)
    expected = lens.sort(-1, descending=True)
    assert torch.equal(values, expected.values[..., :3])
    assert torch.equal(lens.gather(-1, ids), values)


def test_the_lens_of_a_classifier_is_its_verdict_at_each_depth():
    model = model_of(kind=former.Classifier, pad_token=0, num_classes=3)
    tokens = torch.cat((TOKENS.clamp(min=1), torch.zeros(2, 2).long()), 1)
    lens = former.logit_lens(model, tokens)
    assert lens.shape == (4, 2, 3)
    torch.testing.assert_close(lens[-1], model(tokens), atol=1e-6, rtol=0)
    torch.testing.assert_close(lens.exp().sum(-1), torch.ones(4, 2))


def dates_of() -> former.EncoderDecoder:
    torch.manual_seed(0)
    config = former.EncoderDecoderConfig(num_tokens=20, emb=16, heads=4, depth=3, seq_length=16, norm="pre")
    model = former.EncoderDecoder(config).eval()
    for parameter in model.parameters():
        parameter.data += 0.1 * torch.randn(parameter.shape)
    return model


def summed(parts: dict[str, torch.Tensor]) -> torch.Tensor:
    return sum(part.flatten(0, -2).sum(0) if part.dim() > 1 else part for part in parts.values())  # type: ignore[return-value]


@pytest.mark.parametrize("edits", [[], [ablate_head(1, 2), Edit(2, "mlp_out", torch.zeros_like)]], ids=["", "edited"])
@pytest.mark.parametrize(
    "changes",
    [{}, {"tied": True}, {"unify": False}, {"variant": "wide"}, {"positions": "none"}, {"scaled_by_layer": True}],
)
def test_the_parts_of_the_logits_add_up_to_the_logits(changes, edits):
    model = model_of(**changes).double()
    for at in (-1, 4):
        parts = former.logit_parts(model, TOKENS[:1], at, edits=edits)
        assert parts["heads"].shape == (3, 4, 20)
        logits, _ = former.run_with_capture(model, TOKENS[:1], (), edits=edits)
        torch.testing.assert_close(summed(parts), logits[0, at], atol=1e-9, rtol=0)
        if edits:
            assert parts["heads"][1, 2].eq(0).all()
            assert parts["feed_forwards"][2].eq(0).all()


def test_of_an_encoder_decoder_the_decoders_parts_and_the_cross_attentions_add_up():
    model = dates_of().double()
    inputs = TOKENS[:1], TOKENS[1:, :6]
    parts = former.logit_parts(model, inputs, 3)
    assert parts["heads"].shape == parts["cross"].shape == (3, 4, 20)
    torch.testing.assert_close(summed(parts), model(*inputs)[0, 3], atol=1e-9, rtol=0)


def test_a_head_of_the_last_layer_taken_out_under_the_same_norm_takes_its_part_out_of_the_logits():
    """In plain torch, the norm takes its mean from the stream without the head and its deviation from the whole
    stream."""
    model = model_of().double()
    logits, whole = former.run_with_capture(model, TOKENS[:1], ["resid_post", "mlp_out"])
    fed = Edit(2, "mlp_out", lambda _: whole.get("mlp_out", 2))  # what came after it stays as it was
    _, without = former.run_with_capture(model, TOKENS[:1], ["resid_post"], edits=[ablate_head(2, 1), fed])
    x, left = (capture.get("resid_post", 2)[0, 5] for capture in (whole, without))
    deviation = (((x - x.mean()) ** 2).mean() + 1e-5) ** 0.5
    normed = (left - left.mean()) / deviation * model.norm.weight + model.norm.bias
    expected = logits[0, 5] - (model.toprobs.weight @ normed + model.toprobs.bias)
    part = former.logit_parts(model, TOKENS[:1], 5)["heads"][2, 1]
    torch.testing.assert_close(part, expected, atol=1e-9, rtol=0)
