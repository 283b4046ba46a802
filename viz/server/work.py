"""The routes of the demonstrations: POST of a JSON object, answered by one.

An answer depends on nothing but its question, so equal questions are answered once and the answer is kept a while: a
class that follows its teacher asks the same, all at once. What nobody waits for any more is not begun.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fastapi import FastAPI, Request, Response

from viz.passes.run import digest
from viz.server import http
from viz.text import en as text

# Of all demonstrations together.
THREADS = 2  # for work of a part of a second; each piece of it uses the machine's cores
WAITING = 64  # different questions at work or in line
KEPT = 32 << 20  # bytes of answers
OBJECTS = 2_000  # bytes that keeping an answer takes beside its body

Work = Callable[[dict[str, Any]], dict[str, Any]]  # raises ValueError, with a message for the visitor


class Answer(NamedTuple):
    """What is sent."""

    status: int
    body: bytes


GONE = Answer(499, b"")  # nobody reads it


@dataclass
class Question:
    """One that is being answered, or has been."""

    readers: list[Request] = field(default_factory=list)  # all that asked it before it was answered
    task: asyncio.Task[Answer] | None = None


class Questions:
    """All questions at once, of all demonstrations. Used on the event loop only."""

    def __init__(self) -> None:
        self._asked: OrderedDict[str, Question] = OrderedDict()
        self._turns = asyncio.Semaphore(THREADS)
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="question")
        self._bytes = 0  # of the answers that are kept
        self.waiting = 0  # questions without an answer yet

    async def ask(self, path: str, work: Work, request: Request) -> Answer:
        """The answer to a request: made, shared with those who ask the same meanwhile, or kept from before."""
        try:
            asked = http.read_object(await http.limited_body(request))
            json.dumps(asked, ensure_ascii=False).encode()  # half of a surrogate pair could not be sent back
        except UnicodeEncodeError:
            return refusal(422, text.BAD_ORDER)
        except ValueError as error:
            return refusal(422, str(error))
        key = digest(path, asked)
        question = self._asked.get(key)
        if question is None:
            if self.waiting >= WAITING:
                return refusal(503, text.BUSY_MEASURING)
            question = self._asked[key] = Question()
            self.waiting += 1
            question.task = asyncio.create_task(self._answer(key, question, work, asked))
        self._asked.move_to_end(key)
        question.readers.append(request)
        assert question.task
        return await asyncio.shield(question.task)

    async def _answer(self, key: str, question: Question, work: Work, asked: dict[str, Any]) -> Answer:
        answer = GONE
        try:
            async with self._turns:
                for reader in question.readers:  # grows while we ask
                    if not await reader.is_disconnected():
                        answer = await asyncio.get_running_loop().run_in_executor(self._pool, _do, work, asked)
                        break
        finally:
            self.waiting -= 1
            question.readers.clear()
            if answer.status != 200:
                del self._asked[key]
        if answer.status == 200:
            self._keep(answer)
        return answer

    def _keep(self, answer: Answer) -> None:
        """Counts an answer in; the least recently asked go until all fit."""
        self._bytes += len(answer.body) + OBJECTS
        for key, question in list(self._asked.items()):
            if self._bytes <= KEPT:
                break
            if question.task and question.task.done():
                self._bytes -= len(question.task.result().body) + OBJECTS
                del self._asked[key]


def refusal(status: int, message: str) -> Answer:
    """A message for the visitor."""
    return Answer(status, json.dumps({"error": message}).encode())


def _do(work: Work, asked: dict[str, Any]) -> Answer:
    try:
        made = work(asked)
    except ValueError as error:
        return refusal(422, str(error))
    return Answer(200, json.dumps(made, allow_nan=False).encode())


def attach(server: FastAPI, questions: Questions, works: Mapping[str, Work]) -> None:
    """Adds the routes, by path, to the server that serves the page."""

    def route(path: str, work: Work) -> None:
        @server.post(path)
        async def answer(request: Request) -> Response:
            status, body = await questions.ask(path, work, request)
            return Response(body, status, media_type="application/json")

    for path, work in works.items():
        route(path, work)
