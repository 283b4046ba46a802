"""Two replicas of the app behind nginx, which share a Redis: one is killed, and visitors and a class lose nothing."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from deploy import local
from deploy.local import Running, Tls
from tests.browser.conftest import PATIENCE, Guard, assert_no_traceback, serve, wait_until_up
from tests.browser.pages import Exploring, Writing
from tests.browser.proxy import certificate
from tests.redis_server import find

pytestmark = pytest.mark.browser
CUT = "ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET"  # of a stream whose replica is gone
LENGTH = 40  # tokens


def start(port: int, log: Path, **settings: Any) -> Any:
    return serve(port, log, OMP_NUM_THREADS="1", **settings)


@pytest.fixture(scope="module")
def site(browser: Browser) -> Iterator[Running]:  # noqa: ARG001 - no browser, no app
    for program in ("redis-server", "nginx"):
        find(program)
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("no openssl, which makes the certificate")
    with tempfile.TemporaryDirectory() as name:  # its path is short: that of a socket has 108 bytes at most
        folder = Path(name)
        certificate(folder, openssl)
        tls = Tls(folder / "certificate.pem", folder / "key.pem")
        (folder / "tls").mkdir()
        (folder / "tls" / "told.conf").write_text("add_header X-Replica $upstream_addr always;\n")
        with local.running(folder, path="/former", tls=tls, start=start) as running:
            for port, process in zip(running.ports, running.replicas, strict=True):
                wait_until_up(f"http://127.0.0.1:{port}", lambda process=process: process.poll() is None, running.log)
            yield running
            assert_no_traceback(running.log)


@pytest.fixture
def guard(site) -> Guard:
    return Guard(site.origin)


@pytest.fixture
def visit(guard, browser, browser_context_args):
    """Returns a function that opens a page in a browser of its own; at the end, none had an error but cut streams."""
    contexts = []
    guard.allow(CUT)
    expect.set_options(timeout=PATIENCE)

    def new_page() -> Page:
        contexts.append(browser.new_context(**browser_context_args, ignore_https_errors=True))
        contexts[-1].set_default_timeout(PATIENCE)
        guard.watch(contexts[-1])
        return contexts[-1].new_page()

    yield new_page
    for context in contexts:
        context.close()
    assert not guard.unexpected()


def test_a_replica_is_killed_and_readers_a_class_and_who_writes_go_on(site, visit, guard):
    leader = Exploring(visit(), site.origin).open(room="class", lead=1)
    expect(leader.page.locator(".room-bar")).to_contain_text("You lead the room “class”")
    follower = Exploring(visit(), site.origin).open(room="class")
    leader.cell(1, 1).click()
    follower.wait("() => former.store?.view.layer === 1 && former.store.view.head === 1")

    writer = Writing(visit(), site.origin).open(text="abc", length=LENGTH, pace=30)
    writer.press("Start")
    ended = f"() => former.writing.status === 'idle' && former.writing.cursor.depth === {LENGTH}"
    writer.wait(ended)
    expected = writer.written()
    with writer.page.expect_response("**/write") as asked:
        writer.page.evaluate("former.writing.stop(), former.writing.set({ pace: 5 }), former.writing.run()")
    writer.wait("() => former.writing.status === 'running' && former.writing.cursor.depth >= 3")
    port = int(asked.value.headers["x-replica"].rpartition(":")[2])
    replica = site.replicas[site.ports.index(port)]
    replica.kill()
    replica.wait(PATIENCE / 1000)  # a busy machine ends it late: what it still accepted, nginx would answer with 502

    leader.type("Killed in the middle.")
    follower.wait("() => former.store?.pass.header.text === 'Killed in the middle.'")
    follower.settled()
    assert follower.tokens() == leader.tokens()
    Exploring(visit(), site.origin).open(text="A new reader.").settled()
    writer.wait(ended)
    assert writer.written() == expected
    assert any(re.search(CUT, error) for error in guard.errors), "a stream was cut off"
    for tab in (leader, follower):
        expect(tab.page.locator(".room-bar")).to_contain_text("the room “class”")
