"""Small models of `transformers`, saved by that library, for the tests of former.pretrained."""

from pathlib import Path
from typing import Any

import torch
import transformers

from former.tokens import BpeTokenizer, WordPieceTokenizer

TEXTS = ["The cats sat on the mat, and one was theirs; it isn't ours. 👍🏽 é 北京 שלום " * 4]
BPE = BpeTokenizer.train(TEXTS, 300)
PIECES = WordPieceTokenizer.train(TEXTS, 120)
T = transformers
EAGER: dict[str, Any] = {"attn_implementation": "eager"}  # the one way that gives the maps


def gpt2_config(**changes: Any) -> transformers.GPT2Config:
    small: dict[str, Any] = {"vocab_size": 300, "n_positions": 40, "n_embd": 24, "n_layer": 3, "n_head": 4}
    end = {"bos_token_id": 299, "eos_token_id": 299}
    return T.GPT2Config(**{**small, **end, **EAGER, **changes})


def bert_config(**changes: Any) -> transformers.BertConfig:
    small: dict[str, Any] = {
        "vocab_size": 120,
        "max_position_embeddings": 40,
        "hidden_size": 24,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "intermediate_size": 96,
    }
    return T.BertConfig(**{**small, **EAGER, **changes})


def saved(model: Any, folder: Path, **options: Any) -> Any:
    """A model of theirs, every weight drawn anew, norms and biases too, saved by its own means beside a tokenizer."""
    torch.manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(
                1.0 if "norm" in name.lower() or "ln_" in name else 0.0, 0.05 if parameter.dim() > 1 else 0.2
            )
    model.eval().save_pretrained(folder, **options)
    tokenizer = BPE if isinstance(model, T.GPT2PreTrainedModel) else PIECES
    (folder / "tokenizer.json").write_text(tokenizer.to_dict()["definition"], encoding="utf-8")
    return model
