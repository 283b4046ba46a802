"""Data that the replicas of the app share, so that any of them can answer any request.

Without FORMER_REDIS there is one process, which stores everything in its memory (`memory`). With FORMER_REDIS the
replicas share data through Redis (`by_redis`, `log`). The rest of the app does not depend on which one is used.
"""

from __future__ import annotations

from viz.shared.memory import InMemory
from viz.shared.protocol import Shared


class Unreachable(ValueError):
    """Redis cannot be reached at the address, or the package `redis` is not installed."""


def connect(address: str) -> Shared:
    """Returns the shared storage: in the Redis at `address`, or in memory if `address` is "".

    Args:
        address: redis://host:port/number, rediss://… or unix://path.
    Raises:
        Unreachable: Redis cannot be reached, or the package is missing.
    """
    if not address:
        return InMemory()
    try:
        from viz.shared.by_redis import InRedis  # noqa: PLC0415 - an optional package
    except ModuleNotFoundError:
        raise Unreachable("FORMER_REDIS needs the package redis: python -m pip install redis") from None
    try:
        return InRedis(address)
    except (OSError, ValueError) as error:
        raise Unreachable(f"FORMER_REDIS must be the address of a Redis that answers: {error}") from None
