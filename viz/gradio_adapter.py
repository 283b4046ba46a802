"""What the page relies on in Gradio beyond what its documentation promises."""

from __future__ import annotations

from typing import Any

ROUTES = "/gradio_api/"  # where Gradio's own routes are
EVENTS = "/gradio_api/run/"  # the one that DIRECT events are sent to

# How the page's events ask Python: a request, and its answer. Never through Gradio's queue, whose answers come on a
# stream that the server closes when none is due: an event that joins the queue just then is never answered, for the
# page takes the stream for open; and a page that is left while it is open reports an error.
DIRECT: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
