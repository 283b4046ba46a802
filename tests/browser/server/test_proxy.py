"""Every tab works behind a proxy that ends TLS, with any headers, at another port, and at another path."""

import shutil
import ssl
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PATIENCE, App, Guard, assert_no_traceback, running, serve
from tests.browser.learn.pages import Learning
from tests.browser.mask.pages import Masking
from tests.browser.pages import Exploring, Writing
from tests.browser.permute.pages import Permuting
from tests.browser.proxy import certificate, proxied
from viz.tabs import TABS

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def tls(tmp_path_factory) -> ssl.SSLContext:
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("no openssl, which makes the certificate")
    return certificate(tmp_path_factory.mktemp("tls"), openssl)


def learn(page: Page, origin: str) -> None:
    Learning(page, origin).open("scaling")


def explore(page: Page, origin: str) -> None:
    tab = Exploring(page, origin).open(text="abc")
    tab.type("By the proxy.")
    tab.unfold("scan").locator(".nsewdrag").first.wait_for()  # its charts ask for Plotly
    tab.unfold("lens")
    page.locator(".former-lens [data-rev], .former-lens[data-rev]").first.wait_for(state="attached")


def generate(page: Page, origin: str) -> None:
    writing = Writing(page, origin).open(text="abc")
    writing.press("Step")
    writing.rested()
    assert len(writing.written()) == 1


def mask(page: Page, origin: str) -> None:
    Masking(page, origin).open(mask="local")


def permute(page: Page, origin: str) -> None:
    Permuting(page, origin).open(positions="learned")


USES: dict[str, Callable[[Page, str], None]] = {
    each.__name__: each for each in (learn, explore, generate, mask, permute)
}


@pytest.fixture
def visited(new_context):
    """Returns a function that uses the named tabs of an app at an address and asserts that all of them work."""

    def visit(origin: str, app: App, *tabs: str) -> None:
        before = app.log.stat().st_size
        context = new_context(ignore_https_errors=True)
        context.set_default_timeout(PATIENCE)
        guard = Guard(origin)
        guard.watch(context)
        page = context.new_page()
        for tab in tabs:
            USES[tab](page, origin)
        assert page.evaluate("fetch(former.url('/alive')).then((answer) => answer.status)") == 200
        assert not guard.unexpected()
        assert_no_traceback(app.log, before)

    return visit


@pytest.mark.parametrize(
    ("scheme", "named", "tabs"),
    [
        pytest.param(False, False, USES, id="Host alone, without its port"),
        pytest.param(True, True, USES, id="X-Forwarded-Proto, with its port"),
        # Every tab has met each header and each port now; what is left is that no pair of them is special.
        pytest.param(False, True, ["explore"], id="Host alone, with its port"),
        pytest.param(True, False, ["explore"], id="X-Forwarded-Proto, without its port"),
    ],
)
def test_every_tab_works_behind_a_proxy_that_ends_tls(app, tls, visited, scheme, named, tabs):
    with proxied(tls, urlsplit(app.origin).port, scheme=scheme, named=named) as origin:
        visited(origin, app, *tabs)


def test_every_tab_is_used():
    assert sorted(USES) == sorted(tab.name for tab in TABS)


def test_every_tab_works_at_a_path_of_the_proxy(tls, visited, tmp_path_factory):
    with (
        running(serve, tmp_path_factory, GRADIO_ROOT_PATH="/former") as app,
        proxied(tls, int(app.origin.rpartition(":")[2]), "/former") as origin,
    ):
        visited(origin, app, *USES)
