"""The record of a Hugging Face architecture: everything needed to read and write it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from former.checkpoints import Bundle
from former.checkpoints.files import CheckpointError
from former.checks import require_choice, require_positive
from former.models import Generator
from former.pretrained.files import boolean
from former.tokens import Tokenizer


@dataclass(frozen=True)
class Part:
    """A tensor in Hugging Face's format, and the names of our tensors whose concatenation along the first dimension it
    is."""

    theirs: str  # "" where they have none: ours is zeros
    ours: tuple[str, ...]
    transposed: bool = False  # theirs is (in, out), as in GPT-2; ours are (out, in)
    heads: int = 1  # ours are concatenated head by head
    first: int = 0  # the row with which ours begins


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """One architecture: how its config.json, tensor names and tokenizer files are converted to ours, and back."""

    classes: str  # prefix of its class names
    body: frozenset[str]  # first components of the names of all tensors outside output heads
    name: Callable[[str], str | None]  # name in a file → name in `parts`; None for buffers
    tied: Callable[[dict[str, Any]], Mapping[str, str]]  # config.json → tensor that repeats another → the other's name
    read_config: Callable[[dict[str, Any], Mapping[str, Tensor]], tuple[type, Any]]  # → our model's class and config
    parts: Callable[[type, Any], Iterator[Part]]
    read_tokenizer: Callable[[Path, int], Tokenizer]  # folder and number of the model's tokens → tokenizer
    prefix: str  # of the names of the tensors of its body, in a class with output heads
    writes: Callable[[Bundle], bool]  # whether a model of ours may be written as this
    write_config: Callable[[Bundle], dict[str, Any]]  # the inverse of `read_config`, where it has one
    tokenizer_settings: Callable[[Tokenizer], dict[str, Any]]  # → contents of tokenizer_config.json
    sign: str  # a tensor that every model of this architecture has, by the name in `parts`
    read_facts: Callable[[dict[str, Any], Any], dict[str, Any]] = lambda *_: {}  # config.json, our model → card entries
    # config.json, weights by the names in `parts`, folder → whether they are of no other architecture with this sign
    fits: Callable[[dict[str, Any], Mapping[str | None, Tensor], Path], bool] = lambda *_: True

    def is_class(self, name: str) -> bool:
        """Returns whether a class of this name belongs to the architecture."""
        return name.startswith(self.classes)

    def written(self, name: str, values: Mapping[str, Any]) -> str:
        """Converts a tensor's name in `parts` to its name in a file. The prefix is left out if config.json, whose
        fields are `values`, names the class without a head."""
        bare = values["architectures"] == [f"{self.classes}Model"]
        return name if bare or name.split(".", maxsplit=1)[0] not in self.body else f"{self.prefix}{name}"

    def canonical(self, weights: dict[str, Tensor], folder: Path, values: dict[str, Any]) -> dict[str, Tensor]:
        """Returns the weights by the names in `parts`, each once; `values` are those of config.json.

        Raises:
            CheckpointError: two tensors have one name, or a tensor differs from the one that it must repeat.
        """
        named: dict[str, Tensor] = {}
        for theirs, tensor in weights.items():
            name = self.name(unwrapped(theirs))
            if name in named:
                raise CheckpointError(f"the weights in {folder} hold {name!r} twice, once as {theirs!r}")
            if name is not None:
                named[name] = tensor
        for copy, original in self.tied(values).items():
            if copy in named:
                tensor = named.pop(copy)
                if not tensor.equal(named.setdefault(original, tensor)):
                    raise CheckpointError(f"the weights in {folder} must hold {copy!r} as {original!r}, got another")
        return named


def require(values: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    """Raises ValueError if a config sets one of these fields to another value than expected."""
    for name, value in expected.items():
        if (got := values.get(name, value)) != value or type(got) is not type(value):  # 1 is not True
            raise ValueError(
                f"{name} must be {value!r}, got {got!r}; other models cannot be read here, so correct config.json only "
                f"if this one was trained with {value!r}"
            )


def unwrapped(name: str) -> str:
    """Strips the prefixes of `DataParallel` and `torch.compile` from a tensor's name; and at its beginning those of a
    class that holds the model as its `model`, such as PEFT's and Llama's own."""
    bare = ".".join(part for part in name.split(".") if part not in ("module", "_orig_mod"))
    return re.sub(r"^((base_)?model\.)+", "", bare)


def class_names(values: Mapping[str, Any]) -> list[str]:
    """Returns the class names in the field "architectures" of config.json; none if it is missing.

    Raises:
        ValueError: not a list of names.
    """
    names = values.get("architectures") or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"architectures must be a list of names, got {names!r}")
    return names


_TANH = dict.fromkeys(("gelu_new", "gelu_pytorch_tanh", "gelu_fast"), "gelu_tanh")  # three codes of one formula
ACTIVATIONS = {"gelu": "gelu", "relu": "relu", **_TANH}
"""Their names of activations → ours; of several for one of ours, the first is written."""


def activation(name: Any) -> Any:
    """Converts Hugging Face's name of an activation to ours, one of `former.blocks.ACTIVATIONS` or "swiglu".

    Raises:
        ValueError: an unknown activation.
    """
    if not isinstance(name, str) or name not in ACTIVATIONS:
        raise ValueError(f"activation must be one of {', '.join(map(repr, ACTIVATIONS))}, got {name!r}")
    return ACTIVATIONS[name]


def their_activation(name: str) -> str:
    """Converts our name of an activation to Hugging Face's: the inverse of `activation`.

    Raises:
        ValueError: the activation has no name in Hugging Face's format.
    """
    require_choice("activation", name, dict.fromkeys(ACTIVATIONS.values()))
    return next(theirs for theirs, ours in ACTIVATIONS.items() if ours == name)


def feed_forward(hidden: Any, emb: Any) -> dict[str, Any]:
    """Returns the fields of our config for a feed-forward of this hidden size.

    Raises:
        ValueError: sizes that are not whole numbers of at least 1.
    """
    require_positive("the feed-forward's hidden size", hidden)
    require_positive("emb", emb)
    return {"ff_hidden": hidden} if hidden % emb else {"ff_hidden_mult": hidden // emb}


def linear(theirs: str, *ours: str, transposed: bool = False, bias: bool = True, heads: int = 1) -> Iterator[Part]:
    """Yields the `Part`s for weight and bias of a linear map, of several maps that `theirs` stores as one, or of a
    norm."""
    yield Part(f"{theirs}.weight", tuple(f"{name}.weight" for name in ours), transposed, heads)
    if bias:
        yield Part(f"{theirs}.bias", tuple(f"{name}.bias" for name in ours), heads=heads)


def is_tied(values: Mapping[str, Any]) -> bool:
    """Returns whether a config says that the output layer is the token embedding; without the field, it is not."""
    return boolean(values, "tie_word_embeddings", False)


def has_output_layer(values: Mapping[str, Any], weights: Iterable[str], name: str) -> bool:
    """Returns whether a model has an output layer: config.json ties it, or names a class with one, or `name` is in the
    weights."""
    return is_tied(values) or name in weights or any(each.endswith("ForCausalLM") for each in class_names(values))


def has_rotary(bundle: Bundle) -> bool:
    """Returns whether this is a `Generator` with rotary positions."""
    return isinstance(bundle.model, Generator) and bundle.config.positions == "rotary"


def their_sizes(config: Any) -> dict[str, Any]:
    """Returns the sizes of a rotary model's config by their names in config.json."""
    return {
        "vocab_size": config.num_tokens,
        "max_position_embeddings": config.seq_length,
        "hidden_size": config.emb,
        "intermediate_size": config.ff_size,
        "num_hidden_layers": config.depth,
        "num_attention_heads": config.heads,
    }


def their_rotary(config: Any) -> dict[str, Any]:
    """Returns the fields of config.json for rotary positions, for new and old versions of `transformers`; the inverse
    of `rotary`."""
    rope = {"rope_type": "default", "rope_theta": config.rotary_theta, "partial_rotary_factor": config.rotary_share}
    if config.rotary_scaling is not None:
        factor, low, high, context = config.rotary_scaling
        rope |= {"rope_type": "linear", "factor": factor}
        if (low, high, context) != (1.0, 2.0, 1.0):
            rope |= {"rope_type": "llama3", "low_freq_factor": low, "high_freq_factor": high}
            rope["original_max_position_embeddings"] = int(context)
    scaling = {} if config.rotary_scaling is None else {"rope_scaling": rope}
    return {"rope_theta": config.rotary_theta, "rope_parameters": rope, **scaling}


def rotary(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of our config for rotary positions: from "rope_parameters", or the fields of older files.

    Raises:
        ValueError: a scaling of frequencies that is not known here, or that differs from layer to layer.
    """
    rope: dict[str, Any] = {"original_max_position_embeddings": values.get("max_position_embeddings")}
    for name in ("rope_scaling", "rope_parameters"):
        fields = values.get(name) or {}
        if not isinstance(fields, dict) or any(isinstance(each, dict) for each in fields.values()):
            raise ValueError(f"{name} must be the fields of one scaling for all layers, got {fields!r}")
        rope |= fields
    if old := values.get("original_max_position_embeddings"):
        rope["original_max_position_embeddings"] = old
    kind = rope.get("rope_type", rope.get("type", "default"))
    require_choice("rope_type", kind, ("default", "linear", "llama3"))
    scaling = None
    if kind == "linear":  # every wave is longer than a context of one token, so all are divided
        scaling = (rope.get("factor"), 1.0, 2.0, 1.0)
    elif kind == "llama3":
        names = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
        scaling = tuple(rope.get(name) for name in names)
    theta = values.get("rope_theta", values.get("rotary_emb_base", 10_000.0))
    share = values.get("partial_rotary_factor", values.get("rotary_pct", 1.0))
    return {
        "rotary_theta": rope.get("rope_theta", theta),
        "rotary_share": rope.get("partial_rotary_factor", share),
        "rotary_scaling": scaling,
    }
