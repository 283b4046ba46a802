"""Firefox and WebKit, driven by the W3C's WebDriver commands."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.browser.conftest import stop

START_LIMIT = 60  # seconds in which a browser starts
PATIENCE = 60  # seconds that a page may take for an action


class Driver:
    """One window of a browser.

    Args:
        command: (name, values) → the answer's value; a command by its name in Firefox's own protocol, Marionette.
    """

    def __init__(self, command: Callable[[str, dict[str, Any]], Any]) -> None:
        self.command = command

    def open(self, url: str) -> None:
        self.command("Navigate", {"url": url})

    def evaluate(self, script: str) -> Any:
        """Returns the value of a JavaScript expression."""
        return self.command("ExecuteScript", {"script": f"return ({script})", "args": []})

    def wait(self, condition: str) -> Any:
        """Waits until a JavaScript expression holds; returns its value. One that throws does not hold yet."""
        limit = time.monotonic() + PATIENCE
        while not (value := self.evaluate(f"(() => {{ try {{ return {condition} }} catch {{ return null }} }})()")):
            assert time.monotonic() < limit, f"does not hold: {condition}"
            time.sleep(0.1)
        return value

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drags the mouse, in CSS pixels of the window."""

        def move(to: tuple[float, float]) -> dict[str, Any]:
            return {"type": "pointerMove", "duration": 50, "x": round(to[0]), "y": round(to[1]), "origin": "viewport"}

        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        press, lift = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        actions = [move(start), press, move(middle), move(end), lift]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}
        self.command("PerformActions", {"actions": [mouse]})


def _connect(port: int, process: subprocess.Popen[bytes]) -> socket.socket:
    limit = time.monotonic() + START_LIMIT
    while time.monotonic() < limit and process.poll() is None:
        try:
            return socket.create_connection(("127.0.0.1", port), PATIENCE)
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"{process.args} did not start")


@contextmanager
def _running(*command: str | Path) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a program in a group of its own, which ends with it: a script such as xvfb-run leaves what it started."""
    silent = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=silent, stderr=silent, start_new_session=True)
    try:
        yield process
    finally:
        stop(process)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)


@contextmanager
def firefox(binary: str, folder: Path, port: int) -> Iterator[Driver]:
    """Firefox, by Marionette: messages `length:[0, number, name, values]`, answers `length:[1, number, error, value]`.

    Args:
        binary: its path.
        folder: an empty folder, for its profile.
        port: a free one.
    """
    (folder / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    with (
        _running(binary, "--headless", "--no-remote", "--marionette", "--profile", folder) as process,
        _connect(port, process) as connection,
        connection.makefile("rb") as answers,
    ):

        def receive() -> Any:
            size = b""
            while (byte := answers.read(1)) != b":":
                assert byte, "Firefox has closed the connection"
                size += byte
            return json.loads(answers.read(int(size)))

        def send(name: str, values: dict[str, Any]) -> Any:
            message = json.dumps([0, 1, f"WebDriver:{name}", values]).encode()
            connection.sendall(b"%d:%s" % (len(message), message))
            _, _, error, value = receive()
            assert not error, error
            return value.get("value") if isinstance(value, dict) else value

        receive()  # its greeting
        send("NewSession", {})
        yield Driver(send)


COMMANDS = {  # their paths in WebDriver's requests
    "Navigate": "url",
    "ExecuteScript": "execute/sync",
    "PerformActions": "actions",
    "SetWindowRect": "window/rect",
}


@contextmanager
def webkit(binary: str, browser: str, port: int) -> Iterator[Driver]:
    """WebKit, by requests to its driver; a virtual screen shows its window.

    Args:
        binary: the driver's path.
        browser: the path of a browser that it can drive.
        port: a free one.
    """

    def post(path: str, values: dict[str, Any]) -> Any:
        body = json.dumps(values).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"http://127.0.0.1:{port}/session{path}", body, headers, method="POST")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

    options = {"webkitgtk:browserOptions": {"binary": browser, "args": ["--automation"]}}
    screen = ("xvfb-run", "--auto-servernum", "--server-args=-screen 0 1400x1000x24")
    with _running(*screen, binary, f"--port={port}") as process:
        _connect(port, process).close()
        session = post("", {"capabilities": {"alwaysMatch": options}})["sessionId"]
        try:
            yield Driver(lambda name, values: post(f"/{session}/{COMMANDS[name]}", values))
        finally:
            request = urllib.request.Request(f"http://127.0.0.1:{port}/session/{session}", method="DELETE")
            urllib.request.urlopen(request, timeout=PATIENCE).close()
