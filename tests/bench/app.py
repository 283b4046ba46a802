"""The speed of the app where a visitor waits: `python -m tests.bench.app`.

The real app in a process of its own, a real Chromium, and a generator of 12 blocks and 8 heads: the shipped one where
it has 12, else its blocks stacked to 12, so that the maps are those of trained heads. A choice or a text counts from
the event in the page to the first frame after the canvases are painted; every text is new, so that nothing is cached.
GPT-2's true shape, with random weights that `transformers` saved, stands beside it as a visitor's own model.
The visitors who write all at once are plain HTTP clients in this process, on the same cores.
Bars are shares of limits measured in the same run (`limits`): an empty Gradio page, the bare capture of a text's maps
as the server runs it, and one process that writes alone.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import platform
import statistics
import sys
import tempfile
import time
import urllib.request
import zlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
from playwright.sync_api import Browser, Page, sync_playwright

import former
from former.runs.run import POINTS
from tests.bench import limits
from tests.bench.pretrained import make
from tests.browser.conftest import EXPORTS, find_browser, free_port, stop, wait_until_up
from tests.browser.preloaded import ROOT, START_LIMIT, spawn
from viz.app import leave_cores_free
from viz.passes import sources, store
from viz.passes.loaded import Loaded
from viz.passes.run import tokenize

DEPTH = 12
FIRST_PAGE = 1.8  # times an empty Gradio page
PASS = 1.5  # captures that a pass may take, where it is long enough for the products to count
CAPTURES, REST = 2.5, 80  # limits for painting a text: in bare captures, plus ms for the page
WRITERS = 0.5  # of what one process writes alone
HEADS_CHOSEN, TEXTS, LOADS, ROUNDS = 60, 12, 9, 3  # repeats of each measurement
VISITORS, LENGTH, PACE = 30, 60, 30  # at once; tokens each; tokens a second that each asks for


class Result(NamedTuple):
    """One line of the table."""

    what: str
    value: float
    unit: str
    bar: float | None  # None: a figure alone
    repeats: str
    at_least: bool = False

    @property
    def passed(self) -> bool:
        """Returns whether the bar is met."""
        if self.bar is None:
            return True
        return self.value >= self.bar if self.at_least else self.value <= self.bar


def main() -> int:
    """Measures, prints the table, and returns 1 if a bar is missed."""
    argparse.ArgumentParser(description="the app's speed, in Chromium and with 30 visitors").parse_args()
    print(setting(), flush=True)
    results: list[Result] = []
    with tempfile.TemporaryDirectory() as folder:
        name, folders = twelve_blocks(Path(folder))
        published = Path(folder) / "gpt2"
        published.mkdir()
        make("gpt2", published)
        empty_log = Path(folder) / "empty.log"
        with serving([*folders, str(published)], Path(folder) / "app.log") as (origin, _), empty(empty_log) as beside:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=find_browser(playwright), args=["--no-sandbox", "--disable-gpu"]
                )
                results += first_page(browser, origin, beside)
                model = sources.open_model((folders or [name])[0])
                results += in_the_page(browser, origin, model)
                results += large(browser, origin, sources.open_model(str(published), {name: model}))
                browser.close()
            results += visitors(origin, model)
    print(table(results))
    return 0 if all(result.passed for result in results) else 1


def setting() -> str:
    """Describes the machine in one line."""
    cpu = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), cpu)
    load = os.getloadavg()[0]
    return (
        f"{cpu}, {os.cpu_count()} cores, {torch.get_num_threads()} torch threads, Python {platform.python_version()}, "
        f"torch {torch.__version__}; load before: {load:.1f}"
    )


def twelve_blocks(folder: Path) -> tuple[str, list[str]]:
    """Returns the name of a generator with 12 blocks, and the folders that the app needs to offer it."""
    bundle = former.load("generator")
    if bundle.config.depth == DEPTH:
        return "generator", []
    print(f"the shipped generator has {bundle.config.depth} blocks: they are stacked to {DEPTH}", flush=True)
    config = replace(bundle.config, depth=DEPTH)
    model = former.Generator(config)
    trained = bundle.model.state_dict()
    state = {}
    for key in model.state_dict():
        before, found, after = key.partition("transformer.blocks.")
        layer, _, rest = after.partition(".")
        source = f"{before}{found}{int(layer) % bundle.config.depth}.{rest}" if found else key
        state[key] = trained[source]
    model.load_state_dict(state)
    former.save(former.Bundle(model.eval(), bundle.tokenizer, config), folder / "twelve-blocks")
    return "twelve-blocks", [str(folder / "twelve-blocks")]


@contextlib.contextmanager
def serving(folders: list[str], log: Path) -> Iterator[tuple[str, int]]:
    """Starts the app on a port of its own with its default settings; yields its address and its process."""
    port = free_port()
    process = spawn(port, log, *folders)
    try:
        wait_until_up(f"http://127.0.0.1:{port}", lambda: process.poll() is None, log)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        stop(process)


@contextlib.contextmanager
def empty(log: Path) -> Iterator[str]:
    """Serves an empty Gradio page from a process of its own; yields its address."""
    port = free_port()
    process = spawn(port, log, str(port), program=("-m", "tests.bench.limits"))
    address = f"http://127.0.0.1:{port}"
    try:
        limit = time.monotonic() + START_LIMIT
        while True:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(address, timeout=5).close()
                break
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < limit, "the empty page did not come up"
            time.sleep(0.2)
        yield address
    finally:
        stop(process)


def compute_ms(loaded: Loaded, texts: list[str]) -> tuple[float, float]:
    """Returns the milliseconds of a capture of all maps, q, k, v and outputs, and of a pass, which adds its description
    and its packed form, as the server runs them: the fastest run of each text, then the median over the texts."""
    before = torch.get_num_threads()
    leave_cores_free()
    captures, passes = [], []
    for text in texts:
        ids, _, _ = tokenize(loaded, text)
        mask = loaded.bundle.model.mask(len(ids))
        run = partial(former.run_with_capture, loaded.fast, torch.tensor([ids]), POINTS, mask=mask)
        captures.append(limits.fastest(run, 3))
        passes.append(limits.fastest(partial(store.compute, loaded, text, (), b""), 3))
    torch.set_num_threads(before)
    return 1000 * statistics.median(captures), 1000 * statistics.median(passes)


# --- in Chromium -----------------------------------------------------------------------------------------------------

# Notes when what a tab opens with is on the screen, in milliseconds since the navigation began.
FIRST_PAINT = """
const painted = {
  learn: () => [".plane .grip", ".equation .katex"].every((name) => document.querySelector(`.former-learn ${name}`)),
  explore: () => ["overview", "head-map"].every((name) => document.querySelector(`.former-${name}[data-rev]`)),
  empty: () => document.querySelector(".empty-part"),
}[new URL(location).searchParams.get("tab") ?? "learn"];
const look = () => {
  if (painted()) window.firstPaint = performance.now();
  else requestAnimationFrame(look);
};
look();
"""

# until(done): the time from now to the end of the frame in which the parts' marks, set after painting, make it true.
UNTIL = """
window.until = (done) => new Promise((tell) => {
  const start = performance.now();
  const watch = new MutationObserver(() => {
    if (!done()) return;
    watch.disconnect();
    const channel = new MessageChannel(); // its message comes once the frame has been drawn
    channel.port1.onmessage = () => tell(performance.now() - start);
    channel.port2.postMessage(0);
  });
  watch.observe(document.body, { subtree: true, attributeFilter: ["data-rev", "data-shown"] });
});
"""

CHOOSE = """
async ([layer, head]) => {
  const cell = document.querySelector(`[role=gridcell][data-layer="${layer}"][data-head="${head}"]`);
  const painted = until(() => {
    const shown = document.querySelector(".former-head-map[data-shown]").dataset.shown;
    return shown.startsWith(`head ${layer} ${head} `);
  });
  cell.click();
  return await painted;
}
"""

ENTER = """
async (text) => {
  const box = document.querySelector(".explore-top textarea");
  const before = former.store.pass.header.key;
  const painted = until(() => {
    const { pass, rev } = former.store;
    if (pass.header.key === before || pass.header.text !== text) return false;
    return ["overview", "head-map", "token-strip", "statistics"].every((name) =>
      Number(document.querySelector(`.former-${name}[data-rev]`).dataset.rev) === rev);
  });
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(box, text);
  box.dispatchEvent(new Event("input", { bubbles: true }));
  return await painted;
}
"""


def first_page(browser: Browser, origin: str, beside: str) -> list[Result]:
    """Measures the first load of tabs Learn and Explore, each right after that of an empty page."""
    results = []
    for address, what in [(origin, "Learn, picture and equation drawn"), (f"{origin}/?tab=explore", "Explore, maps")]:
        pairs = [(load(browser, f"{beside}/?tab=empty"), load(browser, address)) for _ in range(LOADS)]
        empty, ours = (statistics.median(seconds for seconds, _ in loads) for loads in zip(*pairs, strict=True))
        ratio = statistics.median(seconds / before for (before, _), (seconds, _) in pairs)
        size = statistics.median(size for _, (_, size) in pairs)
        repeats = f"{ours:.2f} s beside {empty:.2f} s; median of {LOADS}, cold cache"
        results += [
            Result(f"first page, {what}", ratio, "× an empty page", FIRST_PAGE, repeats),
            Result(f"first page, {what}: on the wire", size, "MB", 1, f"median of {LOADS}, cold cache"),
        ]
    return results


def load(browser: Browser, address: str) -> tuple[float, float]:
    """Returns the seconds from entering an address until its tab is ready, and the MB loaded, with an empty browser
    cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    context.add_init_script(FIRST_PAINT)
    page = context.new_page()
    received: list[float] = []
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    page.goto(address)
    page.wait_for_function("window.firstPaint", timeout=60_000)
    seconds = page.evaluate("window.firstPaint") / 1000
    page.wait_for_timeout(500)
    context.close()
    return seconds, sum(received) / 1e6


def painted(what: str, times: list[float], loaded: Loaded, texts: list[str], most: float | None = PASS) -> list[Result]:
    """Compares the times in ms from typing each text to its painted maps, and its pass alone, with the bare capture."""
    capture, whole = compute_ms(loaded, texts)
    repeats = f"median of {len(times)} texts; a bare capture takes {capture:.1f} ms"
    limit = CAPTURES * capture + REST
    return [
        Result(f"{what}: the pass", whole / capture, "captures", most, f"{whole:.1f} ms"),
        Result(f"{what} entered → all maps painted", statistics.median(times), "ms", limit, repeats),
    ]


def in_the_page(browser: Browser, origin: str, loaded: Loaded) -> list[Result]:
    """Measures choosing heads, entering texts, and the size of a pass."""
    name = loaded.name
    page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
    page.add_init_script(UNTIL)
    page.add_init_script(path=EXPORTS)
    page.goto(f"{origin}/?model={name}&text=abc")
    page.wait_for_function("window.former?.store?.exact", timeout=60_000)
    results: list[Result] = []
    sizes = []
    for length, most in ((64, None), (256, PASS)):
        times = []
        for text in texts(length):
            times.append(page.evaluate(ENTER, text))
            sizes.append(pass_size(page, origin))
        times = times[1:]  # the first one warms up
        results += painted(f"text of {length} bytes", times, loaded, texts(length)[1:], most)
    results.append(
        Result(f"the pass of {DEPTH} × 8 × 256² on the wire", max(sizes), "MB", 1.1, f"largest of {TEXTS + 1} texts")
    )
    selection = [(i * 5 % DEPTH, i * 3 % 8) for i in range(HEADS_CHOSEN)]
    times = [page.evaluate(CHOOSE, list(pair)) for pair in selection if pair != (0, 0)]
    what = "another head chosen → painted, 256 bytes"
    results.append(Result(what, statistics.median(times), "ms", None, f"median of {len(times)} choices"))
    return results


def large(browser: Browser, origin: str, loaded: Loaded) -> list[Result]:
    """Measures the first maps of GPT-2's true shape with random weights, and the size of its largest pass."""
    name = loaded.name
    page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
    page.add_init_script(UNTIL)
    page.add_init_script(path=EXPORTS)
    page.goto(f"{origin}/?tab=explore&model={name}&text=abc")
    page.wait_for_function("window.former?.store?.exact", timeout=60_000)
    results = []
    for length in (64, 256):  # a token a byte, nearly: its tokenizer knows no words
        times = [page.evaluate(ENTER, text) for text in texts(length)][1:]
        results += painted(f"GPT-2’s shape, {length} bytes", times, loaded, texts(length)[1:])
    page.evaluate(ENTER, texts(300)[0])
    tokens = page.evaluate("former.store.pass.header.tokens")
    size = f"the pass of GPT-2’s 12 × 12 × {tokens}² on the wire"
    return [*results, Result(size, pass_size(page, origin), "MB", 1.6, "one text")]


def texts(length: int) -> list[str]:
    """Returns different English passages, each of the given number of bytes."""
    words = " ".join((ROOT / "LICENSE").read_text(encoding="utf-8").split())
    ascii_only = words.encode("ascii", "ignore").decode() * 4
    return [ascii_only[97 * i : 97 * i + length] for i in range(TEXTS + 1)]


def pass_size(page: Page, origin: str) -> float:
    """Returns the size in MB of the current pass, as it is sent."""
    key = page.evaluate("former.store.pass.header.key")
    request = urllib.request.Request(f"{origin}/attention/{key}", headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request) as answer:
        return len(answer.read()) / 1e6


# --- many at once ----------------------------------------------------------------------------------------------------


def visitors(origin: str, loaded: Loaded) -> list[Result]:
    """Measures many visitors who all start writing at the same moment."""
    together, slowest, longest = [], [], []
    for round_ in range(ROUNDS):
        waits, rates = zip(*asyncio.run(all_write(origin, loaded.name, round_)), strict=True)
        together.append(sum(rates))
        slowest.append(min(rates))
        longest.append(max(waits))
    alone = writes_alone(loaded)
    share, repeats = statistics.median(together) / alone, f"the worst of {VISITORS}, median of {ROUNDS} rounds"
    beside = f"{statistics.median(together):.0f}/s beside {alone:.0f}/s; median of {ROUNDS} rounds"
    return [
        Result(f"{VISITORS} write at once: their sum", share, "× one process alone", WRITERS, beside, True),
        Result(f"{VISITORS} write at once: tokens a second, each", statistics.median(slowest), "/s", None, repeats),
        Result(f"{VISITORS} write at once: wait for the first token", statistics.median(longest), "s", None, repeats),
    ]


def writes_alone(loaded: Loaded) -> float:
    """Returns the tokens a second that this process generates from one text, recording every layer's attention rows."""
    ids, _, _ = tokenize(loaded, texts(64)[0])
    return LENGTH / limits.fastest(
        lambda: list(former.generate(loaded.fast, ids, LENGTH, seed=0, capture=True)), ROUNDS
    )


async def all_write(origin: str, name: str, round_: int) -> list[tuple[float, float]]:
    """Returns (seconds until the first token, tokens a second) for each visitor."""
    prompts = texts(64)
    orders = [
        {"model": name, "text": prompts[i % len(prompts)], "seed": 100 * round_ + i, "length": LENGTH, "pace": PACE}
        for i in range(VISITORS)
    ]
    return await asyncio.gather(*(write(int(origin.rpartition(":")[2]), order) for order in orders))


async def write(port: int, order: dict[str, Any]) -> tuple[float, float]:
    """Sends one visitor's request and reads its stream."""
    body = json.dumps(order).encode()
    began = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /write HTTP/1.1\r\nHost: bench\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
    answer = await reader.readuntil(b"\r\n\r\n")
    assert b" 200 " in answer.partition(b"\r\n")[0], answer
    plain, held, times = zlib.decompressobj(31), b"", []
    while size := int(await reader.readline(), 16):
        held += plain.decompress(await reader.readexactly(size))
        await reader.readexactly(2)
        while len(held) >= 8 and len(held) >= (
            end := 8 + sum(int.from_bytes(held[i : i + 4], "little") for i in (0, 4))
        ):
            held = held[end:]
            times.append(time.perf_counter() - began)
    writer.close()
    tokens = times[1:]  # the first frame is the state of the prompt itself
    assert len(tokens) == order["length"], len(tokens)
    return tokens[0], len(tokens) / tokens[-1]


def table(results: list[Result]) -> str:
    """Prints the results as plain lines."""
    rows = [("measured", "value", "bar", "", "repeats")]
    for result in results:
        sign = "≥" if result.at_least else "≤"
        value = f"{result.value:.3g} {result.unit}"
        bar = "" if result.bar is None else f"{sign} {result.bar:.4g} {result.unit}"
        verdict = "" if result.bar is None else "PASS" if result.passed else "FAIL"
        rows.append((result.what, value, bar, verdict, result.repeats))
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


if __name__ == "__main__":
    sys.exit(main())
