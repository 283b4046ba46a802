"""The next piece of a word, by byte-level BPE made on the training split: what a GPT-2 of one's own trains on.

Sizes: b batch, t tokens.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import former
from former.tokens.bpe import BpeTokenizer
from former.training import cache, data
from former.training.data import ARTICLES
from former.training.measure.evaluate import Measure, bits_per_byte
from former.training.recipes import Recipe
from former.training.tasks.text import TextTask, network


class PiecesTask(TextTask):
    """The next piece, in random windows of a text's pieces; figures are in bits per BYTE, so that they compare."""

    @classmethod
    def open(cls, recipe: Recipe, path: Path, unchecked: bool, folder: Path | None = None) -> PiecesTask:
        """The task on a file of text; see `Task.open`. Pieces are counted in its training split alone."""
        corpus, size = data.origin(path, unchecked), recipe.model.num_tokens

        def make() -> cache.Encoded:
            content = data.load_text(path, recipe.corpus, unchecked)
            parts = {name: data.split_as_text(content, name) for name in ("train", "val")}
            tokenizer = BpeTokenizer.train(parts["train"].split(ARTICLES), size)
            tensors = {name: encoded(tokenizer, text) for name, text in parts.items()}
            return tokenizer, tensors | {"val_bytes": torch.tensor(len(parts["val"].encode()))}

        facts = {"pieces": "bpe", "corpus": corpus["sha256"], "num_tokens": size}
        tokenizer, made = cache.cached(folder, facts, make)
        model = replace(recipe.model, num_tokens=tokenizer.num_tokens)  # a small corpus has fewer pieces
        task = cls(made["train"], made["val"], replace(recipe, model=model), corpus, tokenizer)
        task.bytes_per_token = int(made["val_bytes"]) / len(made["val"])
        return task

    @classmethod
    def evaluate(cls, bundle: former.Bundle, recipe: Recipe, path: Path, measure: Measure) -> dict[str, Any]:
        """Bits per byte over a split, in the whole context, and in one of as many pieces as 256 bytes make."""
        content = data.load_text(path, recipe.corpus, measure.unchecked)
        begin, _ = data.split_text(content)[measure.split]
        context, tokenizer = recipe.model.seq_length, bundle.tokenizer
        text = data.split_as_text(content, measure.split, measure.most)
        # 16 bytes for each piece of the context are enough: on average a piece has some 4.
        before = encoded(tokenizer, content[max(0, begin - 16 * context) : begin].decode(errors="ignore"))
        pieces = encoded(tokenizer, text)
        ids, size = torch.cat((before, pieces)).to(measure.device), len(text.encode())
        model = network(bundle.model, measure, size)
        near = min(context, max(2, round(256 * len(pieces) / size)))  # pieces, that are 256 bytes on average

        def figure(context: int, stride: int) -> float:
            bits = bits_per_byte(model, ids, len(before), len(ids), context=context, stride=stride)
            return round(bits * len(pieces) / size, 4)

        stride = measure.stride if measure.stride is not None else context // 2
        with measure.products():
            whole, of_256_bytes = figure(context, stride), figure(near, near // 2)
        return {
            "bits_per_byte": whole,
            "bytes": size,
            "pieces": len(pieces),
            "context": context,
            "stride": stride,
            "bits_per_byte_in_256_bytes": of_256_bytes,
            "pieces_in_256_bytes": near,
        }


def encoded(tokenizer: Any, text: str) -> Tensor:
    """The ids of a text, int32 (tokens,), article by article: no library holds 90 MB at once."""
    articles = [each + ARTICLES for each in text.split(ARTICLES)]
    articles[-1] = articles[-1].removesuffix(ARTICLES)
    return torch.cat([torch.tensor(tokenizer.encode(each), dtype=torch.int32) for each in articles])
