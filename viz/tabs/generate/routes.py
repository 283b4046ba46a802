"""The route of tab Generate: POST /write, answered by a stream.

Unlike a component's value, of which a busy page sees only the latest, a stream loses no token; a slow reader holds it
up; and it ends when the reader goes.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from viz.passes.run import Models, writers
from viz.server import http
from viz.tabs.base import Site
from viz.tabs.generate import writing
from viz.text import en as text

STREAMS = 100  # at once; the model's steps are shared out between them
STREAM_HEADERS = {"Content-Encoding": "gzip", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class Writers:
    """All that write at once: their steps take turns on a few threads, so none waits long and no request does.

    Args:
        models: by name; those that can write are used.
        threads: for the model's steps. A step runs on one core and lets other threads run meanwhile.
    """

    def __init__(self, models: Models, threads: int | None = None) -> None:
        self.models = writers(models)
        self.fast = {name: loaded.fast for name, loaded in self.models.items()}
        self.active = 0  # streams being answered; changed on the event loop only
        self._pool = ThreadPoolExecutor(threads or os.cpu_count() or 1, thread_name_prefix="write")

    async def answer(self, name: str, order: writing.Order) -> AsyncIterator[bytes]:
        """The frames of an order at its pace. Whoever stops listening ends it, after at most the step at work."""
        loop = asyncio.get_running_loop()
        frames = writing.frames(self.fast[name], self.models[name].bundle.tokenizer, order)
        due, shown = loop.time(), 0
        self.active += 1
        try:
            while (frame := await loop.run_in_executor(self._pool, _next, frames)) is not None:
                yield frame
                shown += 1
                if shown > len(order.given):
                    due = (
                        max(due, loop.time() - 1 / order.pace) + 1 / order.pace
                    )  # late by one at most, never in bursts
                    await asyncio.sleep(due - loop.time())
        finally:
            self.active -= 1


def _next(frames: Iterator[bytes]) -> bytes | None:
    return next(frames, None)


def read(writers: Writers, body: bytes) -> tuple[str, writing.Order]:
    """A request's model and order.

    Raises:
        ValueError: a request that cannot be answered; the message is for the visitor.
    """
    asked = http.read_object(body)
    if not isinstance(name := asked.get("model"), str) or name not in writers.models:
        raise ValueError(text.BAD_ORDER)
    return name, writing.read_order(writers.models[name], asked)


def attach(server: FastAPI, site: Site) -> None:
    """The route: POST /write with a JSON object (`writing.read_order`, and "model"), answered by a stream of frames."""
    writers = site.once(Writers)

    @server.post("/write")
    async def write(request: Request) -> Response:
        if writers.active >= STREAMS:
            return JSONResponse({"error": text.BUSY}, 503)
        try:
            name, order = read(writers, await http.limited_body(request))
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 422)
        return StreamingResponse(writers.answer(name, order), 200, STREAM_HEADERS, "application/octet-stream")
