"""The plain routes: what the browser fetches of a pass by its key, and what it has measured on it.

    GET /attention/{key}                  the whole pass, packed (`payload.pack`)
    GET /attention/{key}/{layer}/{head}   one head exactly (`payload.pack_head`)
    GET /attention/{key}/heads            measured: every head's effect, a line of JSON for each layer
    GET /attention/{key}/words            measured: what carried a verdict, in lines of JSON
    GET /attention/{key}/data.npz         the whole pass for other programs

404 where the key was not given out here, as after a restart: the page then asks for the pass anew. What is measured
takes seconds, so it is streamed; its pieces take turns on a few threads, and whoever leaves ends it after at most the
piece at work.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from fastapi import FastAPI, HTTPException, Response
from fastapi.responses import StreamingResponse

from viz.passes import measures, payload
from viz.passes.run import Loaded, Pass
from viz.server.http import BINARY, FOREVER
from viz.tabs.base import Site
from viz.text import en as text

THREADS = 2  # for work of seconds; each piece of it uses the machine's cores
STREAMS = 32  # measurements at once

Measure = Callable[[Loaded, Pass], Iterator[dict[str, Any]]]


class Workshop:
    """Long work off the event loop, in pieces that take turns."""

    def __init__(self) -> None:
        self.active = 0  # measurements being answered; changed on the event loop only
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="measure")

    async def do(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """work(*arguments) on one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)

    async def lines(self, pieces: Iterator[dict[str, Any]]) -> AsyncGenerator[bytes]:
        """Each piece as a line of JSON, as it is ready; a ValueError's message, for the visitor, as {"error"}."""
        self.active += 1
        try:
            while (piece := await self.do(_next, pieces)) is not None:
                yield json.dumps(piece).encode() + b"\n"
        finally:
            self.active -= 1


def _next(pieces: Iterator[dict[str, Any]]) -> dict[str, Any] | None:
    try:
        return next(pieces, None)
    except ValueError as error:
        return {"error": str(error)}


def attach(server: FastAPI, site: Site) -> None:
    """Adds the routes to the server that serves the page."""
    workshop, models, passes = Workshop(), site.models, site.passes

    async def held(key: str) -> tuple[Pass, bytes]:
        found = passes.get(key) or await workshop.do(passes.again, key)
        if found is None:
            raise HTTPException(404)
        return found

    @server.get("/attention/{key}")
    async def whole(key: str) -> Response:
        return Response((await held(key))[1], media_type=BINARY, headers={"Content-Encoding": "gzip"} | FOREVER)

    @server.get("/attention/{key}/data.npz")
    async def arrays(key: str) -> Response:
        made, _ = await held(key)
        name = re.sub(r"[^\w.-]+", "-", made.header["model"], flags=re.ASCII)
        saved = {"Content-Disposition": f'attachment; filename="{name}-all-heads.npz"'}
        return Response(await workshop.do(payload.pack_arrays, made), media_type=BINARY, headers=saved | FOREVER)

    def measured(path: str, measure: Measure) -> None:
        @server.get(f"/attention/{{key}}/{path}")
        async def answer(key: str) -> Response:
            made, _ = await held(key)
            if workshop.active >= STREAMS:
                return Response(json.dumps({"error": text.BUSY_MEASURING}) + "\n", 503)
            pieces = measure(models[made.header["model"]], made)
            headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
            return StreamingResponse(workshop.lines(pieces), 200, headers, "application/x-ndjson")

    measured("heads", measures.heads)
    measured("words", measures.each_word)

    @server.get("/attention/{key}/{layer}/{head}")
    async def one_head(key: str, layer: int, head: int) -> Response:
        made, _ = await held(key)
        try:
            return Response(payload.pack_head(made, layer, head), media_type=BINARY, headers=FOREVER)
        except IndexError:
            raise HTTPException(404) from None
