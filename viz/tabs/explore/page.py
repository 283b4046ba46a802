"""Tab Explore: a text, a model, and where every head of it looks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from viz import browser
from viz.gradio_adapter import DIRECT
from viz.passes import edits, trace
from viz.passes.loaded import Loaded, Models, first_ahead
from viz.passes.remarks import remarks
from viz.passes.snapshots import name_at, split
from viz.passes.store import PassStore
from viz.server import http
from viz.tabs.base import Site, about
from viz.tabs.explore import forming, scans
from viz.text import Note, message, note
from viz.text.examples import EXAMPLES

ASKED = "(model, text, edits) => former.store.asked(model, text, edits)"  # the page's store numbers the question
part = partial(browser.part, Path(__file__).parent)

Notice = dict[str, Any]  # {"kind", "key", "values"}


def answer(models: Models, passes: PassStore, model: str, typed: str, given: Any) -> dict[str, Any]:
    """What the browser's store receives: {"key": of the pass or None, "rev", "asked", "notes": [a `notice`]}.

    Args:
        models: by name.
        passes: where the pass is held.
        model, typed: what to look at.
        given: the visitor's edits as the page sends them, see `viz.passes.edits`; with them, as "step", which of the
            model's snapshots to look at, and as "asked" the question's number. The answer says it again: of two that
            are under way at once, the page shows that to the later one.
    """
    rev = passes.revision()  # now: an answer that takes long does not undo that to a later question
    try:
        changes = edits.read(given, model, models[model].bundle.config)
        key, notes = look(models[at_step(models, model, given)], passes, typed, changes)
    except ValueError as raised:
        key, notes = None, [notice("error", http.refusal_of(raised).note)]
    asked = given.get("asked") if isinstance(given, Mapping) else None
    return {"key": key, "rev": rev, "asked": asked if isinstance(asked, int) else None, "notes": notes}


def at_step(models: Models, model: str, given: Any) -> str:
    """The name of the snapshot that the page asks for; the model's own where it asks for none, or of another model."""
    step = given.get("step") if isinstance(given, Mapping) and given.get("model") == model else None
    named = name_at(model, step) if isinstance(step, int) else model
    return named if named in models else model


def look(loaded: Loaded, passes: PassStore, typed: str, changes: list[edits.Edit]) -> tuple[str, list[Notice]]:
    """The key of a text's pass, and what was done to the text on the way.

    Raises:
        Refusal: a text that cannot be run.
    """
    made, _ = passes.make(loaded, typed, changes)
    header, notes = made.header, []
    kept, total, unit = header["tokens"], header["total"], header["unit"]
    end = "last" if header["kind"] == "classifier" else "first"  # what is read of a text that is too long
    if memory := header.get("memory"):
        notes.append(notice("info", note("read_on", kept=kept, total=total, memory=memory, unit=unit)))
    elif total > kept:
        key = "cut_text" if header["context"] == loaded.reads else "cut_pass"
        values = {"kept": kept, "total": total, "unit": unit, "end": end}
        notes.append(notice("info", note(key, **values)))
    notes += [notice("info", said) for said in remarks(loaded, typed, header["labels"])]
    return made.key, notes


def restore(site: Site, asked: Mapping[str, str], model: str, typed: str) -> list[Any]:
    """What a link asks for, as `take_up` gives it; all left as it is where it asks for nothing else.

    The page writes what it shows into its address at once, and a slow page asks only then: what it asks for in that
    case is there already, and the answer must not undo what has been typed meanwhile.

    Args:
        site: the models, and where the pass is held.
        asked: the link's parameters.
        model, typed: what the page shows without a link.
    """
    here = {"model": model, "text": typed, "edits": ""}
    wanted = here | {name: asked[name] for name in here if name in asked}
    of_another = asked.get("tab") in site.tabs and asked["tab"] != "explore"
    if wanted == here or of_another:
        return [gr.skip()] * 4
    if wanted["model"] != model and "text" not in asked:
        del wanted["text"]
    return take_up(site.models, site.passes, wanted, model)


def take_up(models: Models, passes: PassStore, wanted: Mapping[str, str], model: str) -> list[Any]:
    """Edits, model, text and answer for a link's {"model", "text", "edits"}; `model` where it names none of ours,
    and an example of what the model reads where there is no "text".

    In this order: a field that is not on the page yet tells of its change before what comes after it has its own, and
    asks then; so the edits are there before all, and the last that asks has the whole link.
    """
    notes, step = [], None
    if wanted["model"] in models:
        model, step = (wanted["model"], None) if wanted["model"] in set(models) else split(wanted["model"])
    else:
        notes.append(notice("error", note("unknown_model", given=wanted["model"][:40], used=model)))
    typed = wanted.get("text", example(models[model]))
    made, refused = edits.from_link(wanted["edits"], models[model].bundle.config)
    if refused:
        notes.append(notice("error", note("bad_link_edits", given=",".join(refused)[:40])))
    changes = {"model": model, "list": made, "step": step}
    return [changes, model, typed, answer(models, passes, model, typed, changes) | {"link": notes}]


def notice(kind: str, said: Note) -> Notice:
    """A message for the visitor; kind is "info" or "error"."""
    return {"kind": kind, **said}


def chosen(event: gr.EventData) -> Any:
    """The example that was clicked, for the text box; nothing but an example is taken."""
    given = getattr(event, "text", None)
    return given if any(given in group for group in EXAMPLES.values()) else gr.skip()


def example(loaded: Loaded) -> str:
    """A text of the kind that a model reads."""
    return EXAMPLES[loaded.examples][0]


def menu(models: Models) -> list[tuple[str, str]]:
    """The models to choose from: a line on each, and its name."""
    return [(message("model_line", name=name, about=about(loaded)), name) for name, loaded in models.items()]


def panels(models: Models, model: str) -> gr.HTML:
    """Lays out what shows a pass; returns the panel where heads are changed, which begins with no change of `model`."""
    part("controls")
    part("beside")
    part("forming", forming.courses(models))
    with gr.Row(elem_classes="explore-main"):
        part("overview")
        with gr.Column(elem_classes="explore-centre"):
            part("head_map")
            part("lines")
        with gr.Column(elem_classes="explore-side"):
            part("statistics")
            part("pair")
    part("token_strip")
    part("blanks")
    part("lens")
    part("writes")
    part("trace", [name for name, loaded in models.items() if trace.follows(loaded)])
    part("scan", scans.scanned(models))
    with gr.Row(elem_classes="explore-below"):  # as many columns as there are parts and room
        changes = part("interventions", {"model": model, "list": []})
        part("prediction")
        part("surprise")
        part("words")
    part("export")
    return changes


def render(site: Site, page: gr.Blocks) -> None:
    """Lays out the tab; the worked example is ready before anyone comes."""
    models, passes = site.models, site.passes
    listed = first_ahead(models)
    first = next(iter(listed.values()))
    opening = example(first)
    with gr.Row(elem_classes=["explore-top", "tab-controls"]):
        model = gr.Dropdown(menu(listed), value=first.name, label=message("model"), filterable=False, scale=2)
        typed = gr.Textbox(
            opening, label=message("text"), placeholder=message("text_hint"), lines=1, max_lines=2, scale=4
        )
    browser.lesson("explore", "In Pytorch: complete self-attention")
    examples = part("examples", EXAMPLES)
    part("notices")
    shown = {"model": first.name, "text": opening}
    store = part("attention_store", answer(models, passes, first.name, opening, ()) | {"example": shown})
    changes = panels(models, first.name)

    wiring: dict[str, Any] = {
        "fn": partial(answer, models, passes),
        "inputs": [model, typed, changes],
        "outputs": store,
        "trigger_mode": "always_last",  # while one runs, only the newest waits
        "js": ASKED,
        **DIRECT,
    }
    for event in (model.change, typed.change, changes.edited, store.expired):
        event(**wiring)

    def follow(event: gr.EventData) -> list[Any]:
        wanted = {name: str(getattr(event, name, "")) for name in ("model", "text", "edits")}
        if not wanted["text"]:
            del wanted["text"]
        return take_up(models, passes, wanted, first.name)

    filled = [changes, model, typed, store]
    # The store asks for one link at a time; Gradio's other modes drop the second, or ask for the first once more.
    store.followed(follow, None, filled, trigger_mode="multiple", **DIRECT)
    examples.chosen(chosen, None, typed, **DIRECT)

    def read_link(request: gr.Request) -> list[Any]:
        return restore(site, request.query_params, first.name, opening)

    page.load(read_link, None, filled, **DIRECT)
