"""Interfaces of the storage that replicas share; `memory` and `by_redis` implement them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

END = 2 * 60 * 60  # seconds without a change after which a value may be dropped


class Shelf(Protocol):
    """Values by their keys. A value never changes; above a limit those are dropped that were put longest ago.
    Thread-safe."""

    def put(self, key: str, value: bytes) -> None:
        """Stores a value under a key, or keeps the one it has for longer.

        Raises:
            Busy: the shelf cannot be reached.
        """
        ...

    def get(self, key: str) -> bytes | None:
        """Returns the value of a key; None if the key has none.

        Raises:
            Busy: the shelf cannot be reached.
        """
        ...


class State(Protocol):
    """A state that every replica has a copy of; it depends only on its changes and their order."""

    def apply(self, change: str, arguments: Sequence[Any], at: float) -> Any:
        """Makes a change and returns its result.

        Args:
            change: the change's name.
            arguments: the change's arguments, as plain values.
            at: the time, in seconds.
        Raises:
            ValueError: the change is refused.
        """
        ...

    def saved(self) -> dict[str, Any]:
        """Returns the whole state as plain values."""
        ...

    def restore(self, saved: dict[str, Any]) -> None:
        """Replaces the state by one that `saved` returned; an empty dict is the state before all changes.

        Raises:
            ValueError: the values are not those of a state, which then stays unchanged.
        """
        ...


class Log(Protocol):
    """The changes of a state, in one order for all replicas. Used on the event loop only."""

    async def ready(self) -> None:
        """Waits until the state can be read.

        Raises:
            Busy: the log cannot be reached.
        """
        ...

    async def change(self, name: str, *arguments: Any) -> Any:
        """Makes the change `name` of the state on every replica; returns its result as soon as this replica has applied
        it.

        Raises:
            ValueError: the state refused the change.
            Busy: the log cannot be reached.
        """
        ...

    def submit(self, name: str, *arguments: Any) -> None:
        """Makes the change `name` of the state without waiting; it is lost if the state refuses it, or the log cannot
        be reached."""
        ...


class Shared(Protocol):
    """The storage that all replicas share."""

    @property
    def orders(self) -> Shelf:
        """The shelf with the inputs of each pass: model, text and edits."""
        ...

    @property
    def bodies(self) -> Shelf:
        """The shelf with the packed passes."""
        ...

    @property
    def trained(self) -> Shelf:
        """The shelf with the models of finished trainings."""
        ...

    @property
    def secret(self) -> bytes:
        """A secret of 32 bytes, the same for all replicas; a new one means that the shared data were lost."""
        ...

    def log(self, name: str, state: State) -> Log:
        """Returns the log that shares a state's changes with all replicas, under this name."""
        ...
