"""Starts apps: each in a process of its own, or as a fork of a process that has already imported the libraries.

Most of an app's start is imports and the shipped models, six seconds of a processor's time. The process that forks is
shared by all workers and ends with the test run.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
START_LIMIT = 180  # seconds; a shared machine may be slow to import torch


def spawn(
    port: int, log: Path, *folders: str, program: tuple[str, ...] = ("app.py",), cwd: Path = ROOT, **settings: str
) -> subprocess.Popen[bytes]:
    """Starts `python app.py` in a folder on a port, with further folders and environment; its output goes to a file."""
    settings = {"GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": str(port), **settings}
    command = [sys.executable, *program, *folders]
    with log.open("ab") as out:
        return subprocess.Popen(command, cwd=cwd, env={**os.environ, **settings}, stdout=out, stderr=subprocess.STDOUT)


class Forked:
    """A forked process with the interface of a Popen; its end of the connection closes when it exits."""

    def __init__(self, connection: socket.socket, asked: dict[str, Any]) -> None:
        connection.sendall(json.dumps(asked).encode() + b"\n")
        self.connection, self.pid = connection, int(connection.recv(20))

    def wait(self, timeout: float | None = None) -> None:
        """Waits until it has ended."""
        if not select.select([self.connection], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("app.py", timeout or 0)

    def poll(self) -> int | None:
        """Returns None while it runs."""
        return 0 if select.select([self.connection], [], [], 0)[0] else None

    def terminate(self) -> None:
        """Interrupts it, as Ctrl+C does."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """Kills it at once."""
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


def fork(
    port: int, log: Path, *folders: str, program: tuple[str, ...] = ("app.py",), cwd: Path = ROOT, **settings: str
) -> Forked:
    """Like `spawn`, if the system can fork: `program` is a file, or "-c" and a text."""
    settings = {"GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": str(port), **settings}
    asked = {"program": program, "folders": folders, "log": str(log), "cwd": str(cwd)}
    return Forked(_connected(), asked | {"environment": {**os.environ, **settings}})


def _connected() -> socket.socket:
    """Connects to the process that forks; the first caller starts it."""
    run = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    address = Path(tempfile.gettempdir(), f"former-{run}.socket")
    with contextlib.suppress(FileExistsError):
        address.with_suffix(".starting").touch(exist_ok=False)
        command = [sys.executable, "-m", "tests.browser.preloaded", str(address), str(run)]
        subprocess.Popen(command, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"})
    limit = time.monotonic() + START_LIMIT
    while not address.exists():
        assert time.monotonic() < limit, "the process that forks did not start"
        time.sleep(0.1)
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(address))
    return connection


def _become(connection: socket.socket, asked: dict[str, Any]) -> None:
    """Runs the program in the fork."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    out = os.open(str(asked["log"]), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    for number in (1, 2):
        os.dup2(out, number)
    os.environ.clear()
    os.environ.update(asked["environment"])
    for name in ("gradio.http_server", "huggingface_hub.constants"):  # they read the environment when imported
        importlib.reload(importlib.import_module(name))
    os.chdir(asked["cwd"])
    program = asked["program"]
    sys.argv = [program[0], *asked["folders"]]
    connection.sendall(b"%d" % os.getpid())
    if program[0] == "-c":
        exec(compile(program[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        runpy.run_path(program[0], run_name="__main__")


def _alive(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def main(address: str, run: int) -> None:
    """Forks for every connection until the test run has ended."""
    app, sources = importlib.import_module("viz.app"), importlib.import_module("viz.passes.sources")
    shipped, open_model = app.load_models([]), sources.open_model
    _ = [each.fast for each in shipped.values()]  # the forks share both
    vars(sources).update(open_model=lambda source, *others: shipped.get(source) or open_model(source, *others))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # a fork's exit status is not used
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{address}.new")
        listener.listen()
        os.rename(f"{address}.new", address)
        while _alive(run):
            if select.select([listener], [], [], 1)[0]:
                connection, _ = listener.accept()
                if os.fork() == 0:
                    listener.close()
                    with connection, connection.makefile() as lines:
                        _become(connection, json.loads(lines.readline()))
                    return
                connection.close()
    for name in (Path(address), Path(address).with_suffix(".starting")):
        name.unlink()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
