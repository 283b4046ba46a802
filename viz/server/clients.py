"""Who asks, and how what there is of the server is shared out among those who ask.

A client is an address: one visitor, or a whole class behind one router. So no number bounds a client by itself. A
client may hold as many places as are still free, which is half of them while nobody else comes, and whoever comes next
finds one; and where clients wait, they are served in turn, however many requests each has in line.
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

client: ContextVar[str] = ContextVar("client", default="")  # of the request that is being answered; set by `door`
session: ContextVar[str] = ContextVar("session", default="")  # of its browser; "" where that keeps no cookies
COOKIE = "former-session"
_SESSION = re.compile(rf"(?:^|;\s*){COOKIE}=([0-9a-f]{{32}})(?:;|$)")


def client_of(scope: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> str:
    """Who sent a request: an IPv4 address, or the network of an IPv6 one, of which a visitor has billions.

    Behind the proxy of a Hugging Face Space, the last public address that the proxies noted in X-Forwarded-For; what
    stands before it came from the client, who may write anything there. Nowhere else is that header read here (uvicorn
    takes it from a proxy on the same machine).

    Args:
        scope: of ASGI.
        environment: in which a Space has SPACE_ID.
    """
    peer = (scope.get("client") or ("",))[0]
    addresses = [peer]
    if environment.get("SPACE_ID"):
        noted = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
        addresses += ",".join(noted).split(",")
    for address in reversed(addresses):
        with contextlib.suppress(ValueError):
            found = ipaddress.ip_address(address.strip())
            if found.is_global:
                return str(found if found.version == 4 else ipaddress.ip_network((found, 64), strict=False))
    return peer


def session_of(scope: Mapping[str, Any]) -> str:
    """The browser that sent a request, by its cookie: what tells those behind one address apart; "" without one."""
    sent = "; ".join(value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie")
    found = _SESSION.search(sent)
    return found[1] if found else ""


def new_cookie() -> str:
    """A cookie for a browser that has none, kept until it is closed. No script of a page can read it."""
    return f"{COOKIE}={secrets.token_hex(16)}; Path=/; HttpOnly; SameSite=Lax"


class Places:
    """A number of places. Used on the event loop only."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._held: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """By all clients."""
        return self._held.total()

    def open_to(self, who: str) -> bool:
        """Whether a client may take one more: it holds fewer than are free."""
        return self._held.get(who, 0) < self.limit - self.taken

    def take(self, who: str) -> None:
        """Counts a place as a client's, until it is given back."""
        self._held[who] += 1

    def give_back(self, who: str) -> None:
        """Frees a place of a client's."""
        self._held[who] -= 1
        if not self._held[who]:
            del self._held[who]


class Turns:
    """So many at once, and of the clients that wait the next in turn. Used on the event loop only."""

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()  # the next client first

    @contextlib.asynccontextmanager
    async def of(self, who: str) -> AsyncGenerator[None]:
        """A turn of a client's, once it comes."""
        if self._free:  # then nobody waits
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
            if not mine.cancelled():  # the turn came at the same moment
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        for one in self._in_line():
            if not one.cancelled():
                one.set_result(None)
                return
        self._free += 1

    def _in_line(self) -> Iterator[asyncio.Future[None]]:
        while self._waiting:
            who, line = self._waiting.popitem(last=False)
            one = line.popleft()
            if line:
                self._waiting[who] = line  # behind the others
            yield one
