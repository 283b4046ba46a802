"""Copy as Python: a few lines on `former` and `viz.figures` that give a panel's numbers and its picture again.

    POST /python/{panel}   the view as the panel's tab has it, answered by {"code": the lines}

Each tab says in its python.py which of its panels have lines, as functions (models, view) → code. What a visitor typed
stands in the code as repr writes it, and nothing else of a view does but numbers and names that were checked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, HTTPException, Request, Response

from viz.passes.loaded import Loaded, Models
from viz.server import http
from viz.text import Refusal

if TYPE_CHECKING:
    from viz.tabs.base import Site, Tab

View = Mapping[str, Any]
Snippet = Callable[[Models, View], str]

IMPORTS = """\
import torch

import former
from viz import figures
"""


def read_model(models: Models, view: View) -> Loaded:
    """The model of a view.

    Raises:
        Refusal: there is none such.
    """
    if not isinstance(name := view.get("model"), str) or name not in models:
        raise Refusal("bad_request")
    return models[name]


def read_index(view: View, name: str, size: int) -> int:
    """A whole number of a view, in [0, size).

    Raises:
        Refusal: it is none.
    """
    given = view.get(name)
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given < size:
        raise Refusal("bad_request")
    return given


def root(loaded: Loaded, layer: int) -> str:
    """What a layer's dot products of q and k are divided by, as code."""
    config = loaded.bundle.config
    divisor = config.divisor(layer)
    size = "q.shape[-1] ** 0.5" if config.scaled else "1"
    return size if divisor == 1 else f"({size} * {divisor:g})"


def read_choice(view: View, name: str, choices: Iterable[str]) -> str:
    """One of some words.

    Raises:
        Refusal: it is none of them.
    """
    if not isinstance(given := view.get(name), str) or given not in choices:
        raise Refusal("bad_request")
    return given


def attach(server: FastAPI, site: Site, tabs: Iterable[Tab]) -> None:
    """Adds the route to the server that serves the page."""
    snippets = {panel: snippet for tab in tabs for panel, snippet in tab.python.items()}

    @server.post("/python/{panel}")
    @http.answers
    async def code(panel: str, request: Request) -> Response:
        if panel not in snippets:
            raise HTTPException(404)
        # Some work a part of it out: on a thread, in its turn.
        lines = await site.work.turn(snippets[panel], site.models, await http.read_object(request))
        return Response(json.dumps({"code": lines}), headers=http.FRESH, media_type="application/json")
