"""Everything that fixes a training run, as one frozen record; and how it is read from JSON and from a command line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from former.checkpoints import KINDS as KINDS_OF_MODEL
from former.checks import is_whole, require_choice, require_positive
from former.config import OLDEST
from former.training.data import CORPORA

Precision = Literal["bf16", "fp32"]
Attention = Literal["auto", "equation", "kernel"]
Initial = Literal["zeros", "gpt2", "neighbours"]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One run: with the same recipe, corpus and machine, the same weights come out.

    Raises:
        ValueError: a field out of range.
    """

    name: str  # the model's name, and its directory in checkpoints/
    base: str = ""  # the recipe that it was, where a person gave it a name of their own
    description: str = field(default="", compare=False)  # one sentence for the card
    kind: str = "Generator"  # of model, of `former.checkpoints.KINDS`
    task: str = "text"  # what it learns, of `former.training.tasks.TASKS`
    corpus: str = "wiki100"  # what from, of `former.training.data.CORPORA`
    model: Any  # its config, of the kind's class
    steps: int  # updates of the weights
    batch: int  # windows or reviews a step, over all processes and micro-batches
    weights: str = ""  # a shipped model or a folder to begin from; "" for random weights (`init_weights`)
    # Random weights, each branch ending in zeros; GPT-2's (`gpt2.initialize`); or "zeros" whose first layer looks at
    # the places around each (`former.training.neighbours`).
    initial: Initial = "zeros"
    warmup: int = 200  # steps from a learning rate of 0 to its peak
    decay: float = 0.4  # the last part of the steps, in which the learning rate falls linearly to 0
    muon_lr: float = 0.02  # peak, for the matrices inside the blocks
    adam_lr: float = 2e-3  # peak, for embeddings, biases, norms and the output layer
    weight_decay: float = 0.0  # of all matrices, per step and unit of learning rate
    clip: float = 1.0  # the largest norm of the whole gradient
    seed: int = 1
    teacher: float = 0.0  # share of a whole review's target that is the linear teacher's opinion, not the label
    pieces: float = 0.0  # share of steps on short pieces of reviews, whose target is the teacher's opinion
    segments: int = 1  # of a window of text, each as long as the context: a memory goes from one to the next
    repeats: float = 0.0  # share of windows of a text that are letters that come again (`text.plant_repeats`)
    hard: float = 0.0  # share of the dates to read that are hard ones (`dates.examples`)
    causal: bool = False  # whether a review's words see only what is before them (`reviews.causal`)
    word_dropout: float = 0.0  # share of a review's words hidden, in training only: <unk>, or BERT's [MASK]
    precision: Precision = "bf16"  # of the products; weights and optimiser stay in fp32
    compile: bool = True  # torch.compile, where it works
    attention: Attention = "auto"  # "equation", "kernel", or "auto": what trains faster on the device
    accumulate: int = 1  # micro-batches a step
    checkpointing: bool = False  # recompute each block in the backward pass instead of keeping its insides
    validate_every: int = 500  # steps
    save_every: int = 100  # steps between two saved states
    snapshots: tuple[int, ...] = field(default=())  # steps whose weights are kept

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "segments", "warmup", "accumulate", "validate_every", "save_every"):
            require_positive(name, getattr(self, name))
        require_choice("precision", self.precision, get_args(Precision))
        require_choice("attention", self.attention, get_args(Attention))
        require_choice("initial", self.initial, get_args(Initial))
        require_choice("corpus", self.corpus, tuple(CORPORA))
        require_choice("kind", self.kind, tuple(KINDS_OF_MODEL))
        for name in ("decay", "word_dropout", "teacher", "pieces", "repeats", "hard"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} must be in [0, 1], got {getattr(self, name)!r}")
        for name in ("muon_lr", "adam_lr", "clip"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number above 0, got {getattr(self, name)!r}")
        for name in ("weight_decay", "seed"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number of at least 0, got {getattr(self, name)!r}")
        if self.causal and self.kind != "BertClassifier":
            raise ValueError(f"causal needs kind 'BertClassifier', whose [CLS] gives the verdict, got {self.kind!r}")
        if self.segments > 1 and self.kind != "TransformerXL":
            raise ValueError(f"segments needs kind 'TransformerXL', which carries a memory, got {self.kind!r}")
        if self.batch % self.accumulate:
            raise ValueError(f"accumulate must divide batch, got batch={self.batch} and accumulate={self.accumulate}")

    def named(self, name: str, description: str = "", taken: Collection[str] = ()) -> Recipe:
        """The recipe under a name of one's own, for a corpus of one's own.

        Args:
            name: a folder's.
            description: one sentence for the card.
            taken: the names of other models.
        Raises:
            ValueError: a name that is taken or cannot be a folder's.
        """
        if not name or name in taken or Path(name).name != name or name.startswith((".", "-")):
            raise ValueError(
                f"--name must be the plain name of a new folder, and none of {sorted(taken)}, got {name!r}"
            )
        return replace(self, name=name, base=self.name, description=description or f"{self.name}, trained by its owner")

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Recipe:
        """The inverse of `to_dict`; a field that came later than a run or a card has its default."""
        require_choice("kind", values["kind"], tuple(KINDS_OF_MODEL))
        _, config = KINDS_OF_MODEL[values["kind"]]
        model = config.from_dict(values["model"], OLDEST)
        return cls(**{**values, "model": model, "snapshots": tuple(values["snapshots"])})

    def changed(self, settings: list[str]) -> Recipe:
        """The recipe with fields set from `name=value` texts; `model.depth=6` reaches into the model.

        Args:
            settings: values as JSON or plain text; True, False and None may be written as in Python.
        Raises:
            ValueError: an unknown field, or a value of another kind or out of its range.
        """
        own: dict[str, Any] = {}
        model: dict[str, Any] = {}
        for setting in settings:
            name, _, text = setting.partition("=")
            inside = name.startswith("model.")
            kinds = {f.name: str(f.type) for f in fields(self.model if inside else self)}
            known = kinds.keys() - {"name", "base", "description", "kind", "task", "model"}
            key = name.removeprefix("model.")
            if key not in known:
                raise ValueError(f"setting must be one of {sorted(known)}, got {setting!r}")
            value = (model if inside else own)[key] = _value(text)
            _require_kind(name, value, kinds[key])
        if "snapshots" in own:
            own["snapshots"] = tuple(own["snapshots"])
        return replace(self, **own, model=replace(self.model, **model))


def _value(text: str) -> Any:
    """A JSON value or one of Python's three names, or the text itself where it is neither."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return {"True": True, "False": False, "None": None}.get(text, text)


_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "int": ("a whole number", is_whole),
    "str | None": ("a text or null", lambda value: value is None or isinstance(value, str)),
    "int | None": ("a whole number or null", lambda value: value is None or is_whole(value)),
    "float": ("a number", lambda value: is_whole(value) or isinstance(value, float)),
    "str": ("a text", lambda value: isinstance(value, str)),
    "tuple[int, ...]": ("a list of whole numbers", lambda value: isinstance(value, list) and all(map(is_whole, value))),
}
"""By a field's annotation: what it must be, and whether a value is; the records check their choices themselves."""


def _require_kind(name: str, value: Any, kind: str) -> None:
    """Raises ValueError unless `value` is what the annotation `kind` says."""
    if kind in _KINDS:
        says, holds = _KINDS[kind]
        if not holds(value):
            raise ValueError(f"{name} must be {says}, got {value!r}")
