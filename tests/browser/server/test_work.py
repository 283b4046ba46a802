"""The server stops work that no visitor is waiting for."""

import json
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.conftest import Guard, assert_no_traceback, free_port, serve, stop, wait_until_up
from tests.browser.pages import Writing

pytestmark = pytest.mark.browser

PACE = 30  # tokens a second
SOON = 10.0  # seconds in which the work has to end: a third of what the whole text would take
PATIENCE = 20.0  # seconds that a stalled machine is given
WATCHED = 0.5  # seconds in which no step may follow: 15 at this pace, were it still at work


COUNTED = """
import mmap, sys
from viz import app

with open(sys.argv.pop(), "r+b") as file:
    count = mmap.mmap(file.fileno(), 8)


class Counting:
    def __init__(self, model):
        self.model = model

    def __call__(self, *given, **options):
        count[:] = (int.from_bytes(count[:], "little") + 1).to_bytes(8, "little")
        return self.model(*given, **options)

    def __getattr__(self, name):
        return getattr(self.model, name)


load_models = app.load_models


def counted(*places):
    models = load_models(*places)
    generator = models["generator"]
    object.__setattr__(generator, "fast", Counting(generator.fast))
    return models


app.load_models = counted
app.main()
"""  # the app, which counts in a file how often its model "generator" is called


class Calls:
    """Counts the calls of the app's model."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_bytes(bytes(8))

    @property
    def calls(self) -> int:
        return int.from_bytes(self.path.read_bytes(), "little")


@pytest.fixture(scope="module")
def counted(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Calls]]:  # noqa: ARG001
    folder = tmp_path_factory.mktemp("counted")
    model, port, log = Calls(folder / "calls"), free_port(), folder / "app.log"
    process = serve(port, log, str(model.path), program=("-c", COUNTED), OMP_NUM_THREADS="1")
    try:
        wait_until_up(f"http://127.0.0.1:{port}", lambda: process.poll() is None, log)
        yield f"http://127.0.0.1:{port}", model
        assert_no_traceback(log)
    finally:
        stop(process)


def calls_have_ended(model: Calls) -> bool:
    """Returns whether no further call arrives for a while, within SOON from now."""
    limit = time.monotonic() + SOON
    while time.monotonic() < limit:
        before = model.calls
        time.sleep(WATCHED)
        if model.calls == before:
            return True
    return False


def calls_go_on(model: Calls) -> bool:
    """Waits until further calls arrive, however slow the machine is."""
    before, limit = model.calls, time.monotonic() + PATIENCE
    while model.calls == before and time.monotonic() < limit:
        time.sleep(0.05)
    return model.calls > before


@pytest.fixture
def running(counted: tuple[str, Calls], context: BrowserContext, page: Page) -> Iterator[tuple[Writing, Calls]]:
    """Yields a visitor whose text takes half a minute to generate unless it is stopped."""
    origin, model = counted
    guard = Guard(origin)
    guard.watch(context)
    context.set_default_timeout(1000 * PATIENCE)
    tab = Writing(page, origin).open(text="The capital of France is", length=1000, pace=PACE)
    tab.press("Start")
    tab.wait("() => former.writing.cursor.depth >= 5")
    assert calls_go_on(model), "it should be writing now"
    yield tab, model
    guard.leave(context)
    assert not guard.unexpected()


@pytest.mark.parametrize("button", ["Stop", "Pause"])
def test_stop_and_pause_end_the_work_on_the_server(running, button):
    tab, model = running
    tab.press(button)
    assert calls_have_ended(model)


def test_closing_the_tab_ends_the_work_on_the_server(running):
    tab, model = running
    tab.page.close()
    assert calls_have_ended(model)


def test_leaving_the_page_ends_the_work_on_the_server(running):
    tab, model = running
    tab.page.goto("about:blank")
    assert calls_have_ended(model)


def test_a_lost_connection_ends_the_work_on_the_server(counted):
    origin, model = counted
    with socket.create_connection(("127.0.0.1", int(origin.rpartition(":")[2]))) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # it ends without a goodbye
        order = json.dumps({"model": "generator", "text": "The", "seed": 1, "length": 1000, "pace": PACE})
        line.sendall(f"POST /write HTTP/1.1\r\nHost: a\r\nContent-Length: {len(order)}\r\n\r\n{order}".encode())
        assert line.recv(100).startswith(b"HTTP/1.1 200")
        assert calls_go_on(model), "it should be writing now"
    assert calls_have_ended(model)


def test_another_text_ends_the_work_on_the_one_before(running):
    tab, model = running
    tab.page.get_by_label("Prompt", exact=True).fill("Something else")
    tab.wait("() => former.writing.settings.text === 'Something else' && former.writing.cursor.depth === 0")
    tab.rested()
    assert calls_have_ended(model)
