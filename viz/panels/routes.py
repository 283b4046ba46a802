"""The routes of all panels.

POST /ask/{panel}/{question}   takes a view, returns the question's result
POST /python/{panel}           takes a view, returns {"code": the program that computes its numbers}
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial

from fastapi import FastAPI, HTTPException, Request, Response

from viz.panels.panel import Panel, Start
from viz.panels.writer import program
from viz.passes.loaded import Models
from viz.passes.run import RunRequest
from viz.server import http, work


def attach(
    server: FastAPI, models: Models, turns: work.Work, panels: Iterable[Panel], start: Start = RunRequest.run
) -> None:
    """Adds the routes to the server that serves the page; `start` runs a question's texts."""
    served = {panel.name: panel for panel in panels if panel.offered(models)}
    questions = {
        f"/ask/{panel.name}/{name}": partial(question.answer, models, start=start)
        for panel in served.values()
        for name, question in panel.questions.items()
        if question.asked
    }
    work.attach(server, turns, questions)

    @server.post("/python/{name}")
    @http.answers
    async def python(name: str, request: Request) -> Response:
        if name not in served:
            raise HTTPException(404)
        view = await http.read_object(request)
        code = await turns.turn(request, program, served[name], models, view)  # readers may be slow
        return Response(json.dumps({"code": code}), headers=http.FRESH, media_type="application/json")
