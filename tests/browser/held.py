"""Requests that a test keeps back until the page has shown what it shows without their answers."""

from __future__ import annotations

import re
from re import Pattern

from playwright.sync_api import Page, Route


class Held:
    """Keeps back every request of a page whose address matches, from now on.

    Args:
        page: the page.
        patterns: of the addresses, as for `Page.route`.
        method: of the requests, such as "POST"; None for all.

    Attributes:
        routes: what has been kept back, in the order of the requests.
    """

    def __init__(self, page: Page, *patterns: str | Pattern[str], method: str | None = None) -> None:
        self.routes: list[Route] = []
        self._page = page
        self._method = method
        self._released = False
        for pattern in patterns:
            page.route(pattern, self._keep)

    def _keep(self, route: Route) -> None:
        if self._released or self._method not in (None, route.request.method):
            route.continue_()
        else:
            self.routes.append(route)

    def wait(self, count: int = 1, asks: str = "") -> None:
        """Waits until so many requests are kept back whose address contains a match of `asks`."""
        for _ in range(1000):
            if sum(bool(re.search(asks, route.request.url)) for route in self.routes) >= count:
                return
            self._page.wait_for_timeout(20)
        raise AssertionError(f"{len(self.routes)} requests were sent, not {count} that match {asks!r}")

    def release(self) -> None:
        """Sends all of them, and keeps back no later one."""
        self._released = True
        for route in self.routes:
            route.continue_()
