"""Analyses compared with cases whose answer is known."""

import math

import hypothesis.strategies as st
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given

import former
from former import analysis

CONFIG = former.ModelConfig(num_tokens=20, emb=16, heads=4, depth=3, seq_length=16)


def test_equivariance_error_is_the_largest_difference():
    x = torch.arange(4.0)[None, :, None]  # (1, 4, 1)
    weights = torch.tensor([1.0, 2.0, 3.0, 4.0])[:, None]
    flip = [3, 2, 1, 0]
    # f(Px) = [3, 4, 3, 0]; P f(x) = [12, 6, 2, 0]
    assert analysis.equivariance_error(lambda x: x * weights, x, flip) == 9
    assert analysis.equivariance_error(lambda x: x * 2, x, flip) == 0
    for dtype in (torch.uint8, torch.uint16, torch.int16):  # torch would index by uint8 as by a mask
        assert analysis.equivariance_error(lambda x: x * weights, x, torch.tensor(flip, dtype=dtype)) == 9


@given(st.integers(1, 10), st.integers(1, 10), st.integers(1, 9), st.integers(0, 2**31))
def test_influence_finds_the_dependences_of_a_known_linear_map(t_out, t_in, chunk, seed):
    rng = torch.Generator().manual_seed(seed)
    matrix = torch.randn(t_out, t_in, generator=rng).relu()  # about half of it 0
    result = analysis.influence(lambda x: matrix @ x, torch.randn(1, t_in, 3, generator=rng), chunk)
    assert result.shape == (t_out, t_in)
    assert ((result > 0) == (matrix > 0)).all()


def test_influence_grows_with_what_an_output_depends_on():
    matrix = torch.tensor([[1.0, 10.0]])
    result = analysis.influence(lambda x: matrix @ x, torch.ones(1, 2, 1))  # constant input: noise of spread 1
    noise = torch.randn(1, 2, 1, generator=torch.Generator().manual_seed(0)).flatten().abs()
    torch.testing.assert_close(result[0], matrix[0] * noise)


def test_influence_on_a_classifier_has_a_row_a_class():
    model = former.Classifier(CONFIG).eval()
    result = analysis.influence(model, torch.randint(20, (1, 7), dtype=torch.uint8))
    assert result.shape == (2, 7)
    assert (result > 0).all()


def test_influence_replaces_tokens_by_tokens_of_the_vocabulary():
    model = former.Generator(former.ModelConfig(num_tokens=2, emb=16, heads=4, depth=1, seq_length=16)).eval()
    result = analysis.influence(model, torch.tensor([[0, 1, 1, 0]]))
    assert torch.equal(result > 0, former.masks.causal(4))


@pytest.mark.parametrize("layers_as", ["tensor", "list"])
def test_rollout_equals_the_product_of_mixed_layers(layers_as):
    weights = torch.randn(3, 2, 4, 5, 5, dtype=torch.float64).softmax(-1)  # (layers, b, h, t, t)
    expected = torch.eye(5, dtype=torch.float64).repeat(2, 1, 1)
    for b in range(2):
        for layer in range(3):
            mean = sum(weights[layer, b, h] for h in range(4)) / 4
            expected[b] = (0.5 * mean + 0.5 * torch.eye(5)) @ expected[b]
    result = analysis.rollout(weights if layers_as == "tensor" else list(weights))
    torch.testing.assert_close(result, expected)
    torch.testing.assert_close(result.sum(-1), torch.ones(2, 5, dtype=torch.float64))


def test_head_statistics_of_known_heads():
    t = 8
    uniform = torch.full((t, t), 1 / t)
    previous = torch.zeros(t, t)
    previous[0, 0] = 1
    previous[range(1, t), range(t - 1)] = 1
    first = F.one_hot(torch.zeros(t, dtype=torch.long), t).float()
    itself = torch.eye(t)
    result = analysis.head_statistics(torch.stack([uniform, previous, first, itself]))
    torch.testing.assert_close(result["entropy"], torch.tensor([3.0, 0, 0, 0]), atol=1e-6, rtol=0)
    torch.testing.assert_close(result["previous"], torch.tensor([1 / t, 1, 1 / (t - 1), 0]))
    torch.testing.assert_close(result["first"], torch.tensor([1 / t, 2 / t, 1, 1 / t]))
    torch.testing.assert_close(result["self"], torch.tensor([1 / t, 1 / t, 1 / t, 1]))
    mean_distance = sum(abs(i - j) for i in range(t) for j in range(t)) / t**2
    torch.testing.assert_close(result["distance"], torch.tensor([mean_distance, (t - 1) / t, (t - 1) / 2, 0]))


@given(st.integers(1, 12), st.integers(1, 4), st.booleans(), st.integers(0, 2**31))
def test_what_compares_tokens_is_what_a_plain_loop_finds(t, kinds, causal, seed):
    rng = torch.Generator().manual_seed(seed)
    tokens = torch.randint(kinds, (t,), generator=rng)
    scores = torch.randn(2, t, t, generator=rng, dtype=torch.float64)
    weights = (scores + torch.full((t, t), -math.inf).triu(1) if causal else scores).softmax(-1)
    result = analysis.head_statistics(weights, tokens)
    for head in range(2):
        same, copied = [], []
        for query in range(t):
            earlier = [i for i in range(query) if tokens[i] == tokens[query]]
            followers = [i + 1 for i in earlier if i + 1 != query]
            if earlier:
                same.append(sum(float(weights[head, query, key]) for key in earlier))
            if followers:
                copied.append(sum(float(weights[head, query, key]) for key in followers))
        for name, masses in (("same", same), ("copying", copied)):
            assert float(result[name][head]) == pytest.approx(sum(masses) / max(1, len(masses)), abs=1e-12)


def test_head_statistics_take_ids_as_a_run_lists_them():
    weights, ids = torch.rand(2, 5, 5).softmax(-1), [3, 1, 3, 1, 3]
    listed, same = (analysis.head_statistics(weights, tokens) for tokens in (ids, torch.tensor(ids)))
    assert all(torch.equal(listed[name], same[name]) for name in {*listed, *same})
    with pytest.raises(ValueError, match=r"tokens must be \(5,\), an id for each position, got \(4,\)"):
        analysis.head_statistics(weights, ids[:4])


def test_rollout_by_layer_is_the_rollout_of_the_first_layers():
    weights = torch.randn(3, 4, 5, 5, dtype=torch.float64).softmax(-1)
    by_layer = list(analysis.rollout_by_layer(weights))
    assert len(by_layer) == 3
    for depth, actual in enumerate(by_layer, 1):
        torch.testing.assert_close(actual, analysis.rollout(weights[:depth]))


def test_head_statistics_of_a_single_token():
    actual = analysis.head_statistics(torch.ones(1, 1))
    assert {name: float(value) for name, value in actual.items()} == {
        "entropy": 0, "distance": 0, "previous": 0, "first": 1, "self": 1, "next": 0, "last": 1, "offset": 0, "by": 0,
    }  # fmt: skip


def test_ablation_effects_equal_removing_each_head_from_the_weights():
    torch.manual_seed(0)
    model = former.Generator(CONFIG).eval()
    tokens = torch.randint(20, (1, 9))

    def loss(model):
        log_probs = model(tokens)[0, :-1].log_softmax(-1)
        return -sum(float(log_probs[i, tokens[0, i + 1]]) for i in range(8)) / 8 / math.log(2)

    effects = analysis.ablation_effects(model, tokens.int())  # ids of any whole dtype
    with torch.no_grad():
        for layer in range(3):
            for head in range(4):
                without = former.Generator(CONFIG).eval()
                without.load_state_dict(model.state_dict())
                weight = without.state_dict()[f"transformer.blocks.{layer}.attention.unifyheads.weight"]
                weight[:, head * 4 : head * 4 + 4] = 0
                assert float(effects[layer, head]) == pytest.approx(loss(without) - loss(model), abs=1e-5)


def test_ablation_effects_of_a_classifier_and_of_a_measure_of_ones_own():
    torch.manual_seed(0)
    model = former.Classifier(CONFIG).eval()
    tokens = torch.randint(20, (1, 9))
    log_probs = model(tokens).detach()
    best = int(log_probs.argmax())
    ablated, _ = former.run_with_capture(model, tokens, edits=[former.edits.ablate_head(2, 3)])
    surprise = float(log_probs[0, best] - ablated[0, best]) / math.log(2)
    assert float(analysis.ablation_effects(model, tokens)[2, 3]) == pytest.approx(surprise, abs=1e-5)
    own = analysis.ablation_effects(model, tokens, measure=lambda output: output[:, 0])
    assert float(own[2, 3]) == pytest.approx(float(ablated[0, 0] - log_probs[0, 0]), abs=1e-5)


def test_ablation_effects_stand_on_the_edits_and_the_mask_they_are_given():
    torch.manual_seed(0)
    model = former.Generator(CONFIG).eval()
    tokens = torch.randint(20, (1, 9))
    mask = former.masks.none(9)
    off, doubled = former.edits.ablate_head(1, 2), former.edits.scale_head(0, 1, 2.0)

    def first_logit(*edits):
        return float(former.run_with_capture(model, tokens, edits=edits, mask=mask)[0][0, 0, 0])

    def measure(logits):
        return logits[:, 0, 0]

    effects = analysis.ablation_effects(model, tokens, measure, mask=mask, edits=[off, doubled])
    expected = first_logit(off, doubled, former.edits.ablate_head(2, 3)) - first_logit(off, doubled)
    assert float(effects[2, 3]) == pytest.approx(expected, abs=1e-5)
    assert float(effects[1, 2]) == pytest.approx(0, abs=1e-5), "it was off before"


def test_ablation_by_layer_runs_only_the_layers_that_are_asked_for():
    torch.manual_seed(0)
    model = former.Generator(CONFIG).eval()
    tokens = torch.randint(20, (1, 9))
    runs = []
    model.register_forward_hook(lambda *_: runs.append(1))
    rows = analysis.ablation_by_layer(model, tokens)
    first = next(rows)
    assert len(runs) == 2, "the whole model, and its first layer's heads"
    torch.testing.assert_close(first, analysis.ablation_effects(model, tokens)[0])


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([1, 2, 3, 4], [10, 20, 30, 99], 1),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1),
        # By hand: ranks (0, 1, 2, 3) and (0.5, 0.5, 2, 3), from their means −1.5, −0.5, 0.5, 1.5 and −1, −1, 0.5, 1.5.
        ([1, 2, 3, 4], [5, 5, 6, 7], 4.5 / (5 * 4.5) ** 0.5),
    ],
)
def test_rank_correlation_compares_orders_and_shares_ties(x, y, expected):
    for one, other in ((torch.tensor(x), torch.tensor(y)), (x, y)):
        assert analysis.rank_correlation(one, other) == pytest.approx(expected)


def test_rank_correlation_has_no_number_without_an_order_and_refuses_lists_of_two_lengths():
    assert math.isnan(analysis.rank_correlation(torch.ones(3), torch.arange(3)))
    assert math.isnan(analysis.rank_correlation(torch.tensor([1.0, math.nan, 2.0]), torch.arange(3.0)))
    with pytest.raises(ValueError, match="one length"):
        analysis.rank_correlation(torch.ones(3), torch.ones(4))


def test_ablation_effects_stand_beside_an_edit_with_a_batch_axis():
    torch.manual_seed(0)
    model = former.Generator(CONFIG).eval()
    tokens = torch.randint(20, (1, 9))
    uniform = former.masks.causal(9) / former.masks.causal(9).sum(-1, keepdim=True)
    batched, plain = (former.edits.set_weights(0, 1, weights) for weights in (uniform[None], uniform))
    expected = analysis.ablation_effects(model, tokens, edits=[plain])
    assert torch.equal(analysis.ablation_effects(model, tokens, edits=[batched]), expected)


@pytest.mark.parametrize("pad", [0, 7])
def test_padding_has_no_influence_and_replaces_no_token(pad):
    torch.manual_seed(0)
    model = former.Classifier(former.ModelConfig(num_tokens=20, emb=16, heads=4, depth=2, pad_token=pad)).eval()
    words = torch.tensor([[8, 9, 1, 2, 6]]) if pad == 7 else torch.tensor([[1, 9, 2, 3, 6]])  # 8 - 1 is the padding 7
    padded = torch.cat((words, torch.full((1, 3), pad)), 1)
    influence = analysis.influence(model, padded)
    assert (influence[:, 5:] == 0).all()
    torch.testing.assert_close(influence[:, :5], analysis.influence(model, words), atol=1e-5, rtol=0)
    alone = analysis.influence(model, torch.tensor([[8 if pad == 7 else 1]]))
    assert (alone > 0).all()
