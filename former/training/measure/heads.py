"""What heads have learned: in a generator, who looks at the token before, and who copies; in `dates`, who aligns; in a
classifier, who looks at some words more than at others."""

from __future__ import annotations

import math
import string
from collections.abc import Iterable, Sequence

import torch
import torch.nn.functional as F

import former
from former.analysis import head_statistics
from former.analysis.circuits import copied_weight, said_twice
from former.training.tasks.dates import examples
from former.training.tasks.dates_task import TOKENIZER, padded

LETTERS = tuple(string.ascii_lowercase.encode())
Scores = dict[str, torch.Tensor]  # name: (layers, h)


def head_scores(
    model: former.Generator, length: int = 64, repeats: int = 32, seed: int = 0, letters: Sequence[int] = LETTERS
) -> Scores:
    """Scores on random letters that come twice: w = u u, u random.

    "previous": mass on the token before. "induction": in the second u, mass on the token that followed the same token
    in the first u (Olsson et al. 2022): what a head looks at that goes on with a sequence as it went on before.
    A head that looks at all alike has an induction of about 1/length.

    Args:
        model: a Generator.
        length: of u; twice it must fit the context.
        repeats: how many random sequences.
        seed: of the letters.
        letters: the ids to draw from; of another tokenizer than that of bytes they are other numbers.
    Returns:
        (layers, h) for each score.
    """
    _, capture = former.run_with_capture(model, said_twice(length, repeats, seed, letters))
    weights = capture.stack("weights")  # (layers, b, h, 2·length, 2·length)
    return {"previous": head_statistics(weights)["previous"].mean(1), "induction": copied_weight(weights)}


@torch.no_grad()
def copied_bits(
    model: former.Generator, length: int = 64, repeats: int = 32, seed: int = 0, letters: Sequence[int] = LETTERS
) -> float:
    """Bits a letter of the second u of `head_scores`, but its first: near 0 of a model that goes on as before.

    To know no more than that it is one of 26 letters costs log2(26) = 4.7. The arguments are those of `head_scores`.
    """
    tokens = said_twice(length, repeats, seed, letters)
    logits = model(tokens[:, :-1])[:, length:]
    nats = F.cross_entropy(logits.flatten(0, 1), tokens[:, length + 1 :].flatten())
    return float(nats) / math.log(2)


@torch.no_grad()
def year_scores(model: former.EncoderDecoder, texts: int = 200) -> Scores:
    """Scores of cross-attention on dates of the test split, read out right: "2026-11-21".

    "year": mass on the very digit of the source that is written next, while the four digits of the year are written.

    Args:
        model: `dates`.
        texts: how many, of those that name a year of four digits.
    Returns:
        (layers, h) for each score.
    """
    asked = examples("read", 0, 0, 3 * texts, "test")
    chosen = [each for each in asked if each.source.count(each.target[:4]) == 1][:texts]
    sources = padded([TOKENIZER.encode(each.source) for each in chosen])
    targets = padded([TOKENIZER.encode_target(each.target) for each in chosen])
    _, capture = former.run_with_capture(model, (sources, targets), "cross.weights")
    weights = capture.stack("cross.weights")  # (layers, b, h, t, t_source)
    digits = torch.arange(4)  # <begin> stands where the first is written
    places = torch.tensor([1 + each.source.index(each.target[:4]) for each in chosen])  # behind the task's token
    rows = torch.arange(len(chosen))
    looked = weights.permute(1, 3, 4, 0, 2)[rows[:, None], digits, places[:, None] + digits]  # (b, 4, layers, h)
    return {"year": looked.mean((0, 1))}


@torch.no_grad()
def even_scores(model: former.Classifier | former.BertClassifier, texts: Iterable[Sequence[int]]) -> Scores:
    """How evenly heads look at texts of their own length.

    "even": entropy of a query's weights over log t, averaged over the queries and then over the texts; 1 where all
    tokens have the same weight.

    Args:
        model: in evaluation mode.
        texts: token ids; a text of one token, which has nothing else to look at, is left out.
    Returns:
        (layers, h).
    Raises:
        ValueError: no text of two tokens or more.
    """
    shares = []
    for ids in texts:
        if len(ids) < 2:  # log 1 = 0 cannot be divided by
            continue
        _, capture = former.run_with_capture(model, torch.tensor([ids]), "weights")
        entropy = head_statistics(capture.stack("weights")[:, 0])["entropy"]  # bits, (layers, h)
        shares.append(entropy / math.log2(len(ids)))
    if not shares:
        raise ValueError("texts must hold one of two tokens or more: how evenly a head looks at one token says nothing")
    return {"even": torch.stack(shares).mean(0)}


def to_text(scores: Scores) -> str:
    """The scores as a table, a row a head."""
    lines = ["layer  head" + "".join(f"  {name}" for name in scores)]
    for layer, head in torch.cartesian_prod(*map(torch.arange, next(iter(scores.values())).shape)).tolist():
        cells = (f"{score[layer, head]:>{len(name) + 2}.3f}" for name, score in scores.items())
        lines.append(f"{layer:>5} {head:>5}{''.join(cells)}")
    return "\n".join(lines)
