"""What a section of tab Learn is, on the server's side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from fastapi import FastAPI
from torch import Tensor

from viz.passes.loaded import Models
from viz.server.view import View
from viz.tabs.base import Site

Snippet = Callable[[Models, View], str]
Answer = Callable[[Models, View], dict[str, Any]]  # plain values, for JSON; raises Refusal


class Section(NamedTuple):
    """A section; its files are named after it in `sections/`, its words begin with learn_{name}_ in viz/text."""

    name: str  # as it stands in a link
    article: str  # the heading in the article that it goes with
    equation: str  # LaTeX
    code: tuple[Callable[..., Any], ...]  # whose source is shown
    values: Callable[[Models, View], Mapping[str, Tensor]]  # of a view, by the names that they have in the code
    python: Snippet  # the lines that give the panel's numbers again
    opening: Callable[[Models], dict[str, Any]] = lambda models: {}  # what its script is given  # noqa: ARG005
    answers: Mapping[str, Answer] = {}  # what its script asks: POST /learn/{name}/{question}
    routes: Callable[[FastAPI, Site], None] = lambda server, site: None  # what else it asks  # noqa: ARG005
    stands: Callable[[Models], bool] = lambda models: True  # whether what it shows is among them  # noqa: ARG005
