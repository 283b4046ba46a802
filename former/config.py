"""The shape of a model: frozen records, checked where they are built.

`StackConfig` is what every stack of blocks has; each kind of model adds its own fields in a record of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeVar, get_args

import torch
from torch.overrides import TorchFunctionMode

from former import masks, positions
from former.checks import is_whole, require_choice, require_divides, require_positive, require_unify

Variant = Literal["narrow", "wide", "chunked"]
Norm = Literal["post", "pre"]
Activation = Literal["relu", "gelu", "gelu_tanh"]
Pooling = Literal["average", "max"]

VERSION = 4  # of the cards that are written now
OLDEST = 2  # of those that are read
_Config = TypeVar("_Config", bound="Config")


def later(default: Any, version: int) -> Any:
    """A field that came with a version of the cards: older cards lack it, and mean its default."""
    return field(default=default, metadata={"since": version})


@dataclass(frozen=True, kw_only=True)
class Config:
    """A record of a model's shape that a JSON card can hold."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, for a JSON card."""
        return asdict(self)

    @classmethod
    def from_dict(cls: type[_Config], values: dict[str, Any], version: int = VERSION) -> _Config:
        """The inverse of `to_dict`.

        Args:
            values: the fields.
            version: of the card they come from: a field that came later may be missing, and has its default.
        Raises:
            ValueError: an unknown field, a missing one (its default could be another model), or one out of its range.
        """
        known = {each.name: each.metadata.get("since", OLDEST) for each in fields(cls)}
        if missing := sorted(name for name, since in known.items() if since <= version and name not in values):
            raise ValueError(f"config must hold every field, got none for {missing}")
        if unknown := sorted(set(values) - set(known)):
            raise ValueError(f"config has unknown fields {unknown}; known are {sorted(known)}")
        return cls(**values)


@dataclass(frozen=True, kw_only=True)
class StackConfig(Config):
    """A stack of transformer blocks; the defaults are the article's.

    Raises:
        ValueError: a field out of its range; the message names the field, what was given and what is expected.
    """

    emb: int = 256  # size of a token's vector, the article's k
    heads: int = 8  # attention heads a block
    depth: int = 12  # transformer blocks
    variant: Variant = "narrow"  # narrow, wide or chunked: see `SelfAttention`
    norm: Norm = "post"  # layer norm after each residual (the article), or before each sublayer
    activation: Activation = "relu"  # of the feed-forward; gelu_tanh is GPT-2's approximation of gelu
    ff_hidden_mult: int = 4  # hidden size of the feed-forward, in multiples of emb
    ff_hidden: int | None = later(None, 4)  # the same as a number, where it is no multiple; None for the multiple
    dropout: float = 0.0  # after the embedding and on each residual branch, in training only
    attention_bias: bool = False  # whether the maps to queries, keys and values add a bias
    norm_eps: float = 1e-5  # added to the variance in every layer norm
    scaled: bool = later(True, 3)  # whether scores are divided by √s
    unify: bool = later(True, 3)  # whether a map joins the heads, or they stand side by side as they are

    def __post_init__(self) -> None:
        for name in ("emb", "heads", "depth", "ff_hidden_mult"):
            require_positive(name, getattr(self, name))
        if self.ff_hidden is not None:
            require_positive("ff_hidden", self.ff_hidden)
        require_choice("variant", self.variant, get_args(Variant))
        require_choice("norm", self.norm, get_args(Norm))
        require_choice("activation", self.activation, get_args(Activation))
        if self.variant != "wide":
            require_divides(self.emb, self.heads, self.variant)
        require_unify(self.unify, self.variant)
        require_dropout(self.dropout)
        if not isinstance(self.norm_eps, int | float) or not 0.0 < self.norm_eps < 1.0:
            raise ValueError(f"norm_eps must be in (0, 1), got {self.norm_eps!r}")

    @property
    def head_size(self) -> int:
        """The size s of one head's queries, keys and values."""
        return self.emb if self.variant == "wide" else self.emb // self.heads

    @property
    def ff_size(self) -> int:
        """The hidden size of the feed-forward."""
        return self.ff_hidden_mult * self.emb if self.ff_hidden is None else self.ff_hidden

    def divisor(self, layer: int) -> float:  # noqa: ARG002 - a `ModelConfig` may divide by it
        """What the scores of a layer, from 0, are divided by besides √s."""
        return 1.0

    def block_options(self, layer: int) -> dict[str, Any]:
        """What the block of a layer is built with, by keyword, beside emb and heads."""
        attention = ("variant", "attention_bias", "scaled", "unify")
        names = (*attention, "norm", "activation", "ff_hidden_mult", "ff_hidden", "dropout", "norm_eps")
        return {"divisor": self.divisor(layer), **{name: getattr(self, name) for name in names}}


@dataclass(frozen=True, kw_only=True)
class ModelConfig(StackConfig):
    """The shape of a `Generator` or a `Classifier`; the defaults are the article's character generator.

    Raises:
        ValueError: a field out of its range; the message names the field, what was given and what is expected.
    """

    num_tokens: int = 256  # size of the vocabulary; 256 for bytes
    seq_length: int = 256  # the context: how many tokens the model was made for
    positions: str = "learned"  # what tells a token where it stands, of `positions.KINDS`
    mask: str | None = None  # of `masks.KINDS`; None for the model's own: causal to generate, none to classify
    mask_size: int | None = None  # the window or stride of a mask that has one
    num_classes: int = 2  # what a Classifier chooses from; a Generator does not read it
    pooling: Pooling = "average"  # how a Classifier makes one vector of the whole sequence
    pad_token: int | None = None  # a Classifier leaves this token out of attention and pooling
    tied: bool = False  # a Generator's output layer is its token embedding, without a bias
    scaled_by_layer: bool = later(False, 4)  # whether a layer's scores are divided by its number, from 1, besides √s

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("num_tokens", "seq_length", "num_classes"):
            require_positive(name, getattr(self, name))
        require_choice("pooling", self.pooling, get_args(Pooling))
        require_positions(self.positions, self.emb)
        if self.mask is not None:
            masks.count(self.mask, 1, self.mask_size)  # raises for an unknown kind, or a size out of its range
        require_token("pad_token", self.pad_token, self.num_tokens)

    def divisor(self, layer: int) -> float:
        """What the scores of a layer, from 0, are divided by besides √s."""
        return layer + 1.0 if self.scaled_by_layer else 1.0


@contextlib.contextmanager
def shapes_only() -> Iterator[None]:
    """Makes the models built inside it without weights, on torch's meta device: to be loaded, counted or described."""
    with torch.device("meta"), _NoRandomNumbers():
        yield


class _NoRandomNumbers(TorchFunctionMode):
    """Skips `normal_`: where there are no numbers to draw, torch imports its whole compiler for it, for 1.4 s."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in (torch.nn.init.normal_, torch.Tensor.normal_):
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


def require_positions(kind: str, emb: int) -> None:
    """Raises ValueError unless vectors of `emb` numbers can have positions of this kind."""
    with shapes_only():  # to describe a model must not draw from torch's random numbers
        positions.make_positions(kind, seq_length=1, emb=emb)


def require_dropout(value: float) -> None:
    """Raises ValueError unless `value` is a share below 1."""
    if not isinstance(value, int | float) or not 0.0 <= value < 1.0:
        raise ValueError(f"dropout must be in [0, 1), got {value!r}")


def require_token(name: str, value: int | None, num_tokens: int) -> None:
    """Raises ValueError unless `value` is None or a token of the vocabulary."""
    if value is not None and not (is_whole(value) and 0 <= value < num_tokens):
        raise ValueError(f"{name} must be None or a whole number in [0, {num_tokens}), got {value!r}")
