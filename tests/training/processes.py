"""Processes for trainings that are killed, each forked from one process per worker that has already imported torch."""

from __future__ import annotations

import multiprocessing
import os
import sys
from multiprocessing.context import ForkServerProcess

import torch

from former.training.__main__ import main

if "OMP_NUM_THREADS" not in os.environ:  # as in tests/conftest.py: what is forked keeps it
    torch.set_num_threads(1)

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.training.processes", "torch._dynamo"])  # the latter is what an optimiser imports


def begin(words: list[str], **environment: str) -> ForkServerProcess:
    """Starts `python -m former.training` with these arguments and environment variables."""
    process = FORKS.Process(target=command_line, args=(words, environment))
    process.start()
    return process


def run(*processes: ForkServerProcess) -> None:
    """Waits until the processes have ended, and asserts that they succeeded."""
    for process in processes:
        process.join(300)
        assert process.exitcode == 0


def command_line(words: list[str], environment: dict[str, str]) -> None:
    """Runs in the process."""
    os.environ |= environment
    sys.exit(main(words))
