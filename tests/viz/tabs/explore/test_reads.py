"""Heads that read heads: ranked by their composition scores; a path is patched as by the library."""

import pytest
import torch

import former
from former import analysis, patching
from former.checkpoints import CHECKPOINTS
from viz.passes.loaded import Loaded
from viz.tabs.explore.change import reads
from viz.tabs.explore.reading import read_path, read_ranked
from viz.text import NothingToShow, Refusal
from viz.text.examples import CARRIED

PINNED, TEXT = CARRIED["piece"]["name"]


@pytest.fixture(scope="module")
def gpt(loaded_once):  # noqa: ARG001 - who shares it
    return former.load("gpt")


@pytest.fixture(scope="module")
def models(gpt):
    dates = former.load("dates")
    return {
        "gpt": Loaded("gpt", gpt, "gpt", CHECKPOINTS / "gpt"),
        "dates": Loaded("dates", dates, "dates", CHECKPOINTS / "dates"),
    }


@pytest.mark.parametrize("kind", reads.INPUTS)
def test_arcs_are_the_largest_composition_scores_in_order(gpt, kind):
    result, scores = reads.rank_readers(gpt, kind, 20), analysis.composition(gpt.model, kind)
    assert [float(score) for score in result["scores"]] == scores.flatten().sort(descending=True).values[:20].tolist()
    for arc, score in zip(result["arcs"], result["scores"], strict=True):
        assert scores[tuple(arc)] == score
        assert arc[0] > arc[2]
    assert result["pairs"] == int((scores > 0).sum())


def test_more_arcs_than_there_are_give_all(models):
    small = former.load("tiny-generator")
    assert len(reads.rank_readers(small, "q", 100)["arcs"]) == 16  # two layers of four heads
    del models


def test_a_path_lies_between_the_run_and_the_whole_head_as_the_library_measures(gpt):
    pinned, run = gpt.run(PINNED), gpt.run(TEXT)
    result = reads.follow_path(pinned, run, "k", (4, 0), (3, 7))
    apart = analysis.tell_apart(pinned, run)
    metric = patching.logit_difference(apart.answers[0], apart.rivals[0], apart.at)
    path = patching.path(pinned, run, (3, 7), [(4, 0, "k")], metric)
    whole = metric(pinned.patched_into(run, 3, 7))
    assert result["values"] == pytest.approx([metric(run), path, whole, metric(pinned)], abs=1e-5)  # float32
    assert result["shares"][0] == 0
    assert result["shares"][3] == 1
    assert result["shares"][1] == pytest.approx(patching.path(pinned, run, (3, 7), [(4, 0, "k")], metric, share=True))
    torch.testing.assert_close(torch.tensor(result["shares"][2]), patching.heads(pinned, run, metric, share=True)[3, 7])


def test_invalid_arcs_and_models_of_several_stacks_are_refused(models):
    view = {"model": "gpt", "text": TEXT, "edits": [], "reads": "k", "reads_count": 5}
    view |= {"beside": {"model": "gpt", "text": PINNED, "edits": []}}
    arc = {"reader_layer": 4, "reader_head": 0, "writer_layer": 3, "writer_head": 7}
    assert read_path(models, view | arc | {"map": "self"})["writer"] == (3, 7)
    for changed in ({"writer_layer": 4}, {"reader_head": 8}, {"reads": "out"}, {"reads_count": 101}):
        with pytest.raises(Refusal):
            read_path(models, view | arc | changed)
    with pytest.raises(NothingToShow) as refused:
        read_ranked(models, {"model": "dates", "reads": "k", "reads_count": 5})
    assert refused.value.note["key"] == "reads_not"
