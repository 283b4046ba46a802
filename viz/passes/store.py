"""The passes that browsers fetch by key: the newest are held, and one held before is made again when asked for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from viz.passes import payload
from viz.passes.edits import Edit
from viz.passes.loaded import Loaded, Models
from viz.passes.run import Pass, key_of, run

LIMIT = 256 << 20  # bytes of passes, packed bodies included
AT_ONCE = 4  # passes being made
OBJECTS = 8_000  # bytes of a pass beside its tensors and body: its header, and what holds it together
REMEMBERED = 4_096  # passes that can be made again: each a text of up to some 16 kB


class Order(NamedTuple):
    """All that a pass comes from."""

    model: str
    text: str
    edits: Sequence[Edit]


class PassStore:
    """The passes that browsers may fetch: the most recently used, up to a number of bytes. Safe between threads.

    A page may come back to a pass after an hour: of those dropped the store remembers what they were made from, and
    makes them again. Only after a restart is a key unknown.

    Args:
        models: by name.
        limit: bytes of memory.
    """

    def __init__(self, models: Models, limit: int = LIMIT) -> None:
        self.limit = limit
        self.nbytes = 0
        self._models = models
        self._held: OrderedDict[str, tuple[Pass, bytes]] = OrderedDict()
        self._orders: OrderedDict[str, Order] = OrderedDict()
        self._lock = threading.Lock()
        self._turns = threading.Semaphore(AT_ONCE)

    def get(self, key: str) -> tuple[Pass, bytes] | None:
        """A pass and its packed body; None where it is not held."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def again(self, key: str) -> tuple[Pass, bytes] | None:
        """As `get`, but one that was held before is made again; None where the key was never given out."""
        with self._lock:
            order = self._orders.get(key)
        return order and self.make(self._models[order.model], order.text, order.edits)

    def make(self, loaded: Loaded, text: str, edits: Sequence[Edit] = ()) -> tuple[Pass, bytes]:
        """The pass of a text, run unless it is held, and its packed body.

        Raises:
            Refusal: a text that cannot be run.
        """
        key = key_of(loaded, text, edits)
        with self._turns:  # of many who ask for the same, most find it held when their turn comes
            if found := self.get(key):
                return found
            made = run(loaded, text, edits)
            found = made, payload.pack(made)
            self._put(key, found, Order(loaded.name, text, edits))
            return found

    def _put(self, key: str, found: tuple[Pass, bytes], order: Order) -> None:
        """Holds a pass; first the least recently used go until it fits. It stays, whatever its size."""
        with self._lock:
            if key not in self._held:  # else two threads made it at once
                while self._held and self.nbytes + size(*found) > self.limit:
                    self.nbytes -= size(*self._held.popitem(last=False)[1])
                self._held[key] = found
                self.nbytes += size(*found)
            self._held.move_to_end(key)
            self._orders[key] = order
            self._orders.move_to_end(key)
            if len(self._orders) > REMEMBERED:
                self._orders.popitem(last=False)


def size(made: Pass, body: bytes) -> int:
    """Bytes that a pass and its packed body take."""
    return made.nbytes + len(body) + OBJECTS
