"""Section "Several heads": what the heads bring is computed, swapped words move nothing without positions, and the
parameters are those of the built layers."""

import pytest
import torch
from torch import nn

import former
from viz.passes.loaded import Loaded
from viz.tabs.learn.sections import several_heads
from viz.text import Refusal

CASES = [(heads, positions) for heads in ("1", "4") for positions in ("off", "on")]


@pytest.mark.parametrize(("heads", "positions"), CASES)
def test_what_gave_gets_is_the_attention_of_torch(heads, positions):
    attention = several_heads.by_hand(heads, positions)
    x = several_heads.sentence(list(range(5)), positions)
    theirs = nn.MultiheadAttention(20, int(heads), bias=False, batch_first=True)
    maps = (attention.toqueries, attention.tokeys, attention.tovalues)
    theirs.in_proj_weight.data = torch.cat([linear.weight.data for linear in maps])
    theirs.out_proj.weight.data = torch.eye(20)
    y, weights = theirs(x, x, x, average_attn_weights=False)
    found = several_heads.swapped({}, {"heads": heads, "positions": positions})["before"]
    torch.testing.assert_close(torch.tensor(found["weights"]), weights[0, :, 1])
    torch.testing.assert_close(torch.tensor(found["y"]), y[0, 1].unflatten(0, (int(heads), -1))[:, :5])


@pytest.mark.parametrize("heads", ["1", "4"])
def test_a_number_of_y_is_the_share_of_its_word(heads):
    found = several_heads.swapped({}, {"heads": heads, "positions": "on"})
    for case in (found["before"], found["after"]):
        for weights, y in zip(case["weights"], case["y"], strict=True):
            shares = dict(zip(case["words"], weights, strict=True))
            assert y == pytest.approx([shares[word] for word in several_heads.WORDS], abs=1e-6)


def test_with_positions_giver_and_receiver_lie_in_different_parts_and_change_places():
    found = several_heads.swapped({}, {"heads": "4", "positions": "on"})
    giver, _, receiver, _ = found["before"]["y"]
    assert giver[0] > 0.9 < receiver[4]
    giver, _, receiver, _ = found["after"]["y"]
    assert giver[4] > 0.9 < receiver[0]


@pytest.fixture(scope="module")
def shipped() -> dict[str, Loaded]:
    names = ("classifier", "classifier-bag", "tiny-generator")
    return {name: Loaded(name, former.load(name), name) for name in names}


def test_without_positions_nothing_moves_by_hand_by_chance_or_learned_and_with_them_it_does(shipped):
    found = several_heads.table(shipped)
    assert {case["model"] for case in found if case["made"] == "learned"} == {"classifier", "classifier-bag"}
    assert {case["made"] for case in found} == {"hand", "random", "learned"}
    for case in found:
        assert case["moved"] < 1e-5 if case["positions"] == "off" else case["moved"] > 1e-3, case


@pytest.mark.parametrize(("emb", "heads"), [(256, 8), (4096, 64), (7, 7), (1, 1)])
def test_the_parameters_are_counted_as_the_formulas_say(emb, heads):
    counted = several_heads.forms({}, {"emb": emb, "count": heads})["forms"]
    narrow, wide, chunked = counted
    assert [form["variant"] for form in counted] == ["narrow", "wide", "chunked"]
    assert (narrow["maps"], wide["maps"], chunked["maps"]) == (3 * emb**2, 3 * heads * emb**2, 3 * emb**2 // heads)
    assert narrow["unify"] == chunked["unify"] == emb**2 + emb
    assert wide["unify"] == heads * emb**2 + emb
    assert (narrow["size"], wide["size"], chunked["size"]) == (emb // heads, emb, emb // heads)


def test_only_wide_heads_need_not_divide_the_vector():
    narrow, wide, chunked = several_heads.forms({}, {"emb": 10, "count": 3})["forms"]
    assert narrow["size"] is chunked["size"] is None
    assert wide["maps"] == 900


def test_each_form_that_is_not_too_large_is_timed():
    times = [form["seconds"] for form in several_heads.forms({}, {"emb": 64, "count": 4})["forms"]]
    assert all(0 < seconds < 5 for seconds in times)
    narrow, wide, _ = several_heads.forms({}, {"emb": 1024, "count": 16})["forms"]
    assert narrow["seconds"] > 0
    assert wide["seconds"] is None, "67 million parameters"
    assert several_heads.forms({}, {"emb": 10, "count": 3})["forms"][0]["seconds"] is None


def test_what_the_parts_are_worth_is_what_the_cards_of_models_trained_alike_say(models):
    trained = several_heads.opening(models)["trained"]
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
        several_heads.forms({}, {"emb": 8, "count": 2} | wrong)
