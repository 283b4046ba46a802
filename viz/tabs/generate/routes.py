"""The route of tab Generate: POST /write, answered by a stream.

Unlike a component's value, of which a busy page sees only the latest, a stream loses no token; a slow reader holds it
up; and it ends when the reader goes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse

from viz.passes.run import Loaded, writers
from viz.server import http
from viz.server.clients import Places, client
from viz.server.work import Work
from viz.tabs.base import Site
from viz.tabs.generate import writing
from viz.text import Busy, Refusal

STREAMS = 200  # at once; the model's steps are shared out between their clients


class Writing:
    """All streams at once: their steps take turns, so none waits long."""

    def __init__(self, work: Work) -> None:
        self._places = Places(STREAMS)
        self._work = work

    @property
    def active(self) -> int:
        """How many there are."""
        return self._places.taken

    def open(self) -> bool:
        """Whether the client of this request may have one more."""
        return self._places.open_to(client.get())

    async def frames(self, loaded: Loaded, order: writing.Order) -> AsyncGenerator[bytes]:
        """The frames of an order at its pace. Whoever stops listening ends it, after at most the step at work."""
        loop = asyncio.get_running_loop()
        frames = writing.frames(loaded.fast, loaded.bundle.tokenizer, order)
        due, shown = loop.time(), 0
        who = client.get()
        self._places.take(who)
        try:
            while (frame := await self._work.step(lambda: next(frames, None))) is not None:
                yield frame
                shown += 1
                if shown > len(order.given):  # late by one frame at most, never in bursts
                    due = max(due, loop.time() - 1 / order.pace) + 1 / order.pace
                    await asyncio.sleep(due - loop.time())
        finally:
            self._places.give_back(who)


def attach(server: FastAPI, site: Site) -> None:
    """The route: POST /write with a JSON object (`writing.read_order`, and "model"), answered by a stream of frames."""
    models, streams = writers(site.models), Writing(site.work)

    @server.post("/write")
    @http.answers
    async def write(request: Request) -> Response:
        if not streams.open():
            raise Busy("busy_writing")
        asked = await http.read_object(request)
        name = asked.get("model")
        if not isinstance(name, str) or name not in models:
            raise Refusal("bad_request")
        frames = streams.frames(models[name], writing.read_order(models[name], asked))
        return StreamingResponse(frames, 200, http.STREAM | {"Content-Encoding": "gzip"}, http.BINARY)
