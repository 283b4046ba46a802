"""Shared storage in Redis: values as bytes, changes as JSON.

former:secret            the secret of all replicas
former:{shelf}:{key}     a value, compressed, until `END` seconds after it was last put
former:{shelf}:times     the keys on a shelf, by the time at which they were last put
former:{shelf}:sizes     their sizes in bytes
former:{shelf}:total     the sum of these sizes
former:{log}…            see `log`
"""

from __future__ import annotations

import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from viz.shared.log import SECRET, RedisLog
from viz.shared.protocol import END, State
from viz.text import Busy

WAIT = 2  # seconds for an answer of Redis
ORDERS, BODIES, TRAINED = 32 << 20, 256 << 20, 16 << 20  # bytes on each shelf, compressed
LARGEST = 64 << 20  # bytes of a value: a body that says it is longer is not one

# Keeps a value as the newest one, and drops those that have ended and the oldest beyond the limit. Values come to their
# end in the order in which they were last put.
PUT = """
local shelf, key, value, last, limit = KEYS[1], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local times, sizes, total = shelf .. ':times', shelf .. ':sizes', shelf .. ':total'
local now = redis.call('TIME')
redis.call('SET', shelf .. ':' .. key, value, 'EX', last)
redis.call('DECRBY', total, redis.call('HGET', sizes, key) or 0)
redis.call('HSET', sizes, key, #value)
redis.call('ZADD', times, now[1] + now[2] / 1e6, key)
local sum = redis.call('INCRBY', total, #value)
while true do
  local oldest = redis.call('ZRANGE', times, 0, 0)[1]
  local kept = redis.call('EXISTS', shelf .. ':' .. oldest) == 1
  if kept and (sum <= limit or oldest == key) then break end
  redis.call('DEL', shelf .. ':' .. oldest)
  sum = redis.call('DECRBY', total, redis.call('HGET', sizes, oldest))
  redis.call('HDEL', sizes, oldest)
  redis.call('ZREM', times, oldest)
end
"""


@contextmanager
def reached() -> Iterator[None]:
    """Context manager: raises Busy if Redis cannot be reached.

    Raises:
        Busy: Redis did not answer.
    """
    try:
        yield
    except (RedisError, OSError):
        raise Busy("busy_shared") from None


class RedisShelf:
    """A `Shelf` in Redis.

    Args:
        client: a client of Redis.
        name: the shelf's name.
        limit: bytes of all values together.
    """

    def __init__(self, client: redis.Redis, name: str, limit: int) -> None:
        self._client, self._name, self._limit = client, f"former:{name}", limit
        self._put = client.register_script(PUT)

    def put(self, key: str, value: bytes) -> None:
        """Stores a value, compressed, as the newest one."""
        with reached():
            self._put([self._name], [key, zlib.compress(value, 1), END, self._limit])

    def get(self, key: str) -> bytes | None:
        """Returns a value; None if the key has none, or one that was not written by `put`."""
        with reached():
            packed = self._client.get(f"{self._name}:{key}")
        if not isinstance(packed, bytes):
            return None
        try:
            reader = zlib.decompressobj()
            value = reader.decompress(packed, LARGEST)
        except zlib.error:
            return None
        return value if reader.eof else None


class InRedis:
    """Implements `Shared` through Redis, for several processes.

    Args:
        address: of Redis, see `viz.shared.connect`.
    Raises:
        ValueError: the address is invalid.
        OSError: no Redis answers there.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        retry = Retry(NoBackoff(), 1)
        client = redis.Redis.from_url(address, socket_timeout=WAIT, socket_connect_timeout=WAIT, retry=retry)
        try:
            client.set(SECRET, secrets.token_bytes(32), nx=True)
            self.secret = cast(bytes, client.get(SECRET))
        except RedisError as error:
            raise OSError(*error.args) from error
        self.orders = RedisShelf(client, "orders", ORDERS)
        self.bodies = RedisShelf(client, "bodies", BODIES)
        self.trained = RedisShelf(client, "trained", TRAINED)

    def log(self, name: str, state: State) -> RedisLog:
        """Returns the log that shares a state's changes with all replicas, under this name."""

        def adopt(secret: bytes) -> None:
            self.secret = secret

        return RedisLog(self._address, name, state, self.secret, adopt)
