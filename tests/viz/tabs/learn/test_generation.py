"""Section "Generation": every probability is that of the next byte, at each snapshot and without a mask."""

import json

import pytest
import torch

import former
from former.training.measure import curve
from viz.tabs.learn.sections import generation
from viz.text import Refusal

VIEW = {"text": "A cat sat", "step": 4, "seed": 3}


@pytest.fixture(scope="module")
def predicted():
    return generation.SECTION.questions["predicted"].answer({}, VIEW)


def test_each_target_s_probability_is_that_of_the_byte_after_given_what_came_before(predicted):
    ids = list(VIEW["text"].encode())
    assert predicted["labels"] == [char.replace(" ", "␣") for char in VIEW["text"]]
    for bundle, given in zip(curve.snapshots("tiny-generator"), predicted["trained"], strict=True):
        model = bundle.model
        with torch.inference_mode():
            expected = [float(model(torch.tensor([ids[: i + 1]]))[0, -1].softmax(-1)[ids[i + 1]]) for i in range(8)]
        assert given == pytest.approx(expected, abs=1e-5)


def test_before_training_every_byte_is_as_likely_and_then_the_text_costs_less(predicted):
    assert predicted["trained"][0] == pytest.approx([1 / 256] * 8, rel=1e-3)
    bits = [float(-torch.tensor(probs).log2().mean()) for probs in predicted["trained"]]
    assert predicted["bits"]["trained"] == pytest.approx(bits, rel=1e-4)
    first, last = bits[0], bits[-1]
    assert last < 5 < first


def test_without_a_mask_a_target_is_read_off_the_input_all_but_the_last(predicted):
    ids = torch.tensor([list(VIEW["text"].encode())])
    with torch.inference_mode():
        probs = former.load("tiny-unmasked").model(ids[:, :-1])[0].softmax(-1)
    assert predicted["unmasked"] == pytest.approx([float(probs[i, ids[0, i + 1]]) for i in range(8)], abs=1e-6)
    assert min(predicted["unmasked"][:-1]) > 0.5 > predicted["unmasked"][-1]
    assert predicted["least"] == 7
    assert predicted["others"] == pytest.approx(sum(predicted["unmasked"][:-1]) / 7, abs=1e-6)
    assert predicted["peek"]["share"] > 0.5


def test_the_curve_is_that_of_the_command_with_machine_and_date(predicted):
    trace = next(trace for trace in predicted["chart"]["light"]["data"] if trace["name"] == "validation")
    record = json.loads(generation.CURVE.read_text(encoding="utf-8"))
    assert (trace["x"], trace["y"]) == (record["steps"], record["bits_per_byte"])
    content = b"The river rises in the hills north of the town and flows south to the sea. " * 80
    bits = curve.measure("tiny-generator", content, 250)
    written = json.loads(curve.to_json("tiny-generator", bits, {}, curve.BYTES))
    assert written["steps"] == generation.snapshots() == record["steps"]
    for name in ("command", "bytes"):
        assert record[name] == written[name]
    assert record["machine"].keys() == written["machine"].keys()
    assert record["bits_per_byte"][0] == pytest.approx(8, abs=1e-3)
    assert record["bits_per_byte"][-1] == pytest.approx(
        former.load("tiny-generator").card["quality"][0]["bits_per_byte"], abs=0.15
    )
    assert trace["y"] == sorted(trace["y"], reverse=True)


def test_what_is_written_is_what_the_model_draws_and_can_be_shown():
    text = generation.SECTION.questions["written"].answer({}, VIEW)["text"]
    model = former.load("tiny-generator/step-000350").model
    steps = former.generate(model, list(VIEW["text"].encode()), generation.WRITTEN, temperature=0.5, seed=3)
    plain = bytes(step.token for step in steps).decode(errors="replace")
    assert {shown for shown, char in zip(text, plain, strict=True) if shown != char} <= {"�"}
    noise = generation.SECTION.questions["written"].answer({}, VIEW | {"step": 0})["text"]
    assert all(char.isprintable() or char in "\n�" for char in noise)


@pytest.mark.parametrize("wrong", [{"text": "ab"}, {"text": " "}, {"text": "x" * 5000}, {"step": 12}, {"seed": -1}])
def test_what_cannot_be_read_is_refused(wrong):
    with pytest.raises(Refusal):
        generation.SECTION.questions["written"].answer({}, VIEW | wrong)


@pytest.mark.parametrize(("name", "heads"), [("generator", (8, 8)), ("tiny-grouped", (4, 2))])
def test_a_step_of_the_cache_s_model_is_measured_after_the_text_repeated(name, heads):
    facts = generation.props({})["caches"][name]
    assert (facts["heads"], facts["key_heads"]) == heads
    view = {"show": "cache", "text": "A cat sat", "cache": name, "tokens": 20}
    assert generation.SECTION.panel.printed(view).keys() == {"cost"}
    arguments = generation.read_cached({}, view)
    assert arguments["written"] == list(b"A cat satA cat satA ")
    result = generation.SECTION.questions["cost"].answer({}, view)
    assert (result["tokens"], result["bytes"]) == (20, 20 * facts["bytes"])
    assert min(result["seconds"]) > 0
    with pytest.raises(Refusal):
        generation.read_cached({}, view | {"tokens": 0})
