"""Shipped models that are in no menu of the page: snapshots, and models without attention, for comparison."""

from __future__ import annotations

from functools import cache

import former


@cache
def load_shipped(name: str) -> former.Bundle:
    """Loads a shipped model on demand; `name` is fixed in a section, never a visitor's input."""
    return former.load(name)
