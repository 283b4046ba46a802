"""Toy tasks that a `Generator` of two blocks learns in half a minute on one thread: to copy, reverse, sort and add.

A row is a question and its answer, such as `____pots=stop`. The question is filled up from the left, so that the = has
one place; from there on the model writes, a token a character, until it writes the end. Only the answer is scored. Each
number of a sum is filled up by itself, and the sum is written units first, as one finds its digits on paper: in this
order a carry is known when it is needed. A tenth of all questions, chosen by a hash of their characters, never comes up
in training: with these it is tested.

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

FILL, ENDS = "_", "="  # before a question, and after it
LETTERS = "abcdefghijklmnopqrst"
MOST = 8  # letters of a question
DIGITS = 3  # of a number, at most
EVERY = 10  # steps between two reports
TESTED = 200  # unseen questions behind each figure
TOKENIZER = CharacterTokenizer("0123456789+" + LETTERS + FILL + ENDS)
UNSCORED = -100  # as a target


@dataclass(frozen=True)
class Toy:
    """A task."""

    shape: str  # of a question, as a regular expression
    draw: Callable[[random.Random], str]  # a question
    answer: Callable[[str], str]  # of a question
    example: str  # a question
    steps: int  # of a training
    filled: int = MOST  # to how many characters a question is filled up, or each number of a sum
    length: int = 2 * MOST + 1  # tokens of the longest question, the = and its answer
    backwards: bool = False  # whether the answer is written from its end

    def written(self, question: str) -> str:
        """A question as the model reads it."""
        return "+".join(part.rjust(self.filled, FILL) for part in question.split("+")) + ENDS

    def turned(self, answer: str) -> str:
        """An answer as the model writes it, or such a text as the answer that it is."""
        return answer[::-1] if self.backwards else answer


def _draw_letters(dice: random.Random) -> str:
    return "".join(dice.choices(LETTERS, k=dice.randint(1, MOST)))


def _draw_numbers(dice: random.Random) -> str:
    return "+".join(str(dice.randrange(10 ** dice.randint(1, DIGITS))) for _ in range(2))


def _add(question: str) -> str:
    return str(sum(map(int, question.split("+"))))


_WORD = f"[{LETTERS[0]}-{LETTERS[-1]}]{{1,{MOST}}}"
_NUMBER = f"(0|[1-9][0-9]{{0,{DIGITS - 1}}})"

TOYS: dict[str, Toy] = {
    "copy": Toy(_WORD, _draw_letters, str, "parrot", 1_000),
    "reverse": Toy(_WORD, _draw_letters, lambda text: text[::-1], "pots", 400),
    "sort": Toy(_WORD, _draw_letters, lambda text: "".join(sorted(text)), "dolphins", 1_200),
    "add": Toy(rf"{_NUMBER}\+{_NUMBER}", _draw_numbers, _add, "347+85", 800, DIGITS, 3 * DIGITS + 3, backwards=True),
}
"""By name.

Of 2,000 unseen questions each, 96.85, 100, 99.95 and 100 % are answered exactly (copy, reverse, sort, add), after 29,
9, 30 and 18 s of one busy core: `python -m tests.bench.toys --seeds 1`, on an AMD EPYC.
"""


class Report(NamedTuple):
    """How a training stands."""

    step: int
    loss: float  # in nats a token, the mean since the report before
    right: float  # the share of unseen questions that are answered exactly
    model: former.Generator  # as it is; it goes on changing


def begin(name: str, seed: int) -> former.Generator:
    """The model of a task at step 0, the same for the same seed."""
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
    """What the model reads, and what it should say at each place: both (b, t); `UNSCORED` where nothing is scored."""
    toy = TOYS[name]
    inputs = torch.zeros(len(questions), toy.length, dtype=torch.long)
    targets = torch.full_like(inputs, UNSCORED)
    for row, question in enumerate(questions):
        asked = TOKENIZER.encode(toy.written(question))
        said = TOKENIZER.encode_target(toy.turned(toy.answer(question)))[1:]  # to the end
        tokens = torch.tensor(asked + said)
        inputs[row, : len(tokens) - 1] = tokens[:-1]
        targets[row, len(asked) - 1 : len(tokens) - 1] = tokens[len(asked) :]
    return inputs, targets


def is_unseen(question: str) -> bool:
    """Whether a question is one of those that are kept from training."""
    return zlib.crc32(question.encode()) % 10 == 0


def draw(name: str, count: int, dice: random.Random, *, unseen: bool = False) -> list[str]:
    """So many questions of a task, all of which training may see, or none."""
    questions: list[str] = []
    while len(questions) < count:
        question = TOYS[name].draw(dice)
        if is_unseen(question) == unseen:
            questions.append(question)
    return questions


def loss_of(model: former.Generator, inputs: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy of each token of the answers, given the true ones before it, in nats."""
    return F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), ignore_index=UNSCORED)


@torch.inference_mode()
def share_right(model: former.Generator, inputs: Tensor, targets: Tensor) -> float:
    """The share of questions that are answered exactly.

    Where each token is the likeliest after the true ones before it, the model writes the same answer by itself.
    """
    right = (model(inputs).argmax(-1) == targets) | (targets == UNSCORED)
    return float(right.all(-1).float().mean())


def train(name: str, seed: int = 0, steps: int | None = None, batch: int = 32) -> Iterator[Report]:
    """Trains a model on a task, with a report every `EVERY` steps.

    Args:
        name: of the task, in `TOYS`.
        seed: of the weights at the start and of the questions; with the same one, the same model comes out.
        steps: a multiple of `EVERY`; None for the task's own. The learning rate falls over the second half of them.
        batch: questions a step.
    """
    steps, model = steps or TOYS[name].steps, begin(name, seed)
    recipe = Recipe(
        name=name, model=model.config, steps=steps, batch=batch, warmup=20, decay=0.5, adam_lr=4e-3, seed=seed
    )
    optimisers = optim.make_optimisers(model, recipe).values()
    dice, test = random.Random(seed), rows(name, draw(name, TESTED, random.Random("test"), unseen=True))
    total = 0.0
    for step in range(steps):
        loss = loss_of(model, *rows(name, draw(name, batch, dice)))
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
    """Whether a text is a question of a task."""
    return re.fullmatch(TOYS[name].shape, text) is not None


@torch.inference_mode()
def answer(model: former.Generator, name: str, question: str) -> tuple[str, Tensor, list[str]]:
    """What a model answers by itself, each token the likeliest, and where its heads look meanwhile.

    Args:
        model: of this task.
        name: of the task.
        question: of the task.
    Returns:
        the answer, to the first token that is no character; the weights (layers, h, t, t) over what was read, the
        question and the answer; and a label of each of these tokens.
    """
    toy = TOYS[name]
    tokens = TOKENIZER.encode(toy.written(question))
    first = len(tokens)
    while True:
        logits, capture = former.run_with_capture(model, torch.tensor([tokens]), "weights")
        token = int(logits[0, -1].argmax())
        if token <= TOKENIZER.end or len(tokens) == model.config.seq_length:
            said = toy.turned(TOKENIZER.decode(tokens[first:]))
            return said, capture.stack("weights")[:, 0], TOKENIZER.labels(tokens)
        tokens.append(token)
