"""Positions: encodings equal their formula; embeddings end with their range."""

import pytest
import torch

import former
from former.generate import KeyValueCache
from former.positions import RelativeTerms, Rotary, Shape, make_positions, sinusoidal
from tests.encodings import encodings


@pytest.mark.parametrize("emb", [2, 6, 64])
def test_sinusoidal_encodings_follow_their_formula(emb):
    index = torch.tensor([0, 1, 5, 300])
    exact = encodings(301, emb)[index]
    # float32 angles of up to 300 radians are good to about 300 · 2^-24 = 2e-5.
    torch.testing.assert_close(sinusoidal(index, emb), exact.float(), atol=1e-4, rtol=0)
    torch.testing.assert_close(sinusoidal(index, emb, torch.float64), exact, atol=1e-12, rtol=0)


def test_sinusoidal_encodings_answer_beyond_the_trained_length():
    positions = make_positions("sinusoidal", Shape(8, 16))
    vectors = positions(torch.arange(1000))
    assert vectors.shape == (1000, 16)
    assert len(vectors.unique(dim=0)) == 1000


def test_encodings_are_as_good_as_the_dtype_they_are_asked_in():
    index = torch.arange(300)
    positions, exact = make_positions("sinusoidal", Shape(8, 16)), encodings(300, 16)
    torch.testing.assert_close(positions(index, torch.float64), exact, atol=1e-12, rtol=0)
    # bfloat16 has 8 significant bits and could not count to 300.
    torch.testing.assert_close(positions(index, torch.bfloat16), exact.bfloat16(), atol=2**-8, rtol=0)


def test_learned_positions_are_one_vector_for_each_of_the_context():
    positions = make_positions("learned", Shape(8, 16))
    assert sum(p.numel() for p in positions.parameters()) == 8 * 16
    assert positions.limit == 8


def test_no_positions_add_nothing():
    assert make_positions("none", Shape(8, 16))(torch.arange(5)).tolist() == 0


@pytest.mark.parametrize(("t_query", "t_key"), [(1, 1), (4, 4), (3, 7)])
def test_relative_terms_equal_the_paper_pair_by_pair(t_query, t_key):
    torch.manual_seed(0)
    terms = RelativeTerms(emb=8, heads=2, size=3).double()
    torch.nn.init.normal_(terms.content)
    torch.nn.init.normal_(terms.position)
    q, k = (torch.randn(2, 2, t, 3, dtype=torch.float64) for t in (t_query, t_key))
    added = terms(q, k)
    r = encodings(20, 8)
    for b, h, i, j in torch.cartesian_prod(*map(torch.arange, added.shape)).tolist():
        distance = t_key - t_query + i - j
        encoding = r[distance] if distance >= 0 else r[-distance] * torch.tensor([-1.0, 1.0] * 4).double()  # sin is odd
        w = terms.tokeys.weight.unflatten(0, (2, 3))[h]  # (s, e)
        expected = terms.content[h, 0] @ k[b, h, j] + (q[b, h, i] + terms.position[h, 0]) @ (w @ encoding)
        # The angles are computed in float32: good to about distance · 1e-7.
        torch.testing.assert_close(added[b, h, i, j], expected, atol=1e-5, rtol=0)


def test_attention_with_terms_is_the_same_by_the_fast_kernel_and_by_the_equation():
    torch.manual_seed(0)
    terms = RelativeTerms(emb=8, heads=2, size=4)
    torch.nn.init.normal_(terms.content)
    q, k, v = (torch.randn(1, 2, 5, 4) for _ in range(3))
    mask = former.masks.causal(5)
    observed = {}
    equation = former.attend(q, k, v, mask=mask, terms=terms, hook=lambda name, tensor: observed.update({name: tensor}))
    torch.testing.assert_close(former.attend(q, k, v, mask=mask, terms=terms), equation, atol=1e-5, rtol=0)
    expected = ((q @ k.mT + terms(q, k)) / 2).masked_fill(~mask, -torch.inf)
    torch.testing.assert_close(observed["scores"], expected)


def test_a_generator_with_relative_positions_knows_only_distances():
    torch.manual_seed(0)
    config = former.ModelConfig(
        num_tokens=9, emb=8, heads=2, depth=2, seq_length=8, positions="relative", mask="local", mask_size=2
    )
    model = former.Generator(config).double().eval()
    for parameter in model.parameters():
        parameter.data += 0.3 * torch.randn(parameter.shape).double()
    tokens = torch.randint(9, (1, 12))
    # Two layers of a window of two reach two tokens back: the same tokens give the same logits at any position.
    torch.testing.assert_close(model(tokens)[:, 5:], model(tokens[:, 3:])[:, 2:], atol=1e-10, rtol=0)
    swapped = model(tokens[:, [0, 2, 1, *range(3, 12)]])
    assert (swapped[:, 3] - model(tokens)[:, 3]).abs().max() > 1e-3, "order matters"


def rotated_scores(q, k, start, **options):
    """Returns the dot products of q and k, at positions from `start` on."""
    positions = make_positions("rotary", Shape(8, 16, size=6, **options))
    turn = positions.turn(torch.arange(start, start + q.shape[2]), q.dtype)
    assert turn is not None
    return turn(q) @ turn(k).mT


@pytest.mark.parametrize("rotary", [Rotary(), Rotary(50.0, 0.7), Rotary(1e5, 1.0, (8.0, 1.0, 4.0, 32.0))])
def test_scores_with_rotary_positions_depend_on_distances_alone(rotary):
    torch.manual_seed(0)
    q, k = (torch.randn(2, 3, 7, 6, dtype=torch.float64) for _ in range(2))
    scores = rotated_scores(q, k, 0, rotary=rotary)
    torch.testing.assert_close(rotated_scores(q, k, 300, rotary=rotary), scores, atol=1e-11, rtol=0)
    assert (rotated_scores(q.roll(1, 2), k, 0, rotary=rotary) - scores).abs().max() > 0.1
    torch.testing.assert_close(scores.diagonal(0, 2, 3), (q @ k.mT).diagonal(0, 2, 3), atol=1e-12, rtol=0)


def test_a_generator_with_rotary_positions_knows_only_distances():
    torch.manual_seed(0)
    shape = {"num_tokens": 9, "emb": 8, "heads": 2, "depth": 2, "seq_length": 8, "mask": "local", "mask_size": 2}
    model = former.Generator(former.ModelConfig(**shape, positions="rotary")).double().eval()
    tokens = torch.randint(9, (1, 12))
    # Two layers of a window of two reach two tokens back: the same tokens give the same logits at any position.
    torch.testing.assert_close(model(tokens)[:, 5:], model(tokens[:, 3:])[:, 2:], atol=1e-10, rtol=0)


def test_rotary_positions_turn_in_a_decoder_too_with_and_without_a_cache():
    torch.manual_seed(0)
    config = former.EncoderDecoderConfig(
        num_tokens=9, emb=8, heads=4, kv_heads=2, depth=2, seq_length=8, positions="rotary"
    )
    model = former.EncoderDecoder(config).double().eval()
    source, target = torch.tensor([[1, 2, 3, 4]]), torch.tensor([[5, 6, 7]])
    whole = model(source, target)
    cache = KeyValueCache(config, model.toprobs.weight)
    memory = model.keys_and_values(model.encode(source))
    parts = [model.decode(target[:, i : i + 1], memory, cache=cache) for i in range(3)]
    torch.testing.assert_close(torch.cat(parts, 1), whole, atol=1e-12, rtol=0)
    assert not torch.allclose(model(source[:, [1, 0, 2, 3]], target), whole)
