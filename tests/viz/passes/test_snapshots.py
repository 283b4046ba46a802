"""Snapshots of a training: their names, their weights, and the limit of the cache."""

import pytest
import torch

import former
from former.checkpoints import CHECKPOINTS
from tests.modules import evaluate
from viz.passes import snapshots
from viz.passes.loaded import Loaded
from viz.passes.snapshots import WithSnapshots
from viz.passes.trace import place_of

NAME = "tiny-induction"


@pytest.fixture(scope="module")
def models() -> dict[str, Loaded]:
    return {NAME: Loaded(NAME, former.load(NAME), "one", CHECKPOINTS / NAME)}


def test_a_model_goes_by_its_name_and_every_step_of_its_card_by_that_and_the_step(models):
    both = WithSnapshots(models)
    assert list(both) == [NAME]
    for step in former.load(NAME).card["recipe"]["snapshots"]:
        name = snapshots.name_at(NAME, step)
        assert name in both
        assert snapshots.split(name) == (NAME, step)
        assert both[name].name == name
    end = both[f"{NAME}/step-002000"]
    assert end.bundle is models[NAME].bundle
    assert end.source == NAME
    assert place_of(end, "toprobs.weight")["file"] == f"{NAME}/model.safetensors"
    assert place_of(both[f"{NAME}/step-000800"], "toprobs.weight")["file"] == f"{NAME}/step-000800/model.safetensors"
    at = both[f"{NAME}/step-000800"]
    assert at.name == f"{NAME}/step-000800"
    result = former.load(at.name).model.state_dict()
    for name, tensor in at.bundle.model.state_dict().items():
        assert torch.equal(tensor, result[name])
    assert at.fingerprint not in (models[NAME].fingerprint, both[f"{NAME}/step-000840"].fingerprint)


def test_the_page_splits_and_builds_names_as_the_server_does():
    names = [
        NAME,
        f"{NAME}/step-000800",
        f"{NAME}/step-123456789",
        f"{NAME}/step-800",
        f"{NAME}/step-0008000000",
        "a/b",
    ]
    function = """({ snapshotOf, snapshotAt }, names) => names.map((name) => {
      const parts = snapshotOf(name);
      return [parts, snapshotAt(...parts)];
    })"""
    for name, (parts, built) in zip(names, evaluate("tabs/explore/lib/pass.js", function, names), strict=True):
        assert (tuple(parts), built) == (snapshots.split(name), name)


@pytest.mark.parametrize(
    "name", [f"{NAME}/step-000801", f"{NAME}/step-0000800", "other/step-000800", f"{NAME}/step-../..", "", None, 3]
)
def test_what_is_no_snapshot_of_ours_is_not_there(models, name):
    both = WithSnapshots(models)
    assert name not in both
    with pytest.raises(KeyError):
        both[name]


def test_those_used_last_are_held_up_to_a_limit_and_another_is_read_again(models):
    one = 2 * sum(4 * tensor.numel() for tensor in models[NAME].bundle.model.parameters())
    both = WithSnapshots(models, limit=2 * one)
    first, second = (both[snapshots.name_at(NAME, step)] for step in (0, 200))
    assert both.nbytes == 2 * one
    assert both[first.name] is first
    assert both[snapshots.name_at(NAME, 400)]  # the second goes
    assert both.nbytes == 2 * one
    assert both[first.name] is first
    assert both[second.name] is not second
    assert torch.equal(both[second.name].bundle.model.toprobs.weight, second.bundle.model.toprobs.weight)


def test_a_model_without_a_folder_has_none(models):
    assert snapshots.steps(Loaded("here", models[NAME].bundle, "")) == []
