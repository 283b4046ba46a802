"""Section "Transformer-XL": the memory's benefit, its reach, and the terms of its scores, recomputed."""

import math

import pytest
import torch

import former
from former.positions import RelativeTerms, sinusoidal
from viz.tabs.learn.score_terms import relative_terms
from viz.tabs.learn.sections import transformer_xl
from viz.text import Refusal

shipped = pytest.mark.skipif("xl" not in former.available(), reason="xl is not shipped here")
TEXT = "The cat sat on the mat, and the cat sat on the mat again until the evening came and it went home."
VIEW = {"show": "memory", "text": TEXT, "layer": 1, "head": 2}


def test_the_four_terms_of_relative_positions_are_the_paper_s_products():
    torch.manual_seed(0)
    terms = RelativeTerms(emb=6, heads=2, size=3).double()
    for parameter in terms.parameters():
        parameter.data.normal_()
    q, k = torch.randn(1, 2, 3, 3).double(), torch.randn(1, 2, 5, 3).double()
    result = relative_terms(terms, q, k)
    for head in range(2):
        u, v = terms.content[head, 0], terms.position[head, 0]
        for i in range(3):
            for j in range(5):
                r = sinusoidal(torch.tensor([2 + i - j]), 6, torch.float64)[0]
                projected = (terms.tokeys.weight @ r)[3 * head : 3 * head + 3]
                query, key = q[0, head, i], k[0, head, j]
                expected = [query @ key, query @ projected, u @ key, v @ projected]
                value = result[:, 0, head, i, j] * math.sqrt(3)
                torch.testing.assert_close(value, torch.stack(expected))


@shipped
def test_without_a_memory_each_segment_is_read_alone_and_with_a_long_one_as_a_whole_text():
    result = transformer_xl.SECTION.questions["carried"].answer({}, VIEW)
    ids = torch.tensor([list(TEXT.encode())])
    model = former.load("xl").model
    alone, whole = [], []
    with torch.inference_mode():
        for first in range(0, ids.shape[1] - 1, transformer_xl.SEGMENT):
            alone.append(model(ids[:, first : min(first + transformer_xl.SEGMENT, ids.shape[1] - 1)])[0][0])
        whole = model(ids[:, :-1])[0][0]  # one segment
    for name, logits in (("off", torch.cat(alone)), ("on", whole)):
        probs = logits.softmax(-1)
        expected = [-math.log2(probs[i, ids[0, i + 1]]) for i in range(ids.shape[1] - 1)]
        assert result[name] == pytest.approx(expected, abs=1e-3)
        assert result["means"][name] == pytest.approx(sum(expected) / len(expected), abs=1e-3)
    assert result["bits"][0] == pytest.approx(sum(result["off"]) / len(result["off"]), rel=1e-5)
    assert result["bits"][-1] < result["bits"][0]


@shipped
def test_each_layer_is_moved_from_one_memory_further_back_and_without_memory_from_the_segment_alone():
    result = transformer_xl.SECTION.questions["reached"].answer({}, VIEW)
    n, short = len(result["labels"]), transformer_xl.SHORT
    begins = (n - 1) // short * short  # of the last segment
    for layer, row in enumerate(result["on"]):
        first = max(0, begins - short * (layer + 1))
        assert [value > 0 for value in row] == [j >= first for j in range(n)]
    for row in result["off"]:
        assert [value > 0 for value in row] == [j >= begins for j in range(n)]


@shipped
def test_the_terms_of_a_score_add_up_to_the_model_s_own():
    result = transformer_xl.SECTION.questions["scored"].answer({}, VIEW)
    assert result["error"] < 1e-4
    assert len(result["labels"]) == len(result["scores"]) == transformer_xl.KEYS
    for name, spread in result["spreads"].items():
        mean = sum(result[name]) / transformer_xl.KEYS
        assert spread**2 == pytest.approx(sum((term - mean) ** 2 for term in result[name]) / transformer_xl.KEYS)


@shipped
@pytest.mark.parametrize("wrong", [{"text": "too short"}, {"text": None}, {"layer": 9}, {"head": -1}])
def test_what_cannot_be_read_is_refused(wrong):
    with pytest.raises(Refusal):
        transformer_xl.SECTION.questions["scored"].answer({}, VIEW | wrong)
