"""A class that follows a room, for `python -m tests.bench.crowd`: 60 plain HTTP clients that ask what a page asks, and
as often. What they cost the server, and how long they wait, is compared with as many that ask for its smallest answer.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import statistics
import subprocess
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from tests.bench.app import Result

FOLLOWERS, POLL, LESSON = 60, 1.5, 30  # pages; seconds between a page's questions, as room.js has it; seconds
WARM = 6  # seconds of a first lesson: the first answer of each kind takes longer

Client = Callable[[int, str, float], Awaitable[list[float]]]  # of a port, a room and seconds: its response times


async def compared(origin: str, pid: int) -> list[Result]:
    """Compares a lesson for a whole class with one for a class of one, and with clients that only ask whether the
    server is there."""
    await lesson(origin, [pid], 1, 0, follow, WARM)
    alone, _ = await lesson(origin, [pid], 1, 1, follow)
    cost, seen = await lesson(origin, [pid], FOLLOWERS, 2, follow)
    least, plain = await lesson(origin, [pid], FOLLOWERS, 3, be_there)
    wait, shortest = 1000 * statistics.median(seen), 1000 * statistics.median(plain)
    added = cost - alone
    cores = f"{100 * added:.1f} beside {100 * least:.1f} % of one core; {LESSON} s each"
    answers = f"{wait:.1f} ms beside {shortest:.1f}; {len(seen)} and {len(plain)} answers"
    return [
        Result(f"{FOLLOWERS} followers: processor time", added / least, "× asking /alive", 2, cores),
        Result(f"{FOLLOWERS} followers: median answer", wait / shortest, "× asking /alive", 2, answers),
    ]


async def lesson(
    origin: str, pids: list[int], count: int, seed: int, each: Client, seconds: float = LESSON
) -> tuple[float, list[float]]:
    """Measures a leader who changes views while pages are there, by `follow` or `be_there`: the cores that the
    processes used, and the response times in seconds."""
    before, began = sum(map(processor_seconds, pids)), time.perf_counter()
    port = int(origin.rpartition(":")[2])
    room = f"class-{seed}"
    waits = await asyncio.gather(lead(origin, room, seed, seconds), *(each(port, room, seconds) for _ in range(count)))
    cost = (sum(map(processor_seconds, pids)) - before) / (time.perf_counter() - began)
    return cost, [wait for one in waits[1:] for wait in one]


async def lead(origin: str, room: str, seed: int, seconds: float) -> list[float]:
    """Shows another text and another mask every few seconds."""
    for number in range(round(seconds / 5)):
        text = f"Lesson {seed}, view {number}"
        view = urlencode({"tab": "mask", "text": text, "mask": ("causal", "local", "strided")[number % 3]})
        body = json.dumps({"key": "0" * 32, "view": view}).encode()
        asked = urllib.request.Request(f"{origin}/room/{room}", body, method="PUT")
        await asyncio.to_thread(lambda asked=asked: urllib.request.urlopen(asked).close())
        await asyncio.sleep(5)
    return []


async def follow(port: int, room: str, seconds: float) -> list[float]:
    """Simulates one follower, which requests the view and its data; returns the response times in seconds."""
    page, rev = secrets.token_hex(16), 0
    async with connected(port) as (ask, waits):
        async for _ in polls(seconds):
            if content := await ask("GET", f"/room/{room}?rev={rev}&page={page}"):
                answer = json.loads(content)
                rev = answer["rev"]
                if answer["view"]:
                    view = dict(parse_qsl(answer["view"]))
                    asked = {"text": view["text"], "mask": view["mask"], "model": "generator", "size": 5}
                    await ask("POST", "/ask/mask-stages/head", json.dumps(asked | {"layer": 0, "head": 0}).encode())
                    await ask("POST", "/ask/mask-proof/masked", json.dumps(asked).encode())
    return waits


async def be_there(port: int, room: str, seconds: float) -> list[float]:
    """Simulates a page that asks for the server's smallest answer as often as a follower for its view; returns the
    response times in seconds."""
    del room
    async with connected(port) as (ask, waits):
        async for _ in polls(seconds):
            await ask("GET", "/alive")
    return waits


async def polls(seconds: float) -> AsyncIterator[None]:
    """Yields as often as a page asks, from a moment that is random for each page."""
    await asyncio.sleep(random.random() * POLL)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        yield
        await asyncio.sleep(POLL)


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[Callable[..., Awaitable[bytes]], list[float]]]:
    """Opens one connection; yields how to ask by it, and the response times so far in seconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    waits: list[float] = []

    async def ask(method: str, path: str, body: bytes = b"") -> bytes:
        began = time.perf_counter()
        head = f"{method} {path} HTTP/1.1\r\nHost: bench\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.split()[1] in (b"200", b"204"), answer
        fields = dict(line.lower().split(b": ", 1) for line in answer.split(b"\r\n")[1:] if b": " in line)
        content = await reader.readexactly(int(fields.get(b"content-length", 0)))
        waits.append(time.perf_counter() - began)
        return content

    try:
        yield ask, waits
    finally:
        writer.close()


def processor_seconds(pid: int) -> float:
    """Returns the processor time that a process has used, in seconds (Linux and macOS)."""
    used = subprocess.run(["ps", "-o", "time=", "-p", str(pid)], capture_output=True, text=True, check=True).stdout
    stat = Path(f"/proc/{pid}/stat")
    if stat.exists():  # finer than ps, which counts whole seconds there
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100
    minutes, seconds = used.strip().split(":")[-2:]
    return 60 * float(minutes) + float(seconds)
