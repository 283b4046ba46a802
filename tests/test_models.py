"""The generator and the classifier: causality, pooling, padding, masks as arguments."""

from typing import Any

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given

import former
from former import positions

SMALL: dict[str, Any] = {"num_tokens": 20, "emb": 16, "heads": 4, "depth": 3, "seq_length": 16}
shapes = st.fixed_dictionaries(
    {
        "positions": st.sampled_from(["none", "learned", "sinusoidal"]),
        "norm": st.sampled_from(["post", "pre"]),
        "variant": st.sampled_from(["narrow", "wide"]),
        "depth": st.integers(1, 3),
    }
)
lengths, seeds = st.integers(2, 16), st.integers(0, 2**31)


@given(shapes, lengths, st.data(), seeds)
def test_changing_a_future_token_leaves_all_earlier_logits_unchanged_under_the_causal_mask(shape, t, data, seed):
    torch.manual_seed(seed)
    model = former.Generator(former.ModelConfig(**{**SMALL, **shape})).eval()
    changed_at = data.draw(st.integers(1, t - 1))
    tokens = torch.randint(20, (1, t))
    changed = tokens.clone()
    changed[0, changed_at] = (changed[0, changed_at] + 1) % 20
    before, after = model(tokens), model(changed)
    assert torch.equal(before[:, :changed_at], after[:, :changed_at])
    assert not torch.equal(before[:, changed_at:], after[:, changed_at:])


@given(shapes, lengths, seeds)
def test_the_influence_matrix_is_exactly_lower_triangular_under_the_causal_mask(shape, t, seed):
    torch.manual_seed(seed)
    model = former.Generator(former.ModelConfig(**{**SMALL, **shape})).eval()
    tokens = torch.randint(20, (1, t))
    influence = former.analysis.influence(model, tokens)
    assert (influence.triu(1) == 0).all()
    assert (influence.diagonal() > 0).all()
    unmasked = former.analysis.influence(lambda x: model(x, mask=former.masks.none(t)), tokens)
    assert (unmasked > 0).all()


@given(st.sampled_from(["average", "max"]), st.integers(1, 12), seeds)
def test_average_pooling_without_positions_makes_the_classifier_invariant(pooling, t, seed):
    torch.manual_seed(seed)
    config = former.ModelConfig(**SMALL, positions="none", pooling=pooling, num_classes=3)
    model = former.Classifier(config).double().eval()
    tokens = torch.randint(20, (2, t))
    shuffled = tokens[:, torch.randperm(t)]
    torch.testing.assert_close(model(shuffled), model(tokens), atol=1e-10, rtol=0)


@pytest.mark.parametrize("kind", positions.SCHEMES)
def test_describing_a_model_draws_no_random_number(kind):
    before = torch.random.get_rng_state()
    former.ModelConfig(**SMALL, positions=kind)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_positions_make_the_classifier_sensitive_to_order():
    torch.manual_seed(0)
    model = former.Classifier(former.ModelConfig(**SMALL)).double().eval()
    tokens = torch.arange(12)[None]
    assert (model(tokens.flip(1)) - model(tokens)).abs().max() > 1e-3


@given(shapes, st.sampled_from(["average", "max"]), st.integers(1, 12), st.integers(1, 4), seeds)
def test_padding_changes_nothing_for_the_classifier(shape, pooling, t, padding, seed):
    torch.manual_seed(seed)
    config = former.ModelConfig(**{**SMALL, **shape}, pooling=pooling, pad_token=0)
    model = former.Classifier(config).double().eval()
    tokens = torch.randint(1, 20, (2, t))
    padded = torch.cat([tokens, torch.zeros(2, padding, dtype=torch.long)], dim=1)
    torch.testing.assert_close(model(padded), model(tokens), atol=1e-10, rtol=0)


@pytest.mark.parametrize("mask", [former.masks.local, former.masks.strided, former.masks.fixed])
@pytest.mark.parametrize("size", [1, 2])
def test_padding_changes_nothing_under_a_mask_that_leaves_it_only_padding(mask, size):
    torch.manual_seed(0)
    model = former.Classifier(former.ModelConfig(**SMALL, pad_token=0)).double().eval()
    tokens = torch.tensor([[5, 6, 7, 8], [5, 6, 0, 0]])
    expected = torch.cat([model(tokens[:1], mask(4, size)), model(tokens[1:, :2], mask(2, size))])
    torch.testing.assert_close(model(tokens, mask(4, size)), expected, atol=1e-10, rtol=0)
    _, capture = former.run_with_capture(model, tokens, mask=mask(4, size))
    assert not capture.stack("weights")[:, 1, :, :2, 2:].any(), "no word looks at padding"


@pytest.mark.parametrize("positions", ["none", "learned", "sinusoidal"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_a_model_runs_in_another_dtype(positions, dtype):
    torch.manual_seed(0)
    model = former.Generator(former.ModelConfig(**SMALL, positions=positions)).eval()
    tokens = torch.randint(20, (1, 12))
    expected = model(tokens)
    logits = model.to(dtype)(tokens)
    assert logits.dtype == dtype
    # bfloat16 rounds each number by up to 2^-9; the logits are near 1.
    torch.testing.assert_close(logits.float(), expected, atol=0.05, rtol=0)


@pytest.mark.parametrize("pooling", ["average", "max"])
def test_the_classifier_pools_as_it_says_and_gives_log_probabilities(pooling):
    torch.manual_seed(0)
    model = former.Classifier(former.ModelConfig(**SMALL, pooling=pooling, num_classes=3)).eval()
    tokens = torch.randint(20, (2, 7))
    x = model.transformer(model.transformer.embed(tokens))
    pooled = torch.stack([row.mean(0) if pooling == "average" else row.max(0).values for row in x])
    expected = torch.log(torch.softmax(model.toprobs(pooled), -1))
    torch.testing.assert_close(model(tokens), expected)
    torch.testing.assert_close(model(tokens).exp().sum(-1), torch.ones(2))


def test_a_causal_model_runs_with_another_mask_by_argument():
    torch.manual_seed(0)
    model = former.Generator(former.ModelConfig(**SMALL)).eval()
    tokens = torch.randint(20, (1, 12))
    for mask in (former.masks.none(12), former.masks.local(12, 3), former.masks.strided(12, 3)):
        logits, capture = former.run_with_capture(model, tokens, mask=mask)
        assert ((capture.stack("weights") > 0) == mask).all()
        torch.testing.assert_close(model(tokens, mask=mask), logits)
    assert torch.equal(model(tokens), model(tokens, mask=former.masks.causal(12)))


def test_a_generator_with_sinusoidal_positions_reads_beyond_its_trained_length():
    model = former.Generator(former.ModelConfig(**SMALL, positions="sinusoidal")).eval()
    assert model(torch.zeros(1, 40, dtype=torch.long)).shape == (1, 40, 20)


def test_the_articles_generator_is_the_default():
    config = former.ModelConfig()
    assert (config.depth, config.emb, config.heads, config.seq_length, config.norm) == (12, 256, 8, 256, "post")


@pytest.mark.parametrize("mask", former.masks.MASKS)
@pytest.mark.parametrize("kind", [former.Generator, former.Classifier])
def test_a_model_runs_under_the_mask_of_its_config(kind, mask):
    torch.manual_seed(0)
    model = kind(former.ModelConfig(**SMALL, mask=mask, mask_size=3)).eval()
    tokens = torch.randint(20, (1, 12))
    output, capture = former.run_with_capture(model, tokens)
    allowed = former.masks.named(mask, 12, 3)
    assert ((capture.stack("weights") > 0) == allowed).all()
    torch.testing.assert_close(model(tokens, mask=allowed), output)


def test_without_a_mask_in_its_config_a_generator_is_causal_and_a_classifier_sees_all():
    config = former.ModelConfig(**SMALL)
    assert former.Generator(config).config.mask == "causal"
    assert former.Classifier(config).config.mask == "none"


def test_a_tied_generator_reads_its_logits_off_its_token_embedding():
    torch.manual_seed(0)
    model = former.Generator(former.ModelConfig(**SMALL, tied=True, norm="pre")).eval()
    tokens = torch.randint(20, (1, 12))
    _, capture = former.run_with_capture(model, tokens, ["resid_post"])
    expected = model.norm(capture.get("resid_post", 2)) @ model.transformer.token_embedding.weight.T
    torch.testing.assert_close(model(tokens), expected)
    untied = former.Generator(former.ModelConfig(**SMALL, norm="pre"))
    counts = [sum(parameter.numel() for parameter in each.parameters()) for each in (model, untied)]
    assert counts[1] - counts[0] == 20 * 16 + 20


WHOLE = [torch.uint8, torch.uint16, torch.uint32, torch.uint64, torch.int8, torch.int16, torch.int32]


@pytest.mark.parametrize("dtype", WHOLE, ids=str)
def test_tokens_of_any_whole_dtype_are_read_alike(dtype):
    torch.manual_seed(0)
    tokens = torch.randint(20, (1, 12))
    for model in (former.Generator(former.ModelConfig(**SMALL)), former.Classifier(former.ModelConfig(**SMALL))):
        assert torch.equal(model(tokens.to(dtype)), model(tokens))


def test_bytes_in_their_own_dtype_are_in_a_vocabulary_of_256():
    model = former.Generator(former.ModelConfig(**{**SMALL, "num_tokens": 256}))
    tokens = torch.tensor([[0, 104, 255]], dtype=torch.uint8)
    assert torch.equal(model(tokens), model(tokens.long()))


def test_recomputing_blocks_in_the_backward_pass_gives_the_same_gradients():
    torch.manual_seed(0)
    tokens = torch.randint(20, (2, 12))
    for model in (former.Generator(former.ModelConfig(**SMALL)), former.Classifier(former.ModelConfig(**SMALL))):
        gradients = []
        for recompute in (False, True):
            model.zero_grad()
            model(tokens, recompute=recompute).square().mean().backward()
            gradients.append([parameter.grad.clone() for parameter in model.parameters() if parameter.grad is not None])
        assert all(torch.equal(a, b) for a, b in zip(*gradients, strict=True))
