"""Section "Since the article": each part equals a plain recomputation, and the table holds what the cards say."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

import former
from former.generate import KeyValueCache
from former.training.recipes import RECIPES
from viz.tabs.learn import shipped
from viz.tabs.learn.sections import since
from viz.tabs.learn.sections.since import compared
from viz.text import Refusal

VIEW = {"text": "The cat sat on the mat.", "at": 20, "back": 5, "head": 1, "shift": 30, "added": 2.0, "length": 3}
FIFTH = 5  # gpt has been trained further than modern: it is compared as it was after its fifth training


def answer(question, **changes):
    return since.SECTION.questions[question].compute({}, VIEW | changes)


def rotated(vector, position):
    """Turns a vector as complex numbers, in float64."""
    half = len(vector) // 2
    points = vector[:half] + 1j * vector[half:]
    points = points * np.exp(1j * position * 10_000.0 ** (-np.arange(half) / half))
    return np.concatenate((points.real, points.imag))


def test_a_turned_query_and_key_score_as_the_model_does_wherever_both_stand():
    result = answer("turned")
    q, k = (result[name].double().numpy() for name in ("q", "k"))
    assert (result["at"], result["key"], result["distance"]) == (20, 15, 5)
    assert result["turned_q"].numpy() == pytest.approx(rotated(q, 50), abs=1e-4)
    assert result["turned_k"].numpy() == pytest.approx(rotated(k, 45), abs=1e-4)
    expected = rotated(q, 5) @ k / math.sqrt(len(q))
    # angles in float32, up to 150 radians: off by about 1e-5
    for score in ("score", "moved", "later"):
        assert float(result[score]) == pytest.approx(expected, abs=1e-3)
    assert float(result["parts"].sum()) == pytest.approx(expected, abs=1e-3)
    for distance in (0, 5, 200):
        score = rotated(q, distance) @ k / math.sqrt(len(q))
        assert float(result["by_distance"][distance]) == pytest.approx(score, abs=1e-3)


def test_a_planes_arrows_are_as_far_apart_as_its_angle_says():
    result = answer("turned", shift=0)
    unturned = result["k"].unflatten(0, (2, -1)).T.tolist()  # (s/2, 2)
    for plane, k, angle in zip(result["planes"], unturned, (15 * result["angles"] / 5).tolist(), strict=True):
        cos, sin = math.cos(angle), math.sin(angle)
        assert plane[1].tolist() == pytest.approx([k[0] * cos - k[1] * sin, k[1] * cos + k[0] * sin], abs=1e-4)


def test_layer_norm_takes_off_what_is_added_to_every_number_and_rms_norm_does_not():
    result = answer("normed")
    x = result["x"].double().numpy()
    assert result["layer"].numpy() == pytest.approx((x - x.mean()) / np.sqrt(x.var() + 1e-5), abs=1e-4)
    assert result["rms"].numpy() == pytest.approx(x / np.sqrt((x**2).mean() + 1e-5), abs=1e-4)
    assert float(result["moved_layer"]) < 1e-4
    assert float(result["moved_rms"]) > 0.1
    assert result["shown"].shape == (3, since.NUMBERS)


def test_a_gated_number_is_up_times_silu_of_its_gate_as_the_model_computes_it():
    result = answer("gated")
    gate, up = (result[name].double().numpy() for name in ("gate", "up"))
    assert result["hidden"].numpy() == pytest.approx(gate / (1 + np.exp(-gate)) * up, abs=1e-4)
    assert float(result["error"]) < 1e-4
    assert result["rows"][:, 3].abs().min() >= np.sort(np.abs(result["hidden"].numpy()))[-since.NUMBERS] - 1e-6


def test_a_cache_is_as_large_as_its_keys_and_values():
    result = answer("cached")
    for i, config in enumerate(compared.PUBLISHED.values()):
        numbers = 2 * config.depth * config.head_size * since.LENGTHS[VIEW["length"]]
        assert result["shared"][i] == 2 * numbers * result["kv_heads"][i]
        assert result["own"][i] == 2 * numbers * result["heads"][i]


TINY, LARGER = since.props({})["family"]


@pytest.mark.parametrize("line", TINY + LARGER, ids=lambda line: line["name"])
def test_the_table_holds_what_the_card_says_and_what_a_run_caches(line):
    bundle = former.load(line["name"])
    trainings = [*bundle.card.get("earlier", []), bundle.card]
    if line["name"] == "gpt":
        trainings = trainings[:FIFTH]
    assert line["bits"] == next(held["bits_per_byte"] for held in trainings[-1]["quality"] if held["split"] == "val")
    assert line["seconds"] == sum(each["processor_seconds"] for each in trainings)
    cache = KeyValueCache(bundle.config)
    with torch.inference_mode():
        bundle.model(torch.tensor([bundle.tokenizer.encode("four")]), cache=cache)
    assert cache.nbytes == cache.length * line["cached"]


def test_models_of_one_table_were_trained_alike():
    assert {former.load(line["name"]).card["step"] for line in TINY} == {500}
    gpt, modern = (former.load(line["name"]).card for line in LARGER)
    assert gpt["earlier"][FIFTH - 1]["name"] == "gpt-fifth"
    for name in ("steps", "batch", "decay", "muon_lr", "adam_lr"):
        assert getattr(RECIPES["gpt-fifth"], name) == modern["recipe"][name]
    read = [sum(each["steps"] for each in trainings) for trainings in (gpt["earlier"][: FIFTH - 1], modern["earlier"])]
    assert read[0] == read[1]
    sizes = [line["parameters"] for line in LARGER]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.01)


@pytest.mark.parametrize(
    "wrong", [{"text": " "}, {"at": since.MOST_TOKENS}, {"shift": -1}, {"head": 4}, {"back": None}]
)
def test_an_invalid_view_is_refused(wrong):
    with pytest.raises(Refusal):
        answer("turned", **wrong)


def test_a_visitor_s_own_model_named_as_a_shipped_one_is_not_taken_for_it():
    own = {"gpt": replace(shipped.load("tiny-rotary"), name="gpt", folder=None)}
    assert compared.table_row(own, "gpt") == next(line for line in LARGER if line["name"] == "gpt")
