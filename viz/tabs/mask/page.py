"""Tab Mask: how a mask changes the scores, where it stops information, and how a model without a mask fails.

The parts share `former.masking` in the browser (lib/masking.js), which sends their requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gradio as gr

from former import masks
from viz import browser
from viz.browser import Part
from viz.browser.language import label
from viz.panels import Panel
from viz.passes.loaded import Loaded, Models, maskable
from viz.tabs.base import Site
from viz.tabs.mask import consequence, masking, panels
from viz.text.examples import MASK_LONG_TEXT, MASK_TEXT

HERE = Path(__file__).parent


def model_settings(loaded: Loaded) -> dict[str, int]:
    """Returns a model's sizes, and the head that is shown first."""
    layer, head = masking.first_head(loaded.fast_bundle, MASK_TEXT)
    config = loaded.bundle.config
    sizes = {"layers": config.depth, "heads": config.heads, "vocabulary": config.num_tokens}
    return {**sizes, "layer": layer, "head": head}


def settings(models: Models) -> dict[str, Any]:
    """Returns the models' sizes and the limits of the tab's inputs, for its scripts."""
    first = next(iter(maskable(models)))
    return {
        "models": {name: model_settings(loaded) for name, loaded in maskable(models).items()},
        "view": {"model": first, "text": MASK_TEXT, "long": MASK_LONG_TEXT},
        "masks": list(masks.MASKS),
        "shown": masking.SHOWN,
        "seeds": panels.SEED_LIMIT,
        "consequence": {
            "longest": consequence.TEXT_LIMIT,
            "written": consequence.WRITTEN,
            "temperature": consequence.TEMPERATURE,
            "blind": panels.BLIND,
            "missing": [name for name in (panels.MASKED, panels.UNMASKED) if name not in models],
        },
    }


def first_answer(models: Models, shared: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the question that lib/masking.js begins with, and its answer, so that the tab opens on its maps."""
    name = shared["view"]["model"]
    head = {part: shared["models"][name][part] for part in ("layer", "head")}
    question = {"text": MASK_TEXT, "model": name, "mask": "causal", "size": 5, **head}
    return question | panels.STAGES.questions["head"].answer(models, question)


def render(site: Site, page: gr.Blocks) -> None:  # noqa: ARG001 - every tab is given its page
    """Lays out the tab on the page that is being built; its parts communicate in the browser."""
    if not maskable(site.models):
        gr.Markdown(label("no_writer"))
        return
    shared = settings(site.models)
    begins = shared | {"first": first_answer(site.models, shared)}  # the parts that are loaded first

    def beside(*records: tuple[Panel, int]) -> Part:
        columns = [browser.column(browser.panel(record, shared), share=share) for record, share in records]
        return browser.row(*columns, classes="mask-below")

    browser.lay_out(
        browser.lesson("mask", "Text generation transformer"),
        browser.part(HERE, "mask_controls", begins),
        browser.panel(panels.STAGES, begins),
        beside((panels.PROOF, 3), (panels.GROWTH, 2)),
        beside((panels.REACH, 2), (panels.CONSEQUENCE, 3)),
    )
