"""What viz/gradio_adapter.py changes in Gradio without a page."""

import gradio as gr
import pytest

from tests.viz.loops import run
from viz.gradio_adapter import rest_queue


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
