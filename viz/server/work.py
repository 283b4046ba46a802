"""Runs all computations for visitors in one bounded thread pool, and shares their answers.

An answer depends on its question alone, so equal questions are answered once for all clients, and the answer is cached:
a class that follows its teacher sends the same question at once. At most TURNS pieces of work run at once; a job stops
when its last client disconnects. Short steps, of a few milliseconds, have threads of their own. In both queues clients
are served round-robin.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from fastapi import FastAPI, Request, Response
from starlette.requests import ClientDisconnect

from viz.passes.run import digest
from viz.server import http
from viz.server.clients import FairSemaphore, Slots, client

T = TypeVar("T")

TURNS = 2  # long pieces of work at once, of 0.1 to 1 s; each uses the machine's cores
QUESTIONS = 128  # different questions and single turns, queued or running
FULL = "busy_measuring"  # the message to a client for which there is no room
CACHE_LIMIT = 32 << 20  # bytes of answers
SMALL = 1_000  # bytes of an answer that is sent as it is; a larger one is compressed
OVERHEAD = 2_000  # bytes that a cached answer takes in addition to its pieces

Answer = Callable[[dict[str, Any]], dict[str, Any]]  # question → answer; raises Refusal


class Client(Protocol):
    """A job's client: a Request, or a Listener."""

    async def is_disconnected(self) -> bool:
        """Returns whether the client has disconnected."""
        ...


@dataclass
class Listener:
    """A client whose departure is signalled by `leave`."""

    gone: bool = False

    def leave(self) -> None:
        """Marks the client as disconnected."""
        self.gone = True

    async def is_disconnected(self) -> bool:
        """Returns whether `leave` was called."""
        return self.gone


@dataclass
class Job:
    """The answer to one question, in progress or complete."""

    clients: list[Client] = field(default_factory=list)  # all that joined before the answer was complete
    pieces: list[bytes] = field(default_factory=list)  # the answer so far
    failure: Exception | None = None  # raised after the pieces
    kept: bool = True  # whether it is cached, once it is complete
    over: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)  # set, and replaced, at every change

    @property
    def nbytes(self) -> int:
        """The bytes of memory that the answer takes in the cache."""
        return sum(map(len, self.pieces)) + OVERHEAD

    async def has_clients(self) -> bool:
        """Returns whether any client that waits for the answer is still connected."""
        for each in self.clients:  # may grow meanwhile
            if not await each.is_disconnected():
                return True
        return False

    def notify(self) -> None:
        """Wakes the streams that wait for the job's next piece or its end."""
        self.changed.set()
        self.changed = asyncio.Event()


class Work:
    """The server's queue, thread pool and cache of answers. Used on the event loop only.

    Args:
        threads: the number of threads for short steps; None for one per core.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._bytes = 0  # of the cached answers
        threads = threads or os.cpu_count() or 1
        self._slots, self._turns, self._steps = Slots(QUESTIONS), FairSemaphore(TURNS), FairSemaphore(threads)
        self._pool = ThreadPoolExecutor(threads + TURNS, thread_name_prefix="work")
        self._tasks: set[asyncio.Task[None]] = set()  # the event loop keeps only weak references

    @property
    def waiting(self) -> int:
        """The number of questions and single turns that are not complete."""
        return self._slots.taken

    async def step(self, work: Callable[..., T], *arguments: Any) -> T:
        """Returns work(*arguments), a short step of a few milliseconds, run on a thread."""
        async with self._steps.acquire(client.get()):
            return await self._on_thread(work, *arguments)

    async def turn(self, waiting: Client, work: Callable[..., T], *arguments: Any) -> T:
        """Returns work(*arguments), which takes some 0.1 to 1 s, run on a thread in the client's turn.

        Raises:
            ClientDisconnect: the client that waits for it has disconnected before its turn.
            Refusal: the server is full.
        """
        who = self._slots.take(FULL)
        try:
            async with self._turns.acquire(who):
                if await waiting.is_disconnected():
                    raise ClientDisconnect
                return await self._on_thread(work, *arguments)
        finally:
            self._slots.give_back(who)

    async def _on_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)

    async def whole(self, key: str, answer: Callable[[], bytes], waiting: Client, *, kept: bool = True) -> bytes:
        """Returns the answer to a question: from the cache, from a running job with the same key, or from a new job.

        Args:
            key: identifies the question: everything that the answer depends on.
            answer: computes the answer, in one turn.
            waiting: the client that waits for the answer.
            kept: whether the answer is cached, once it is complete.
        Returns:
            The answer; empty if every client disconnected first.
        Raises:
            Refusal: the question is invalid, or the server is full.
        """
        job = self._join(key, lambda: iter((answer(),)), waiting, self._turns, once=True, kept=kept)
        while not job.over:
            await job.changed.wait()
        if job.failure:
            raise job.failure
        return b"".join(job.pieces)

    async def stream(
        self, key: str, pieces: Callable[[], Iterator[bytes]], listener: Listener, *, quick: bool = False
    ) -> AsyncGenerator[bytes]:
        """Starts a job, and returns a generator that yields each piece of its answer as soon as it is ready.

        Args:
            key: as for `whole`.
            pieces: computes the answer, in pieces.
            listener: the client. The generator calls its `leave` at its end; if it never starts, the caller must.
            quick: whether each piece is a short step of a few milliseconds.

        Raises:
            Refusal: the server is full. A refusal of `pieces` is raised by the generator.
        """
        job = self._join(key, pieces, listener, self._steps if quick else self._turns)

        async def read() -> AsyncGenerator[bytes]:
            sent = 0
            try:
                while True:
                    while sent < len(job.pieces):
                        sent += 1
                        yield job.pieces[sent - 1]
                    if job.over:
                        break
                    await job.changed.wait()
                if job.failure:
                    raise job.failure
            finally:
                listener.leave()

        return read()

    def _join(
        self,
        key: str,
        pieces: Callable[[], Iterator[bytes]],
        waiting: Client,
        turns: FairSemaphore,
        *,
        once: bool = False,
        kept: bool = True,
    ) -> Job:
        job = self._jobs.get(key)
        if job is None:
            self._slots.take(FULL)
            job = self._jobs[key] = Job(kept=kept)
            task = asyncio.create_task(self._run(key, job, pieces, turns, once))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._jobs.move_to_end(key)
        if not job.over:
            job.clients.append(waiting)
        return job

    async def _run(
        self, key: str, job: Job, pieces: Callable[[], Iterator[bytes]], turns: FairSemaphore, once: bool
    ) -> None:
        rest, who = _lazily(pieces), client.get()  # the job counts as its first client's
        complete = False
        try:
            while True:
                async with turns.acquire(who):
                    if not await job.has_clients():
                        break
                    piece = await self._on_thread(lambda: next(rest, None))
                if piece is not None:
                    job.pieces.append(piece)
                    job.notify()
                if piece is None or once:  # a single piece needs no further turn to find that none follows
                    complete = True
                    break
        except ValueError as raised:
            job.failure = http.refusal_of(raised)
        except Exception as raised:
            job.failure = raised
        finally:
            self._slots.give_back(who)
            job.over = True
            job.clients.clear()
            if complete and job.kept:
                self._cache(job)
            else:
                del self._jobs[key]
            job.notify()

    def _cache(self, job: Job) -> None:
        """Adds an answer to the cache, evicting the least recently requested ones."""
        self._bytes += job.nbytes
        for key, other in list(self._jobs.items()):
            if self._bytes <= CACHE_LIMIT:
                break
            if other.over:
                self._bytes -= other.nbytes
                del self._jobs[key]


def _lazily(pieces: Callable[[], Iterator[bytes]]) -> Iterator[bytes]:
    """Yields the pieces; calls `pieces` at the first `next`, on that thread."""
    yield from pieces()


def attach(
    server: FastAPI,
    work: Work,
    paths: Mapping[str, Answer],
    secret: Callable[[], bytes] = bytes,
    *,
    kept: bool = True,
) -> None:
    """Adds a route per path to the page's server: POST of a JSON question, answered with a JSON object.

    Args:
        server: the page's.
        work: computes the answers.
        paths: the routes' answers.
        secret: returns the secret with which answers compute keys: a new one makes cached answers invalid.
        kept: whether answers are cached. An answer that names something that may be dropped later must not be cached.
    """

    def route(path: str, answer: Answer) -> None:
        @server.post(path)
        @http.refusals_as_json
        async def ask(request: Request) -> Response:
            question = await http.read_object(request)

            def body_of() -> bytes:
                body = json.dumps(answer(question), allow_nan=False).encode()
                return body if len(body) < SMALL else gzip.compress(body, 6)

            body = await work.whole(digest(path, question, secret=secret()), body_of, request, kept=kept)
            headers = http.GZIPPED if body.startswith(b"\x1f") else {}  # which JSON never begins with
            return Response(body, 200 if body else http.GONE, headers, "application/json")

    for path, answer in paths.items():
        route(path, answer)
