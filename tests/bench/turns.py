"""Fairness under load, for `python -m tests.bench.crowd`: 33 pages with a short review each, all of which automatically
measure the words behind the verdict; one greedy client among 20 others; and 20 clients during a training.

A client is an address: here those of 127.0.0.0/8, which Linux answers to.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any
from urllib.parse import urlencode

from playwright.async_api import Browser, BrowserContext, Response, async_playwright

from tests.bench.app import Result
from tests.browser.conftest import EXPORTS

PAGES = 33
HONEST = 20
STREAMS, ROOMS, QUESTIONS = 150, 250, 200  # of the greedy client, all at once
LONG = 120  # words: more than a page measures unasked
TORCH = 5  # seconds until a training has imported torch and takes its steps
PATIENCE = 120_000  # ms that a page may take


# --- reviews ---------------------------------------------------------------------------------------------------------


async def reviews(origin: str, chromium: str | None) -> list[Result]:
    """Opens many pages at once, each with its own short review; then lets all of them measure one long review."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        waits, retried = await arrive(browser, origin)
        alone, shared = [await measured(browser, origin, count) for count in (1, PAGES)]
        await browser.close()
    served = sorted(wait for wait in waits if wait is not None)
    repeats = f"{retried} answers were “busy” and asked again; the last page had its own after {served[-1]:.1f} s"
    return [
        Result(f"{PAGES} pages with a short review: refused", waits.count(None), "", 0, repeats),
        Result(f"one review measured by {PAGES} beside by one", shared / alone, "times", 1.5, f"{alone:.2f} s alone"),
    ]


async def arrive(browser: Browser, origin: str) -> tuple[list[float | None], int]:
    """Returns how long each page took to show its automatic measurement (None if it never did), and how many requests
    were answered “busy”."""
    context = await browser.new_context(base_url=origin, viewport={"width": 1280, "height": 720})
    busy: list[str] = []

    def answered(response: Response) -> None:
        if response.status == 503:
            busy.append(response.url)

    context.on("response", answered)
    texts = [f"Not bad at all, this film of {number} scenes is a joy." for number in range(PAGES)]
    waits = await asyncio.gather(*(look(context, text) for text in texts))
    await context.close()
    return waits, len(busy)


async def look(context: BrowserContext, text: str) -> float | None:
    """Opens a page, and waits for its measurement."""
    page = await context.new_page()
    began = time.perf_counter()

    async def measure() -> float:
        await page.goto("/?" + urlencode({"tab": "explore", "model": "classifier", "text": text}), timeout=PATIENCE)
        await page.locator(".former-words[data-measured]").wait_for(state="attached", timeout=0)
        return time.perf_counter() - began

    try:
        return await asyncio.wait_for(measure(), PATIENCE / 1000)
    except asyncio.TimeoutError:
        return None


async def measured(browser: Browser, origin: str, readers: int) -> float:
    """Returns the seconds until this many pages show the measurement of a long review that all of them request at
    once."""
    page = await browser.new_page(base_url=origin)
    await page.add_init_script(path=EXPORTS)
    text = " ".join(f"good bad film {readers}".split()[i % 4] for i in range(LONG))
    await page.goto("/?" + urlencode({"model": "classifier", "text": text}), timeout=PATIENCE)
    shown = "(text) => window.former?.store?.pass?.header.text === text"
    await page.wait_for_function(shown, arg=text, timeout=PATIENCE)
    await page.close()
    port, view = int(origin.rpartition(":")[2]), {"model": "classifier", "text": text, "edits": []}
    began = time.perf_counter()
    statuses = await asyncio.gather(*(ask(port, "127.0.0.1", "POST", "/ask/words/words", view) for _ in range(readers)))
    assert set(statuses) == {200}, statuses
    return time.perf_counter() - began


# --- a greedy client -------------------------------------------------------------------------------------------------


async def greedy(origin: str) -> list[Result]:
    """Measures how long honest clients wait for a room, a text and a mask's answer while one client takes all it can,
    beside how long they wait without it: how fast the machine computes their answers is no question of fairness. The
    bar is 2, because while the others write, no one else needs the turns for long work, so half of the threads may be
    its own."""
    port = int(origin.rpartition(":")[2])
    await visit(port, "127.0.1.1", 0)  # the first answer of each kind takes longer
    alone = await together(port, 3, 100)
    taking = [asyncio.create_task(ask(port, "127.0.0.66", *one)) for one in everything()]
    await asyncio.sleep(2)
    seen = await together(port, 1, 200)
    for task in taking:
        task.cancel()
    await asyncio.gather(*taking, return_exceptions=True)
    (wait, refused), (without, _) = seen, alone
    beside = f"one client asks for {len(taking)} things at once: {HONEST} others"
    seconds = f"{wait:.2f} s beside {without:.2f}"
    return [
        Result(f"{beside} refused", refused, "", 0, ""),
        Result(f"{beside}, the longest wait beside that without it", wait / without, "times", 2, seconds),
    ]


# --- while a model is trained ----------------------------------------------------------------------------------------


async def while_training(origin: str) -> list[Result]:
    """Measures how long clients wait for a room, a text and a mask's answer while tab Learn trains a model, beside how
    long they wait without it."""
    port = int(origin.rpartition(":")[2])
    without, _ = await together(port, 4, 1100)
    order = {"task": "sort", "seed": 1, "text": "dolphins"}
    training = asyncio.create_task(ask(port, "127.0.0.77", "POST", "/learn/train-now/train", order))
    await asyncio.sleep(TORCH)
    wait, refused = await together(port, 2, 1000)
    goes_on = not training.done()
    training.cancel()
    await asyncio.gather(training, return_exceptions=True)
    beside = f"while one trains, {HONEST} others at once:"
    return [
        Result("trainings that went on meanwhile", goes_on, "", 1, "of 1", at_least=True),
        Result(f"{beside} refused", refused, "", 0, ""),
        Result(f"{beside} the longest wait", wait / without, "× without it", 2, f"{wait:.2f} s beside {without:.2f}"),
    ]


Request = tuple[str, str, dict[str, Any]]


def everything() -> list[Request]:
    """Returns the requests of the greedy client."""
    order = {"model": "gpt", "text": "All of it", "length": 1000, "pace": 0.5}
    streams = [("POST", "/write", order | {"seed": number}) for number in range(STREAMS)]
    rooms = [("PUT", f"/room/greedy-{number}", {"key": "a" * 32, "view": ""}) for number in range(ROOMS)]
    questions = [("POST", "/ask/mask-proof/masked", proof(f"mine {number}")) for number in range(QUESTIONS)]
    return [*streams, *rooms, *questions]


def proof(text: str) -> dict[str, Any]:
    """Returns a request of tab Mask."""
    return {"text": text, "mask": "causal", "model": "generator", "size": 5}


async def together(port: int, net: int, first: int) -> tuple[float, int]:
    """Lets honest clients, with addresses 127.0.net.1 and on, ask at once; returns their longest wait in seconds, and
    how many requests were refused."""
    each = (visit(port, f"127.0.{net}.{number + 1}", first + number) for number in range(HONEST))
    seen = [one for visit in await asyncio.gather(*each) for one in visit]
    return max(wait for wait, _ in seen), sum(status >= 400 for _, status in seen)


async def visit(port: int, who: str, number: int) -> list[tuple[float, int]]:
    """Makes an honest client's requests one after the other; returns (seconds, status) of each."""
    asked: list[Request] = [
        ("PUT", f"/room/honest-{number}", {"key": "b" * 32, "view": "tab=mask"}),
        ("POST", "/write", {"model": "gpt", "text": f"Visitor {number}", "seed": 1}),
        ("POST", "/ask/mask-proof/masked", proof(f"yours {number}")),
    ]
    seen = []
    for one in asked:
        began = time.perf_counter()
        status = await ask(port, who, *one)
        seen.append((time.perf_counter() - began, status))
    return seen


async def ask(port: int, who: str, method: str, path: str, body: dict[str, Any] | None = None) -> int:
    """Sends a request from an address, reads the whole response, and returns its status."""
    content = b"" if body is None else json.dumps(body).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(who, 0))
    try:
        head = f"{method} {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\nContent-Length: {len(content)}\r\n\r\n"
        writer.write(head.encode() + content)
        answer = await reader.readuntil(b"\r\n\r\n")
        await reader.read()
    finally:
        writer.close()
    return int(answer.split()[1])
