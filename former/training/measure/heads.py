"""Scores of heads: which heads of a generator attend to the previous token, and which copy; which heads of `dates`
align source and answer; which heads of a classifier attend evenly."""

from __future__ import annotations

import math
import string
from collections.abc import Iterable, Sequence

import torch
import torch.nn.functional as F

import former
from former.analysis import head_statistics
from former.analysis.circuits import induction_weight, repeated_sequences
from former.training.tasks.dates import examples
from former.training.tasks.dates_task import TOKENIZER, pad

LETTERS = tuple(string.ascii_lowercase.encode())
REPEATS = 32  # random sequences
Scores = dict[str, torch.Tensor]  # name: (layers, h)


def head_scores(model: former.Generator, length: int = 64, letters: Sequence[int] = LETTERS) -> Scores:
    """Scores each head on sequences of random letters that occur twice: u u, with u random.

    "previous": the weight on the previous token. "induction": in the second u, the weight on the token that followed
    the same token in the first u (Olsson et al. 2022); a head that attends there can predict that a sequence continues
    as before. A head that attends evenly has an induction score of about 1/length.

    Args:
        model: a Generator.
        length: of u; the context must hold 2·length tokens.
        letters: token ids to draw from; the default is for a byte-level model.
    Returns:
        (layers, h) for each score.
    """
    _, capture = former.run_with_capture(model, repeated_sequences(length, REPEATS, 0, letters))
    weights = capture.stack("weights")  # (layers, b, h, 2·length, 2·length)
    return {"previous": head_statistics(weights)["previous"].mean(1), "induction": induction_weight(weights)}


@torch.no_grad()
def copied_bits(model: former.Generator, length: int = 64) -> float:
    """Returns the loss on the repetition of `length` random letters (`head_scores`), without its first letter, in bits
    per letter.

    A model that copies comes near 0; one that only knows that each is one of 26 letters needs log2(26) = 4.7.
    """
    tokens = repeated_sequences(length, REPEATS, 0, LETTERS)
    logits = model(tokens[:, :-1])[:, length:]
    nats = F.cross_entropy(logits.flatten(0, 1), tokens[:, length + 1 :].flatten())
    return float(nats) / math.log(2)


@torch.no_grad()
def year_scores(model: former.EncoderDecoder, texts: int = 200) -> Scores:
    """Scores the cross-attention of each head on dates of the test split, with the correct answer as target.

    "year": the weight on that digit of the source which is to be written next, averaged over the year's four digits.

    Args:
        model: `dates`.
        texts: number of texts, all of which have a year of four digits.
    Returns:
        (layers, h) for each score.
    """
    drawn = examples("read", 0, 0, 3 * texts, "test")
    selection = [each for each in drawn if each.source.count(each.target[:4]) == 1][:texts]
    sources = pad([TOKENIZER.encode(each.source) for each in selection])
    targets = pad([TOKENIZER.encode_target(each.target) for each in selection])
    _, capture = former.run_with_capture(model, (sources, targets), "cross.weights")
    weights = capture.stack("cross.weights")  # (layers, b, h, t, t_source)
    digits = torch.arange(4)  # the first digit is predicted at <begin>
    starts = torch.tensor([1 + each.source.index(each.target[:4]) for each in selection])  # 1 for the task's token
    rows = torch.arange(len(selection))
    on_digit = weights.permute(1, 3, 4, 0, 2)[rows[:, None], digits, starts[:, None] + digits]  # (b, 4, layers, h)
    return {"year": on_digit.mean((0, 1))}


@torch.no_grad()
def even_scores(model: former.Classifier | former.BertClassifier, texts: Iterable[Sequence[int]]) -> Scores:
    """Measures how evenly each head spreads its attention.

    "even": the entropy of a query's weights divided by log t, averaged over queries and then over texts; 1 if all
    weights are equal.

    Args:
        model: in evaluation mode.
        texts: token ids of each text; texts of one token are skipped.
    Returns:
        (layers, h) for each score.
    Raises:
        ValueError: no text has two tokens or more.
    """
    shares = []
    for ids in texts:
        if len(ids) < 2:  # log 1 = 0: no division by it
            continue
        _, capture = former.run_with_capture(model, torch.tensor([ids]), "weights")
        entropy = head_statistics(capture.stack("weights")[:, 0])["entropy"]  # bits, (layers, h)
        shares.append(entropy / math.log2(len(ids)))
    if not shares:
        raise ValueError("texts must hold at least one text of two tokens or more, got none")
    return {"even": torch.stack(shares).mean(0)}


def to_text(scores: Scores) -> str:
    """Returns the scores as a table with one row per head."""
    lines = ["layer  head" + "".join(f"  {name}" for name in scores)]
    for layer, head in torch.cartesian_prod(*map(torch.arange, next(iter(scores.values())).shape)).tolist():
        cells = (f"{score[layer, head]:>{len(name) + 2}.3f}" for name, score in scores.items())
        lines.append(f"{layer:>5} {head:>5}{''.join(cells)}")
    return "\n".join(lines)
