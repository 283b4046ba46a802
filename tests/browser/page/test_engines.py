"""All tabs, a chart, presenting and a drag in Firefox and in WebKit, Safari's engine, where they are installed (Debian:
apt install firefox-esr, and webkit2gtk-driver xvfb)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager
from glob import glob
from pathlib import Path

import pytest

from tests.browser.conftest import App, free_port
from tests.browser.webdriver import Driver, firefox, webkit
from viz.tabs import TABS

pytestmark = pytest.mark.browser
DRAWN = {  # tab → what holds once its first view is drawn
    "learn": "document.querySelector('.former-learn .section[data-drawn] .plane .grip')",
    "explore": "document.querySelector('.former-head-map[data-rev] canvas')",
    "generate": "document.querySelector('.former-next-token[data-rev] .candidate')",
    "mask": "document.querySelector('.former-mask-stages .map canvas')",
    "permute": "document.querySelector('.former-permutation canvas')",
}
QUIET = "!document.querySelector('[data-coming]') && !document.querySelector('.note.error[role=alert]')"


WEBKIT = "/usr/lib/*/webkit2gtk-*/MiniBrowser"  # not on the path, but what Debian's driver drives


def start(engine: str, folder: Path) -> AbstractContextManager[Driver]:
    """Starts a browser of the engine, or skips the test."""
    if engine == "firefox":
        if program := shutil.which("firefox-esr") or shutil.which("firefox"):
            return firefox(program, folder, free_port())
        pytest.skip("Firefox is not installed")
    program, browsers = shutil.which("WebKitWebDriver"), glob(WEBKIT)
    if program and browsers and shutil.which("xvfb-run"):
        return webkit(program, browsers[0], free_port())
    pytest.skip("WebKit's driver is not installed")


@pytest.fixture(scope="module", params=["firefox", "webkit"])
def driver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    with start(request.param, tmp_path_factory.mktemp(request.param)) as driver:
        driver.command("SetWindowRect", {"width": 1280, "height": 800})
        yield driver


def test_every_tab_is_drawn(driver: Driver, app: App):
    assert list(DRAWN) == [tab.name for tab in TABS]
    for tab, drawn in DRAWN.items():
        driver.open(f"{app.origin}/?tab={tab}")
        driver.wait(f"{drawn} && {QUIET} && true")


def test_a_chart_is_drawn_once_it_is_in_view(driver: Driver, app: App):
    driver.open(f"{app.origin}/?tab=mask")
    place = "document.querySelector('.former-mask-growth .chart-place')"
    # Again and again: what comes later above it may move it out of view.
    driver.wait(f"{place}.scrollIntoView() || ({place}.querySelector('.nsewdrag') && true)")


def test_one_panel_is_presented_alone(driver: Driver, app: App):
    driver.open(f"{app.origin}/?tab=mask&present=1&panel=mask-growth")
    driver.wait(
        "document.querySelector('.presented').dataset.panel === 'mask-growth' && document.body.matches('.presenting')"
        " && getComputedStyle(document.querySelector('.former-mask-stages')).visibility === 'hidden'"
    )


def test_a_vector_can_be_dragged(driver: Driver, app: App):
    driver.open(f"{app.origin}/?tab=learn&section=self-attention")
    driver.wait(f"{DRAWN['learn']} && {QUIET} && document.querySelector('.former-learn .section .katex') && true")
    grip = "document.querySelector('.former-learn .plane .grip').getBoundingClientRect()"
    x, y = driver.wait(f"[{grip}.x + {grip}.width / 2, {grip}.y + {grip}.height / 2]")
    before = driver.evaluate("location.search")
    driver.drag((x, y), (x + 40, y + 30))
    driver.wait(f"location.search !== {before!r}")
