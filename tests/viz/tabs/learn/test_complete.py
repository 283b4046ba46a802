"""Section "Complete self-attention": the article's lines compute what `former.SelfAttention` does."""

import pytest
import torch

import former
from viz.tabs.learn.sections import complete
from viz.text import Refusal

ask = complete.SECTION.questions["lines"].answer


@pytest.mark.parametrize(("b", "t", "k", "h"), [(2, 5, 12, 3), (1, 1, 4, 1), (3, 7, 8, 8)])
def test_the_article_s_lines_and_the_layer_give_the_same_with_the_shapes_that_are_said(b, t, k, h):
    attention = former.SelfAttention(k, h).double()
    x = torch.randn(b, t, k, dtype=torch.float64)
    with torch.no_grad():
        result = complete.article_lines(attention, x)
        torch.testing.assert_close(result["y"], attention(x))
    s = k // h
    shapes = {name: tuple(tensor.shape) for name, tensor in result.items()}
    whole, maps = (b, t, k), (b * h, t, t)
    assert list(shapes) == list(complete.STEPS)
    assert [shapes[name] for name in ("x", "queries", "joined", "y")] == [whole] * 4
    assert [shapes[name] for name in ("dot", "scaled", "weights")] == [maps] * 3
    assert (shapes["split"], shapes["folded"], shapes["out"]) == ((b, t, h, s), (b * h, t, s), (b, h, t, s))
    for batch in range(b):
        for head in range(h):  # a head of a sentence is a sequence of the batch
            assert torch.equal(result["folded"][batch * h + head], result["split"][batch, :, head])


def test_two_sentences_run_through_the_first_layer_of_the_classifier(models, classifier):
    result = ask(models, {"text": "not a bad film"})
    assert result["labels"] == [["not", "a", "bad", "film"], ["film", "bad", "a", "not"]]
    assert result["ours"] < 1e-5
    own = classifier.bundle.run("not a bad film").weights[0]  # (h, t, t)
    h = result["heads"]
    torch.testing.assert_close(torch.tensor(result["weights"][:h]), own, atol=1e-5, rtol=0)
    assert result["shapes"]["folded"] == [2 * h, 4, result["shapes"]["x"][2] // h]


@pytest.mark.parametrize("wrong", [{}, {"text": " "}, {"text": 3}])
def test_what_cannot_be_read_is_refused(models, wrong):
    with pytest.raises(Refusal):
        ask(models, wrong)
