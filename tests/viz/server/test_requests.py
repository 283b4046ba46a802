"""Every route gets every type of JSON in every field that it reads, and answers or refuses without failing.

A route's fields are what it reads of a valid example; the examples are those of the routes' own tests.
"""

import asyncio
import contextlib
import copy
import json
import logging
import re
import sys
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote, unquote

import pytest
from fastapi import FastAPI
from starlette.routing import Route

from tests.viz.loops import run
from tests.viz.panels.views import VIEWS, explored
from viz.browser import chart
from viz.panels import Numbers, Question
from viz.panels import routes as panels
from viz.panels.panel import Start, unprinted
from viz.passes import sources
from viz.passes.loaded import Loaded, Models
from viz.server import http, room_routes
from viz.server.trainings import Trainings
from viz.server.view import View
from viz.tabs import TABS
from viz.tabs.base import site_of
from viz.tabs.generate import branches
from viz.tabs.learn.sections import train_now

DIGITS = "9" * 5_000  # more than Python converts to an int
VALUES: list[Any] = [None, True, -3, 1.0, 10**30, float("nan"), "", "x", "\ud800", [], [1], [[]], {}, {"a": [1]}]
VALUES += [DIGITS]
IN_A_PATH = ("x", "-1", "1.5", "99", "9" * 40, DIGITS, "null", "%00", "%ED%A0%80", "²")  # ² is a digit, and no number
KEY = "0" * 32
PANELS = {panel.name: panel for tab in TABS for panel in tab.panels}
SHIPPED = ("tiny-generator", "tiny-modern", "dates", "xl", "gpt", "bert", "classifier", "tiny-induction")
SNAPSHOT = explored("tiny-generator/step-000050")
WRITING = {"model": "tiny-generator", "text": "The cat", "seed": 3, "length": 1, "written": [32], "given": [80]}
WRITING |= {"temperature": 0.8, "top_k": 7, "top_p": 0.9, "pace": 30}


class Read(dict[str, Any]):
    """A request body that records which of its fields are read, and of the objects among them."""

    def __init__(self, given: dict[str, Any], names: set[str]) -> None:
        super().__init__({key: Read(each, names) if isinstance(each, dict) else each for key, each in given.items()})
        self.names = names

    def get(self, name: str, default: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        self.names.add(name)
        return super().get(name, default)

    def __getitem__(self, name: str) -> Any:
        self.names.add(name)
        return super().__getitem__(name)

    def __iter__(self) -> Iterator[str]:  # by which {**view} copies all
        self.names.update(super().__iter__())
        return super().__iter__()


@pytest.fixture(scope="module")
def read() -> set[str]:
    """Returns the fields read since it was cleared."""
    return set()


def narrow(loaded: Loaded) -> Loaded:
    """Returns a model with random weights and an eighth of the width: what it costs depends on no field's type."""
    config = replace(loaded.bundle.config, emb=loaded.bundle.config.emb // 8)
    model = type(loaded.bundle.model)(config).eval()
    return replace(loaded, bundle=replace(loaded.bundle, model=model, config=config))


def once(compute: Callable[..., Numbers]) -> Callable[..., Numbers]:
    """Returns `Question.compute`, which computes the same result once: many a wrong value is read as the usual one."""
    results: dict[tuple[Any, str], Numbers] = {}

    def computed(question: Question, models: Models, view: View, *start: Start) -> Numbers:
        arguments = question.arguments(models, view)
        key = question.function, repr({name: getattr(each, "name", each) for name, each in arguments.items()})
        if key not in results:
            results[key] = compute(question, models, view, *start)
        return results[key]

    return computed


@pytest.fixture(scope="module")
def server(read, classifier, bag) -> Iterator[FastAPI]:
    """Serves all routes except Gradio's own."""
    models = {name: sources.open_model(name) for name in SHIPPED} | {each.name: each for each in (classifier, bag)}
    models |= {name: narrow(models[name]) for name in ("gpt", "bert")}
    server, site, read_object = FastAPI(), site_of(models), http.read_object

    async def noting(*arguments: Any) -> dict[str, Any]:
        return Read(await read_object(*arguments), read)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(http, "read_object", noting)
        patched.setattr(Question, "compute", once(Question.compute))
        patched.setattr(Question, "lines", lambda *_: iter(()))  # their arguments were read before
        patched.setattr(train_now, "Trainings", partial(Trainings, program=(sys.executable, "-c", "")))
        patched.setattr(branches, "SEARCHED", 2)  # tokens of a beam: what they cost depends on no field's type
        room_routes.attach(server, site.shared)
        chart.attach(server)
        for tab in TABS:
            tab.routes(server, site)
        panels.attach(server, site.models, site.work, PANELS.values())
        yield server


def paths(server: FastAPI, *methods: str) -> list[str]:
    return [each.path for each in server.routes if isinstance(each, Route) and set(methods) & set(each.methods or ())]


def examples(server: FastAPI) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Returns a valid (method, path, body) for every route that reads a body."""
    yield "PUT", "/room/a", {"key": KEY, "view": "tab=mask"}
    yield "PUT", "/room/a/vote", {"voter": KEY, "question": "block", "choice": 1, "right": True}
    yield "POST", "/room/a/votes", {"key": KEY, "question": "block"}
    yield "POST", "/room/a/record", {"key": KEY}
    yield "DELETE", "/room/a", {"key": KEY}
    yield "POST", "/attention", {"model": "small-classifier", "text": "not a bad film", "edits": "0.1.off"}
    yield from (("POST", path, WRITING) for path in ("/write", "/written"))
    for name, panel in PANELS.items():
        for each_view in [*VIEWS[name], *([SNAPSHOT] if name == "overview" else [])]:
            actual = each_view | {"edits": []} if "edits" in each_view and name != "overview" else each_view
            requests = [
                question
                for question, each in panel.questions.items()
                if (each.asked or each.pieces) and (each.when is unprinted or each.when(actual))
            ]
            yield from (("POST", f"/ask/{name}/{question}", actual) for question in requests)
            yield "POST", f"/python/{name}", actual
    for path in paths(server, "POST"):
        if path.startswith(("/learn/", "/ask/learn-")):  # a section's code and check
            panel = PANELS[f"learn-{path.split('/')[2].removeprefix('learn-')}"]
            asked = panel.questions.get(path.rpartition("/")[2])
            views = [view for view in VIEWS[panel.name] if asked is None or asked.when(view)]
            yield from (("POST", path, view) for view in views or VIEWS[panel.name])  # `when` may be of printing alone


def changed(value: Any, names: set[str] | None = None) -> Iterator[Any]:
    """Yields the body with each field in `names`, nested ones included, replaced by each of VALUES or left out; what is
    in a list, with all its fields."""
    places = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for path in places:
        if names is None or path in names:
            for other in [*VALUES, *changed(value[path], names if isinstance(value[path], dict) else None)]:
                new = copy.copy(value)
                new[path] = other
                yield new
            new = copy.copy(value)
            del new[path]
            yield new


class Sender:
    """Sends requests, and records those that fail or whose refusal was logged as an error.

    They are given to the server as uvicorn gives them: a client would spend a fifth of the time of these thousands of
    requests.
    """

    def __init__(self, server: FastAPI, log: pytest.LogCaptureFixture) -> None:
        self.server, self.log = server, log
        self.failed: list[str] = []

    async def send(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        """Returns status and body of the answer."""
        self.log.clear()
        content = None if body is None else json.dumps(body)
        status, text = await self._answer(method, path, (content or "").encode())
        logged = [record.getMessage() for record in self.log.records if record.levelno >= logging.WARNING]
        if status >= 500 or logged:
            self.failed.append(f"{method} {path} {content} → {status} {logged}")
        return status, text

    async def _answer(self, method: str, path: str, content: bytes) -> tuple[int, bytes]:
        address, _, query = quote(path, safe="/%?=&").partition("?")
        scope = {
            **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http", "root_path": ""},
            **{"server": ("page", 80), "client": ("127.0.0.1", 123), "method": method},
            **{"path": unquote(address), "raw_path": address.encode(), "query_string": query.encode()},
            "headers": [(b"host", b"page"), (b"content-length", str(len(content)).encode())],
        }
        requests = [{"type": "http.request", "body": content, "more_body": False}]
        answered = asyncio.Event()
        status, parts = 500, []

        async def receive() -> dict[str, Any]:
            if requests:
                return requests.pop()
            await answered.wait()
            return {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                parts.append(message.get("body", b""))
                if not message.get("more_body"):
                    answered.set()

        with contextlib.suppress(Exception):  # of which the server has logged, and answered with, an error
            await self.server(scope, receive, send)
        return status, b"".join(parts)


def test_every_route_that_takes_a_body_has_an_example_here(server):
    known = {(method, path) for method, path, _ in examples(server)}
    for method in ("POST", "PUT", "DELETE"):
        for path in paths(server, method):
            pattern = re.compile(re.sub(r"\{\w+\}", "[^/]+", path))
            assert any(kind == method and pattern.fullmatch(each) for kind, each in known), f"{method} {path}"


def test_no_type_of_json_in_any_field_fails(server, read, caplog):
    tried: set[tuple[str, frozenset[str]]] = set()

    async def send_all() -> list[str]:
        sender = Sender(server, caplog)
        for method, path, body in examples(server):
            read.clear()
            status, text = await sender.send(method, path, body)
            assert status == 200, f"{method} {path} {body}: {text[:200]}"
            fields = path, frozenset(read)
            if fields not in tried:
                tried.add(fields)
                for other in list(changed(body, set(fields[1]))):
                    await sender.send(method, path, other)
        return sender.failed

    failed = run(send_all())
    assert not failed, "\n".join(failed[:20])


def test_nothing_in_an_address_fails(server, caplog):
    async def send_all() -> list[str]:
        sender = Sender(server, caplog)
        requests = {"model": "tiny-generator", "text": "The cat"}
        key = json.loads((await sender.send("POST", "/attention", requests))[1])["key"]
        usual = {"key": key, "name": "self", "layer": "1", "head": "2", "part": "k", "map": "self"}
        for path in paths(server, "GET"):
            names = re.findall(r"\{(\w+)\}", path)
            for name in (*names, "token", "rev"):
                for value in IN_A_PATH:
                    values = {each: usual.get(each, "1") for each in names} | {name: value}
                    query = "" if name in names else f"?{name}={value}"
                    await sender.send("GET", path.format_map(values) + query)
        return sender.failed

    failed = run(send_all())
    assert not failed, "\n".join(failed[:20])
