"""The three forms of multi-head attention: their parameters, counted by building them, and their time."""

from __future__ import annotations

import time
from typing import Any

import torch

import former
from viz.panels import Numbers
from viz.passes.loaded import Models
from viz.server.view import View, read_whole
from viz.tabs.learn.clock import seconds

VARIANTS = ("narrow", "wide", "chunked")
LIMITS = {"emb": 4096, "count": 64}
TIMED = 64  # number of vectors in a call
LARGEST = 10_000_000  # maximum number of parameters of a form to time: 40 MB
SPENT = 0.04  # seconds for each form, at least three calls


def read_sizes(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as every reader is called
    """Reads from a view the arguments of `count_forms`."""
    emb, heads = (read_whole(view, name, 1, most) for name, most in LIMITS.items())
    return {"emb": emb, "heads": heads}


def count_forms(emb: int, heads: int) -> Numbers:
    """Counts the parameters of the three forms of multi-head attention by building them, and times each.

    Args:
        emb: size of a vector.
        heads: number of heads.
    Returns:
        "forms": for each {"variant", "size" of one head, "maps": the parameters of queries, keys and values, "unify":
        those of the map that joins the heads}, or None if the form cannot be built; "seconds" that a call of each form
        takes, None if it is too large to time for a visitor; "variants", the names of the forms, and "parameters", the
        number that each has.
    """
    forms, spent = [], []
    for variant in VARIANTS:
        sizes = count(emb, heads, variant)
        forms.append(sizes)
        small = sizes["maps"] is not None and sizes["maps"] + sizes["unify"] <= LARGEST
        spent.append(call_seconds(emb, heads, variant) if small else None)
    parameters = torch.tensor([(form["maps"] or 0) + (form["unify"] or 0) for form in forms])
    return {"forms": forms, "seconds": spent, "parameters": parameters, "variants": list(VARIANTS)}


def count(emb: int, heads: int, variant: str) -> Numbers:
    """Counts the parameters of one form of attention by building it on torch's meta device, which allocates
    no memory."""
    if variant != "wide" and emb % heads:
        return {"variant": variant, "size": None, "maps": None, "unify": None}
    with torch.device("meta"):
        attention = former.SelfAttention(emb, heads, variant)
    unify = sum(parameter.numel() for parameter in attention.unifyheads.parameters())
    maps = sum(parameter.numel() for parameter in attention.parameters()) - unify
    return {"variant": variant, "size": attention.size, "maps": maps, "unify": unify}


@torch.inference_mode()
def call_seconds(emb: int, heads: int, variant: str) -> float:
    """Returns the time of one call of a form of attention on `TIMED` random vectors, in seconds: the minimum of
    several."""
    attention = former.SelfAttention(emb, heads, variant)
    x = torch.randn(1, TIMED, emb, generator=torch.Generator().manual_seed(0))
    attention(x)  # warms up: loads libraries on first use
    taken, began = [seconds(lambda: attention(x)) for _ in range(3)], time.perf_counter()
    while time.perf_counter() - began < SPENT:
        taken.append(seconds(lambda: attention(x)))
    return min(taken)
