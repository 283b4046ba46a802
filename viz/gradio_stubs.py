"""Keeps Gradio from writing stub files for editors (.pyi), which takes 40 % of its import: 1.1 s of a processor."""

from __future__ import annotations

import importlib.util
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import ModuleType
from typing import Any

MODULE, WRITER = "gradio.component_meta", "create_or_modify_pyi"


class Stubless(SourceFileLoader):
    """Loads a module, and puts a function that does nothing in place of its writer of stubs."""

    def exec_module(self, module: ModuleType) -> None:
        """Runs the module."""
        super().exec_module(module)
        if hasattr(module, WRITER):
            setattr(module, WRITER, lambda *_: None)


class Finder(MetaPathFinder):
    """Finds the module that writes the stubs, once, for `Stubless` to load."""

    def find_spec(self, fullname: str, *_: Any) -> ModuleSpec | None:
        """Returns the module's spec, and None for any other."""
        if fullname != MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec and spec.origin:
            spec.loader = Stubless(fullname, spec.origin)
        return spec


def skip() -> None:
    """Skips the stubs when Gradio is imported later; does nothing if it has been imported."""
    if MODULE not in sys.modules:
        sys.meta_path.insert(0, Finder())
