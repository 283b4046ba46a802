"""Section "Generation": the target is the input shifted by one, what is read without a mask, and a model as it trains.

Sizes: t bytes of the text but the last, which is only a target.
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
from viz.browser import chart
from viz.passes.loaded import Models
from viz.passes.run import read_text
from viz.passes.snapshots import name_at
from viz.server.view import View, read_index
from viz.tabs.learn.section import Section
from viz.tabs.learn.shipped import shipped
from viz.tabs.python import IMPORTS
from viz.text import Refusal

TEXT = "The cat sat on the mat."
TRAINED, UNMASKED = "tiny-generator", "tiny-unmasked"
CURVE = CHECKPOINTS / TRAINED / "curve.json"  # by `python -m former.training curve tiny-generator FILE --data DATA`
MOST = 40  # bytes of a text
WRITTEN = 120  # bytes
TEMPERATURE = 0.5
SEEDS = 100


def snapshots() -> list[int]:
    """The steps of training at which the model was kept."""
    return shipped(TRAINED).card["recipe"]["snapshots"]


def named(step: int) -> str:
    """What the model as it was after so many steps is loaded by."""
    return TRAINED if step == shipped(TRAINED).card["step"] else name_at(TRAINED, step)


def at_step(step: int) -> former.Bundle:
    """The model as it was after so many steps."""
    return shipped(named(step))


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with, and its limits."""
    del models
    recipe = shipped(TRAINED).card["recipe"]
    return {
        "text": TEXT,
        "most": MOST,
        "steps": snapshots(),
        "batch": recipe["batch"] * recipe["model"]["seq_length"],  # bytes that a step reads
        "measured": measured(),
        "seeds": SEEDS,
        "models": [TRAINED, UNMASKED],
    }


def measured() -> dict[str, Any]:
    """Bits per byte of each snapshot on text that it was not trained on, measured beforehand."""
    return json.loads(CURVE.read_text(encoding="utf-8"))


def read(view: View) -> list[int]:
    """The tokens of a view's text.

    Raises:
        Refusal: a text that cannot be read, or one of less than three bytes.
    """
    ids = read_text(shipped(TRAINED), view.get("text", ""))[0][:MOST]
    if len(ids) < 3:
        raise Refusal("learn_generation_short")
    return ids


@torch.inference_mode()
def probabilities(bundle: former.Bundle, ids: Sequence[int]) -> Tensor:
    """What the model gives each target, the token after the one it has read last: (t,)."""
    tokens = torch.tensor([list(ids)])
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    return bundle.model(inputs).softmax(-1).gather(-1, targets[..., None])[0, :, 0]


def peek(ids: Sequence[int]) -> dict[str, Any]:
    """The head of the model without a mask that looks most at the next token: "layer", "head" and its "share" there."""
    _, capture = former.run_with_capture(shipped(UNMASKED).model, torch.tensor([list(ids)]), "weights")
    looks = head_statistics(capture.stack("weights")[:, 0])["next"]  # (layers, h)
    layer, head = divmod(int(looks.argmax()), looks.shape[1])
    return {"layer": layer, "head": head, "share": float(looks.max())}


def predicted(models: Models, view: View) -> dict[str, Any]:
    """What each target is given, at every snapshot and without a mask.

    Args:
        models: none is used.
        view: "text".
    Returns:
        "labels" of all tokens, (t + 1); "trained": for each snapshot (t,) probabilities; "unmasked": (t,); "peek"; and
        "figures": bits per byte over the steps, of this text and of the validation split.
    Raises:
        Refusal: a text that cannot be read.
    """
    del models
    ids = read(view)
    steps = snapshots()
    trained = torch.stack([probabilities(at_step(step), ids) for step in steps])
    lines = {
        "validation": (steps, measured()["bits_per_byte"]),
        "text": (steps, (-trained.log2().mean(-1)).tolist()),
    }
    return {
        "labels": shipped(TRAINED).tokenizer.labels(ids),
        "trained": trained.tolist(),
        "unmasked": probabilities(shipped(UNMASKED), ids).tolist(),
        "peek": peek(ids[:-1]),
        "figures": chart.themed(lambda theme: figures.training(lines, at=steps[-1], theme=theme)),
    }


def write(bundle: former.Bundle, ids: Sequence[int], seed: int) -> str:
    """What a model writes after some tokens; what cannot be printed, as �."""
    steps = former.generate(bundle.model, ids, WRITTEN, temperature=TEMPERATURE, seed=seed)
    text = bundle.tokenizer.decode([step.token for step in steps])
    return "".join(char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text)


def written(models: Models, view: View) -> dict[str, Any]:
    """What the model of a "step" writes after the view's "text": "text". The view has "step", a place in the list, and
    "seed"."""
    del models
    step = snapshots()[read_index(view, "step", len(snapshots()))]
    return {"step": step, "text": write(at_step(step), read(view), read_index(view, "seed", SEEDS))}


def unmasked(models: Models, view: View) -> dict[str, Any]:
    """What the model without a mask writes after the view's "text": "text". The view has "seed"."""
    del models
    return {"text": write(shipped(UNMASKED), read(view), read_index(view, "seed", SEEDS))}


def values(models: Models, view: View) -> dict[str, Tensor]:
    """The tensors of `TextTask.loss` for the view's text and step."""
    del models
    ids = read(view)
    bundle = at_step(snapshots()[read_index(view, "step", len(snapshots()))])
    tokens = torch.tensor([ids])
    with torch.inference_mode():
        logits = bundle.model(tokens[:, :-1])
    return {
        "inputs": tokens[:, :-1],
        "targets": tokens[:, 1:],
        "logits": logits,
        "probs": probabilities(bundle, ids)[None],
    }


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    del models
    read(view)  # refuses what is no text
    step, seed = snapshots()[read_index(view, "step", len(snapshots()))], read_index(view, "seed", SEEDS)
    return (
        f"{IMPORTS}\n"
        f"bundle = former.load({named(step)!r})  # or {UNMASKED!r}\n"
        f"tokens = torch.tensor([bundle.tokenizer.encode({view['text']!r})[:{MOST}]])\n"
        "inputs, targets = tokens[:, :-1], tokens[:, 1:]  # shifted by one\n"
        "with torch.inference_mode():\n"
        "    logits = bundle.model(inputs)\n"
        "probs = logits.softmax(-1).gather(-1, targets[..., None])[..., 0]  # of each target\n"
        "print(-probs.log2().mean().item(), 'bits per byte')\n"
        f"steps = former.generate(bundle.model, tokens[0], {WRITTEN}, temperature={TEMPERATURE}, seed={seed})\n"
        "print(bundle.tokenizer.decode([step.token for step in steps]))\n"
        "labels = bundle.tokenizer.labels(targets[0].tolist())\n"
        'figure = figures.bars(probs[0], labels, axis="probability of the target")\n'
    )


SECTION = Section(
    name="generation",
    article="Text generation transformer",
    equation=r"\mathrm{target}_i = x_{i+1} \qquad"
    r" \mathrm{loss} = -\frac{1}{t} \sum_{i=1}^{t} \log_2 p(x_{i+1} \mid x_1, \ldots, x_i)",
    code=(TextTask.batch, TextTask.loss, former.generate),
    values=values,
    python=python,
    opening=opening,
    answers={"predicted": predicted, "written": written, "unmasked": unmasked},
)
