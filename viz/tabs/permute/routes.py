"""The routes of tab Word order.

GET  /positions/{key}          a table of position vectors (`positions.tables`)
GET  /positions/{key}/chart    the chart of one position's similarity with the others (`positions.Table.chart`)
"""

from __future__ import annotations

from fastapi import FastAPI, HTTPException, Response
from fastapi.responses import JSONResponse

from viz.server import http
from viz.tabs.base import Site
from viz.tabs.permute.material import find
from viz.tabs.permute.positions import Table


def attach(server: FastAPI, site: Site) -> None:
    """Adds the routes of position vectors to the server that serves the page."""
    material = site.once(find)
    tables = {table.key: table for table in material.tables}

    def held(key: str) -> Table:
        if key not in tables:
            raise HTTPException(404)
        return tables[key]

    @server.get("/positions/{key}")
    async def table(key: str) -> Response:
        return Response(held(key).body, media_type=http.BINARY, headers={"Content-Encoding": "gzip"} | http.FOREVER)

    @server.get("/positions/{key}/chart")
    def chart(key: str) -> JSONResponse:
        return JSONResponse(held(key).chart(), headers=http.FOREVER)
