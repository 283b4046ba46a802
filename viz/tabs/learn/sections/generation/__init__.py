"""Section "Generation": the target is the input shifted by one; a model without a mask; a model during training; and
the keys and values that a model keeps while it writes.

Sizes: t bytes of the text without the last, which is only a target.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

import former
from former.analysis import head_statistics
from former.checkpoints import CHECKPOINTS
from former.training.tasks.text import TextTask
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.panels.panel import shown
from viz.passes.loaded import Loaded, Models
from viz.passes.run import read_text
from viz.passes.snapshots import name_at
from viz.server.view import View, read_choice, read_index, read_whole
from viz.tabs.generate import cache
from viz.tabs.generate.panels import TIMES
from viz.tabs.learn import shipped
from viz.tabs.learn.section import Section
from viz.text import Refusal

TEXT = "In 1905 he moved to the United States."
OTHER = "The cat sat on the mat."  # its loss rises again in training
TRAINED, UNMASKED = "tiny-generator", "tiny-unmasked"
CURVE = CHECKPOINTS / TRAINED / "curve.json"  # by `python -m former.training curve tiny-generator FILE --data DATA`
MOST_BYTES = 40  # bytes of a text
WRITTEN = 120  # bytes
TEMPERATURE = 0.5
SEEDS = 100
SHOWS = ("training", "cache")
CACHED = ("generator", "tiny-grouped")  # whose caches are shown: each head with keys of its own, and shared ones
TOKENS = 256  # of the longest cache


def snapshots() -> list[int]:
    """Returns the steps of the model's snapshots."""
    return shipped.load(TRAINED).bundle.card["recipe"]["snapshots"]


def snapshot_name(step: int) -> str:
    """Returns the name of the snapshot at a training step, for `former.load`."""
    return TRAINED if step == shipped.load(TRAINED).bundle.card["step"] else name_at(TRAINED, step)


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view and the limits of its inputs."""
    recipe = shipped.load(TRAINED).bundle.card["recipe"]
    return {
        "text": TEXT,
        "other": OTHER,
        "most": MOST_BYTES,
        "steps": snapshots(),
        "batch": recipe["batch"] * recipe["model"]["seq_length"],  # bytes that a step reads
        "measured": read_curve(),
        "seeds": SEEDS,
        "models": [TRAINED, UNMASKED],
        "shows": SHOWS,
        "caches": {name: cache.cache_facts(cached(models, name)) for name in CACHED},
        "tokens": TOKENS,
    }


def read_curve() -> dict[str, Any]:
    """Reads the record of each snapshot's bits per byte on held-out text."""
    return json.loads(CURVE.read_text(encoding="utf-8"))


def read(view: View) -> str:
    """Reads the text of a view.

    Raises:
        Refusal: an invalid text, or one of less than three bytes.
    """
    text = view.get("text", "")
    if len(read_text(shipped.load(TRAINED).bundle, text)[0]) < 3:
        raise Refusal("learn_generation_short")
    return text


@torch.inference_mode()
def probabilities(bundle: former.Bundle, ids: Sequence[int]) -> Tensor:
    """Returns the probability that a model gives to each token of a text after the first, (t,), given t + 1 ids."""
    tokens = torch.tensor([list(ids)])
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    return bundle.model(inputs).softmax(-1).gather(-1, targets[..., None])[0, :, 0]


def peek(bundle: former.Bundle, ids: Sequence[int]) -> dict[str, Any]:
    """Finds the head with the most weight on the next token: "layer", "head", and its "share" there."""
    _, capture = former.run_with_capture(bundle.model, torch.tensor([list(ids)]), "weights")
    looks = head_statistics(capture.stack("weights")[:, 0])["next"]  # (layers, h)
    layer, head = divmod(int(looks.argmax()), looks.shape[1])
    return {"layer": layer, "head": head, "share": float(looks.max())}


def predict_targets(bundle: former.Bundle, text: str) -> Numbers:
    """Computes the probability of each target, for the snapshots of `TRAINED` and a model without a mask.

    Args:
        bundle: the model without a mask.
        text: its first `MOST_BYTES` tokens are read.
    Returns:
        "labels" of all tokens, t + 1; "inputs" and "targets" (1, t); "trained" (snapshots, t) and "unmasked" (t,), the
        probabilities of the targets; "least", the index of the smallest of "unmasked", and "others", the mean of the
        rest; "bits": {"trained" (snapshots,), "unmasked"}, bits per byte; "peek", the result of `peek`; for the figure
        "lines", bits per byte over the steps, of this text and of the validation split, and "at", the last step.
    """
    ids = bundle.tokenizer.encode(text)[:MOST_BYTES]
    tokens = torch.tensor([ids])
    steps = snapshots()
    trained = torch.stack([probabilities(shipped.load(snapshot_name(step)).bundle, ids) for step in steps])
    unmasked = probabilities(bundle, ids)
    least = int(unmasked.argmin())
    bits = {"trained": (-trained.log2().mean(-1)).tolist(), "unmasked": float(-unmasked.log2().mean())}
    lines = {"validation": (steps, read_curve()["bits_per_byte"]), "text": (steps, bits["trained"])}
    return {
        "labels": bundle.tokenizer.labels(ids),
        "inputs": tokens[:, :-1],
        "targets": tokens[:, 1:],
        "trained": trained,
        "unmasked": unmasked,
        "least": least,
        "others": float(torch.cat((unmasked[:least], unmasked[least + 1 :])).mean()),
        "bits": bits,
        "peek": peek(bundle, ids[:-1]),
        "lines": lines,
        "at": steps[-1],
    }


def write_on(bundle: former.Bundle, text: str, seed: int = 0) -> Numbers:
    """Lets a model continue a text.

    Args:
        bundle: the model.
        text: its first `MOST_BYTES` tokens are read.
        seed: of the sampling.
    Returns:
        "text": the continuation, with � for unprintable bytes.
    """
    ids = bundle.tokenizer.encode(text)[:MOST_BYTES]
    steps = former.generate(bundle.model, ids, WRITTEN, temperature=TEMPERATURE, seed=seed)
    written = bundle.tokenizer.decode([step.token for step in steps])
    characters = (char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in written)
    return {"text": "".join(characters)}


def read_snapshots(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `predict_targets`: "text"."""
    return {"bundle": shipped.load(UNMASKED), "text": read(view)}


def read_step(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `write_on` for a snapshot; "step" is its index."""
    step = describe_step(models, view)["step"]
    return {**read_unmasked(models, view), "bundle": shipped.load(snapshot_name(step))}


def read_unmasked(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `write_on` for the model without a mask: "text" and "seed"."""
    return {**read_snapshots(models, view), "seed": read_index(view, "seed", SEEDS)}


def cached(models: Models, name: str) -> Loaded:
    """Returns one of the models in `CACHED`: the server's own, or else loaded from the shipped ones."""
    return models.get(name) or shipped.load(name)


def read_cached(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `measure_cache`: "text", repeated until it has "tokens" tokens, for the model
    "cache"."""
    loaded = cached(models, read_choice(view, "cache", CACHED))
    ids, tokens = loaded.bundle.tokenizer.encode(read(view))[:MOST_BYTES], read_whole(view, "tokens", 1, TOKENS)
    return {"bundle": loaded, "text": "", "written": (ids * tokens)[:tokens]}


def describe_step(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as every `more`
    """Returns {"step": the training step of the snapshot that continues the text}."""
    return {"step": snapshots()[read_index(view, "step", len(snapshots()))]}


def trains(view: View) -> bool:
    """Returns whether a view shows the part of the section about the training."""
    return view.get("show", SHOWS[0]) == SHOWS[0]


CURVES = Draw(figures.training, Field("lines"), at=Field("at"))

SECTION = Section(
    name="generation",
    article="Text generation transformer",
    equation=r"\mathrm{target}_i = x_{i+1} \qquad"
    r" \mathrm{loss} = -\frac{1}{t} \sum_{i=1}^{t} \log_2 p(x_{i+1} \mid x_1, \ldots, x_i)",
    code=(TextTask.batch, TextTask.loss, former.generate),
    questions={
        "predicted": Question(
            predict_targets,
            read_snapshots,
            CURVES,
            charted=True,
            when=trains,
            unsent=("inputs", "targets", "lines", "at"),
        ),
        "unmasked": Question(write_on, read_unmasked, prints=("text",), when=trains),
        "written": Question(write_on, read_step, prints=("text",), when=trains, more=describe_step),
        "cost": Question(cache.measure_cache, read_cached, TIMES, prints=("bytes",), when=shown("cache"), fast=True),
    },
    props=props,
)
