"""The app in front of a class: `python -m tests.bench.crowd [--minutes 20]`.

First 60 pages follow a room (`tests.bench.followers`). Then 33 pages come at once with a short review each, one client
takes all it can among 20 that do not, and 20 come while a model is trained (`tests.bench.turns`). Then 20 visitors use
the real page in Chromium, each in a browser context of its own, all tabs but Learn, for 20 minutes: how much memory the
server holds over time, and every request that fails. Their first texts are long ones, which fill the store of passes to
its limit, so that what grows later would grow for ever.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, Error, Page, Request, Response, TimeoutError, async_playwright
from playwright.sync_api import sync_playwright

from tests.bench import followers, turns
from tests.bench.app import Result, serving, setting, table, texts
from tests.browser.conftest import EXPORTS, find_browser
from viz.text import message

VISITORS, THINK = 20, (2.0, 8.0)  # at once; seconds between what each does
SAMPLE = 5  # seconds between two looks at the server's memory
PATIENCE = 60_000  # ms that a page may take


def main() -> int:
    """Measures, prints the results, and returns 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description="60 followers, 33 reviews, a greedy client, 20 visitors")
    parser.add_argument("--minutes", type=float, default=20)
    minutes = parser.parse_args().minutes
    print(setting(), flush=True)
    with sync_playwright() as playwright:
        chromium = find_browser(playwright)
    with tempfile.TemporaryDirectory() as folder, serving([], Path(folder) / "app.log") as (origin, pid):
        results = asyncio.run(followers.compared(origin, pid))
        results += asyncio.run(turns.reviews(origin, chromium))
        results += asyncio.run(turns.greedy(origin))
        results += asyncio.run(turns.while_training(origin))
        print(table(results), flush=True)
        results += asyncio.run(soak(origin, pid, chromium, minutes * 60))
        log = (Path(folder) / "app.log").read_text(errors="replace")
    results.append(Result("tracebacks in the server's log", log.count("Traceback"), "", 0, "the whole run"))
    print(table(results))
    return 0 if all(result.passed for result in results) else 1


def memory(pid: int) -> float:
    """Returns the memory that a process occupies, in MB."""
    words = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True).stdout
    return int(words) / 1024


# --- visitors --------------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """Counts the actions, requests and failures of all visitors."""

    actions: int = 0
    requests: int = 0
    failed: list[str] = field(default_factory=list)
    held: list[tuple[float, float]] = field(default_factory=list)  # (seconds since the start, MB)

    def watch(self, page: Page) -> None:
        """Counts a page's requests; one that the page aborted in favour of a newer one is no failure."""

        def answered(response: Response) -> None:
            self.requests += 1
            if response.status >= 400:
                self.failed.append(f"{response.status} {response.request.method} {response.url}")

        def lost(request: Request) -> None:
            if request.failure != "net::ERR_ABORTED":
                self.failed.append(f"{request.failure} {request.url}")

        page.on("response", answered)
        page.on("requestfailed", lost)
        page.on("pageerror", lambda error: self.failed.append(f"in the page: {error}"))


async def soak(origin: str, pid: int, chromium: str | None, seconds: float) -> list[Result]:
    """Runs visitors for the given time and records the server's memory."""
    tally = Tally()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        end = time.monotonic() + seconds
        visits = [visitor(browser, origin, number, end, tally) for number in range(VISITORS)]
        await asyncio.gather(watch_memory(pid, end, tally), *visits)
        await browser.close()
    print(f"{tally.actions} actions, {tally.requests} answers; memory in MB, a figure a minute:")
    minutes = range(int(tally.held[-1][0] // 60) + 1)
    print(
        *(round(statistics.median(mb for at, mb in tally.held if at // 60 == minute)) for minute in minutes), flush=True
    )
    for line in tally.failed[:20]:
        print(f"failed: {line}")
    third = max(1, len(tally.held) // 3)
    middle, last = (
        statistics.median(mb for _, mb in part) for part in (tally.held[third : -third or None], tally.held[-third:])
    )
    return [
        Result(f"{VISITORS} visitors: requests that failed", len(tally.failed), "", 0, f"of {tally.requests}"),
        Result(
            "memory, last third beside the middle third", 100 * (last / middle - 1), "%", 3, f"{last:.0f} MB at last"
        ),
    ]


async def watch_memory(pid: int, end: float, tally: Tally) -> None:
    """Records the server's memory every few seconds."""
    began = time.monotonic()
    while time.monotonic() < end:
        tally.held.append((time.monotonic() - began, memory(pid)))
        await asyncio.sleep(SAMPLE)


async def visitor(browser: Browser, origin: str, number: int, end: float, tally: Tally) -> None:
    """Visits for a few minutes, leaves, and returns with an empty browser, again and again."""
    dice = random.Random(number)
    await asyncio.sleep(number * 0.5)
    while time.monotonic() < end:
        context = await browser.new_context(viewport={"width": 1280, "height": 720}, base_url=origin)
        await context.add_init_script(path=EXPORTS)
        page = await context.new_page()
        page.set_default_timeout(PATIENCE)
        tally.watch(page)
        leaves = time.monotonic() + dice.uniform(120, 300)
        action = arrive
        while time.monotonic() < min(end, leaves):
            try:
                await action(page, dice)
            except TimeoutError:
                tally.failed.append(f"{action.__name__} got no answer: {await state(page)}")
            tally.actions += 1
            await asyncio.sleep(dice.uniform(*THINK))
            action = dice.choice((read, choose, write, mask, permute))
        await context.close()


async def state(page: Page) -> str:
    """Returns the state of the page, or the reason why it cannot be read."""
    try:
        return await page.evaluate(STATE)
    except Error as error:  # it was on its way to another address
        return error.message


STATE = """() => JSON.stringify({
  url: location.href.slice(0, 120),
  said: [...document.querySelectorAll(".toast-body, .notice, .room-bar:not([hidden])")].map((node) => node.innerText),
  typed: document.querySelector(".explore-top textarea")?.value.slice(0, 40),
  shown: window.former?.store.pass?.header.text.slice(0, 40),
  rev: window.former?.store.rev,
})"""


async def arrive(page: Page, dice: random.Random) -> None:
    """Opens the page, in the same way for all visitors."""
    del dice
    await page.goto("/?tab=explore")
    await page.wait_for_function("window.former?.store?.exact")


async def open_tab(page: Page, tab: str) -> None:
    await page.get_by_role("tab", name=message(f"tab_{tab}"), exact=True).click()
    await page.wait_for_function("(tab) => former.page.tab === tab", arg=tab)


async def read(page: Page, dice: random.Random) -> None:
    """Enters another text, at most as long as the model can read."""
    await open_tab(page, "explore")
    text = f"{dice.random():.9f} {dice.choice(texts(240))}"
    await page.get_by_role("textbox", name="Text", exact=True).first.fill(text)
    await page.wait_for_function("(text) => former.store.pass.header.text === text", arg=text)


async def choose(page: Page, dice: random.Random) -> None:
    """Chooses other heads."""
    await open_tab(page, "explore")
    for _ in range(3):
        layer, head = dice.randrange(6), dice.randrange(8)
        await page.evaluate("([layer, head]) => former.store.set({ layer, head })", [layer, head])
        await page.wait_for_function(
            "([l, h]) => former.store.exact?.layer === l && former.store.exact.head === h", arg=[layer, head]
        )


async def write(page: Page, dice: random.Random) -> None:
    """Generates tokens, and sometimes stops before the end."""
    await open_tab(page, "generate")
    await page.wait_for_function("window.former.writing?.status === 'idle' && former.writing.cursor.state")
    length = dice.randrange(10, 60)
    await page.evaluate(
        "([length, seed]) => (former.writing.set({ length, seed, pace: 30 }), former.writing.run())",
        [length, dice.randrange(1000)],
    )
    await asyncio.sleep(dice.uniform(0.2, 3))
    if dice.random() < 0.5:
        await page.evaluate("former.writing.pause()")
    await page.wait_for_function("former.writing.status === 'idle'")


async def mask(page: Page, dice: random.Random) -> None:
    """Chooses another mask and another text."""
    await open_tab(page, "mask")
    await demonstrate(
        page,
        "masking",
        {"mask": dice.choice(["none", "causal", "local", "strided", "fixed"]), "text": f"Cat {dice.randrange(10**6)}"},
    )


async def permute(page: Page, dice: random.Random) -> None:
    """Enters other words in another order."""
    await open_tab(page, "permute")
    await demonstrate(page, "permuting", {"text": f"A film of {dice.randrange(10**6)} words, not good, not bad."})


async def demonstrate(page: Page, name: str, view: dict[str, str]) -> None:
    """Sets a demonstration's view, and waits for all its answers."""
    idle = f"window.former.{name} && former.{name}.rev && !former.{name}.busy"
    await page.wait_for_function(idle)
    before = await page.evaluate(f"former.{name}.rev")
    await page.evaluate(f"(view) => former.{name}.set(view)", view)
    await page.wait_for_function(f"(before) => former.{name}.rev > before && !former.{name}.busy", arg=before)


if __name__ == "__main__":
    sys.exit(main())
