"""Serves the page's scripts and styles, as they are in viz, without a build.

GET /web/{version}/{path}    a script by its path below viz; browsers cache it, as the version is a hash of all of these
GET /web/{version}/page.css  all styles of the page
GET /assets/{name}           a script or style of Gradio's own page, from memory; Gradio itself would read and compress
                             some sixty of these for each page, which takes longer than loading all of our scripts
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from viz import gradio_adapter, style
from viz.server import http

VIZ = Path(__file__).parents[1]
PATH = "/web/"
STYLES = "page.css"  # in the folder of the scripts
AROUND = VIZ / "browser" / "lib" / "class.css"  # what is outside Gradio's container, or reaches over it
PAPER = VIZ / "browser" / "paper" / "paper.css"  # a style sheet of its own, for print alone
# JavaScript of the address that the page is mounted at. Without an origin Chrome may take that of another page, whose
# code of the same text it has kept compiled.
ROOT = r'location.origin + new URL(window.gradio_config?.root ?? "", location.href).pathname.replace(/\/$/, "")'
IMPORT = re.compile(rb'^(?:import|export) (?:[^;]*?from )?"(\.[^"]+)";', re.MULTILINE)


def styles() -> str:
    """Returns the page's styles: palette, those around Gradio's container, shared ones, then those of each tab.

    `launch(css=...)` would have the browser parse them in a script and write every rule twice, which delayed the first
    page by a tenth of a second. Like it, this raises the specificity of each rule, because Gradio's styles load later.
    """
    rooms = [VIZ / "browser", *sorted(path for path in (VIZ / "tabs").iterdir() if path.is_dir())]
    files = (
        path
        for room in rooms
        for path in sorted(room.rglob("*.css"), key=lambda path: (path.name != "page.css", path.name))
        if path not in (AROUND, PAPER)
    )
    inside = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return f"{style.css()}{AROUND.read_text(encoding='utf-8')}:root:root:root {{\n{inside}}}\n"


@cache
def sources() -> dict[str, bytes]:
    """Reads all scripts; returns their texts by their path below viz, and all styles under the name `STYLES`."""
    scripts = {path.relative_to(VIZ).as_posix(): path.read_bytes() for path in sorted(VIZ.rglob("*.js"))}
    return scripts | {STYLES: styles().encode()}


@cache
def folder() -> str:
    """Returns the address of the folder of scripts and styles, without the path at which the page is mounted."""
    whole = hashlib.sha256()
    for name, source in sources().items():
        whole.update(f"{name} {len(source)} ".encode() + source)
    return f"{PATH}{whole.hexdigest()[:12]}/"


@cache
def packed(name: str) -> bytes:
    """Returns the text of the script called `name`, gzipped."""
    return gzip.compress(sources()[name], 9, mtime=0)


@cache
def assets() -> dict[str, str]:
    """Returns the media type of each script and style of Gradio's own page, by its name."""
    types = {".js": "text/javascript", ".css": "text/css"}
    return {path.name: types[path.suffix] for path in gradio_adapter.ASSETS.iterdir() if path.suffix in types}


@cache
def asset(name: str) -> bytes:
    """Returns one of `assets`, gzipped."""
    return gzip.compress(gradio_adapter.asset(name), 9, mtime=0)


def name_of(script: Path) -> str:
    """Returns a script's path below viz, which is its name in addresses."""
    return script.relative_to(VIZ).as_posix()


def imported(script: Path) -> str:
    """Returns a JavaScript expression: a promise of a script's exports, imported once the page's messages are loaded.

    The modules do not await the messages themselves, because in WebKit an import can resolve before a module with a
    top-level await has run, and the page stays empty.
    """
    return f"window.formerMessages.then(() => import({ROOT} + {json.dumps(folder() + name_of(script))}))"


def needed(scripts: Iterable[Path]) -> list[str]:
    """Returns the names of `scripts` and of all scripts that these import, directly or not."""
    values: dict[str, None] = {}
    waiting = [name_of(script) for script in scripts]
    while waiting:
        if (name := waiting.pop(0)) not in values:
            values[name] = None
            for other in IMPORT.findall(sources()[name]):
                waiting.append(name_of((VIZ / name).parent.joinpath(other.decode()).resolve()))
    return list(values)


class Scripts:
    """ASGI middleware that serves the scripts, before all other routes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        path = scope["path"] if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") else ""
        result = None
        if path.startswith(PATH):
            name = path.removeprefix(folder())
            result = (packed(name), "text/css" if name == STYLES else "text/javascript") if name in sources() else None
            if not result:
                return await Response(status_code=404, headers=http.FRESH)(scope, receive, send)
        elif path.startswith(gradio_adapter.ASSETS_PATH) and http.takes_gzip(scope):
            name = path.removeprefix(gradio_adapter.ASSETS_PATH)
            result = (asset(name), assets()[name]) if name in assets() else None
        if not result:
            return await self._app(scope, receive, send)
        headers = http.GZIPPED | http.FOREVER | {"Vary": "Accept-Encoding"}
        await Response(result[0], 200, headers, result[1])(scope, receive, send)
