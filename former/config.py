"""The shape of a model: one frozen record, checked where it is built."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from numbers import Integral
from typing import Any, Literal, get_args

Variant = Literal["narrow", "wide"]
Positions = Literal["none", "learned", "sinusoidal"]
Norm = Literal["post", "pre"]
Activation = Literal["relu", "gelu"]
Pooling = Literal["average", "max"]


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """Everything that fixes the shape of a `Generator` or a `Classifier`.

    The defaults are the article's character generator: 12 blocks, embedding 256, 8 heads, context 256.

    Raises:
        ValueError: a field out of its range; the message names the field, what was given and what is expected.
    """

    num_tokens: int = 256  # size of the vocabulary; 256 for bytes
    emb: int = 256  # size of a token's vector, the article's k
    heads: int = 8  # attention heads a block
    depth: int = 12  # transformer blocks
    seq_length: int = 256  # the context: how many tokens the model was made for
    num_classes: int = 2  # what a Classifier chooses from; a Generator does not read it
    variant: Variant = "narrow"  # narrow: emb cut in `heads` chunks; wide: every head has the full emb
    positions: Positions = "learned"  # what tells a token where it stands
    norm: Norm = "post"  # layer norm after each residual (the article), or before each sublayer
    activation: Activation = "relu"  # of the feed-forward
    ff_hidden_mult: int = 4  # hidden size of the feed-forward, in multiples of emb
    dropout: float = 0.0  # after the embedding and on each residual branch, in training only
    pooling: Pooling = "average"  # how a Classifier makes one vector of the whole sequence
    pad_token: int | None = None  # a Classifier leaves this token out of attention and pooling

    def __post_init__(self) -> None:
        for name in ("num_tokens", "emb", "heads", "depth", "seq_length", "num_classes", "ff_hidden_mult"):
            require_positive(name, getattr(self, name))
        for name, choices in _CHOICES.items():
            require_choice(name, getattr(self, name), choices)
        if self.variant == "narrow":
            require_divides(self.emb, self.heads)
        if self.positions == "sinusoidal" and self.emb % 2:
            raise ValueError(f"emb must be even for sinusoidal positions (a sine and a cosine each), got {self.emb}")
        if not isinstance(self.dropout, int | float) or not 0.0 <= self.dropout < 1.0:
            raise ValueError(f"dropout must be in [0, 1), got {self.dropout!r}")
        if self.pad_token is not None and not (is_whole(self.pad_token) and 0 <= self.pad_token < self.num_tokens):
            raise ValueError(
                f"pad_token must be None or a whole number in [0, {self.num_tokens}), got {self.pad_token!r}"
            )

    @property
    def head_size(self) -> int:
        """The size s of one head's queries, keys and values."""
        return self.emb if self.variant == "wide" else self.emb // self.heads

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, for a JSON card."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> ModelConfig:
        """The inverse of `to_dict`.

        Raises:
            ValueError: an unknown field, a missing one (its default could be another model), or one out of its range.
        """
        known = {field.name for field in fields(cls)}
        if missing := sorted(known - set(values)):
            raise ValueError(f"config must hold every field, got none for {missing}")
        if unknown := sorted(set(values) - known):
            raise ValueError(f"config has unknown fields {unknown}; known are {sorted(known)}")
        return cls(**values)


_CHOICES: dict[str, tuple[str, ...]] = {
    "variant": get_args(Variant),
    "positions": get_args(Positions),
    "norm": get_args(Norm),
    "activation": get_args(Activation),
    "pooling": get_args(Pooling),
}


def is_whole(value: object) -> bool:
    """Whether a value is a whole number, numpy's among them, and no bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def require_positive(name: str, value: int) -> None:
    """Raises ValueError unless `value` is a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")


def require_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raises ValueError unless `value` is one of `choices`."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def require_divides(emb: int, heads: int) -> None:
    """Raises ValueError unless `heads` cuts `emb` into equal chunks."""
    if emb % heads:
        raise ValueError(f"heads must divide emb in the narrow variant, got emb={emb} and heads={heads}")
