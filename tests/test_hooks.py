"""Observers and edits passed as arguments: what they capture, no traces on the model, several calls at once."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import former
from former import cpu, edits
from former.hooks import POINTS

CONFIG = former.ModelConfig(num_tokens=20, emb=16, heads=4, depth=3, seq_length=16)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return former.Generator(CONFIG).eval()


@pytest.fixture
def tokens():
    return torch.randint(20, (2, 9), generator=torch.Generator().manual_seed(1))


def test_capture_holds_every_point_in_its_shape(model, tokens):
    _, capture = former.run_with_capture(model, tokens, names=POINTS)
    b, t, h, s = 2, 9, 4, 4
    for layer in range(3):
        for name in POINTS:
            shape = (b, h, t, t) if name in ("scores", "weights") else (b, h, t, s)
            assert capture.get(name, layer).shape == shape
            assert not capture.get(name, layer).requires_grad
        scores, weights = former.attention_weights(
            capture.get("q", layer), capture.get("k", layer), former.masks.causal(t)
        )
        torch.testing.assert_close(capture.get("scores", layer), scores)
        torch.testing.assert_close(capture.get("weights", layer), weights)
        torch.testing.assert_close(capture.get("out", layer), weights @ capture.get("v", layer))
        torch.testing.assert_close(weights.sum(-1), torch.ones(b, h, t))


def test_capture_changes_no_output(model, tokens):
    output, _ = former.run_with_capture(model, tokens, names=POINTS)
    torch.testing.assert_close(output, model(tokens), atol=1e-5, rtol=0)


def test_layers_not_asked_for_stay_on_the_fast_kernel(model, tokens, monkeypatch):
    kernel = torch.nn.functional.scaled_dot_product_attention
    calls = []
    monkeypatch.setattr(
        "former.attention.F.scaled_dot_product_attention", lambda *a, **kw: calls.append(1) or kernel(*a, **kw)
    )
    _, capture = former.run_with_capture(model, tokens, layers=[1])
    assert len(calls) == 2
    with pytest.raises(KeyError, match=r"no 'weights' of layer 0 was captured, only \[\('weights', 1\)\]"):
        capture.get("weights", 0)


def test_capture_can_look_at_a_classifier(tokens):
    classifier = former.Classifier(CONFIG).eval()
    output, capture = former.run_with_capture(classifier, tokens)
    assert capture.stack("weights").shape == (3, 2, 4, 9, 9)
    torch.testing.assert_close(output, classifier(tokens), atol=1e-5, rtol=0)


def test_a_capture_is_indexed_by_point_and_layer(model, tokens):
    _, capture = former.run_with_capture(model, tokens)
    assert capture["weights", 2] is capture.get("weights", 2)
    with pytest.raises(KeyError, match="no 'q' of layer 0 was captured"):
        capture["q", 0]
    keys: Any = ["weights", ("weights", 0, 1)]
    for key in keys:
        with pytest.raises(KeyError, match=r"a key must be a name and a layer, got .*weights"):
            capture[key]


def test_with_grad_the_gradients_of_what_is_captured_predict_what_a_small_change_does():
    torch.manual_seed(0)
    model, tokens = former.Generator(CONFIG).double().eval(), torch.tensor([[3, 1, 4, 1, 5]])
    logits, capture = former.run_with_capture(model, tokens, grad=True)
    (slope,) = torch.autograd.grad(logits[0, -1, 7], capture["weights", 1])
    step = 1e-6
    weight = capture["weights", 1][0, 2, 4, 3].detach()
    edit = former.edits.set_weight(1, 2, 4, 3, float(weight) + step, renormalise=False)
    changed, _ = former.run_with_capture(model, tokens, edits=[edit])
    # The error, of the second derivative, is of the order of the step.
    gain = float((changed[0, -1, 7] - logits[0, -1, 7]).detach())
    assert gain / step == pytest.approx(float(slope[0, 2, 4, 3]), abs=1e-4)
    assert not former.run_with_capture(model, tokens)[0].requires_grad


def test_stacked_layers_of_one_tensor_each_get_their_gradient(model, tokens):
    held = torch.rand(3, 2, 4, 9, 4, requires_grad=True)
    given = [edits.Edit(layer, "out", lambda _, layer=layer: held[layer]) for layer in range(3)]
    _, capture = former.run_with_capture(model, tokens, ["out"], edits=given, grad=True)
    (gradient,) = torch.autograd.grad(capture.stack("out").square().sum(), held)
    torch.testing.assert_close(gradient, 2 * held)


def test_grad_of_a_fast_twin_is_refused(model, tokens):
    fast = cpu.optimise(model)
    if fast is not model:  # only where this machine has a fast way
        with pytest.raises(ValueError, match=r"such as a fast twin .*, got FastGenerator"):
            former.run_with_capture(fast, tokens, grad=True)


def test_grad_of_a_frozen_model_or_in_inference_mode_is_refused_with_the_reason(tokens):
    frozen = former.Generator(CONFIG).requires_grad_(False)
    with pytest.raises(ValueError, match="or one whose parameters need no gradients, got Gen"):
        former.run_with_capture(frozen, tokens, grad=True)
    with torch.inference_mode(), pytest.raises(ValueError, match=r"grad must be False in torch\.inference_mode"):
        former.run_with_capture(former.Generator(CONFIG), tokens, grad=True)


ENCODER_DECODER = former.EncoderDecoderConfig(num_tokens=20, emb=16, heads=4, depth=2, seq_length=16)
BERT = former.BertConfig(num_tokens=20, emb=16, heads=4, depth=2, seq_length=16)
XL = former.TransformerXLConfig(num_tokens=20, emb=16, heads=4, depth=2)


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        (former.Generator, CONFIG),
        (former.Classifier, CONFIG),
        (former.EncoderDecoder, ENCODER_DECODER),
        (former.Bert, BERT),
        (former.BertClassifier, BERT),
        (former.TransformerXL, XL),
    ],
)
def test_an_observer_may_also_be_given_by_its_earlier_name(kind, config, tokens):
    model = kind(config).eval()
    inputs = (tokens, tokens) if kind is former.EncoderDecoder else (tokens,)
    point = "cross.weights" if kind is former.EncoderDecoder else "weights"
    now, before = former.Capture(point), former.Capture(point)
    model(*inputs, observer=now)
    model(*inputs, capture=before)
    assert torch.equal(now[point, 1], before[point, 1])


def test_an_ablated_head_adds_nothing_and_others_stay(model, tokens):
    _, before = former.run_with_capture(model, tokens, names=POINTS)
    output, after = former.run_with_capture(model, tokens, names=POINTS, edits=[former.edits.ablate_head(1, 2)])
    assert (after.get("out", 1)[:, 2] == 0).all()
    others = [0, 1, 3]
    assert torch.equal(after.get("out", 1)[:, others], before.get("out", 1)[:, others])
    assert torch.equal(after.get("weights", 1), before.get("weights", 1))
    assert not torch.allclose(output, model(tokens))


def test_ablating_equals_zeroing_the_heads_columns_of_unifyheads(model, tokens):
    output, _ = former.run_with_capture(model, tokens, edits=[former.edits.ablate_head(1, 2)])
    copy = former.Generator(CONFIG).eval()
    copy.load_state_dict(model.state_dict())
    copy.state_dict()["transformer.blocks.1.attention.unifyheads.weight"][:, 2 * 4 : 3 * 4] = 0
    torch.testing.assert_close(output, copy(tokens), atol=1e-5, rtol=0)


def test_scaling_a_head_scales_what_it_adds(model, tokens):
    plain, before = former.run_with_capture(model, tokens, names=["out"])
    _, after = former.run_with_capture(model, tokens, names=["out"], edits=[former.edits.scale_head(0, 3, -2.5)])
    torch.testing.assert_close(after.get("out", 0)[:, 3], -2.5 * before.get("out", 0)[:, 3])
    unchanged, _ = former.run_with_capture(model, tokens, ["out"], edits=[former.edits.scale_head(0, 3, 1.0)])
    assert torch.equal(unchanged, plain)


def test_set_weights_replaces_what_the_head_averages_with(model, tokens):
    uniform = former.masks.causal(9) / former.masks.causal(9).sum(-1, keepdim=True)
    _, capture = former.run_with_capture(model, tokens, names=POINTS, edits=[former.edits.set_weights(2, 1, uniform)])
    assert torch.equal(capture.get("weights", 2)[0, 1], uniform)
    average = uniform @ capture.get("v", 2)[:, 1]
    torch.testing.assert_close(capture.get("out", 2)[:, 1], average)


@pytest.mark.parametrize("renormalise", [True, False])
def test_set_weight_changes_one_weight_and_where_asked_the_rest_of_its_row_shares_what_is_left(
    model, tokens, renormalise
):
    points = ["weights", "v", "out"]
    _, before = former.run_with_capture(model, tokens, points)
    edit = former.edits.set_weight(1, 2, 5, 3, 0.25, renormalise=renormalise)
    _, after = former.run_with_capture(model, tokens, points, edits=[edit])
    expected = before.get("weights", 1).tolist()
    for sequence in expected:
        row = sequence[2][5]
        others = sum(weight for key, weight in enumerate(row) if key != 3)
        for key in range(len(row)):
            if key == 3:
                row[key] = 0.25
            elif renormalise:
                row[key] *= 0.75 / others
    changed = after.get("weights", 1)
    torch.testing.assert_close(changed, torch.tensor(expected), atol=1e-6, rtol=0)
    torch.testing.assert_close(after.get("out", 1), changed @ after.get("v", 1))
    assert torch.equal(after.get("weights", 0), before.get("weights", 0))


def test_a_row_of_one_weight_has_nothing_to_renormalise(model, tokens):
    edit = former.edits.set_weight(0, 0, 0, 0, 0.25)
    _, capture = former.run_with_capture(model, tokens, edits=[edit])
    assert capture.get("weights", 0)[0, 0, 0].tolist() == [0.25, *[0.0] * (tokens.shape[1] - 1)]


@pytest.mark.parametrize(("dtype", "least"), [(torch.float32, 1e-40), (torch.float16, 1e-6)])
def test_a_row_whose_other_weights_are_tiny_still_sums_to_1(dtype, least):
    weights = torch.tensor([[1.0, 0.0, 0.0], [1.0, least, 0.0], [1.0, 0.0, least]], dtype=dtype)[None, None]
    changed = former.edits.set_weight(0, 0, 1, 0, 0.25).change(weights)
    assert changed[0, 0].tolist() == [[1, 0, 0], [0.25, 0.75, 0], weights[0, 0, 2].tolist()]


def test_edits_act_in_their_order(model, tokens):
    edits = [former.edits.scale_head(0, 0, 3.0), former.edits.ablate_head(0, 0), former.edits.scale_head(0, 0, 5.0)]
    both, _ = former.run_with_capture(model, tokens, edits=edits)
    ablated, _ = former.run_with_capture(model, tokens, edits=edits[1:2])
    assert torch.equal(both, ablated)


def test_a_hook_that_returns_another_shape_is_refused():
    q = torch.randn(1, 2, 3, 4)
    with pytest.raises(ValueError, match=r"replace 'weights' by a tensor of shape \(1, 2, 3, 3\), got \(1, 2, 3\)"):
        former.attend(q, q, q, hook=lambda name, tensor: tensor[..., 0] if name == "weights" else None)


def test_40_threads_that_capture_at_once_on_one_shared_model_each_get_their_own_tensors(model):
    inputs = [torch.randint(20, (1, 3 + i % 13), generator=torch.Generator().manual_seed(i)) for i in range(40)]
    edits = [[former.edits.ablate_head(i % 3, i % 4)] if i % 2 else [] for i in range(40)]
    alone = [former.run_with_capture(model, x, POINTS, edits=edit) for x, edit in zip(inputs, edits, strict=True)]
    together = threading.Barrier(40)

    def capture_five_times(i):
        together.wait()
        return [former.run_with_capture(model, inputs[i], POINTS, edits=edits[i]) for _ in range(5)]

    with ThreadPoolExecutor(40) as pool:
        results = list(pool.map(capture_five_times, range(40)))
    for (expected, expected_capture), runs in zip(alone, results, strict=True):
        for output, capture in runs:
            assert torch.equal(output, expected)
            for name in POINTS:
                assert torch.equal(capture.stack(name), expected_capture.stack(name))


def everything_on(module: nn.Module) -> dict:
    """Returns every attribute of every module by identity, and every tensor's content."""
    return {
        (path, name): (id(value), value.clone() if isinstance(value, torch.Tensor) else len(value))
        for path, part in module.named_modules()
        for store in (part.__dict__, part._parameters, part._buffers, part._modules)
        for name, value in store.items()
        if isinstance(value, torch.Tensor | dict)
    } | {(path, "names"): (sorted(part.__dict__), None) for path, part in module.named_modules()}


def test_after_any_call_no_module_carries_a_hook_an_attribute_or_a_tensor_of_a_request(model, tokens):
    classifier = former.Classifier(CONFIG).eval()
    before = [everything_on(model), everything_on(classifier)]
    for any_model in (model, classifier):
        any_model(tokens)
        former.run_with_capture(any_model, tokens, POINTS, edits=[former.edits.ablate_head(0, 0)])
        former.analysis.ablation_effects(any_model, tokens[:1])
        former.analysis.influence(any_model, tokens[:1])
        with pytest.raises(ValueError, match="head"):
            former.run_with_capture(any_model, tokens, edits=[former.edits.ablate_head(0, 9)])
    list(former.generate(model, [1, 2], 20, capture=True))
    next(former.generate(model, [1, 2], 20, capture=True))  # and left in the middle
    for old, new in zip(before, [everything_on(model), everything_on(classifier)], strict=True):
        assert old.keys() == new.keys()
        for key, (identity, content) in old.items():
            assert new[key][0] == identity
            same = torch.equal(content, new[key][1]) if isinstance(content, torch.Tensor) else content == new[key][1]
            assert same, key


def test_edits_take_numbers_of_numpy_and_maps_of_slices_in_any_order_are_stacked():
    model = former.Generator(former.ModelConfig(num_tokens=9, emb=8, heads=2, depth=2, seq_length=8)).eval()
    tokens, held = torch.arange(5)[None], torch.rand(2, 1, 2, 5, 4)
    half: Any = np.float32(0.5)
    for edit in (edits.scale_head(0, 0, half), edits.set_weight(0, 0, 1, 0, half)):
        assert former.run_with_capture(model, tokens, edits=[edit])[0].isfinite().all()
    given = [edits.Edit(layer, "out", lambda _, layer=layer: held[1 - layer]) for layer in (0, 1)]
    capture = former.run_with_capture(model, tokens, ["out"], edits=given)[1]
    assert torch.equal(capture.stack("out"), held.flip(0))
