"""RoBERTa and DistilBERT in Hugging Face's format: `former.bert` by other names.

RoBERTa (Liu et al. 2019) numbers its positions from the one after its padding token, and has no next-sentence head; the
first layer of its classifier is the pooler. In `transformers` its positions skip padding, and here they do not: the
results agree if padding follows the text, as its tokenizer puts it. DistilBERT (Sanh et al. 2019) has no segments, and
a pooler with relu.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from torch import Tensor

from former import tokens
from former.bert import Bert, BertClassifier, BertConfig, BertStack
from former.checkpoints import Bundle
from former.pretrained import bert, tokenizer
from former.pretrained.architecture import Architecture, Part, class_names, linear, require
from former.pretrained.identity import is_roberta

_HEADS = {  # layers of a masked-word head → ours, by model_type
    "roberta": {"lm_head.dense": "words.dense", "lm_head.layer_norm": "words.norm"},
    "distilbert": {"vocab_transform": "words.dense", "vocab_layer_norm": "words.norm"},
}
_BIAS = {"roberta": "lm_head.bias", "distilbert": "vocab_projector.bias"}  # of the words
_LAST = {"roberta": "classifier.out_proj", "distilbert": "classifier"}  # layer of a classifier
_DENSE = {"roberta": "classifier.dense.weight", "distilbert": "pre_classifier.weight"}  # only in one of whole texts
_BLOCK = {
    "attention.q_lin": "attention.toqueries",
    "attention.k_lin": "attention.tokeys",
    "attention.v_lin": "attention.tovalues",
    "attention.out_lin": "attention.unifyheads",
    "sa_layer_norm": "norm1",
    "ffn.lin1": "ff.0",
    "ffn.lin2": "ff.2",
    "output_layer_norm": "norm2",
}
_DISTILBERT = {  # their fields → BERT's
    "dim": "hidden_size",
    "n_heads": "num_attention_heads",
    "n_layers": "num_hidden_layers",
    "hidden_dim": "intermediate_size",
    "activation": "hidden_act",
    "dropout": "hidden_dropout_prob",
}


def _roberta_name(theirs: str) -> str | None:
    name = theirs.removeprefix("roberta.")
    return None if name == "embeddings.position_ids" else name


def _read_roberta(values: dict[str, Any], weights: Mapping[str, Tensor]) -> tuple[type, BertConfig]:
    values = {"vocab_size": 50265, "pad_token_id": 1, **values}
    require(values, bert.SAME)
    first = _first(values["pad_token_id"])
    values["max_position_embeddings"] = values.get("max_position_embeddings", 512) - first
    kind, config = _read("roberta", "Roberta", values, weights)
    if config.words_head and config.activation != "gelu":  # that of the head, whatever the blocks have
        raise ValueError(f"hidden_act must be 'gelu' with a masked-word head, got {values['hidden_act']!r}")
    return kind, config


def _read_distilbert(values: dict[str, Any], weights: Mapping[str, Tensor]) -> tuple[type, BertConfig]:
    fields = {"num_hidden_layers": 6, **{_DISTILBERT.get(name, name): value for name, value in values.items()}}
    fields |= {"layer_norm_eps": 1e-12, "type_vocab_size": 1, "pooler_activation": "relu"}
    return _read("distilbert", "DistilBert", fields, weights)


def _read(kind: str, prefix: str, values: dict[str, Any], weights: Mapping[str, Tensor]) -> tuple[type, BertConfig]:
    """Returns our class and its config: a classifier if the file has one that chooses a single class."""
    names = class_names(values)
    last = weights.get(f"{_LAST[kind]}.weight")
    classifier = f"{prefix}ForSequenceClassification" in names or (not names and _DENSE[kind] in weights)
    return bert.configured(
        values,
        num_classes=len(last) if classifier and last is not None and last.dim() else 0,
        pooler=any(name.startswith("pooler.") for name in weights),
        words_head=f"{prefix}ForMaskedLM" in names or _BIAS[kind] in weights,
        sentence_head=False,
    )


def _write_roberta(bundle: Bundle) -> dict[str, Any]:
    config = bundle.model.config
    positions = config.seq_length + _first(config.pad_token)
    fields = {**bert.write_fields(bundle), "max_position_embeddings": positions}
    return {"model_type": "roberta", "architectures": [_class_of("Roberta", bundle.model)], **fields}


def _write_distilbert(bundle: Bundle) -> dict[str, Any]:
    fields = bert.write_fields(bundle)
    own = {theirs: fields.pop(name) for theirs, name in _DISTILBERT.items()}
    for name in (*bert.SAME, "type_vocab_size", "layer_norm_eps", "attention_probs_dropout_prob"):
        del fields[name]
    architecture = _class_of("DistilBert", bundle.model)
    return {"model_type": "distilbert", "architectures": [architecture], **fields, **own, "attention_dropout": 0.0}


def _class_of(prefix: str, model: BertStack) -> str:
    """Returns the name of the `transformers` class for one of our models."""
    if isinstance(model, Bert):
        return f"{prefix}ForMaskedLM" if model.has_head else f"{prefix}Model"
    return f"{prefix}ForSequenceClassification"


def _first(pad_token: int | None) -> int:
    """Returns the index of the first token's position vector, which follows that of padding."""
    return (pad_token or 0) + 1


def _roberta_parts(kind: type, config: BertConfig) -> Iterator[Part]:
    yield from bert.stack_parts(config, first=_first(config.pad_token))
    if kind is BertClassifier:
        yield from linear("classifier.dense", "pooler")
    elif config.pooler:
        yield from linear("pooler.dense", "pooler")
    yield from _head_parts("roberta", kind, config)


def _distilbert_parts(kind: type, config: BertConfig) -> Iterator[Part]:
    yield from bert.stack_parts(config, segments="", layers="transformer.layer", block=_BLOCK)
    if kind is BertClassifier:
        yield from linear("pre_classifier", "pooler")
    yield from _head_parts("distilbert", kind, config)


def _head_parts(name: str, kind: type, config: BertConfig) -> Iterator[Part]:
    if kind is BertClassifier:
        yield from linear(_LAST[name], "toprobs")
    elif config.words_head:
        for theirs, ours in _HEADS[name].items():
            yield from linear(theirs, ours)
        yield Part(_BIAS[name], ("words.bias",))


ROBERTA = Architecture(
    classes="Roberta",
    prefix="roberta.",
    writes=lambda bundle: isinstance(bundle.model, BertStack) and isinstance(bundle.tokenizer, tokens.PieceTokenizer),
    sign=bert.SIGN,
    fits=lambda *given: is_roberta(*given) is True,
    body=frozenset(("embeddings", "encoder", "pooler")),
    name=_roberta_name,
    tied=lambda _: {
        "lm_head.decoder.weight": "embeddings.word_embeddings.weight",
        "lm_head.decoder.bias": "lm_head.bias",
    },
    read_config=_read_roberta,
    write_config=_write_roberta,
    read_facts=bert.read_facts,
    parts=_roberta_parts,
    read_tokenizer=tokenizer.read_roberta,
    tokenizer_settings=tokenizer.settings_of_any,
)
DISTILBERT = Architecture(
    classes="DistilBert",
    prefix="distilbert.",
    writes=lambda bundle: isinstance(bundle.model, BertStack) and bundle.config.pooler_activation == "relu",
    sign="transformer.layer.0.attention.q_lin.weight",
    body=frozenset(("embeddings", "transformer")),
    name=lambda theirs: theirs.removeprefix("distilbert."),
    tied=lambda _: {"vocab_projector.weight": "embeddings.word_embeddings.weight"},
    read_config=_read_distilbert,
    write_config=_write_distilbert,
    read_facts=bert.read_facts,
    parts=_distilbert_parts,
    read_tokenizer=tokenizer.read_pieces,
    tokenizer_settings=tokenizer.settings_of_pieces,
)
