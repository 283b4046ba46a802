"""Of each panel, views of the page that together show all that it can show."""

from __future__ import annotations

from typing import Any

HOSTILE = "\"\"\"'''\\\n{x}\u202e$x^2$<b>\ud800 the\U0001f600"
WORDS = {"text": "not a bad film", "order": "3.1.0.2"}
SWITCHES = {**WORDS, "positions": "none", "mask": "none"}

MASKED = {"model": "tiny-generator", "text": "The cat sat on the mat.", "mask": "strided", "size": 4}
LONG = {"long": "The cat sat on the mat, naïve as it was.", "seed": 3}
WRITTEN = {"model": "tiny-generator", "text": "The cat sat on the mat.", "written": [32, 80], "seed": 4}
HEAD = {**WRITTEN, "layer": 1, "head": 3, "of": "head"}
BRANCHES = {"branches": [[0, 0, [32, 80]], [0, 1, [33]]]}

VIEWS: dict[str, list[dict[str, Any]]] = {
    "word-order": [WORDS],
    "permutation": [WORDS, {"text": HOSTILE, "order": "typed"}],
    "equivariance": [SWITCHES, SWITCHES | {"positions": "learned", "mask": "causal"}, SWITCHES | {"text": HOSTILE}],
    "moved-rows": [
        *({**SWITCHES, "positions": "sinusoidal", "output": output} for output in ("basic", "layer", "block")),
        {**SWITCHES, "output": "classifier", "mask": "causal"},
    ],
    "verdicts": [WORDS],
    "position-maps": [
        {"table": "tiny-generator", "at": 20, "product": "dot"},
        {"table": "sinusoidal", "at": 9_999, "product": "cosine"},
    ],
    "written-text": [
        HEAD,
        {**HEAD, "of": "mean", "text": "The cat sat on the mat. " * 12},
        {**HEAD, "text": HOSTILE, "second": "gpt", "second_written": [300, 301, 302]},
        {**HEAD, "model": "gpt", "layer": 3, "head": 6, "second": "tiny-generator"},
    ],
    "next-token": [WRITTEN, {**WRITTEN, "temperature": 0.8, "top_k": 7, "top_p": 0.9, "model": "gpt"}],
    "trail": [WRITTEN | BRANCHES, {**WRITTEN, **BRANCHES, "text": HOSTILE}],
    "mask-stages": [{**MASKED, "mask": mask, "layer": 1, "head": 2} for mask in ("none", "causal", "fixed")]
    + [{**MASKED, "text": HOSTILE, "layer": 0, "head": 0}],
    "mask-growth": [{**MASKED, "mask": mask} for mask in ("local", "strided")],
    "mask-proof": [MASKED, {**MASKED, "model": "gpt"}],
    "mask-reach": [{**MASKED, "mask": mask} for mask in ("local", "fixed")],
    "mask-consequence": [{**LONG, "model": model} for model in ("tiny-generator", "gpt")]
    + [{**LONG, "model": "gpt", "long": HOSTILE}],
}
