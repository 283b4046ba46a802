"""GPT-2, and distilgpt2, in Hugging Face's format: `former.gpt2`.

Every GPT-2 class of `transformers` becomes a `Generator`, whose output layer is the token embedding; other output heads
are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from torch import Tensor

from former import gpt2
from former.checkpoints import Bundle
from former.config import ModelConfig
from former.models import Generator
from former.pretrained import tokenizer
from former.pretrained.architecture import (
    Architecture,
    Part,
    activation,
    feed_forward,
    has_rotary,
    linear,
    require,
    their_activation,
)
from former.pretrained.files import boolean

_SAME = {  # fields that the format can vary, but our Generator cannot
    "scale_attn_weights": True,
    "add_cross_attention": False,
    "tie_word_embeddings": True,
}
_BUFFER = re.compile(r"h\.\d+\.attn\.(bias|masked_bias)")  # the causal mask, stored in old files


def _name(theirs: str) -> str | None:
    name = theirs.removeprefix("transformer.")
    return None if _BUFFER.fullmatch(name) else name


def _read_config(values: dict[str, Any], _: Mapping[str, Tensor]) -> tuple[type, ModelConfig]:
    require(values, _SAME)
    emb, hidden = values.get("n_embd", 768), values.get("n_inner")
    return Generator, gpt2.config(
        num_tokens=values.get("vocab_size", 50257),
        seq_length=values.get("n_positions", 1024),
        emb=emb,
        heads=values.get("n_head", 12),
        depth=values.get("n_layer", 12),
        scaled_by_layer=boolean(values, "scale_attn_by_inverse_layer_idx", False),
        **({} if hidden is None else feed_forward(hidden, emb)),
        activation=activation(values.get("activation_function", "gelu_new")),
        norm_eps=values.get("layer_norm_epsilon", 1e-5),
        dropout=values.get("resid_pdrop", 0.1),
    )


def _write_config(bundle: Bundle) -> dict[str, Any]:
    config, end = bundle.model.config, getattr(bundle.tokenizer, "end_token", None)
    return {
        "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"],
        "vocab_size": config.num_tokens,
        "n_positions": config.seq_length,
        "n_embd": config.emb,
        "n_head": config.heads,
        "n_layer": config.depth,
        "n_inner": config.ff_size,
        "activation_function": their_activation(config.activation),
        "layer_norm_epsilon": config.norm_eps,
        "scale_attn_by_inverse_layer_idx": config.scaled_by_layer,
        **dict.fromkeys(("resid_pdrop", "embd_pdrop"), config.dropout),
        "attn_pdrop": 0.0,
        **dict.fromkeys(("bos_token_id", "eos_token_id"), end),
        **_SAME,
    }


def _parts(_: type, config: ModelConfig) -> Iterator[Part]:
    yield Part("wte.weight", ("transformer.token_embedding.weight",))
    yield Part("wpe.weight", ("transformer.positions.embedding.weight",))
    for layer in range(config.depth):
        theirs, ours = f"h.{layer}", f"transformer.blocks.{layer}"
        q, k, v = (f"{ours}.attention.{name}" for name in ("toqueries", "tokeys", "tovalues"))
        yield from linear(f"{theirs}.ln_1", f"{ours}.norm1")
        yield from linear(f"{theirs}.attn.c_attn", q, k, v, transposed=True)
        yield from linear(f"{theirs}.attn.c_proj", f"{ours}.attention.unifyheads", transposed=True)
        yield from linear(f"{theirs}.ln_2", f"{ours}.norm2")
        yield from linear(f"{theirs}.mlp.c_fc", f"{ours}.ff.0", transposed=True)
        yield from linear(f"{theirs}.mlp.c_proj", f"{ours}.ff.2", transposed=True)
    yield from linear("ln_f", "norm")


ARCHITECTURE = Architecture(
    classes="GPT2",
    prefix="transformer.",
    writes=lambda bundle: isinstance(bundle.model, Generator) and not has_rotary(bundle),
    sign="h.0.attn.c_attn.weight",
    body=frozenset(("wte", "wpe", "h", "ln_f")),
    name=_name,
    tied=lambda _values: {"lm_head.weight": "wte.weight"},
    read_config=_read_config,
    write_config=_write_config,
    parts=_parts,
    read_tokenizer=tokenizer.read_bytes,
    tokenizer_settings=tokenizer.settings_of_bytes,
)
