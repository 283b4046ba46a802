"""Section "Why it works" on the server: likes are learned, hidden likes are predicted, and near words are measured."""

import pytest
import torch

from tests.ranked import check_order
from viz.tabs.learn.sections import films
from viz.text import Refusal

VIEW = {"likes": films.LIKES, "seed": 1, "word": "bad"}


@pytest.mark.parametrize("seed", range(10))
def test_a_like_that_was_kept_back_is_predicted_from_those_of_others(seed):
    losses, people, items = films.train(films.likes(VIEW), seed)
    predicted = (people[-1] @ items[-1].T).sigmoid()
    assert losses[-1] < 0.1 < losses[0]
    assert float(predicted[films.HELD]) > 0.6
    assert torch.equal(predicted > 0.5, films.likes(VIEW) > 0.5)


def test_what_is_kept_back_has_no_part_in_the_training():
    liked = films.likes(VIEW)
    other = liked.clone()
    other[films.HELD] = 1 - other[films.HELD]
    for one, two in zip(films.train(liked, 3), films.train(other, 3), strict=True):
        assert torch.equal(torch.as_tensor(one), torch.as_tensor(two))


def test_the_answer_is_the_end_of_its_course(models):
    result = films.SECTION.questions["learned"].answer(models, VIEW)
    course = torch.tensor(result["course"])
    assert course.shape == (films.FRAMES + 1, len(films.PEOPLE) + len(films.FILMS), 2)
    people, items = course[-1].split([len(films.PEOPLE), len(films.FILMS)])
    torch.testing.assert_close(torch.tensor(result["predicted"][-1]), (people @ items.T).sigmoid())
    assert len(result["losses"]) == films.STEPS


def test_the_nearest_words_are_those_of_a_plain_search(models, classifier):
    table = classifier.bundle.model.transformer.token_embedding.weight.detach().double()
    own = classifier.bundle.tokenizer.encode("bad")[0]
    result = films.SECTION.questions["near"].answer(models, VIEW)
    dots = {i: float(table[i] @ table[own]) for i in range(len(table)) if i != own}
    cosines = {i: value / float(table[i].norm() * table[own].norm()) for i, value in dots.items()}
    for name, values in (("dot", dots), ("cosine", cosines)):
        exact = dict(zip(classifier.bundle.tokenizer.labels(list(values)), values.values(), strict=True))
        words, shown = zip(*[(entry["word"], entry["value"]) for entry in result[name]], strict=True)
        check_order(words, shown, exact, 1e-4)  # four decimals are sent
        assert len(words) == films.NEAR


@pytest.mark.parametrize("word", ["", " ", "<br>", 3])
def test_what_is_no_word_is_refused(models, word):
    with pytest.raises(Refusal):
        films.read_word(models, {"word": word})


@pytest.mark.parametrize("wrong", ["", "1", "2" * 7, films.LIKES + ",1110000", 3, "1110000,x"])
def test_likes_that_are_none_are_refused(wrong):
    with pytest.raises(Refusal):
        films.likes({"likes": wrong})
