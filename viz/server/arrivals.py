"""Models that are downloaded while the page, with all other models, is already there.

GET /arrivals   [{"name", "state": "fetching" | "opening" | "here" | "failed", "done" and "total": bytes,
                  "why": a note}]
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse

from former import CheckpointError
from former.pretrained.files import NotDownloaded
from viz.passes import sources
from viz.passes.loaded import Loaded
from viz.server import http
from viz.text import Note, note


@dataclass
class Arrival:
    """A repository that is being downloaded."""

    name: str
    state: str = "fetching"
    done: int = 0  # bytes
    total: int = 0  # bytes of the files whose download has begun; 0 if unknown
    why: Note | None = None  # why it failed

    def report(self, done: int, total: int) -> None:
        """Records the progress of the download; if several progress bars report, the one with the most bytes counts."""
        self.done, self.total = max(self.done, done), max(self.total, total)

    def open(self, models: dict[str, Loaded], revisions: Sequence[str] = ()) -> bool:
        """Downloads and opens the model, and adds it to `models`; returns whether it could."""
        try:
            if revisions:
                loaded = sources.open_revisions(self.name, revisions, models, self.report)
            else:
                loaded = sources.open_model(self.name, models, self.report)
        except CheckpointError as error:
            self.state, self.why = "failed", reason(error)
            print(error, flush=True)
            return False
        self.state = "opening"
        _ = loaded.fast  # built before anyone waits for it
        models[loaded.name] = loaded
        print(sources.summary(loaded), flush=True)
        return True


def reason(error: CheckpointError) -> Note:
    """Returns a note that tells visitors why a model could not be loaded; only the terminal prints the error itself."""
    if isinstance(error, NotDownloaded):
        return note("arrival_not_downloaded")
    if isinstance(error, sources.NotShown):
        return note("arrival_not_shown")
    if isinstance(error, sources.OutOfMemory):
        return note("arrival_out_of_memory", needed=round(error.needed, 1), free=round(error.free, 1))
    return note("arrival_damaged")


class Arrivals:
    """The downloads of a server, one after another.

    Args:
        names: of the repositories.
        revisions: to download of each, see `sources.open_revisions`; none for the main branch alone.
    """

    def __init__(self, names: Sequence[str] = (), revisions: Sequence[str] = ()) -> None:
        self.all = [Arrival(name) for name in names]
        self._revisions = revisions
        self._not_open = set(names)

    @property
    def expected(self) -> bool:
        """Whether a download is unfinished or has failed, so that the page has to show a message."""
        return bool(self._not_open)

    def start(self, models: dict[str, Loaded], arrived: Callable[[], Any]) -> threading.Thread:
        """Starts the thread that downloads; `arrived` is called after each model that was added to `models`."""

        def work() -> None:
            for each in self.all:
                try:
                    if each.open(models, self._revisions):
                        self._not_open.discard(each.name)
                        arrived()
                        each.state = "here"  # only now: a page that is reloaded on this news must find the model
                except Exception as error:  # of this model alone: the others still arrive
                    traceback.print_exception(error)
                    each.state, each.why = "failed", note("arrival_damaged")

        thread = threading.Thread(target=work, name="arrivals", daemon=True)
        thread.start()
        return thread

    def attach(self, server: FastAPI) -> None:
        """Adds the route GET /arrivals to the server that serves the page."""

        @server.get("/arrivals")
        async def arrivals() -> JSONResponse:
            return JSONResponse([asdict(each) for each in self.all], headers=http.FRESH)
