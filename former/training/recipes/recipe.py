"""All settings of a training run, as one frozen record that is read from JSON or from a command line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from former.checkpoints import MODEL_KINDS
from former.checks import is_whole, require_choice, require_positive
from former.config import OLDEST
from former.training.data import CORPORA

Precision = Literal["bf16", "fp32"]
Attention = Literal["auto", "equation", "kernel"]
Initial = Literal["zeros", "gpt2", "neighbours"]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The settings of one run: the same recipe, corpus and machine give the same weights.

    Raises:
        ValueError: a field is out of range.
    """

    name: str  # the model's name, and its folder in checkpoints/
    base: str = ""  # the recipe's own name, if the user gave the model another one
    description: str = field(default="", compare=False)  # one sentence for the card
    kind: str = "Generator"  # class of the model, a key of `former.checkpoints.MODEL_KINDS`
    task: str = "text"  # a key of `former.training.tasks.TASKS`
    corpus: str = "wiki100"  # a key of `former.training.data.CORPORA`
    model: Any  # the model's config
    steps: int  # updates of the weights
    batch: int  # windows or reviews per step, over all processes and micro-batches
    weights: str = ""  # shipped model or folder to start from; "" for random weights (`init_weights`)
    # "zeros": random weights, with zeros at the end of each branch; "gpt2": as `gpt2.initialize`; "neighbours": as
    # "zeros", but the first layer attends to neighbouring positions (`former.training.neighbours`).
    initial: Initial = "zeros"
    warmup: int = 200  # steps in which the learning rate rises from 0 to its peak
    decay: float = 0.4  # share of the steps, at the end, in which the learning rate falls linearly to 0
    muon_lr: float = 0.02  # peak, for the matrices inside the blocks
    adam_lr: float = 2e-3  # peak, for embeddings, biases, norms and the output layer
    weight_decay: float = 0.0  # of all matrices, per step and unit of learning rate
    clip: float = 1.0  # maximum norm of the whole gradient
    initial_share: float = 0.0  # share of the initial weights in the mean that a run ends with, if that is better
    seed: int = 1
    teacher: float = 0.0  # weight of the linear teacher's probability, as against the label, in a review's target
    pieces: float = 0.0  # share of steps on short pieces of reviews, whose target is the teacher's probability
    words: float = 0.0  # weight of the loss that compares each word's log odds with the teacher's score of the word
    segments: int = 1  # segments per window of text, each as long as the context; the memory goes from one to the next
    repeats: float = 0.0  # share of text windows replaced by repeated random letters (`text.plant_repeats`)
    hard: float = 0.0  # share of hard texts among the dates to read (`dates.examples`)
    short: float = 2 / 3  # share of the steps, at the beginning, on rows a quarter of BERT's context (`MaskedTask`)
    causal: bool = False  # whether BERT's words attend only to earlier ones (`reviews.causal`)
    word_dropout: float = 0.0  # share of a review's words hidden, in training only, by <unk> or BERT's [MASK]
    precision: Precision = "bf16"  # of matrix products, Muon's too; weights and the optimisers' state are fp32
    compile: bool = True  # torch.compile, if it works here
    attention: Attention = "auto"  # "equation", "kernel", or "auto": the faster of the two on the device
    accumulate: int = 1  # micro-batches per step
    checkpointing: bool = False  # recompute each block's activations in the backward pass instead of storing them
    validate_every: int = 500  # steps
    save_every: int = 100  # steps between two saved states
    snapshots: tuple[int, ...] = field(default=())  # steps whose weights are saved

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "segments", "warmup", "accumulate", "validate_every", "save_every"):
            require_positive(name, getattr(self, name))
        require_choice("precision", self.precision, get_args(Precision))
        require_choice("attention", self.attention, get_args(Attention))
        require_choice("initial", self.initial, get_args(Initial))
        require_choice("corpus", self.corpus, tuple(CORPORA))
        require_choice("kind", self.kind, tuple(MODEL_KINDS))
        for name in ("decay", "initial_share", "word_dropout", "teacher", "pieces", "repeats", "hard", "short"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} must be in [0, 1], got {getattr(self, name)!r}")
        for name in ("muon_lr", "adam_lr", "clip"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number above 0, got {getattr(self, name)!r}")
        for name in ("weight_decay", "words", "seed"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number of at least 0, got {getattr(self, name)!r}")
        if self.causal and self.kind not in ("Bert", "BertClassifier"):
            raise ValueError(f"causal needs kind 'Bert' or 'BertClassifier', which have [CLS], got {self.kind!r}")
        if self.words and self.kind not in ("Classifier", "BertClassifier"):
            raise ValueError(f"words needs kind 'Classifier' or 'BertClassifier', which judge words, got {self.kind!r}")
        if self.segments > 1 and self.kind != "TransformerXL":
            raise ValueError(f"segments needs kind 'TransformerXL', which carries a memory, got {self.kind!r}")
        if self.batch % self.accumulate:
            raise ValueError(f"accumulate must divide batch, got batch={self.batch} and accumulate={self.accumulate}")

    def with_name(self, name: str, description: str = "", reserved: Collection[str] = ()) -> Recipe:
        """Returns the recipe under another name, for a user's own corpus.

        Args:
            name: of the model and its folder.
            description: one sentence for the card.
            reserved: names of other models.
        Raises:
            ValueError: the name is reserved, or is not a plain folder name.
        """
        if not name or name in reserved or Path(name).name != name or name.startswith((".", "-")):
            raise ValueError(f"--name must be a plain folder name other than {sorted(reserved)}, got {name!r}")
        return replace(self, name=name, base=self.name, description=description or f"{self.name}, trained by its owner")

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields as plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Recipe:
        """Builds a recipe from the values of `to_dict`; a field that an older run or card lacks gets its default."""
        require_choice("kind", values["kind"], tuple(MODEL_KINDS))
        _, config = MODEL_KINDS[values["kind"]]
        model = config.from_dict(values["model"], OLDEST)
        return cls(**{**values, "model": model, "snapshots": tuple(values["snapshots"])})

    def with_settings(self, settings: list[str]) -> Recipe:
        """Returns the recipe with fields set from strings `name=value`; `model.depth=6` sets a field of the model.

        Args:
            settings: each `name=value`; the value is JSON or plain text, and may be True, False or None as in Python.
        Raises:
            ValueError: an unknown field, or a value of the wrong type or out of range.
        """
        own: dict[str, Any] = {}
        model: dict[str, Any] = {}
        for setting in settings:
            name, _, text = setting.partition("=")
            inside = name.startswith("model.")
            types = {f.name: str(f.type) for f in fields(self.model if inside else self)}
            known = types.keys() - {"name", "base", "description", "kind", "task", "model"}
            key = name.removeprefix("model.")
            if key not in known:
                raise ValueError(f"setting must be one of {sorted(known)}, got {setting!r}")
            value = (model if inside else own)[key] = _value(text)
            _require_type(name, value, types[key])
        if "snapshots" in own:
            own["snapshots"] = tuple(own["snapshots"])
        return replace(self, **own, model=replace(self.model, **model))


def _value(text: str) -> Any:
    """Parses JSON, or True, False or None; returns any other text unchanged."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return {"True": True, "False": False, "None": None}.get(text, text)


_TYPES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "int": ("a whole number", is_whole),
    "str | None": ("a text or null", lambda value: value is None or isinstance(value, str)),
    "int | None": ("a whole number or null", lambda value: value is None or is_whole(value)),
    "float": ("a number", lambda value: is_whole(value) or isinstance(value, float)),
    "str": ("a text", lambda value: isinstance(value, str)),
    "tuple[int, ...]": ("a list of whole numbers", lambda value: isinstance(value, list) and all(map(is_whole, value))),
}
"""By a field's annotation: its description for messages, and its test; the records check their choices themselves."""


def _require_type(name: str, value: Any, annotation: str) -> None:
    """Raises ValueError unless `value` fits the annotation."""
    if annotation in _TYPES:
        description, fits = _TYPES[annotation]
        if not fits(value):
            raise ValueError(f"{name} must be {description}, got {value!r}")
