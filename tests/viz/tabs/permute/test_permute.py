"""Tab Permute, without a browser: its numbers against plain torch in float64."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

import former
from tests.viz import plain
from tests.viz.tabs.permute.permuted import IDS, ORDER, ask, both, state_of, unpack
from viz.tabs.permute import permuting

SWITCHES = [
    (kind, mask) for kind in permuting.POSITIONS for mask in permuting.MASKS if (kind, mask) != ("none", "none")
]


@pytest.mark.parametrize(("kind", "mask"), SWITCHES)
def test_what_breaks_equivariance_gives_the_error_that_the_formulas_give(subject, classifier, kind, mask):
    before, after = both(classifier, kind, mask == "causal")
    for error in ask(subject, positions=kind, mask=mask)["errors"]:
        f, moved = before[error["name"]], after[error["name"]]
        rows = f if error["name"] == "classifier" else f[ORDER]
        assert error["error"] == pytest.approx(float((moved - rows).abs().max()), rel=1e-3, abs=1e-5)
        assert error["size"] == pytest.approx(float(f.abs().max()), rel=1e-4)
        assert error["limit"] == pytest.approx(16 * 2**-23 * float(f.abs().max()), rel=1e-4)
        assert not error["equal"]
        assert error["error"] > 100 * error["plain"]


def test_without_positions_and_mask_the_outputs_only_move_whatever_the_order(subject):
    dice = torch.Generator().manual_seed(0)
    for _ in range(40):
        order = torch.randperm(len(IDS), generator=dice).tolist()
        for error in ask(subject, order=".".join(map(str, order)))["errors"]:
            assert error["equal"], error
            assert error["error"] <= 16 * 2**-23 * error["size"]
            assert error["plain"] is None


@pytest.mark.parametrize("output", ["basic", "layer", "block"])
def test_the_error_is_the_equivariance_error_of_the_library(subject, output):
    tokens, order = torch.tensor([IDS]), torch.tensor(ORDER)
    f = permuting.functions(subject.kinds["learned"], None)[output]
    shown = {error["name"]: error["error"] for error in ask(subject, positions="learned")["errors"]}
    assert shown[output] == pytest.approx(former.analysis.equivariance_error(f, tokens, order), rel=1e-5)


def test_each_model_reads_each_order_once(subject, monkeypatch):
    runs = []
    model = type(subject.loaded.bundle.model)
    forward = model.forward
    monkeypatch.setattr(model, "forward", lambda *given, **more: runs.append(given[0]) or forward(*given, **more))
    ask(subject)
    assert len(runs) == 3 * 2  # without positions, as it was trained, and the one beside it


def test_the_error_without_the_switches_stands_beside_the_one_with_them(subject):
    alone = {error["name"]: error["error"] for error in ask(subject)["errors"]}
    switched = {error["name"]: error["plain"] for error in ask(subject, positions="learned")["errors"]}
    assert switched == alone


@pytest.mark.parametrize("output", ["basic", "layer", "block"])
@pytest.mark.parametrize("kind", permuting.POSITIONS)
def test_the_picture_holds_the_outputs_in_both_orders(subject, classifier, output, kind):
    answer = ask(subject, output=output, positions=kind)
    assert (answer["output"], answer["positions"], answer["mask"]) == (output, kind, "none")
    made = answer["picture"]
    shape = (len(IDS), 32)
    assert (made["words"], made["emb"]) == shape
    before, after = both(classifier, kind)
    assert unpack(made["before"], *shape) == pytest.approx(before[output].numpy(), rel=1e-4, abs=1e-5)
    assert unpack(made["after"], *shape) == pytest.approx(after[output].numpy(), rel=1e-4, abs=1e-5)


def test_the_picture_of_the_classifier_holds_its_rows_their_average_and_the_log_probabilities(subject, classifier):
    made = ask(subject, output="classifier", mask="causal")["picture"]
    for when, expected in zip(("before", "after"), both(classifier, causal=True), strict=True):
        assert unpack(made[when], len(IDS), 32) == pytest.approx(expected["rows"].numpy(), rel=1e-3, abs=1e-4)
        assert unpack(made["pooled"][when], 32) == pytest.approx(expected["rows"].mean(0).numpy(), rel=1e-3, abs=1e-4)
        assert made["values"][when] == pytest.approx(expected["classifier"].tolist(), rel=1e-4, abs=1e-5)


def test_the_verdicts_are_those_of_the_trained_models_whatever_is_switched(subject, classifier, bag):
    given = ask(subject, positions="sinusoidal", mask="causal")["verdicts"]
    assert [verdict["name"] for verdict in given] == ["small-classifier", "small-bag"]
    assert [verdict["positions"] for verdict in given] == ["learned", "none"]
    for verdict, loaded, kind in zip(given, (classifier, bag), ("learned", "none"), strict=True):
        before, after = (outputs["classifier"].exp() for outputs in both(loaded, kind))
        assert verdict["classes"] == ["negative", "positive"]
        assert verdict["before"] == pytest.approx(before.tolist(), abs=2e-6)
        assert verdict["after"] == pytest.approx(after.tolist(), abs=2e-6)
        assert verdict["moved"] == pytest.approx(float((after - before).abs().max()), abs=4e-6)
    positional, without = given
    assert not positional["equal"]
    assert without["equal"]
    assert without["moved"] < 1e-6


def test_the_classifier_with_learned_positions_agrees_with_the_stack_written_elsewhere(subject, classifier):
    probs, _ = plain.class_probs(state_of(classifier), IDS, heads=4, gelu=False)
    assert ask(subject)["verdicts"][0]["before"] == pytest.approx(probs.tolist(), abs=2e-6)


def test_the_order_as_typed_moves_nothing_in_any_bit(subject):
    made = ask(subject, order="typed", positions="learned", mask="causal")
    assert made["order"] == list(range(len(IDS)))
    assert [error["error"] for error in made["errors"]] == [0.0] * 4
    assert made["picture"]["before"] == made["picture"]["after"]


def test_people_who_ask_at_once_get_what_each_asked_for(subject):
    asked = [{"positions": kind, "mask": mask} for kind in permuting.POSITIONS for mask in permuting.MASKS] * 4
    alone = [ask(subject, **one) for one in asked]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda one: ask(subject, **one), asked))
    for one, other in zip(alone, together, strict=True):
        assert [e["error"] for e in one["errors"]] == pytest.approx([e["error"] for e in other["errors"]], abs=1e-5)
