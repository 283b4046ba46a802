"""The changes that viz/gradio_adapter.py makes to Gradio, without a page."""

import socket
import time

import gradio as gr
import pytest
from starlette.middleware import Middleware

from tests.viz.loops import run
from viz.gradio_adapter import read_long_addresses, rest_queue
from viz.server.gateway import ADDRESS_LIMIT, Gateway


@pytest.mark.parametrize("polls", ["start_processing", "start_progress_updates"])
def test_the_queue_that_no_event_goes_through_hardly_looks_for_events(polls, monkeypatch):
    with gr.Blocks() as page:
        pass
    page.queue()
    pauses = []

    async def note(seconds):
        pauses.append(seconds)
        page._queue.stopped = True

    monkeypatch.setattr("gradio.queueing.asyncio.sleep", note)
    rest_queue(page)
    page._queue.stopped = False
    run(getattr(page._queue, polls)())
    assert pauses == [1.0]


def test_the_queue_forgets_old_calls():
    with gr.Blocks() as page:
        pass
    page.queue()
    rest_queue(page)
    calls = page._queue.pending_event_ids_session
    for i in range(5_000):
        calls[f"{i}"] = set()
    assert len(calls) == page._queue.pending_messages_per_session.max_size < 5_000
    assert "4999" in calls


@pytest.mark.parametrize(("length", "status"), [(ADDRESS_LIMIT - 2_000, 200), (ADDRESS_LIMIT + 1, 414), (900_000, 414)])
def test_a_long_address_is_answered_by_the_page_or_by_its_door_however_slowly_it_comes(served, length, status):
    head = f"GET /?text={'x' * (length - len('/text='))} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", served), timeout=30) as line:
        line.sendall(head[:20_000])  # more than h11 keeps by default of a head that is not whole
        time.sleep(0.2)
        line.sendall(head[20_000:])
        first = line.makefile("rb").readline()
    assert first.split()[1] == str(status).encode()


@pytest.fixture(scope="module")
def served():
    """Serves an empty page behind the middleware; yields its port."""
    with gr.Blocks(analytics_enabled=False) as page:
        pass
    page.launch(
        server_name="127.0.0.1",
        prevent_thread_lock=True,
        quiet=True,
        ssr_mode=False,
        run_history=False,
        app_kwargs={"middleware": [Middleware(Gateway, lambda: b"the server's")]},
    )
    read_long_addresses(page)
    yield page.server_port
    page.close()
