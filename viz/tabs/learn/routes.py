"""The routes of tab Learn.

GET  /learn/{section}.js            the section's script, with what it is given
GET  /learn/{section}/code          the source of the functions that compute it
POST /learn/{section}/values        the tensors of a view, by the names that they have in the code
POST /learn/{section}/{question}    what the section's script asks
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Response

from viz.passes.loaded import Models
from viz.server import http, work
from viz.server.view import View
from viz.tabs.base import Site
from viz.tabs.learn.section import Section
from viz.tabs.learn.sections import standing

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SHOWN = 12  # numbers of a row, and rows, that are written out


def source(function: Callable[..., Any]) -> dict[str, Any]:
    """A function's source, read from its file: "name", "file", "line", "text"."""
    function = inspect.unwrap(function)  # a decorator, such as torch.no_grad, stands in another file
    lines, first = inspect.getsourcelines(function)
    file = Path(inspect.getsourcefile(function) or "").resolve()
    return {
        "name": function.__qualname__,
        "file": file.relative_to(ROOT).as_posix(),
        "line": first,
        "text": inspect.cleandoc("".join(lines)) if lines[0].startswith(" ") else "".join(lines),
    }


def values(section: Section, models: Models, view: View) -> dict[str, Any]:
    """The tensors of a view: {"tensors": [{"name", "shape", "rows"}]}, of which the first rows and numbers are sent.

    Raises:
        Refusal: a view that is none.
    """
    found = section.values(models, view)
    return {
        "tensors": [
            {
                "name": name,
                "shape": list(tensor.shape),
                "rows": tensor.reshape(-1, tensor.shape[-1])[:SHOWN, :SHOWN].tolist(),
            }
            for name, tensor in found.items()
        ]
    }


def script(section: Section, models: Models) -> str:
    """The section's script, as a call that hands it to the page."""
    text = (HERE / "sections" / f"{section.name.replace('-', '_')}.js").read_text(encoding="utf-8")
    props = json.dumps(section.opening(models), ensure_ascii=False)
    return f"former.learn.arrived({json.dumps(section.name)}, {props}, (section, props) => {{\n{text}\n}});\n"


def attach(server: FastAPI, site: Site) -> None:
    """Adds them to the server that serves the page."""
    models = site.models

    def serve(section: Section) -> None:
        written = cache(partial(script, section, models))

        @server.get(f"/learn/{section.name}.js")
        async def drawn() -> Response:
            return Response(await site.work.turn(written), media_type="text/javascript", headers=http.FRESH)

        @server.get(f"/learn/{section.name}/code")
        async def code() -> dict[str, Any]:
            return {"functions": [source(function) for function in section.code]}

        questions = {"values": partial(values, section), **section.answers}
        paths = {f"/learn/{section.name}/{question}": partial(answer, models) for question, answer in questions.items()}
        work.attach(server, site.work, paths)

    for section in site.once(standing):
        section.routes(server, site)
        serve(section)
