"""Section "Transformer-XL": what the memory is worth, how far back it reaches by layer, and the four terms of a score.

It stands where the model `xl` is shipped. Sizes: t bytes of a segment, m of the memory, e embedding, h heads.
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
from former.transformer_xl import Recall, TransformerXL
from viz import figures
from viz.browser import chart
from viz.passes.loaded import Models
from viz.passes.run import read_text
from viz.server.view import View, read_choice, read_index
from viz.tabs.learn.score_terms import TERMS, relative_terms
from viz.tabs.learn.section import Section
from viz.tabs.learn.shipped import shipped
from viz.tabs.python import IMPORTS
from viz.text import Refusal

MODEL = "xl"
TEXT = (
    "Wilhelm Mannheimer was born in Mannheim. His father, Gustav Mannheimer, was a painter. In 1879 Wilhelm Mannheimer"
    " left Mannheim for Berlin, where Mannheimer taught at the university. Mannheimer died in 1921."
)
SHOWS = ("memory", "reach", "terms")
MOST = 384  # bytes of a text
SEGMENT = 32  # bytes that are read at once: shorter than in training, so that a short text has several segments
MEMORIES = (0, 16, 32, 64, 128, 256)  # bytes that each layer keeps
SHORT = 4  # bytes of a segment, and of the memory, where the reach is measured
REACHED = 32  # bytes of the text there: more than all layers reach
KEYS = 40  # of which a score is shown, the last


def model() -> TransformerXL:
    """The model."""
    found = shipped(MODEL).model
    assert isinstance(found, TransformerXL)
    return found


@cache
def precise() -> TransformerXL:
    """The model in 64 bits: what comes from far back is little."""
    return copy.deepcopy(model()).double()


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with, its limits, and what the model's card says."""
    del models
    config, card = model().config, shipped(MODEL).card
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


def read(view: View) -> Tensor:
    """The bytes of a view's text, (1, t).

    Raises:
        Refusal: a text that cannot be read, or one that is not longer than a segment.
    """
    text = view.get("text", "")
    read_text(shipped(MODEL), text)  # refuses what is no text
    ids = shipped(MODEL).tokenizer.encode(text)[:MOST]
    if len(ids) <= SEGMENT:
        raise Refusal("learn_transformer_xl_short", least=SEGMENT + 1)
    return torch.tensor([ids])


def segments(tokens: Tensor, length: int, memory_length: int, net: TransformerXL, **options: Any) -> list[Tensor]:
    """A text read segment by segment, (b, t) each time: the logits of each, (b, t, num_tokens).

    Args:
        tokens: (b, n).
        length: t, of a segment.
        memory_length: m, 0 for none.
        net: the model.
        options: as of its forward pass, for every segment.
    """
    memory, logits = None, []
    for segment in tokens.split(length, 1):
        said, memory = net(segment, memory, memory_length=memory_length, **options)
        logits.append(said)
    return logits


@torch.inference_mode()
def surprise(tokens: Tensor, memory_length: int) -> Tensor:
    """Bits of each byte but the first, (n - 1,), with a memory of this length."""
    probs = torch.cat(segments(tokens[:, :-1], SEGMENT, memory_length, model()), 1)[0].softmax(-1)
    return -probs.gather(-1, tokens[0, 1:, None])[:, 0].log2()


def carried(models: Models, view: View) -> dict[str, Any]:
    """What a text costs with memories of several lengths.

    Args:
        models: none is used.
        view: "text".
    Returns:
        "labels" of its bytes; "off" and "on", bits of each byte but the first without a memory and with one as long as
        in training; "bits" a byte for each of `MEMORIES`; "chart".
    Raises:
        Refusal: a text that cannot be read.
    """
    del models
    tokens = read(view)
    bits = [float(surprise(tokens, memory).mean()) for memory in MEMORIES]
    return {
        "labels": shipped(MODEL).tokenizer.labels(tokens[0].tolist()),
        "off": surprise(tokens, 0).tolist(),
        "on": surprise(tokens, model().config.memory_length).tolist(),
        "bits": bits,
        "chart": chart.themed(lambda theme: figures.bars(bits, MEMORIES, axis="bits per byte", theme=theme)),
    }


def moved(tokens: Tensor, memory_length: int) -> Tensor:
    """How far each byte of a text moves what each layer has at the last one: (depth, n), exactly 0 for not at all."""

    def last(changed: Tensor) -> Tensor:
        """(b, n) → (b, depth, e), after the whole text."""
        capture = former.Capture("resid_post")
        *before, final = changed.split(SHORT, 1)
        memory = None
        for segment in before:
            memory = precise()(segment, memory, memory_length=memory_length)[1]
        precise()(final, memory, memory_length=memory_length, observer=capture)
        return capture.stack("resid_post")[:, :, -1].transpose(0, 1)

    return influence(last, tokens)


@torch.inference_mode()
def reached(models: Models, view: View) -> dict[str, Any]:
    """How far back what each layer has at the last byte still moves, with a memory and without.

    Args:
        models: none is used.
        view: "text", of which the first `REACHED` bytes are read.
    Returns:
        "labels"; "off" and "on", (depth, n) as `moved` gives it.
    Raises:
        Refusal: a text that cannot be read.
    """
    del models
    tokens = read(view)[:, :REACHED]
    labels = shipped(MODEL).tokenizer.labels(tokens[0].tolist())
    return {"labels": labels, "off": moved(tokens, 0).tolist(), "on": moved(tokens, SHORT).tolist()}


@torch.inference_mode()
def scores(view: View) -> dict[str, Tensor]:
    """Of a head, for the last byte of a text and the last `KEYS` keys: "terms" (4, keys), and "scores" (keys,) as the
    model computes them."""
    tokens = read(view)
    config = model().config
    layer, head = read_index(view, "layer", config.depth), read_index(view, "head", config.heads)
    capture = former.Capture(("q", "k", "scores"), [layer])
    *before, final = tokens.split(SEGMENT, 1)
    memory = None
    for segment in before:
        memory = model()(segment, memory)[1]
    model()(final, memory, observer=capture)
    q, k = capture.get("q", layer), capture.get("k", layer)
    positions = model().transformer.positions.terms(layer)
    assert isinstance(positions, RelativeTerms)
    found = relative_terms(positions, q, k)
    return {
        "terms": found[:, 0, head, -1, -KEYS:],
        "scores": capture.get("scores", layer)[0, head, -1, -KEYS:],
    }


def scored(models: Models, view: View) -> dict[str, Any]:
    """The scores of the last byte's query, each as the sum of four terms.

    Args:
        models: none is used.
        view: "text", "layer" and "head".
    Returns:
        "labels" of the keys; by the names of `TERMS` its part of each key's score; "scores"; "error": how far the terms
        together are from the scores; "chart".
    Raises:
        Refusal: a view that is none.
    """
    del models
    found = scores(view)
    count = len(found["scores"])
    labels = shipped(MODEL).tokenizer.labels(read(view)[0, -count:].tolist())
    rows: dict[str, list[float]] = dict(zip(TERMS, found["terms"].tolist(), strict=True))
    return {
        "labels": labels,
        **rows,
        "scores": found["scores"].tolist(),
        "error": float((found["terms"].sum(0) - found["scores"]).abs().max()),
        "chart": chart.themed(lambda theme: figures.stacked(rows, labels, theme=theme)),
    }


def values(models: Models, view: View) -> dict[str, Tensor]:
    """The tensors of what is shown."""
    del models
    show = read_choice(view, "show", SHOWS)
    if show == "terms":
        return scores(view)
    if show == "reach":
        return {"moved": moved(read(view)[:, :REACHED], SHORT)}
    return {"bits": surprise(read(view), model().config.memory_length)}


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    del models
    show, tokens = read_choice(view, "show", SHOWS), read(view)
    begin = (
        f"{IMPORTS}from viz.tabs.learn.sections import transformer_xl\n\n"
        f"bundle = former.load({MODEL!r})\n"
        f"tokens = torch.tensor([bundle.tokenizer.encode({view['text']!r})[:{tokens.shape[1]}]])\n"
        "labels = bundle.tokenizer.labels(tokens[0].tolist())\n"
    )
    if show == "memory":
        return (
            f"{begin}memory, logits = None, []\n"
            "with torch.inference_mode():\n"
            f"    for segment in tokens[:, :-1].split({SEGMENT}, 1):\n"
            "        said, memory = bundle.model(segment, memory)  # memory_length=0 to go without\n"
            "        logits.append(said)\n"
            "probs = torch.cat(logits, 1)[0].softmax(-1)\n"
            "bits = -probs.gather(-1, tokens[0, 1:, None])[:, 0].log2()\n"
            "print(bits.mean(), 'bits per byte')\n"
            'figure = figures.bars(bits, labels[1:], axis="bits")\n'
        )
    if show == "reach":
        return (
            f"{begin}moved = transformer_xl.moved(tokens[:, :{REACHED}], {SHORT})  # (layers, bytes)\n"
            "figure = figures.bars(moved[-1], labels[: moved.shape[1]])\n"
        )
    layer, head = read_index(view, "layer", 99), read_index(view, "head", 99)
    return (
        f"{begin}view = {{'text': {view['text']!r}, 'layer': {layer}, 'head': {head}}}\n"
        "found = transformer_xl.scores(view)\n"
        "terms, scores = found['terms'], found['scores']\n"
        "print((terms.sum(0) - scores).abs().max())\n"
        "names = ('q · k', 'q · W r', 'u · k', 'v · W r')\n"
        "figure = figures.stacked(dict(zip(names, terms, strict=True)), labels[-len(scores) :])\n"
    )


SECTION = Section(
    name="transformer-xl",
    article="Transformer-XL",
    equation=(
        r"\sqrt{s}\;\mathrm{score}_{ij} = q_i \cdot k_j + q_i \cdot W_r\, r_{i-j} + u \cdot k_j + v \cdot W_r\, r_{i-j}"
    ),
    code=(TransformerXL.forward, Recall.at, RelativeTerms.forward),
    values=values,
    python=python,
    opening=opening,
    answers={"carried": carried, "reached": reached, "scored": scored},
    stands=lambda models: MODEL in former.available(),  # noqa: ARG005
)
