"""The page's scripts: native modules, served as they stand in viz, without a build.

GET /web/{version}/{path}    a script, its path below viz; the version is a hash of all scripts, so browsers keep them
GET /assets/{name}           a script or style of Gradio's own page, from memory: of the time until the first page is
                             there, Gradio takes more to read and compress some sixty of them than we for all of ours
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from viz import gradio_adapter
from viz.server import http

VIZ = Path(__file__).parents[1]
PATH = "/web/"
# JavaScript of the address that the page is mounted at. Without an origin Chrome may take that of another page, whose
# code of the same text it has kept compiled.
ROOT = r'location.origin + new URL(window.gradio_config?.root ?? "", location.href).pathname.replace(/\/$/, "")'
IMPORT = re.compile(rb'^(?:import|export) [^;]*?from "(\.[^"]+)";', re.MULTILINE)


@cache
def sources() -> dict[str, bytes]:
    """Each script, by its path below viz."""
    return {path.relative_to(VIZ).as_posix(): path.read_bytes() for path in sorted(VIZ.rglob("*.js"))}


@cache
def folder() -> str:
    """The address below which all of them are, without the path that the page is mounted at."""
    whole = hashlib.sha256()
    for name, source in sources().items():
        whole.update(f"{name} {len(source)} ".encode() + source)
    return f"{PATH}{whole.hexdigest()[:12]}/"


@cache
def packed(name: str) -> bytes:
    """A script, gzipped."""
    return gzip.compress(sources()[name], 9, mtime=0)


@cache
def asset(name: str) -> tuple[bytes, str] | None:
    """A script or style of Gradio's own page, gzipped, and its media type; None where there is no such file."""
    path = gradio_adapter.ASSETS / name
    media = {".js": "text/javascript", ".css": "text/css"}.get(path.suffix)
    return (
        (gzip.compress(path.read_bytes(), 9, mtime=0), media) if media and "/" not in name and path.is_file() else None
    )


def name_of(script: Path) -> str:
    """A script's path below viz, as addresses have it."""
    return script.relative_to(VIZ).as_posix()


def imported(script: Path) -> str:
    """An expression of JavaScript: a promise of what a script exports."""
    return f"import({ROOT} + {json.dumps(folder() + name_of(script))})"


def needed(scripts: Iterable[Path]) -> list[str]:
    """The names of scripts and of all that they import."""
    found: dict[str, None] = {}
    waiting = [name_of(script) for script in scripts]
    while waiting:
        if (name := waiting.pop(0)) not in found:
            found[name] = None
            for other in IMPORT.findall(sources()[name]):
                waiting.append(name_of((VIZ / name).parent.joinpath(other.decode()).resolve()))
    return list(found)


class Scripts:
    """ASGI middleware that serves them, ahead of all else."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        path = scope["path"] if scope["type"] == "http" else ""
        found = None
        if path.startswith(PATH):
            name = path.removeprefix(folder())
            found = (packed(name), "text/javascript") if name in sources() else None
            if not found:
                return await Response(status_code=404, headers=http.FRESH)(scope, receive, send)
        elif path.startswith(gradio_adapter.ASSETS_PATH) and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            found = asset(path.removeprefix(gradio_adapter.ASSETS_PATH))
        if not found:
            return await self._app(scope, receive, send)
        headers = {"Content-Encoding": "gzip"} | http.FOREVER
        await Response(found[0], 200, headers, found[1])(scope, receive, send)
