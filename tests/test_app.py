"""The memory of the server's process."""

import contextlib
import multiprocessing
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace

import pytest

from viz import app

PIECE, PIECES, KEPT = 4_000, 40_000, 100  # bytes; how many; each so-many-th stays


def resident() -> int:
    """Returns the bytes of memory that the process occupies."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) << 10


def start_app() -> None:
    """Runs the app's `main` until it would build the page."""

    def stop(*_: object) -> None:
        raise InterruptedError

    sys.argv = ["app.py"]
    one = {"one": SimpleNamespace(opened=False)}
    for name, value in {"TRIM_EVERY": 1, "load_models": lambda *_: one, "site_of": stop}.items():
        setattr(app, name, value)
    with contextlib.suppress(InterruptedError):
        app.main()


def return_what_lies_between(told: Connection) -> None:
    """Frees every piece of memory but a few in between, and sends how many bytes the process then gives back. Runs in a
    process of its own."""
    pieces = [bytes([i % 256]) * PIECE for i in range(PIECES)]
    pieces = pieces[::KEPT]
    before, limit = resident(), time.monotonic() + 60
    start_app()
    while before - resident() < PIECE * PIECES // 2 and time.monotonic() < limit:
        time.sleep(0.1)
    told.send(before - resident())
    assert pieces


@pytest.mark.skipif(sys.platform != "linux", reason="another C library")
def test_memory_that_is_freed_between_what_is_in_use_goes_back_to_the_system():
    processes = multiprocessing.get_context("fork")
    here, there = processes.Pipe()
    child = processes.Process(target=return_what_lies_between, args=(there,))
    child.start()
    assert here.poll(120)
    assert here.recv() > 0.5 * PIECE * PIECES  # of 160 MB, of which one in 100 stays
    child.join()
