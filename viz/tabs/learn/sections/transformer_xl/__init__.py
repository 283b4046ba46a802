"""Section "Transformer-XL": the value of the memory, its reach by layer, and the four terms of a score.

It is shown if the model `xl` is available. Sizes: t bytes of a segment, m of the memory, e embedding, h heads.
"""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import torch
from torch import Tensor

import former
from former.analysis import influence
from former.positions import RelativeTerms
from former.transformer_xl import MemoryCache, TransformerXL
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.panels.panel import shown
from viz.passes.loaded import Models
from viz.passes.run import read_text
from viz.server.view import View, read_index
from viz.tabs.learn import shipped
from viz.tabs.learn.score_terms import TERMS, relative_terms
from viz.tabs.learn.section import Section
from viz.text import Refusal

MODEL = "xl"
TEXT = (
    "Wilhelm Mannheimer was born in Mannheim. His father, Gustav Mannheimer, was a painter. In 1879 Wilhelm Mannheimer"
    " left Mannheim for Berlin, where Mannheimer taught at the university. Mannheimer died in 1921."
)
MOST_BYTES = 384  # bytes of a text
SEGMENT = 32  # bytes that are read at once: shorter than in training, so that a short text has several segments
MEMORIES = (0, 16, 32, 64, 128, 256)  # bytes that each layer keeps
SHORT = 4  # bytes of a segment, and of the memory, where the reach is measured
REACHED = 32  # bytes of the text there: more than all layers reach
KEYS = 40  # of which a score is shown, the last


def model() -> TransformerXL:
    """Loads the shipped Transformer-XL."""
    result = shipped.load(MODEL).bundle.model
    assert isinstance(result, TransformerXL)
    return result


@cache
def precise() -> TransformerXL:
    """Returns the model in float64, because effects from far back are small."""
    return copy.deepcopy(model()).double()


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view, the limits of its inputs, and figures from the
    model's card."""
    del models
    config, card = model().config, shipped.load(MODEL).bundle.card
    quality: Any = next((figure for figure in card["quality"] if figure["split"] == "val"), {})
    measured = {int(name.removeprefix("memory_")): bits for name, bits in quality.items() if name.startswith("memory_")}
    return {
        "model": MODEL,
        "text": TEXT,
        "layers": config.depth,
        "heads": config.heads,
        "segment": SEGMENT,
        "short": SHORT,
        "memories": MEMORIES,
        "trained": {"segment": config.seq_length, "memory": config.memory_length},
        "measured": [{"memory": memory, "bits": bits} for memory, bits in sorted(measured.items())],
        "bytes": quality.get("bytes", 0),
        "command": quality.get("command", ""),
        "terms": TERMS,
    }


@torch.inference_mode()
def surprise(tokens: Tensor, memory_length: int) -> Tensor:
    """Returns the bits of each byte except the first, (n - 1,), with a memory of this length."""
    memory, logits = None, []
    for segment in tokens[:, :-1].split(SEGMENT, 1):
        said, memory = model()(segment, memory, memory_length=memory_length)
        logits.append(said)
    probs = torch.cat(logits, 1)[0].softmax(-1)
    return -probs.gather(-1, tokens[0, 1:, None])[:, 0].log2()


def weigh_memory(text: str) -> Numbers:
    """Measures the bits that a text costs with memories of several lengths.

    Args:
        text: its first `MOST_BYTES` bytes are read.
    Returns:
        "labels" of its bytes; "off" and "on", the bits of each byte but the first, without a memory and with one as
        long as in training, and "means" of both; "bits" per byte with each of the lengths in "memories".
    """
    tokens = torch.tensor([shipped.load(MODEL).bundle.tokenizer.encode(text)[:MOST_BYTES]])
    each = {"off": surprise(tokens, 0), "on": surprise(tokens, model().config.memory_length)}
    return {
        "labels": shipped.load(MODEL).bundle.tokenizer.labels(tokens[0].tolist()),
        **each,
        "means": {name: float(bits.mean()) for name, bits in each.items()},
        "bits": [float(surprise(tokens, memory).mean()) for memory in MEMORIES],
        "memories": list(MEMORIES),
    }


def read_long(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads "text".

    Raises:
        Refusal: a text that cannot be read, or one that is not longer than a segment.
    """
    text = view.get("text", "")
    if len(read_text(shipped.load(MODEL).bundle, text)[0]) <= SEGMENT:
        raise Refusal("learn_transformer_xl_short", least=SEGMENT + 1)
    return {"text": text}


def influence_of_bytes(tokens: Tensor, memory_length: int) -> Tensor:
    """Returns how much each byte changes each layer's vector at the last byte, (depth, n), exactly 0 for no effect."""

    def last(changed: Tensor) -> Tensor:
        """Returns each layer's vector at the last byte: (b, n) → (b, depth, e)."""
        capture = former.Capture("resid_post")
        *before, final = changed.split(SHORT, 1)
        memory = None
        for segment in before:
            memory = precise()(segment, memory, memory_length=memory_length)[1]
        precise()(final, memory, memory_length=memory_length, observer=capture)
        return capture.stack("resid_post")[:, :, -1].transpose(0, 1)

    return influence(last, tokens)


@torch.inference_mode()
def reach_back(text: str) -> Numbers:
    """Measures from how far back a byte still changes each layer's last vector, with a memory and without.

    Args:
        text: its first `REACHED` bytes are read.
    Returns:
        "labels" of the n bytes; "off" and "on", (depth, n): `influence_of_bytes` without and with a memory; "last": the
        last layer's row of "on"; "far": {"off", "on"}: how many bytes back the first byte is that changes the last
        layer.
    """
    tokens = torch.tensor([shipped.load(MODEL).bundle.tokenizer.encode(text)[:REACHED]])
    off, on = influence_of_bytes(tokens, 0), influence_of_bytes(tokens, SHORT)
    far = {name: len(row) - 1 - int((row > 0).int().argmax()) for name, row in (("off", off[-1]), ("on", on[-1]))}
    labels = shipped.load(MODEL).bundle.tokenizer.labels(tokens[0].tolist())
    return {"labels": labels, "off": off, "on": on, "last": on[-1], "far": far}


@torch.inference_mode()
def split_scores(text: str, layer: int, head: int) -> Numbers:
    """Splits the scores of a head, for the last byte of a text, into four terms each.

    Args:
        text: its first `MOST_BYTES` bytes are read.
        layer, head: of the head.
    Returns:
        "labels" of the last `KEYS` keys; for each name in `TERMS` an entry, that term for each of these keys; "rows",
        all four terms by name, and "spreads", the standard deviation of each; "scores" as the model computes them;
        "error": the largest difference between a score and the sum of its terms.
    """
    tokenizer = shipped.load(MODEL).bundle.tokenizer
    tokens = torch.tensor([tokenizer.encode(text)[:MOST_BYTES]])
    capture = former.Capture(("q", "k", "scores"), [layer])
    *before, final = tokens.split(SEGMENT, 1)
    memory = None
    for segment in before:
        memory = model()(segment, memory)[1]
    model()(final, memory, observer=capture)
    positions = model().transformer.positions.terms(layer)
    assert isinstance(positions, RelativeTerms)
    terms = relative_terms(positions, capture.get("q", layer), capture.get("k", layer))[:, 0, head, -1, -KEYS:]
    scores = capture.get("scores", layer)[0, head, -1, -KEYS:]
    rows = dict(zip(TERMS, terms, strict=True))
    labels = tokenizer.labels(tokens[0, -len(scores) :].tolist())
    spreads = {name: float(row.std(correction=0)) for name, row in rows.items()}
    error = float((terms.sum(0) - scores).abs().max())
    return {"labels": labels, **rows, "rows": rows, "spreads": spreads, "scores": scores, "error": error}


def read_split(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `split_scores`."""
    config = model().config
    layer, head = read_index(view, "layer", config.depth), read_index(view, "head", config.heads)
    return {**read_long(models, view), "layer": layer, "head": head}


MEMORY = Draw(figures.bars, Field("bits"), Field("memories"), axis="bits per byte")
REACH = Draw(figures.bars, Field("last"), Field("labels"))
STACK = Draw(figures.stacked, Field("rows"), Field("labels"))

SECTION = Section(
    name="transformer-xl",
    article="Transformer-XL",
    equation=(
        r"\sqrt{s}\;\mathrm{score}_{ij} = q_i \cdot k_j + q_i \cdot W_r\, r_{i-j}"
        r" \qquad {} + u \cdot k_j + v \cdot W_r\, r_{i-j}"
    ),
    code=(TransformerXL.forward, MemoryCache.at, RelativeTerms.forward),
    questions={
        "carried": Question(
            weigh_memory, read_long, MEMORY, charted=True, prints=("bits",), when=shown("memory"), unsent=("memories",)
        ),
        "reached": Question(reach_back, read_long, REACH, prints=("far",), when=shown("reach"), unsent=("last",)),
        "scored": Question(
            split_scores, read_split, STACK, charted=True, prints=("error",), when=shown("terms"), unsent=("rows",)
        ),
    },
    props=props,
    available=lambda models: MODEL in former.available(),  # noqa: ARG005
)
