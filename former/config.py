"""The shapes of models: frozen records that check their fields when they are created.

`StackConfig` has the fields of every stack of blocks; each kind of model adds its own in a subclass.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeVar, get_args

import torch
from torch.overrides import TorchFunctionMode

from former import masks, positions
from former.checks import (
    head_size,
    is_index,
    is_number,
    require_choice,
    require_dropout,
    require_groups,
    require_positive,
)

Variant = Literal["narrow", "wide", "chunked"]
Norm = Literal["post", "pre"]
Activation = Literal["relu", "gelu", "gelu_tanh", "swiglu"]
Pooling = Literal["average", "max"]

VERSION = 6  # of cards written now
OLDEST = 2  # oldest that can be read
_Config = TypeVar("_Config", bound="Config")


def added_in_version(default: Any, version: int) -> Any:
    """Returns a dataclass field that was added in this version of the cards; for older cards it has its default."""
    return field(default=default, metadata={"since": version})


def _plain(value: Any) -> Any:
    """Returns a number of numpy as one of Python, and any other value as it is."""
    return value.item() if hasattr(value, "item") else value


@dataclass(frozen=True, kw_only=True)
class Config:
    """A model's shape, which can be stored in a JSON card."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields as plain values, for a JSON card."""
        return asdict(self, dict_factory=lambda pairs: {name: _plain(value) for name, value in pairs})

    @classmethod
    def from_dict(cls: type[_Config], values: dict[str, Any], version: int = VERSION) -> _Config:
        """Creates a config from the fields that `to_dict` returned.

        Args:
            values: the fields.
            version: the version of the card; a field that was added later may be missing, and then has its default.
        Raises:
            ValueError: a field that is unknown, missing (its default might be another model's) or out of range.
        """
        known = {each.name: each.metadata.get("since", OLDEST) for each in fields(cls)}
        if missing := sorted(name for name, since in known.items() if since <= version and name not in values):
            raise ValueError(f"config must hold every field, missing are {missing}")
        if unknown := sorted(set(values) - set(known)):
            raise ValueError(f"config must not hold unknown fields, got {unknown}; known are {sorted(known)}")
        return cls(**values)


@dataclass(frozen=True, kw_only=True)
class StackConfig(Config):
    """The shape of a stack of transformer blocks with a vocabulary and a context; the defaults are the article's.

    Raises:
        ValueError: a field out of range; the message names the field, its value and what is expected.
    """

    emb: int = 256  # size of a token's vector; the article's k
    heads: int = 8  # attention heads in each block
    depth: int = 12  # transformer blocks
    variant: Variant = "narrow"  # narrow, wide or chunked: see `SelfAttention`
    kv_heads: int | None = added_in_version(
        None, 5
    )  # heads of keys and values, each for a group of queries; None: heads
    size: int | None = added_in_version(None, 5)  # s, the size of one head; None for emb / heads, or emb if wide
    norm: Norm = "post"  # normalisation after each residual (the article), or before each sublayer
    normalisation: str = added_in_version("layer", 5)  # "layer" norm (the article), or "rms": by the root mean square
    parallel: bool = added_in_version(False, 5)  # whether attention and feed-forward read the same vector (pre-norm)
    activation: Activation = "relu"  # of the feed-forward; gelu_tanh is GPT-2's approximation of gelu; swiglu is gated
    ff_hidden_mult: int = 4  # hidden size of the feed-forward, in multiples of emb
    ff_hidden: int | None = added_in_version(None, 4)  # the hidden size itself; None to use ff_hidden_mult
    dropout: float = 0.0  # after the embedding and on each residual branch, in training only
    attention_bias: bool = False  # whether the maps to queries, keys and values add a bias
    unify_bias: bool = added_in_version(True, 5)  # whether the map that combines the heads adds one
    ff_bias: bool = added_in_version(True, 5)  # whether the maps of the feed-forward add one
    qk_norm: bool = added_in_version(False, 5)  # whether each query and key is divided by its root mean square
    norm_eps: float = 1e-5  # added to the variance in every norm
    scaled: bool = added_in_version(True, 3)  # whether scores are divided by √s
    unify: bool = added_in_version(True, 3)  # whether a linear map combines the heads; else they are concatenated
    num_tokens: int = 256  # size of the vocabulary; 256 for bytes
    seq_length: int = 256  # the context: the most tokens the model was built for

    def __post_init__(self) -> None:
        for name in (each.name for each in fields(self) if each.type in ("bool", bool)):
            if not isinstance(value := getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, got {value!r}")
        for name in ("emb", "heads", "depth", "ff_hidden_mult", "num_tokens", "seq_length"):
            require_positive(name, getattr(self, name))
        if self.ff_hidden is not None:
            require_positive("ff_hidden", self.ff_hidden)
        require_choice("norm", self.norm, get_args(Norm))
        require_choice("normalisation", self.normalisation, ("layer", "rms"))
        require_choice("activation", self.activation, get_args(Activation))
        if self.parallel and self.norm != "pre":
            raise ValueError(f"norm must be 'pre' with parallel, got {self.norm!r}")
        head_size(self.emb, self.heads, self.variant, self.size, self.unify)
        require_groups(self.heads, self.kv_heads, self.variant)
        require_dropout(self.dropout)
        if not is_number(self.norm_eps, above=0) or self.norm_eps >= 1:
            raise ValueError(f"norm_eps must be in (0, 1), got {self.norm_eps!r}")

    @property
    def head_size(self) -> int:
        """The size s of one head's queries, keys and values."""
        return head_size(self.emb, self.heads, self.variant, self.size, self.unify)

    @property
    def key_heads(self) -> int:
        """The number of heads of keys and values."""
        return self.heads if self.kv_heads is None else self.kv_heads

    @property
    def ff_size(self) -> int:
        """The hidden size of the feed-forward."""
        return self.ff_hidden_mult * self.emb if self.ff_hidden is None else self.ff_hidden

    def divisor(self, layer: int) -> float:  # noqa: ARG002 - `ModelConfig` overrides it
        """A further divisor of a layer's scores, besides √s; layers count from 0."""
        return 1.0

    def block_options(self, layer: int) -> dict[str, Any]:
        """Returns the keyword arguments with which a layer's block is built, besides emb and heads."""
        attention = ("variant", "attention_bias", "scaled", "unify", "kv_heads", "size", "unify_bias")
        norms = ("norm", "normalisation", "norm_eps", "parallel", "dropout")
        names = (*attention, *norms, "activation", "ff_hidden_mult", "ff_hidden", "ff_bias")
        qk_norm_eps = self.norm_eps if self.qk_norm else None
        return {"divisor": self.divisor(layer), "qk_norm_eps": qk_norm_eps, **{n: getattr(self, n) for n in names}}


@dataclass(frozen=True, kw_only=True)
class SequenceConfig(StackConfig):
    """The shape of a stack with a position scheme.

    Raises:
        ValueError: a field out of range; the message names the field, its value and what is expected.
    """

    positions: str = "learned"  # position scheme, one of `positions.SCHEMES`
    rotary_theta: float = added_in_version(10_000.0, 5)  # of rotary positions: base of the frequencies
    rotary_share: float = added_in_version(1.0, 5)  # share of each head's numbers that is turned
    rotary_scaling: tuple[float, ...] | None = added_in_version(None, 5)  # `positions.Rotary.scaling`
    pad_token: int | None = None  # of a Classifier: fills up shorter sequences; no other token attends to it

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.rotary_scaling, list):  # as JSON has it
            object.__setattr__(self, "rotary_scaling", tuple(self.rotary_scaling))
        require_positions(self.positions, self.emb, self.head_size, self.rotary)
        require_token("pad_token", self.pad_token, self.num_tokens)

    @property
    def rotary(self) -> positions.Rotary:
        """The settings of rotary positions (`former.positions.Rotary`), from the config's fields."""
        return positions.Rotary(self.rotary_theta, self.rotary_share, self.rotary_scaling)


@dataclass(frozen=True, kw_only=True)
class ModelConfig(SequenceConfig):
    """The shape of a `Generator` or a `Classifier`; the defaults are the article's character generator.

    Raises:
        ValueError: a field out of range; the message names the field, its value and what is expected.
    """

    mask: str | None = None  # one of `masks.MASKS`; None for the default: causal in a Generator, "none" in a Classifier
    mask_size: int | None = None  # the window or stride, for masks that have one
    num_classes: int = 2  # number of classes of a Classifier; a Generator ignores it
    pooling: Pooling = "average"  # how a Classifier reduces the sequence to one vector
    tied: bool = False  # whether a Generator's output layer is its token embedding, without a bias
    output_layer: bool = added_in_version(True, 6)  # whether a Generator has one; without it, it returns vectors
    output_bias: bool = added_in_version(True, 5)  # whether an output layer of a Generator's own adds a bias
    scaled_by_layer: bool = added_in_version(False, 4)  # whether layer n (from 1) divides its scores by n, besides √s

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive("num_classes", self.num_classes)
        require_choice("pooling", self.pooling, get_args(Pooling))
        if self.tied and not self.output_layer:
            raise ValueError("tied must be False without an output layer, got True")
        if self.mask is not None:
            masks.require_mask(self.mask, self.mask_size, "mask", "mask_size")

    def divisor(self, layer: int) -> float:
        """A further divisor of a layer's scores, besides √s; layers count from 0."""
        return layer + 1.0 if self.scaled_by_layer else 1.0


@contextlib.contextmanager
def shapes_only() -> Iterator[None]:
    """Context manager: models are built without weights, on torch's meta device, to be loaded, counted or described."""
    with torch.device("meta"), _NoRandomNumbers():
        yield


class _NoRandomNumbers(TorchFunctionMode):
    """Skips `normal_`: on the meta device torch would import its whole compiler for it, which takes 1.4 s."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in (torch.nn.init.normal_, torch.Tensor.normal_):
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


def require_positions(kind: str, emb: int, size: int = 1, rotary: positions.Rotary = positions.ROTARY) -> None:
    """Raises ValueError unless the position scheme `kind` works with vectors of size `emb` and heads of size `size`."""
    with shapes_only():  # describing a model must not consume torch's random numbers
        positions.make_positions(kind, positions.Shape(1, emb, size=size, rotary=rotary))


def require_token(name: str, value: int | None, num_tokens: int) -> None:
    """Raises ValueError unless `value` is None or a token id in [0, num_tokens)."""
    if value is not None and not is_index(value, num_tokens):
        raise ValueError(f"{name} must be None or a whole number in [0, {num_tokens}), got {value!r}")
