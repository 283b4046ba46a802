"""Updates the README's pictures of the page and of figures in a notebook: `python -m tests.browser.pictures`, after the
page or a model has changed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

import former
from tests.browser.conftest import find_browser, free_port, stop, wait_until_up
from tests.browser.preloaded import ROOT, spawn
from viz import figures

LENGTH = 120  # tokens that are written


def nothing(page: Page) -> None:
    """Leaves a page as its link opens it."""


def write(page: Page) -> None:
    """Writes the text to its end."""
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_text(f"{LENGTH} tokens", exact=True).wait_for(timeout=120_000)


class Picture(NamedTuple):
    """A picture of the page."""

    name: str  # of its file
    link: str
    scheme: Literal["light", "dark"] = "light"
    then: Callable[[Page], None] = nothing


PICTURES = [
    Picture("learn-light", "tab=learn"),
    Picture("explore-light", "tab=explore"),
    Picture("explore-dark", "tab=explore", "dark"),
    Picture("generate-light", f"tab=generate&model=gpt&length={LENGTH}", then=write),
    Picture("mask-light", "tab=mask"),
    Picture("permute-light", "tab=permute"),
    Picture("present-dark", "tab=explore&present=1&panel=head-map", "dark"),
]
QUIET = """async () => {
  await document.fonts.ready;
  return !document.querySelector("[data-coming], .waiting");
}"""


def main() -> None:
    """Starts the app, opens each link and saves what 1280 × 720 pixels show of it."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        port, log = free_port(), Path(folder) / "log"
        process = spawn(port, log)
        try:
            wait_until_up(f"http://127.0.0.1:{port}", lambda: process.poll() is None, log)
            browser = playwright.chromium.launch(executable_path=find_browser(playwright), args=["--no-sandbox"])
            for picture in PICTURES:
                page = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme=picture.scheme)
                page.goto(f"http://127.0.0.1:{port}/?{picture.link}", wait_until="networkidle")
                picture.then(page)
                page.wait_for_load_state("networkidle")
                page.wait_for_function(QUIET)
                save(page, picture.name)
            draw(browser)
            browser.close()
        finally:
            stop(process)


def draw(browser: Browser) -> None:
    """Saves, side by side, figures that the README's lines for a notebook draw."""
    run = former.load("generator").run("The cat sat on the mat. The cat sat on the mat.")
    one = figures.attention(run.weights[8, 7], run.tokens, scale="root", title="Layer 8, head 7")
    parts = [
        figure.to_html(full_html=False, include_plotlyjs=number == 0, config={"displayModeBar": False})
        for number, figure in enumerate((figures.heads(run.weights, run.tokens), one))
    ]
    page = browser.new_page(viewport={"width": 1800, "height": 1160})
    page.set_content(f"<div style='display: flex; align-items: center'>{''.join(parts)}</div>")
    page.locator(".plotly .main-svg").nth(len(parts)).wait_for()
    save(page, "figures-light")


def save(page: Page, name: str) -> None:
    """Saves what a page shows, and closes it."""
    file = ROOT / "assets" / f"{name}.png"
    page.screenshot(path=file)
    page.close()
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size // 1000} kB", flush=True)


if __name__ == "__main__":
    main()
