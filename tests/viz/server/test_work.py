"""Questions of the demonstrations: equal ones are answered once, what nobody waits for is not begun, all is bounded."""

import asyncio
import json
import sys
import threading
from typing import Any

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient

from tests.viz.loops import run
from viz.server import work as questions
from viz.server.work import KEPT, WAITING, Questions


class Reader:
    """A request with its body; it leaves when told to."""

    def __init__(self, asked: Any) -> None:
        self.body, self.gone = json.dumps(asked).encode(), False

    async def stream(self):
        yield self.body

    async def is_disconnected(self) -> bool:
        return self.gone


class Slow:
    """Work that waits to be let go, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked, self.go = [], threading.Event()

    def __call__(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(asked)
        assert self.go.wait(30)
        return {"sum": sum(asked["of"])}


def ask(held: Questions, work: Any, *readers: Any) -> list[asyncio.Task]:
    return [asyncio.create_task(held.ask("/add", work, reader)) for reader in readers]


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_a_class_that_asks_the_same_at_once_is_answered_by_one_run_and_so_is_who_asks_later():
    async def lesson() -> None:
        held, work = Questions(), Slow()
        tasks = ask(held, work, *(Reader({"of": [1, 2]}) for _ in range(60)))
        await settle()
        work.go.set()
        assert {await task for task in tasks} == {(200, b'{"sum": 3}')}
        assert (await held.ask("/add", work, as_request(Reader({"of": [1, 2]}))))[1] == b'{"sum": 3}'
        assert work.asked == [{"of": [1, 2]}]
        assert held.waiting == 0

    run(lesson())


def as_request(reader: Any) -> Request:
    return reader


def test_a_question_that_nobody_waits_for_any_more_is_not_begun():
    async def dice() -> None:
        held, work = Questions(), Slow()
        readers = [Reader({"of": [n]}) for n in range(8)]
        tasks = ask(held, work, *readers)
        await settle()
        for reader in readers[:7]:
            reader.gone = True
        work.go.set()
        answers = [await task for task in tasks]
        assert answers[7] == (200, b'{"sum": 7}')
        assert len(work.asked) == questions.THREADS + 1, "those that had begun, and the one that is waited for"
        again = await held.ask("/add", work, as_request(Reader({"of": [5]})))
        assert again == (200, b'{"sum": 5}'), "what was given up is not kept"

    run(dice())


def test_more_questions_than_may_wait_are_refused_and_equal_ones_are_not():
    async def crowd() -> None:
        held, work = Questions(), Slow()
        tasks = ask(held, work, *(Reader({"of": [n]}) for n in range(WAITING)))
        await settle()
        assert (await held.ask("/add", work, as_request(Reader({"of": [WAITING]})))).status == 503
        tasks += ask(held, work, Reader({"of": [0]}))
        work.go.set()
        assert {(await task).status for task in tasks} == {200}

    run(crowd())


def test_answers_are_kept_up_to_a_number_of_bytes_the_newest_longest():
    async def fill() -> None:
        held, asked = Questions(), []

        def large(given: dict[str, Any]) -> dict[str, Any]:
            asked.append(given["n"])
            return {"text": "x" * (KEPT // 4)}

        for n in (0, 1, 2, 3, 4, 4, 3, 0):
            await held.ask("/large", large, as_request(Reader({"n": n})))
        assert asked == [0, 1, 2, 3, 4, 0]

    run(fill())


def test_what_is_kept_of_a_question_is_small_and_of_a_refusal_nothing():
    async def ask_much() -> None:
        held = Questions()
        for n in range(50):
            long = Reader({"n": n, "junk": "x" * 60_000})
            await held.ask("/sum", lambda asked: {"sum": asked["n"]}, as_request(long))
        assert sum(sys.getsizeof(key) for key in held._asked) < 50 * questions.OBJECTS
        assert len(held._asked) == 50

        def refuse(asked: dict[str, Any]) -> dict[str, Any]:
            raise ValueError(f"not {asked['n']}")

        for _ in range(2):
            assert (await held.ask("/sum", refuse, as_request(Reader({"n": -1})))).status == 422
        assert len(held._asked) == 50

    run(ask_much())


def test_an_unforeseen_error_is_no_answer_and_the_next_who_asks_is_served():
    async def fail() -> None:
        held, calls = Questions(), []

        def once(asked: dict[str, Any]) -> dict[str, Any]:
            calls.append(asked)
            if len(calls) == 1:
                raise RuntimeError("unforeseen")
            return {"fine": True}

        with pytest.raises(RuntimeError):
            await held.ask("/a", once, as_request(Reader({})))
        assert (await held.ask("/a", once, as_request(Reader({})))).status == 200
        assert held.waiting == 0

    run(fail())


@pytest.mark.parametrize("body", [b"", b"[]", b'{"a": "\\ud800"}', b"[" * 60_000, b"x" * 70_000], ids=range(5))
def test_what_is_no_question_is_refused_with_a_message(body):
    server = FastAPI()
    questions.attach(server, Questions(), {"/echo": lambda asked: asked})
    client = TestClient(server)
    answer = client.post("/echo", content=body)
    assert answer.status_code == 422
    assert answer.json()["error"]
    assert client.post("/echo", content=b'{"a": "\xc3\xa4"}').json() == {"a": "ä"}
