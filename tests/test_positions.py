"""Positions: encodings against their formula, embeddings within their range."""

import pytest
import torch

from former.positions import make_positions, sinusoidal
from tests.encodings import encodings


@pytest.mark.parametrize("emb", [2, 6, 64])
def test_sinusoidal_encodings_follow_their_formula(emb):
    index = torch.tensor([0, 1, 5, 300])
    exact = encodings(301, emb)[index]
    # float32 angles of up to 300 radians are good to about 300 · 2^-24 = 2e-5.
    torch.testing.assert_close(sinusoidal(index, emb), exact.float(), atol=1e-4, rtol=0)
    torch.testing.assert_close(sinusoidal(index, emb, torch.float64), exact, atol=1e-12, rtol=0)


def test_sinusoidal_encodings_answer_beyond_the_trained_length():
    positions = make_positions("sinusoidal", seq_length=8, emb=16)
    vectors = positions(torch.arange(1000))
    assert vectors.shape == (1000, 16)
    assert len(vectors.unique(dim=0)) == 1000


def test_encodings_are_as_good_as_the_dtype_they_are_asked_in():
    index = torch.arange(300)
    positions, exact = make_positions("sinusoidal", seq_length=8, emb=16), encodings(300, 16)
    torch.testing.assert_close(positions(index, torch.float64), exact, atol=1e-12, rtol=0)
    # bfloat16 holds 8 bits of a number up to 1, and could not count to 300.
    torch.testing.assert_close(positions(index, torch.bfloat16), exact.bfloat16(), atol=2**-8, rtol=0)


def test_learned_positions_are_one_vector_for_each_of_the_context():
    positions = make_positions("learned", seq_length=8, emb=16)
    assert sum(p.numel() for p in positions.parameters()) == 8 * 16
    assert positions.limit == 8


def test_no_positions_add_nothing():
    assert make_positions("none", seq_length=8, emb=16)(torch.arange(5)).tolist() == 0
