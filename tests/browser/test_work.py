"""What a visitor no longer wants, the server no longer does."""

import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

import app as former_app
from tests.browser.conftest import Guard, free_port, wait_until_up
from tests.browser.pages import Writing
from viz.passes.loaded import Loaded

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore::DeprecationWarning:gradio")]

PACE = 30  # tokens a second
SOON = 10.0  # seconds in which the work has to end: a third of what the whole text would take
PATIENCE = 20.0  # seconds that a stalled machine is given
WATCHED = 0.5  # seconds in which no step may follow: 15 at this pace, were it still at work


class Counting:
    """A model that counts how often it is called."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.calls = 0

    def __call__(self, *given: Any, **options: Any) -> Any:
        self.calls += 1
        return self.model(*given, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)


@pytest.fixture(scope="module")
def counted(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Counting]:  # noqa: ARG001
    """The app in a thread of this process, its model "generator" wrapped."""
    models = {}
    init = Loaded.__init__

    def wrap(self: Loaded, *given: Any) -> None:
        init(self, *given)
        if self.name == "generator":
            models[self.name] = Counting(self.fast)
            object.__setattr__(self, "fast", models[self.name])

    port = free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Loaded, "__init__", wrap)
        patch.setattr(sys, "argv", ["app.py"])
        patch.setenv("GRADIO_SERVER_PORT", str(port))
        thread = threading.Thread(target=former_app.main, daemon=True)
        thread.start()
        log = tmp_path_factory.mktemp("thread") / "app.log"
        log.write_text("(it runs in this process)", encoding="utf-8")
        wait_until_up(f"http://127.0.0.1:{port}", thread.is_alive, log)
    return f"http://127.0.0.1:{port}", models["generator"]


def calls_have_ended(model: Counting) -> bool:
    """Whether, SOON after now, no call follows for a while."""
    limit = time.monotonic() + SOON
    while time.monotonic() < limit:
        before = model.calls
        time.sleep(WATCHED)
        if model.calls == before:
            return True
    return False


def calls_go_on(model: Counting) -> bool:
    """Whether calls follow, however slow the machine is."""
    before, limit = model.calls, time.monotonic() + PATIENCE
    while model.calls == before and time.monotonic() < limit:
        time.sleep(0.05)
    return model.calls > before


@pytest.fixture
def running(counted: tuple[str, Counting], context: BrowserContext, page: Page) -> Iterator[tuple[Writing, Counting]]:
    """A visitor whose text is being written, for half a minute if nobody ends it."""
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
    tab.page.get_by_label("Text to write on from").fill("Something else")
    tab.wait("() => former.writing.settings.text === 'Something else' && former.writing.cursor.depth === 0")
    tab.rested()
    assert calls_have_ended(model)
