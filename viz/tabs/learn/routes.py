"""The routes of tab Learn.

GET  /learn/{section}.json          the data for the section's script
GET  /learn/{section}/code          the source of the functions that compute it
POST /learn/{section}/values        the tensors of a view, by their names in the code
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from fastapi import FastAPI, Request, Response

from viz.panels.panel import plain
from viz.panels.source import source
from viz.passes.loaded import Models
from viz.passes.run import digest
from viz.server import http, work
from viz.server.view import View
from viz.tabs.base import Site
from viz.tabs.learn.section import Section
from viz.tabs.learn.sections import available_sections

SHOWN = 12  # rows, and numbers of a row, to send


def values(section: Section, models: Models, view: View) -> dict[str, Any]:
    """Returns the tensors of a view: {"tensors": [{"name", "shape", "rows"}]}, with each tensor's first rows and, of
    these, the first numbers.

    Raises:
        Refusal: an invalid view.
    """
    result = section.tensors(models, view)
    return {
        "tensors": [
            {
                "name": name,
                "shape": list(tensor.shape),
                "rows": plain(tensor.reshape(-1, tensor.shape[-1])[:SHOWN, :SHOWN]),
            }
            for name, tensor in result.items()
        ]
    }


def props(section: Section, models: Models) -> bytes:
    """Returns the data for a section's script, as JSON."""
    return json.dumps(section.props(models), ensure_ascii=False).encode()


def attach(server: FastAPI, site: Site) -> None:
    """Adds the routes of all sections to the server that serves the page."""
    models = site.models

    def serve(section: Section) -> None:
        path = f"/learn/{section.name}.json"

        @server.get(path)
        @http.refusals_as_json
        async def read_props(request: Request) -> Response:
            key = digest(path, {name: each.fingerprint for name, each in models.items()})  # one may arrive meanwhile
            body = await site.work.whole(key, partial(props, section, models), request)
            return Response(body, media_type="application/json", headers=http.FRESH)

        @server.get(f"/learn/{section.name}/code")
        async def code() -> dict[str, Any]:
            return {"functions": [source(function) for function in section.code]}

        work.attach(server, site.work, {f"/learn/{section.name}/values": partial(values, section, models)})

    for section in site.once(available_sections):
        section.routes(server, site)
        serve(section)
