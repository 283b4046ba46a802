"""The routes of tab Permute.

POST /permute            a text in two orders (`permuting.answer`)
GET  /positions/{key}    a table of position vectors (`positions.tables`)
"""

from __future__ import annotations

from functools import partial

from fastapi import FastAPI, HTTPException, Response

from viz.server import http, work
from viz.tabs.base import Site
from viz.tabs.permute import permuting
from viz.tabs.permute.material import find


def attach(server: FastAPI, site: Site) -> None:
    """Adds them to the server that serves the page."""
    material = site.once(find)
    work.attach(server, site.work, {"/permute": partial(permuting.answer, material.subject)})
    held = {table.key: table.body for table in material.tables}

    @server.get("/positions/{key}")
    async def table(key: str) -> Response:
        if key not in held:
            raise HTTPException(404)
        return Response(held[key], media_type=http.BINARY, headers={"Content-Encoding": "gzip"} | http.FOREVER)
