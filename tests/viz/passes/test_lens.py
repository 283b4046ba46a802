"""The logit lens of a pass compared with the output layer in plain torch, applied to the captured residual stream."""

import gzip
import json

import pytest
import torch
import torch.nn.functional as F

import former
from former.edits import scale_head
from tests.ranked import check_order
from tests.viz.passes.answered import answered, run
from viz.passes import lens
from viz.passes.loaded import Loaded

TOLERANCE = 2e-5  # of probabilities: float32 on both sides
EDIT = [{"layer": 1, "head": 2, "do": "scale", "factor": -2.0}]


def streams(loaded: Loaded, ids: list[int], edits: list) -> list[torch.Tensor]:
    """Returns the residual stream before the first block and after each block, (t, e)."""
    model = loaded.bundle.model
    observers = [scale_head(edit["layer"], edit["head"], edit["factor"]) for edit in edits]
    _, capture = former.run_with_capture(model, torch.tensor([ids]), ["resid_pre", "resid_post"], edits=observers)
    after = [capture.get("resid_post", layer)[0] for layer in range(model.config.depth)]
    return [capture.get("resid_pre", 0)[0], *after]


def output(loaded: Loaded, x: torch.Tensor) -> torch.Tensor:
    """Applies the last norm and the output layer: (t, e) → logits."""
    model = loaded.bundle.model
    normed = F.layer_norm(x, x.shape[-1:], model.norm.weight, model.norm.bias)
    return normed @ model.toprobs.weight.T + model.toprobs.bias


@pytest.mark.parametrize("edits", [[], EDIT], ids=["as it is", "edited"])
def test_each_cell_names_the_ten_likeliest_of_the_output_layer_on_the_stream(generator, edits):
    pass_ = run(generator, "The cat sat", edits)
    result = answered("lens/depths", generator, pass_)
    rows = streams(generator, pass_.header["ids"], edits)
    assert len(result["ids"]) == len(result["probs"]) == len(rows) == 4
    for depth, x in enumerate(rows):
        probs = output(generator, x).softmax(-1)
        for column, expected in enumerate(probs):
            check_order(result["ids"][depth][column], result["probs"][depth][column], expected, TOLERANCE)
            assert len(result["ids"][depth][column]) == 10
    values = {candidate["id"]: candidate["prob"] for candidate in pass_.header["output"]["next"]}
    for i, prob in zip(result["ids"][-1][-1], result["probs"][-1][-1], strict=True):
        assert values[i] == pytest.approx(prob, abs=TOLERANCE), "the last row is what the model says"


def test_edits_change_what_follows_them_and_nothing_before(generator):
    plain, edited = (answered("lens/depths", generator, run(generator, "The cat sat", edits)) for edits in ([], EDIT))
    changes = (torch.tensor(plain["probs"]) - torch.tensor(edited["probs"])).abs().amax((1, 2))
    assert changes[:2].max() < TOLERANCE < 1e-3 < changes[2:].min()


def test_of_a_classifier_it_is_the_verdict_at_each_depth(classifier):
    pass_ = run(classifier, "not a good film, but the great film was bad.", EDIT)
    result = answered("lens/depths", classifier, pass_)
    for depth, x in enumerate(streams(classifier, pass_.header["ids"], EDIT)):
        model = classifier.bundle.model
        pooled = F.layer_norm(x, x.shape[-1:], model.norm.weight, model.norm.bias).mean(0)
        probs = (pooled @ model.toprobs.weight.T + model.toprobs.bias).softmax(-1)
        check_order(result["ids"][depth][0], result["probs"][depth][0], probs, TOLERANCE)
        assert len(result["ids"][depth][0]) == 2
    assert result["labels"] == {"0": "negative", "1": "positive"}


def test_of_a_long_text_so_much_is_sent_and_no_more(generator, monkeypatch):
    pass_ = run(generator, "The cat sat on the mat. " * 2)
    monkeypatch.setattr(lens, "NAMED", 4 * 48 * 3)
    result = answered("lens/depths", generator, pass_)
    assert {len(best) for row in result["ids"] for best in row} == {3}


def test_the_longest_text_of_the_first_model_takes_150_kb_at_most():
    gpt = Loaded("gpt", former.load("gpt"), "")
    pass_ = run(gpt, " ".join(f"{i} towns" for i in range(300)))
    assert pass_.header["tokens"] == gpt.bundle.config.seq_length
    result = answered("lens/depths", gpt, pass_)
    assert len(gzip.compress(json.dumps(result).encode(), 6)) < 150_000
    assert len(result["ids"][0][0]) == lens.TOP
