"""The capacity of one process of the app, and of several behind nginx: `python -m tests.bench.replicas`.

Followers of a room, readers who enter a new text as soon as the last one is shown, and writers: all are plain HTTP
clients on the same cores. `docs/scaling.md` reckons from these figures; more processes than cores serve no more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deploy import local
from tests.bench.app import Result, serving, setting, table, texts, write
from tests.bench.crowd import memory
from tests.bench.followers import follow, lesson, processor_seconds

FOLLOWERS, READERS, WRITERS = 100, 4, 20  # at once
SECONDS = 60  # that followers and readers come for; writers write LENGTH tokens each
LENGTH, PACE = 60, 12  # tokens that a writer asks for; a second, as the page asks by default
TEXT = 64  # characters of a reader's text


def main() -> int:
    """Measures and prints the results."""
    parser = argparse.ArgumentParser(description="followers, readers and writers of one process and of several")
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    given = parser.parse_args()
    print(setting(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        with serving([], Path(folder) / "app.log") as (origin, pid):
            results = asyncio.run(crowd("one process", origin, [pid], given.seconds))
        print(table(results), flush=True)
        with replicas(Path(folder), given.replicas) as (origin, pids):
            results += asyncio.run(crowd(f"{given.replicas} behind nginx", origin, pids, given.seconds))
    print(table(results))
    return 0


@contextmanager
def replicas(folder: Path, count: int) -> Iterator[tuple[str, list[int]]]:
    """Starts replicas behind nginx; yields nginx's address and the processes of the app."""
    with local.running(folder, count) as site:
        yield site.origin, [process.pid for process in site.replicas]


async def crowd(what: str, origin: str, pids: list[int], seconds: float) -> list[Result]:
    """Returns the figures of some processes, with the memory that each of them holds at the end."""
    port = int(origin.rpartition(":")[2])
    cores, seen = await lesson(origin, pids, FOLLOWERS, 7, follow, seconds)
    asked = f"{seconds:g} s, {len(seen)} answers"
    results = [
        Result(f"{what}: {FOLLOWERS} followers, of one core", 100 * cores, "%", None, asked),
        Result(f"{what}: {FOLLOWERS} followers, median answer", 1000 * statistics.median(seen), "ms", None, asked),
        Result(f"{what}: {FOLLOWERS} followers, 99 % of answers", 1000 * high(seen), "ms", None, asked),
    ]
    before, began = sum(map(processor_seconds, pids)), time.perf_counter()
    waits = [wait for one in await asyncio.gather(*(read(port, i, seconds) for i in range(READERS))) for wait in one]
    cost = sum(map(processor_seconds, pids)) - before
    shown = f"{len(waits)} texts of {TEXT} characters, {READERS} readers without a pause"
    results += [
        Result(f"{what}: texts shown", len(waits) / (time.perf_counter() - began), "/s", None, shown),
        Result(f"{what}: processor time of a text", 1000 * cost / len(waits), "ms", None, shown),
        Result(f"{what}: a text, median", 1000 * statistics.median(waits), "ms", None, shown),
        Result(f"{what}: a text, 99 %", 1000 * high(waits), "ms", None, shown),
    ]
    before = sum(map(processor_seconds, pids))
    orders = [{"model": "gpt", "text": f"{i} {TEXT * 'a'}", "seed": i} for i in range(WRITERS)]
    told = await asyncio.gather(*(write(port, order | {"length": LENGTH, "pace": PACE}) for order in orders))
    cost = sum(map(processor_seconds, pids)) - before
    firsts, rates = zip(*told, strict=True)
    written = f"{WRITERS} writers of {LENGTH} tokens, {PACE}/s asked"
    results += [
        Result(f"{what}: tokens a second, the slowest writer", min(rates), "/s", None, written),
        Result(f"{what}: the first token, the longest wait", max(firsts), "s", None, written),
        Result(f"{what}: processor time of a token", 1000 * cost / (WRITERS * LENGTH), "ms", None, written),
        Result(f"{what}: memory of the largest process", max(map(memory, pids)), "MB", None, "at the end"),
    ]
    return results


def high(values: list[float]) -> float:
    """Returns the value that 99 % do not exceed."""
    return sorted(values)[int(0.99 * (len(values) - 1))]


async def read(port: int, number: int, seconds: float) -> list[float]:
    """Reads for some seconds: enters a text, and fetches its pass and one head, as the page does; returns the waits."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    async def ask(method: str, path: str, body: dict[str, Any] | None = None) -> bytes:
        nonlocal reader, writer
        content = b"" if body is None else json.dumps(body).encode()
        fields = f"Host: bench\r\nAccept-Encoding: gzip\r\nContent-Length: {len(content)}"
        writer.write(f"{method} {path} HTTP/1.1\r\n{fields}\r\n\r\n".encode() + content)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        assert b" 200 " in answer.partition(b"\r\n")[0], answer
        length = answer.partition(b"content-length: ")[2].partition(b"\r\n")[0]
        content = await reader.readexactly(int(length))
        if b"connection: close" in answer:  # nginx takes 1,000 requests by one connection
            writer.close()
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        return content

    waits, end = [], time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        text = f"{number} {len(waits)} {texts(TEXT)[len(waits) % 12]}"[:TEXT]
        key = json.loads(await ask("POST", "/attention", {"model": "gpt", "text": text}))["key"]
        await ask("GET", f"/attention/{key}")
        await ask("GET", f"/attention/{key}/self/0/0")
        waits.append(time.perf_counter() - began)
    writer.close()
    return waits


if __name__ == "__main__":
    sys.exit(main())
