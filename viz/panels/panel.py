"""A panel of the page as one record, and the computations behind it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plotly.graph_objects import Figure
from torch import Tensor

from former.runs import Run
from viz.figures.frame import themed
from viz.passes.loaded import Loaded, Models
from viz.passes.run import RunRequest, as_refusals
from viz.server import http
from viz.server.view import View
from viz.text import Refusal

Numbers = dict[str, Any]  # what a panel's function returns: tensors, labels and plain values, by name
Start = Callable[..., Run]  # (RunRequest, fast=False) → Run


class Field:
    """A placeholder in `Draw` for one value of a function's result, or for one element of it."""

    def __init__(self, *path: str | int) -> None:
        self.path = path

    def __call__(self, result: Numbers) -> Any:
        """Returns the value that the placeholder names in a result."""
        value: Any = result
        for key in self.path:
            value = value[key]
        return value


class Draw:
    """A call of a figure function, in which `Field` stands for values of a result.

    Args:
        function: a function of `viz.figures`, or the panel's own; it also takes `theme`.
        arguments, options: the arguments of the call.
    """

    def __init__(self, function: Callable[..., Figure], *arguments: Any, **options: Any) -> None:
        self.function, self.arguments, self.options = function, arguments, options

    def __call__(self, result: Numbers, theme: str = "light") -> Figure:
        """Draws a result."""
        arguments = [_resolve(value, result) for value in self.arguments]
        options = {name: _resolve(value, result) for name, value in self.options.items()}
        return self.function(*arguments, **options, theme=theme)


def _resolve(value: Any, result: Numbers) -> Any:
    return value(result) if isinstance(value, Field) else value


@dataclass(frozen=True)
class Question:
    """A computation behind a panel: the page requests its result, and "Copy as Python" prints its program."""

    function: Callable[..., Numbers]  # a plain function that can be called in a notebook
    arguments: Callable[[Models, View], dict[str, Any]]  # reads its arguments, models as Loaded; may raise Refusal
    draw: Draw | None = None
    charted: bool = False  # whether the page shows the figure, as "chart" in the answer
    when: Callable[[View], bool] = lambda view: True  # whether the program for a view prints it  # noqa: ARG005
    prints: tuple[str | Field, ...] = ()  # values of the result that the program prints: the panel's main number
    unsent: tuple[str, ...] = ()  # values of the result that are not sent to the page
    asked: bool = True  # whether the page may request it; False for what takes too long and is only printed
    pieces: Callable[..., Iterator[Numbers]] | None = None  # its result in pieces, for the page
    fast: bool = False  # whether the function only calls the model, so that the page can use the fast twin
    more: Callable[[Models, View], Mapping[str, Any]] = lambda models, view: {}  # for the page only  # noqa: ARG005
    about: Callable[[Models, View, Numbers], Mapping[str, Any]] = lambda models, view, result: {}  # the same  # noqa: ARG005

    @property
    def fields(self) -> list[Field]:
        """The values of the result that the program prints."""
        return [value if isinstance(value, Field) else Field(value) for value in self.prints]

    def compute(self, models: Models, view: View, start: Start = RunRequest.run) -> Numbers:
        """Calls the question's function with the arguments read from a view; `start` runs a `RunRequest` among them.

        Raises:
            Refusal: an invalid view, or one without an answer.
        """
        arguments = bundles(self.arguments(models, view), self.fast, start)
        with as_refusals():
            return self.function(**arguments)

    def answer(self, models: Models, view: View, start: Start = RunRequest.run) -> dict[str, Any]:
        """Returns the result of `compute` as JSON values, with its chart and what else the page needs (`more`,
        `about`).

        Raises:
            Refusal: an invalid view.
        """
        result = self.compute(models, view, start)
        values = {name: plain(value) for name, value in result.items() if name not in self.unsent}
        if self.charted:
            values["chart"] = self.chart(result)
        return {**values, **self.more(models, view), **self.about(models, view, result)}

    def lines(self, arguments: dict[str, Any], start: Start = RunRequest.run) -> Iterator[bytes]:
        """Yields the result piece by piece (`pieces`), as lines of JSON; if a Refusal is raised, ends with it as a
        line."""
        assert self.pieces
        try:
            with as_refusals():
                for piece in self.pieces(**bundles(arguments, self.fast, start)):
                    yield json.dumps(plain(piece), allow_nan=False).encode() + b"\n"
        except ValueError as raised:
            yield http.error(http.refusal_of(raised))

    def chart(self, result: Numbers) -> dict[str, Any]:
        """Draws a result for the page, in the light and in the dark theme."""
        assert self.draw
        return themed(self.draw, result)


@dataclass(frozen=True)
class Panel:
    """A panel of the page: its script, and the questions whose results the script shows."""

    name: str  # in links and embeds
    script: Path  # draws the panel
    questions: Mapping[str, Question] = field(default_factory=dict)  # by the names of their results in the program
    limits: Mapping[str, Any] = field(default_factory=dict)  # constants for scripts, which read them as site.limits
    offered: Callable[[Models], bool] = lambda models: True  # whether it has anything to show for them  # noqa: ARG005

    def printed(self, view: View) -> dict[str, Question]:
        """Returns the questions that "Copy as Python" computes for a view.

        Raises:
            Refusal: the view shows nothing of the panel.
        """
        questions = {name: question for name, question in self.questions.items() if question.when(view)}
        if not questions:
            raise Refusal("bad_request")
        return questions


def shown(name: str) -> Callable[[View], bool]:
    """Returns a condition for `Question.when`: that a view shows the part `name` of its panel."""
    return lambda view: view.get("show") == name


def unprinted(view: View) -> bool:  # noqa: ARG001 - as every condition is called
    """Returns False, a condition for `Question.when`: no program prints the question, which shows no number of its own
    on the panel."""
    return False


def bundles(value: Any, fast: bool = False, start: Start = RunRequest.run) -> Any:
    """Replaces each `Loaded` in arguments by its bundle (with `fast`, its fast twin's), each `RunRequest` r by
    start(r)."""
    if isinstance(value, Loaded):
        return value.fast_bundle if fast else value.bundle
    if isinstance(value, RunRequest):
        return start(value, fast=fast)
    if isinstance(value, list):
        return [bundles(each, fast, start) for each in value]
    if isinstance(value, dict):
        return {name: bundles(each, fast, start) for name, each in value.items()}
    return value


def plain(value: Any) -> Any:
    """Converts a result to JSON values: tensors to lists, numbers to 8 digits, infinite ones and NaN to None."""
    if isinstance(value, Tensor):
        return plain(value.tolist())
    if isinstance(value, float):
        return float(f"{value:.8g}") if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value
