"""Stretches of a model's validation text, for `former.analysis.scan`, and the questions on which its heads are removed.

Sizes: n stretches, t tokens.
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
from former.checks import require_positive
from former.tokens import Tokenizer
from former.tokens.wordpiece import WordPieceTokenizer, special_ids
from former.training import data
from former.training.batches import generator_of
from former.training.data import ARTICLES
from former.training.recipes import Recipe
from former.training.tasks.pairs import IGNORED, hide

COUNT, LENGTH, REMOVALS = 2_000, 128, 100
_BEGINS = re.compile(r"[.!?]\s+|\n+")  # after it a sentence or a paragraph begins
_LONGEST = 16  # characters that a token stands for, on average, in no text


def scanned(
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
        bundle: with a Generator or a Bert.
        recipe: its own, which names the corpus.
        path: the corpus, a file.
        count: of stretches.
        length: of each in tokens; at most the model's context.
        removals: stretches, from the first, on which each head is removed in turn.
        unchecked: take any file, not only a known one.
        watch: as for `scan.scan`.
    Raises:
        ValueError: another kind of model, a missing or wrong corpus or one too short, or a number out of its range.
    """
    model, tokenizer = bundle.model, bundle.tokenizer
    if not scan.can_scan(bundle):
        raise ValueError(f"NAME must be a generator or a BERT, which read text on, got a {type(model).__name__}")
    require_positive("count", count)
    require_positive("length", length)
    if not 0 <= removals <= count:
        raise ValueError(f"removals must be in [0, {count}], the number of stretches, got {removals}")
    text = data.split_as_text(data.load_text(path, recipe.corpus, unchecked), "val")
    tokens = torch.tensor(list(stretches(text, tokenizer, count, min(length, bundle.config.seq_length))))
    return scan.scan(
        model,
        tokens,
        special=special_ids(tokenizer),
        questions=questions(tokens[:removals], tokenizer),
        facts={"corpus": recipe.corpus, "split": "val"},
        watch=watch,
    )


def stretches(text: str, tokenizer: Tokenizer, count: int, length: int) -> Iterator[list[int]]:
    """So many stretches of a text, from places evenly spread over it, each from the beginning of a sentence.

    No stretch reaches from one article into the next. BERT's stand between [CLS] and [SEP], which count.

    Raises:
        ValueError: a text in which there are fewer.
    """
    wordpiece = isinstance(tokenizer, WordPieceTokenizer)
    own = length - 2 if wordpiece else length
    read = tokenizer.pieces if wordpiece else tokenizer.encode
    at = 0
    for number in range(count):
        at = max(at, len(text) * number // count)
        while begins := _BEGINS.search(text, at):
            at = begins.end()
            article, _, _ = text[at : at + _LONGEST * length].partition(ARTICLES)
            if len(ids := read(article)) >= own:
                yield [tokenizer.cls_token, *ids[:own], tokenizer.sep_token] if wordpiece else ids[:own]
                break
        else:
            raise ValueError(
                f"the text must hold {count} stretches of {length} tokens, got {number}: give a lower --count"
            )


def questions(tokens: Tensor, tokenizer: Tokenizer) -> list[scan.Question]:
    """What a head is removed on: of a generator's text the next tokens, of a BERT's the pieces that are hidden.

    Args:
        tokens: (n, t).
        tokenizer: of the tokens.
    """
    rows = [row[None] for row in tokens]
    if not isinstance(tokenizer, WordPieceTokenizer):
        return [(row, None) for row in rows]  # the measure of a generator's own
    return [
        (hidden, _bits_of_hidden(places, targets))
        for number, row in enumerate(rows)
        for hidden, places, targets in [hide(row, tokenizer, generator_of(0, number))]
    ]


def _bits_of_hidden(places: Tensor, targets: Tensor) -> Measure:
    """Bits of the pieces at places (1, n) that are to be said, (1, n): logits (b, t, num_tokens) → (b,)."""

    def bits(logits: Tensor) -> Tensor:
        chosen = logits[:, places[0]].transpose(1, 2)  # (b, num_tokens, n)
        nats = F.cross_entropy(chosen, targets.expand(len(logits), -1), ignore_index=IGNORED, reduction="none")
        return nats.sum(-1) / int((targets != IGNORED).sum()) / math.log(2)

    return bits
