"""Section "Why not recurrent or convolutional": what reaches what in how many steps, what must wait, time and bits.

Sizes: t tokens; a step is a layer of all tokens at once, or of the recurrent network one cell of each.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor

import former
from former.analysis import influence, steps_to_reach
from former.baselines import ConvModel, GRUModel
from former.checkpoints import CHECKPOINTS
from viz import figures
from viz.browser import chart
from viz.passes.loaded import Models
from viz.passes.run import read_text
from viz.server.view import View
from viz.tabs.learn.section import Section
from viz.tabs.learn.shipped import shipped
from viz.tabs.python import IMPORTS
from viz.text import Refusal

MODELS = {"recurrent": "tiny-gru", "convolutional": "tiny-conv", "attention": "family/tiny-generator"}  # trained alike
TIMES = CHECKPOINTS / "tiny-generator" / "lengths.json"  # by `python -m former.training --threads 1 lengths FILE`
TEXT = "The cat sat on the mat."
MOST = 24  # bytes of a text


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with: its limits, the times measured beforehand, and what the models' cards say."""
    del models
    record = json.loads(TIMES.read_text(encoding="utf-8"))
    times = dict(zip(MODELS, record["milliseconds"].values(), strict=True))
    worth = [card_of(kind) for kind in MODELS]
    seconds, bits = ([each[name] for each in worth] for name in ("seconds", "bits"))
    return {
        "text": TEXT,
        "most": MOST,
        "worth": worth,
        "measured": record,
        "times": times,
        "charts": {
            "time": chart.themed(lambda theme: figures.by_size(record["lengths"], times, log=True, theme=theme)),
            "bits": chart.themed(lambda theme: figures.bits_by_seconds(seconds, bits, list(MODELS), theme=theme)),
        },
    }


def card_of(kind: str) -> dict[str, Any]:
    """What a model's card says that it is worth, and what it took."""
    bundle = shipped(MODELS[kind])
    card, recipe = bundle.card, bundle.card["recipe"]
    return {
        "kind": kind,
        "model": MODELS[kind],
        "parameters": sum(parameter.numel() for parameter in bundle.model.parameters()),
        "bytes": card["step"] * recipe["batch"] * recipe["model"]["seq_length"],
        "seconds": card["processor_seconds"],
        "bits": next(figure["bits_per_byte"] for figure in card["quality"] if figure["split"] == "val"),
    }


def read(view: View) -> Tensor:
    """The tokens of a view's text, (1, t).

    Raises:
        Refusal: a text that cannot be read, or one of less than two bytes.
    """
    ids = read_text(shipped(MODELS["recurrent"]), view.get("text", ""))[0][:MOST]
    if len(ids) < 2:
        raise Refusal("learn_recurrent_short")
    return torch.tensor([ids])


@cache
def precise(kind: str) -> Any:
    """A model in 64 bits: what a recurrent network has all but forgotten is less than 32 bits can hold."""
    return copy.deepcopy(shipped(MODELS[kind]).model).double()


def steps_of(model: Any) -> Callable[[Tensor], Tensor]:
    """What stands at each token after each step, (b, n, t, e), as a function of tokens (b, t)."""
    if isinstance(model, GRUModel | ConvModel):
        return model.steps
    return lambda tokens: former.run_with_capture(model, tokens, "resid_post")[1].stack("resid_post").transpose(0, 1)


def settled(after: Tensor) -> Tensor:
    """From which step on each token has what it has in the end: (t,), of what stands after each step, (n, t, e)."""
    same = (after == after[-1]).all(-1)  # (n, t)
    return len(after) + 1 - same.flip(0).long().cumprod(0).sum(0)


@torch.inference_mode()
def reached(models: Models, view: View) -> dict[str, Any]:
    """Which inputs reach which outputs, in how many steps.

    Args:
        models: none is used.
        view: "text".
    Returns:
        "labels"; and for each kind of model: "steps", t × t, the first step after which an output depends on an input,
        0 for never; "moved", t × t, how far that input moves that output's logits; "settled", the step from which each
        output stands; "count" of steps.
    Raises:
        Refusal: a text that cannot be read.
    """
    del models
    tokens = read(view)
    answer: dict[str, Any] = {"labels": shipped(MODELS["recurrent"]).tokenizer.labels(tokens[0].tolist())}
    for kind in MODELS:
        model = precise(kind)
        after = steps_of(model)(tokens)[0]
        answer[kind] = {
            "steps": steps_to_reach(steps_of(model), tokens).tolist(),
            "moved": influence(model, tokens).tolist(),
            "settled": settled(after).tolist(),
            "count": len(after),
        }
    return answer


@torch.inference_mode()
def values(models: Models, view: View) -> dict[str, Tensor]:
    """What `former.analysis` measures on each of the models: (t, t)."""
    del models
    tokens = read(view)
    found: dict[str, Tensor] = {"tokens": tokens}
    for kind in MODELS:
        found[f"steps_{kind}"] = steps_to_reach(steps_of(precise(kind)), tokens)
    return found


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    del models
    read(view)  # refuses what is no text
    return (
        f"{IMPORTS}\n"
        f"gru, conv, attention = (former.load(name) for name in {tuple(MODELS.values())!r})\n"
        "for bundle in (gru, conv, attention):\n"
        "    bundle.model.double()  # 32 bits are too few for what is all but forgotten\n"
        f"tokens = torch.tensor([gru.tokenizer.encode({view['text']!r})[:{MOST}]])\n\n\n"
        "def blocks(tokens):  # what stands at each token after each block\n"
        '    capture = former.run_with_capture(attention.model, tokens, "resid_post")[1]\n'
        '    return capture.stack("resid_post").transpose(0, 1)\n\n\n'
        "with torch.inference_mode():\n"
        "    steps_recurrent = former.analysis.steps_to_reach(gru.model.steps, tokens)  # (outputs, inputs)\n"
        "    steps_convolutional = former.analysis.steps_to_reach(conv.model.steps, tokens)\n"
        "    steps_attention = former.analysis.steps_to_reach(blocks, tokens)\n"
        "    moved = former.analysis.influence(gru.model, tokens)  # how far an input moves an output\n"
        "labels = gru.tokenizer.labels(tokens[0].tolist())\n"
        'figure = figures.bars(steps_recurrent[-1], labels, axis="steps to the last output")\n'
    )


SECTION = Section(
    name="recurrent",
    article="Design considerations",
    equation=r"h_i = \mathrm{cell}(x_i, h_{i-1}) \qquad"
    r" y_i = \mathrm{conv}(x_{i-2d}, x_{i-d}, x_i) \qquad"
    r" y_i = \textstyle\sum_{j \le i} w_{ij}\, x_j",
    code=(steps_to_reach, GRUModel.steps, ConvModel.steps),
    values=values,
    python=python,
    opening=opening,
    answers={"reached": reached},
)
