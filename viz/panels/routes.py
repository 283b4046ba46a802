"""The routes of all panels.

POST /ask/{panel}/{question}   takes a view, returns the question's result, or streams its pieces as lines of JSON
POST /python/{panel}           takes a view, returns {"code": the program that computes its numbers}
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial

from fastapi import FastAPI, HTTPException, Request, Response

from viz.panels.panel import Panel, Question, Start
from viz.panels.writer import program
from viz.passes.loaded import Models
from viz.passes.run import RunRequest, digest
from viz.server import http, work


def attach(
    server: FastAPI, models: Models, turns: work.Work, panels: Iterable[Panel], start: Start = RunRequest.run
) -> None:
    """Adds the routes of all panels to the server that serves the page; `turns` computes the answers, and `start` runs
    a `RunRequest`."""
    served = {panel.name: panel for panel in panels if panel.offered(models)}
    questions = {
        f"/ask/{panel.name}/{name}": partial(question.answer, models, start=start)
        for panel in served.values()
        for name, question in panel.questions.items()
        if question.asked
    }
    work.attach(server, turns, questions)

    def stream(path: str, question: Question) -> None:
        @server.post(path)
        @http.refusals_as_json
        async def ask(request: Request) -> Response:
            view, listener = await http.read_object(request), work.Listener()
            arguments = await turns.turn(request, question.arguments, models, view)
            pieces = await turns.stream(digest(path, view), partial(question.lines, arguments, start), listener)
            return http.StreamResponse(pieces, http.LINES, listener.leave)

    for panel in served.values():
        for name, question in panel.questions.items():
            if question.pieces:
                stream(f"/ask/{panel.name}/{name}", question)

    @server.post("/python/{name}")
    @http.refusals_as_json
    async def python(name: str, request: Request) -> Response:
        if name not in served:
            raise HTTPException(404)
        view = await http.read_object(request)
        code = await turns.turn(request, program, served[name], models, view)  # readers may be slow
        return Response(json.dumps({"code": code}), headers=http.FRESH, media_type="application/json")
