"""Llama, Mistral, Qwen 2 and Qwen 3 in Hugging Face's format: `former.llama`.

Every class of `transformers` becomes a `Generator`, without an output layer if the class predicts no next token; other
output heads are skipped. Mistral's window, and Qwen's where every layer has it, is the mask "local".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from torch import Tensor

from former import llama
from former.checkpoints import Bundle
from former.checks import is_whole
from former.config import ModelConfig
from former.models import Generator
from former.pretrained import tokenizer
from former.pretrained.architecture import (
    Architecture,
    Part,
    feed_forward,
    has_output_layer,
    has_rotary,
    is_tied,
    linear,
    require,
    rotary,
    their_rotary,
    their_sizes,
)
from former.pretrained.files import boolean

_BUFFER = re.compile(r"layers\.\d+\.self_attn\.rotary_emb\.inv_freq")  # the frequencies, stored in old files


class _Family(NamedTuple):
    """The differences between the four: the defaults of their fields in config.json, and their biases."""

    defaults: dict[str, Any]
    # of queries, keys and values; None: as attention_bias says, which adds one to unifyheads too
    biases: bool | None = None
    qk_norm: bool = False
    own: str = ""  # a field that only this family has, and always

    def fits(self, values: dict[str, Any], weights: Mapping[str | None, Tensor], _: Path) -> bool:
        """Returns whether a model is of this family and no other. A field that is neither its own nor in all families
        may be of an architecture that is not known here, with the same tensors."""
        query, output, norm = (
            f"layers.0.self_attn.{name}" in weights for name in ("q_proj.bias", "o_proj.bias", "q_norm.weight")
        )
        biases = (query, query) if self.biases is None else (self.biases, False)
        fields = {name for name in values if not _SHARED.fullmatch(name)}
        known = self.own in ("", *fields) and fields <= {*self.defaults, self.own}
        return known and (query, output, norm) == (*biases, self.qk_norm)


_SHARED = re.compile(  # fields of config.json that all families have
    "_name_or_path|architectures|attention_dropout|(bos|eos|pad)_token_id|(torch_)?dtype|head_dim|hidden_(act|size)|"
    "initializer_range|intermediate_size|max_position_embeddings|model_type|num_(attention_heads|hidden_layers|"
    "key_value_heads)|rms_norm_eps|rope_(parameters|scaling|theta)|tie_word_embeddings|tokenizer_class|"
    "transformers_version|use_cache|vocab_size"
)
_QWEN: dict[str, Any] = {
    **{"vocab_size": 151936, "intermediate_size": 22016, "max_position_embeddings": 32768},
    **{"use_sliding_window": False, "sliding_window": 4096, "max_window_layers": 28, "layer_types": None},
}
_FAMILIES = {
    "llama": _Family(
        {
            **{"vocab_size": 32000, "intermediate_size": 11008, "max_position_embeddings": 2048},
            **{"attention_bias": False, "mlp_bias": False},
        },
        own="pretraining_tp",
    ),
    "mistral": _Family(
        {
            **{"vocab_size": 32000, "intermediate_size": 14336, "max_position_embeddings": 131072},
            **{"num_key_value_heads": 8, "sliding_window": 4096},
        },
        biases=False,
        own="sliding_window",
    ),
    "qwen2": _Family(_QWEN, biases=True),
    "qwen3": _Family({**_QWEN, "head_dim": 128, "attention_bias": False}, qk_norm=True),
}


def _name(theirs: str) -> str | None:
    name = theirs.removeprefix("transformer.")  # in LlamaForQuestionAnswering; "model." is stripped as a wrapper
    return None if _BUFFER.fullmatch(name) else name


def _read_config(family: _Family, values: dict[str, Any], weights: Mapping[str, Tensor]) -> tuple[type, ModelConfig]:
    values = {**family.defaults, **values}
    require(values, {"hidden_act": "silu"})
    emb, heads = values.get("hidden_size", 4096), values.get("num_attention_heads", 32)
    size, attention_bias = values.get("head_dim"), family.biases is None and boolean(values, "attention_bias", False)
    window, context = _window(family, values), values["max_position_embeddings"]
    turns = rotary(values)
    if turns["rotary_share"] != 1.0:  # some programs turn a part of each head then; transformers ignores the field
        raise ValueError(f"partial_rotary_factor must be 1.0, got {turns['rotary_share']!r}")
    return Generator, llama.config(
        num_tokens=values["vocab_size"],
        seq_length=context,
        emb=emb,
        heads=heads,
        kv_heads=values.get("num_key_value_heads"),
        size=None if size is not None and size * heads == emb else size,
        depth=values.get("num_hidden_layers", 32),
        **{"ff_hidden": None, **feed_forward(values["intermediate_size"], emb)},
        **turns,
        norm_eps=values.get("rms_norm_eps", 1e-6),
        attention_bias=attention_bias if family.biases is None else family.biases,
        unify_bias=attention_bias,
        ff_bias="mlp_bias" in family.defaults and boolean(values, "mlp_bias", False),
        qk_norm=family.qk_norm,
        tied=is_tied(values),
        output_layer=has_output_layer(values, weights, "lm_head.weight"),
        **({} if window is None or window >= context else {"mask": "local", "mask_size": window}),
    )


def _write_config(name: str, family: _Family, bundle: Bundle) -> dict[str, Any]:
    config = bundle.model.config
    window: dict[str, Any] = {}
    if name == "mistral":
        window = {"sliding_window": config.mask_size if config.mask == "local" else None}
    elif name != "llama" and config.mask == "local":
        window = {"use_sliding_window": True, "sliding_window": config.mask_size, "max_window_layers": 0}
    return {
        "model_type": name,
        "architectures": [f"{name.capitalize()}{'ForCausalLM' if config.output_layer else 'Model'}"],
        **their_sizes(config),
        "num_key_value_heads": config.key_heads,
        "head_dim": config.head_size,
        "hidden_act": "silu",
        "rms_norm_eps": config.norm_eps,
        **their_rotary(config),
        **window,
        **({"attention_bias": config.attention_bias} if family.biases is None else {}),
        **({"mlp_bias": config.ff_bias} if "mlp_bias" in family.defaults else {}),
        "tie_word_embeddings": config.tied,
        **tokenizer.special_ids(bundle.tokenizer),
    }


def _window(family: _Family, values: Mapping[str, Any]) -> int | None:
    """Returns the number of tokens that each token sees; None for all before it. As in `transformers`, Llama has no
    window and Mistral has one in every layer, whatever other fields say.

    Raises:
        ValueError: some layers have a window and others do not.
    """
    choice = "use_sliding_window" in family.defaults
    if "sliding_window" not in family.defaults or (choice and not boolean(values, "use_sliding_window", False)):
        return None
    window = values["sliding_window"]
    if window is None or not choice:
        return window
    if kinds := values.get("layer_types"):
        full, windowed = "full_attention" in kinds, "sliding_attention" in kinds
    elif is_whole(first := values["max_window_layers"]):  # index of the first layer with the window
        full, windowed = first > 0, first < values.get("num_hidden_layers", 32)
    else:
        raise ValueError(f"max_window_layers must be a whole number with use_sliding_window, got {first!r}")
    if full and windowed:
        raise ValueError("layer_types must be all alike, got layers with a window and others without")
    return window if windowed else None


def _parts(_: type, config: ModelConfig) -> Iterator[Part]:
    yield Part("embed_tokens.weight", ("transformer.token_embedding.weight",))
    for layer in range(config.depth):
        theirs, ours = f"layers.{layer}", f"transformer.blocks.{layer}"
        for name, our_name in (("q", "toqueries"), ("k", "tokeys"), ("v", "tovalues")):
            yield from linear(
                f"{theirs}.self_attn.{name}_proj", f"{ours}.attention.{our_name}", bias=config.attention_bias
            )
        yield from linear(f"{theirs}.self_attn.o_proj", f"{ours}.attention.unifyheads", bias=config.unify_bias)
        for name, our_name in (("gate", "0.gate"), ("up", "0.up"), ("down", "2")):
            yield from linear(f"{theirs}.mlp.{name}_proj", f"{ours}.ff.{our_name}", bias=config.ff_bias)
        yield Part(f"{theirs}.input_layernorm.weight", (f"{ours}.norm1.weight",))
        yield Part(f"{theirs}.post_attention_layernorm.weight", (f"{ours}.norm2.weight",))
        if config.qk_norm:
            for name in ("q", "k"):
                yield Part(f"{theirs}.self_attn.{name}_norm.weight", (f"{ours}.attention.norm_{name}.weight",))
    yield Part("norm.weight", ("norm.weight",))
    if config.output_layer and not config.tied:
        yield Part("lm_head.weight", ("toprobs.weight",))


ARCHITECTURES = {
    name: Architecture(
        classes=name.capitalize(),
        prefix="model.",
        writes=lambda bundle: has_rotary(bundle) and bundle.config.normalisation == "rms",
        sign="layers.0.self_attn.q_proj.weight",
        fits=family.fits,
        body=frozenset(("embed_tokens", "layers", "norm")),
        name=_name,
        tied=lambda values: {"lm_head.weight": "embed_tokens.weight"} if is_tied(values) else {},
        read_config=partial(_read_config, family),
        write_config=partial(_write_config, name, family),
        parts=_parts,
        read_tokenizer=tokenizer.read_any,
        tokenizer_settings=tokenizer.settings_of_any,
    )
    for name, family in _FAMILIES.items()
}
"""By model_type."""
