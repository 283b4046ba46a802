"""Shipped models, loaded on demand, because not all of them are in the page's lists."""

from __future__ import annotations

from functools import cache

import former
from viz.passes.loaded import Loaded


@cache
def load(name: str) -> Loaded:
    """Loads a shipped model; `name` is fixed in a section, never a visitor's input."""
    return Loaded(name, former.load(name), name)
