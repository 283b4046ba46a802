"""Section "Several heads": the heads' outputs are computed, swapped words change nothing without positions, and the
parameters are those of the built layers."""

import pytest
import torch
from torch import nn

import former
from viz.panels.panel import bundles
from viz.passes.loaded import Loaded
from viz.tabs.learn.sections import several_heads
from viz.tabs.learn.sections.several_heads import forms
from viz.text import Refusal

CASES = [(heads, positions) for heads in (1, 4) for positions in (False, True)]


@pytest.mark.parametrize(("heads", "positions"), CASES)
def test_what_gave_gets_is_the_attention_of_torch(heads, positions):
    attention = several_heads.by_hand(heads, positions)
    x = several_heads.sentence(list(range(5)), positions)
    theirs = nn.MultiheadAttention(20, heads, bias=False, batch_first=True)
    maps = (attention.toqueries, attention.tokeys, attention.tovalues)
    theirs.in_proj_weight.data = torch.cat([linear.weight.data for linear in maps])
    theirs.out_proj.weight.data = torch.eye(20)
    y, weights = theirs(x, x, x, average_attn_weights=False)
    result = several_heads.swap_words(heads, positions)["before"]
    torch.testing.assert_close(result["weights"], weights[0, :, 1])
    torch.testing.assert_close(result["y"], y[0, 1].unflatten(0, (heads, -1))[:, :5])


@pytest.mark.parametrize("heads", [1, 4])
def test_a_number_of_y_is_the_share_of_its_word(heads):
    result = several_heads.swap_words(heads, True)
    for case in (result["before"], result["after"]):
        for weights, y in zip(case["weights"], case["y"], strict=True):
            shares = dict(zip(case["words"], weights, strict=True))
            assert y.tolist() == pytest.approx([float(shares[word]) for word in several_heads.WORDS], abs=1e-6)


def test_with_positions_giver_and_receiver_lie_in_different_parts_and_change_places():
    result = several_heads.swap_words(4, True)
    giver, _, receiver, _ = result["before"]["y"]
    assert giver[0] > 0.9 < receiver[4]
    giver, _, receiver, _ = result["after"]["y"]
    assert giver[4] > 0.9 < receiver[0]


@pytest.fixture(scope="module")
def shipped() -> dict[str, Loaded]:
    names = ("classifier", "classifier-bag", "tiny-generator")
    return {name: Loaded(name, former.load(name), name) for name in names}


def test_without_positions_nothing_moves_by_hand_by_chance_or_learned_and_with_them_it_does(shipped):
    result = several_heads.measure_moves(**bundles(several_heads.classifiers(shipped, {})))["table"]
    assert {case["model"] for case in result if case["made"] == "learned"} == {"classifier", "classifier-bag"}
    assert {case["made"] for case in result} == {"hand", "random", "learned"}
    for case in result:
        assert case["moved"] < 1e-5 if not case["positions"] else case["moved"] > 1e-3, case


@pytest.mark.parametrize(("emb", "heads"), [(256, 8), (4096, 64), (7, 7), (1, 1)])
def test_the_parameters_are_counted_as_the_formulas_say(emb, heads):
    counted = forms.count_forms(emb, heads)["forms"]
    narrow, wide, chunked = counted
    assert [form["variant"] for form in counted] == ["narrow", "wide", "chunked"]
    assert (narrow["maps"], wide["maps"], chunked["maps"]) == (3 * emb**2, 3 * heads * emb**2, 3 * emb**2 // heads)
    assert narrow["unify"] == chunked["unify"] == emb**2 + emb
    assert wide["unify"] == heads * emb**2 + emb
    assert (narrow["size"], wide["size"], chunked["size"]) == (emb // heads, emb, emb // heads)


def test_only_wide_heads_need_not_divide_the_vector():
    narrow, wide, chunked = forms.count_forms(10, 3)["forms"]
    assert narrow["size"] is chunked["size"] is None
    assert wide["maps"] == 900


def test_each_form_that_is_not_too_large_is_timed():
    assert all(seconds > 0 for seconds in forms.count_forms(64, 4)["seconds"])
    narrow, wide, _ = forms.count_forms(1024, 16)["seconds"]
    assert narrow > 0
    assert wide is None, "67 million parameters"
    assert forms.count_forms(10, 3)["seconds"][0] is None


def test_what_the_parts_are_worth_is_what_the_cards_of_models_trained_alike_say(models):
    trained = several_heads.props(models)["trained"]
    plain = former.load("family/tiny-generator").card
    for each in trained:
        card = former.load(each["name"]).card
        assert each["bits"] == next(held["bits_per_byte"] for held in card["quality"] if held["split"] == "val")
        assert each["parameters"] == sum(p.numel() for p in former.load(each["name"]).model.parameters())
        assert len({key for key, value in card["config"].items() if value != plain["config"][key]}) <= 1
        assert (card["step"], card["seed"], card["data"]) == (plain["step"], plain["seed"], plain["data"])
    assert [each["change"] for each in trained] == ["same", "unify", "one", "wide"]


@pytest.mark.parametrize("wrong", [{"emb": 0}, {"count": 0}, {"emb": 4097}, {"count": 65}, {"emb": "8"}, {"emb": True}])
def test_sizes_out_of_their_limits_are_refused(wrong):
    with pytest.raises(Refusal):
        forms.read_sizes({}, {"emb": 8, "count": 2} | wrong)
