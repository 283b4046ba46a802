"""The pool of work: equal requests are computed once, abandoned work stops, and everything is bounded."""

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.requests import ClientDisconnect

from tests.viz.loops import run
from viz.server import http
from viz.server import work as works
from viz.server.clients import client as client_var
from viz.server.work import CACHE_LIMIT, QUESTIONS, TURNS, Listener, Work
from viz.text import Busy, Refusal, note


class Slow:
    """Work in pieces, each of which waits to be released; records which pieces were started."""

    def __init__(self, pieces: int = 1) -> None:
        self.begun, self.pieces, self.go = [], pieces, threading.Event()

    def __call__(self, n: int) -> Callable[[], Iterator[bytes]]:
        def pieces() -> Iterator[bytes]:
            for i in range(self.pieces):
                self.begun.append((n, i))
                assert self.go.wait(30)
                yield b"%d.%d " % (n, i)

        return pieces


def ask(held: Work, slow: Slow, n: int, reader: Any = None) -> asyncio.Task[bytes]:
    async def joined() -> bytes:
        return b"".join([piece async for piece in await held.stream(str(n), slow(n), reader or Listener())])

    return asyncio.create_task(joined())


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_a_class_that_asks_the_same_at_once_is_answered_by_one_run_and_so_is_who_asks_later():
    async def lesson() -> None:
        held, slow = Work(), Slow(2)
        tasks = [ask(held, slow, 1) for _ in range(60)]
        await settle()
        slow.go.set()
        assert {await task for task in tasks} == {b"1.0 1.1 "}
        assert await ask(held, slow, 1) == b"1.0 1.1 "
        assert slow.begun == [(1, 0), (1, 1)]
        assert held.waiting == 0

    run(lesson())


def test_who_joins_a_stream_that_is_under_way_gets_it_from_its_beginning():
    async def late() -> None:
        held, slow = Work(), Slow(3)
        first = await held.stream("k", slow(1), Listener())
        slow.go.set()
        got = [await anext(first)]
        second = await held.stream("k", slow(1), Listener())
        assert [piece async for piece in second] == [b"1.0 ", b"1.1 ", b"1.2 "]
        assert got + [piece async for piece in first] == [b"1.0 ", b"1.1 ", b"1.2 "]
        assert slow.begun == [(1, 0), (1, 1), (1, 2)]

    run(late())


def test_a_question_that_nobody_waits_for_any_more_is_not_begun():
    async def dice() -> None:
        held, slow = Work(), Slow()
        readers = [Listener() for _ in range(8)]
        tasks = [ask(held, slow, n, reader) for n, reader in enumerate(readers)]
        await settle()
        for reader in readers[:7]:
            reader.gone = True
        slow.go.set()
        answers = [await task for task in tasks]
        assert answers[7] == b"7.0 "
        assert len(slow.begun) == TURNS + 1, "those that had begun, and the one that is waited for"
        assert await ask(held, slow, 5) == b"5.0 ", "what was given up is not kept"

    run(dice())


def test_a_stream_that_all_have_left_ends_after_the_piece_at_work():
    async def read_two_and_leave() -> None:
        held, slow = Work(), Slow(100)
        stream = await held.stream("k", slow(1), Listener())
        slow.go.set()
        for _ in range(2):
            await anext(stream)
        await stream.aclose()
        while held.waiting:
            await asyncio.sleep(0.01)
        assert len(slow.begun) < 100
        answer = await held.stream("k", slow(2), Listener())
        assert len([piece async for piece in answer]) == 100, "what was given up is not kept"

    run(read_two_and_leave())


def test_a_turn_of_a_client_that_has_left_computes_nothing():
    async def leave() -> None:
        held, slow, listener = Work(), Slow(), Listener()
        tasks = [ask(held, slow, n) for n in range(TURNS)]
        await settle()
        turn = asyncio.create_task(held.turn(listener, slow.begun.append, "turn"))
        await settle()
        listener.leave()
        slow.go.set()
        with pytest.raises(ClientDisconnect):
            await turn
        assert "turn" not in slow.begun
        assert all([await task for task in tasks])

    run(leave())


def test_a_stream_whose_client_leaves_before_its_first_byte_ends_after_the_piece_at_work():
    """The stream's generator never starts, so nothing in it can notice that the client has left."""

    async def leave_at_once() -> None:
        held, slow, listener = Work(), Slow(100), Listener()
        answer = http.StreamResponse(await held.stream("k", slow(1), listener), http.BINARY, listener.leave)

        async def receive() -> Any:
            return {"type": "http.disconnect"}

        async def send(_: Any) -> None:
            await asyncio.sleep(0)  # where it has to wait, the client's leaving is noticed here

        slow.go.set()
        await answer({"type": "http"}, receive, send)
        while held.waiting:
            await asyncio.sleep(0.01)
        assert len(slow.begun) < 100

    run(leave_at_once())


def test_long_answers_take_turns_so_a_short_one_is_not_behind_all_of_their_pieces():
    async def beside() -> None:
        held, long = Work(), Slow(50)
        long.go.set()
        tasks = [ask(held, long, n) for n in range(4)]
        await settle()
        await held.whole("short", lambda: b"x", Listener())
        assert len(long.begun) < 100, "of the 200 pieces that were asked for before"
        await asyncio.gather(*tasks)

    run(beside())


def test_steps_go_on_while_every_turn_is_taken():
    async def beside() -> None:
        held, slow = Work(), Slow()
        tasks = [ask(held, slow, n) for n in range(10)]
        while len(slow.begun) < TURNS:
            await asyncio.sleep(0.01)
        assert await held.step(lambda: 7) == 7
        slow.go.set()
        await asyncio.gather(*tasks)

    run(beside())


def test_more_questions_than_half_of_those_that_may_wait_are_refused_to_one_client_and_equal_ones_are_not():
    async def crowd() -> None:
        held, slow = Work(), Slow()
        tasks = [ask(held, slow, n) for n in range(QUESTIONS // 2)]
        await settle()
        with pytest.raises(Busy):
            await ask(held, slow, QUESTIONS)
        tasks.append(ask(held, slow, 0))
        slow.go.set()
        assert all([await task for task in tasks])

    run(crowd())


def test_no_client_has_more_turns_in_line_than_half_of_what_may_wait():
    async def crowd() -> None:
        held, slow = Work(), Slow()
        turns = [asyncio.create_task(held.turn(Listener(), next, slow(n)())) for n in range(QUESTIONS // 2)]
        await settle()
        with pytest.raises(Busy):
            await held.turn(Listener(), next, slow(QUESTIONS)())
        slow.go.set()
        assert await asyncio.gather(*turns)
        assert held.waiting == 0

    run(crowd())


def by(who: str, asking: Callable[[], asyncio.Task[bytes]]) -> asyncio.Task[bytes]:
    """Makes a request as a client: a task sees the context variables that were set when it was created."""
    before = client_var.set(who)
    try:
        return asking()
    finally:
        client_var.reset(before)


def test_twenty_that_ask_honestly_are_each_served_before_a_greedy_one_s_second_piece():
    async def crowd() -> None:
        held, slow = Work(), Slow()
        greedy = [by("greedy", lambda n=n: ask(held, slow, n)) for n in range(QUESTIONS // 2)]
        await settle()
        with pytest.raises(Busy):
            await by("greedy", lambda: ask(held, slow, QUESTIONS))
        honest = [by(f"honest {n}", lambda n=n: ask(held, slow, 1000 + n)) for n in range(20)]
        await settle()
        slow.go.set()
        await asyncio.gather(*honest)
        before = slow.begun[: slow.begun.index((1019, 0))]
        assert sum(n < 1000 for n, _ in before) <= 2 * TURNS, "what had begun, and its turn among the others"
        await asyncio.gather(*greedy)
        assert held.waiting == 0

    run(crowd())


def test_an_answer_is_there_once_it_is_computed_though_others_still_wait_for_their_turns():
    async def crowd() -> None:
        work, released = Work(), [threading.Event() for _ in range(10)]

        def answer(n: int) -> bytes:
            assert released[n].wait(30)
            return b"%d" % n

        tasks = [
            by(f"client {n}", lambda n=n: asyncio.create_task(work.whole(str(n), lambda: answer(n), Listener())))
            for n in range(len(released))
        ]
        for event, task in zip(released, tasks, strict=True):
            event.set()
            await asyncio.wait_for(task, 20)

    run(crowd())


def test_answers_are_kept_up_to_a_number_of_bytes_the_newest_longest():
    async def fill() -> None:
        held, made = Work(), []

        def large(n: int) -> Callable[[], bytes]:
            def answer() -> bytes:
                made.append(n)
                return b"x" * (CACHE_LIMIT // 4)

            return answer

        for n in (0, 1, 2, 3, 4, 4, 3, 0):
            await held.whole(str(n), large(n), Listener())
        assert made == [0, 1, 2, 3, 4, 0]

    run(fill())


def test_what_is_kept_of_a_question_is_small_and_of_a_refusal_nothing():
    async def ask_much() -> None:
        work = Work()
        for n in range(50):
            await work.whole(str(n), lambda: b"x", Listener())
        assert sum(sys.getsizeof(key) for key in work._jobs) < 50 * works.OVERHEAD

        def refuse() -> bytes:
            raise Refusal("too_short")

        for _ in range(2):
            with pytest.raises(Refusal, match="single token"):
                await work.whole("refused", refuse, Listener())
        assert len(work._jobs) == 50

    run(ask_much())


def test_an_unforeseen_error_is_no_answer_and_the_next_who_asks_is_served():
    async def fail() -> None:
        held, calls = Work(), []

        def once() -> bytes:
            calls.append(1)
            if len(calls) == 1:
                raise RuntimeError("unforeseen")
            return b"fine"

        with pytest.raises(RuntimeError):
            await held.whole("k", once, Listener())
        assert await held.whole("k", once, Listener()) == b"fine"
        assert held.waiting == 0

    run(fail())


@pytest.fixture
def client():
    def answer(asked: dict[str, Any]) -> dict[str, Any]:
        if "size" in asked:
            raise ValueError(f"sizes must be (2, 3), got {asked['size']}")
        return asked

    server = FastAPI()
    works.attach(server, Work(), {"/echo": answer})
    return TestClient(server)


@pytest.mark.parametrize("body", [b"", b"[]", b"7", b"[" * 60_000, b"x" * 70_000], ids=range(5))
def test_what_is_no_question_is_refused_with_a_message(client, body):
    answer = client.post("/echo", content=body)
    assert (answer.status_code, answer.json()) == (422, {"error": note("bad_request")})


@pytest.mark.parametrize("text", ["ä", "\ud800", "\x00"], ids=range(3))
def test_any_text_is_sent_back_as_it_came(client, text):
    assert client.post("/echo", content=json.dumps({"a": text})).json() == {"a": text}


def test_a_value_error_that_is_no_refusal_is_logged_with_its_traceback_and_not_told_to_a_visitor(client, caplog):
    answer = client.post("/echo", content=b'{"size": 7}')
    assert (answer.status_code, answer.json()) == (422, {"error": note("not_possible")})
    assert "Traceback" in caplog.text  # what the guard of the browser tests looks for in a server's log
    assert "must be (2, 3)" in caplog.text
    caplog.clear()  # was meant


def test_a_refusal_is_not_logged(client, caplog):
    assert client.post("/echo", content=b"7").status_code == 422
    assert not caplog.records


def test_lists_in_lists_are_answered_or_refused_however_deep_they_go(client):
    """Parsing may fail one level earlier than serialising; both depend on the current depth of the stack."""
    for depth in (10, *range(850, 1_000), 10_000):
        answer = client.post("/echo", content=b'{"a": ' + b"[" * depth + b"]" * depth + b"}")
        assert answer.status_code in (200, 422), depth
