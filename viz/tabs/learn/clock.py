"""Measures the time of a computation on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def seconds(work: Callable[[], Any]) -> float:
    """Returns the time that work() takes, in seconds."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
