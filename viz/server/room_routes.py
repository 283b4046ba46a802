"""The routes of rooms; see `rooms`.

PUT /room/{name}    the leader's page sends its view: {"key": its secret, "view": its link's parameters}
DELETE /room/{name} the leader closes the room: {"key"}; the name is free at once
GET /room/{name}    a follower's page reads the view: {"rev", "view", "run"}; ?rev=N answers 204 if N is current,
                    and ?page=ID counts the page as a follower
GET /alive          {"run"}: identifies this run of the server, so that pages notice a restart
PUT /room/{name}/vote     a page's answer to a question: {"voter": its secret, "question", "choice", "right"}
POST /room/{name}/votes   its leader asks for counts: {"key", "question"} → {"counts", "followers", "answers"}
POST /room/{name}/record  its leader asks for all answers: {"key"} → {"answers"}
"""

from __future__ import annotations

import contextlib
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from viz.passes.run import digest
from viz.server import http
from viz.server.clients import client, session
from viz.server.http import FRESH
from viz.server.rooms import BODY_LIMIT, Rooms, check_name
from viz.shared.protocol import Shared
from viz.text import Busy


def attach(server: FastAPI, shared: Shared, rooms: Rooms | None = None) -> None:
    """Adds the routes of rooms to the page's server; without `rooms`, no room is open yet."""
    rooms = rooms or Rooms()
    log = shared.log("rooms", rooms)

    def answered(**values: Any) -> Response:
        run = digest("run", secret=shared.secret)  # what is lost with the secret, pages notice by this
        return JSONResponse({**values, "run": run}, headers=FRESH)

    async def alive(request: Request) -> Response:
        del request
        with contextlib.suppress(Busy):  # from now on, this replica notices when what is shared is lost
            await log.ready()
        return answered()

    @http.answers
    async def show(request: Request) -> Response:
        check_name(name := request.path_params["name"])
        await log.ready()
        if (room := rooms.get(name)) is None:
            return answered(rev=0, view=None)
        if rooms.to_count(name, page := request.query_params.get("page", "")):
            log.tell("follow", name, page)
        known = request.query_params.get("rev", "")
        if known.isdecimal() and int(known[:20]) >= room.rev:  # another replica may be ahead of this one
            return Response(status_code=204, headers=FRESH)
        return answered(rev=room.rev, view=room.view)

    # Every page polls one of these: Starlette's plain routes cost less than FastAPI's.
    server.add_route("/room/{name}", show)
    server.add_route("/alive", alive)

    @server.put("/room/{name}")
    @http.answers
    async def lead(name: str, request: Request) -> Response:
        body = await http.read_object(request, BODY_LIMIT)
        view = body.get("key", ""), body.get("view", "")
        return answered(rev=await log.change("show", name, *view, client.get(), session.get()))

    @server.delete("/room/{name}")
    @http.answers
    async def leave(name: str, request: Request) -> Response:
        await log.change("end", name, (await http.read_object(request)).get("key", ""))
        return answered()

    @server.put("/room/{name}/vote")
    @http.answers
    async def vote(name: str, request: Request) -> Response:
        body = await http.read_object(request)
        vote = body.get("voter", ""), body.get("question", ""), body.get("choice", -1), body.get("right", False)
        await log.change("vote", name, *vote, client.get())
        return answered()

    @server.post("/room/{name}/votes")
    @http.answers
    async def counts(name: str, request: Request) -> Response:
        body = await http.read_object(request)
        await log.ready()
        return answered(**rooms.counts(name, body.get("key", ""), body.get("question", "")))

    @server.post("/room/{name}/record")
    @http.answers
    async def record(name: str, request: Request) -> Response:
        body = await http.read_object(request)
        await log.ready()
        return answered(answers=rooms.record(name, body.get("key", "")))
