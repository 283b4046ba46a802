"""Tab Permute: move the words, and see which outputs merely move with them.

The parts of the tab share `former.permuting` in the browser (`viz/components/lib/permuting.js`).

    POST /permute            a text in two orders (`permuting.answer`)
    GET  /positions/{key}    a table of position vectors (`positions.tables`)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr
from fastapi import FastAPI, HTTPException, Response

from viz import permuting, positions, questions, routes
from viz.components import lesson, part
from viz.passes import Models


@dataclass(frozen=True)
class Material:
    """What the tab is about."""

    subject: permuting.Subject | None
    tables: list[positions.Table]


def find(models: Models) -> Material:
    """The tab's classifiers, and its vectors of positions; once, for they take a while to pack."""
    subject = permuting.find(models)
    return Material(subject, positions.tables(models, subject))


def attach(server: FastAPI, material: Material, asked: questions.Questions) -> None:
    """The routes."""
    questions.attach(server, asked, {"/permute": partial(permuting.answer, material.subject)})
    held = {table.key: table.body for table in material.tables}

    @server.get("/positions/{key}")
    async def table(key: str) -> Response:
        if key not in held:
            raise HTTPException(404)
        return Response(held[key], media_type=routes.BINARY, headers={"Content-Encoding": "gzip"} | routes.FOREVER)


def render(material: Material) -> None:
    """Lays out the tab."""
    lesson("permute")
    part("permute_controls", first_view(material))
    part("word_order")
    with gr.Row(elem_classes="permute-main"):
        part("permutation")
        part("equivariance")
        part("moved_rows")
    part("verdicts")
    part("position_maps", [table.describe() for table in material.tables])


def first_view(material: Material) -> dict[str, Any]:
    """What the tab shows without a link, and what there is to choose from."""
    subject, tables = material.subject, [table.name for table in material.tables]
    pairs = permuting.pairs(subject) if subject else []
    first = pairs[0] if pairs else {"text": "", "order": permuting.AS_TYPED}
    return {
        "initial": {"text": first["text"], "order": first["order"], "table": tables[0] if tables else ""},
        "pairs": pairs,
        "kinds": list(subject.kinds) if subject else list(permuting.POSITIONS),
        "tables": tables or [""],
        "emb": subject.loaded.bundle.config.emb if subject else 0,
    }
