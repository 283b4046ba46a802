"""A small model of each kind, with random weights and a tokenizer of its own."""

from dataclasses import replace
from functools import cache
from typing import Any

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


def make(kind: str) -> former.Bundle:
    torch.manual_seed(0)
    words = tokens.WordTokenizer.build(TEXTS, 30)
    pieces = tokens.WordPieceTokenizer.train(TEXTS, 60)
    characters = tokens.CharacterTokenizer("0123456789-/ ")
    bert = former.BertConfig(num_tokens=pieces.num_tokens, seq_length=16, **SIZES)
    config = former.ModelConfig(num_tokens=256, seq_length=16, norm="pre", **SIZES)
    if kind == "causal":
        return bundle_of(former.Generator(config), tokens.ByteTokenizer())
    if kind == "classifier":
        shape = replace(config, num_tokens=words.num_tokens, num_classes=3, pad_token=0)
        return bundle_of(former.Classifier(shape), words, {"classes": ["bad", "fair", "good"]})
    if kind == "masked":
        return bundle_of(former.Bert(bert), pieces)
    if kind == "bert classifier":
        return bundle_of(former.BertClassifier(replace(bert, words_head=False, sentence_head=False)), pieces)
    if kind == "translator":
        shape = former.EncoderDecoderConfig(num_tokens=characters.num_tokens, seq_length=16, norm="pre", **SIZES)
        return bundle_of(former.EncoderDecoder(shape), characters)
    shape = former.TransformerXLConfig(num_tokens=256, seq_length=6, memory_length=8, norm="pre", **SIZES)
    return bundle_of(former.TransformerXL(shape), tokens.ByteTokenizer())


KINDS = ("causal", "classifier", "masked", "bert classifier", "translator", "memory")
TEXT = {
    "causal": "the cat sat",
    "classifier": "a fine film",
    "masked": "the [cat] sat",
    "bert classifier": "the cat sat",
    "translator": "4/7 1976",
    "memory": "the cat sat on the mat",
}


@cache
def bundles() -> dict[str, former.Bundle]:
    return {kind: make(kind) for kind in KINDS}
