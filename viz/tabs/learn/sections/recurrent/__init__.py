"""Section "Why not recurrent or convolutional": steps between inputs and outputs, waiting, time, and bits.

Sizes: t tokens; a step is one layer of all tokens at once; in the recurrent network, one cell of a layer.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

import former
from former.analysis import influence, steps_to_reach
from former.baselines import ConvModel, GRUModel
from former.checkpoints import CHECKPOINTS
from viz import figures
from viz.figures.frame import themed
from viz.panels import Draw, Field, Numbers, Question
from viz.passes.loaded import Models
from viz.passes.run import read_text
from viz.server.view import View
from viz.tabs.learn import family, shipped
from viz.tabs.learn.section import Section
from viz.text import Refusal

MODELS = {"recurrent": "tiny-gru", "convolutional": "tiny-conv", "attention": "family/tiny-generator"}  # trained alike
TIMES = CHECKPOINTS / "tiny-generator" / "lengths.json"  # by `python -m former.training --threads 1 lengths FILE`
TEXT = "The cat sat on the mat."
MOST_BYTES = 24  # bytes of a text


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view, the limits of its inputs, the recorded times, and
    figures from the models' cards."""
    del models
    record = json.loads(TIMES.read_text(encoding="utf-8"))
    times = dict(zip(MODELS, record["milliseconds"].values(), strict=True))
    worth = [card_of(kind) for kind in MODELS]
    seconds, bits = ([each[name] for each in worth] for name in ("seconds", "bits"))
    return {
        "text": TEXT,
        "most": MOST_BYTES,
        "worth": worth,
        "measured": record,
        "times": times,
        "charts": {
            "time": themed(figures.by_size, record["lengths"], times, log=True),
            "bits": themed(figures.bits_by_seconds, seconds, bits, list(MODELS)),
        },
    }


def card_of(kind: str) -> dict[str, Any]:
    """Returns the quality and the training time of the model of this kind, such as "recurrent", from its card."""
    bundle = shipped.load(MODELS[kind]).bundle
    card, recipe = bundle.card, bundle.card["recipe"]
    return {
        "kind": kind,
        "wiring": wiring(bundle.model),
        "model": MODELS[kind],
        "parameters": sum(parameter.numel() for parameter in bundle.model.parameters()),
        "bytes": card["step"] * recipe["batch"] * recipe["model"]["seq_length"],
        "seconds": card["processor_seconds"],
        "bits": family.bits(card),
    }


def wiring(model: Any) -> dict[str, Any]:
    """Describes which values a network computes from which.

    Returns:
        "layers"; "back": for each layer, the distances to the tokens of the layer below that a value depends on, or
        None for all earlier tokens; "recurrent": whether a value also depends on the previous token's value in its own
        layer.
    """
    config, back = model.config, None
    if isinstance(model, GRUModel):
        back = [[0]] * config.depth
    elif isinstance(model, ConvModel):
        back = [[i * config.dilation**layer for i in range(config.kernel)] for layer in range(config.depth)]
    return {"layers": config.depth, "back": back, "recurrent": isinstance(model, GRUModel)}


def steps_of(model: Any) -> Callable[[Tensor], Tensor]:
    """Returns a function that computes the vectors of all tokens after each of a model's n steps: tokens (b, t) →
    (b, n, t, e)."""
    if isinstance(model, GRUModel | ConvModel):
        return model.steps
    return lambda tokens: former.run_with_capture(model, tokens, "resid_post")[1].stack("resid_post").transpose(0, 1)


def final_steps(after: Tensor) -> Tensor:
    """Returns the step from which each token's vector is final, (t,), given the vectors after each step, (n, t, e)."""
    same = (after == after[-1]).all(-1)  # (n, t)
    return len(after) + 1 - same.flip(0).long().cumprod(0).sum(0)


@torch.inference_mode()
def reach_outputs(bundles: Mapping[str, former.Bundle], text: str) -> Numbers:
    """Measures after how many steps each input reaches each output, in several models.

    Args:
        bundles: models with the same vocabulary, by name: recurrent, convolutional or transformer.
        text: its first `MOST_BYTES` tokens are read.
    Returns:
        "tokens" (1, t), "labels"; and for each model: "steps" (t, t), the first step after which an output depends on
        an input, 0 for never; "moved" (t, t), how far that input changes that output's logits; "settled" (t,), the step
        from which each output is final; "count", the number of steps. "last" (t,): for the first model, the last row of
        "steps".
    """
    tokenizer = next(iter(bundles.values())).tokenizer
    tokens = torch.tensor([tokenizer.encode(text)[:MOST_BYTES]])
    result: Numbers = {"tokens": tokens, "labels": tokenizer.labels(tokens[0].tolist())}
    for name, bundle in bundles.items():
        model = copy.deepcopy(bundle.model).double()  # 32 bits are too few for very small influences
        after = steps_of(model)(tokens)[0]
        steps, moved = steps_to_reach(steps_of(model), tokens), influence(model, tokens)
        result[name] = {"steps": steps, "moved": moved, "settled": final_steps(after), "count": len(after)}
    return result | {"last": next(result[name]["steps"][-1] for name in bundles)}


def read_networks(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `reach_outputs`: "text".

    Raises:
        Refusal: a text that cannot be read, or one of less than two bytes.
    """
    bundles, text = {kind: shipped.load(name) for kind, name in MODELS.items()}, view.get("text", "")
    if len(read_text(bundles["recurrent"].bundle, text)[0]) < 2:
        raise Refusal("learn_recurrent_short")
    return {"bundles": bundles, "text": text}


COUNTS = tuple(Field(kind, "count") for kind in MODELS)
STEPS = Draw(figures.bars, Field("last"), Field("labels"), axis="steps to the last output")

SECTION = Section(
    name="recurrent",
    article="Design considerations",
    equation=r"h_i = \mathrm{cell}(x_i, h_{i-1}) \qquad"
    r" y_i = \mathrm{conv}(x_{i-2d}, x_{i-d}, x_i) \qquad"
    r" y_i = \textstyle\sum_{j \le i} w_{ij}\, x_j",
    code=(steps_to_reach, GRUModel.steps, ConvModel.steps),
    questions={"reached": Question(reach_outputs, read_networks, STEPS, prints=COUNTS, unsent=("tokens", "last"))},
    props=props,
)
