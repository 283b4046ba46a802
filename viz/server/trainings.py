"""Runs the trainings that visitors start: one at a time, the others in a queue whose clients watch the running one.

A training keeps its place in the queue while its visitor reads its progress: when the page closes or the connection
breaks, the place is freed and the training stops. It runs in a process of its own (`viz.server.trainee`), so that other
requests do not wait for its steps. Each replica of the app has a queue of its own; they share the trained models.

Progress is sent as lines of JSON. Each holds the newest state, so a slow reader skips only older states:

    {"ahead": trainings before the reader's own, or null, "waiting": trainings queued behind the running one,
     "run": {"name", and the fields of its request} or null, "from": the index of the first new point of "course",
     "course": [the new points of the loss], "now": the training's newest report, "end": how it ended or ""}
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from viz.server import http
from viz.server.clients import Slots
from viz.shared.protocol import Shelf

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (sys.executable, "-m", "viz.server.trainee")
LINE = 40  # trainings, running or queued
READERS = 200  # spectators at once
LIMIT = 300  # seconds; a training that takes longer, on a busy machine, is stopped
PAUSE = 0.2  # seconds between two lines to a reader


@dataclass(eq=False)
class Run:
    """One training: queued, running or ended."""

    request: dict[str, Any]  # its settings, shown to all readers
    arguments: tuple[str, ...]  # of its program
    client: str
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    course: list[list[float]] = field(default_factory=list)
    now: dict[str, Any] = field(default_factory=dict)
    end: str = ""  # "done", "stopped", "late" or "failed"
    process: subprocess.Popen[bytes] | None = None

    def stop(self, end: str) -> None:
        """Stops the training, unless it has ended; `end` says why."""
        self.end = self.end or end
        if self.process:
            self.process.kill()


class Trainings:
    """The queue of trainings and their results. Used on the event loop only, except for `result`.

    Args:
        trained: stores the trained models.
        program: the command that trains; a training's arguments are appended to it.
    """

    def __init__(self, trained: Shelf, program: Sequence[str] = PROGRAM) -> None:
        self._program, self._trained = tuple(program), trained
        self._line: list[Run] = []  # the first is running
        self._slots, self._readers = Slots(LINE), Slots(READERS)
        self._changed = asyncio.Event()  # set, and replaced, at every change
        self._task: asyncio.Task[None] | None = None

    def train(self, request: dict[str, Any], arguments: Sequence[str]) -> http.StreamResponse:
        """Queues a training; returns a response that streams its progress. The training keeps its place while a client
        reads the response.

        Args:
            request: the training's settings, shown to all readers.
            arguments: the arguments of the program that trains.
        Raises:
            Busy: the queue has no room for this client.
        """
        run = Run(request, tuple(arguments), self._slots.take("learn_train_now_full"))
        self._line.append(run)
        self._start_next()
        self._notify()
        return http.StreamResponse(self.lines(run), http.LINES, lambda: self._leave(run))

    def watch(self) -> http.StreamResponse:
        """Returns a response that streams the running training's progress to its end, or one line if none is running.

        Raises:
            Busy: there is no room for another reader of this client.
        """
        who = self._readers.take("busy_measuring")
        return http.StreamResponse(self.lines(None), http.LINES, lambda: self._readers.give_back(who))

    def result(self, name: str) -> tuple[dict[str, Any], str] | None:
        """Returns a finished training's request and packed weights; None if unknown or no longer kept.

        Raises:
            Busy: the shared storage cannot be reached.
        """
        if (trained := self._trained.get(name)) is None:
            return None
        request, weights = json.loads(trained)
        return request, weights

    async def lines(self, own: Run | None) -> AsyncGenerator[bytes]:
        """Yields progress lines until the training `own` ends; for a spectator (None), until the running one ends."""
        target = own or (self._line[0] if self._line else None)
        last, sent = None, 0
        while True:
            changed = self._changed
            run = target if target is None or target.end else self._line[0]
            if run is not last:
                last, sent = run, 0
            yield self._line_of(run, own, sent)
            sent = len(run.course) if run else 0
            if target is None or target.end:
                return
            await changed.wait()
            await asyncio.sleep(PAUSE)

    def _line_of(self, run: Run | None, own: Run | None, sent: int) -> bytes:
        status = {
            "ahead": self._line.index(own) if own in self._line else None,
            "waiting": max(0, len(self._line) - 1),
            "run": run and {"name": run.name, **run.request},
            "from": sent,
            "course": run.course[sent:] if run else [],
            "now": run.now if run else {},
            "end": run.end if run else "",
        }
        return json.dumps(status).encode() + b"\n"

    def _leave(self, run: Run) -> None:
        """Stops a training whose visitor has gone; does nothing to one that has ended."""
        run.stop("stopped")
        if run in self._line[1:]:  # the first is removed when its process has ended
            self._remove(run)
        self._notify()

    def _remove(self, run: Run) -> None:
        self._line.remove(run)
        self._slots.give_back(run.client)

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _start_next(self) -> None:
        if self._line and not self._task:
            self._task = asyncio.create_task(self._work(self._line[0]))

    async def _work(self, run: Run) -> None:
        late = asyncio.get_running_loop().call_later(LIMIT, run.stop, "late")
        try:
            run.process = process = await asyncio.to_thread(self._start, run)
            if run.end:  # stopped while its process was starting
                process.kill()
            assert process.stdout
            while line := await asyncio.to_thread(process.stdout.readline):
                await self._receive(run, json.loads(line))
        except Exception:  # an invalid line, or a program that cannot be started
            logging.getLogger(__name__).exception("a training failed")
        finally:
            late.cancel()
            await self._finish(run)
            self._remove(run)
            self._task = None
            self._start_next()
            self._notify()

    async def _finish(self, run: Run) -> None:
        """Ends a training's process and waits for its exit, in every case: then the next training starts."""
        run.stop("failed")
        if run.process:
            await asyncio.to_thread(run.process.wait)
            if run.process.stdout:
                run.process.stdout.close()

    def _start(self, run: Run) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        return subprocess.Popen(
            [*self._program, *run.arguments],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )

    async def _receive(self, run: Run, report: dict[str, Any]) -> None:
        """Records a line of a training's process: a point of the loss, or the final weights."""
        if run.end:
            return
        if "weights" in report:
            result = json.dumps([run.request, report["weights"]]).encode()
            await asyncio.to_thread(self._trained.put, run.name, result)
            run.end = run.end or "done"
        else:
            run.course.append(report.pop("point"))
            run.now = report
        self._notify()
