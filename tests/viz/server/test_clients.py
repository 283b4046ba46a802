"""A greedy client cannot take the others' slots and turns; a client cannot pretend to be another."""

import asyncio
import contextlib

import pytest

from tests.viz.loops import run
from viz.server.clients import FairSemaphore, Slots, client, client_of
from viz.text import Busy

SPACE = {"SPACE_ID": "user/name"}


def scope(peer, *forwarded):
    return {"client": (peer, 1), "headers": [(b"x-forwarded-for", value.encode()) for value in forwarded]}


@pytest.mark.parametrize(
    ("forwarded", "who"),
    [
        ([], "10.0.0.7"),
        (["8.8.4.4"], "8.8.4.4"),
        (["8.8.4.4, 10.1.2.3"], "8.8.4.4"),
        (["1.1.1.1, 8.8.4.4, 10.1.2.3"], "8.8.4.4"),  # the first is what the client says of itself
        (["1.1.1.1", "8.8.4.4"], "8.8.4.4"),
        (["2001:4860:4860:1:2:3:4:5"], "2001:4860:4860:1::/64"),
        (["nonsense, <b>"], "10.0.0.7"),
        (["::ffff:8.8.4.4"], "8.8.4.4"),
    ],
    ids=range(8),
)
def test_on_a_space_a_client_is_what_the_proxy_saw_and_not_what_it_says_of_itself(forwarded, who):
    assert client_of(scope("10.0.0.7", *forwarded), SPACE) == who


def test_elsewhere_what_a_client_says_of_itself_is_not_heard():
    assert client_of(scope("10.0.0.7", "8.8.4.4"), {}) == "10.0.0.7"
    assert client_of({"client": None, "headers": []}, {}) == ""


@pytest.mark.parametrize("greedy", [1, 2, 5])
def test_however_many_are_greedy_the_next_finds_a_place(greedy):
    slots = Slots(60)
    for _ in range(100):
        for who in range(greedy):
            client.set(str(who))
            with contextlib.suppress(Busy):
                slots.take("busy_measuring")
    assert 60 * greedy / (greedy + 1) - greedy <= slots.taken < 60
    client.set("next")
    slots.give_back(slots.take("busy_measuring"))
    while slots.taken:
        for who in range(greedy):
            slots.give_back(str(who))
    client.set("0")
    assert slots.take("busy_measuring") == "0"


def test_clients_are_served_in_turn_however_much_one_has_in_line():
    served = []

    async def serve(turns: FairSemaphore, who: str) -> None:
        async with turns.acquire(who):
            await asyncio.sleep(0)
            served.append(who)

    async def crowd() -> None:
        turns = FairSemaphore(2)
        order = ["greedy"] * 50 + ["a", "b", "c", "a"]
        await asyncio.gather(*(serve(turns, who) for who in order))

    run(crowd())
    assert len(served) == 54
    assert served.index("c") <= 2 + 4
    assert [at for at, who in enumerate(served) if who == "a"][1] <= 2 + 4 + 4


def test_who_gives_up_waiting_takes_no_turn_from_the_next():
    async def crowd() -> None:
        turns, done = FairSemaphore(1), asyncio.Event()

        async def serve() -> None:
            async with turns.acquire("one"):
                await done.wait()

        tasks = [asyncio.create_task(serve()) for _ in range(4)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        await asyncio.sleep(0)
        done.set()
        tasks[2].cancel()
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 5)
        await asyncio.wait_for(serve(), 5)

    run(crowd())
