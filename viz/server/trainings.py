"""Trainings that visitors ask for: one at a time, the others in a line that all can see, and whoever waits watches.

A training holds its place in the line as long as its visitor reads what is told of it: when the page closes, or its
connection breaks, the place is free, and what was being trained ends. It runs in a process of its own
(`viz.server.trainee`), so that a visitor's click waits for none of its steps. What came out is kept in memory, of the
last few trainings.

What a reader gets are lines of JSON, the newest state in each, so a slow reader misses only what is old:

    {"ahead": trainings before the reader's own, or null, "waiting": those in line behind the one at work,
     "run": {"name", and what it was asked for} or null, "from": the first of "course" that is new,
     "course": [a point of the loss every few steps], "now": the newest line of the training, "end": how it ended or ""}
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import subprocess
import sys
from collections import OrderedDict
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from viz.server import http
from viz.server.clients import Places, client
from viz.text import Busy

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (sys.executable, "-m", "viz.server.trainee")
LINE = 40  # trainings at work or in line
READERS = 200  # at once
KEPT = 16  # trained models, of some 0.6 MB each
LIMIT = 300  # seconds; a training that takes longer, on a machine that has no time for it, is ended
PAUSE = 0.2  # seconds between two lines to a reader


@dataclass(eq=False)
class Run:
    """One training."""

    order: dict[str, Any]  # what it was asked for
    arguments: tuple[str, ...]  # of its program
    client: str
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    course: list[list[float]] = field(default_factory=list)
    now: dict[str, Any] = field(default_factory=dict)
    end: str = ""  # "done", "stopped", "late" or "failed"
    process: subprocess.Popen[bytes] | None = None

    def stop(self, end: str) -> None:
        """Ends it, if it goes on."""
        self.end = self.end or end
        if self.process:
            self.process.kill()


class Trainings:
    """All trainings. Used on the event loop only, but for `trained`.

    Args:
        program: the command that trains, to which a training's own arguments are added.
    """

    def __init__(self, program: Sequence[str] = PROGRAM) -> None:
        self._program = tuple(program)
        self._line: list[Run] = []  # the first is at work
        self._places, self._readers = Places(LINE), Places(READERS)
        self._trained: OrderedDict[str, tuple[dict[str, Any], str]] = OrderedDict()
        self._changed = asyncio.Event()  # set, and replaced, at every change
        self._task: asyncio.Task[None] | None = None

    def train(self, order: dict[str, Any], arguments: Sequence[str]) -> http.StreamResponse:
        """Puts a training in the line; the answer tells of it, and holds its place.

        Args:
            order: what was asked for, which is told to all.
            arguments: of the program.
        Raises:
            Busy: its client has as many in line as are free.
        """
        run = Run(order, tuple(arguments), _take_place(self._places, "learn_train_now_full"))
        self._line.append(run)
        self._begin()
        self._tell()
        return http.StreamResponse(self.lines(run), http.LINES, lambda: self._leave(run))

    def watch(self) -> http.StreamResponse:
        """Tells of the training that is at work, to its end; of none, at once.

        Raises:
            Busy: its client reads as many as are free.
        """
        who = _take_place(self._readers, "busy_measuring")
        return http.StreamResponse(self.lines(None), http.LINES, lambda: self._readers.give_back(who))

    def trained(self, name: str) -> tuple[dict[str, Any], str] | None:
        """What a training was asked for, and the weights that it told; None where they are not kept any more."""
        return self._trained.get(name)

    async def lines(self, own: Run | None) -> AsyncGenerator[bytes]:
        """What a reader gets: until its own training is over, or, of a reader without one, the one at work."""
        target = own or (self._line[0] if self._line else None)
        shown, sent = None, 0
        while True:
            changed = self._changed
            run = target if target is None or target.end else self._line[0]
            if run is not shown:
                shown, sent = run, 0
            yield self._line_of(run, own, sent)
            sent = len(run.course) if run else 0
            if target is None or target.end:
                return
            await changed.wait()
            await asyncio.sleep(PAUSE)

    def _line_of(self, run: Run | None, own: Run | None, sent: int) -> bytes:
        told = {
            "ahead": self._line.index(own) if own in self._line else None,
            "waiting": max(0, len(self._line) - 1),
            "run": run and {"name": run.name, **run.order},
            "from": sent,
            "course": run.course[sent:] if run else [],
            "now": run.now if run else {},
            "end": run.end if run else "",
        }
        return json.dumps(told).encode() + b"\n"

    def _leave(self, run: Run) -> None:
        """Its visitor has gone, or has read its end."""
        run.stop("stopped")
        if run in self._line[1:]:  # the first leaves the line when its process has ended
            self._remove(run)
        self._tell()

    def _remove(self, run: Run) -> None:
        self._line.remove(run)
        self._places.give_back(run.client)

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _begin(self) -> None:
        if self._line and not self._task:
            self._task = asyncio.create_task(self._work(self._line[0]))

    async def _work(self, run: Run) -> None:
        late = asyncio.get_running_loop().call_later(LIMIT, run.stop, "late")
        try:
            run.process = process = await asyncio.to_thread(self._start, run)
            if run.end:  # left while it was started
                process.kill()
            assert process.stdout
            while line := await asyncio.to_thread(process.stdout.readline):
                self._take(run, json.loads(line))
        except Exception:  # a line that cannot be read, or a program that cannot be started
            logging.getLogger(__name__).exception("a training failed")
        finally:
            late.cancel()
            await self._finish(run)
            self._remove(run)
            self._task = None
            self._begin()
            self._tell()

    async def _finish(self, run: Run) -> None:
        """Ends a training's process, whatever came of it: the next one begins when it is gone."""
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

    def _take(self, run: Run, told: dict[str, Any]) -> None:
        """A line of a training's process."""
        if run.end:
            return
        if "weights" in told:
            run.end = "done"
            self._trained[run.name] = run.order, told["weights"]
            if len(self._trained) > KEPT:
                self._trained.popitem(last=False)
        else:
            run.course.append(told.pop("point"))
            run.now = told
        self._tell()


def _take_place(places: Places, full: str) -> str:
    """Takes a place for the client that asks; returns who it is.

    Raises:
        Busy: with this message, where it holds as many as are free.
    """
    who = client.get()
    if not places.open_to(who):
        raise Busy(full)
    places.take(who)
    return who
