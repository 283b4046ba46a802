"""The route of tab Word order.

GET  /positions/{key}    a table of position vectors (`positions.tables`)
"""

from __future__ import annotations

from fastapi import FastAPI, HTTPException, Response

from viz.server import http
from viz.tabs.base import Site
from viz.tabs.permute import positions


def attach(server: FastAPI, site: Site) -> None:
    """Adds the route of position vectors to the server that serves the page."""
    bodies = {table.key: table.body for table in site.once(positions.tables)}

    @server.get("/positions/{key}")
    async def table(key: str) -> Response:
        if key not in bodies:
            raise HTTPException(404)
        return Response(bodies[key], media_type=http.BINARY, headers=http.GZIPPED | http.FOREVER)
