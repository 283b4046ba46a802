"""Passages of a model's validation text, on which `former.analysis.scan` measures its heads.

Sizes: n passages, t tokens.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

import former
from former.analysis import Measure, scan
from former.analysis.statistics import punctuation_ids
from former.checks import require_positive
from former.tokens import Tokenizer
from former.tokens.labels import special_ids
from former.tokens.wordpiece import WordPieceTokenizer
from former.training import data
from former.training.batches import generator_of
from former.training.data import ARTICLES
from former.training.recipes import Recipe
from former.training.tasks.pairs import IGNORED, hide

COUNT, LENGTH, REMOVALS = 2_000, 128, 100
_SENTENCE_END = re.compile(r"[.!?]\s+|\n+")
_MAX_CHARACTERS = 16  # upper bound of the mean number of characters per token


def scan_model(
    bundle: former.Bundle,
    recipe: Recipe,
    path: Path,
    *,
    count: int = COUNT,
    length: int = LENGTH,
    removals: int = REMOVALS,
    unchecked: bool = False,
    watch: Any = iter,
) -> scan.Scan:
    """Scans a model's heads over its validation text.

    Args:
        bundle: a Generator or a Bert.
        recipe: the model's recipe, which names the corpus.
        path: file with the corpus.
        count: number of passages.
        length: tokens per passage; reduced to the model's context if that is shorter.
        removals: number of passages on which each head is removed in turn.
        unchecked: accept any file, not only a known one.
        watch: as in `scan.scan`.
    Raises:
        ValueError: another kind of model; a missing, wrong or too short corpus; or a number out of range.
    """
    model, tokenizer = bundle.model, bundle.tokenizer
    if not scan.can_scan(bundle):
        raise ValueError(f"NAME must be a generator or a BERT, got {type(model).__name__}")
    require_positive("count", count)
    require_positive("length", length)
    if not 0 <= removals <= count:
        raise ValueError(f"removals must be in [0, {count}], the number of passages, got {removals}")
    text = data.split_as_text(data.load_text(path, recipe.corpus, unchecked), "val")
    tokens = torch.tensor(list(stretches(text, tokenizer, count, min(length, bundle.config.seq_length))))
    return scan.scan(
        model,
        tokens,
        special=special_ids(tokenizer),
        punctuation=punctuation_ids(tokenizer, tokens.unique().tolist()),
        questions=questions(tokens[:removals], tokenizer),
        facts={"corpus": recipe.corpus, "split": "val"},
        watch=watch,
    )


def stretches(text: str, tokenizer: Tokenizer, count: int, length: int) -> Iterator[list[int]]:
    """Yields the ids of `count` passages of `length` tokens, spread evenly over a text.

    Each begins at the beginning of a sentence and ends within the same article. With a WordPiece tokenizer, [CLS] and
    [SEP] are the first and the last of its tokens.

    Raises:
        ValueError: the text has fewer passages.
    """
    wordpiece = isinstance(tokenizer, WordPieceTokenizer)
    own = length - 2 if wordpiece else length
    read = tokenizer.pieces if wordpiece else tokenizer.encode
    at = 0
    for number in range(count):
        at = max(at, len(text) * number // count)
        while match := _SENTENCE_END.search(text, at):
            at = match.end()
            article, _, _ = text[at : at + _MAX_CHARACTERS * length].partition(ARTICLES)
            if len(ids := read(article)) >= own:
                yield [tokenizer.cls_token, *ids[:own], tokenizer.sep_token] if wordpiece else ids[:own]
                break
        else:
            raise ValueError(
                f"the text must hold {count} passages of {length} tokens, got {number}; give a lower --count"
            )


def questions(tokens: Tensor, tokenizer: Tokenizer) -> list[scan.Question]:
    """Returns the questions for `scan.scan`: predict the next tokens (a generator) or hidden pieces (a BERT).

    Args:
        tokens: (n, t).
        tokenizer: of the tokens.
    """
    rows = [row[None] for row in tokens]
    if not isinstance(tokenizer, WordPieceTokenizer):
        return [(row, None) for row in rows]  # None: the default measure of a generator
    return [
        (hidden, _bits_of_hidden(places, targets))
        for number, row in enumerate(rows)
        for hidden, places, targets in [hide(row, tokenizer, generator_of(0, number))]
    ]


def _bits_of_hidden(places: Tensor, targets: Tensor) -> Measure:
    """Returns a measure, logits (b, t, num_tokens) → (b,): bits per piece of the targets (1, n) at places (1, n)."""

    def bits(logits: Tensor) -> Tensor:
        at_places = logits[:, places[0]].transpose(1, 2)  # (b, num_tokens, n)
        nats = F.cross_entropy(at_places, targets.expand(len(logits), -1), ignore_index=IGNORED, reduction="none")
        return nats.sum(-1) / int((targets != IGNORED).sum()) / math.log(2)

    return bits
