"""Section "The block": what is said at each point is the logit lens, and without attention no token reaches another."""

import pytest
import torch

import former
from viz.passes.run import Loaded
from viz.tabs.learn.sections import block
from viz.text import Refusal

VIEW = {"text": "The cat sat on the mat.", "at": 7, "attention": "on"}


@pytest.fixture(scope="module")
def shipped() -> dict[str, Loaded]:
    return {"tiny-generator": Loaded("tiny-generator", former.load("tiny-generator"), "one")}


def test_what_the_model_would_say_is_the_logit_lens_before_the_first_block_and_after_each(shipped):
    loaded = shipped["tiny-generator"]
    ids = loaded.bundle.tokenizer.encode(VIEW["text"])
    lens = former.logit_lens(loaded.bundle.model, torch.tensor([ids]))[:, 0, 7].softmax(-1)
    points = block.through(shipped, VIEW)["points"]
    assert [(point["part"], point["layer"]) for point in points] == [
        ("embedding", 0),
        ("attention", 1),
        ("feed_forward", 1),
        ("attention", 2),
        ("feed_forward", 2),
    ]
    for point, exact in zip(points[::2], lens, strict=True):
        probs, tokens = exact.topk(3)
        assert [guess["label"] for guess in point["top"]] == loaded.bundle.tokenizer.labels(tokens.tolist())
        assert [guess["prob"] for guess in point["top"]] == pytest.approx(probs.tolist(), abs=2e-5)


def test_what_is_added_is_what_the_layers_give(shipped):
    model = shipped["tiny-generator"].bundle.model
    ids = torch.tensor([list(VIEW["text"].encode())])
    points = block.through(shipped, VIEW)["points"]
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


def test_with_attention_later_outputs_move_and_without_it_no_other_does(shipped):
    found = block.through(shipped, VIEW)
    assert found["moved"][:7] == [0] * 7, "the model is causal"
    assert min(found["moved"][7:]) > 0
    off = block.through(shipped, VIEW | {"attention": "off"})
    assert off["moved"] == off["movedOff"] == found["movedOff"]
    assert [i for i, value in enumerate(off["moved"]) if value] == [7]
    biases = [layer.attention.unifyheads.bias for layer in shipped["tiny-generator"].bundle.model.transformer.blocks]
    added = [point["added"] for point in off["points"] if point["part"] == "attention"]
    assert added == pytest.approx([bias.norm().item() for bias in biases], rel=1e-3), (
        "of attention only its bias is left"
    )


def test_a_token_past_the_end_is_the_last_and_a_long_text_is_cut(shipped):
    assert block.through(shipped, VIEW | {"at": 39})["at"] == len(VIEW["text"]) - 1
    assert len(block.through(shipped, VIEW | {"text": "long " * 100})["labels"]) == block.MOST


@pytest.mark.parametrize("wrong", [{"text": " "}, {"at": 40}, {"at": -1}, {"attention": "half"}, {"text": None}])
def test_a_view_that_is_none_is_refused(shipped, wrong):
    with pytest.raises(Refusal):
        block.through(shipped, VIEW | wrong)
