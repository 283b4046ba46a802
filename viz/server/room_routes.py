"""The routes of rooms; see `rooms`.

PUT /room/{name}    the leader's page sends its view: {"key": its secret, "view": its link's parameters}
DELETE /room/{name} the leader closes the room: {"key"}; the name is free at once
GET /room/{name}    a follower's page reads the view: {"rev", "view", "run"}; ?rev=N answers 204 if N is current,
                    and ?page=ID counts the page as a follower
GET /alive          {"run"}: identifies this run of the server, so that pages notice a restart
PUT /room/{name}/vote     a page's answer to a question: {"voter": its secret, "question", "choice", "right"} →
                          {"first": its first, which counts: {"choice", "right"}}; null if the room is not open
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


class Routes:
    """The handlers of rooms.

    Args:
        shared: what all replicas share.
        rooms: the open rooms.
    """

    def __init__(self, shared: Shared, rooms: Rooms) -> None:
        self._shared, self._rooms = shared, rooms
        self._log = shared.log("rooms", rooms)

    def _answer(self, **values: Any) -> Response:
        run = digest("run", secret=self._shared.secret)  # lets pages notice that the rooms were lost with the secret
        return JSONResponse({**values, "run": run}, headers=FRESH)

    async def alive(self, request: Request) -> Response:
        """Answers with an identifier of this run of the server, by which a page notices a restart."""
        del request
        with contextlib.suppress(Busy):  # from now on, this replica notices a loss of the shared data
            await self._log.ready()
        return self._answer()

    @http.refusals_as_json
    async def show(self, request: Request) -> Response:
        """Answers a follower's page with the leader's view, or with 204 if the page already shows it."""
        check_name(name := request.path_params["name"])
        await self._log.ready()
        if (room := self._rooms.get(name)) is None:
            return self._answer(rev=0, view=None)
        if self._rooms.to_count(name, page := request.query_params.get("page", "")):
            self._log.submit("follow", name, page)
        known = request.query_params.get("rev", "")
        if known.isdecimal() and int(known[:20]) >= room.rev:  # another replica may be ahead of this one
            return Response(status_code=204, headers=FRESH)
        return self._answer(rev=room.rev, view=room.view)

    @http.refusals_as_json
    async def lead(self, name: str, request: Request) -> Response:
        """Stores the view that the leader's page sends, for the room's followers."""
        body = await http.read_object(request, BODY_LIMIT)
        view = body.get("key", ""), body.get("view", "")
        return self._answer(rev=await self._log.change("show", name, *view, client.get(), session.get()))

    @http.refusals_as_json
    async def leave(self, name: str, request: Request) -> Response:
        """Closes a room at its leader's request."""
        await self._log.change("end", name, (await http.read_object(request)).get("key", ""))
        return self._answer()

    @http.refusals_as_json
    async def vote(self, name: str, request: Request) -> Response:
        """Counts a page's answer to a question."""
        body = await http.read_object(request)
        vote = body.get("voter", ""), body.get("question", ""), body.get("choice", -1), body.get("right", False)
        first = await self._log.change("vote", name, *vote, client.get())
        return self._answer(first=first and {"choice": first.choice, "right": first.right})

    @http.refusals_as_json
    async def votes(self, name: str, request: Request) -> Response:
        """Answers the leader's page with the votes for each answer to a question."""
        body = await http.read_object(request)
        await self._log.ready()
        return self._answer(**self._rooms.counts(name, body.get("key", ""), body.get("question", "")))

    @http.refusals_as_json
    async def record(self, name: str, request: Request) -> Response:
        """Answers the leader's page with all answers to all questions."""
        body = await http.read_object(request)
        await self._log.ready()
        return self._answer(answers=self._rooms.record(name, body.get("key", "")))


def attach(server: FastAPI, shared: Shared, rooms: Rooms | None = None) -> None:
    """Adds the routes of rooms to the page's server; `shared` stores them for all replicas; without `rooms`, none is
    open yet."""
    routes = Routes(shared, rooms or Rooms())
    # Every page polls one of these: Starlette's plain routes cost less than FastAPI's.
    server.add_route("/room/{name}", routes.show)
    server.add_route("/alive", routes.alive)
    server.put("/room/{name}")(routes.lead)
    server.delete("/room/{name}")(routes.leave)
    server.put("/room/{name}/vote")(routes.vote)
    server.post("/room/{name}/votes")(routes.votes)
    server.post("/room/{name}/record")(routes.record)
