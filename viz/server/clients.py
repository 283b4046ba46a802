"""Identifies clients and shares the server's capacity fairly between them.

A client is an address: one visitor, or a whole class behind one router. So there is no fixed limit per client. A client
may take a slot while it holds fewer than are free: at most half of all, so that the next client finds one. Waiting
clients are served round-robin, however many requests each has queued.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import re
import secrets
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

from viz.passes.run import digest
from viz.text import Busy

client: ContextVar[str] = ContextVar("client", default="")  # the current request's client; set by `gateway`
session: ContextVar[str] = ContextVar("session", default="")  # its browser's session; "" without a valid cookie
COOKIE = "former-session"
_SESSION = re.compile(rf"(?:^|;\s*){COOKIE}=([0-9a-f]{{16}})([0-9a-f]{{32}})(?:;|$)")


def client_of(scope: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> str:
    """Returns a request's client: its IPv4 address, or its IPv6 /64 network, as one visitor has billions of addresses.

    Behind the proxy of a Hugging Face Space it is the last public address in X-Forwarded-For; those before it were sent
    by the client, who may write anything. Elsewhere the header is ignored here (uvicorn reads it from a proxy on the
    same machine).

    Args:
        scope: the ASGI scope.
        environment: the environment variables; a Space has SPACE_ID.
    """
    peer = (scope.get("client") or ("",))[0]
    addresses = [peer]
    if environment.get("SPACE_ID"):
        headers = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
        addresses += ",".join(headers).split(",")
    for text in reversed(addresses):
        with contextlib.suppress(ValueError):
            address = ipaddress.ip_address(text.strip())
            address = getattr(address, "ipv4_mapped", None) or address  # ::ffff:8.8.8.8
            if address.is_global:
                return str(address if address.version == 4 else ipaddress.ip_network((address, 64), strict=False))
    return peer


def session_of(scope: Mapping[str, Any], secret: bytes) -> str:
    """Returns the session named in a request's cookie, which distinguishes browsers at one address.

    Anyone can write a cookie, so only those signed by `new_cookie` with the same secret count: all other browsers at an
    address, those without cookies too, are one session, "".
    """
    cookies = "; ".join(value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie")
    match = _SESSION.search(cookies)
    return match[1] if match and secrets.compare_digest(match[2], _signature(match[1], secret)) else ""


def new_cookie(secret: bytes) -> str:
    """Returns a session cookie for a browser without one. It ends with the browser, and scripts cannot read it."""
    name = secrets.token_hex(8)
    return f"{COOKIE}={name}{_signature(name, secret)}; Path=/; HttpOnly; SameSite=Lax"


def _signature(name: str, secret: bytes) -> str:
    return digest("session", name, secret=secret)


class Slots:
    """A limited number of slots, such as open streams, shared by all clients. Used on the event loop only."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._counts: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """The number of slots that all clients hold together."""
        return self._counts.total()

    def take(self, full: str) -> str:
        """Takes a slot for the current request's client; returns the client.

        Raises:
            Busy: the client does not hold fewer slots than are free; `full` is the message's key.
        """
        who = client.get()
        if self._counts.get(who, 0) >= self.limit - self.taken:
            raise Busy(full)
        self._counts[who] += 1
        return who

    def give_back(self, who: str) -> None:
        """Frees one of a client's slots."""
        self._counts[who] -= 1
        if not self._counts[who]:
            del self._counts[who]


class FairSemaphore:
    """A semaphore that serves waiting clients round-robin. Used on the event loop only."""

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()  # the next client first

    @contextlib.asynccontextmanager
    async def acquire(self, who: str) -> AsyncGenerator[None]:
        """Context manager: waits until it is the turn of the client `who`, and holds the turn for the `async with`
        block."""
        if self._free:  # then no client waits
            self._free -= 1
        else:
            await self._wait(who)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, who: str) -> None:
        mine = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(who, deque()).append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if not mine.cancelled():  # the turn came just before the cancellation
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        for future in self._round_robin():
            if not future.cancelled():
                future.set_result(None)
                return
        self._free += 1

    def _round_robin(self) -> Iterator[asyncio.Future[None]]:
        while self._waiting:
            who, queue = self._waiting.popitem(last=False)
            future = queue.popleft()
            if queue:
                self._waiting[who] = queue  # after the other clients
            yield future
