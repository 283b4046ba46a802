"""A log in Redis: every replica reads all changes of a state in the same order, and applies them to its own copy.

Reading the state needs no request to Redis. A replica that starts, that has missed changes, or that has reconnected to
Redis reads the newest saved copy and the changes after it. If Redis comes back empty, the first replica to notice saves
its own copy there, under a new secret.

    former:{log}         the stream of changes: its ids are their numbers, from 1 on, each with "at", the time by
                         Redis's clock, and "do": [ticket, change, arguments] as JSON
    former:{log}:count   the number of the last change
    former:{log}:saved   a hash: "number" of the last change in the copy, "state": the copy as JSON
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
from collections.abc import Callable
from typing import Any

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, WatchError

from viz.shared.protocol import END, State
from viz.text import Busy

SECRET = "former:secret"
SAVE = 256  # changes between two copies; as many before the newest copy stay in the stream
LISTEN = 1.0  # seconds that a replica waits for changes before it looks whether this is still the same Redis
WAIT = 5.0  # seconds until a change that has not come back is refused
AGAIN = 0.5  # seconds between two attempts to reach Redis

# Appends a change, if this is the Redis that the replica knows.
APPEND = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local now = redis.call('TIME')
local number = redis.call('INCR', KEYS[2] .. ':count')
local at = string.format('%d.%06d', now[1], now[2])
redis.call('XADD', KEYS[2], number .. '-0', 'at', at, 'do', ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('EXPIRE', KEYS[2] .. ':saved', ARGV[3])
return number
"""
# Saves a copy, unless a newer one is there, and drops the changes long before it.
KEEP = """
local saved = KEYS[1] .. ':saved'
if tonumber(redis.call('HGET', saved, 'number') or 0) >= tonumber(ARGV[1]) then return end
redis.call('HSET', saved, 'number', ARGV[1], 'state', ARGV[2])
redis.call('EXPIRE', saved, ARGV[3])
redis.call('XTRIM', KEYS[1], 'MINID', ARGV[4] .. '-0')
"""


class Missed(Exception):
    """Changes are missing, or Redis was replaced: the state has to be loaded again."""


class RedisLog:
    """A `Log` in Redis.

    Args:
        address: of Redis.
        name: of the log.
        state: this replica's copy.
        secret: of all replicas.
        adopt: called with the new secret, after Redis has lost the old one.
    """

    def __init__(self, address: str, name: str, state: State, secret: bytes, adopt: Callable[[bytes], None]) -> None:
        self._address, self._key, self._state = address, f"former:{name}", state
        self._secret, self._adopt = secret, adopt
        self._number: int | None = None  # of the last change in the state; None before it was read
        self._waiting: dict[str, asyncio.Future[Any]] = {}  # own changes, by their tickets
        self._loaded: asyncio.Event | None = None  # made on the event loop, with the two that follow
        self._client: Any = None
        self._tasks: set[asyncio.Task[None]] = set()  # the event loop keeps only weak references

    async def ready(self) -> None:
        """Waits until the state was loaded once; after that it can be read even without Redis."""
        if self._loaded is None:
            self._loaded = asyncio.Event()
            self._client = redis.asyncio.Redis.from_url(
                self._address,
                socket_timeout=2 * LISTEN,
                socket_connect_timeout=2 * LISTEN,
                retry=Retry(NoBackoff(), 1),  # on a new connection; a change that comes twice changes nothing
            )
            self._begin(self._follow())
        if self._loaded.is_set():
            return
        try:
            await asyncio.wait_for(self._loaded.wait(), WAIT)
        except asyncio.TimeoutError:
            raise Busy("busy_shared") from None

    def _begin(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def change(self, name: str, *arguments: Any) -> Any:
        """Makes a change on every replica; returns its result as soon as this replica has applied it."""
        await self.ready()
        ticket, result = secrets.token_hex(8), asyncio.get_running_loop().create_future()
        self._waiting[ticket] = result
        try:
            entry = json.dumps([ticket, name, arguments])
            if not await self._client.eval(APPEND, 2, SECRET, self._key, self._secret, entry, END):
                raise Busy("busy_shared")
            return await asyncio.wait_for(result, WAIT)
        except (RedisError, OSError, asyncio.TimeoutError):
            raise Busy("busy_shared") from None
        finally:
            del self._waiting[ticket]

    def submit(self, name: str, *arguments: Any) -> None:
        """Makes a change without waiting; it is lost if it is refused, or Redis cannot be reached."""

        async def quietly() -> None:
            with contextlib.suppress(ValueError):
                await self.change(name, *arguments)

        self._begin(quietly())

    # --- following the other replicas ---------------------------------------------------------------------------------

    async def _follow(self) -> None:
        """Applies the changes of all replicas as they arrive; never returns."""
        assert self._loaded
        connected = True
        while True:
            try:
                await self._load()
                self._loaded.set()
                connected = True
                await self._listen()
            except (Missed, WatchError):
                pass
            except (RedisError, OSError) as error:
                if connected:
                    logging.getLogger(__name__).warning("Redis cannot be reached: %s", error)
                connected = False
            await asyncio.sleep(AGAIN)

    async def _listen(self) -> None:
        """Applies changes until some are missing.

        Raises:
            Missed: a change was dropped from the stream, or Redis was replaced.
        """
        while True:
            streams = await self._client.xread({self._key: f"{self._number}-0"}, count=SAVE, block=round(1000 * LISTEN))
            if await self._client.get(SECRET) != self._secret:
                raise Missed
            for _, entries in streams:
                self._make(entries)

    async def _load(self) -> None:
        """Loads the newest copy and the changes after it; saves this replica's copy if Redis is empty."""
        async with self._client.pipeline() as pipe:
            await pipe.watch(SECRET)
            current = await pipe.get(SECRET)
            secret = current or secrets.token_bytes(32)
            pipe.multi()
            if current is None:
                number = self._number or 0
                pipe.set(SECRET, secret)
                pipe.set(f"{self._key}:count", number)
                pipe.delete(self._key)
                saved = {"number": number, "state": json.dumps(self._state.saved())}
                pipe.hset(f"{self._key}:saved", mapping=saved)
            pipe.get(f"{self._key}:count")
            pipe.hgetall(f"{self._key}:saved")
            pipe.xrange(self._key)
            *_, count, saved, entries = await pipe.execute()
        if secret != self._secret:
            self._secret = secret
            self._adopt(secret)
        self._restore(saved.get(b"state", b"{}"))
        first = int(entries[0][0].partition(b"-")[0]) - 1 if entries else int(count or 0)
        last = saved.get(b"number", b"")
        self._number = int(last) if last.isdigit() else first
        self._make([entry for entry in entries if int(entry[0].partition(b"-")[0]) > self._number])

    def _restore(self, state: bytes) -> None:
        try:
            self._state.restore(json.loads(state))
        except ValueError as error:
            logging.getLogger(__name__).warning("what Redis holds of %s cannot be read: %s", self._key, error)
            self._state.restore({})

    def _make(self, entries: list[tuple[bytes, dict[bytes, bytes]]]) -> None:
        """Applies changes, in order.

        Raises:
            Missed: a change is missing.
        """
        for key, fields in entries:
            if int(key.partition(b"-")[0]) != (self._number or 0) + 1:
                raise Missed
            self._number = (self._number or 0) + 1
            ticket, result, refusal = None, None, None
            try:
                ticket, name, arguments = json.loads(fields[b"do"])
                result = self._state.apply(name, arguments, float(fields[b"at"]))
            except (ValueError, TypeError, KeyError, RecursionError) as error:  # refused: so on every replica
                refusal = error
            waiting = self._waiting.get(ticket) if isinstance(ticket, str) else None
            if waiting is None or waiting.done():
                continue
            if refusal:
                waiting.set_exception(refusal)
            else:
                waiting.set_result(result)
            if self._number % SAVE == 0:
                self._begin(self._save(self._number, json.dumps(self._state.saved())))

    async def _save(self, number: int, state: str) -> None:
        with contextlib.suppress(RedisError, OSError):  # the next copy will do
            await self._client.eval(KEEP, 1, self._key, number, state, END, number - SAVE)
