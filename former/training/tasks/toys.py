"""Toy tasks that a `Generator` of two blocks learns in half a minute on one thread: copy, reverse, sort and add.

A row is a question and its answer, such as `____pots=stop`. The question is padded on the left, so that the = is always
at the same position. After it the model writes the answer, one token per character, and then the end token. Only the
answer is scored. In the task "add" each number is padded separately, and the answer is written with the units first, as
on paper, so that each carry is known when it is needed. A tenth of all questions, selected by a hash, is excluded from
training and used for testing.

Sizes: b batch, t tokens, h heads.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

import former
from former.tokens import CharacterTokenizer
from former.training import optim
from former.training.batches import Batch
from former.training.recipes import Recipe

FILL, ENDS = "_", "="  # padding before a question, and the sign after it
LETTERS = "abcdefghijklmnopqrst"
MOST_LETTERS = 8  # maximum number of letters of a question
DIGITS = 3  # maximum number of digits of a number
BATCH = 32  # questions per step
EVERY = 10  # steps between two reports
TESTED = 200  # unseen questions per test
TOKENIZER = CharacterTokenizer("0123456789+" + LETTERS + FILL + ENDS)
UNSCORED = -100  # as a target


@dataclass(frozen=True)
class Toy:
    """A toy task: its questions, and how they are answered."""

    shape: str  # regular expression of a question
    draw: Callable[[random.Random], str]  # draws a random question
    answer: Callable[[str], str]  # the correct answer to a question
    example: str  # a question
    steps: int  # of training
    width: int = MOST_LETTERS  # characters to which a question, or each number of a sum, is padded
    length: int = 2 * MOST_LETTERS + 1  # tokens of the longest question, the = and its answer
    backwards: bool = False  # whether the model writes the answer from its end

    def prompt(self, question: str) -> str:
        """Returns a question as the model reads it."""
        return "+".join(part.rjust(self.width, FILL) for part in question.split("+")) + ENDS

    def in_order(self, answer: str) -> str:
        """Converts an answer to the order in which the model writes it, and back: "128" ↔ "821" for "add"."""
        return answer[::-1] if self.backwards else answer


def _draw_letters(dice: random.Random) -> str:
    return "".join(dice.choices(LETTERS, k=dice.randint(1, MOST_LETTERS)))


def _draw_numbers(dice: random.Random) -> str:
    return "+".join(str(dice.randrange(10 ** dice.randint(1, DIGITS))) for _ in range(2))


def _add(question: str) -> str:
    return str(sum(map(int, question.split("+"))))


_WORD = f"[{LETTERS[0]}-{LETTERS[-1]}]{{1,{MOST_LETTERS}}}"
_NUMBER = f"(0|[1-9][0-9]{{0,{DIGITS - 1}}})"

TOYS: dict[str, Toy] = {
    "copy": Toy(_WORD, _draw_letters, str, "parrot", 1_000),
    "reverse": Toy(_WORD, _draw_letters, lambda text: text[::-1], "pots", 400),
    "sort": Toy(_WORD, _draw_letters, lambda text: "".join(sorted(text)), "dolphins", 1_200),
    "add": Toy(rf"{_NUMBER}\+{_NUMBER}", _draw_numbers, _add, "347+85", 800, DIGITS, 3 * DIGITS + 3, backwards=True),
}
"""By name.

Of 2,000 unseen questions each, 96.85, 100, 99.95 and 100 % are answered exactly (copy, reverse, sort, add), after
training for 29, 9, 30 and 18 s on one core: `python -m tests.bench.toys --seeds 1`, on an AMD EPYC.
"""


class Report(NamedTuple):
    """The progress of a training, as `train` yields it: the step, two measures, and the model."""

    step: int
    loss: float  # nats per token, mean since the last report
    right: float  # share of unseen questions that are answered exactly
    model: former.Generator  # the model itself, which training keeps changing


def begin(name: str, seed: int) -> former.Generator:
    """Returns the model of a task at step 0; the same seed gives the same weights."""
    config = former.ModelConfig(
        num_tokens=TOKENIZER.num_tokens,
        seq_length=TOYS[name].length,
        emb=64,
        heads=4,
        depth=2,
        norm="pre",
        activation="gelu",
    )
    model = former.Generator(config)
    optim.initialise(model, seed)
    return model


def rows(name: str, questions: Sequence[str]) -> Batch:
    """Returns inputs and targets, both (b, t), for questions of the task `name`; targets outside the answer are
    `UNSCORED`."""
    toy = TOYS[name]
    inputs = torch.zeros(len(questions), toy.length, dtype=torch.long)
    targets = torch.full_like(inputs, UNSCORED)
    for row, question in enumerate(questions):
        prompt = TOKENIZER.encode(toy.prompt(question))
        target = TOKENIZER.encode_target(toy.in_order(toy.answer(question)))[1:]  # without <begin>
        tokens = torch.tensor(prompt + target)
        inputs[row, : len(tokens) - 1] = tokens[:-1]
        targets[row, len(prompt) - 1 : len(tokens) - 1] = tokens[len(prompt) :]
    return inputs, targets


def is_unseen(question: str) -> bool:
    """Returns whether a question is excluded from training."""
    return zlib.crc32(question.encode()) % 10 == 0


def draw(name: str, count: int, dice: random.Random, *, unseen: bool = False) -> list[str]:
    """Draws `count` random questions of a task: with `unseen`, only questions excluded from training; else only those
    used in it."""
    questions: list[str] = []
    while len(questions) < count:
        question = TOYS[name].draw(dice)
        if is_unseen(question) == unseen:
            questions.append(question)
    return questions


def loss_of(model: former.Generator, inputs: Tensor, targets: Tensor) -> Tensor:
    """Returns the mean cross-entropy of the answers' tokens, given the correct ones before each, in nats."""
    return F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), ignore_index=UNSCORED)


@torch.inference_mode()
def share_right(model: former.Generator, inputs: Tensor, targets: Tensor) -> float:
    """Returns the share of questions that the model answers exactly, by its likeliest tokens.

    One forward pass suffices: if each correct token is the likeliest after the correct ones before it, the model
    writes the correct answer.
    """
    right = (model(inputs).argmax(-1) == targets) | (targets == UNSCORED)
    return float(right.all(-1).float().mean())


def train(name: str, seed: int = 0, steps: int | None = None) -> Iterator[Report]:
    """Trains a model on a task; yields a report every `EVERY` steps.

    Args:
        name: of the task, in `TOYS`.
        seed: of the initial weights and the questions; the same seed gives the same model.
        steps: a multiple of `EVERY`; None for the task's default. The learning rate falls in the second half.
    """
    steps, model = steps or TOYS[name].steps, begin(name, seed)
    recipe = Recipe(
        name=name,
        model=model.config,
        steps=steps,
        batch=BATCH,
        warmup=20,
        decay=0.5,
        adam_lr=4e-3,
        seed=seed,
        precision="fp32",
    )
    optimisers = optim.make_optimisers(model, recipe).values()
    dice, test = random.Random(seed), rows(name, draw(name, TESTED, random.Random("test"), unseen=True))
    total = 0.0
    for step in range(steps):
        loss = loss_of(model, *rows(name, draw(name, BATCH, dice)))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        optim.set_learning_rate(optimisers, optim.learning_rate(step, recipe))
        for optimiser in optimisers:
            optimiser.step()
            optimiser.zero_grad()
        total += loss.item()
        if (step + 1) % EVERY == 0:
            yield Report(step + 1, total / EVERY, share_right(model, *test), model)
            total = 0.0


def is_question(name: str, text: str) -> bool:
    """Returns whether a text is a question of a task."""
    return re.fullmatch(TOYS[name].shape, text) is not None


@torch.inference_mode()
def answer(model: former.Generator, name: str, question: str) -> tuple[str, Tensor, list[str]]:
    """Lets a model answer a question, by its likeliest token at each step.

    Args:
        model: trained on the task.
        name: of the task.
        question: of the task.
    Returns:
        The answer; the attention weights (layers, h, t, t) over question and answer; and the labels of these t tokens.
    """
    toy = TOYS[name]
    tokens = TOKENIZER.encode(toy.prompt(question))
    first = len(tokens)
    while True:
        logits, capture = former.run_with_capture(model, torch.tensor([tokens]), "weights")
        token = int(logits[0, -1].argmax())
        if token <= TOKENIZER.end or len(tokens) == model.config.seq_length:
            text = toy.in_order(TOKENIZER.decode(tokens[first:]))
            return text, capture.stack("weights")[:, 0], TOKENIZER.labels(tokens)
        tokens.append(token)
