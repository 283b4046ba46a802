"""Section "Queries, keys, values" on the server: attention with 2 × 2 matrices, and a head of the model."""

import pytest
import torch
import torch.nn.functional as F

import former
from viz.passes.loaded import Loaded
from viz.tabs.learn.sections import queries_keys_values as section
from viz.text import Refusal

PLANE = {"show": "plane", "matrices": "1,0.5,0,1;0.2,1,-1,0;1,0,0,2"}
HEAD = {"show": "head", "text": "The cat sat", "layer": 1, "head": 2}


def test_a_matrix_is_spelt_by_its_columns_and_maps_a_vector_as_a_product_does():
    w_q, w_k, w_v = section.matrices(PLANE)
    assert w_q.tolist() == [[1, 0], [0.5, 1]]
    result = section.SECTION.tensors({}, PLANE)
    for i, vector in enumerate(torch.tensor(section.circle())):
        for name, matrix in (("q", w_q), ("k", w_k), ("v", w_v)):
            torch.testing.assert_close(result[name][i], matrix @ vector)


def test_the_plane_is_scaled_dot_product_attention():
    result = section.SECTION.tensors({}, PLANE)
    q, k, v = (result[name][None, None] for name in "qkv")
    expected = F.scaled_dot_product_attention(q, k, v)
    torch.testing.assert_close(result["y"], expected[0, 0])


def test_identities_give_the_first_section_up_to_the_root():
    result = section.SECTION.tensors({}, {"matrices": section.MATRICES})
    _, weights = former.basic_self_attention(result["x"][None] / 2**0.25)
    torch.testing.assert_close(result["weights"], weights[0])


def test_a_turn_by_a_fifth_makes_every_word_look_at_the_one_before():
    turn = -2 * torch.pi / 5
    turned = f"{2 * torch.cos(torch.tensor(turn)):.2f},{2 * torch.sin(torch.tensor(turn)):.2f}"
    turned += f",{-2 * torch.sin(torch.tensor(turn)):.2f},{2 * torch.cos(torch.tensor(turn)):.2f}"
    weights = section.SECTION.tensors({}, {"matrices": f"{turned};1,0,0,1;1,0,0,1"})["weights"]
    assert weights[1:].argmax(1).tolist() == [0, 1, 2, 3]


def test_every_number_of_a_head_follows_from_the_rows_of_weights_that_are_named(models, generator):
    result = section.SECTION.questions["trained"].answer(models, HEAD)
    state = generator.bundle.model.state_dict()
    s = generator.bundle.config.head_size
    x = torch.tensor(result["x"])
    for part in section.PARTS:
        named = result["weight"][part]
        rows = state[named["tensor"]][named["row"] : named["row"] + s]
        torch.testing.assert_close(torch.tensor(named["rows"]), rows)
        torch.testing.assert_close(torch.tensor(result[part]), x @ rows.T, atol=1e-5, rtol=1e-5)
    q, k, v = (torch.tensor(result[part]) for part in section.PARTS)
    t = len(q)
    for i in range(t):
        scores = torch.tensor([float(q[i] @ k[j]) / s**0.5 for j in range(i + 1)])
        assert result["scores"][i][: i + 1] == pytest.approx(scores.tolist(), abs=1e-4)
        assert result["scores"][i][i + 1 :] == [None] * (t - i - 1)
        weights = scores.softmax(0)
        assert result["weights"][i] == pytest.approx([*weights.tolist(), *[0] * (t - i - 1)], abs=1e-5)
        assert result["out"][i] == pytest.approx((weights @ v[: i + 1]).tolist(), abs=1e-4)


def test_the_model_that_is_followed_is_the_smallest_that_writes(models, generator):
    assert section.subject(models) is generator
    shipped = {name: Loaded(name, former.load(name), name) for name in ("tiny-generator",)}
    assert section.subject({**models, **shipped}).name in ("tiny-generator", generator.name)


@pytest.mark.parametrize(
    "wrong",
    [{"matrices": "1,0"}, {"matrices": "nan,0,0,1;1,0,0,1;1,0,0,1"}, {"matrices": "9,0,0,1;1,0,0,1;1,0,0,1"}],
)
def test_matrices_out_of_their_limits_are_refused(wrong):
    with pytest.raises(Refusal):
        section.SECTION.tensors({}, wrong)


@pytest.mark.parametrize("wrong", [{"text": ""}, {"layer": 9}, {"head": -1}, {"head": True}])
def test_a_head_that_is_not_there_is_refused(models, wrong):
    with pytest.raises(Refusal):
        section.SECTION.questions["trained"].answer(models, HEAD | wrong)
