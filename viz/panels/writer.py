"""Copy as Python: writes the program that computes a panel's numbers and draws its figure.

It is written from the panel's record and a view. It has the imports, the source of the panel's own function, and lines
that load the model, call the function, draw, print the main number and show the figure. A visitor's text is inserted by
repr; all other values were checked by the panel's reader.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import groupby
from typing import Any

from torch import Tensor

import former
from viz import figures
from viz.panels.panel import Draw, Field, Panel, Question
from viz.panels.source import imports, source
from viz.passes.loaded import Loaded, Models
from viz.passes.run import RunRequest
from viz.server.view import View

WIDTH = 120


def loading(loaded: Loaded) -> str:
    """Returns the Python expression that loads a model, such as `former.load("tiny-generator")`."""
    return f"former.{'pretrained.' if loaded.theirs else ''}load({loaded.source!r})"


class Program:
    """The text of a program under construction; collects the imports that its lines need and puts them first."""

    def __init__(self) -> None:
        self._imports: dict[str, set[str]] = {}
        self._sources: dict[str, str] = {}
        self._lines: list[str] = []
        self._ends: list[str] = []  # the last lines, which show the figures
        self._values: dict[str, Any] = {}  # variable → the code that loads its model, or the key of its run

    def answer(self, name: str, question: Question, arguments: Mapping[str, Any]) -> None:
        """Adds the call of a question's function, after the lines that load the models and run the texts among its
        arguments."""
        function = self._reference(question.function)
        for variable, value in arguments.items():
            if isinstance(value, Loaded):
                self._load(variable, value)
            elif isinstance(value, RunRequest):
                self._run(variable, value)
        named = [
            f"{variable}={variable if isinstance(value, Loaded | RunRequest) else self._literal(value)}"
            for variable, value in arguments.items()
        ]
        self._call(name, function, named)

    def _load(self, variable: str, loaded: Loaded) -> None:
        if self._values.get(variable) != loading(loaded):
            self._values[variable] = loading(loaded)
            self._needs({"former": {""}})
            self._lines.append(f"{variable} = {loading(loaded)}")

    def _run(self, variable: str, request: RunRequest) -> None:
        """Adds the run of a text under a visitor's edits."""
        calls = [self._edit(*each) for each in groupby(request.calls, _without_head)]
        key = loading(request.loaded), request.reading.text, calls
        if self._values.get(variable) == key:
            return
        self._values[variable] = key
        self._load("bundle", request.loaded)
        if calls:
            self._rows("edits = [", calls, "]")
        limit = {"limit": request.limit} if request.limit else {}
        arguments = [repr(request.reading.text), *(["edits=edits"] if calls else []), *self._named(limit)]
        self._call(variable, "bundle.run", arguments)

    def _edit(self, same: tuple[Any, ...], edits: Iterable[partial[Any]]) -> str:
        """Writes calls of `former.edits` that differ only in the head; for all heads of a layer, as a comprehension."""
        function, layer, rest, options = same
        heads = [edit.args[1] for edit in edits]

        def call(head: Any) -> str:
            return f"former.edits.{function}({', '.join([layer, head, *map(repr, rest), *self._named(dict(options))])})"

        if len(heads) > 1 and heads == list(range(len(heads))):
            return f"*({call('head')} for head in range({len(heads)}))"
        return ", ".join(call(str(head)) for head in heads)

    def draw(self, variable: str, name: str, draw: Draw) -> None:
        """Adds the call of a figure function that draws the result `name`; the figure is the variable `variable`."""

        def argument(value: Any) -> str:
            return _element(name, value) if isinstance(value, Field) else self._literal(value)

        options = [f"{option}={argument(value)}" for option, value in draw.options.items()]
        self._call(variable, self._reference(draw.function), [*map(argument, draw.arguments), *options])
        self._ends.append(f"{variable}.show()")

    def print(self, name: str, fields: Iterable[Field]) -> None:
        """Adds the line that prints `fields` of the result `name`, before the figures are shown."""
        self._rows("print(", [_element(name, field) for field in fields], ")")

    def __str__(self) -> str:
        modules = [f"import {module}" for module, names in sorted(self._imports.items()) if "" in names]
        for module, names in sorted(self._imports.items()):
            if members := sorted(names - {""}):
                modules.append(f"from {module} import {', '.join(members)}")
        if self._sources:
            modules.insert(0, "from __future__ import annotations\n")
        blocks = [
            "\n".join(modules),
            *(f"\n{text.strip()}\n" for text in self._sources.values()),
            "\n".join(self._lines + self._ends),
        ]
        return "\n\n".join(blocks) + "\n"

    def _needs(self, modules: Mapping[str, set[str]]) -> None:
        for module, names in modules.items():
            self._imports.setdefault(module, set()).update(names)

    def _reference(self, function: Callable[..., Any]) -> str:
        """Returns the expression for a function; adds its import, or the source of a panel's own function."""
        name = function.__name__
        if getattr(figures, name, None) is function:
            self._needs({"viz": {"figures"}})
            return f"figures.{name}"
        if function.__module__.startswith("viz."):
            self._sources[name] = source(function)["text"]
            self._needs(imports(function))
            return name
        if getattr(former, name, None) is function:
            self._needs({"former": {""}})
            return f"former.{name}"
        self._needs({function.__module__: {name}})
        return name

    def _literal(self, value: Any) -> str:
        if isinstance(value, Loaded):
            self._needs({"former": {""}})
            return loading(value)
        if isinstance(value, Tensor):
            self._needs({"torch": {""}})
            return f"torch.tensor({value.tolist()!r})"
        if isinstance(value, tuple):
            return f"({', '.join(map(self._literal, value))}{',' if len(value) == 1 else ''})"
        if isinstance(value, list):
            return f"[{', '.join(map(self._literal, value))}]"
        if isinstance(value, dict):
            return f"{{{', '.join(f'{name!r}: {self._literal(each)}' for name, each in value.items())}}}"
        return repr(value)

    def _named(self, options: Mapping[str, Any]) -> list[str]:
        return [f"{option}={self._literal(value)}" for option, value in options.items()]

    def _call(self, variable: str, function: str, arguments: list[str]) -> None:
        self._rows(f"{variable} = {function}(", arguments, ")")

    def _rows(self, begin: str, parts: list[str], end: str) -> None:
        """Adds a line of code; if it is too long, breaks it between its parts, unless a single part is too long."""
        line = f"{begin}{', '.join(parts)}{end}"
        if len(line) <= WIDTH or max(map(len, parts)) > WIDTH:
            return self._lines.append(line)
        rows = [""]
        for part in parts:
            if rows[-1] and len(f"    {rows[-1]} {part},") > WIDTH:
                rows.append("")
            rows[-1] = f"{rows[-1]} {part},".lstrip()
        self._lines += [begin, *(f"    {row}" for row in rows), end]


def _element(name: str, field: Field) -> str:
    return name + "".join(f"[{json.dumps(key)}]" for key in field.path)


def _without_head(edit: partial[Any]) -> tuple[Any, ...]:
    layer, _, *rest = edit.args
    return edit.func.__name__, str(layer), tuple(rest), tuple(edit.keywords.items())


def program(panel: Panel, models: Models, view: View) -> str:
    """Writes the Python program that computes and draws what a panel shows for a view.

    Raises:
        Refusal: an invalid view.
    """
    written, questions = Program(), panel.printed(view)
    for name, question in questions.items():
        written.answer(name, question, question.arguments(models, view))
    draws = {name: question.draw for name, question in questions.items() if question.draw}
    for name, draw in draws.items():
        last = name == list(draws)[-1]
        written.draw("figure" if last else f"figure_{name}", name, draw)
    for name, question in questions.items():
        if question.fields:
            written.print(name, question.fields)
    return str(written)
