"""Storage in the memory of a single process, lost when it ends."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from viz.shared.protocol import State

ORDERS = 4_096  # each has a text of up to about 16 kB
TRAINED = 16  # models, of about 0.6 MB each


class MemoryShelf:
    """A `Shelf` of the newest values, up to a number of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, key: str, value: bytes) -> None:
        """Stores a value under a key, as the newest one; drops the oldest if there are too many."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._most:
                self._values.popitem(last=False)

    def get(self, key: str) -> bytes | None:
        """Returns a value; None if the key has none."""
        return self._values.get(key)


class MemoryLog:
    """A `Log` for a single process."""

    def __init__(self, state: State, clock: Callable[[], float]) -> None:
        self._state, self._clock = state, clock

    async def ready(self) -> None:
        """Returns at once, because the state can always be read."""

    async def change(self, name: str, *arguments: Any) -> Any:
        """Makes a change of the state and returns its result."""
        return self._state.apply(name, arguments, self._clock())

    def submit(self, name: str, *arguments: Any) -> None:
        """Makes a change of the state without a result; a change that the state refuses is lost."""
        with contextlib.suppress(ValueError):
            self._state.apply(name, arguments, self._clock())


class InMemory:
    """Implements `Shared` for a single process.

    Args:
        clock: the time of changes, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self.secret = secrets.token_bytes(32)
        self.orders, self.trained = MemoryShelf(ORDERS), MemoryShelf(TRAINED)
        self.bodies = MemoryShelf(0)  # the store of passes holds those that it made

    def log(self, name: str, state: State) -> MemoryLog:
        """Returns the log that makes a state's changes; no other process has a copy."""
        del name
        return MemoryLog(state, self._clock)
