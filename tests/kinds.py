"""A small model of each kind, with random weights and a tokenizer of its own."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Literal

import torch

import former
from former import tokens

SIZES: dict[str, Any] = {"emb": 16, "heads": 4, "depth": 2}
TEXTS = ["the cat sat on the mat", "paris is the capital of france", "a fine film, and not dull at all"]


def bundle_of(model: Any, tokenizer: Any, card: dict[str, Any] | None = None) -> former.Bundle:
    with torch.no_grad():  # as made, norms are all 1 and 0, and many weights so small that nothing is said
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    return former.Bundle(model.double().eval(), tokenizer, model.config, card or {})


def causal() -> former.Bundle:
    config = former.ModelConfig(num_tokens=256, seq_length=16, norm="pre", **SIZES)
    return bundle_of(former.Generator(config), tokens.ByteTokenizer())


def classifier() -> former.Bundle:
    words = tokens.WordTokenizer.build(TEXTS, 30)
    sizes = {"num_tokens": words.num_tokens, "num_classes": 3, "pad_token": 0, **SIZES}
    config = former.ModelConfig(seq_length=16, norm="pre", **sizes)
    return bundle_of(former.Classifier(config), words, {"classes": ["bad", "fair", "good"]})


def masked(model: Any = former.Bert, **heads: bool) -> former.Bundle:
    pieces = tokens.WordPieceTokenizer.train(TEXTS, 60)
    return bundle_of(model(former.BertConfig(num_tokens=pieces.num_tokens, seq_length=16, **heads, **SIZES)), pieces)


def translator(norm: Literal["pre", "post"] = "pre") -> former.Bundle:
    characters = tokens.CharacterTokenizer("0123456789-/ ")
    config = former.EncoderDecoderConfig(num_tokens=characters.num_tokens, seq_length=16, norm=norm, **SIZES)
    return bundle_of(former.EncoderDecoder(config), characters)


def memory() -> former.Bundle:
    config = former.TransformerXLConfig(num_tokens=256, seq_length=6, memory_length=8, norm="pre", **SIZES)
    return bundle_of(former.TransformerXL(config), tokens.ByteTokenizer())


MODELS: dict[str, tuple[Callable[[], former.Bundle], str]] = {  # kind → a model, and a text that it reads
    "causal": (causal, "the cat sat"),
    "classifier": (classifier, "a fine film"),
    "masked": (masked, "the [cat] sat"),
    "bert classifier": (partial(masked, former.BertClassifier, words_head=False, sentence_head=False), "the cat sat"),
    "translator": (translator, "4/7 1976"),
    "memory": (memory, "the cat sat on the mat"),
}
KINDS = tuple(MODELS)
TEXT = {kind: text for kind, (_, text) in MODELS.items()}


@cache
def bundles() -> dict[str, former.Bundle]:
    made = {}
    for kind, (make, _) in MODELS.items():
        torch.manual_seed(0)
        made[kind] = make()
    return made
