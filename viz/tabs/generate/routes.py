"""The routes of tab Generate: POST /write, answered by a stream, and POST /written.

A component's value would show a busy page only the latest token. A stream loses no token, waits for a slow reader, and
ends when the reader leaves. A request that draws nothing, for a few known tokens or none, has the same answer for all
clients, such as a class that follows a teacher: it is computed once and shared.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from functools import partial

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from viz.passes.loaded import Loaded, writers
from viz.passes.run import digest
from viz.server import http
from viz.server.clients import Slots
from viz.server.view import read_model
from viz.server.work import Listener, Work
from viz.tabs.base import Site
from viz.tabs.generate import next_token, stream

STREAMS = 200  # at once; the model's steps are shared out between their clients


async def in_pace(work: Work, loaded: Loaded, order: next_token.Order) -> AsyncGenerator[bytes]:
    """Yields the frames of an order at the pace that it asks for; ends at the next step after its client disconnects.

    The model's steps take turns with those of other streams, so none waits long.
    """
    loop = asyncio.get_running_loop()
    frames = stream.frames(loaded.fast, loaded.bundle.tokenizer, order)
    due, shown = loop.time(), 0
    while (frame := await work.step(lambda: next(frames, None))) is not None:
        yield frame
        shown += 1
        if shown > len(order.given):  # late by one frame at most, never in bursts
            due = max(due, loop.time() - 1 / order.pace) + 1 / order.pace
            await asyncio.sleep(due - loop.time())


def answer(slots: Slots, frames: AsyncGenerator[bytes]) -> http.StreamResponse:
    """Starts the response that streams `frames`. It takes one of the client's slots until all are sent or the client
    leaves.

    Raises:
        Busy: the client already has as many streams as its share allows.
    """
    who = slots.take("busy_writing")
    return http.StreamResponse(frames, http.BINARY, lambda: slots.give_back(who), http.GZIPPED)


def attach(server: FastAPI, site: Site) -> None:
    """Adds the routes /write and /written to the server that serves the page. Both take a JSON object
    (`stream.read_order`, and "model").

    POST /write answers with a stream of frames, POST /written with {"text", "rest"}, see `next_token.decode`.
    """
    slots = Slots(STREAMS)

    async def read(request: Request) -> tuple[Loaded, next_token.Order]:
        body = await http.read_object(request)
        loaded = read_model(writers(site.models), body)  # a model may have come
        return loaded, await site.work.step(stream.read_order, loaded, body)

    @server.post("/written")
    @http.refusals_as_json
    async def written(request: Request) -> Response:
        loaded, order = await read(request)
        text, rest = await site.work.step(next_token.decode, loaded.bundle.tokenizer, order.ids)
        return JSONResponse({"text": text, "rest": rest})

    @server.post("/write")
    @http.refusals_as_json
    async def write(request: Request) -> Response:
        loaded, order = await read(request)
        if order.length == len(order.given) <= stream.SHARED:
            key = digest(
                "/write", loaded.name, order.ids, order.prompt, order.given, order.rules, order.seed, order.remarks
            )
            frames = partial(stream.frames, loaded.fast, loaded.bundle.tokenizer, order)
            listener = Listener()
            shared = await site.work.stream(key, frames, listener, quick=True)
            return http.StreamResponse(shared, http.BINARY, listener.leave, http.GZIPPED)
        return answer(slots, in_pace(site.work, loaded, order))
