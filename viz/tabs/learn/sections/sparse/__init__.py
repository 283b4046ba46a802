"""Section "Sparse": the cells that a pattern computes, its reach layer by layer, and its cost compared with dense.

Sizes: t tokens, h heads, s size of one head.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import torch

import former
from former import masks, sparse
from former.checkpoints import CHECKPOINTS
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.panels.panel import shown
from viz.passes.loaded import Models
from viz.server.view import View, read_choice, read_whole
from viz.tabs.learn.section import Section

MEASURED = CHECKPOINTS / "family" / "sparse.json"  # by `python -m tests.bench.sparse --file`
NUMBERS = {"time": "milliseconds", "memory": "megabytes"}  # of the record
CHARTED = ("strided", "fixed", "fused, causal")  # the ways that were measured at every length
LAYERS = 8
LIMITS = {"t": 64, "size": 32}
OPENS = {"t": 36, "size": 6}
LONG = 16_384  # tokens, of the measured lengths the largest


@cache
def read_costs() -> dict[str, Any]:
    """Reads the record of each method's time and memory."""
    return json.loads(MEASURED.read_text(encoding="utf-8"))


@torch.inference_mode()
def follow_pattern(kind: str, t: int, size: int) -> Numbers:
    """Computes the cells of a sparse pattern, and its reach layer by layer.

    Args:
        kind: one of `sparse.PATTERNS`.
        t: tokens.
        size: its window or stride.
    Returns:
        "mask" (t, t); "needs" (t, t): after how many layers an output can depend on an input, LAYERS + 1 where more are
        needed; "cells", the number of cells that the pattern computes, and "causal", the number under the causal mask;
        "reached": after each layer, the share of the causal cells that is reached; "out" (h, t, s), the output for
        random queries, keys and values, "dense", the output of dense attention under the same mask, and "error", the
        largest difference of the two.
    """
    mask, causal = masks.named(kind, t, size), masks.count("causal", t)
    needs = LAYERS + 1 - masks.reach(mask, LAYERS).long().sum(0)
    q, k, v = torch.randn(3, 1, 2, t, 8, generator=torch.Generator().manual_seed(0))
    out, dense = sparse.attend(q, k, v, kind, size)[0], former.attend(q, k, v, mask=mask)[0]
    return {
        "mask": mask,
        "needs": needs,
        "cells": masks.count(kind, t, size),
        "causal": causal,
        "reached": [int((needs <= layer).sum()) / causal for layer in range(1, LAYERS + 1)],
        "out": out,
        "dense": dense,
        "error": float((out - dense).abs().max()),
        "labels": list(range(t)),
        "shares": mask / mask.sum(1, keepdim=True),
    }


def read_pattern(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `follow_pattern`."""
    t, size = read_whole(view, "t", 2, LIMITS["t"]), read_whole(view, "size", 1, LIMITS["size"])
    return {"kind": read_choice(view, "kind", sparse.PATTERNS), "t": t, "size": size}


def costs_of_methods(show: str) -> Numbers:
    """Reads the time or the memory of each method, measured by `python -m tests.bench.sparse --file`.

    Args:
        show: "time" or "memory".
    Returns:
        "lengths" in tokens, from the first at which every method has a number above 0; "lines": each method's numbers
        at these lengths; "last": its number at the last one.
    """
    record = read_costs()
    lines = {name: record["ways"][name][NUMBERS[show]] for name in CHARTED}
    first = next(i for i, numbers in enumerate(zip(*lines.values(), strict=True)) if min(numbers) > 0)
    last = {name: line[-1] for name, line in lines.items()}
    lengths = torch.tensor(record["lengths"][first:])
    return {"lengths": lengths, "lines": {name: line[first:] for name, line in lines.items()}, "last": last}


def costs(show: str) -> Question:
    """Returns the `Question` that charts the recorded "time" or "memory" (`show`)."""
    axes = ("tokens", NUMBERS[show])
    draw = Draw(figures.by_size, Field("lengths"), Field("lines"), log=True, axes=axes)
    arguments = {"show": show}
    return Question(costs_of_methods, lambda *_: arguments, draw, prints=("last",), when=shown(show))


SHARES = Draw(figures.attention, Field("shares"), Field("labels"), mask=Field("mask"))
COSTS = {show: costs(show) for show in NUMBERS}


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view, the limits of its inputs, and the recorded
    measurements."""
    del models
    return {
        **OPENS,
        "kinds": sparse.PATTERNS,
        "limits": LIMITS,
        "layers": LAYERS,
        "charted": CHARTED,
        "measured": read_costs(),
        "cells": {kind: masks.count(kind, LONG, round(LONG**0.5)) for kind in ("strided", "fixed", "causal")},
        "charts": {show: question.chart(costs_of_methods(show)) for show, question in COSTS.items()},
    }


SECTION = Section(
    name="sparse",
    article="Sparse transformers",
    equation=(
        r"\text{strided:}\ \ 0 \le i - j < l \qquad \text{or }\ j < i,\ i - j \equiv 0 \ (\mathrm{mod}\ l)"
        r" \qquad l = \sqrt{t}:\ \ \text{about } 1.5\, t\sqrt{t} \text{ cells of } t^2"
    ),
    code=(masks.strided, masks.fixed, masks.reach, sparse.attend),
    questions={
        "patterned": Question(
            follow_pattern,
            read_pattern,
            SHARES,
            prints=("cells", "causal"),
            when=shown("pattern"),
            unsent=("mask", "out", "dense", "labels", "shares"),
        ),
        **COSTS,
    },
    props=props,
)
