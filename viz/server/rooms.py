"""Rooms: the pages of a class follow what a teacher's page shows.

A room belongs to the first key that opens it, until its leader has been silent for `AGE` seconds. A view is a link's
parameters, which a page reads like any link. Only a voter's first answer to a question counts, as the page then shows
the right one. The app's replicas share the rooms (`viz.shared`); without Redis, they are lost with the process. The
secrets and addresses of voters and followers are never sent to anyone. The routes are in `room_routes`.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from viz.text import Refusal

NAME = re.compile(r"[A-Za-z0-9-]{1,40}")
KEY = re.compile(r"[0-9a-f]{16,64}")
ROOMS = 200  # at once
VIEW_LIMIT = 75_000  # characters: a text of 4,000, each up to 12 in a link, and 3,000 written tokens, each up to 7
BODY_LIMIT = VIEW_LIMIT + 1_000  # bytes of a leader's request: a view, its name and a key
AGE = 2 * 60 * 60  # seconds
VOTES = 4_000  # per room, on all questions together
QUESTION = re.compile(r"[a-z0-9-]{1,40}")  # the name of a section of tab Learn, or of a round of a game
FOLLOWERS = 1_000  # per room; further ones follow but are not counted
PRESENT = 10  # seconds; a follower's page asks every 1.5 s while it is in sight
CHOICES = 10  # answers to a question, at most
CHANGES = ("show", "end", "follow", "vote")  # the methods of `Rooms` that change them
QUIET = 3 * 60  # seconds; a leader's page reports every minute, so a room this silent may be closed for another


class Taken(Refusal):
    """The room belongs to another key."""

    status = 409


class Vote(NamedTuple):
    """A page's answer to a question."""

    choice: int
    right: bool  # whether it is the right answer, by the voter's page
    client: str  # that sent it


@dataclass
class Room:
    """A room's view, leader, followers and votes."""

    key: str  # the leader's secret
    view: str
    rev: int
    client: str  # that opened it
    session: str  # the browser that opened it; "" without a valid cookie
    heard: float  # the clock, in seconds, at the leader's last request
    votes: dict[tuple[str, str], Vote] = field(default_factory=dict)  # (question, voter) → vote, in the order they came
    followers: dict[str, float] = field(default_factory=dict)  # page → the clock at its last request


class Rooms:
    """The open rooms, a `viz.shared.protocol.State`. Used on the event loop only.

    Args:
        clock: the time, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._rooms: dict[str, Room] = {}
        self._clock = clock
        self._at: float | None = None  # the time of the change that is being made
        self._rev = 0  # the newest revision of all rooms, so that a reopened room never repeats one

    def apply(self, change: str, arguments: Sequence[Any], at: float) -> Any:
        """Calls the method that `CHANGES` names, with `at` as the current time; returns its result.

        Raises:
            Refusal: the method refused the change.
            KeyError: there is no such change.
        """
        if change not in CHANGES:
            raise KeyError(change)
        self._at = at
        try:
            return getattr(self, change)(*arguments)
        finally:
            self._at = None

    def saved(self) -> dict[str, Any]:
        """Returns all rooms as plain values, for `restore`."""
        return {"rev": self._rev, "rooms": {name: fields_of(room) for name, room in self._rooms.items()}}

    def restore(self, saved: dict[str, Any]) -> None:
        """Replaces the rooms by those that `saved` returned.

        Raises:
            ValueError: the values are not those of rooms.
        """
        try:
            rooms = {name: room_of(fields) for name, fields in saved.get("rooms", {}).items()}
            self._rooms, self._rev = rooms, int(saved.get("rev", 0))
        except (TypeError, AttributeError, KeyError) as error:
            raise ValueError(f"these must be saved rooms: {error}") from error

    def _now(self) -> float:
        return self._clock() if self._at is None else self._at

    def _next_revision(self, now: float) -> int:
        self._rev = max(self._rev + 1, round(1000 * now))  # larger than those before a restart
        return self._rev

    def show(self, name: str, key: str, view: str, who: str = "", browser: str = "") -> int:
        """Stores the leader's view, opening the room if needed; returns the revision, which grows with every change.

        Args:
            name: of the room.
            key: the leader's secret.
            view: a link's parameters.
            who: the leader's client.
            browser: the leader's session; one client may have many.

        Raises:
            Refusal: an invalid name, key or view, or too many rooms.
            Taken: the room belongs to another key.
        """
        check_name(name)
        if not isinstance(key, str) or not KEY.fullmatch(key) or not isinstance(view, str) or not view.isascii():
            raise Refusal("bad_request")
        if len(view) > VIEW_LIMIT:
            raise Refusal("long_view", given=len(view), limit=VIEW_LIMIT)
        now = self._now()
        self._rooms = {each: room for each, room in self._rooms.items() if now - room.heard < AGE}
        room = self._rooms.get(name)
        if room is None:
            self._make_room(who, browser, now)
            room = self._rooms[name] = Room(key, view, self._next_revision(now), who, browser, now)
        elif not secrets.compare_digest(room.key, key):
            raise Taken("taken_room", name=name)
        elif room.view != view:
            room.view, room.rev = view, self._next_revision(now)
        room.heard = now
        return room.rev

    def _make_room(self, who: str, browser: str, now: float) -> None:
        """Makes sure that a leader may open one more room, closing a silent room if needed.

        A client may hold half of all rooms (see `clients`), and each of its browsers half of the client's remaining
        share, because a school is one client, and one browser must leave rooms to the others. If a browser exceeds its
        share, its own longest-silent room is closed; if the client does, the longest-silent one of the client; if no
        room is free, the longest-silent one of all.

        Raises:
            Refusal: none of these rooms has been silent for QUIET seconds.
        """
        free = ROOMS - len(self._rooms)
        of_client = [name for name, room in self._rooms.items() if room.client == who]
        of_browser = [name for name in of_client if self._rooms[name].session == browser]
        left = (free - len(of_client) + 1) // 2  # rooms that the client may still open
        if len(of_browser) < left:
            return
        candidates = of_browser if left > 0 else of_client if free else self._rooms
        quietest = min(candidates, key=lambda name: self._rooms[name].heard)
        if now - self._rooms[quietest].heard < QUIET:
            raise Refusal("full_rooms")
        del self._rooms[quietest]

    def end(self, name: str, key: str) -> None:
        """Closes a room; does nothing if `key` is not its leader's."""
        room = self._rooms.get(name)
        if room and isinstance(key, str) and key.isascii() and secrets.compare_digest(room.key, key):
            del self._rooms[name]

    def get(self, name: str) -> Room | None:
        """Returns an open room; None if there is none, or its leader has been silent for `AGE` seconds."""
        room = self._rooms.get(name)
        return room if room and self._now() - room.heard < AGE else None

    def to_count(self, name: str, page: str) -> bool:
        """Returns whether a page that asks for a room's view is to be counted by `follow`: it is new, or was counted
        long ago."""
        room = self.get(name)
        return bool(room and KEY.fullmatch(page) and self._now() - room.followers.get(page, 0) > PRESENT / 2)

    def follow(self, name: str, page: str) -> None:
        """Counts a page as a follower for the next `PRESENT` seconds, unless there are too many."""
        room, now = self.get(name), self._now()
        if room is None or not KEY.fullmatch(page):
            return
        if page not in room.followers and len(room.followers) >= FOLLOWERS:
            room.followers = {each: heard for each, heard in room.followers.items() if now - heard < PRESENT}
        if page in room.followers or len(room.followers) < FOLLOWERS:
            room.followers[page] = now

    def vote(
        self, name: str, voter: str, question: str, choice: int, right: bool = False, who: str = ""
    ) -> Vote | None:
        """Counts an answer to a question, unless the voter has already answered; returns the one that counts.

        Args:
            name: of the room.
            voter: the page's secret.
            question: its name.
            choice: the index of the answer, from 0.
            right: whether the page calls it right.
            who: the voter's client; it may hold half of the room's votes (see `clients`).

        Returns:
            The voter's first answer; None if the room is not open.

        Raises:
            Refusal: an invalid vote, or no room for more.
        """
        whole = isinstance(choice, int) and not isinstance(choice, bool) and 0 <= choice < CHOICES
        valid = isinstance(voter, str) and isinstance(question, str) and isinstance(right, bool)
        if not whole or not valid or not KEY.fullmatch(voter) or not QUESTION.fullmatch(question):
            raise Refusal("bad_request")
        room = self.get(name)
        if room is None or (question, voter) in room.votes:
            return room and room.votes[question, voter]
        clients = [each.client for each in room.votes.values()]
        if clients.count(who) >= VOTES - len(clients):
            raise Refusal("full_votes")
        vote = room.votes[question, voter] = Vote(choice, right, who)
        return vote

    def _led(self, name: str, key: str) -> Room | None:
        """Returns the room if `key` is its leader's; None if it is not open.

        Raises:
            Taken: the key is not the leader's.
        """
        room = self.get(name)
        if room and not (isinstance(key, str) and key.isascii() and secrets.compare_digest(room.key, key)):
            raise Taken("taken_room", name=name)
        return room

    def counts(self, name: str, key: str, question: str) -> dict[str, Any]:
        """Counts followers and answers, for the room's leader only.

        Returns:
            "counts": the votes for each answer to the question, up to the last with a vote; "followers": the pages that
            follow now; "answers": the votes on all questions together.

        Raises:
            Taken: the key is not the leader's.
        """
        room = self._led(name, key)
        if room is None:
            return {"counts": [], "followers": 0, "answers": 0}
        now = self._now()
        choices = [vote.choice for (asked, _), vote in room.votes.items() if asked == question]
        return {
            "counts": [choices.count(choice) for choice in range(max(choices, default=-1) + 1)],
            "followers": sum(now - heard < PRESENT for heard in room.followers.values()),
            "answers": len(room.votes),
        }

    def record(self, name: str, key: str) -> list[tuple[int, str, int, bool]]:
        """Returns all answers in the order they came, for the room's leader only: (member, question, choice, right).

        Members are numbered from 1 in the order of their first answers.

        Raises:
            Taken: the key is not the leader's.
        """
        room = self._led(name, key)
        members: dict[str, int] = {}
        return [
            (members.setdefault(voter, len(members) + 1), question, vote.choice, vote.right)
            for (question, voter), vote in (room.votes.items() if room else ())
        ]


def fields_of(room: Room) -> dict[str, Any]:
    """Returns a room's fields as plain values."""
    return vars(room) | {"votes": [[*asked, *vote] for asked, vote in room.votes.items()]}


def room_of(fields: dict[str, Any]) -> Room:
    """Returns a room from the fields of `fields_of`.

    Raises:
        TypeError, AttributeError, KeyError, ValueError: the values are not a room's.
    """
    texts = {name: str(fields[name]) for name in ("key", "view", "client", "session")}
    votes = {
        (str(question), str(voter)): Vote(int(choice), bool(right), str(who))
        for question, voter, choice, right, who in fields["votes"]
    }
    followers = {str(page): float(heard) for page, heard in fields["followers"].items()}
    return Room(**texts, rev=int(fields["rev"]), heard=float(fields["heard"]), votes=votes, followers=followers)


def check_name(name: str) -> None:
    """Raises Refusal if the name is not valid for a room."""
    if not NAME.fullmatch(name):
        raise Refusal("bad_room", given=name[:40])
