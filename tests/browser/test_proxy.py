"""Every tab works behind a proxy that ends TLS, with any headers, at another port, and at another path."""

import shutil
import ssl
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import PATIENCE, Guard, free_port, serve, stop, wait_until_up
from tests.browser.pages import Exploring, Writing
from tests.browser.pages_learn import Learning
from tests.browser.pages_mask import Masking
from tests.browser.pages_permute import Permuting
from tests.browser.proxy import certificate, proxied

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def tls(tmp_path_factory) -> ssl.SSLContext:
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("no openssl, which makes the certificate")
    return certificate(tmp_path_factory.mktemp("tls"), openssl)


@pytest.fixture
def visited(new_context):
    """Returns a function that uses every tab of the app at an address and asserts that all of them work."""

    def visit(origin: str) -> None:
        context = new_context(ignore_https_errors=True)
        context.set_default_timeout(PATIENCE)
        guard = Guard(origin)
        guard.watch(context)
        page = context.new_page()
        Learning(page, origin).open("scaling")
        tab = Exploring(page, origin).open(text="abc")
        tab.type("By the proxy.")
        tab.unfold("scan").locator(".nsewdrag").first.wait_for()  # its charts ask for Plotly
        tab.unfold("lens")
        tab.page.locator(".former-lens [data-rev], .former-lens[data-rev]").first.wait_for(state="attached")
        Masking(page, origin).open(mask="local")
        Permuting(page, origin).open(positions="learned")
        writing = Writing(page, origin).open(text="abc")
        writing.press("Step")
        writing.rested()
        assert len(writing.written()) == 1
        assert page.evaluate("fetch(former.url('/alive')).then((answer) => answer.status)") == 200
        assert not guard.unexpected()

    return visit


@pytest.mark.parametrize("scheme", [False, True], ids=["Host alone", "X-Forwarded-Proto"])
@pytest.mark.parametrize("named", [True, False], ids=["with its port", "without its port"])
def test_every_tab_works_behind_a_proxy_that_ends_tls(app, tls, visited, scheme, named):
    with proxied(tls, urlsplit(app.origin).port, scheme=scheme, named=named) as origin:
        visited(origin)


def test_every_tab_works_at_a_path_of_the_proxy(tls, visited, browser, tmp_path):  # noqa: ARG001 - no browser, no app
    port, log = free_port(), tmp_path / "app.log"
    process = serve(port, log, OMP_NUM_THREADS="1", GRADIO_ROOT_PATH="/former")
    try:
        wait_until_up(f"http://127.0.0.1:{port}", lambda: process.poll() is None, log)
        with proxied(tls, port, "/former") as origin:
            visited(origin)
    finally:
        stop(process)
