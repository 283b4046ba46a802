"""Tab Explore: a text, a model, and the attention of all its heads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from viz import browser
from viz.browser import Part
from viz.browser.language import label
from viz.passes import trace
from viz.passes.loaded import Loaded, Models, first_ahead
from viz.tabs.base import Site, menu
from viz.tabs.explore.answer import answer
from viz.tabs.explore.change import reads
from viz.tabs.explore.corpus import forming, scans
from viz.tabs.explore.panels import FOLDS, PANELS
from viz.text.examples import CARRIED, EXAMPLES, MEASURED_IN

HERE = Path(__file__).parent
STORE = HERE / "lib" / "store.js"
part = partial(browser.part, HERE)
RECORDS = {record.name: record for record in PANELS}
ONLY: dict[str, Callable[[Loaded], bool]] = {  # whether a panel applies to a model
    "prediction": lambda loaded: loaded.kind.says != "blank",  # hidden words have a panel of their own
    "blanks": lambda loaded: loaded.kind.says == "blank" and has_head(loaded),
    "surprise": lambda loaded: loaded.kind.says == "next" and loaded.kind.predicts(loaded.bundle.model),
    "words": lambda loaded: loaded.kind.says == "class",
    "reads": lambda loaded: reads.has_pairs(loaded.bundle),
    "trace": trace.follows,
    "scan": scans.has_scan,
}


def has_head(loaded: Loaded) -> bool:
    """Returns whether a model has an output: it predicts tokens or classes, or judges whether one text
    follows another."""
    model = loaded.bundle.model
    return loaded.kind.predicts(model) or getattr(model, "sentence", None) is not None


def panel(name: str, value: Any = None) -> Part:
    """Returns the panel `name` of this tab; its script reads `value` as props.value."""
    return browser.panel(RECORDS[name], value)


def fold(name: str) -> Part:
    """Returns the fold `name`: a line to click, and the panels that are shown while it is open."""
    line = browser.part(HERE / "folds", "fold", name)
    return browser.column(line, *(panel(each) for each in FOLDS[name]), classes="explore-fold")


def panels() -> list[Part]:
    """Returns the tab's panels that show a pass."""
    centre = browser.column(panel("head-map"), panel("lines"), classes="explore-centre")
    around = ("statistics", "interventions", "prediction", "blanks", "words")  # each has an area in the style sheet
    return [
        part("controls"),
        panel("beside"),
        fold("forming"),  # its slider changes all that follows
        browser.row(panel("overview"), centre, *(panel(name) for name in around), classes="explore-main"),
        panel("surprise"),
        panel("token-strip"),
        panel("carry", {"pairs": CARRIED, "models": MEASURED_IN}),
        *(fold(name) for name in ("reads", "follow", "inside", "corpus")),
        part("export"),
        browser.part(HERE / "folds", "absent"),
    ]


def settings(site: Site, models: Models) -> dict[str, Any]:
    """Returns the tab's initial data for its scripts.

    {"texts": the examples, "reads": {model: names of its examples}, "steps": {model: steps of its snapshots},
    "only": {panel: the models that it applies to}, "example": the first model's pass, as returned by `answer`, with its
    "model", "text" and "edits"}."""
    first = next(iter(models.values()))
    view = {"model": first.name, "text": EXAMPLES[first.examples][0], "edits": ""}
    return {
        "texts": EXAMPLES,
        "reads": {name: loaded.examples for name, loaded in models.items()},
        "steps": forming.courses(models),
        "only": {panel: [name for name, loaded in models.items() if on(loaded)] for panel, on in ONLY.items()},
        "example": view | answer(site.models, site.passes, view),
    }


def render(site: Site, page: gr.Blocks) -> None:  # noqa: ARG001 - every tab is given its page
    """Lays out the tab on the page that is being built; the first example is computed in advance.

    The page's store (lib/store.js) requests passes by a plain route. The text is a field of Gradio's: it reports a
    visitor's input to the store, and shows the text of a link or an example.
    """
    models = first_ahead(site.models)
    begins = settings(site, models)
    with gr.Row(elem_classes=["explore-top", "tab-controls"]):
        browser.lay_out(browser.part(HERE / "change", "model", menu(models)))
        textbox = gr.Textbox(
            begins["example"]["text"],
            label=label("text"),
            placeholder=label("text_hint"),
            max_lines=2,
            scale=4,
            interactive=True,
        )
        browser.lay_out(browser.part(HERE / "change", "changes"))
    lesson = browser.lesson("explore", "In Pytorch: complete self-attention")
    shown = browser.lay_out(lesson, part("examples", begins), part("notices"), *panels(), events=("filled",))
    textbox.change(None, None, None, js=browser.call(STORE, "store.typed()"))  # `input` is of keys alone
    shown.filled(None, None, textbox, js=browser.call(STORE, "store.entered()"))
