"""Llama and similar models: how they differ from the article's generator (Touvron et al. 2023).

It is an ordinary `Generator`; SmolLM, TinyLlama, Mistral and Qwen have the same shape. Compared with GPT-2
(`former.gpt2`), it changes

- the positions: queries and keys are turned by them, and nothing is added to the embeddings (`positions="rotary"`);
- the norms: by the root mean square, without centring and bias (`normalisation="rms"`);
- the feed-forward: gated (`activation="swiglu"`);
- the keys and values: fewer heads than queries, so that a cache is smaller (`kv_heads`);
- the biases: none, except in Qwen 2 for queries, keys and values; Qwen 3 norms queries and keys instead (`qk_norm`).
"""

from __future__ import annotations

from typing import Any

from former.config import ModelConfig

_SMOL: dict[str, Any] = {"num_tokens": 49152, "seq_length": 8192, "rotary_theta": 100_000.0}
_QWEN: dict[str, Any] = {"num_tokens": 151936, "seq_length": 32768, "rotary_theta": 1_000_000.0, "norm_eps": 1e-6}

SIZES: dict[str, dict[str, Any]] = {
    "smollm2-135m": {**_SMOL, "emb": 576, "heads": 9, "kv_heads": 3, "depth": 30, "ff_hidden": 1536},
    "smollm2-360m": {**_SMOL, "emb": 960, "heads": 15, "kv_heads": 5, "depth": 32, "ff_hidden": 2560},
    "tinyllama-1.1b": {
        **{"num_tokens": 32000, "seq_length": 2048, "rotary_theta": 10_000.0, "tied": False},
        **{"emb": 2048, "heads": 32, "kv_heads": 4, "depth": 22, "ff_hidden": 5632},
    },
    "llama-3.2-1b": {
        **{"num_tokens": 128256, "seq_length": 131072, "rotary_theta": 500_000.0},
        **{"emb": 2048, "heads": 32, "kv_heads": 8, "depth": 16, "ff_hidden": 8192},
        "rotary_scaling": (32.0, 1.0, 4.0, 8192.0),
    },
    "qwen2-0.5b": {
        **{**_QWEN, "attention_bias": True},
        **{"emb": 896, "heads": 14, "kv_heads": 2, "depth": 24, "ff_hidden": 4864},
    },
    "qwen3-0.6b": {
        **{**_QWEN, "seq_length": 40960, "qk_norm": True, "size": 128},
        **{"emb": 1024, "heads": 16, "kv_heads": 8, "depth": 28, "ff_hidden": 3072},
    },
}
"""Published shapes, as keyword arguments of `config`."""


def config(**changes: Any) -> ModelConfig:
    """Returns Llama's configuration for a `Generator`: by default the size of SmolLM2-135M.

    Args:
        changes: fields of `ModelConfig` to change.
    Raises:
        ValueError: a field out of range.
    """
    own = {
        "positions": "rotary",
        "norm": "pre",
        "normalisation": "rms",
        "activation": "swiglu",
        "unify_bias": False,
        "ff_bias": False,
        "output_bias": False,
        "tied": True,
        "mask": "causal",
    }
    return ModelConfig(**{**own, **SIZES["smollm2-135m"], **changes})
