"""The language of a visitor's page, chosen in the browser before Gradio lays out the page, so that labels are right.

A page loads only the messages of its own language.

GET /text/{language}-{version}.json   its messages; `version` is a hash of them
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import gradio as gr
from fastapi import FastAPI, Response

from viz.server import http
from viz.text import LANGUAGES, in_words, message, note

SCRIPT = Path(__file__).parent / "head" / "language.js"
LABEL = re.compile("⟦(.*?)⟧")  # JSON escapes these brackets


def label(key: str, /, **values: Any) -> str:
    """Returns a placeholder for a component's label, choice or value; the page shows it in the visitor's language."""
    return f"⟦{json.dumps(note(key, **values))}⟧"


def labels(page: gr.Blocks) -> list[str]:
    """Returns the messages of all labels of a page, each as the JSON of a note: a key of `viz.text` and its values."""

    def texts(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list | tuple):
            for each in value.values() if isinstance(value, dict) else value:
                yield from texts(each)

    props = (component["props"] for component in page.config["components"])
    return list(dict.fromkeys(match for each in props for text in texts(each) for match in LABEL.findall(text)))


@cache
def _file(language: str) -> tuple[str, bytes]:
    """Returns the path of a language's messages, and the messages as gzipped JSON."""
    messages = json.dumps(LANGUAGES[language], ensure_ascii=False).encode()
    return f"/text/{language}-{hashlib.sha256(messages).hexdigest()[:12]}.json", gzip.compress(messages, mtime=0)


def head(page: gr.Blocks) -> str:
    """Returns the script for the page's head that chooses the language and fills in the labels."""
    notes = labels(page)
    languages = {
        name: {
            "name": message("language_name", name),
            "file": _file(name)[0],
            "labels": {each: in_words(json.loads(each), name) for each in notes},
        }
        for name in LANGUAGES
    }
    settings = json.dumps(languages, ensure_ascii=False).replace("<", "\\u003c")
    return f"<script>window.formerLanguages = {settings};\n{SCRIPT.read_text(encoding='utf-8')}</script>"


def attach(server: FastAPI) -> None:
    """Adds the route of each language's messages to the server that serves the page."""

    def serve(path: str, content: bytes) -> None:
        @server.get(path)
        def messages() -> Response:
            return Response(content, media_type="application/json", headers=http.GZIPPED | http.FOREVER)

    for language in LANGUAGES:
        serve(*_file(language))
