"""The three forms of multi-head attention: their parameters, by building them, and the time that they take."""

from __future__ import annotations

import time
from typing import Any

import torch

import former
from viz.passes.loaded import Models
from viz.server.view import View, read_index
from viz.tabs.learn.clock import seconds
from viz.text import Refusal

VARIANTS = ("narrow", "wide", "chunked")
MOST = {"emb": 4096, "count": 64}
TIMED = 64  # words that are passed through
LARGEST = 10_000_000  # parameters of a form that is timed: 40 MB
SPENT = 0.04  # seconds on each form, or three calls: the quickest is taken


def forms(models: Models, view: View) -> dict[str, Any]:
    """The three forms of multi-head attention, counted, and timed on this machine.

    Args:
        models: by name.
        view: "emb" and "count", the number of heads.
    Returns:
        "emb", "count", "forms": [{"variant", "size" of one head, "maps": parameters of queries, keys and values,
        "unify": of the map that joins the heads, "seconds" that a call takes}]; sizes are null where the form cannot be
        built, and seconds where it is too large for a visitor's turn.
    Raises:
        Refusal: sizes out of their limits.
    """
    del models
    emb, heads = (read_index(view, name, most + 1) for name, most in MOST.items())
    if not emb or not heads:
        raise Refusal("bad_request")
    return {"emb": emb, "count": heads, "forms": [measured(emb, heads, variant) for variant in VARIANTS]}


def measured(emb: int, heads: int, variant: str) -> dict[str, Any]:
    """One of the forms: counted on the meta device, which has no data, and timed where it is not too large."""
    if variant != "wide" and emb % heads:
        return {"variant": variant, "size": None, "maps": None, "unify": None, "seconds": None}
    with torch.device("meta"):
        attention = former.SelfAttention(emb, heads, variant)
    unify = sum(parameter.numel() for parameter in attention.unifyheads.parameters())
    maps = sum(parameter.numel() for parameter in attention.parameters()) - unify
    spent = timed(emb, heads, variant) if maps + unify <= LARGEST else None
    return {"variant": variant, "size": attention.size, "maps": maps, "unify": unify, "seconds": spent}


@torch.inference_mode()
def timed(emb: int, heads: int, variant: str) -> float:
    """What the quickest of some calls takes on `TIMED` random vectors, in seconds."""
    attention = former.SelfAttention(emb, heads, variant)
    x = torch.randn(1, TIMED, emb, generator=torch.Generator().manual_seed(0))
    attention(x)  # loads what is loaded on first use
    taken, began = [seconds(lambda: attention(x)) for _ in range(3)], time.perf_counter()
    while time.perf_counter() - began < SPENT:
        taken.append(seconds(lambda: attention(x)))
    return min(taken)
