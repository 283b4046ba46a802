"""Section "Sparse": which cells a pattern computes, what it reaches layer by layer, what it takes beside dense ways.

Sizes: t tokens, h heads, s size of one head.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import torch
from torch import Tensor

import former
from former import masks, sparse
from former.checkpoints import CHECKPOINTS
from viz import figures
from viz.browser import chart
from viz.passes.loaded import Models
from viz.server.view import View, read_choice, read_index
from viz.tabs.learn.section import Section
from viz.tabs.python import IMPORTS
from viz.text import Refusal

MEASURED = CHECKPOINTS / "family" / "sparse.json"  # by `python -m tests.bench.sparse --file`
SHOWS = ("pattern", "time", "memory")
NUMBERS = {"time": "milliseconds", "memory": "megabytes"}  # of the record
CHARTED = ("strided", "fixed", "fused, causal")  # the ways that were measured at every length
LAYERS = 8
LIMITS = {"t": 64, "size": 32}
OPENS = {"t": 36, "size": 6}
LONG = 16_384  # tokens, of the measured lengths the largest


@cache
def measured() -> dict[str, Any]:
    """Time and memory of each way, measured beforehand."""
    return json.loads(MEASURED.read_text(encoding="utf-8"))


def by_length(record: Mapping[str, Any], show: str, theme: str = "light") -> Any:
    """The record as a line for each of `CHARTED`, from the first length at which all have a number above 0."""
    lines = {name: record["ways"][name][NUMBERS[show]] for name in CHARTED}
    first = next(i for i, numbers in enumerate(zip(*lines.values(), strict=True)) if min(numbers) > 0)
    shown = {name: line[first:] for name, line in lines.items()}
    return figures.by_size(record["lengths"][first:], shown, log=True, axes=("tokens", NUMBERS[show]), theme=theme)


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with, its limits, and what was measured."""
    del models
    record = measured()
    return {
        **OPENS,
        "kinds": sparse.KINDS,
        "limits": LIMITS,
        "layers": LAYERS,
        "charted": CHARTED,
        "measured": record,
        "cells": {kind: masks.count(kind, LONG, round(LONG**0.5)) for kind in ("strided", "fixed", "causal")},
        "charts": {
            show: chart.themed(lambda theme, show=show: by_length(record, show, theme=theme)) for show in NUMBERS
        },
    }


def read(view: View) -> tuple[str, int, int]:
    """The pattern of a view, and its numbers of tokens and of its stride.

    Raises:
        Refusal: numbers out of their limits.
    """
    t, size = (read_index(view, name, most + 1) for name, most in LIMITS.items())
    if t < 2 or not size:
        raise Refusal("bad_request")
    return read_choice(view, "kind", sparse.KINDS), t, size


def tensors(kind: str, t: int, size: int) -> dict[str, Tensor]:
    """ "needs" (t, t), after how many layers an output can depend on an input, LAYERS + 1 where more are needed; "out"
    (h, t, s) of random queries, keys and values, and "dense", the same under the mask."""
    mask = masks.named(kind, t, size)
    needs = LAYERS + 1 - masks.reach(mask, LAYERS).long().sum(0)
    q, k, v = torch.randn(3, 1, 2, t, 8, generator=torch.Generator().manual_seed(0))
    out, dense = sparse.attend(q, k, v, kind, size), former.attend(q, k, v, mask=mask)
    return {"needs": needs.float(), "out": out[0], "dense": dense[0]}


@torch.inference_mode()
def patterned(models: Models, view: View) -> dict[str, Any]:
    """A pattern and what it reaches.

    Args:
        models: none is used.
        view: "kind", "t" and "size".
    Returns:
        "needs", t × t; "cells" that the pattern computes and "causal", those of the mask without it; "reached": after
        each layer, of those the share that is reached; "error": how far `sparse.attend` is from dense attention.
    Raises:
        Refusal: a view that is none.
    """
    del models
    kind, t, size = read(view)
    found = tensors(kind, t, size)
    causal = masks.count("causal", t)
    return {
        "needs": found["needs"].int().tolist(),
        "cells": masks.count(kind, t, size),
        "causal": causal,
        "reached": [int((found["needs"] <= layer).sum()) / causal for layer in range(1, LAYERS + 1)],
        "error": float((found["out"] - found["dense"]).abs().max()),
    }


def values(models: Models, view: View) -> dict[str, Tensor]:
    """The tensors of what is shown."""
    del models
    show = read_choice(view, "show", SHOWS)
    if show == "pattern":
        return tensors(*read(view))
    return {"lengths": torch.tensor([measured()["lengths"]])}


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    del models
    show = read_choice(view, "show", SHOWS)
    if show != "pattern":
        return (
            f"{IMPORTS}from viz.tabs.learn.sections import sparse\n"
            "import json\n\n"
            "# python -m tests.bench.sparse --file FILE writes it\n"
            "measured = json.loads(sparse.MEASURED.read_text(encoding='utf-8'))\n"
            "lengths = torch.tensor([measured['lengths']])\n"
            f"figure = sparse.by_length(measured, {show!r})\n"
        )
    kind, t, size = read(view)
    return (
        f"{IMPORTS}from former import masks, sparse\n\n"
        f"mask = masks.{kind}({t}, {size})  # (t, t), True = may attend\n"
        f"reached = masks.reach(mask, {LAYERS})  # (layers, t, t)\n"
        f"needs = ({LAYERS + 1} - reached.long().sum(0)).float()  # layers until an output depends on an input\n"
        f"q, k, v = torch.randn(3, 1, 2, {t}, 8, generator=torch.Generator().manual_seed(0))\n"
        f"out = sparse.attend(q, k, v, {kind!r}, {size})[0]  # without t² of anything\n"
        "dense = former.attend(q, k, v, mask=mask)[0]\n"
        "print((out - dense).abs().max())\n"
        f"figure = figures.attention(mask / mask.sum(1, keepdim=True), range({t}), mask=mask)\n"
    )


SECTION = Section(
    name="sparse",
    article="Sparse transformers",
    equation=(
        r"\text{strided:}\ \ 0 \le i - j < l \ \text{ or }\ j < i,\ i - j \equiv 0 \ (\mathrm{mod}\ l)"
        r" \qquad l = \sqrt{t}:\ \ \text{about } 1.5\, t\sqrt{t} \text{ cells of } t^2"
    ),
    code=(masks.strided, masks.fixed, masks.reach, sparse.attend),
    values=values,
    python=python,
    opening=opening,
    answers={"patterned": patterned},
)
