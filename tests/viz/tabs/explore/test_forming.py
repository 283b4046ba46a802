"""Heads during training: the stored curve compared with plain torch on the snapshots, and a snapshot on the page."""

import math
import shutil
from typing import Any

import pytest
import torch

import former
from former.checkpoints import CHECKPOINTS
from tests.viz import plain
from viz.passes.loaded import Loaded, Models
from viz.tabs.base import Site, site_of
from viz.tabs.explore.answer import answer
from viz.tabs.explore.corpus import forming
from viz.text import NothingToShow, Refusal

NAME = "tiny-induction"
VIEW = {"model": f"{NAME}/step-000800", "layer": 1, "head": 2}
TEXT = "abcdeabcde"


@pytest.fixture(scope="module")
def site() -> Site:
    names = (NAME, "tiny-generator", "tiny-wide")
    return site_of({name: Loaded(name, former.load(name), name, CHECKPOINTS / name) for name in names})


@pytest.fixture(scope="module")
def course(site) -> dict:
    return ask(site.models, **VIEW)


def ask(models: Models, **view: Any) -> dict[str, Any]:
    return forming.QUESTIONS["course"].answer(models, view)


@pytest.mark.parametrize("step", [0, 880, 2000])
def test_the_stored_scores_and_bits_of_a_step_are_those_of_its_weights(course, step):
    state = former.load(NAME if step == 2000 else f"{NAME}/step-{step:06d}").model.state_dict()
    u = 97 + torch.randint(26, (32, 64), generator=torch.Generator().manual_seed(0))
    scores, bits = torch.zeros(2, 4), 0.0
    for row in u.tolist():
        ids = row + row
        probs, maps = plain.next_probs(state, ids, heads=4, gelu=True)
        for i in range(64, 127):  # queries of the second u, each with what followed its letter in the first
            bits -= math.log2(probs[i, ids[i + 1]]) / (32 * 63)
        for layer, head in ((layer, head) for layer in range(2) for head in range(4)):
            scores[layer, head] += sum(float(maps[layer][head][i, i - 63]) for i in range(64, 128)) / (32 * 64)
    at = course["steps"].index(step)
    assert course["scores"][at] == [pytest.approx(row, abs=2e-4) for row in scores.tolist()]
    assert course["copied"][at] == pytest.approx(bits, abs=2e-3)


def test_the_moment_is_where_the_best_head_passes_half_of_what_it_has_in_the_end(site, course):
    result = course["moment"]
    own = [scores[result["layer"]][result["head"]] for scores in course["scores"]]
    assert own[-1] == max(max(row) for row in course["scores"][-1]) > 0.5
    assert own[result["at"]] >= own[-1] / 2 > max(own[: result["at"]])
    assert ask(site.models, model="tiny-generator")["moment"] is None


def test_the_figure_holds_the_losses_and_a_line_for_each_head(course):
    for figure in course["chart"].values():
        lines = {trace["name"]: trace["y"] for trace in figure["data"]}
        assert (lines["text"], lines["copied"]) == (course["text"], course["copied"])
        for layer, head in ((layer, head) for layer in range(2) for head in range(4)):
            assert lines[f"layer {layer}, head {head}"] == [scores[layer][head] for scores in course["scores"]]


def test_a_step_is_asked_for_by_the_name_of_its_snapshot_and_keeps_the_edits(site):
    requests = {"model": f"{NAME}/step-000800", "text": TEXT, "edits": "0.1.off"}
    result = site.passes.get(answer(site.models, site.passes, requests)["key"])
    assert result
    assert result[0].header["model"] == f"{NAME}/step-000800"
    assert result[0].header["edits"] == [{"layer": 0, "head": 1, "do": "scale", "factor": 0.0}]
    state = former.load(f"{NAME}/step-000800").model.state_dict()
    _, maps = plain.next_probs(state, list(TEXT.encode()), heads=4, gelu=True, removed=[(0, 1)])
    torch.testing.assert_close(result[0].map("self").weights[1], torch.stack(maps[1]), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("step", ["000801", "800", "x", "1" + "0" * 30])
def test_a_step_that_there_is_none_of_is_refused(site, step):
    with pytest.raises(Refusal, match="could not read"):
        answer(site.models, site.passes, {"model": f"{NAME}/step-{step}", "text": TEXT})


def test_only_models_with_snapshots_have_a_course_and_one_that_was_not_measured_says_how(site, tmp_path):
    assert list(forming.courses(site.models)) == [NAME, "tiny-generator"]
    own = tmp_path / "own"
    shutil.copytree(CHECKPOINTS / NAME, own, ignore=shutil.ignore_patterns("curve.json", "step-0010*"))
    models = site_of({"own": Loaded("own", former.load(own), "own", own, str(own))}).models
    for of_more_steps in (False, True):
        if of_more_steps:
            shutil.copy(CHECKPOINTS / NAME / "curve.json", own)
        with pytest.raises(NothingToShow, match=f"python -m former.training curve {own} {own}/curve.json"):
            ask(models, model="own")
    for model in ("none", f"{NAME}/step-000801"):
        with pytest.raises(Refusal):
            ask(site.models, model=model)
