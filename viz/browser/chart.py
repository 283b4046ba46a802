"""Serves plotly.js for the page's charts, from the installed package.

GET /plotly-{version}.js   the script, loaded by `lib/chart.js` when the first chart comes into view
"""

from __future__ import annotations

import gzip
from functools import cache

from fastapi import FastAPI, Response
from plotly.offline import get_plotlyjs, get_plotlyjs_version

from viz.server import http

SCRIPT = f"/plotly-{get_plotlyjs_version()}.js"


@cache
def script() -> bytes:
    """Returns plotly.js, gzipped from 4.8 MB to 1.4 MB; compressed once, at the first call."""
    return gzip.compress(get_plotlyjs().encode(), 6, mtime=0)


def attach(server: FastAPI) -> None:
    """Adds the route of plotly.js to the server that serves the page."""

    @server.get(SCRIPT)
    def plotly() -> Response:
        return Response(script(), media_type="text/javascript", headers=http.GZIPPED | http.FOREVER)
