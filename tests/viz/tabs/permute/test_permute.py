"""Tab Word order without a browser: its numbers compared with plain torch in float64."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

import former
from tests.viz import plain
from tests.viz.tabs.permute.permuted import IDS, ORDER, ask, both, measured, state_of
from viz.tabs.permute import permuting
from viz.tabs.permute.panels import MOVED_ROWS, VERDICTS

SWITCHES = [
    (kind, mask) for kind in permuting.POSITIONS for mask in permuting.MASKS if (kind, mask) != ("none", "none")
]


@pytest.mark.parametrize(("kind", "mask"), SWITCHES)
def test_what_breaks_equivariance_gives_the_error_that_the_formulas_give(subject, classifier, kind, mask):
    before, after = both(classifier, kind, mask == "causal")
    for error in measured(subject, positions=kind, mask=mask):
        f, moved = before[error["name"]], after[error["name"]]
        rows = f if error["name"] == "classifier" else f[ORDER]
        assert error["error"] == pytest.approx(float((moved - rows).abs().max()), rel=1e-3, abs=1e-5)
        assert error["size"] == pytest.approx(float(f.abs().max()), rel=1e-4)
        assert error["limit"] == pytest.approx(16 * 2**-23 * float(f.abs().max()), rel=1e-4)
        assert error["error"] > 100 * error["plain"]


def test_without_positions_and_mask_the_outputs_only_move_whatever_the_order(subject):
    dice = torch.Generator().manual_seed(0)
    for _ in range(40):
        order = torch.randperm(len(IDS), generator=dice).tolist()
        for error in measured(subject, order=".".join(map(str, order))):
            assert error["error"] <= error["limit"], error
            assert error["error"] <= 16 * 2**-23 * error["size"]
            assert error["plain"] is None


@pytest.mark.parametrize("output", ["basic", "layer", "block"])
def test_the_error_is_the_equivariance_error_of_the_library(subject, output):
    tokens, order = torch.tensor([IDS]), torch.tensor(ORDER)
    f = permuting.functions(subject.loaded.bundle.model, None)[output]
    values = {error["name"]: error["error"] for error in measured(subject, positions="learned")}
    assert values[output] == pytest.approx(former.analysis.equivariance_error(f, tokens, order), rel=1e-5)


def test_each_model_reads_each_order_once(subject, monkeypatch):
    runs = []
    model = type(subject.loaded.bundle.model)
    forward = model.forward
    monkeypatch.setattr(model, "forward", lambda *given, **more: runs.append(given[0]) or forward(*given, **more))
    ask(subject)  # without positions
    ask(subject, VERDICTS)  # its trained setting, and the other one
    assert len(runs) == 3 * 2


def test_the_error_without_the_switches_stands_beside_the_one_with_them(subject):
    alone = {error["name"]: error["error"] for error in measured(subject)}
    switched = {error["name"]: error["plain"] for error in measured(subject, positions="learned")}
    assert switched == alone


@pytest.mark.parametrize("output", ["basic", "layer", "block"])
@pytest.mark.parametrize("kind", permuting.POSITIONS)
def test_the_picture_holds_the_outputs_in_both_orders(subject, classifier, output, kind):
    result = ask(subject, MOVED_ROWS, output=output, positions=kind)
    before, after = (each[output].numpy() for each in both(classifier, kind))
    assert np.array(result["before"]) == pytest.approx(before, rel=1e-4, abs=1e-5)
    assert np.array(result["after"]) == pytest.approx(after, rel=1e-4, abs=1e-5)
    apart = np.abs(after - before[ORDER]).max(1)
    assert result["difference"] == pytest.approx(apart, rel=1e-3, abs=1e-5)


def test_the_picture_of_the_classifier_holds_its_rows_their_average_and_the_log_probabilities(subject, classifier):
    result = ask(subject, MOVED_ROWS, output="classifier", mask="causal")
    for i, expected in enumerate(both(classifier, causal=True)):
        rows = expected["rows"].numpy()
        assert np.array(result[("before", "after")[i]]) == pytest.approx(rows, rel=1e-3, abs=1e-4)
        assert result["pooled"][i] == pytest.approx(rows.mean(0), rel=1e-3, abs=1e-4)
        assert result["values"][i] == pytest.approx(expected["classifier"].tolist(), rel=1e-4, abs=1e-5)


def test_the_verdicts_are_those_of_the_trained_models_whatever_is_switched(subject, classifier, bag):
    value = ask(subject, VERDICTS, positions="sinusoidal", mask="causal")
    assert value["names"] == ["small-classifier", "small-bag"]
    assert value["trained"] == ["learned", "none"]
    assert value["classes"] == ["negative", "positive"]
    moves = [max(abs(one - other) for one, other in zip(*both, strict=True)) for both in value["probs"]]
    assert value["changed"] == pytest.approx(moves, abs=1e-7), "the numbers are sent with 8 digits"
    for probs, loaded, kind in zip(value["probs"], (classifier, bag), ("learned", "none"), strict=True):
        for actual, outputs in zip(probs, both(loaded, kind), strict=True):
            assert actual == pytest.approx(outputs["classifier"].exp().tolist(), abs=2e-6)
    assert value["same"] == [False, True]
    before, after = value["probs"][1]
    assert before == pytest.approx(after, abs=1e-6)


def test_the_classifier_with_learned_positions_agrees_with_the_stack_written_elsewhere(subject, classifier):
    probs, _ = plain.class_probs(state_of(classifier), IDS, heads=4, gelu=False)
    assert ask(subject, VERDICTS)["probs"][0][0] == pytest.approx(probs.tolist(), abs=2e-6)


def test_the_order_as_typed_moves_nothing_in_any_bit(subject):
    switched = {"order": "typed", "positions": "learned", "mask": "causal"}
    result = ask(subject, **switched)
    assert result["order"] == list(range(len(IDS)))
    assert result["errors"] == [0.0] * 4
    result = ask(subject, MOVED_ROWS, **switched)
    assert result["before"] == result["after"]


def test_people_who_ask_at_once_get_what_each_asked_for(subject):
    requests = [{"positions": kind, "mask": mask} for kind in permuting.POSITIONS for mask in permuting.MASKS] * 4
    alone = [ask(subject, **one) for one in requests]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda one: ask(subject, **one), requests))
    for one, other in zip(alone, together, strict=True):
        assert one["errors"] == pytest.approx(other["errors"], abs=1e-5)
