"""Everything that fixes a training run: one frozen record for each shipped model."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from former import gpt2
from former.baselines import ConvConfig, GRUConfig
from former.bert import BertConfig
from former.checkpoints import KINDS as KINDS_OF_MODEL
from former.checks import is_whole, require_choice, require_positive
from former.config import ModelConfig
from former.encoder_decoder import EncoderDecoderConfig
from former.tokens.words import PAD_ID
from former.training.data import CORPORA
from former.transformer_xl import TransformerXLConfig

Precision = Literal["bf16", "fp32"]
Attention = Literal["auto", "equation", "kernel"]
Initial = Literal["zeros", "gpt2"]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One run: with the same recipe, corpus and machine, the same weights come out.

    Raises:
        ValueError: a field out of its range.
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
    weights: str = ""  # a shipped model or a folder to begin from (`former.training.begin`); "" for random weights
    initial: Initial = "zeros"  # random weights, each branch ending in zeros; or GPT-2's (`gpt2.initialize`)
    warmup: int = 200  # steps from a learning rate of 0 to its peak
    decay: float = 0.4  # the last part of the steps, in which the learning rate falls linearly to 0
    muon_lr: float = 0.02  # peak, for the matrices inside the blocks
    adam_lr: float = 2e-3  # peak, for embeddings, biases, norms and the output layer
    weight_decay: float = 0.0  # of all matrices, per step and unit of learning rate
    clip: float = 1.0  # the largest norm of the whole gradient
    seed: int = 1
    teacher: float = 0.0  # share of a whole review's target that is the linear teacher's opinion, not the label
    pieces: float = 0.0  # share of steps on short pieces of reviews, whose target is the teacher's opinion
    repeats: float = 0.0  # share of windows of a text that are letters that come again (`text.plant_repeats`)
    word_dropout: float = 0.0  # share of a review's words replaced by <unk>, in training only
    precision: Precision = "bf16"  # of the products; weights and optimiser stay in fp32
    compile: bool = True  # torch.compile, where it works
    attention: Attention = "auto"  # "equation", "kernel", or "auto": what trains faster on the device
    accumulate: int = 1  # micro-batches a step
    checkpointing: bool = False  # recompute each block in the backward pass instead of keeping its insides
    validate_every: int = 500  # steps
    save_every: int = 100  # steps between two saved states
    snapshots: tuple[int, ...] = field(default=())  # steps whose weights are kept

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "warmup", "accumulate", "validate_every", "save_every"):
            require_positive(name, getattr(self, name))
        require_choice("precision", self.precision, get_args(Precision))
        require_choice("attention", self.attention, get_args(Attention))
        require_choice("initial", self.initial, get_args(Initial))
        require_choice("corpus", self.corpus, tuple(CORPORA))
        require_choice("kind", self.kind, tuple(KINDS_OF_MODEL))
        for name in ("decay", "word_dropout", "teacher", "pieces", "repeats"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} must be in [0, 1], got {getattr(self, name)!r}")
        for name in ("muon_lr", "adam_lr", "clip"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number above 0, got {getattr(self, name)!r}")
        for name in ("weight_decay", "seed"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number of at least 0, got {getattr(self, name)!r}")
        if self.batch % self.accumulate:
            raise ValueError(f"accumulate must divide batch, got batch={self.batch} and accumulate={self.accumulate}")

    def named(self, name: str, description: str = "") -> Recipe:
        """The recipe under a name of one's own, for a corpus of one's own.

        Raises:
            ValueError: a name that is a shipped model's or cannot be a folder's.
        """
        if not name or name in RECIPES or Path(name).name != name or name.startswith((".", "-")):
            raise ValueError(
                f"--name must be the plain name of a new folder, and none of {sorted(RECIPES)}, got {name!r}"
            )
        return replace(self, name=name, base=self.name, description=description or f"{self.name}, trained by its owner")

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Recipe:
        """The inverse of `to_dict`, for the recipes of older runs and cards too."""
        if "task" not in values:  # it followed from the corpus, and the description from the name
            reviews = values["corpus"] == "imdb"
            values = {"kind": "Classifier", "task": "reviews", **values} if reviews else values
            values = {"description": RECIPES[values["name"]].description, **values}
        kind = values.get("kind", "Generator")
        require_choice("kind", kind, tuple(KINDS_OF_MODEL))
        _, config = KINDS_OF_MODEL[kind]
        model = dict(values["model"])
        if not values.get("masked", True):  # which stood beside the model
            model["mask"] = "none"
        values = {name: value for name, value in values.items() if name != "masked"}
        return cls(**{**values, "model": config.from_dict(model, 1), "snapshots": tuple(values["snapshots"])})

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


_TINY = ModelConfig(depth=2, emb=64, heads=4, seq_length=256, norm="pre", activation="gelu")
_REVIEWS = ModelConfig(
    num_tokens=30_000,
    emb=128,
    heads=4,
    depth=6,
    seq_length=512,
    norm="pre",
    activation="gelu",
    pad_token=PAD_ID,
)
_CLASSIFIER = Recipe(
    name="classifier",
    description="Tells whether a film review is positive: the article's classification transformer.",
    kind="Classifier",
    task="reviews",
    corpus="imdb",
    model=_REVIEWS,
    steps=2_500,
    batch=32,
    accumulate=4,
    warmup=100,
    compile=False,  # its many lengths would each compile for as long as it gains
    teacher=0.5,
    pieces=0.5,
    word_dropout=0.3,
    muon_lr=0.01,
    adam_lr=1e-3,
    weight_decay=0.1,
    decay=0.709,
    validate_every=2_500,
)
_TINY_GENERATOR = Recipe(
    name="tiny-generator",
    description="Two blocks, with snapshots of its training from the first step to the last.",
    corpus="wiki100",
    model=_TINY,
    steps=3_000,
    batch=16,
    warmup=100,
    validate_every=500,
    save_every=250,
    snapshots=(0, 50, 100, 200, 350, 500, 750, 1_000, 1_500, 2_000, 2_500, 3_000),
)


def _tiny(name: str, description: str, **changes: Any) -> Recipe:
    """The tiny generator with one thing changed, for as many steps as all of its family."""
    plain = {"steps": 500, "validate_every": 500, "snapshots": (), "model": _TINY}
    return replace(_TINY_GENERATOR, name=name, description=description, **{**plain, **changes})


_DATES_BEGUN = Recipe(
    name="dates-begun",
    description="The first of two trainings of dates.",
    kind="EncoderDecoder",
    task="dates",
    corpus="dates",
    model=EncoderDecoderConfig(
        num_tokens=76, depth=3, emb=128, heads=4, seq_length=64, norm="pre", activation="gelu", pad_token=PAD_ID
    ),
    steps=9_000,
    batch=128,
    warmup=100,
    decay=0.812,
    compile=False,  # its many lengths would each compile for as long as it gains
    validate_every=500,
)
_SPARSE = Recipe(
    name="sparse",
    description="Reads 2,048 bytes by a strided pattern: each token sees a window, and every 32nd token before it.",
    model=ModelConfig(
        depth=4, emb=192, heads=6, seq_length=2_048, norm="pre", activation="gelu", mask="strided", mask_size=32
    ),
    steps=2_000,
    batch=4,
    warmup=100,
    muon_lr=0.01,
    compile=False,  # the sparse products are called one by one; so are the dense twin's, to compare seconds
    attention="kernel",
)
_BERT = BertConfig(num_tokens=8_192, emb=256, heads=4, depth=4, seq_length=256, dropout=0.0)

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            name="generator",
            description="Writes English encyclopedia text byte by byte: the article's text generation transformer.",
            corpus="wiki100",
            model=ModelConfig(depth=6, norm="pre", activation="gelu"),
            steps=7_000,
            batch=16,
            decay=0.45,
            muon_lr=0.01,
            weight_decay=0.05,
        ),
        _CLASSIFIER,
        replace(
            _CLASSIFIER,
            name="classifier-bag",
            description="The classifier without positions: it cannot tell one order of the words from another.",
            model=replace(_REVIEWS, positions="none"),
            weights="classifier",
            steps=100,
            decay=1.0,
            warmup=20,
            muon_lr=0.003,
            adam_lr=3e-4,
            validate_every=100,
        ),
        _TINY_GENERATOR,
        replace(
            _TINY_GENERATOR,
            name="tiny-unmasked",
            description="The tiny generator trained without the causal mask: it reads the answer off its input.",
            model=replace(_TINY, mask="none"),
            steps=600,
            snapshots=(),
        ),
        _tiny(
            "tiny-sinusoidal",
            "The tiny generator with sines and cosines for positions, which are not learned.",
            model=replace(_TINY, positions="sinusoidal"),
        ),
        _tiny(
            "tiny-no-positions",
            "The tiny generator without positions: it knows where a byte stands by the causal mask alone.",
            model=replace(_TINY, positions="none"),
        ),
        _tiny(
            "tiny-unscaled",
            "The tiny generator whose scores are not divided by the root of the head's size.",
            model=replace(_TINY, scaled=False),
        ),
        _tiny("tiny-one-head", "The tiny generator with one head of 64.", model=replace(_TINY, heads=1)),
        _tiny(
            "tiny-wide",
            "The tiny generator with wide attention: each of four heads has the size of the whole vector.",
            model=replace(_TINY, variant="wide"),
        ),
        _tiny(
            "tiny-no-unify",
            "The tiny generator whose heads' outputs stand side by side, joined by no map.",
            model=replace(_TINY, unify=False),
        ),
        _tiny(
            "tiny-post-norm",
            "The tiny generator with its norms after the residuals, as in the article.",
            model=replace(_TINY, norm="post"),
        ),
        _tiny(
            "tiny-induction",
            "The tiny generator, a third of whose windows are random letters that come again: it learns to copy.",
            repeats=0.33,
            steps=2_000,
            validate_every=1_000,
            snapshots=(0, 200, 400, 600, 700, *range(800, 1_601, 40), 1_800, 2_000),
        ),
        _tiny(
            "tiny-gru",
            "A recurrent network of the tiny generator's size, to compare with.",
            kind="GRUModel",
            model=GRUConfig(emb=92, depth=2),
            compile=False,  # the kernel of torch.nn.GRU is one call already
        ),
        _tiny(
            "tiny-conv",
            "A convolutional network of the tiny generator's size, which sees 243 bytes, to compare with.",
            kind="ConvModel",
            model=ConvConfig(emb=62, depth=5, dilation=3),
        ),
        Recipe(
            name="gpt",
            description="Writes English encyclopedia text in pieces of words: GPT-2's architecture in small.",
            task="pieces",
            model=gpt2.config(num_tokens=8_192, seq_length=256, emb=256, heads=8, depth=6, dropout=0.0),
            initial="gpt2",
            steps=800,
            batch=16,
            warmup=100,
            decay=0.5,
            validate_every=100,
            save_every=50,
        ),
        Recipe(
            name="xl",
            description="Carries a memory from segment to segment: the article's Transformer-XL, on bytes.",
            kind="TransformerXL",
            task="segments",
            model=TransformerXLConfig(depth=4, emb=192, heads=6, norm="pre", activation="gelu"),
            steps=3_000,
            batch=8,  # windows of four segments
            warmup=100,
            muon_lr=0.01,
        ),
        _SPARSE,
        replace(
            _SPARSE,
            name="sparse-dense",
            description="The sparse model's twin, in which each token sees all that came before it.",
            model=replace(_SPARSE.model, mask="causal", mask_size=None),
        ),
        Recipe(
            name="bert",
            description="Fills in hidden words and tells whether one text follows another: BERT in small.",
            kind="Bert",
            task="masked",
            model=_BERT,
            steps=6_000,
            batch=16,
            warmup=200,
            muon_lr=0.01,
        ),
        Recipe(
            name="bert-reviews",
            description="Tells whether a film review is positive: BERT, fine-tuned through [CLS].",
            kind="BertClassifier",
            task="reviews",
            corpus="imdb",
            model=replace(_BERT, words_head=False, sentence_head=False),
            weights="bert",
            steps=1_500,
            batch=32,
            warmup=100,
            decay=1.0,
            muon_lr=0.003,
            adam_lr=3e-4,
            compile=False,  # its many lengths would each compile for as long as it gains
        ),
        _DATES_BEGUN,
        replace(
            _DATES_BEGUN,
            name="dates",
            description="Reads dates as people write them and writes them again: the article's encoder-decoder.",
            weights="runs/dates-begun",
            steps=6_500,
            decay=0.9,
            muon_lr=0.012,
            adam_lr=1.2e-3,
            seed=2,
        ),
    )
}
