"""What a section of tab Learn is, on the server's side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import FastAPI
from torch import Tensor

from viz.panels import Panel, Question
from viz.passes.loaded import Models
from viz.server.view import View
from viz.tabs.base import Site

HERE = Path(__file__).parent
Snippet = Callable[[Models, View], str]
Answer = Callable[[Models, View], dict[str, Any]]  # plain values, for JSON; raises Refusal


class Section(NamedTuple):
    """A section; its files are named after it in `sections/`, its words begin with learn_{name}_ in viz/text."""

    name: str  # as it stands in a link
    article: str  # the heading in the article that it goes with
    equation: str  # LaTeX
    code: tuple[Callable[..., Any], ...]  # whose source is shown
    questions: Mapping[str, Question] = {}  # what its script asks and its program prints
    values: Callable[[Models, View], Mapping[str, Tensor]] | None = None  # of a section without questions: its tensors
    python: Snippet | None = None  # of a section without questions: its program
    opening: Callable[[Models], dict[str, Any]] = lambda models: {}  # what its script is given  # noqa: ARG005
    answers: Mapping[str, Answer] = {}  # what its script asks: POST /learn/{name}/{question}
    routes: Callable[[FastAPI, Site], None] = lambda server, site: None  # what else it asks  # noqa: ARG005
    stands: Callable[[Models], bool] = lambda models: True  # whether what it shows is among them  # noqa: ARG005

    @property
    def panel(self) -> Panel:
        """Its record in the registry."""
        script = HERE / "sections" / f"{self.name.replace('-', '_')}.js"
        return Panel(f"learn-{self.name}", script, self.questions, snippet=self.python, offered=self.stands)

    def tensors(self, models: Models, view: View) -> dict[str, Tensor]:
        """The tensors of what a view shows, by the names that they have in the code.

        Raises:
            Refusal: an invalid view.
        """
        if self.values:
            return dict(self.values(models, view))
        found = [question.found(models, view) for question in self.panel.printed(view).values()]
        return {name: value for each in found for name, value in each.items() if isinstance(value, Tensor)}
