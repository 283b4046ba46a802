"""The source of a function, read from its file, and the imports that it needs to run elsewhere."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def source(function: Callable[..., Any]) -> dict[str, Any]:
    """Returns where a function is defined, and its source: "name", "file", "line" and "text"."""
    function = inspect.unwrap(function)  # a decorator such as torch.no_grad is defined in another file
    lines, first = inspect.getsourcelines(function)
    file = Path(inspect.getsourcefile(function) or "").resolve()
    return {
        "name": function.__qualname__,
        "file": file.relative_to(ROOT).as_posix(),
        "line": first,
        "text": inspect.cleandoc("".join(lines)) if lines[0].startswith(" ") else "".join(lines),
    }


def imports(function: Callable[..., Any]) -> dict[str, set[str]]:
    """Returns the imports that a function's source needs: names by module, with "" for the module itself.

    Names in annotations are not needed, because the program begins with `from __future__ import annotations`.
    """
    function = inspect.unwrap(function)
    needed: dict[str, set[str]] = {}
    for name in sorted(_names(source(function)["text"]) & function.__globals__.keys()):
        if name != function.__name__:
            module, taken = _home(name, function.__globals__[name], function.__module__)
            needed.setdefault(module, set()).add(taken)
    return needed


def _names(text: str) -> set[str]:
    """Returns the names that a source refers to, except in annotations."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _home(name: str, value: Any, module: str) -> tuple[str, str]:
    """Returns the module to import a name from, and the name to import; "" for the module itself."""
    if isinstance(value, ModuleType):
        parent, _, last = value.__name__.rpartition(".")
        return (parent, _renamed(last, name)) if parent else (value.__name__, "")
    own = getattr(value, "__name__", None)
    home = getattr(value, "__module__", None)
    if own and home and getattr(sys.modules[home], own, None) is value:
        return home, _renamed(own, name)
    return module, name


def _renamed(own: str, name: str) -> str:
    return own if own == name else f"{own} as {name}"
