"""Tab Generate: watch a model write, one token at a time.

The parts of the tab share `former.writing` in the browser (lib/writing.js), which holds the text and its branches and
sends requests to Python by one route.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

from viz import browser
from viz.browser.language import label
from viz.passes.loaded import Models, first_ahead, writers
from viz.tabs.base import Site, menu
from viz.tabs.generate import panels
from viz.tabs.generate.cache import cache_facts
from viz.text.examples import EXAMPLES

HERE = Path(__file__).parent


def settings(models: Models) -> dict[str, Any]:
    """Returns the models' properties, for the tab's scripts."""
    return {
        "models": {
            name: {
                "layers": config.depth,
                "heads": config.heads,
                "context": config.seq_length + getattr(config, "memory_length", 0),
                "cache": cache_facts(loaded),
            }
            for name, loaded in models.items()
            for config in [loaded.bundle.config]
        },
        "menu": menu(models),
        "text": EXAMPLES["byte"][1],
    }


def render(site: Site, page: gr.Blocks) -> None:  # noqa: ARG001 - every tab is given its page
    """Lays out the tab on the page that is being built; its parts communicate in the browser."""
    models = first_ahead(writers(site.models))
    if not models:
        gr.Markdown(label("no_writer"))
        return
    written = browser.column(browser.panel(panels.WRITTEN_TEXT), share=3)
    about = browser.column(*map(browser.panel, (panels.NEXT_TOKEN, panels.TRAIL)), share=2)
    guess = browser.column(browser.panel(panels.GUESS), share=3)
    cache = browser.column(browser.panel(panels.CACHE), share=2)
    browser.lay_out(
        browser.lesson("generate", "Text generation transformer"),
        browser.part(HERE, "writing_controls", settings(models)),
        browser.row(written, about),
        browser.row(guess, cache),
    )
