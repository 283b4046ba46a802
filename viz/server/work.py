"""All that computes for visitors, off the event loop: one bounded pool, whose answers are shared.

An answer depends on nothing but its question, so equal questions are answered once, whoever asks, and the answer is
kept a while: a class that follows its teacher asks the same, all at once. A piece of work takes a turn, so many at once
go on side by side, and what nobody waits for any more goes no further. Steps of a few milliseconds, one visitor's own,
have threads of their own. For both, clients are served in turn.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from fastapi import FastAPI, Request, Response

from viz.passes.run import digest
from viz.server import http
from viz.server.clients import Places, Turns, client
from viz.text import Busy

T = TypeVar("T")

TURNS = 2  # pieces of a part of a second at work; each uses the machine's cores
WAITING = 128  # different questions at work or in line
KEPT = 32 << 20  # bytes of answers
OBJECTS = 2_000  # bytes that keeping an answer takes beside its pieces

Answer = Callable[[dict[str, Any]], dict[str, Any]]  # of a question; raises Refusal


class Reader(Protocol):
    """Who asked, as a request is."""

    async def is_disconnected(self) -> bool:
        """Whether nobody is there any more."""
        ...


@dataclass
class Listener:
    """A reader that says itself when it leaves."""

    gone: bool = False

    def leave(self) -> None:
        """Waits no longer."""
        self.gone = True

    async def is_disconnected(self) -> bool:
        """Whether it has left."""
        return self.gone


@dataclass
class Job:
    """One question that is being answered, or has been."""

    readers: list[Reader] = field(default_factory=list)  # all that asked before it was answered
    pieces: list[bytes] = field(default_factory=list)  # of the answer, so far
    failure: Exception | None = None  # after the pieces
    over: bool = False
    more: asyncio.Event = field(default_factory=asyncio.Event)  # set, and replaced, at every change

    @property
    def nbytes(self) -> int:
        """What keeping it takes."""
        return sum(map(len, self.pieces)) + OBJECTS

    async def awaited(self) -> bool:
        """Whether anybody still waits for it."""
        for reader in self.readers:  # grows while we ask
            if not await reader.is_disconnected():
                return True
        return False

    def tell(self) -> None:
        """Wakes those who wait for what has changed."""
        self.more.set()
        self.more = asyncio.Event()


class Work:
    """All work at once. Used on the event loop only.

    Args:
        threads: for steps.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._bytes = 0  # of the answers that are kept
        threads = threads or os.cpu_count() or 1
        self._places, self._turns, self._steps = Places(WAITING), Turns(TURNS), Turns(threads)
        self._pool = ThreadPoolExecutor(threads + TURNS, thread_name_prefix="work")
        self._tasks: set[asyncio.Task[None]] = set()  # the loop itself holds them only weakly

    @property
    def waiting(self) -> int:
        """How many questions are without a whole answer yet."""
        return self._places.taken

    async def step(self, work: Callable[..., T], *arguments: Any) -> T:
        """work(*arguments): a step of a few milliseconds."""
        async with self._steps.of(client.get()):
            return await self._on_thread(work, *arguments)

    async def turn(self, work: Callable[..., T], *arguments: Any) -> T:
        """work(*arguments), in its turn: what takes a part of a second."""
        async with self._turns.of(client.get()):
            return await self._on_thread(work, *arguments)

    async def _on_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)

    async def whole(self, key: str, pieces: Callable[[], Iterator[bytes]], reader: Reader) -> bytes:
        """The answer to the question of this key: made, shared with those who ask the same meanwhile, or kept.

        Args:
            key: of all that the answer depends on.
            pieces: makes the answer, a piece of work for each.
            reader: who waits for it.
        Returns:
            All pieces; what nobody waited for is empty.
        Raises:
            Refusal: there is no answer.
        """
        job = self._join(key, pieces, reader)
        while not job.over:
            await job.more.wait()
        if job.failure:
            raise job.failure
        return b"".join(job.pieces)

    async def stream(
        self, key: str, pieces: Callable[[], Iterator[bytes]], listener: Listener, *, quick: bool = False
    ) -> AsyncGenerator[bytes]:
        """As `whole`, each piece as it is ready. Begun at once: what is refused for want of room is raised here.

        Args:
            key, pieces: as `whole` takes them.
            listener: who reads it; it leaves with what is returned here, and by itself if that is never begun.
            quick: whether a piece is a step of a few milliseconds.

        Raises:
            Refusal: there is no room, or, after pieces, no more of an answer.
        """
        job = self._join(key, pieces, listener, quick)

        async def read() -> AsyncGenerator[bytes]:
            sent = 0
            try:
                while True:
                    while sent < len(job.pieces):
                        sent += 1
                        yield job.pieces[sent - 1]
                    if job.over:
                        break
                    await job.more.wait()
                if job.failure:
                    raise job.failure
            finally:
                listener.leave()

        return read()

    def _join(self, key: str, pieces: Callable[[], Iterator[bytes]], reader: Reader, quick: bool = False) -> Job:
        job = self._jobs.get(key)
        if job is None:
            if not self._places.open_to(client.get()):
                raise Busy("busy_measuring")
            self._places.take(client.get())
            job = self._jobs[key] = Job()
            task = asyncio.create_task(self._run(key, job, pieces, self._steps if quick else self._turns))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._jobs.move_to_end(key)
        if not job.over:
            job.readers.append(reader)
        return job

    async def _run(self, key: str, job: Job, pieces: Callable[[], Iterator[bytes]], turns: Turns) -> None:
        made, who = _begun_late(pieces), client.get()  # the first who asked
        whole = False
        try:
            while True:
                async with turns.of(who):
                    if not await job.awaited():
                        break
                    piece = await self._on_thread(lambda: next(made, None))
                if piece is None:
                    whole = True
                    break
                job.pieces.append(piece)
                job.tell()
        except ValueError as raised:
            job.failure = http.refusal_of(raised)
        except Exception as raised:
            job.failure = raised
        finally:
            self._places.give_back(who)
            job.over = True
            job.readers.clear()
            if whole:
                self._keep(job)
            else:
                del self._jobs[key]
            job.tell()

    def _keep(self, job: Job) -> None:
        """Counts an answer in; the least recently asked go until all fit."""
        self._bytes += job.nbytes
        for key, other in list(self._jobs.items()):
            if self._bytes <= KEPT:
                break
            if other.over:
                self._bytes -= other.nbytes
                del self._jobs[key]


def _begun_late(pieces: Callable[[], Iterator[bytes]]) -> Iterator[bytes]:
    """The pieces, of which the first is begun when it is asked for, on the thread that asks."""
    yield from pieces()


def attach(server: FastAPI, work: Work, paths: Mapping[str, Answer]) -> None:
    """Adds routes to the server that serves the page: POST of a JSON object to each path, answered by one."""

    def route(path: str, answer: Answer) -> None:
        @server.post(path)
        @http.answers
        async def ask(request: Request) -> Response:
            question = await http.read_object(request)

            def pieces() -> Iterator[bytes]:
                yield json.dumps(answer(question), allow_nan=False).encode()

            body = await work.whole(digest(path, question), pieces, request)
            return Response(body, 200 if body else http.GONE, media_type="application/json")

    for path, answer in paths.items():
        route(path, answer)
