"""Tab Mask: what a mask does to the scores, what it keeps from flowing, and what a model without one is worth.

The parts share `former.masking` in the browser (`viz/components/lib/masking.js`), which asks the three routes here.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import gradio as gr
from fastapi import FastAPI

from former import masks
from viz import consequence, masking, questions, text
from viz.components import lesson, part
from viz.passes import Loaded, Models


def attach(server: FastAPI, models: Models, asked: questions.Questions) -> None:
    """The routes: POST of what `masking.stages`, `masking.proof` and `consequence.consequence` ask for."""
    questions.attach(
        server,
        asked,
        {
            "/mask": partial(masking.stages, models),
            "/mask/proof": partial(masking.proof, models),
            "/mask/unmasked": partial(masking.unmasked, models),
            "/mask/consequence": partial(consequence.consequence, models),
        },
    )


def opening(loaded: Loaded) -> dict[str, int]:
    """What a model has, and the head that its pictures open with."""
    layer, head = masking.first_head(loaded, text.MASK_TEXT)
    return {"layers": loaded.bundle.config.depth, "heads": loaded.bundle.config.heads, "layer": layer, "head": head}


def settings(models: Models) -> dict[str, Any]:
    """What the tab's scripts have to know of the models and the limits."""
    first = next(iter(masking.writers(models)))
    return {
        "models": {name: opening(loaded) for name, loaded in masking.writers(models).items()},
        "view": {"model": first, "text": text.MASK_TEXT, "long": text.MASK_LONG_TEXT},
        "masks": list(masks.KINDS),
        "shown": masking.SHOWN,
        "seeds": consequence.SEED_LIMIT,
        "consequence": consequence.settings(models),
    }


def render(models: Models) -> None:
    """Lays out the tab; its parts talk to each other in the browser."""
    if not masking.writers(models):
        gr.Markdown(text.NO_WRITER)
        return
    shared = settings(models)
    lesson("mask")
    part("mask_controls", shared)
    part("mask_stages", shared)
    with gr.Row(equal_height=True, elem_classes="mask-below"):
        with gr.Column(scale=3, min_width=320):
            part("mask_proof", shared)
        with gr.Column(scale=2, min_width=320):
            part("mask_growth", shared)
    with gr.Row(equal_height=True, elem_classes="mask-below"):
        with gr.Column(scale=2, min_width=320):
            part("mask_reach", shared)
        with gr.Column(scale=3, min_width=320):
            part("mask_consequence", shared)
