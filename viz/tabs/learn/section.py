"""The record of a section of tab Learn."""

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
    """A section. Its folder in `sections/` has its name, and its words in viz/text begin with learn_{name}_."""

    name: str  # in links
    article: str  # the heading in the article
    equation: str  # LaTeX
    code: tuple[Callable[..., Any], ...]  # functions whose source is shown
    questions: Mapping[str, Question] = {}  # requests of its script, and parts of its program
    props: Callable[[Models], dict[str, Any]] = lambda models: {}  # data for its script  # noqa: ARG005
    routes: Callable[[FastAPI, Site], None] = lambda server, site: None  # additional routes  # noqa: ARG005
    available: Callable[[Models], bool] = lambda models: True  # whether its models are available  # noqa: ARG005

    @property
    def panel(self) -> Panel:
        """The section as a `Panel`, for the list of all panels."""
        file = self.name.replace("-", "_")
        script = HERE / "sections" / file / f"{file}.js"
        return Panel(f"learn-{self.name}", script, self.questions, offered=self.available)

    def tensors(self, models: Models, view: View) -> dict[str, Tensor]:
        """Returns the tensors of a view by their names in the code; leaves out values that are single numbers.

        Raises:
            Refusal: an invalid view.
        """
        questions = self.panel.printed(view).values()
        results = [question.compute(models, view) for question in questions if question.asked]
        return {
            name: value for each in results for name, value in each.items() if isinstance(value, Tensor) and value.dim()
        }
