"""The plain routes: what the browser fetches of a pass by its key, and what it has measured on it.

    POST /attention                       {"model", "text", "edits"} → {"key" of its pass, "notes"} (`answer.answer`)
    GET /attention/{key}                  the whole pass, packed (`payload.pack`)
    GET /attention/{key}/{map}/{layer}/{head}   one head exactly (`payload.pack_head`); for head: mean or rollout
    GET /attention/{key}/heads            measured: every head's effect, a line of JSON for each layer
    GET /attention/{key}/words            measured: what carried a verdict, in lines of JSON
    GET /attention/{key}/lens             what the model would say at each depth (`lens.lens`)
    GET /attention/{key}/writes/{map}/{layer}/{head}/{at}   what a head writes at a place (`writes.writes`); ?token=ID
    GET /attention/{key}/trace/{map}/{layer}/{head}/{query}/{seen}/{part}/{at}   a number followed back (`trace.trace`)
    GET /attention/{key}/data.npz         the whole pass for other programs

404 where the key was not given out here, as after a restart: the page then asks for the pass anew. What is measured
takes seconds, so it is streamed, and shared by all who ask for it.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from functools import partial
from typing import Any, Literal

from fastapi import FastAPI, HTTPException, Request, Response

from viz.passes import lens, measures, payload, trace, writes
from viz.passes.loaded import Loaded
from viz.passes.run import Pass
from viz.server import http
from viz.server.http import BINARY, FOREVER
from viz.server.work import Listener
from viz.server.work import attach as attach_answers
from viz.tabs.base import Site
from viz.tabs.explore.answer import answer
from viz.text import Refusal

Measure = Callable[[Loaded, Pass], Iterator[dict[str, Any]]]


def lines(pieces: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    """Each piece as a line of JSON."""
    return (json.dumps(piece).encode() + b"\n" for piece in pieces)


async def told(pieces: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """The lines; a refusal is the last."""
    try:
        async for piece in pieces:
            yield piece
    except Refusal as refusal:
        yield http.error(refusal) + b"\n"
    finally:
        await pieces.aclose()


def attach(server: FastAPI, site: Site) -> None:
    """Adds the routes to the server that serves the page."""
    work, models, passes = site.work, site.models, site.passes
    attach_answers(server, work, {"/attention": partial(answer, models, passes)})

    async def held(key: str) -> tuple[Pass, bytes]:
        found = passes.get(key) or await work.turn(passes.remake, key)
        if found is None:
            raise HTTPException(404)
        return found

    @server.get("/attention/{key}")
    async def whole(key: str, request: Request) -> Response:
        _, packed = await held(key)
        body, encoding = await work.step(payload.compress, packed, request.headers.get("accept-encoding", ""))
        encoded = {"Content-Encoding": encoding, "Vary": "Accept-Encoding"}
        return Response(body, media_type=BINARY, headers=encoded | FOREVER)

    @server.get("/attention/{key}/data.npz")
    async def arrays(key: str) -> Response:
        made, _ = await held(key)
        name = re.sub(r"[^\w.-]+", "-", made.header["model"], flags=re.ASCII)
        saved = {"Content-Disposition": f'attachment; filename="{name}-all-heads.npz"'}
        return Response(await work.turn(payload.pack_arrays, made), media_type=BINARY, headers=saved | FOREVER)

    def measured(path: str, measure: Measure) -> None:
        @server.get(f"/attention/{{key}}/{path}")
        @http.answers
        async def answer(key: str) -> Response:
            made, _ = await held(key)
            loaded, listener = models[made.header["model"]], Listener()
            pieces = await work.stream(f"{key}/{path}", lambda: lines(measure(loaded, made)), listener)
            return http.StreamResponse(told(pieces), http.LINES, listener.leave)

    measured("heads", measures.heads)
    measured("words", measures.each_word)

    attach_of_heads(server, site, held)

    @server.get("/attention/{key}/{name}/{layer}/{head}")
    async def exactly(key: str, name: str, layer: int, head: Literal["mean", "rollout"] | int) -> Response:
        made, _ = await held(key)
        try:
            each = made.map(name)
            if head == "mean":
                body = payload.pack_mean(each, layer)
            elif head == "rollout":
                body = await work.step(payload.pack_rollout, each, layer)
            else:
                body = payload.pack_head(each, layer, head)
        except LookupError:
            raise HTTPException(404) from None
        return Response(body, media_type=BINARY, headers=FOREVER)


def attach_of_heads(server: FastAPI, site: Site, held: Callable[[str], Awaitable[tuple[Pass, bytes]]]) -> None:
    """Adds those that answer once, in JSON: what stands at each depth, and what one head does at one place."""
    work, models = site.work, site.models

    async def told_once(request: Request, key: str, path: str, make: Callable[..., Any], *arguments: Any) -> Response:
        """make(model, pass, *arguments) as JSON, made once for all who ask for the same."""
        made, _ = await held(key)

        def pieces() -> Iterator[bytes]:
            yield gzip.compress(json.dumps(make(models[made.header["model"]], made, *arguments)).encode(), 6)

        body = await work.whole(f"{key}/{path}/{arguments}", pieces, request)
        headers = {"Content-Encoding": "gzip"} | FOREVER
        return Response(body, 200, headers, "application/json") if body else Response(status_code=http.GONE)

    @server.get("/attention/{key}/lens")
    @http.answers
    async def at_each_depth(key: str, request: Request) -> Response:
        return await told_once(request, key, "lens", lens.lens)

    @server.get("/attention/{key}/writes/{name}/{layer}/{head}/{at}")
    @http.answers
    async def written(
        key: str, name: str, layer: int, head: int, at: int, request: Request, token: int | None = None
    ) -> Response:
        try:
            return await told_once(request, key, "writes", writes.writes, name, layer, head, at, token)
        except LookupError:
            raise HTTPException(404) from None

    @server.get("/attention/{key}/trace/{name}/{layer}/{head}/{query}/{seen}/{part}/{at}")
    @http.answers
    async def traced(
        key: str, name: str, layer: int, head: int, query: int, seen: int, part: str, at: int, request: Request
    ) -> Response:
        place = name, layer, head, query, seen, part, at
        try:
            return await told_once(request, key, "trace", trace.trace, *place)
        except LookupError:
            raise HTTPException(404) from None
