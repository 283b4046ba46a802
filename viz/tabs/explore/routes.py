"""The routes of tab Explore: passes by their key.

    POST /attention                       {"model", "text", "edits"} → {"key" of its pass, "notes"} (`answer.answer`)
    GET /attention/{key}                  the whole pass, packed (`payload.PackedMaps`)
    GET /attention/{key}/{map}/{layer}/{head}   one head exactly (`payload.pack_head`); for head: mean or rollout
    GET /attention/{key}/data.npz         the whole pass for other programs

They answer 404 for an unknown key, as after a restart of the server; the page then posts the text again.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Literal

from fastapi import FastAPI, HTTPException, Request, Response

from viz.passes import payload
from viz.passes.run import Pass
from viz.server import http
from viz.server.http import BINARY, FOREVER
from viz.server.work import attach as attach_answers
from viz.tabs.base import Site
from viz.tabs.explore.answer import answer

GetPass = Callable[[Request, str], Awaitable[tuple[Pass, bytes]]]  # raises HTTPException for an unknown key


def attach(server: FastAPI, site: Site) -> None:
    """Adds the routes that compute and send passes to the server that serves the page."""
    work, models, passes = site.work, site.models, site.passes
    asked = {"/attention": partial(answer, models, passes)}
    attach_answers(server, work, asked, lambda: site.shared.secret, kept=False)  # a key is dropped at some time

    async def get_pass(request: Request, key: str) -> tuple[Pass, bytes]:
        entry = passes.get(key) or await work.turn(request, passes.remake, key)
        if entry is None:
            raise HTTPException(404)
        return entry

    @server.get("/attention/{key}")
    @http.refusals_as_json
    async def whole(request: Request, key: str) -> Response:
        known = passes.get(key)
        packed = known[1] if known else await work.step(passes.shared_body, key) or (await get_pass(request, key))[1]
        return Response(packed, media_type=BINARY, headers=http.GZIPPED | FOREVER)

    @server.get("/attention/{key}/data.npz")
    @http.refusals_as_json
    async def arrays(request: Request, key: str) -> Response:
        pass_, _ = await get_pass(request, key)
        name = re.sub(r"[^\w.-]+", "-", pass_.header["model"], flags=re.ASCII)
        download = {"Content-Disposition": f'attachment; filename="{name}-all-heads.npz"'}
        packed = await work.turn(request, payload.pack_arrays, pass_)
        return Response(packed, media_type=BINARY, headers=download | FOREVER)

    attach_head(server, site, get_pass)


def attach_head(server: FastAPI, site: Site, get_pass: GetPass) -> None:
    """Adds the route of one head. `get_pass` finds a pass by its key."""

    @server.get("/attention/{key}/{name}/{layer}/{head}")
    @http.refusals_as_json
    async def exactly(
        request: Request, key: str, name: str, layer: int, head: Literal["mean", "rollout"] | int
    ) -> Response:
        pass_, _ = await get_pass(request, key)
        tokenizer = pass_.run.source.tokenizer
        try:
            each = pass_.map(name)
            if head == "mean":
                body = await site.work.step(payload.pack_mean, each, layer, tokenizer)
            elif head == "rollout":
                body = await site.work.step(payload.pack_rollout, each, layer, tokenizer)
            else:
                body = payload.pack_head(each, layer, head)
        except LookupError:
            raise HTTPException(404) from None
        return Response(body, media_type=BINARY, headers=FOREVER)
