"""The toy tasks: answers equal plain Python's, test questions are never trained on, and a small task is learned."""

import copy
import random

import pytest
import torch
import torch.nn.functional as F

import former
from former.training.tasks import toys

ANSWERS = {
    "copy": lambda text: "".join(list(text)),
    "reverse": lambda text: "".join(reversed(text)),
    "sort": lambda text: "".join(letter * text.count(letter) for letter in toys.LETTERS),
    "add": lambda text: str(int(text.partition("+")[0]) + int(text.partition("+")[2])),
}


@pytest.mark.parametrize("name", toys.TOYS)
def test_answers_are_plain_python_s_and_are_written_behind_the_question(name):
    questions = toys.draw(name, 300, random.Random(3))
    inputs, targets = toys.rows(name, questions)
    for question, read, scored in zip(questions, inputs.tolist(), targets.tolist(), strict=True):
        assert toys.is_question(name, question)
        message = toys.TOKENIZER.decode([token for token in scored if token != toys.UNSCORED])
        assert toys.TOYS[name].answer(question) == toys.TOYS[name].in_order(message) == ANSWERS[name](question)
        text = toys.TOKENIZER.decode(read)
        assert text.replace(toys.FILL, "") == f"{question}={message}"
        first = text.index("=")
        assert first == (2 * toys.DIGITS + 1 if name == "add" else toys.MOST_LETTERS)
        assert scored[first + len(message)] == toys.TOKENIZER.end
        assert scored[:first] == [toys.UNSCORED] * first


@pytest.mark.parametrize("name", toys.TOYS)
def test_what_is_tested_never_comes_up_in_training(name):
    observed = set(toys.draw(name, 3_000, random.Random(1)))
    unseen = set(toys.draw(name, 300, random.Random(1), unseen=True))
    assert not observed & unseen


@pytest.mark.parametrize(
    ("name", "text"),
    [("copy", ""), ("copy", "a" * 9), ("sort", "Ab"), ("sort", "xyz"), ("reverse", "a b"), ("reverse", "ab\n")]
    + [("add", text) for text in ("1+", "+1", "1", "1000+1", "01+1", "1+1+1", "１+1", "-1+1")],
)
def test_what_is_no_question_of_a_task_is_seen(name, text):
    assert not toys.is_question(name, text)


def test_the_loss_is_that_of_the_answers_alone_by_a_plain_loop():
    model = toys.begin("add", 1)
    for parameter in model.parameters():  # the output layer starts with zeros
        parameter.data += 0.1 * torch.randn_like(parameter)
    inputs, targets = toys.rows("add", toys.draw("add", 5, random.Random(2)))
    log_probs = F.log_softmax(model(inputs), -1)
    scored = [(i, j) for i, row in enumerate(targets.tolist()) for j, token in enumerate(row) if token >= 0]
    plain = -sum(log_probs[i, j, targets[i, j]] for i, j in scored) / len(scored)
    torch.testing.assert_close(toys.loss_of(model, inputs, targets), plain)


def copied(report: toys.Report) -> former.Generator:
    """Returns a copy of the model at a report, since training continues to change it."""
    return copy.deepcopy(report.model)


def test_reversing_is_learned_in_200_steps_and_the_model_answers_by_itself_what_was_measured():
    early, *_, late = ((report.right, copied(report)) for report in toys.train("reverse", seed=1, steps=200))
    questions = toys.draw("reverse", 200, random.Random(5), unseen=True)
    assert toys.share_right(late[1], *toys.rows("reverse", questions)) >= 0.95
    for measured, model in (early, late):
        answers = [toys.answer(model, "reverse", question)[0] for question in questions[:20]]
        exact = sum(answer == question[::-1] for answer, question in zip(answers, questions, strict=False)) / 20
        assert exact == pytest.approx(toys.share_right(model, *toys.rows("reverse", questions[:20])))
        assert measured == pytest.approx(exact, abs=0.1)


def test_the_same_seed_trains_the_same_model_and_another_seed_another():
    def weights(seed: int) -> torch.Tensor:
        *_, report = toys.train("sort", seed, steps=10)
        return torch.cat([parameter.detach().flatten() for parameter in report.model.parameters()])

    assert torch.equal(weights(1), weights(1))
    assert not torch.equal(weights(1), weights(2))


def test_the_maps_are_over_what_was_read_and_each_row_sums_to_one():
    _, weights, labels = toys.answer(toys.begin("reverse", 0), "reverse", "pots")
    assert labels[:9] == [*"____pots="]
    assert weights.shape == (2, 4, len(labels), len(labels))
    torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
