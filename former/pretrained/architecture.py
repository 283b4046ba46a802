"""What an architecture in Hugging Face's format has to say of itself, so that it can be read and written here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from former.checkpoints import Bundle, CheckpointError
from former.tokens import Tokenizer


@dataclass(frozen=True)
class Part:
    """One of their tensors, and those of ours that it holds: joined along the first dimension."""

    theirs: str
    ours: tuple[str, ...]
    transposed: bool = False  # theirs is (in, out), as GPT-2 keeps its maps; ours are (out, in)


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """One architecture: from its config.json, names and tokenizer files to ours, and back."""

    kinds: tuple[type, ...]  # our models that it reads and writes
    name: Callable[[str], str | None]  # a name in a file → the name `parts` knows; None for what holds no weight
    written: Callable[[str, Any], str]  # a name `parts` knows, and our model → the name that is written
    tied: Mapping[str, str]  # tensors that repeat another, by the name of that other
    read_config: Callable[[dict[str, Any], Mapping[str, Tensor]], tuple[type, Any]]  # → our model's class and config
    read_facts: Callable[[dict[str, Any], Any], dict[str, Any]]  # of a config.json and our model, for the card
    write_config: Callable[[Bundle], dict[str, Any]]
    parts: Callable[[type, Any], Iterator[Part]]
    read_tokenizer: Callable[[Path, int], Tokenizer]  # of a folder, for a model of so many tokens
    write_tokenizer: Callable[[Tokenizer], dict[str, Any]]  # → what tokenizer_config.json says beside tokenizer.json

    def canonical(self, weights: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
        """The weights by the names that `parts` knows, each once.

        Raises:
            CheckpointError: two tensors of one name, or one that should repeat another and does not.
        """
        named: dict[str, Tensor] = {}
        for theirs, tensor in weights.items():
            name = self.name(theirs)
            if name in named:
                raise CheckpointError(f"the weights in {folder} hold {name!r} twice, once as {theirs!r}")
            if name is not None:
                named[name] = tensor
        for copy, original in self.tied.items():
            if copy in named:
                tensor = named.pop(copy)
                if not tensor.equal(named.setdefault(original, tensor)):
                    raise CheckpointError(f"the weights in {folder} must hold {copy!r} as {original!r}, got another")
        return named


def require(values: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    """Raises ValueError unless what a config says of these fields, if it does, is what is expected."""
    for name, value in expected.items():
        if values.get(name, value) != value:
            raise ValueError(f"{name} must be {value!r}, got {values[name]!r}")


def require_architectures(values: Mapping[str, Any], known: Collection[str]) -> list[str]:
    """The names of a config's architectures; none where it says none.

    Raises:
        ValueError: no list, or a name that is not known.
    """
    names = values.get("architectures") or []
    if not isinstance(names, list):
        raise ValueError(f"architectures must be a list of names, got {names!r}")
    if unknown := [name for name in names if not isinstance(name, str) or name not in known]:
        raise ValueError(f"architectures must be among {', '.join(known)}, got {unknown[0]!r}")
    return names


ACTIVATIONS = {"gelu": "gelu", "relu": "relu", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh"}
"""Their names of activations, and ours; the first of two is the one that is written."""


def activation(name: Any) -> Any:
    """Our name of an activation.

    Raises:
        ValueError: one that is not known here.
    """
    if not isinstance(name, str) or name not in ACTIVATIONS:
        raise ValueError(f"activation must be one of {', '.join(map(repr, ACTIVATIONS))}, got {name!r}")
    return ACTIVATIONS[name]


def their_activation(name: str) -> str:
    """The inverse of `activation`."""
    return next(theirs for theirs, ours in ACTIVATIONS.items() if ours == name)


def ff_hidden_mult(hidden: Any, emb: Any) -> int:
    """The hidden size of the feed-forward in multiples of emb.

    Raises:
        ValueError: no multiple.
    """
    if not isinstance(hidden, int) or not isinstance(emb, int) or emb < 1 or hidden % emb:
        sizes = f"{hidden!r} of {emb!r}"
        raise ValueError(f"the feed-forward's hidden size must be a multiple of the embedding's, got {sizes}")
    return hidden // emb


def linear(theirs: str, *ours: str, transposed: bool = False) -> Iterator[Part]:
    """A map, or several kept as one, or a norm: its weight and its bias."""
    yield Part(f"{theirs}.weight", tuple(f"{name}.weight" for name in ours), transposed)
    yield Part(f"{theirs}.bias", tuple(f"{name}.bias" for name in ours))
