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


class Section(NamedTuple):
    """A section; its files are named after it in `sections/`, its words begin with learn_{name}_ in viz/text."""

    name: str  # as it stands in a link
    article: str  # the heading in the article that it goes with
    equation: str  # LaTeX
    code: tuple[Callable[..., Any], ...]  # whose source is shown
    questions: Mapping[str, Question] = {}  # what its script asks and its program prints
    opening: Callable[[Models], dict[str, Any]] = lambda models: {}  # what its script is given  # noqa: ARG005
    routes: Callable[[FastAPI, Site], None] = lambda server, site: None  # what else it asks  # noqa: ARG005
    stands: Callable[[Models], bool] = lambda models: True  # whether what it shows is among them  # noqa: ARG005

    @property
    def panel(self) -> Panel:
        """Its record in the registry."""
        script = HERE / "sections" / f"{self.name.replace('-', '_')}.js"
        return Panel(f"learn-{self.name}", script, self.questions, offered=self.stands)

    def tensors(self, models: Models, view: View) -> dict[str, Tensor]:
        """The tensors of what a view shows, by the names that they have in the code.

        Raises:
            Refusal: an invalid view.
        """
        questions = self.panel.printed(view).values()
        results = [question.compute(models, view) for question in questions if question.asked]
        return {name: value for each in results for name, value in each.items() if isinstance(value, Tensor)}
