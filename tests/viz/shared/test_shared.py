"""Data shared by replicas: the same in memory and through Redis; kept or lost as stated when Redis goes and returns."""

import asyncio
import gzip
import os
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.redis_server import Redis
from tests.viz.loops import run
from viz.passes import payload
from viz.server import room_routes
from viz.server.rooms import Rooms
from viz.shared import InMemory, Unreachable, by_redis, connect, log
from viz.shared.by_redis import InRedis, RedisShelf
from viz.shared.protocol import END
from viz.tabs import base
from viz.tabs.explore import routes
from viz.text import Busy, Refusal, note

KEY = "0" * 32
PATIENCE = 30  # seconds that something may take on a machine that stalls


@pytest.fixture(scope="module")
def server() -> Iterator[Redis]:
    with tempfile.TemporaryDirectory() as folder:  # its path is short: that of a socket has 108 bytes at most
        redis = Redis(Path(folder))
        redis.start()
        yield redis
        redis.stop()


@pytest.fixture
def redis(server) -> Redis:
    server.client.flushall()
    return server


@pytest.fixture(params=["memory", "redis"])
def shared(request):
    return InMemory() if request.param == "memory" else InRedis(request.getfixturevalue("redis").address)


class Words:
    """A state: the words that were said. A word of more than five letters is refused."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.times: list[float] = []

    def apply(self, change: str, arguments: Sequence[Any], at: float) -> int:
        if change != "say":
            raise KeyError(change)
        (word,) = arguments
        if len(word) > 5:
            raise Refusal("long_text", given=len(word), limit=5)
        self.said.append(word)
        self.times.append(at)
        return len(self.said)

    def saved(self) -> dict[str, Any]:
        return {"said": self.said}

    def restore(self, saved: dict[str, Any]) -> None:
        self.said = list(saved.get("said", []))


async def until(holds) -> None:
    limit = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < limit
        await asyncio.sleep(0.01)


async def said(words: Any, word: str) -> int:
    """Appends a word, retrying while the shared data cannot be reached."""
    limit = time.monotonic() + PATIENCE
    while True:
        try:
            return await words.change("say", word)
        except Busy:
            assert time.monotonic() < limit
            await asyncio.sleep(0.05)


def test_a_shelf_keeps_what_is_put_there(shared):
    shared.orders.put("a", b"\x00 first")
    shared.orders.put("b", b"second")
    assert shared.orders.get("a") == b"\x00 first"
    assert shared.trained.get("a") is None


def test_a_change_has_its_result_its_refusal_and_its_time(shared):
    async def conversation() -> None:
        state = Words()
        words = shared.log("words", state)
        await words.ready()
        assert [await words.change("say", word) for word in ("one", "two")] == [1, 2]
        with pytest.raises(Refusal) as refused:
            await words.change("say", "eleven")
        assert refused.value.note == note("long_text", given=6, limit=5)
        with pytest.raises(KeyError):
            await words.change("forget")
        assert await words.change("say", "three") == 3
        assert state.times == sorted(state.times)
        assert abs(state.times[-1] - time.time()) < PATIENCE

    run(conversation())


def test_the_oldest_values_give_way_and_all_come_to_an_end(redis):
    shelf = RedisShelf(redis.client, "small", limit=3_000)
    values = {str(i): bytes([i]) * 10 + os.urandom(900) for i in range(5)}
    for key, value in values.items():
        shelf.put(key, value)
        shelf.put(key, value)  # counts once
    assert [key for key in values if shelf.get(key)] == ["2", "3", "4"]
    kept = [redis.client.strlen(f"former:small:{key}") for key in "234"]
    assert int(redis.client.get("former:small:total")) == sum(kept) <= 3_000
    assert all(0 < redis.client.ttl(f"former:small:{key}") <= END for key in "234")
    redis.client.delete("former:small:2", "former:small:3")  # they came to their end
    shelf.put("5", values["0"])
    assert redis.client.zrange("former:small:times", 0, -1) == [b"4", b"5"]
    shelf.put("4", values["4"])  # for longer
    shelf.put("3", values["3"])  # anew
    assert redis.client.zrange("former:small:times", 0, -1) == [b"5", b"4", b"3"]
    kept = [redis.client.strlen(f"former:small:{key}") for key in "543"]
    assert int(redis.client.get("former:small:total")) == sum(kept)
    shelf.put("large", os.urandom(5_000))
    assert [key for key in [*values, "5", "large"] if shelf.get(key)] == ["large"], "the newest is kept in any case"


@pytest.mark.parametrize("content", [b"", b"nothing compressed", zlib.compress(b"cut off" * 9)[:-6]])
def test_what_somebody_else_wrote_onto_a_shelf_is_nothing(redis, content):
    redis.client.set("former:orders:a", content)
    assert InRedis(redis.address).orders.get("a") is None


def test_a_value_that_would_fill_the_memory_is_nothing(redis, monkeypatch):
    monkeypatch.setattr(by_redis, "LARGEST", 1_000)
    shelf = InRedis(redis.address).orders
    shelf.put("small", bytes(1_000))
    shelf.put("large", bytes(1_001))
    assert shelf.get("small") == bytes(1_000)
    assert shelf.get("large") is None


def test_replicas_make_each_other_s_changes_in_one_order(redis):
    async def conversation() -> None:
        states = [Words() for _ in range(3)]
        logs = [InRedis(redis.address).log("words", state) for state in states]
        for each in logs:
            await each.ready()
        results = await asyncio.gather(*(logs[i % 3].change("say", str(i)) for i in range(60)))
        assert sorted(results) == list(range(1, 61))
        await until(lambda: all(len(state.said) == 60 for state in states))
        assert states[0].said == states[1].said == states[2].said

    run(conversation())


def test_a_replica_that_starts_later_or_missed_changes_has_all_of_them(redis, monkeypatch):
    monkeypatch.setattr(log, "SAVE", 8)

    async def conversation() -> None:
        first, second, late = Words(), Words(), Words()
        words, others = (InRedis(redis.address).log("words", state) for state in (first, second))
        await others.ready()
        for number in range(50):
            await words.change("say", str(number))
        await until(lambda: redis.client.xlen("former:words") < 20)
        await until(lambda: second.said == first.said)
        await InRedis(redis.address).log("words", late).ready()
        assert late.said == first.said == [str(number) for number in range(50)]
        others._number = 3  # as if it had stalled for long
        await words.change("say", "more")
        await until(lambda: second.said == first.said)

    run(conversation())


@pytest.mark.parametrize(
    "entry", ["no JSON", "[]", '["t", "say"]', '["t", "say", [7]]', '["t", "run", ["a"]]', "[" * 9999]
)
def test_an_entry_that_is_no_change_changes_nothing_on_any_replica(redis, entry):
    async def conversation() -> None:
        state, late = Words(), Words()
        words = InRedis(redis.address).log("words", state)
        await words.change("say", "one")
        number = redis.client.incr("former:words:count")
        redis.client.xadd("former:words", {"at": 7, "do": entry}, id=f"{number}-0")
        assert await words.change("say", "two") == 2
        await InRedis(redis.address).log("words", late).ready()
        assert late.said == state.said == ["one", "two"]

    run(conversation())


def test_a_saved_copy_that_cannot_be_read_is_as_good_as_none(redis):
    async def conversation() -> None:
        state = Rooms()
        held = InRedis(redis.address).log("rooms", state)
        await held.ready()
        redis.client.hset("former:rooms:saved", mapping={"number": 0, "state": '{"rooms": {"a": {"key": 7}}}'})
        another = Rooms()
        await InRedis(redis.address).log("rooms", another).ready()
        assert another.saved() == Rooms().saved()

    run(conversation())


def test_while_redis_is_gone_changes_are_refused_and_then_all_goes_on_without_loss(redis):
    async def conversation() -> None:
        states = [Words(), Words()]
        shares = [InRedis(redis.address) for _ in states]
        logs = [shared.log("words", state) for shared, state in zip(shares, states, strict=True)]
        for each in logs:
            await each.ready()
        await logs[0].change("say", "one")
        await until(lambda: states[1].said == ["one"])
        redis.stop()
        with pytest.raises(Busy, match="cannot reach"):
            await logs[0].change("say", "two")
        with pytest.raises(Busy, match="cannot reach"):
            shares[0].orders.get("a")
        with pytest.raises(Busy, match="cannot reach"):
            shares[0].orders.put("a", b"")
        await logs[1].ready()
        assert states[1].said == ["one"], "what it knows can be read"
        redis.start()  # empty
        assert await said(logs[1], "two") == 2
        assert await said(logs[0], "three") == 3
        await until(lambda: states[0].said == states[1].said == ["one", "two", "three"])
        assert shares[0].secret == shares[1].secret == redis.client.get(log.SECRET)
        shares[0].orders.put("a", b"1")
        assert shares[1].orders.get("a") == b"1"

    run(conversation())


def test_a_redis_that_others_have_filled_meanwhile_is_taken_over(redis):
    async def conversation() -> None:
        state = Words()
        shared = InRedis(redis.address)
        words = shared.log("words", state)
        await words.change("say", "one")
        with redis.client.pipeline() as pipe:  # no moment in which it is empty
            pipe.flushall()
            pipe.set(log.SECRET, b"another")
            pipe.execute()
        assert await said(words, "two") == 1
        assert state.said == ["two"]
        assert shared.secret == b"another"

    run(conversation())


def test_a_start_without_redis_is_refused_in_one_line(tmp_path):
    with pytest.raises(Unreachable, match="FORMER_REDIS must be the address of a Redis that answers"):
        connect(f"unix://{tmp_path}/nothing.sock")
    with pytest.raises(Unreachable, match="FORMER_REDIS must be"):
        connect("somewhere")


@contextmanager
def replica(models, redis: Redis) -> Iterator[TestClient]:
    """Yields a client of a replica that has the rooms and the passes."""
    site = base.site_of(models, connect(redis.address))
    app = FastAPI()
    room_routes.attach(app, site.shared)
    routes.attach(app, site)
    with TestClient(app) as client:
        yield client


def test_any_replica_answers_about_a_pass_that_another_made(models, redis):
    with replica(models, redis) as one, replica(models, redis) as other:
        asked = {"model": "small-generator", "text": "The cat sat", "edits": "0.1.uniform"}
        key = one.post("/attention", json=asked).json()["key"]
        assert other.post("/attention", json=asked).json()["key"] == key
        for path in ("", "/self/1/2", "/self/1/mean"):
            answers = [each.get(f"/attention/{key}{path}") for each in (one, other)]
            assert answers[0].status_code == 200
            assert answers[0].content == answers[1].content, path
    with replica(models, redis) as third:
        body = third.get(f"/attention/{key}").content
        assert payload.key_in(gzip.compress(body)) == key
        assert third.get(f"/attention/{'0' * 32}").status_code == 404
        redis.client.set(f"former:orders:{'0' * 32}", redis.client.get(f"former:orders:{key}"))
        redis.client.set(f"former:bodies:{'0' * 32}", redis.client.get(f"former:bodies:{key}"))
        assert third.get(f"/attention/{'0' * 32}").status_code == 404, "the key of another pass"


def test_a_pass_that_was_dropped_everywhere_is_there_again_for_who_posts_its_text_again(models, redis):
    with replica(models, redis) as one, replica(models, redis) as other:
        asked = {"model": "small-generator", "text": "The dog sat"}
        key = one.post("/attention", json=asked).json()["key"]
        redis.client.delete(f"former:orders:{key}", f"former:bodies:{key}")
        assert other.get(f"/attention/{key}").status_code == 404
        assert one.post("/attention", json=asked).json()["key"] == key
        assert other.get(f"/attention/{key}").status_code == 200


def test_a_room_is_the_same_on_all_replicas_and_its_limits_too(models, redis):
    with replica(models, redis) as one, replica(models, redis) as other:
        rev = one.put("/room/a", json={"key": KEY, "view": "x=1"}).json()["rev"]
        assert one.get("/alive").json() == other.get("/alive").json()
        assert other.get("/room/a").json()["view"] == "x=1"
        assert other.put("/room/a", json={"key": "1" * 32, "view": "x=2"}).status_code == 409
        assert other.put("/room/a", json={"key": KEY, "view": "x=3"}).json()["rev"] > rev
        assert one.get(f"/room/a?rev={rev}").json()["view"] == "x=3"
        for each, choice in ((one, 1), (other, 0), (one, 0)):  # the voter's first counts, wherever
            each.put("/room/a/vote", json={"voter": "a" * 32, "question": "block", "choice": choice})
        assert other.post("/room/a/votes", json={"key": KEY, "question": "block"}).json()["counts"] == [0, 1]


def test_a_replica_without_redis_refuses_what_it_cannot_do_and_shows_what_it_knows(models, redis):
    with replica(models, redis) as one:
        one.put("/room/a", json={"key": KEY, "view": "x=1"})
        asked = {"model": "small-generator", "text": "A dog", "edits": ""}
        key = one.post("/attention", json=asked).json()["key"]
        redis.stop()
        try:
            refused = one.put("/room/a", json={"key": KEY, "view": "x=2"})
            assert (refused.status_code, refused.json()["error"]) == (503, note("busy_shared"))
            assert one.get("/room/a").json()["view"] == "x=1"
            assert one.get(f"/attention/{key}/self/0/0").status_code == 200
            refused = one.get(f"/attention/{'0' * 32}")
            assert (refused.status_code, refused.json()["error"]) == (503, note("busy_shared"))
            refused = one.post("/attention", json=asked | {"text": "Another dog"})
            assert (refused.status_code, refused.json()["error"]) == (503, note("busy_shared"))
        finally:
            redis.start()
        limit = time.monotonic() + PATIENCE
        while one.put("/room/a", json={"key": KEY, "view": "x=2"}).status_code == 503:
            assert time.monotonic() < limit
            time.sleep(0.05)
        assert one.get("/room/a").json()["view"] == "x=2"
        key = one.post("/attention", json=asked).json()["key"]
        with replica(models, redis) as other:
            assert other.get(f"/attention/{key}/self/0/0").status_code == 200
