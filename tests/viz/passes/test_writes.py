"""A head's effect on the logits, compared with the output layer in plain torch on the head's output."""

import math
from typing import Any

import pytest
import torch

import former
from former import analysis
from tests.ranked import check_largest, check_order
from tests.viz.passes.answered import answered, run
from viz.passes.loaded import Loaded
from viz.passes.run import Pass
from viz.text import NothingToShow, Refusal

EDIT = [{"layer": 1, "head": 2, "do": "scale", "factor": -2.0}]
TEXT = "The cat sat"


def written(loaded: Loaded, made: Pass, name: str, layer: int, head: int, query: int | None, **more: Any) -> dict:
    """Answers the page's question about what a head of a pass writes."""
    return answered("writes/written", loaded, made, map=name, layer=layer, head=head, query=query, **more)


def total(parts: dict) -> float:
    return sum(float(torch.tensor(part).sum()) for part in parts.values())


@pytest.mark.parametrize("edits", [[], EDIT], ids=["as it is", "edited"])
def test_the_tokens_that_a_head_raises_and_lowers_are_those_of_the_output_layer_on_its_output(generator, edits):
    pass_ = run(generator, TEXT, edits)
    usual, every = (written(generator, pass_, "self", 1, 2, 6, every=every) for every in (False, True))
    model = generator.bundle.model
    observers = [former.edits.scale_head(1, 2, -2.0)] if edits else []
    points = ["out", "resid_post"]
    _, capture = former.run_with_capture(model, torch.tensor([pass_.header["ids"]]), points, edits=observers)
    x = capture.get("resid_post", 2)[0, 6]
    unify = model.transformer.blocks[1].attention.unifyheads.weight[:, 2 * 8 : 3 * 8]  # of head 2, s = 8
    part = unify @ capture.get("out", 1)[0, 2, 6]
    normed = model.norm.weight * (part - part.mean()) / (x.var(correction=0) + 1e-5).sqrt()
    added = model.toprobs.weight @ normed
    added -= added.mean()
    tolerance = 1e-5  # float32 on both sides
    control = torch.tensor([(i < 32 and i not in b"\t\n") or i == 127 for i in range(256)])
    for lists, left_out in ((usual, control), (every, torch.zeros(256, dtype=torch.bool))):
        for ids, values, sign in ((lists["ids"], lists["raised"], 1), (lists["lowered_ids"], lists["lowered"], -1)):
            ranked = (sign * added).masked_fill(left_out, -math.inf)
            check_order(ids, [sign * value for value in values], ranked, tolerance)
            assert len(ids) == len(values) == 10
    assert usual["parts"]["heads"][1][2] == pytest.approx(float(added[TEXT.encode()[7]]), abs=tolerance)


@pytest.mark.parametrize("edits", [[], EDIT], ids=["as it is", "edited"])
@pytest.mark.parametrize(("at", "token"), [(6, None), (10, None), (3, 65)])
def test_the_parts_add_up_to_the_logit_of_the_token_that_follows_or_is_asked_for(generator, edits, at, token):
    pass_ = run(generator, TEXT, edits)
    result = written(generator, pass_, "self", 2, 0, at, answer=token)
    observers = [former.edits.scale_head(1, 2, -2.0)] if edits else []
    logits, _ = former.run_with_capture(
        generator.bundle.model, torch.tensor([pass_.header["ids"]]), (), edits=observers
    )
    follows = None if at == 10 else TEXT.encode()[at + 1]
    if token is None and follows is None:
        check_largest(meant := result["token"], logits[0, at], 2e-5)  # float32 on both sides
    else:
        meant = token or follows
    assert (result["token"], result["follows"]) == (meant, follows)
    assert total(result["parts"]) == pytest.approx(float(logits[0, at, meant]), abs=2e-5)
    assert result["logit"] == pytest.approx(float(logits[0, at, meant]), abs=2e-5)
    assert {str(i) for i in result["ids"]} <= result["labels"].keys()
    without, _ = former.run_with_capture(
        generator.bundle.model,
        torch.tensor([pass_.header["ids"]]),
        (),
        edits=[*observers, former.edits.ablate_head(2, 0)],
    )
    assert result["without"][0] == pytest.approx(float(without[0, at, meant]), abs=2e-5)


def test_a_head_opens_where_it_adds_most_to_the_token_that_follows(generator):
    pass_ = run(generator, TEXT)
    ids = pass_.header["ids"]
    adds = torch.tensor(
        [
            [
                [float(analysis.head_writes(pass_.run, layer, head, at).added[ids[at + 1]]) for at in range(10)]
                for head in range(4)
            ]
            for layer in range(3)
        ]
    )
    result = written(generator, pass_, "self", 1, 2, None)
    check_largest(result["at"], adds[1, 2], 1e-5)  # float32 on both sides
    layer, head, at, value = result["strongest"]
    assert value == pytest.approx(float(adds.max()), abs=1e-5)
    assert value == pytest.approx(float(adds[layer, head, at]), abs=1e-5)
    alone = written(generator, run(generator, "a"), "self", 1, 2, None)
    assert (alone["at"], alone["strongest"]) == (0, None)


@pytest.mark.parametrize(("name", "group"), [("cross", "cross"), ("decoder", "heads")])
def test_of_an_encoder_decoder_the_answers_heads_write(name, group):
    loaded = Loaded("dates", former.load("dates"), "")
    pass_ = run(loaded, "4 July 1976")
    result = written(loaded, pass_, name, 2, 1, 3)
    inputs = (torch.tensor([pass_.header["ids"]]), torch.tensor([pass_.header["answer"]["ids"]]))
    follows = pass_.header["answer"]["ids"][4]
    assert total(result["parts"]) == pytest.approx(float(loaded.bundle.model(*inputs)[0, 3, follows]), abs=5e-5)
    removed = former.edits.Edit(2, f"{name}.out", lambda out: out * torch.tensor([1.0, 0, 1, 1])[:, None, None])
    without, _ = former.run_with_capture(loaded.bundle.model, inputs, (), edits=[removed])
    assert result["without"][0] == pytest.approx(float(without[0, 3, follows]), abs=5e-5)
    added = dict(zip(result["ids"] + result["lowered_ids"], result["raised"] + result["lowered"], strict=True))
    assert added.get(follows, result["parts"][group][2][1]) == pytest.approx(result["parts"][group][2][1], abs=1e-5)
    with pytest.raises(Refusal, match="encoder’s heads"):
        written(loaded, pass_, "encoder", 2, 1, 3)


def test_what_is_not_there_is_refused_and_a_classifier_is_told_why(generator, classifier):
    pass_ = run(generator, TEXT)
    for head, token in (((3, 0, 0), None), ((0, 4, 0), None), ((0, 0, 11), None), ((0, 0, 0), 256)):
        with pytest.raises(Refusal) as refused:
            written(generator, pass_, "self", *head, answer=token)
        assert refused.value.note["key"] == "bad_request"
    with pytest.raises(NothingToShow, match="norm before each sublayer"):
        written(classifier, run(classifier, "a good film"), "self", 0, 0, 0)
