"""Rooms: what a teacher's page shows, for the pages of a class to follow.

    PUT /room/{name}    the leader's page says what it shows: {"key": its secret, "view": its link's parameters}
    DELETE /room/{name} it leads no longer: {"key"}; the name is free at once
    GET /room/{name}    a follower's page asks for it: {"rev", "view", "run"}; ?rev=N answers 204 where nothing changed
    GET /alive          {"run"}: a name that this start of the server has, so that a page notices a new one
    PUT /room/{name}/vote     a page's answer to a question: {"voter": a secret of its own, "question", "choice"}
    POST /room/{name}/votes   the leader's page asks how many chose what: {"key", "question"} → {"counts"}

The first who leads a room holds its key until the room has not been heard of for `AGE` seconds. A view is a link's
parameters, which a page reads as it reads any link. Of a voter's answers to a question the first counts, for the page
then says which is right. All is in memory: a room's view and votes are forgotten with it.
"""

from __future__ import annotations

import itertools
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from viz.server import http
from viz.server.clients import client, session
from viz.server.http import FRESH
from viz.text import Refusal

NAME = re.compile(r"[A-Za-z0-9-]{1,40}")
KEY = re.compile(r"[0-9a-f]{16,64}")
ROOMS = 200  # at once
VIEW_LIMIT = 75_000  # characters: a text of 4,000, each up to 12 in a link, and 3,000 written tokens, each up to 7
BODY_LIMIT = VIEW_LIMIT + 1_000  # bytes of a leader's request: a view, its name and a key
AGE = 2 * 60 * 60  # seconds
VOTES = 4_000  # of a room, to all questions
QUESTION = re.compile(r"[a-z-]{1,40}")  # the name of a section of tab Learn
CHOICES = 10  # of a question, at most
QUIET = 3 * 60  # seconds; a page that leads says so every minute, so a room as quiet as this may give way


class Taken(Refusal):
    """Another page holds the room's key."""

    status = 409


class Vote(NamedTuple):
    """An answer to a question."""

    choice: int
    client: str  # that gave it


@dataclass
class Room:
    """What is shown in a room."""

    key: str  # whose it is
    view: str
    rev: int
    client: str  # that opened it
    session: str  # the browser of that client's; "" where it keeps no cookies
    heard: float  # when its leader was last heard of, in seconds
    votes: dict[str, dict[str, Vote]] = field(default_factory=dict)  # question → voter → vote


class Rooms:
    """The open rooms. Used on the event loop only.

    Args:
        clock: seconds that only go up.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._rooms: dict[str, Room] = {}
        self._clock = clock
        # Of all rooms, and larger than at an earlier start: another leader's view is never taken for the one before.
        self._revisions = itertools.count(round(1000 * time.time()))

    def show(self, name: str, key: str, view: str, who: str = "", browser: str = "") -> int:
        """Takes up what a leader shows; returns its revision, which grows with every change.

        Args:
            name: of the room.
            key: the leader's secret.
            view: a link's parameters.
            who: the leader's client.
            browser: the leader's session, of the many that may be behind one client.

        Raises:
            Refusal: a name, key or view that cannot be, or too many rooms.
            Taken: someone else leads the room.
        """
        check_name(name)
        if not isinstance(key, str) or not KEY.fullmatch(key) or not isinstance(view, str) or not view.isascii():
            raise Refusal("bad_request")
        if len(view) > VIEW_LIMIT:
            raise Refusal("long_view", given=len(view), limit=VIEW_LIMIT)
        now = self._clock()
        self._rooms = {known: room for known, room in self._rooms.items() if now - room.heard < AGE}
        room = self._rooms.get(name)
        if room is None:
            self._make_room(who, browser, now)
            room = self._rooms[name] = Room(key, view, next(self._revisions), who, browser, now)
        elif not secrets.compare_digest(room.key, key):
            raise Taken("taken_room", name=name)
        elif room.view != view:
            room.view, room.rev = view, next(self._revisions)
        room.heard = now
        return room.rev

    def _make_room(self, who: str, browser: str, now: float) -> None:
        """Where a leader may open no more rooms, its own that was not heard of for longest ends, if it has been quiet.

        A client may have as many as are free, see `clients`, and each browser of it as many as the client may still
        open: a school is one client, and one browser of it leaves the others some. Where a client may open no more,
        any of its own that has been quiet ends; where no room is free, any of all.

        Raises:
            Refusal: none has.
        """
        free = ROOMS - len(self._rooms)
        of_client = [name for name, room in self._rooms.items() if room.client == who]
        of_browser = [name for name in of_client if self._rooms[name].session == browser]
        left = (free - len(of_client) + 1) // 2  # that the client may still open
        if len(of_browser) < left:
            return
        candidates = of_browser if left > 0 else of_client if free else self._rooms
        quietest = min(candidates, key=lambda name: self._rooms[name].heard)
        if now - self._rooms[quietest].heard < QUIET:
            raise Refusal("full_rooms")
        del self._rooms[quietest]

    def end(self, name: str, key: str) -> None:
        """Its leader leaves a room; another's key changes nothing."""
        room = self._rooms.get(name)
        if room and isinstance(key, str) and key.isascii() and secrets.compare_digest(room.key, key):
            del self._rooms[name]

    def seen(self, name: str) -> Room | None:
        """What is shown in a room; None where nobody leads it, or no longer."""
        room = self._rooms.get(name)
        return room if room and self._clock() - room.heard < AGE else None

    def vote(self, name: str, voter: str, question: str, choice: int, who: str = "") -> None:
        """Counts an answer to a question; where the voter has answered it before, or nobody leads the room, nothing.

        Args:
            name: of the room.
            voter: the page's secret.
            question: its name.
            choice: the number of the answer, from 0.
            who: the voter's client; it may hold as many votes as are free, see `clients`.

        Raises:
            Refusal: what is no vote, or more than a room holds.
        """
        whole = isinstance(choice, int) and not isinstance(choice, bool) and 0 <= choice < CHOICES
        texts = isinstance(voter, str) and isinstance(question, str)
        if not whole or not texts or not KEY.fullmatch(voter) or not QUESTION.fullmatch(question):
            raise Refusal("bad_request")
        room = self.seen(name)
        if room is None or voter in room.votes.get(question, {}):
            return
        held = [each.client for votes in room.votes.values() for each in votes.values()]
        if held.count(who) >= VOTES - len(held):
            raise Refusal("full_votes")
        room.votes.setdefault(question, {})[voter] = Vote(choice, who)

    def counts(self, name: str, key: str, question: str) -> list[int]:
        """How many chose each answer to a question, up to the last that anybody chose; for the room's leader alone.

        Raises:
            Taken: the key is another's.
        """
        room = self.seen(name)
        if room is None:
            return []
        if not isinstance(key, str) or not key.isascii() or not secrets.compare_digest(room.key, key):
            raise Taken("taken_room", name=name)
        chosen = [each.choice for each in room.votes.get(str(question), {}).values()]
        return [chosen.count(choice) for choice in range(max(chosen, default=-1) + 1)]


def check_name(name: str) -> None:
    """Raises Refusal where no room can have this name."""
    if not NAME.fullmatch(name):
        raise Refusal("bad_room", given=name[:40])


def attach(server: FastAPI, rooms: Rooms) -> None:
    """Adds the routes to the server that serves the page."""
    run = secrets.token_hex(8)

    async def alive(request: Request) -> Response:
        del request
        return JSONResponse({"run": run}, headers=FRESH)

    @http.answers
    async def look(request: Request) -> Response:
        check_name(name := request.path_params["name"])
        if (room := rooms.seen(name)) is None:
            return JSONResponse({"rev": 0, "view": None, "run": run}, headers=FRESH)
        if request.query_params.get("rev") == str(room.rev):
            return Response(status_code=204, headers=FRESH)
        return JSONResponse({"rev": room.rev, "view": room.view, "run": run}, headers=FRESH)

    # Every page asks one of these, again and again: Starlette's plain routes cost less than FastAPI's.
    server.add_route("/room/{name}", look)
    server.add_route("/alive", alive)

    @server.put("/room/{name}")
    @http.answers
    async def lead(name: str, request: Request) -> Response:
        asked = await http.read_object(request, BODY_LIMIT)
        rev = rooms.show(name, asked.get("key", ""), asked.get("view", ""), client.get(), session.get())
        return JSONResponse({"rev": rev, "run": run}, headers=FRESH)

    @server.delete("/room/{name}")
    @http.answers
    async def leave(name: str, request: Request) -> Response:
        rooms.end(name, (await http.read_object(request)).get("key", ""))
        return JSONResponse({"run": run}, headers=FRESH)

    @server.put("/room/{name}/vote")
    @http.answers
    async def vote(name: str, request: Request) -> Response:
        asked = await http.read_object(request)
        rooms.vote(name, asked.get("voter", ""), asked.get("question", ""), asked.get("choice", -1), client.get())
        return JSONResponse({"run": run}, headers=FRESH)

    @server.post("/room/{name}/votes")
    @http.answers
    async def counts(name: str, request: Request) -> Response:
        asked = await http.read_object(request)
        found = rooms.counts(name, asked.get("key", ""), asked.get("question", ""))
        return JSONResponse({"counts": found, "run": run}, headers=FRESH)
