"""Section "Classification" on the server: the words' contributions add up to the verdict with every pooling."""

import pytest
import torch

from viz.tabs.learn.sections import classification
from viz.text import Refusal

verdict = classification.SECTION.questions["verdict"].answer
VIEW = {"text": "not a bad film, but the film was great.", "out": "", "pooling": "average"}


@pytest.mark.parametrize("out", ["", "0", "2,3,7", "1,99"])
@pytest.mark.parametrize("how", classification.POOLINGS)
def test_the_pulls_and_the_bias_sum_to_the_difference_of_the_logits(models, how, out):
    result = verdict(models, VIEW | {"out": out})
    total = sum(result[how]["pulls"]) + result["bias"]
    assert total == pytest.approx(result[how]["difference"], abs=1e-5)
    assert result[how]["positive"] == pytest.approx(1 / (1 + 2.718281828**-total), abs=1e-5)


def test_averaged_the_verdict_is_the_classifiers_own(models, classifier):
    ids = torch.tensor([classifier.bundle.tokenizer.encode(VIEW["text"])])
    with torch.inference_mode():
        exact = classifier.bundle.model(ids).exp()[0, 1]
    assert verdict(models, VIEW)["average"]["positive"] == pytest.approx(float(exact), abs=1e-6)


def test_alone_each_word_attends_to_itself_and_the_first_block_s_weights_are_its_heads_mean(models, classifier):
    model = classifier.bundle.model
    ids = torch.tensor([classifier.bundle.tokenizer.encode(VIEW["text"])])
    actual = verdict(models, VIEW)
    towards = model.toprobs.weight[1] - model.toprobs.weight[0]
    with torch.inference_mode():
        x = model.transformer.embed(ids)
        for layer in model.transformer.blocks:  # of a weight of 1 on itself the output is its own value
            attention = layer.attention
            x = x + attention.unifyheads(attention.tovalues(layer.norm1(x)))
            x = x + layer.ff(layer.norm2(x))
        exact = model.norm(x)[0] @ towards / ids.shape[1]
    assert actual["alone"] == pytest.approx(exact.tolist(), abs=1e-5)
    weights = classifier.bundle.run(VIEW["text"]).weights[0].mean(0)
    torch.testing.assert_close(torch.tensor(actual["reads"]), weights, atol=1e-5, rtol=0)


def test_without_a_word_the_others_are_averaged(models, classifier):
    model = classifier.bundle.model
    ids = torch.tensor([classifier.bundle.tokenizer.encode(VIEW["text"])])
    with torch.inference_mode():
        x = model.norm(model.transformer(model.transformer.embed(ids)))[0]
        rest = torch.cat((x[:1], x[2:])).mean(0)
        exact = model.toprobs(rest)
    result = verdict(models, VIEW | {"out": "1"})
    assert result["average"]["difference"] == pytest.approx(float(exact[1] - exact[0]), abs=1e-5)
    assert result["average"]["pulls"][1] == result["max"]["pulls"][1] == result["numbers"][1] == 0


def test_each_number_of_the_maximum_comes_from_one_word():
    x = torch.tensor([[[3.0, 0.0, 5.0], [1.0, 2.0, 9.0], [8.0, 8.0, 8.0]]])
    weight = torch.tensor([[0.0, 0.0, 0.0], [1.0, 10.0, 100.0]])
    real = torch.tensor([[True, True, False]])
    assert classification.pulls(x, real, weight, "max").tolist() == [3, 2 * 10 + 9 * 100, 0]
    assert classification.pulls(x, real, weight, "average").tolist() == [503 / 2, 921 / 2, 0]


@pytest.mark.parametrize(
    "wrong", [{"text": " "}, {"text": 3}, {"out": "a"}, {"out": ","}, {"out": None}, {"out": "0,1,2,3,4,5,6,7,8,9,10"}]
)
def test_a_view_that_leaves_nothing_to_pool_is_refused(models, wrong):
    with pytest.raises(Refusal):
        verdict(models, VIEW | wrong)
