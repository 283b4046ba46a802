"""What the page relies on in Gradio beyond what its documentation promises; tests/browser/test_gradio.py holds each.

In the browser: `window.gradio_config.root` (lib/base.js), and in style sheets the class names .gradio-container, .main,
.tabs, .tabitem, .block, .form, .column, .html-container.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import gradio as gr
from fastapi import FastAPI

ROUTES = "/gradio_api/"  # where Gradio's own routes are


def component(script: str, value: Any, classes: Sequence[str], **options: Any) -> gr.HTML:
    """A part of the page that `script` draws: the body of a function (element, trigger, props, watch).

    Not a subclass of gr.HTML: for each of those Gradio writes a .pyi file into the source tree. An event that the
    script triggers is the attribute of its name, where that name stands in quotes in the script. Gradio gives the
    classes to two elements, of which the script's `element` is the inner one.
    """
    return gr.HTML(
        value=value,
        html_template="",
        js_on_load=script,
        apply_default_css=False,
        elem_classes=list(classes),
        **options,
    )


def selects(tabs: gr.Tabs, event: Any, asked: str) -> None:
    """Lets an event bring a tab to the front, without asking Python; `asked` is its name, as JavaScript.

    By what Gradio itself sends to change a component, not by a click on the tab: where tabs do not fit, Gradio keeps
    them in a menu.
    """
    event(None, None, tabs, js=f"() => ({{ __type__: 'update', selected: {asked} }})")


def tells(tab: gr.Tab, script: str) -> None:
    """Runs a script when a tab has come to the front, however it did."""
    tab.select(None, js=script)


HEAD_LIMIT = 1 << 20  # bytes of a request's first line and headers


def read_long_addresses(page: gr.Blocks) -> None:
    """Lets the server of a launched page read heads of `HEAD_LIMIT` bytes, so that `Door` can answer.

    By default h11 gives up at 16 kB, wherever the head does not arrive at once: a link that opens here does not open
    over a slower line.
    """
    page.server.config.h11_max_incomplete_event_size = HEAD_LIMIT


def rest_queue(page: gr.Blocks) -> None:
    """Lets Gradio's queue, which no event goes through, look for events once a second and not a thousand times.

    A server that nobody used took 6 % of a core for it.
    """
    page._queue.sleep_when_free = page._queue.progress_update_sleep_when_free = 1.0


@contextlib.contextmanager
def ahead(server: FastAPI) -> Iterator[None]:
    """Puts the routes that are added meanwhile before Gradio's, so that a request is not compared with those first."""
    routes = server.router.routes
    known = len(routes)
    yield
    routes[:] = [*routes[known:], *routes[:known]]
