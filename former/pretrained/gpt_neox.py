"""GPT-NeoX in Hugging Face's format, the shape of Pythia (Biderman et al. 2023).

A `Generator` whose attention and feed-forward read the same vector, and which turns a part of each head by position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from torch import Tensor

from former.checkpoints import Bundle
from former.config import ModelConfig
from former.models import Generator
from former.pretrained import tokenizer
from former.pretrained.architecture import (
    Architecture,
    Part,
    activation,
    feed_forward,
    has_output_layer,
    has_rotary,
    is_tied,
    linear,
    rotary,
    their_activation,
    their_rotary,
    their_sizes,
)
from former.pretrained.files import boolean

_BUFFER = re.compile(r"layers\.\d+\.attention\.(bias|masked_bias|rotary_emb\.inv_freq)")  # stored in old files


def _name(theirs: str) -> str | None:
    name = theirs.removeprefix("gpt_neox.")
    return None if _BUFFER.fullmatch(name) else name


def _read_config(values: dict[str, Any], weights: Mapping[str, Tensor]) -> tuple[type, ModelConfig]:
    emb, bias = values.get("hidden_size", 6144), boolean(values, "attention_bias", True)
    return Generator, ModelConfig(
        num_tokens=values.get("vocab_size", 50432),
        seq_length=values.get("max_position_embeddings", 2048),
        emb=emb,
        heads=values.get("num_attention_heads", 64),
        depth=values.get("num_hidden_layers", 44),
        norm="pre",
        parallel=boolean(values, "use_parallel_residual", True),
        **feed_forward(values.get("intermediate_size", 24576), emb),
        activation=activation(values.get("hidden_act", "gelu")),
        positions="rotary",
        **rotary({"rotary_pct": 0.25, **values}),
        norm_eps=values.get("layer_norm_eps", 1e-5),
        dropout=values.get("hidden_dropout", 0.0),
        attention_bias=bias,
        unify_bias=bias,
        output_bias=False,
        tied=is_tied(values),
        output_layer=has_output_layer(values, weights, "embed_out.weight"),
        mask="causal",
    )


def _write_config(bundle: Bundle) -> dict[str, Any]:
    config = bundle.model.config
    return {
        "model_type": "gpt_neox",
        "architectures": ["GPTNeoXForCausalLM" if config.output_layer else "GPTNeoXModel"],
        **their_sizes(config),
        "hidden_act": their_activation(config.activation),
        "layer_norm_eps": config.norm_eps,
        "hidden_dropout": config.dropout,
        "attention_bias": config.attention_bias,
        "use_parallel_residual": config.parallel,
        **their_rotary(config),
        "rotary_emb_base": config.rotary_theta,  # these two in older versions of transformers
        "rotary_pct": config.rotary_share,
        "tie_word_embeddings": config.tied,
        **tokenizer.special_ids(bundle.tokenizer),
    }


def _parts(_: type, config: ModelConfig) -> Iterator[Part]:
    yield Part("embed_in.weight", ("transformer.token_embedding.weight",))
    for layer in range(config.depth):
        theirs, ours = f"layers.{layer}", f"transformer.blocks.{layer}"
        q, k, v = (f"{ours}.attention.{name}" for name in ("toqueries", "tokeys", "tovalues"))
        bias = config.attention_bias
        yield from linear(f"{theirs}.attention.query_key_value", q, k, v, bias=bias, heads=config.heads)
        yield from linear(f"{theirs}.attention.dense", f"{ours}.attention.unifyheads", bias=bias)
        yield from linear(f"{theirs}.input_layernorm", f"{ours}.norm1")
        yield from linear(f"{theirs}.post_attention_layernorm", f"{ours}.norm2")
        yield from linear(f"{theirs}.mlp.dense_h_to_4h", f"{ours}.ff.0")
        yield from linear(f"{theirs}.mlp.dense_4h_to_h", f"{ours}.ff.2")
    yield from linear("final_layer_norm", "norm")
    if config.output_layer and not config.tied:
        yield Part("embed_out.weight", ("toprobs.weight",))


ARCHITECTURE = Architecture(
    classes="GPTNeoX",
    prefix="gpt_neox.",
    writes=lambda bundle: has_rotary(bundle) and bundle.config.normalisation == "layer",
    sign="layers.0.attention.query_key_value.weight",
    body=frozenset(("embed_in", "layers", "final_layer_norm")),
    name=_name,
    tied=lambda values: {"embed_out.weight": "embed_in.weight"} if is_tied(values) else {},
    read_config=_read_config,
    write_config=_write_config,
    parts=_parts,
    read_tokenizer=tokenizer.read_any,
    tokenizer_settings=tokenizer.settings_of_any,
)
