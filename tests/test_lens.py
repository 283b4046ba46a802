"""The block's points and the logit lens: what stands in the residual stream, and what the model would say there."""

from dataclasses import replace
from typing import Any

import pytest
import torch

import former
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
    assert len(calls) == 3 + 2, "the layer of the edit shows its equation"


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
