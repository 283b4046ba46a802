"""What the replicas of the app share, so that any of them can answer any request.

Without FORMER_REDIS there is one process, and all of it is in that process's memory (`memory`). With it, the replicas
share it through Redis (`by_redis`, `log`). Nothing else in the app knows which.
"""

from __future__ import annotations

from viz.shared.memory import InMemory
from viz.shared.protocol import Shared


class Unreachable(ValueError):
    """There is no Redis at the address, or the package `redis` is not installed."""


def connect(address: str) -> Shared:
    """Returns what the replicas share: through the Redis at an address, or in memory if that is "".

    Args:
        address: redis://host:port/number, rediss://… or unix://path.
    Raises:
        Unreachable: see above.
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
