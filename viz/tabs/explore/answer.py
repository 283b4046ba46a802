"""Answers a view with a text, a model and edits of its heads: the key of the pass, and notes about it."""

from __future__ import annotations

from typing import Any

from viz.passes import edits
from viz.passes.loaded import Loaded, Models
from viz.passes.remarks import remarks
from viz.passes.run import Pass
from viz.passes.store import PassStore
from viz.server.view import View, read_model, read_string
from viz.text import Note, note


def answer(models: Models, passes: PassStore, view: View) -> dict[str, Any]:
    """Makes the pass of a view; returns {"key": the pass's key, "notes": [{"kind": "info" or "error", "key",
    "values"}]}.

    Args:
        models: by name.
        passes: the cache of passes.
        view: {"model": a name, possibly of a snapshot, "text", "edits": in the form of links, see `viz.passes.edits`}.
    Raises:
        Refusal: an invalid view, or a text that cannot be run.
    """
    loaded, text = read_model(models, view), read_string(view, "text", "empty_text")
    changes, refused = edits.from_link(read_string({"edits": "", **view}, "edits"), loaded.bundle.model)
    pass_, _ = passes.make(loaded, text, changes)
    notes = [{"kind": "info", **said} for said in remarks_of(loaded, pass_, text)]
    if refused:
        notes.append({"kind": "error", **note("bad_link_edits", given=",".join(refused)[:40])})
    return {"key": pass_.key, "notes": notes}


def remarks_of(loaded: Loaded, pass_: Pass, text: str) -> list[Note]:
    """Returns notes on how a text was changed to fit the model."""
    header, notes = pass_.header, []
    kept, total, unit = header["tokens"], header["total"], header["unit"]
    if memory := header.get("memory"):
        notes.append(note("segments", kept=kept, total=total, memory=memory, unit=unit))
    elif total > kept:
        key = "cut_text" if header["context"] == loaded.max_tokens else "cut_pass"
        notes.append(note(key, kept=kept, total=total, unit=unit, end=loaded.kind.keeps))
    return notes + remarks(loaded, text, header["labels"])
