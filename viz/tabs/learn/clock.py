"""What a piece of work takes on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def seconds(work: Callable[[], Any]) -> float:
    """What it takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
