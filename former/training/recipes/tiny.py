"""The recipes of the tiny family: `tiny-generator`, and models that each differ from it in one respect."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from former.baselines import ConvConfig, GRUConfig
from former.config import ModelConfig
from former.training.recipes.recipe import Recipe

_SHAPE = ModelConfig(depth=2, emb=64, heads=4, seq_length=256, norm="pre", activation="gelu")
_GATED: dict[str, Any] = {"activation": "swiglu", "ff_hidden": 170}  # three maps of 170 for two of 256
_GENERATOR = Recipe(
    name="tiny-generator",
    description="Two blocks, with snapshots of its training from the first step to the last.",
    corpus="wiki100",
    model=_SHAPE,
    steps=3_000,
    batch=16,
    warmup=100,
    validate_every=500,
    save_every=250,
    snapshots=(0, 50, 100, 200, 350, 500, 1_000, 1_500, 2_000, 3_000),
)


def _variant(name: str, description: str, **changes: Any) -> Recipe:
    """Returns the tiny generator's recipe with changes, for 500 steps unless they say otherwise."""
    plain = {"steps": 500, "validate_every": 500, "snapshots": (), "model": _SHAPE}
    return replace(_GENERATOR, name=name, description=description, **{**plain, **changes})


FAMILY: tuple[Recipe, ...] = (
    _GENERATOR,
    replace(
        _GENERATOR,
        name="tiny-unmasked",
        description="The tiny generator trained without the causal mask: it copies the answer from its input.",
        model=replace(_SHAPE, mask="none"),
        steps=600,
        snapshots=(),
    ),
    _variant(
        "tiny-sinusoidal",
        "The tiny generator with sinusoidal position embeddings, which are not learned.",
        model=replace(_SHAPE, positions="sinusoidal"),
    ),
    _variant(
        "tiny-no-positions",
        "The tiny generator without position embeddings: only the causal mask shows where a byte is.",
        model=replace(_SHAPE, positions="none"),
    ),
    _variant(
        "tiny-unscaled",
        "The tiny generator whose scores are not divided by the root of the head's size.",
        model=replace(_SHAPE, scaled=False),
    ),
    _variant("tiny-one-head", "The tiny generator with one head of size 64.", model=replace(_SHAPE, heads=1)),
    _variant(
        "tiny-wide",
        "The tiny generator with wide attention: each of four heads has the size of the whole vector.",
        model=replace(_SHAPE, variant="wide"),
    ),
    _variant(
        "tiny-no-unify",
        "The tiny generator without a map after its heads: their outputs are only placed side by side.",
        model=replace(_SHAPE, unify=False),
    ),
    _variant(
        "tiny-post-norm",
        "The tiny generator with its norms after the residuals, as in the article.",
        model=replace(_SHAPE, norm="post"),
    ),
    _variant(
        "tiny-induction",
        "The tiny generator, trained on repeated random letters a third of the time: it learns to copy.",
        repeats=0.33,
        steps=2_000,
        validate_every=1_000,
        snapshots=(0, 200, 400, 600, *range(800, 1_241, 40), 1_320, 1_440, 1_600, 2_000),
    ),
    _variant(
        "tiny-rotary",
        "The tiny generator with rotary positions: queries and keys are turned, nothing is added to the embeddings.",
        model=replace(_SHAPE, positions="rotary"),
    ),
    _variant(
        "tiny-rms",
        "The tiny generator with norms by the root mean square, without centring and bias.",
        model=replace(_SHAPE, normalisation="rms"),
    ),
    _variant(
        "tiny-swiglu",
        "The tiny generator with a gated feed-forward of two thirds of the size, and so about as many parameters.",
        model=replace(_SHAPE, **_GATED),
    ),
    _variant(
        "tiny-grouped",
        "The tiny generator with two heads of keys and values, each shared by two heads of queries.",
        model=replace(_SHAPE, kv_heads=2),
    ),
    _variant(
        "tiny-modern",
        "The tiny generator with rotary positions, RMS norms, a gated feed-forward and shared keys: a tiny Llama.",
        model=replace(_SHAPE, positions="rotary", normalisation="rms", kv_heads=2, **_GATED),
    ),
    _variant(
        "tiny-gru",
        "A recurrent network of the tiny generator's size, for comparison.",
        kind="GRUModel",
        model=GRUConfig(emb=92, depth=2),
        compile=False,  # torch.nn.GRU is a single kernel already
    ),
    _variant(
        "tiny-conv",
        "A convolutional network of the tiny generator's size, which sees 243 bytes, for comparison.",
        kind="ConvModel",
        model=ConvConfig(emb=62, depth=5, dilation=3),
    ),
)
