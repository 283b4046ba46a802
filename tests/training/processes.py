"""Separate processes, for trainings that are killed: forked from one process per worker that has imported torch."""

from __future__ import annotations

import multiprocessing
import os
import sys
from multiprocessing.context import ForkServerProcess

from former.training.__main__ import main

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.training.processes"])


def begin(words: list[str], **environment: str) -> ForkServerProcess:
    """Starts `python -m former.training` with these words, and further environment."""
    process = FORKS.Process(target=command_line, args=(words, environment))
    process.start()
    return process


def run(*processes: ForkServerProcess) -> None:
    """Waits until they have ended, and well."""
    for process in processes:
        process.join(300)
        assert process.exitcode == 0


def command_line(words: list[str], environment: dict[str, str]) -> None:
    """What runs in the process."""
    os.environ |= environment
    sys.exit(main(words))
