"""The browser tests drive the real app, with the shipped models, in a real Chromium.

One app runs per worker. A page takes longer to open than most tests to run, so the tests of a file marked `one_page`
share one, but for those marked `own_page`: each begins with the view that it needs, which the page takes up as it does
that of a link. Those and the tests of other files open the app anew, one after the other in a browser that keeps its
compiled scripts and nothing else. A test that fails takes the page with it.

Without a browser the tests are skipped, unless FORMER_BROWSER=required says that this machine must have one. Any error
on a page's console, any request that leaves the app's origin and any traceback in the app's log fail the test in which
they come up.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, expect

from deploy.local import free_port
from tests.browser.pages import Tab
from tests.browser.preloaded import START_LIMIT, Forked, fork, spawn
from tests.browser.reference import Reference

PLACES = (
    "chromium-headless-shell",  # Chromium without windows: a page opens in a third of the time
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
BLANK = "about:blank"
EXPORTS = Path(__file__).parent / "exports.js"
PATIENCE = 20_000  # milliseconds that a page may take for an action: shared machines stall


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: drives the real app in Chromium")
    config.addinivalue_line("markers", "one_page: its tests share a page, which takes up the view each begins with")
    config.addinivalue_line("markers", "own_page: about how a page opens or what it keeps, so on one of its own")
    config.addinivalue_line("markers", "own_browser: changes what every page of its browser is, so on one of its own")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Retries a failing browser test up to FORMER_BROWSER_RETRIES times, on a page of its own."""
    if retries := int(os.environ.get("FORMER_BROWSER_RETRIES", "0")):
        for item in items:
            if item.path.is_relative_to(Path(__file__).parent):
                item.add_marker(pytest.mark.flaky(reruns=retries))


def find_browser(playwright: Playwright) -> str | None:
    """Returns the path of the first of `PLACES` that is installed, else of Playwright's own browser, else None."""
    values = [path for name in PLACES if (path := shutil.which(name))]
    own = playwright.chromium.executable_path
    return next(iter([*values, *([own] if Path(own).exists() else [])]), None)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], playwright: Playwright) -> dict[str, Any]:
    path = find_browser(playwright)
    if path is None:
        reason = "no Chromium or Chrome was found (Debian: apt install chromium)"
        if os.environ.get("FORMER_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    return {**browser_type_launch_args, "executable_path": path, "args": ["--no-sandbox", "--disable-gpu"]}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "viewport": {"width": 1280, "height": 720}, "reduced_motion": "reduce"}


@pytest.fixture(scope="session")
def browser(browser: Browser) -> Browser:
    """Starts a browser whose pages expose the exports of their modules as `former`."""
    make = browser.new_context

    def new_context(**options: Any) -> BrowserContext:
        context = make(**options)
        context.add_init_script(path=EXPORTS)
        return context

    browser.new_context = new_context
    return browser


def wait_until_up(origin: str, alive: Any, log: Path) -> None:
    """Waits until the last of the app's routes responds."""
    request = urllib.request.Request(f"{origin}/ask/equivariance/errors", data=b"{}", method="POST")
    limit = time.monotonic() + START_LIMIT
    while time.monotonic() < limit and alive():
        try:
            urllib.request.urlopen(request, timeout=5).close()
        except urllib.error.HTTPError as error:
            if error.code == 422:  # read and refused: it is there
                return
        except OSError:
            pass
        time.sleep(0.2)
    raise RuntimeError(f"the app did not come up; it said:\n{log.read_text(errors='replace')[-3000:]}")


serve = fork if sys.platform == "linux" else spawn


def stop(process: subprocess.Popen[bytes] | Forked) -> None:
    """Stops the app with an interrupt, as Ctrl+C does."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def assert_no_traceback(log: Path, since: int = 0) -> None:
    """Asserts that a server's log has no traceback from this byte on."""
    said = log.read_bytes()[since:]
    assert b"Traceback" not in said, said.decode(errors="replace")[-3000:]


@dataclass
class App:
    """A running app."""

    origin: str
    log: Path


@contextmanager
def running(start: Callable[..., Any], folders: pytest.TempPathFactory, *models: str, **settings: str) -> Iterator[App]:
    """Runs `python app.py` with these models, or the shipped ones, on a port of its own."""
    port, log = free_port(), folders.mktemp("app") / "app.log"
    process = start(port, log, *models, OMP_NUM_THREADS="1", **settings)
    try:
        wait_until_up(f"http://127.0.0.1:{port}", lambda: process.poll() is None, log)
        yield App(f"http://127.0.0.1:{port}", log)
    finally:
        stop(process)


@pytest.fixture(scope="session")
def app(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:  # noqa: ARG001 - no browser, no app
    """Runs `python app.py` with the shipped models."""
    with running(serve, tmp_path_factory) as app:
        yield app


@dataclass
class Guard:
    """Records the errors on a test's pages, and the requests that they made."""

    origin: str
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)  # "POST /ask/equivariance/errors"
    allowed: list[str] = field(default_factory=list)  # patterns of console errors that a test provokes on purpose

    def __post_init__(self) -> None:
        fail = self.errors.append
        self._listeners: dict[Any, Callable[[Any], None]] = {
            "console": self._hear,
            "weberror": lambda error: fail(f"uncaught: {error.error}"),
            "request": self._note,
        }

    def allow(self, pattern: str) -> None:
        """Permits an error that the test makes the browser report, such as a lost connection."""
        self.allowed.append(pattern)

    def watch(self, context: BrowserContext) -> None:
        """Listens to every page of a context."""
        for event, listener in self._listeners.items():
            context.on(event, listener)

    def leave(self, context: BrowserContext) -> None:
        """Stops listening."""
        for event, listener in self._listeners.items():
            context.remove_listener(event, listener)

    def _hear(self, said: ConsoleMessage) -> None:
        if said.type == "error":
            self.errors.append(f"{said.text} {said.location}")

    def _note(self, request: Any) -> None:
        if request.url == f"{self.origin}/alive":  # every 10 s, whatever the page does
            return
        if request.url.startswith(self.origin + "/"):
            self.requests.append(f"{request.method} {request.url.removeprefix(self.origin)}")
        elif not request.url.startswith(("data:", "blob:", "about:")):
            self.errors.append(f"a request left the origin: {request.url[:200]}")

    def unexpected(self) -> list[str]:
        """Returns the errors that fail the test."""
        return [error for error in self.errors if not any(re.search(pattern, error) for pattern in self.allowed)]


@pytest.fixture(scope="session")
def kept() -> Iterator[dict[bool, BrowserContext]]:
    """Two browser contexts that outlive a test: one for the tests that share a page, one for the tests with a page of
    their own."""
    contexts: dict[bool, BrowserContext] = {}
    yield contexts
    for context in contexts.values():
        context.close()


@pytest.fixture(scope="module")
def shared(kept: dict[bool, BrowserContext]) -> Iterator[None]:
    """Closes the page that the tests of a file share after the last of them."""
    yield
    if True in kept:
        leave(kept[True])


@pytest.fixture
def context(
    request: pytest.FixtureRequest,
    browser: Browser,
    browser_context_args: dict[str, Any],
    kept: dict[bool, BrowserContext],
    shared: None,  # noqa: ARG001 - its teardown runs after the file's last test
) -> Iterator[BrowserContext]:
    """Returns one of the two reused contexts, or a new one for this test alone."""
    test = request.node
    if test.get_closest_marker("own_browser"):
        yield request.getfixturevalue("new_context")()
        return
    sharing = bool(test.get_closest_marker("one_page")) and not test.get_closest_marker("own_page")
    if getattr(test, "execution_count", 1) > 1 and sharing in kept:  # tried again
        kept.pop(sharing).close()
    if sharing not in kept:
        kept[sharing] = browser.new_context(**browser_context_args)
    yield kept[sharing]
    if getattr(test, "rep_call", None) and test.rep_call.passed and kept[sharing].pages:
        tidy(kept[sharing])
        if not sharing:
            leave(kept[sharing])
    else:
        kept.pop(sharing).close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return next(iter(context.pages), None) or context.new_page()


def tidy(context: BrowserContext) -> None:
    """Leaves one page with pointer, focus, window, storage and network as on a new one; the next link sets the rest."""
    page, *others = context.pages
    for other in others:
        other.close()
    page.unroute_all(behavior="ignoreErrors")
    context.set_offline(False)
    context.clear_permissions()
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.mouse.move(0, 0)
    page.keyboard.press("Escape")  # what fills the window, a card, a menu
    if page.url != BLANK:  # a test may have opened a browser of its own
        page.evaluate("document.activeElement?.blur(), localStorage.clear(), sessionStorage.clear(), scrollTo(0, 0)")


def leave(context: BrowserContext) -> None:
    """Navigates away from the app: the next test opens it again, in half the time of a new page, which would compile
    all scripts."""
    for page in context.pages:
        page.goto(BLANK)


@pytest.fixture
def guard(app: App, context: BrowserContext) -> Iterator[Guard]:
    context.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    watched = Guard(app.origin)
    watched.watch(context)
    before = app.log.stat().st_size
    yield watched
    watched.leave(context)
    assert not watched.unexpected()
    assert_no_traceback(app.log, before)


@pytest.fixture
def tab(request: pytest.FixtureRequest, page: Page, guard: Guard) -> Tab:
    """The tab that a test file is about, its `TAB`, on a page of its own that is not opened yet."""
    return request.module.TAB(page, guard.origin)


@pytest.fixture
def other(tab: Tab) -> Callable[[], Tab]:
    """Opens further pages in the same visitor's browser."""
    return lambda: type(tab)(tab.page.context.new_page(), tab.origin)


@pytest.fixture(scope="module")
def model(request: pytest.FixtureRequest) -> Reference:
    """The reference for a test file's numbers: its `MODEL`, built once."""
    return request.module.MODEL()
