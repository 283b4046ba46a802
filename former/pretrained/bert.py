"""BERT in Hugging Face's format: `former.bert`, with the heads that the file holds.

BertForPreTraining, BertForMaskedLM, BertForNextSentencePrediction and BertModel are a `Bert`, with or without its
pooler and its two heads; BertForSequenceClassification is a `BertClassifier`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from former import tokens
from former.bert import Bert, BertClassifier, BertConfig
from former.checkpoints import TOKENIZER, Bundle, CheckpointError
from former.pretrained.architecture import (
    Architecture,
    Part,
    activation,
    ff_hidden_mult,
    linear,
    require,
    require_architectures,
    their_activation,
)
from former.pretrained.files import read_json, read_text
from former.tokens import Tokenizer

_SAME = {  # what the format can vary and our Bert does not
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
    "tie_word_embeddings": True,
}
_OURS = {"variant": "narrow", "attention_bias": True, "scaled": True, "unify": True}
_HEADS = {  # what says in our config that a part is there, and where its tensors' names begin
    "pooler": "pooler.",
    "words_head": "cls.predictions.",
    "sentence_head": "cls.seq_relationship.",
}
_CLASSES: dict[str, tuple[str, ...]] = {  # and what its weights must hold
    "BertForPreTraining": ("pooler", "words_head", "sentence_head"),
    "BertForMaskedLM": ("words_head",),
    "BertForNextSentencePrediction": ("pooler", "sentence_head"),
    "BertModel": (),
    "BertForSequenceClassification": (),
}
_OLD = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}  # as the first files have it


def _name(theirs: str) -> str | None:
    name = theirs.removeprefix("bert.")
    for old, new in _OLD.items():
        name = name.replace(old, new)
    return None if name == "embeddings.position_ids" else name


def _read_config(values: dict[str, Any], weights: Mapping[str, Tensor]) -> tuple[type, BertConfig]:
    architectures = require_architectures(values, _CLASSES)
    require(values, _SAME)
    classifier = "BertForSequenceClassification" in architectures or "classifier.weight" in weights
    needed = {part for name in architectures for part in _CLASSES[name]}

    def holds(part: str) -> bool:
        return part in needed or any(name.startswith(_HEADS[part]) for name in weights)

    shape = weights["classifier.weight"].shape if "classifier.weight" in weights else (2,)
    num_classes = shape[0] if shape else 0  # of a tensor that is one number
    if classifier:
        _check_verdict(num_classes, values.get("problem_type"))
    emb = values.get("hidden_size", 768)
    return BertClassifier if classifier else Bert, BertConfig(
        num_tokens=values.get("vocab_size", 30522),
        seq_length=values.get("max_position_embeddings", 512),
        num_segments=values.get("type_vocab_size", 2),
        emb=emb,
        heads=values.get("num_attention_heads", 12),
        depth=values.get("num_hidden_layers", 12),
        ff_hidden_mult=ff_hidden_mult(values.get("intermediate_size", 3072), emb),
        activation=activation(values.get("hidden_act", "gelu")),
        norm_eps=values.get("layer_norm_eps", 1e-12),
        dropout=values.get("hidden_dropout_prob", 0.1),
        pad_token=values.get("pad_token_id", 0),
        num_classes=num_classes,
        pooler=classifier or holds("pooler"),
        words_head=not classifier and holds("words_head"),
        sentence_head=not classifier and holds("sentence_head"),
    )


def _check_verdict(num_classes: int, problem_type: Any) -> None:
    """Raises ValueError for a head that does not choose one of several classes, as a BertClassifier does."""
    if num_classes < 2:
        raise ValueError(f"the classifier must choose among at least 2 classes, got {num_classes}: no verdict")
    if problem_type not in (None, "single_label_classification"):
        raise ValueError(f"problem_type must be 'single_label_classification', got {problem_type!r}")


def _read_facts(values: dict[str, Any], model: Any) -> dict[str, Any]:
    """The names of a classifier's classes, where they are more than numbers."""
    names = values.get("id2label")
    if not isinstance(model, BertClassifier) or not isinstance(names, dict):
        return {}
    classes = [str(names.get(str(i))) for i in range(model.config.num_classes)]
    return {} if any(name in (f"LABEL_{i}", "None") for i, name in enumerate(classes)) else {"classes": classes}


def _write_config(bundle: Bundle) -> dict[str, Any]:
    config = bundle.model.config
    require(config.to_dict(), _OURS)
    if isinstance(bundle.model, BertClassifier):
        _check_verdict(config.num_classes, None)
        names = bundle.card.get("classes") or [f"LABEL_{i}" for i in range(config.num_classes)]
        if len(set(names)) != config.num_classes or len(names) != config.num_classes:
            raise ValueError(f"the card's classes must be {config.num_classes} different names, got {names!r}")
        labels = {
            "id2label": {str(i): name for i, name in enumerate(names)},
            "label2id": {name: i for i, name in enumerate(names)},
        }
        architecture = "BertForSequenceClassification"
    else:
        has = {part for part in _HEADS if getattr(config, part)}
        labels, fitting = {}, [name for name, parts in _CLASSES.items() if set(parts) <= has]
        architecture = max(fitting, key=lambda name: len(_CLASSES[name]))
    return {
        "model_type": "bert",
        "architectures": [architecture],
        "vocab_size": config.num_tokens,
        "max_position_embeddings": config.seq_length,
        "type_vocab_size": config.num_segments,
        "hidden_size": config.emb,
        "num_attention_heads": config.heads,
        "num_hidden_layers": config.depth,
        "intermediate_size": config.ff_hidden_mult * config.emb,
        "hidden_act": their_activation(config.activation),
        "layer_norm_eps": config.norm_eps,
        "hidden_dropout_prob": config.dropout,
        "attention_probs_dropout_prob": 0.0,
        "pad_token_id": config.pad_token,
        **labels,
        **_SAME,
    }


def _parts(kind: type, config: BertConfig) -> Iterator[Part]:
    yield Part("embeddings.word_embeddings.weight", ("transformer.token_embedding.weight",))
    yield Part("embeddings.position_embeddings.weight", ("transformer.positions.embedding.weight",))
    yield Part("embeddings.token_type_embeddings.weight", ("segment_embedding.weight",))
    yield from linear("embeddings.LayerNorm", "embedding_norm")
    for layer in range(config.depth):
        theirs, ours = f"encoder.layer.{layer}", f"transformer.blocks.{layer}"
        for their_name, our_name in _BLOCK.items():
            yield from linear(f"{theirs}.{their_name}", f"{ours}.{our_name}")
    if config.pooler:
        yield from linear("pooler.dense", "pooler")
    if kind is BertClassifier:
        yield from linear("classifier", "toprobs")
        return
    if config.words_head:
        yield from linear("cls.predictions.transform.dense", "words.dense")
        yield from linear("cls.predictions.transform.LayerNorm", "words.norm")
        yield Part("cls.predictions.bias", ("words.bias",))
    if config.sentence_head:
        yield from linear("cls.seq_relationship", "sentence")


_BLOCK = {
    "attention.self.query": "attention.toqueries",
    "attention.self.key": "attention.tokeys",
    "attention.self.value": "attention.tovalues",
    "attention.output.dense": "attention.unifyheads",
    "attention.output.LayerNorm": "norm1",
    "intermediate.dense": "ff.0",
    "output.dense": "ff.2",
    "output.LayerNorm": "norm2",
}


def _written(name: str, model: Any) -> str:
    bare = isinstance(model, Bert) and model.words is None and model.sentence is None  # BertModel has no prefix
    return name if bare or name.startswith(("cls.", "classifier.")) else f"bert.{name}"


def _read_tokenizer(folder: Path, num_tokens: int) -> Tokenizer:
    if (folder / TOKENIZER).exists():
        return tokens.WordPieceTokenizer(read_text(folder / TOKENIZER), num_tokens)
    if not (folder / "vocab.txt").exists():
        raise CheckpointError(f"{folder} holds no tokenizer: neither {TOKENIZER} nor vocab.txt")
    pieces = read_text(folder / "vocab.txt").removesuffix("\n").split("\n")
    settings = folder / "tokenizer_config.json"
    values = read_json(settings) if settings.exists() else {}
    for name in ("do_lower_case", "tokenize_chinese_chars"):
        if not isinstance(values.get(name, True), bool):
            raise CheckpointError(f"{settings}: {name} must be true or false, got {values[name]!r}")
    return tokens.WordPieceTokenizer.from_vocabulary(
        pieces,
        values.get("do_lower_case", True),
        values.get("strip_accents"),
        values.get("tokenize_chinese_chars", True),
        num_tokens=num_tokens,
    )


def _write_tokenizer(tokenizer: Tokenizer) -> dict[str, Any]:
    if not isinstance(tokenizer, tokens.WordPieceTokenizer):
        raise ValueError(f"tokenizer must be a WordPieceTokenizer, as BERT's, got a {type(tokenizer).__name__}")
    normalizer = json.loads(tokenizer.to_dict()["definition"])["normalizer"] or {}
    return {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": normalizer.get("lowercase", True),
        "strip_accents": normalizer.get("strip_accents"),
        "tokenize_chinese_chars": normalizer.get("handle_chinese_chars", True),
    }


ARCHITECTURE = Architecture(
    kinds=(Bert, BertClassifier),
    name=_name,
    written=_written,
    tied={
        "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    },
    read_config=_read_config,
    read_facts=_read_facts,
    write_config=_write_config,
    parts=_parts,
    read_tokenizer=_read_tokenizer,
    write_tokenizer=_write_tokenizer,
)
