"""Tab Word order: move words, and see which outputs only move with them.

The parts of the tab share `former.permuting` in the browser (lib/permuting.js).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

from viz import browser
from viz.passes.loaded import Models
from viz.tabs.base import Site
from viz.tabs.permute import panels, permuting, positions

HERE = Path(__file__).parent


def render(site: Site, page: gr.Blocks) -> None:  # noqa: ARG001 - every tab is given its page
    """Lays out the tab on the page that is being built; `site` has the models."""
    tables = site.once(positions.tables)
    main = map(browser.panel, (panels.PERMUTATION, panels.EQUIVARIANCE, panels.MOVED_ROWS))
    browser.lay_out(
        browser.lesson("permute", "Using the positions"),
        browser.part(HERE, "permute_controls", first_view(site.models, [table.name for table in tables])),
        browser.panel(panels.WORD_ORDER),
        browser.row(*main, classes="permute-main"),
        browser.panel(panels.VERDICTS),
        browser.panel(panels.POSITION_MAPS, [table.describe() for table in tables]),
    )


def first_view(models: Models, tables: list[str]) -> dict[str, Any]:
    """Returns the data for the tab's scripts: its initial view, and the choices of its controls; `tables` are names."""
    subject = permuting.find(models)
    pairs = permuting.pairs(subject) if subject else []
    first = pairs[0] if pairs else {"text": "", "order": permuting.AS_TYPED}
    return {
        "initial": {"text": first["text"], "order": first["order"], "table": tables[0] if tables else ""},
        "pairs": pairs,
        "kinds": subject.kinds if subject else list(permuting.POSITIONS),
        "tables": tables or [""],
        "emb": subject.loaded.bundle.config.emb if subject else 0,
    }
