"""Section "The block": the guess at each point is the logit lens, and without attention no token reaches another."""

import copy
from typing import Any

import numpy as np
import pytest
import torch

import former
from former.hooks import at_points
from tests.ranked import check_order
from viz.passes.loaded import Loaded
from viz.tabs.learn.sections import block
from viz.tabs.learn.sections.block import block_facts
from viz.text import Refusal

VIEW = {"text": "The cat sat on the mat.", "at": 7, "attention": "on"}


def ask(name: str, models: dict[str, Loaded], view: dict[str, Any]) -> dict[str, Any]:
    return block.SECTION.questions[name].answer(models, view)


@pytest.fixture(scope="module")
def shipped() -> dict[str, Loaded]:
    return {"tiny-generator": Loaded("tiny-generator", former.load("tiny-generator"), "one")}


def test_what_the_model_would_say_is_the_logit_lens_before_the_first_block_and_after_each(shipped):
    loaded = shipped["tiny-generator"]
    ids = loaded.bundle.tokenizer.encode(VIEW["text"])
    lens = former.logit_lens(loaded.bundle.model, torch.tensor([ids]))[:, 0, 7].softmax(-1)
    points = ask("through", shipped, VIEW)["points"]
    assert [(point["part"], point["layer"]) for point in points] == [
        ("embedding", 0),
        ("attention", 1),
        ("feed_forward", 1),
        ("attention", 2),
        ("feed_forward", 2),
    ]
    for point, exact in zip(points[::2], lens, strict=True):
        labels = [loaded.bundle.tokenizer.labels([i])[0] for i in range(256)]
        names, probs = zip(*[(guess["label"], guess["prob"]) for guess in point["top"]], strict=True)
        check_order(names, probs, dict(zip(labels, exact.tolist(), strict=True)), 2e-5)  # float32 on both sides
        assert len(names) == 3


def test_what_is_added_is_what_the_layers_give(shipped):
    model = shipped["tiny-generator"].bundle.model
    ids = torch.tensor([list(VIEW["text"].encode())])
    points = ask("through", shipped, VIEW)["points"]
    with torch.no_grad():
        x = model.transformer.embed(ids)
        added = [x]
        for layer in model.transformer.blocks:
            added.append(layer.attention(layer.norm1(x), model.mask(ids.shape[1])))
            x = x + added[-1]
            added.append(layer.ff(layer.norm2(x)))
            x = x + added[-1]
    exact = [part[0, 7].norm().item() for part in added]
    assert [point["added"] for point in points] == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize("norms", block.NORMS)
def test_the_stages_are_what_the_block_computes_one_after_another(shipped, norms):
    actual = ask("through", shipped, VIEW | {"norms": norms})
    model = former.load(block.POST if norms == "post" else "tiny-generator").model
    ids = torch.tensor([list(VIEW["text"].encode())])
    with torch.no_grad():
        x, mask = model.transformer.embed(ids), model.mask(ids.shape[1])
        for layer, lengths in zip(model.transformer.blocks, actual["stages"], strict=True):
            if norms == "pre":
                first = layer.norm1(x)
                attention = layer.attention(first, mask)
                middle = x + attention
                second = layer.norm2(middle)
                ff = layer.ff(second)
                vectors = (first, attention, middle, second, ff, x := middle + ff)
            else:
                attention = layer.attention(x, mask)
                middle = layer.norm1(x + attention)
                ff = layer.ff(middle)
                vectors = (attention, x + attention, middle, ff, middle + ff, x := layer.norm2(middle + ff))
            assert lengths == pytest.approx([float(vector[0, 7].norm()) for vector in vectors], rel=1e-4)


def test_with_attention_later_outputs_move_and_without_it_no_other_does(shipped):
    result = ask("through", shipped, VIEW)
    assert result["moved"][:7] == [0] * 7, "the model is causal"
    assert min(result["moved"][7:]) > 0
    off = ask("through", shipped, VIEW | {"attention": "off"})
    assert off["moved"] == off["movedOff"] == result["movedOff"]
    assert [i for i, value in enumerate(off["moved"]) if value] == [7]
    biases = [layer.attention.unifyheads.bias for layer in shipped["tiny-generator"].bundle.model.transformer.blocks]
    added = [point["added"] for point in off["points"] if point["part"] == "attention"]
    assert added == pytest.approx([bias.norm().item() for bias in biases], rel=1e-3), (
        "of attention only its bias is left"
    )


def test_a_token_past_the_end_is_the_last_and_a_long_text_is_cut(shipped):
    assert ask("through", shipped, VIEW | {"at": 39})["at"] == len(VIEW["text"]) - 1
    assert len(ask("through", shipped, VIEW | {"text": "long " * 100})["labels"]) == block.MOST_TOKENS


@pytest.mark.parametrize("wrong", [{"text": " "}, {"at": 40}, {"at": -1}, {"attention": "half"}, {"text": None}])
def test_a_view_that_is_none_is_refused(shipped, wrong):
    with pytest.raises(Refusal):
        ask("through", shipped, VIEW | wrong)


def test_only_without_softmax_activation_and_norm_is_the_block_additive_and_then_to_rounding(shipped):
    cases = {tuple(case["left"]): case["off"] for case in ask("linear", shipped, VIEW)["cases"]}
    assert cases.keys() == {("softmax", "activation", "norm"), ("softmax",), ("activation",), ("norm",), ()}
    assert cases[()] < 1e-5
    assert min(off for left, off in cases.items() if left) > 1e-3


def test_the_block_with_frozen_weights_and_nothing_else_left_is_its_matrices_in_a_row(shipped):
    model = shipped["tiny-generator"].bundle.model
    ids = torch.tensor([list(VIEW["text"].encode())])
    with torch.no_grad():
        x = model.transformer.embed(ids)
        _, capture = former.run_with_capture(model, ids, ("weights",), [0])
        state = {name: tensor.double().numpy() for name, tensor in model.transformer.blocks[0].state_dict().items()}
    frozen, rows = capture.get("weights", 0)[0].double().numpy(), x[0].double().numpy()
    values = rows @ state["attention.tovalues.weight"].T  # (t, h·s)
    heads = [frozen[h] @ values[:, 16 * h : 16 * (h + 1)] for h in range(4)]
    y = rows + np.concatenate(heads, 1) @ state["attention.unifyheads.weight"].T + state["attention.unifyheads.bias"]
    y = y + (y @ state["ff.0.weight"].T + state["ff.0.bias"]) @ state["ff.2.weight"].T + state["ff.2.bias"]

    bare = copy.deepcopy(model.transformer.blocks[0])
    bare.norm1 = bare.norm2 = bare.ff[1] = torch.nn.Identity()
    hook = at_points(["weights"], lambda *_: capture.get("weights", 0))
    with torch.no_grad():
        assert bare(x, model.mask(ids.shape[1]), hook)[0].numpy() == pytest.approx(y, rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("norm", block.NORMS)
def test_the_gradients_at_the_start_are_those_of_differences_along_them(norm):
    config = former.ModelConfig(emb=16, heads=2, depth=3, seq_length=8, norm=norm)
    tokens = torch.tensor([list(b"the cat")])
    sizes = block_facts.gradients(config, tokens, seed=4)
    model = block_facts.glorot_model(config, 4).double()

    def loss() -> torch.Tensor:
        return torch.nn.functional.cross_entropy(model(tokens[:, :-1])[0], tokens[0, 1:])

    loss().backward()
    for layer, size in zip(model.transformer.blocks, sizes, strict=True):
        parameters = list(layer.parameters())
        steps = [
            parameter.grad / size for parameter in parameters if parameter.grad is not None
        ]  # of length 1, along the gradient
        ends = []
        with torch.no_grad():
            for way in (1e-5, -2e-5):
                for parameter, step in zip(parameters, steps, strict=True):
                    parameter.add_(way * step)
                ends.append(float(loss()))
            for parameter, step in zip(parameters, steps, strict=True):
                parameter.add_(1e-5 * step)
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(size, rel=1e-3)


def test_post_norm_gives_the_last_blocks_the_larger_gradient_and_pre_norm_does_not(shipped):
    for seed in range(3):
        result = ask("gradient", shipped, VIEW | {"depth": 12, "seed": seed})
        post, pre = result["post"], result["pre"]
        assert len(post) == len(pre) == 12
        assert post[-1] / post[0] > 1.5 * pre[-1] / pre[0]


@pytest.mark.parametrize("wrong", [{"depth": 1}, {"depth": 25}, {"seed": -1}, {"text": "a"}, {"depth": "3"}])
def test_a_view_of_the_gradients_that_is_none_is_refused(shipped, wrong):
    with pytest.raises(Refusal):
        ask("gradient", shipped, VIEW | {"depth": 3, "seed": 0} | wrong)
