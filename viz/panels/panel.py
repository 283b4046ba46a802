"""A panel of the page as one record, and the computations behind it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from plotly.graph_objects import Figure
from torch import Tensor

from viz.figures.frame import themed
from viz.passes.loaded import Loaded, Models
from viz.passes.run import RunRequest, as_refusals
from viz.server.view import View
from viz.text import Refusal

Numbers = dict[str, Any]  # what a panel's function returns: tensors, labels and plain values, by name


@dataclass(frozen=True)
class Field:
    """One value of a function's result, or one part of it, as an argument of the figure that shows it."""

    name: str
    index: int | None = None

    def __call__(self, found: Numbers) -> Any:
        """Returns the value."""
        return found[self.name] if self.index is None else found[self.name][self.index]


class Draw:
    """The call of a figure function, with fields of a result among its arguments.

    Args:
        function: of `viz.figures`, or the panel's own: takes `theme` too.
        arguments, options: as of the call, a `Field` for each value of the result.
    """

    def __init__(self, function: Callable[..., Figure], *arguments: Any, **options: Any) -> None:
        self.function, self.arguments, self.options = function, arguments, options

    def __call__(self, found: Numbers, theme: str = "light") -> Figure:
        """Draws a result."""
        arguments = [_filled(value, found) for value in self.arguments]
        options = {name: _filled(value, found) for name, value in self.options.items()}
        return self.function(*arguments, **options, theme=theme)


def _filled(value: Any, found: Numbers) -> Any:
    return value(found) if isinstance(value, Field) else value


@dataclass(frozen=True)
class Question:
    """A computation behind a panel: the page asks it, and "Copy as Python" prints it."""

    function: Callable[..., Numbers]  # plain: a notebook user can call it
    arguments: Callable[[Models, View], dict[str, Any]]  # of the function, by name; a model as Loaded. Raises Refusal
    draw: Draw | None = None
    charted: bool = False  # whether the page shows this figure: the answer then holds it as "chart"
    when: Callable[[View], bool] = lambda view: True  # whether the program of a view prints it  # noqa: ARG005
    unsent: tuple[str, ...] = ()  # values of the result that the page has no use for
    asked: bool = True  # whether the page asks it; what takes too long for a visitor's turn is printed alone
    fast: bool = False  # whether the function only calls the model, so that a fast twin serves the page
    more: Callable[[Models, View], Mapping[str, Any]] = lambda models, view: {}  # for the page alone  # noqa: ARG005

    def found(self, models: Models, view: View) -> Numbers:
        """Calls the function with the arguments that a view stands for.

        Raises:
            Refusal: an invalid view, or one of which there is no answer.
        """
        arguments = bundles(self.arguments(models, view), self.fast)
        with as_refusals():
            return self.function(**arguments)

    def answer(self, models: Models, view: View) -> dict[str, Any]:
        """Returns the result as JSON values, with the chart and what else the page needs.

        Raises:
            Refusal: an invalid view.
        """
        found = self.found(models, view)
        sent = {name: plain(value) for name, value in found.items() if name not in self.unsent}
        if self.charted:
            sent["chart"] = self.chart(found)
        return {**sent, **self.more(models, view)}

    def chart(self, found: Numbers) -> dict[str, Any]:
        """Draws a result for the page, in both themes."""
        assert self.draw
        return themed(partial(self.draw, found))


@dataclass(frozen=True)
class Panel:
    """A panel of the page."""

    name: str  # as links and embeds spell it
    script: Path  # that draws it
    questions: Mapping[str, Question] = field(default_factory=dict)  # by the names of their results in the program
    limits: Mapping[str, int] = field(default_factory=dict)  # that Python sets, and scripts read as former.limits
    offered: Callable[[Models], bool] = lambda models: True  # whether these models have anything to show  # noqa: ARG005

    def printed(self, view: View) -> dict[str, Question]:
        """The questions that the program of a view answers.

        Raises:
            Refusal: a view that shows nothing of the panel.
        """
        found = {name: question for name, question in self.questions.items() if question.when(view)}
        if not found:
            raise Refusal("bad_request")
        return found


def shown(name: str) -> Callable[[View], bool]:
    """Whether a view shows this part of its panel: for `Question.when`."""
    return lambda view: view.get("show") == name


def unprinted(view: View) -> bool:  # noqa: ARG001 - as every condition is called
    """That no program prints it: for `Question.when` of what only the check of a section asks."""
    return False


def bundles(value: Any, fast: bool = False) -> Any:
    """Arguments as the function takes them: a bundle for each loaded model, or one of its fast twin, and each run."""
    if isinstance(value, Loaded):
        return value.fast_bundle if fast else value.bundle
    if isinstance(value, RunRequest):
        return value.run(fast=fast)
    if isinstance(value, list):
        return [bundles(each, fast) for each in value]
    if isinstance(value, dict):
        return {name: bundles(each, fast) for name, each in value.items()}
    return value


def plain(value: Any) -> Any:
    """A result as JSON values: tensors as lists, numbers to 8 digits, infinite ones as None."""
    if isinstance(value, Tensor):
        return plain(value.tolist())
    if isinstance(value, float):
        return float(f"{value:.8g}") if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value
