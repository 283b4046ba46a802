"""BERT in Hugging Face's format: `former.bert`, with the output heads in the file.

BertForSequenceClassification becomes a `BertClassifier`, if it chooses one of several classes. Every other class
becomes a `Bert`, with the pooler and the two heads if the file has them; other heads are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from torch import Tensor

from former import tokens
from former.bert import Bert, BertClassifier, BertConfig, BertStack
from former.checkpoints import Bundle
from former.pretrained import tokenizer
from former.pretrained.architecture import (
    Architecture,
    Part,
    activation,
    class_names,
    feed_forward,
    linear,
    require,
    their_activation,
)
from former.pretrained.identity import is_roberta

SAME = {  # fields that the format can vary, but our Bert cannot
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
    "tie_word_embeddings": True,
}
_HEADS = {  # our config's flag of each part, and the prefix of the part's tensor names
    "pooler": "pooler.",
    "words_head": "cls.predictions.",
    "sentence_head": "cls.seq_relationship.",
}
_CLASSES: dict[str, tuple[str, ...]] = {  # and the parts that the weights of a written class must have
    "BertForPreTraining": ("pooler", "words_head", "sentence_head"),
    "BertForMaskedLM": ("words_head",),
    "BertForNextSentencePrediction": ("pooler", "sentence_head"),
    "BertModel": (),
    "BertForSequenceClassification": (),
}
SIGN = "encoder.layer.0.attention.self.query.weight"  # RoBERTa's, too
_OLD = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}  # names in the earliest files


def _name(theirs: str) -> str | None:
    name = theirs.removeprefix("bert.")
    for old, new in _OLD.items():
        name = name.replace(old, new)
    return None if name == "embeddings.position_ids" else name


def _read_config(values: dict[str, Any], weights: Mapping[str, Tensor]) -> tuple[type, BertConfig]:
    require(values, SAME)
    names = class_names(values)
    needed = {part for name in names for part in _CLASSES.get(name, ())}
    heads = {part for part, prefix in _HEADS.items() if any(name.startswith(prefix) for name in weights)}
    parts = {part: part in needed | heads for part in _HEADS}
    return configured(values, num_classes=_num_classes(weights) if _is_verdict(names, weights) else 0, **parts)


def configured(
    values: dict[str, Any], num_classes: int, pooler: bool, words_head: bool, sentence_head: bool
) -> tuple[type, BertConfig]:
    """Returns our class and config for the fields of config.json and the heads of a file.

    Args:
        values: the fields.
        num_classes: rows of the classifier's last layer; 0 without one.
        pooler, words_head, sentence_head: whether the weights have these.
    """
    classifier = _chooses(num_classes, values.get("problem_type"))
    emb = values.get("hidden_size", 768)
    return BertClassifier if classifier else Bert, BertConfig(
        num_tokens=values.get("vocab_size", 30522),
        seq_length=values.get("max_position_embeddings", 512),
        num_segments=values.get("type_vocab_size", 2),
        emb=emb,
        heads=values.get("num_attention_heads", 12),
        depth=values.get("num_hidden_layers", 12),
        **feed_forward(values.get("intermediate_size", 3072), emb),
        activation=activation(values.get("hidden_act", "gelu")),
        norm_eps=values.get("layer_norm_eps", 1e-12),
        dropout=values.get("hidden_dropout_prob", 0.1),
        pad_token=values.get("pad_token_id", 0),
        num_classes=num_classes if classifier else 2,
        pooler=classifier or pooler,
        pooler_activation=values.get("pooler_activation", "tanh"),
        words_head=not classifier and words_head,
        sentence_head=not classifier and sentence_head,
    )


def _is_verdict(names: list[str], weights: Mapping[str, Tensor]) -> bool:
    """Returns whether a head called "classifier" classifies the whole text, by the pooler, and not each token."""
    if "BertForSequenceClassification" in names:
        return True
    return _CLASSES.keys() >= set(names) and weights.keys() >= {"classifier.weight", "pooler.dense.weight"}


def _num_classes(weights: Mapping[str, Tensor]) -> int:
    """Returns the number of classes, the rows of the classifier's map; 2 without a classifier, 0 if its output is a
    scalar."""
    shape = weights["classifier.weight"].shape if "classifier.weight" in weights else (2,)
    return shape[0] if shape else 0


def _chooses(num_classes: int, problem_type: Any) -> bool:
    """Returns whether a head chooses one of several classes, rather than a score or a set of labels."""
    return num_classes > 1 and problem_type in (None, "single_label_classification")


def read_facts(values: dict[str, Any], model: Any) -> dict[str, Any]:
    """Returns {"classes": the names of a classifier's classes}; {} if config.json only numbers them."""
    names = values.get("id2label")
    if not isinstance(model, BertClassifier) or not isinstance(names, dict):
        return {}
    classes = [str(names.get(str(i))) for i in range(model.config.num_classes)]
    return {} if any(name in (f"LABEL_{i}", "None") for i, name in enumerate(classes)) else {"classes": classes}


def _write_config(bundle: Bundle) -> dict[str, Any]:
    config = bundle.model.config
    architecture = "BertForSequenceClassification"
    if isinstance(bundle.model, Bert):
        has = {part for part in _HEADS if getattr(config, part)}
        fitting = [name for name, parts in _CLASSES.items() if set(parts) <= has]
        architecture = max(fitting, key=lambda name: len(_CLASSES[name]))
    return {"model_type": "bert", "architectures": [architecture], **write_fields(bundle)}


def write_fields(bundle: Bundle) -> dict[str, Any]:
    """Returns the fields of config.json of a Bert or a BertClassifier, by BERT's names; the inverse of `configured`.

    Raises:
        ValueError: classes that the format cannot express.
    """
    config, labels = bundle.model.config, {}
    if isinstance(bundle.model, BertClassifier):
        if not _chooses(config.num_classes, None):
            raise ValueError(f"the classifier must choose among at least 2 classes, got {config.num_classes}")
        names = bundle.card.get("classes") or [f"LABEL_{i}" for i in range(config.num_classes)]
        if len(set(names)) != config.num_classes or len(names) != config.num_classes:
            raise ValueError(f"the card's classes must be {config.num_classes} different names, got {names!r}")
        labels = {
            "id2label": {str(i): name for i, name in enumerate(names)},
            "label2id": {name: i for i, name in enumerate(names)},
        }
    return {
        "vocab_size": config.num_tokens,
        "max_position_embeddings": config.seq_length,
        "type_vocab_size": config.num_segments,
        "hidden_size": config.emb,
        "num_attention_heads": config.heads,
        "num_hidden_layers": config.depth,
        "intermediate_size": config.ff_size,
        "hidden_act": their_activation(config.activation),
        "layer_norm_eps": config.norm_eps,
        "hidden_dropout_prob": config.dropout,
        "attention_probs_dropout_prob": 0.0,
        "pad_token_id": config.pad_token,
        **labels,
        **SAME,
    }


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


def stack_parts(
    config: BertConfig,
    *,
    first: int = 0,
    segments: str = "embeddings.token_type_embeddings.weight",
    layers: str = "encoder.layer",
    block: Mapping[str, str] = _BLOCK,
) -> Iterator[Part]:
    """Yields the `Part`s of the stack below the output heads. Our positions begin with row `first` of theirs; segments
    ("" for none), layers and block are their names of these."""
    yield Part("embeddings.word_embeddings.weight", ("transformer.token_embedding.weight",))
    yield Part("embeddings.position_embeddings.weight", ("transformer.positions.embedding.weight",), first=first)
    yield Part(segments, ("segment_embedding.weight",))
    yield from linear("embeddings.LayerNorm", "embedding_norm")
    for layer in range(config.depth):
        for theirs, ours in block.items():
            yield from linear(f"{layers}.{layer}.{theirs}", f"transformer.blocks.{layer}.{ours}")


def _parts(kind: type, config: BertConfig) -> Iterator[Part]:
    yield from stack_parts(config)
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


ARCHITECTURE = Architecture(
    classes="Bert",
    prefix="bert.",
    writes=lambda bundle: (
        isinstance(bundle.model, BertStack)
        and bundle.config.pooler_activation == "tanh"
        and not isinstance(bundle.tokenizer, tokens.PieceTokenizer)  # RoBERTa's
    ),
    sign=SIGN,
    fits=lambda *given: is_roberta(*given) is False,
    body=frozenset(("embeddings", "encoder", "pooler")),
    name=_name,
    tied=lambda _values: {
        "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    },
    read_config=_read_config,
    read_facts=read_facts,
    write_config=_write_config,
    parts=_parts,
    read_tokenizer=tokenizer.read_pieces,
    tokenizer_settings=tokenizer.settings_of_pieces,
)
