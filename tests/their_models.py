"""Small models of `transformers`, saved by it for the tests of former.pretrained."""

import json
from pathlib import Path
from typing import Any

import torch
import transformers

from former.tokens import BpeTokenizer, PieceTokenizer, WordPieceTokenizer

TEXTS = ["The cats sat on the mat, and one was theirs; it isn't ours. 👍🏽 é 北京 שלום " * 4]
BPE = BpeTokenizer.train(TEXTS, 300)
PIECES = WordPieceTokenizer.train(TEXTS, 120)
T = transformers
EAGER: dict[str, Any] = {"attn_implementation": "eager"}  # the one way that gives the maps


def gpt2_config(**changes: Any) -> transformers.GPT2Config:
    small: dict[str, Any] = {"vocab_size": 300, "n_positions": 40, "n_embd": 24, "n_layer": 3, "n_head": 4}
    end = {"bos_token_id": 299, "eos_token_id": 299}
    return T.GPT2Config(**{**small, **end, **EAGER, **changes})


SMALL_BERT: dict[str, Any] = {
    "vocab_size": 120,
    "max_position_embeddings": 40,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 96,
}
SMALL_LLAMA: dict[str, Any] = {
    "vocab_size": 300,
    "max_position_embeddings": 40,
    "hidden_size": 24,
    "intermediate_size": 52,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "bos_token_id": None,
    "eos_token_id": None,
}


def bert_config(**changes: Any) -> transformers.BertConfig:
    return T.BertConfig(**{**SMALL_BERT, **EAGER, **changes})


def llama_config(config: Any = T.LlamaConfig, **changes: Any) -> Any:
    """Returns a configuration of class `config`, of Llama or a related model."""
    return config(**{**SMALL_LLAMA, "num_key_value_heads": 2, "head_dim": 6, **EAGER, **changes})


def roberta_config(**changes: Any) -> transformers.RobertaConfig:
    own = {"vocab_size": 300, "max_position_embeddings": 42, "type_vocab_size": 1}  # positions begin at 2
    return T.RobertaConfig(**{**SMALL_BERT, **own, **EAGER, **changes})


def distilbert_config(**changes: Any) -> transformers.DistilBertConfig:
    small: dict[str, Any] = {"vocab_size": 120, "max_position_embeddings": 40, "dim": 24, "hidden_dim": 50}
    return T.DistilBertConfig(**{**small, "n_layers": 3, "n_heads": 4, **EAGER, **changes})


def neox_config(**changes: Any) -> transformers.GPTNeoXConfig:
    rope = {"rope_type": "default", "rope_theta": 300.0, "partial_rotary_factor": 0.5}
    own = {"num_attention_heads": 3, "rope_parameters": rope}
    return T.GPTNeoXConfig(**{**SMALL_LLAMA, **own, **EAGER, **changes})


def roberta_pieces() -> PieceTokenizer:
    """Returns GPT-2's tokenizer with RoBERTa's special tokens: a vocabulary of 300 that begins with these five."""
    result = json.loads(BpeTokenizer.train(TEXTS, 296).to_dict()["definition"])["model"]
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    vocabulary = {piece: i for i, piece in enumerate([*special, *result["vocab"], "<mask>"])}
    bare = BpeTokenizer.from_vocabulary(vocabulary, [tuple(pair) for pair in result["merges"]])
    return PieceTokenizer.around(bare.to_dict()["definition"])


def saved(model: Any, folder: Path, **options: Any) -> Any:
    """Saves a model of theirs with new random weights, norms and biases included, next to a tokenizer."""
    torch.manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(
                1.0 if "norm" in name.lower() or "ln_" in name else 0.0, 0.05 if parameter.dim() > 1 else 0.2
            )
    model.eval().save_pretrained(folder, **options)
    tokenizer = BPE
    if isinstance(model, T.BertPreTrainedModel | T.DistilBertPreTrainedModel):
        tokenizer = PIECES
    elif isinstance(model, T.RobertaPreTrainedModel):
        tokenizer = roberta_pieces()
    (folder / "tokenizer.json").write_text(tokenizer.to_dict()["definition"], encoding="utf-8")
    return model


def settle(folder: Path, older: bool = False, **settings: Any) -> None:
    """Writes tokenizer_config.json; with `older`, replaces tokenizer.json by the files of earlier years."""
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    if older:
        parts = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
        vocabulary = parts["model"]["vocab"] | {token["content"]: token["id"] for token in parts["added_tokens"]}
        (folder / "vocab.json").write_text(json.dumps(vocabulary))
        merges = "\n".join(" ".join(pair) for pair in parts["model"]["merges"])
        (folder / "merges.txt").write_text(merges, encoding="utf-8")
        (folder / "tokenizer.json").unlink()
