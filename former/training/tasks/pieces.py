"""The task of a GPT-2: to predict the next piece of a word, with byte-level BPE trained on the training split.

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
    """The task of predicting the next piece, in random windows of a text. Results are in bits per byte, to compare with
    byte-level models."""

    @classmethod
    def open(cls, recipe: Recipe, path: Path, unchecked: bool, folder: Path | None = None) -> PiecesTask:
        """Opens a file of text; see `Task.open`. The tokenizer is trained on the training split only."""
        corpus, size = data.origin(path, unchecked), recipe.model.num_tokens

        def make() -> cache.Encoded:
            content = data.load_text(path, recipe.corpus, unchecked)
            parts = {name: data.split_as_text(content, name) for name in ("train", "val")}
            tokenizer = BpeTokenizer.train(parts["train"].split(ARTICLES), size)
            tensors = {name: encode(tokenizer, text) for name, text in parts.items()}
            return tokenizer, tensors | {"val_bytes": torch.tensor(len(parts["val"].encode()))}

        facts = {"pieces": "bpe", "corpus": corpus["sha256"], "num_tokens": size}
        tokenizer, tensors = cache.load_or_make(folder, facts, make)
        model = replace(recipe.model, num_tokens=tokenizer.num_tokens)  # a small corpus has fewer pieces
        task = cls(tensors["train"], tensors["val"], replace(recipe, model=model), corpus, tokenizer)
        task.bytes_per_token = int(tensors["val_bytes"]) / len(tensors["val"])
        return task

    @classmethod
    def evaluate(cls, bundle: former.Bundle, recipe: Recipe, path: Path, measure: Measure) -> dict[str, Any]:
        """Returns the bits per byte over a split, with the whole context and with one of 256 bytes on average."""
        content = data.load_text(path, recipe.corpus, measure.unchecked)
        begin, _ = data.split_text(content)[measure.split]
        context, tokenizer = recipe.model.seq_length, bundle.tokenizer
        text = data.split_as_text(content, measure.split, measure.most)
        # 16 bytes for each piece of the context are more than enough: a piece has about 4 bytes on average.
        before = encode(tokenizer, content[max(0, begin - 16 * context) : begin].decode(errors="ignore"))
        pieces = encode(tokenizer, text)
        ids, size = torch.cat((before, pieces)).to(measure.device), len(text.encode())
        model = network(bundle.model, measure, size)
        near = min(context, max(2, round(256 * len(pieces) / size)))  # number of pieces in 256 bytes, on average

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


def encode(tokenizer: Any, text: str) -> Tensor:
    """Returns the ids of a text, int32 (tokens,); encodes article by article, because the whole is too large."""
    articles = [each + ARTICLES for each in text.split(ARTICLES)]
    articles[-1] = articles[-1].removesuffix(ARTICLES)
    return torch.cat([torch.tensor(tokenizer.encode(each), dtype=torch.int32) for each in articles])
