"""Shipped models that no menu of the page offers: snapshots of a training, and what transformers are compared with."""

from __future__ import annotations

from functools import cache

import former


@cache
def shipped(name: str) -> former.Bundle:
    """A shipped model, loaded when it is first asked for; `name` is one of a section's own, never a visitor's."""
    return former.load(name)
