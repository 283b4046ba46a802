"""Charts on the page: a figure of `viz.figures` in both themes, and plotly.js from the installed package.

GET /plotly-{version}.js   the script, which `lib/chart.js` asks for when the first chart comes into view
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import plotly.graph_objects as go
from fastapi import FastAPI, Response
from plotly.offline import get_plotlyjs, get_plotlyjs_version

from viz.figures.frame import THEMES
from viz.server import http

SCRIPT = f"/plotly-{get_plotlyjs_version()}.js"


def themed(make: Callable[[str], go.Figure]) -> dict[str, Any]:
    """make(theme) in each theme, as JSON values for the browser's chart."""
    return {theme: json.loads(make(theme).to_json() or "") for theme in THEMES}


@cache
def script() -> bytes:
    """plotly.js, gzipped: 4.8 MB become 1.4; once, when it is first asked for."""
    return gzip.compress(get_plotlyjs().encode(), 6, mtime=0)


def attach(server: FastAPI) -> None:
    """Adds the route to the server that serves the page."""

    @server.get(SCRIPT)
    def plotly() -> Response:
        return Response(script(), media_type="text/javascript", headers={"Content-Encoding": "gzip"} | http.FOREVER)
