"""Section "Why not recurrent or convolutional": steps counted on the models agree with their definitions."""

import json
import math

import pytest
import torch

import former
from former.training.measure import lengths
from viz.tabs.learn.sections import recurrent
from viz.text import Refusal

TEXT = "The cat sat"
T = len(TEXT)


@pytest.fixture(scope="module")
def reached():
    return recurrent.SECTION.questions["reached"].answer({}, {"text": TEXT})


def test_the_recurrent_network_needs_a_cell_for_every_byte_between_and_one_a_layer(reached):
    result = reached["recurrent"]
    assert result["steps"] == [[i - j + 2 if j <= i else 0 for j in range(T)] for i in range(T)]
    assert result["settled"] == [i + 2 for i in range(T)]
    assert result["count"] == T + 1


def test_the_convolutions_reach_farther_with_every_layer_and_all_at_once(reached):
    result = reached["convolutional"]
    assert result["settled"] == [5] * T
    field = [math.inf, 3, 9, 27]  # bytes that an output sees after 0 … 3 layers of kernel 3, dilation 1, 3, 9
    for i in range(T):
        for j in range(i + 1):
            assert i - j < field[result["steps"][i][j]]
            assert result["steps"][i][j] == 1 or i - j >= field[result["steps"][i][j] - 1]
        assert set(result["steps"][i][i + 1 :]) <= {0}


def test_attention_reaches_every_byte_before_in_one_layer(reached):
    result = reached["attention"]
    assert result["steps"] == [[int(j <= i) for j in range(T)] for i in range(T)]
    assert result["settled"] == [2] * T


@pytest.mark.parametrize("kind", ["convolutional", "attention"])
def test_the_wires_that_are_drawn_carry_an_input_in_as_many_layers_as_are_measured(reached, kind):
    wiring = recurrent.wiring(former.load(recurrent.MODELS[kind]).model)
    sources, first = [{i} for i in range(T)], [[0] * T for _ in range(T)]
    for layer in range(wiring["layers"]):
        back = [range(i + 1) if wiring["back"] is None else wiring["back"][layer] for i in range(T)]
        sources = [set().union(*(sources[i - n] for n in back[i] if n <= i)) for i in range(T)]
        for i in range(T):
            for j in sources[i]:
                first[i][j] = first[i][j] or layer + 1
    assert first == reached[kind]["steps"]
    assert not wiring["recurrent"]


def test_a_recurrent_cell_is_drawn_to_read_the_layer_below_and_the_token_before():
    model = former.load(recurrent.MODELS["recurrent"]).model
    assert recurrent.wiring(model) == {"layers": 2, "back": [[0], [0]], "recurrent": True}


def test_what_an_input_moves_is_former_s_influence_on_the_logits():
    result = recurrent.SECTION.questions["reached"].compute({}, {"text": TEXT})
    tokens = torch.tensor([list(TEXT.encode())])
    for kind, name in recurrent.MODELS.items():
        influence_ = former.analysis.influence(former.load(name).model.double(), tokens)
        torch.testing.assert_close(
            result[kind]["moved"], influence_, atol=1e-12, rtol=1e-9
        )  # other kernels without gradients
        assert ((influence_ > 0) == (result[kind]["steps"] > 0)).all()


def test_the_models_are_of_one_size_read_the_same_bytes_and_are_worth_what_their_cards_say():
    worth = recurrent.props({})["worth"]
    assert {each["bytes"] for each in worth} == {2_048_000}
    sizes = [each["parameters"] for each in worth]
    assert max(sizes) < 1.02 * min(sizes)
    recipes = [former.load(each["model"]).card["recipe"] for each in worth]
    assert len({(recipe["steps"], recipe["batch"], recipe["seed"], recipe["decay"]) for recipe in recipes}) == 1
    assert min(worth, key=lambda each: each["bits"])["kind"] == "convolutional"


def test_the_times_are_those_of_the_command_with_machine_and_date():
    record = json.loads(recurrent.TIMES.read_text(encoding="utf-8"))
    times = lengths.measure((8, 16), rounds=1)
    written = json.loads(lengths.to_json((8, 16), times))
    assert record.keys() == written.keys()
    assert record["command"] == written["command"]
    assert record["machine"].keys() == written["machine"].keys()
    assert record["lengths"] == list(lengths.LENGTHS)
    assert list(record["milliseconds"]) == list(times) == list(lengths.NAMES)
    assert all(len(taken) == 2 and min(taken) >= 0 for taken in times.values())
    attention = record["milliseconds"]["tiny-generator"]
    assert attention[-1] / attention[-2] > 2.5  # twice as long: towards four times, for its work grows with t²


@pytest.mark.parametrize("wrong", ["a", "", None, "x" * 5000])
def test_what_cannot_be_read_is_refused(wrong):
    with pytest.raises(Refusal):
        recurrent.SECTION.questions["reached"].answer({}, {"text": wrong})
