"""A cache of the passes that browsers fetch by key; an evicted pass is computed again when it is requested."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from former.runs import Run
from viz.passes import payload
from viz.passes.edits import Edit
from viz.passes.loaded import Loaded, Models
from viz.passes.maps import maps_of
from viz.passes.run import Pass, RunRequest, describe, key_of, request
from viz.shared import InMemory
from viz.shared.protocol import Shared

LIMIT = 256 << 20  # bytes of passes, packed bodies included
AT_ONCE = 4  # passes computed at the same time
OBJECTS = 8_000  # bytes of a pass without its tensors and body: its header and Python objects


class PassStore:
    """A cache of passes by key; evicts the least recently used above a number of bytes. Thread-safe.

    A page may request a pass again after an hour, and from another replica of the app. So the replicas share the inputs
    of passes, from which any of them can compute one again, and the packed bodies. A key becomes unknown when its entry
    is dropped, and after a restart of the server.

    Args:
        models: by name.
        shared: storage that the replicas have in common.
        limit: bytes of memory.
    """

    def __init__(self, models: Models, shared: Shared | None = None, limit: int = LIMIT) -> None:
        self.limit = limit
        self.nbytes = 0
        self._models = models
        self._shared = shared or InMemory()
        self._cache: OrderedDict[str, tuple[Pass, bytes]] = OrderedDict()
        self._lock = threading.Lock()
        self._turns = threading.Semaphore(AT_ONCE)

    def get(self, key: str) -> tuple[Pass, bytes] | None:
        """Returns a pass and its packed body; None if it is not in the cache."""
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
            return self._cache.get(key)

    def run_of(self, asked: RunRequest, *, fast: bool = False) -> Run:
        """Returns the run that a request asks for: the cached pass's, or else a new one. With `fast`, a new run is of
        the model's fast twin."""
        entry = self.get(key_of(asked.loaded, asked.reading.text, asked.edits, self._shared.secret))
        return replace(entry[0].run, source=asked.loaded.fast_bundle) if entry else asked.run(fast=fast)

    def shared_body(self, key: str) -> bytes | None:
        """Returns a packed body that a replica has shared; None if there is none.

        Raises:
            Busy: the shared storage cannot be reached.
        """
        body = self._shared.bodies.get(key)
        return body if body and payload.key_in(body) == key else None

    def remake(self, key: str) -> tuple[Pass, bytes] | None:
        """Returns a pass and its packed body, computed again if it is not in the cache; None for an unknown key.

        Raises:
            Busy: the shared storage cannot be reached.
        """
        order = self._shared.orders.get(key)
        try:
            model, text, edits = json.loads(order or b"null")
            loaded = self._models[model]
            known = key_of(loaded, text, edits, self._shared.secret) == key  # so a replica has written it
        except (ValueError, TypeError, KeyError):
            return None
        return self.make(loaded, text, edits) if known else None

    def make(self, loaded: Loaded, text: str, edits: Sequence[Edit] = ()) -> tuple[Pass, bytes]:
        """Returns the pass of a text and its packed body, from the cache or computed now. The pass's run has no model;
        `run_of` gives it one.

        Raises:
            Refusal: a text that cannot be run, or the shared storage cannot be reached.
        """
        secret = self._shared.secret
        key = key_of(loaded, text, edits, secret)
        order = json.dumps([loaded.name, text, list(edits)]).encode()
        with self._turns:  # of many requests for the same pass, most find it cached when their turn comes
            entry = self.get(key)
            if entry is None:
                pass_, body = compute(loaded, text, edits, secret)
                # Without the model: a cached pass must not keep a snapshot in memory that is no longer cached itself.
                entry = replace(pass_, run=replace(pass_.run, source=replace(loaded.bundle, model=None))), body
                self._shared.bodies.put(key, entry[1])
            self._shared.orders.put(key, order)  # of a cached pass too: the shared copy may have been lost
            self._put(key, entry)
            return entry

    def _put(self, key: str, entry: tuple[Pass, bytes]) -> None:
        """Caches a pass, evicting the least recently used ones; it is kept even if it is larger than the limit."""
        with self._lock:
            if key not in self._cache:  # two threads may have computed it at the same time
                while self._cache and self.nbytes + size(*entry) > self.limit:
                    self.nbytes -= size(*self._cache.popitem(last=False)[1])
                self._cache[key] = entry
                self.nbytes += size(*entry)
            self._cache.move_to_end(key)


def compute(loaded: Loaded, text: str, edits: Sequence[Edit], secret: bytes) -> tuple[Pass, bytes]:
    """Returns the pass of a text, and its packed body. One thread packs the maps while they are described.

    Raises:
        Refusal: a text that cannot be run.
    """
    edited = request(loaded, text, edits).run(fast=True)
    maps = maps_of(edited)
    with ThreadPoolExecutor(1) as beside:
        packed = beside.submit(payload.PackedMaps, maps)
        pass_ = describe(loaded, text, edits, edited, maps, secret)
        return pass_, packed.result().with_header(pass_.header)


def size(pass_: Pass, body: bytes) -> int:
    """Returns the bytes of a pass and its packed body."""
    return pass_.nbytes + len(body) + OBJECTS
