"""Tab Generate: watch a model write, one token at a time.

The parts of the tab share `former.writing` in the browser (`viz/components/lib/writing.js`), which holds the text and
its branches. Python is asked by one plain route, and answers with a stream: unlike a component's value, of which a busy
page sees only the latest, a stream loses no token; a slow reader holds it up; and it ends when the reader goes.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gradio as gr
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from viz import routes, text, writing
from viz.components import lesson, part
from viz.passes import Models

STREAMS = 100  # at once; the model's steps are shared out between them
STREAM_HEADERS = {"Content-Encoding": "gzip", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class Writers:
    """All that write at once: their steps take turns on a few threads, so none waits long and no request does.

    Args:
        models: by name; those that can write are used.
        threads: for the model's steps. A step runs on one core and lets other threads run meanwhile.
    """

    def __init__(self, models: Models, threads: int | None = None) -> None:
        self.models = {name: loaded for name, loaded in models.items() if loaded.causal}
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
    asked = routes.read_object(body)
    if not isinstance(name := asked.get("model"), str) or name not in writers.models:
        raise ValueError(text.BAD_ORDER)
    return name, writing.read_order(writers.models[name], asked)


def attach(server: FastAPI, writers: Writers) -> None:
    """The route: POST /write with a JSON object (`writing.read_order`, and "model"), answered by a stream of frames."""

    @server.post("/write")
    async def write(request: Request) -> Response:
        if writers.active >= STREAMS:
            return JSONResponse({"error": text.BUSY}, 503)
        try:
            name, order = read(writers, await routes.limited_body(request))
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 422)
        return StreamingResponse(writers.answer(name, order), 200, STREAM_HEADERS, "application/octet-stream")


def settings(writers: Writers) -> dict[str, Any]:
    """What the tab's scripts have to know of the models and the limits."""
    return {
        "models": {
            name: {"layers": config.depth, "heads": config.heads, "context": config.seq_length}
            for name, loaded in writers.models.items()
            for config in [loaded.bundle.config]
        },
        "text": text.EXAMPLES["generator"][1],
        "limits": {"length": writing.LENGTH_LIMIT, "written": writing.WRITTEN_LIMIT, "seed": writing.SEED_LIMIT - 1},
    }


def render(writers: Writers) -> None:
    """Lays out the tab; its parts talk to each other in the browser."""
    if not writers.models:
        gr.Markdown(text.NO_WRITER)
        return
    lesson("generate")
    part("writing_controls", settings(writers))
    with gr.Row(equal_height=False):
        with gr.Column(scale=3, min_width=320):
            part("written_text")
        with gr.Column(scale=2, min_width=320):
            part("next_token")
            part("trail")
