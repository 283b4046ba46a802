"""What an architecture in Hugging Face's format has to say of itself, so that it can be read and written here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from former.checkpoints import Bundle, CheckpointError
from former.checks import require_positive
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
    classes: str  # how the names of its classes begin
    sign: str  # a tensor that no other architecture has, by the name `parts` knows
    body: frozenset[str]  # first parts of the names of all that is no head
    name: Callable[[str], str | None]  # a name in a file → the name `parts` knows; None for what holds no weight
    written: Callable[[str, Any], str]  # a name `parts` knows, and our model → the name that is written
    tied: Mapping[str, str]  # tensors that repeat another, by the name of that other
    read_config: Callable[[dict[str, Any], Mapping[str, Tensor]], tuple[type, Any]]  # → our model's class and config
    read_facts: Callable[[dict[str, Any], Any], dict[str, Any]]  # of a config.json and our model, for the card
    write_config: Callable[[Bundle], dict[str, Any]]
    parts: Callable[[type, Any], Iterator[Part]]
    read_tokenizer: Callable[[Path, int], Tokenizer]  # of a folder, for a model of so many tokens
    tokenizer_settings: Callable[[Tokenizer], dict[str, Any]]  # → what tokenizer_config.json says beside tokenizer.json

    def is_class(self, name: str) -> bool:
        """Whether a class of this name is one of the architecture's."""
        return name.startswith(self.classes)

    def owns(self, weights: Iterable[str]) -> bool:
        """Whether tensors of these names are of this architecture."""
        return any(self.name(unwrapped(theirs)) == self.sign for theirs in weights)

    def canonical(self, weights: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
        """The weights by the names that `parts` knows, each once.

        Raises:
            CheckpointError: two tensors of one name, or one that should repeat another and does not.
        """
        named: dict[str, Tensor] = {}
        for theirs, tensor in weights.items():
            name = self.name(unwrapped(theirs))
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


def unwrapped(name: str) -> str:
    """A tensor's name without what `DataParallel` and `torch.compile` put into it."""
    return ".".join(part for part in name.split(".") if part not in ("module", "_orig_mod"))


def class_names(values: Mapping[str, Any]) -> list[str]:
    """The names of a config's architectures; none where it says none.

    Raises:
        ValueError: no list of names.
    """
    names = values.get("architectures") or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"architectures must be a list of names, got {names!r}")
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


def feed_forward(hidden: Any, emb: Any) -> dict[str, Any]:
    """The fields of our config that give the feed-forward this hidden size.

    Raises:
        ValueError: sizes that are not whole numbers of at least 1.
    """
    require_positive("the feed-forward's hidden size", hidden)
    require_positive("emb", emb)
    return {"ff_hidden": hidden} if hidden % emb else {"ff_hidden_mult": hidden // emb}


def linear(theirs: str, *ours: str, transposed: bool = False) -> Iterator[Part]:
    """A map, or several kept as one, or a norm: its weight and its bias."""
    yield Part(f"{theirs}.weight", tuple(f"{name}.weight" for name in ours), transposed)
    yield Part(f"{theirs}.bias", tuple(f"{name}.bias" for name in ours))
