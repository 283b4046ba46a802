"""A redis-server of the tests' own, reached by a socket in a folder."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
import redis

from deploy import local

LIMIT = 30  # seconds until it answers


def find(program: str) -> str:
    """Returns the path of a server's program. Without it, the test is skipped; FORMER_SERVERS=required fails it."""
    if path := local.find(program):
        return path
    reason = f"no {program} was found (Debian: apt install {program})"
    if os.environ.get("FORMER_SERVERS") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


class Redis:
    """A Redis that keeps nothing when it is stopped."""

    def __init__(self, folder: Path) -> None:
        self._program, self._folder = find("redis-server"), folder
        self.address = f"unix://{folder}/redis.sock"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it, empty, and waits until it answers."""
        options = ["--port", "0", "--unixsocket", f"{self._folder}/redis.sock", "--save", "", "--appendonly", "no"]
        command = [self._program, *options, "--dir", str(self._folder)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        limit = time.monotonic() + LIMIT
        while True:
            try:
                self.client.ping()
                return
            except (redis.RedisError, OSError):
                assert time.monotonic() < limit, "redis-server did not start"
                time.sleep(0.02)

    def stop(self) -> None:
        """Stops it."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    @property
    def client(self) -> redis.Redis:
        """A client of it."""
        return redis.Redis.from_url(self.address)
