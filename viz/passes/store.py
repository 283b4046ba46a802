"""A cache of the passes that browsers fetch by key; an evicted pass is computed again when it is requested."""

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
AT_ONCE = 4  # passes computed at the same time
OBJECTS = 8_000  # bytes of a pass without its tensors and body: its header and Python objects
REMEMBERED = 4_096  # orders to keep; each has a text of up to about 16 kB


class Order(NamedTuple):
    """The inputs of a pass."""

    model: str
    text: str
    edits: Sequence[Edit]


class PassStore:
    """A cache of passes by key; evicts the least recently used above a number of bytes. Thread-safe.

    A page may request a pass again after an hour, so the store remembers the inputs of evicted passes and can compute
    them again. A key becomes unknown only after a restart of the server.

    Args:
        models: by name.
        limit: bytes of memory.
    """

    def __init__(self, models: Models, limit: int = LIMIT) -> None:
        self.limit = limit
        self.nbytes = 0
        self._models = models
        self._cache: OrderedDict[str, tuple[Pass, bytes]] = OrderedDict()
        self._orders: OrderedDict[str, Order] = OrderedDict()
        self._lock = threading.Lock()
        self._turns = threading.Semaphore(AT_ONCE)

    def get(self, key: str) -> tuple[Pass, bytes] | None:
        """Returns a pass and its packed body; None if it is not in the cache."""
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
            return self._cache.get(key)

    def remake(self, key: str) -> tuple[Pass, bytes] | None:
        """Returns a pass and its packed body, and computes it again if it was evicted; None for an unknown key."""
        with self._lock:
            order = self._orders.get(key)
        return order and self.make(self._models[order.model], order.text, order.edits)

    def make(self, loaded: Loaded, text: str, edits: Sequence[Edit] = ()) -> tuple[Pass, bytes]:
        """Returns the pass of a text and its packed body, from the cache or computed now.

        Raises:
            Refusal: a text that cannot be run.
        """
        key = key_of(loaded, text, edits)
        with self._turns:  # of many requests for the same pass, most find it cached when their turn comes
            if entry := self.get(key):
                return entry
            pass_ = run(loaded, text, edits)
            entry = pass_, payload.pack(pass_)
            self._put(key, entry, Order(loaded.name, text, edits))
            return entry

    def _put(self, key: str, entry: tuple[Pass, bytes], order: Order) -> None:
        """Caches a pass, evicting the least recently used ones; it is kept even if it is larger than the limit."""
        with self._lock:
            if key not in self._cache:  # two threads may have computed it at the same time
                while self._cache and self.nbytes + size(*entry) > self.limit:
                    self.nbytes -= size(*self._cache.popitem(last=False)[1])
                self._cache[key] = entry
                self.nbytes += size(*entry)
            self._cache.move_to_end(key)
            self._orders[key] = order
            self._orders.move_to_end(key)
            if len(self._orders) > REMEMBERED:
                self._orders.popitem(last=False)


def size(pass_: Pass, body: bytes) -> int:
    """Returns the bytes of a pass and its packed body."""
    return pass_.nbytes + len(body) + OBJECTS
