"""Everything that the page uses of Gradio beyond its documentation; tests/browser/page/test_gradio.py checks each
point.

In the browser the page also uses `window.gradio_config.root` (lib/base.js), and in style sheets the class names
.gradio-container, .main, .tabs, .tabitem, .block, .form, .column, .html-container, and in scripts .overflow-menu.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr
from fastapi import FastAPI, Request
from gradio.context import LocalContext
from gradio.routes import templates
from jinja2 import ChoiceLoader, DictLoader

ROUTES = "/gradio_api/"  # prefix of Gradio's own routes
ASSETS_PATH = "/assets/"  # and of the scripts and styles of its page, whose names contain a hash of their content
ASSETS = Path(gr.__file__).parent / "templates" / "frontend" / "assets"


# The timer of a sign that something is loading; at the end its component's `status`.
TIMER = re.compile(
    rb"(function (\w+)\(\)\{\w+\(\(\)=>\{\w+\(\w+,\(performance\.now\(\)-\w+\(\w+\)\)/1e3\),\w+&&)"
    rb"(\2\(\)\}\)\}.*?(\w+)\.status===`pending`)",
    re.DOTALL,
)


def asset(name: str) -> bytes:
    """Returns the bytes of a script or style of Gradio's page, with one change.

    Gradio hides its loading animation when the page is ready, but the animation's timer keeps running and takes 2 % of
    a core on an idle page. The change stops this timer.
    """
    return TIMER.sub(rb"\1\4.status===`pending`&&\3", (ASSETS / name).read_bytes())


def katex() -> dict[str, str]:
    """Returns the addresses of the KaTeX that comes with Gradio's Markdown: its style, and its module, whose default
    export sets the equations in an element.

    A Markdown component would load eight more files, for every tab, and show no equation before they have run.
    """
    wanted = {"script": "auto-render-*.js", "style": "katex-*.css"}
    # A Gradio that calls them otherwise still serves the page, with equations in LaTeX.
    assets = {name: next(ASSETS.glob(pattern), Path(pattern)) for name, pattern in wanted.items()}
    return {name: f"{ASSETS_PATH}{path.name}" for name, path in assets.items()}


# In Gradio's scripts: import(`./Blocks-D1GWYZdr.js`)…,__vite__mapDeps([0,1,2]), numbers of files in a list at the top.
LAZY = r"import\(`\./({}-[^`]+)`\).*?__vite__mapDeps\(\[([\d,]+)\]\)"
FILES = re.compile(r"m\.f=(\[.*?\])")


def preloads(types: Iterable[str]) -> list[str]:
    """Returns the addresses of the scripts and styles that Gradio's page loads to show components of these types.

    Gradio's scripts request these files in four steps, each after the files of the step before have run. If another
    version of Gradio is built differently, the result is empty and the page only loads more slowly.
    """
    files: dict[str, None] = {}

    def read(name: str, pattern: str) -> str:
        """Adds what a script's lazy import loads, and that import itself; returns its name."""
        source = (ASSETS / name).read_text(encoding="utf-8")
        listed, match = FILES.search(source), re.search(pattern, source, re.DOTALL)
        if not listed or not match:
            return name
        every = json.loads(listed[1])
        files.update((f"{ASSETS_PATH}{every[int(number)].removeprefix('./')}", None) for number in match[2].split(","))
        return match[1]

    if entry := re.search(r"assets/(index-[^\"]+\.js)", (ASSETS.parent / "index.html").read_text(encoding="utf-8")):
        core = read(entry[1], LAZY.format("core"))
        read(read(entry[1], LAZY.format("Index")), LAZY.format("Blocks"))
        for each in sorted(set(types)):
            read(core, rf"[,{{]{each}:{{[^{{}}]*?component:\(\)=>\w+\(\(\)=>{LAZY.format('[^`]+')}")
    return list(files)


def types_of(page: gr.Blocks) -> set[str]:
    """Returns the types of a page's components by the names in Gradio's scripts, such as "textbox"."""
    return {component["type"] for component in page.config["components"]} | {"state"}  # which Gradio adds


def component(script: str, value: Any, classes: Sequence[str]) -> gr.HTML:
    """Returns a part of the page that is drawn by a script.

    The part is not a subclass of gr.HTML, because Gradio writes a .pyi file into the source tree for each subclass. If
    the script contains an event's name in quotes, such as "edited", the component has a method of that name to add
    handlers. Gradio gives the CSS classes to two nested elements; the script's `element` is the inner one.

    Args:
        script: body of a JavaScript function (element, trigger, props, watch).
        value: initial value, which the script reads as props.value.
        classes: CSS classes.
    """
    return gr.HTML(
        value=value,
        html_template="",
        js_on_load=script,
        apply_default_css=False,
        elem_classes=list(classes),
    )


def api_button(label: str) -> gr.HTML:
    """Returns the button at the page's foot that opens Gradio's documentation of the API.

    Gradio's own footer has such a button, but in English alone; page.css hides it.
    """
    return gr.HTML(
        f'<button type="button" class="f-link">{label}</button>',
        js_on_load="element.firstElementChild.onclick = () => document.querySelector('footer .show-api').click()",
        apply_default_css=False,
        elem_classes="page-foot",
    )


def select_tab_on(event: Any, tabs: gr.Tabs, name: str) -> None:
    """Makes an event select a tab, without a request to Python; `name` is a JavaScript function that returns the tab's
    name.

    It sends Gradio's own update message. A click on the tab would not do, because tabs that do not fit are in a menu.
    """
    event(None, None, tabs, js=f"async () => ({{ __type__: 'update', selected: await ({name})() }})")


def run_when_selected(tab: gr.Tab, script: str) -> None:
    """Runs a script whenever a tab is selected."""
    tab.select(None, js=script)


PAGE = "frontend/index.html"  # Gradio's template of the page
LOADER = templates.env.loader
SCRIPT = '<script type="module"'  # begins its own script there, after window.gradio_config


def put_into_head(html: str) -> None:
    """Adds HTML to the head of the page, before Gradio's script, for the pages of this process.

    With `launch(head=...)`, Gradio's script would add the HTML only after it and its first twenty files have run.
    """
    assert LOADER
    before, script, after = LOADER.get_source(templates.env, PAGE)[0].partition(SCRIPT)
    assert script, "Gradio's page has changed"
    page = f"{before}{{% raw %}}{html}{{% endraw %}}{script}{after}"
    templates.env.loader = ChoiceLoader([DictLoader({PAGE: page}), LOADER])


def show_layout_of(fresh: gr.Blocks, page: gr.Blocks) -> None:
    """Gives a launched page the layout of `fresh`, for visitors who load it from now on.

    Both must have the same events in the same order, because `page` still handles the events, by their numbers. The
    parameters of its API's endpoints stay components, because Gradio describes the API by them.
    """
    old: Any = page.config
    new: Any = fresh.get_config_file()
    parameters = [each for each in old["components"] if each["type"] == "api" and each["id"] in page.blocks]
    parts = {name: new[name] for name in ("dependencies", "layout", "page")}
    old.update(parts | {"components": [*new["components"], *parameters]})  # at once: a page may be loading


HEAD_LIMIT = 1 << 20  # bytes of a request's first line and headers


def read_long_addresses(page: gr.Blocks) -> None:
    """Raises the limit of a request's head to `HEAD_LIMIT` bytes in the server of a launched page.

    By default h11 refuses a head of more than 16 kB, but only if it arrives in several packets, so a long link would
    work on this machine and fail over a slower connection.
    """
    page.server.config.h11_max_incomplete_event_size = HEAD_LIMIT


def rest_queue(page: gr.Blocks) -> None:
    """Makes Gradio's queue, which the page does not use, poll once a second instead of a thousand times, and forget
    old calls.

    Polling took 6 % of a core on an idle server. Of the two tables of calls by session, which a call is added to at the
    same time, Gradio bounds one only.
    """
    bounded: Any = page._queue.pending_messages_per_session
    page._queue.pending_event_ids_session = type(bounded)(bounded.max_size)
    page._queue.sleep_when_free = page._queue.progress_update_sleep_when_free = 1.0


READ_WITHIN = 30  # seconds within which a client must read what Gradio's queue holds for it


@dataclass
class Caller:
    """The client that called an endpoint: its own request waits for the answer, or it reads the answer from Gradio's
    queue."""

    request: Request

    async def is_disconnected(self) -> bool:
        """Returns whether the client has disconnected: closed its request, or the stream from which it reads a queued
        call."""
        if LocalContext.event_id.get(None) is None:
            return await self.request.is_disconnected()
        return (call := _queued_call()) is not None and not call[1].alive

    async def listens(self) -> bool:
        """Waits until the client has read all that Gradio's queue holds for it; returns False if it does not within
        `READ_WITHIN` seconds.

        The queue keeps what nobody reads, and an answer may have megabytes: so a client must read before it is made.
        """
        if (call := _queued_call()) is None:
            return True
        queue, event = call
        session, end = event.session_hash, time.monotonic() + READ_WITHIN
        while (messages := queue.pending_messages_per_session.get(session)) is not None and event.alive:
            if messages.empty():
                return True
            if time.monotonic() > end:
                break
            await asyncio.sleep(0.05)
        event.alive = False  # so the queue adds no messages
        calls = queue.pending_event_ids_session.get(session, set())
        calls.discard(event._id)
        if not calls:
            queue.pending_event_ids_session.pop(session, None)
            queue.pending_messages_per_session.pop(session, None)
        return False


def _queued_call() -> tuple[Any, Any] | None:
    """Returns Gradio's queue, and the queue's record of the call that is being answered; None for a direct call."""
    if (blocks := LocalContext.blocks.get(None)) is None:
        return None
    event = blocks._queue.event_ids_to_events.get(LocalContext.event_id.get(None) or "")
    return event and (blocks._queue, event)


@contextlib.contextmanager
def routes_before_gradio(server: FastAPI) -> Iterator[None]:
    """Context manager: routes added inside it are tried before Gradio's, so that a request of the page is not compared
    with Gradio's first."""
    routes = server.router.routes
    count = len(routes)
    yield
    routes[:] = [*routes[count:], *routes[:count]]
