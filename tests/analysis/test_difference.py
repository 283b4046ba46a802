"""The difference between the predictions of two runs."""

import itertools

import pytest
import torch

import former
from former import analysis
from former.runs import Unanswerable
from tests import kinds


@pytest.fixture(scope="module")
def bundle():
    return former.load("tiny-generator")


def test_answers_and_rivals_add_most_to_the_divergence_of_the_two(bundle):
    one, other = bundle.run("The cat sat on th"), bundle.run("The cat sat on a ")
    apart = analysis.tell_apart(one, other, 3)
    mine, theirs = (run.result[0, -1].log_softmax(-1) for run in (one, other))
    assert apart.at == len(one.ids) - 1
    for ids, gains in ((apart.answers, mine.exp() * (mine - theirs)), (apart.rivals, theirs.exp() * (theirs - mine))):
        assert gains[ids].tolist() == pytest.approx(gains.topk(len(ids)).values.tolist())
        assert len(ids) == 3


def test_two_runs_that_predict_the_same_are_not_told_apart(bundle):
    with pytest.raises(Unanswerable, match="must predict differently"):
        analysis.tell_apart(bundle.run("The cat"), bundle.run("The cat"))


def test_a_run_without_maps_is_told_apart_as_one_with_them():
    """An encoder-decoder's predictions that differ most are compared, not only its last."""
    torch.manual_seed(0)
    run = kinds.translator().run("4/7 1976 → 1976-07-04")
    last = run.output.shape[1] - 1
    places = set()
    for layer, head in itertools.product(range(2), range(4)):
        edited = run.with_edits(former.edits.ablate_head(layer, head, stack="cross"))
        apart = analysis.tell_apart(edited.unedited, edited)
        assert apart == analysis.tell_apart(run, edited)
        places.add(apart.at)
    assert places - {last}


def test_runs_of_two_models_or_of_texts_of_different_lengths_are_refused():
    bundle = former.load("tiny-generator")
    one, longer, other = bundle.run("ab"), bundle.run("abc"), former.load("tiny-rotary").run("ab")
    for pair, message in (((one, other), "of one model"), ((one, longer), "equally many tokens")):
        with pytest.raises(ValueError, match=message):
            analysis.tell_apart(*pair)
    with pytest.raises(ValueError, match="of one model"):
        one.patched_into(other, 0)
