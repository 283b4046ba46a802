"""Section "GPT-2": a text in byte-pair pieces, the bits per byte of models that read pieces or bytes, and the published
sizes.

Sizes: t pieces of the text, e embedding.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import torch

import former
from former import config, gpt2
from former.sizes import HEAD_SIZE
from former.tokens import BpeTokenizer
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.panels.panel import shown
from viz.passes.loaded import Models
from viz.passes.run import read_text
from viz.server.view import View, read_index, read_whole
from viz.tabs.learn import shipped
from viz.tabs.learn.section import Section
from viz.text import Refusal

PIECES, BYTES = "gpt", "generator"  # the models that are compared
TEXT = "In mathematics, a transformation of the plane is said to be unconditionally reversible."
FOREIGN = "Größenordnung, naïve café, 数学, 🙂 and x86_64"
MOST_BYTES = 240  # bytes of a text: `generator` reads 256
MERGES = (0, 16, 64, 256, 1024, 4096)  # of the vocabulary's, and then all
LIMITS = {"depth": 96, "heads": 64}  # of a shape that the visitor sets
# Bits per byte on enwik8, "zero-shot", as the paper has them (Radford et al. 2019, table 3, where the models are called
# 117M, 345M, 762M and 1542M). Their text, WebText, has no Wikipedia in it. The article's 0.93 is the last.
REPORTED = {"gpt2": 1.16, "gpt2-medium": 1.01, "gpt2-large": 0.97, "gpt2-xl": 0.93}


def definition() -> dict[str, Any]:
    """Returns the tokenizer of `gpt` as a dict, as in its file."""
    return json.loads(shipped.load(PIECES).bundle.tokenizer.to_dict()["definition"])


@cache
def levels() -> tuple[int, ...]:
    """Returns the numbers of merges that a visitor can choose on the slider."""
    return (*MERGES, len(definition()["model"]["merges"]))


@cache
def tokenizer_at(level: int) -> BpeTokenizer:
    """Returns the tokenizer of `gpt` with only its first merges, as many as `levels()[level]`."""
    result = definition()
    result["model"]["merges"] = result["model"]["merges"][: levels()[level]]
    return BpeTokenizer(json.dumps(result))


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view, the limits of its inputs, and figures from the
    models' cards."""
    del models
    sizes = [{"name": name, **shape, **parts(**shape)} for name, shape in gpt2.SIZES.items()]
    return {
        "text": TEXT,
        "foreign": FOREIGN,
        "levels": levels(),
        "limits": LIMITS,
        "worth": [card_of(PIECES), card_of(BYTES)],
        "sizes": [size | {"reported": REPORTED.get(size["name"])} for size in sizes],
    }


def card_of(name: str) -> dict[str, Any]:
    """Returns a model's sizes, quality and cost from its card; "seconds" is the wall time of all its trainings."""
    bundle = shipped.load(name).bundle
    card, recipe = bundle.card, bundle.card["recipe"]
    quality: Any = next(figure for figure in card["quality"] if figure["split"] == "val")
    runs = [*card.get("earlier", []), {**card, "steps": card["step"]}]
    tokens = sum(run["steps"] * run.get("batch", recipe["batch"]) for run in runs) * bundle.config.seq_length
    return {
        "name": name,
        "unit": bundle.tokenizer.unit,
        "vocabulary": bundle.config.num_tokens,
        "parameters": sum(parameter.numel() for parameter in bundle.model.parameters()),
        "context": bundle.config.seq_length,
        "bytes": round(tokens * quality["bytes"] / quality.get("pieces", quality["bytes"])),
        "seconds": sum(run["seconds"] for run in runs),
        "runs": len(runs),
        "bits": quality["bits_per_byte"],
        # with a context of 256 bytes, which a byte-level model always has
        "equal": quality.get("bits_per_byte_in_256_bytes", quality["bits_per_byte"]),
        "command": quality["command"],
    }


# --- pieces -----------------------------------------------------------------------------------------------------------


def read(view: View) -> str:
    """Reads the text of a view, up to its limit.

    Raises:
        Refusal: a text that cannot be read, or one of a single piece.
    """
    read_text(shipped.load(PIECES).bundle, view.get("text", ""))  # refuses anything but a text
    text = view["text"].encode(errors="replace")[:MOST_BYTES].decode(errors="ignore")
    if len(shipped.load(PIECES).bundle.tokenizer.encode(text)) < 2:
        raise Refusal("learn_gpt_2_short")
    return text


def cut_pieces(text: str, level: int) -> Numbers:
    """Cuts a text into pieces, by the first merges of the tokenizer of `gpt`.

    Args:
        text: to cut.
        level: index into `levels()`, the number of merges.
    Returns:
        "labels", "ids" and "bytes" of each piece.
    """
    tokenizer = tokenizer_at(level)
    ids = tokenizer.encode(text)
    return {"labels": tokenizer.labels(ids), "ids": ids, "bytes": tokenizer.byte_counts(ids)}


def read_pieces(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `cut_pieces`."""
    return {"text": read(view), "level": read_index(view, "level", len(levels()))}


def score_text(text: str) -> Numbers:
    """Measures the bits that a text costs the models of pieces and of bytes, from its second piece on.

    Args:
        text: of at least two pieces.
    Returns:
        "pieces": bits of each piece but the first, and "names" of these pieces; "bytes": their number of bytes; and by
        the name of each model, its bits per byte.
    """
    pieces, own = (shipped.load(name).bundle.run(text) for name in (PIECES, BYTES))
    count = sum(tokenizer_at(len(MERGES)).byte_counts(pieces.ids[1:]))
    bits, of_bytes = torch.tensor(pieces.surprise()[1:]), torch.tensor(own.surprise()[-count:])
    per_byte = {PIECES: float(bits.sum()) / count, BYTES: float(of_bytes.sum()) / count}
    return {"pieces": bits, "names": pieces.tokens[1:], "bytes": count, **per_byte}


def read_score_text(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `score_text`."""
    return {"text": read(view)}


def compare_cards() -> Numbers:
    """Returns both models' "names", and their "bits" per byte on val from their cards."""
    names = [PIECES, BYTES]
    return {"names": names, "bits": torch.tensor([card_of(name)["bits"] for name in names])}


# --- sizes ------------------------------------------------------------------------------------------------------------


def parts(**shape: int) -> dict[str, Any]:
    """Counts the parameters of a GPT-2 of this shape on the meta device, without data: "total" and its "parts"."""
    with config.shapes_only():
        model = former.Generator(gpt2.config(**shape))
    stack = model.transformer
    modules = {"tokens": stack.token_embedding, "positions": stack.positions, "blocks": stack.blocks}
    counted = {name: sum(p.numel() for p in module.parameters()) for name, module in modules.items()}
    total = former.count_parameters("gpt2", **shape)
    return {"total": total, "parts": {**counted, "norm": total - sum(counted.values())}}


def count_size(depth: int, heads: int, emb: int) -> Numbers:
    """Counts the parameters of a GPT-2 of any size.

    Args:
        depth, heads, emb: the model's number of blocks, of heads in each, and size of a vector.
    Returns:
        The sizes; "total" and its "parts"; "names" and "counts" of the published sizes.
    """
    published = {name: former.count_parameters(name) for name in gpt2.SIZES}
    shape = {"depth": depth, "heads": heads, "emb": emb}
    return {**shape, **parts(**shape), "names": list(published), "counts": list(published.values())}


def read_size(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `count_size`; all published models have heads of one size."""
    sizes = {name: read_whole(view, name, 1, most) for name, most in LIMITS.items()}
    return {**sizes, "emb": HEAD_SIZE * sizes["heads"]}


BITS = Draw(figures.bars, Field("pieces"), Field("names"), axis="bits")
CARDS = Draw(figures.bars, Field("bits"), Field("names"), axis="bits per byte on val")
PARTS = Draw(figures.bars, Field("counts"), Field("names"), axis="parameters")

SECTION = Section(
    name="gpt-2",
    article="GPT-2",
    equation=(
        r"\frac{\text{bits}}{\text{byte}} ="
        r" \frac{\sum_i -\log_2 p(\text{token}_i)}{\sum_i \text{bytes}(\text{token}_i)} \qquad"
        r"  \text{parameters} \approx 12\, e^2 \cdot \text{blocks} + e \cdot \text{vocabulary}"
    ),
    code=(BpeTokenizer.train, gpt2.config, former.count_parameters),
    questions={
        "pieces": Question(cut_pieces, read_pieces, prints=("labels",), when=shown("pieces")),
        "scored": Question(
            score_text, read_score_text, BITS, prints=("gpt", "generator"), when=shown("pieces"), unsent=("names",)
        ),
        "bits": Question(
            compare_cards,
            lambda models, view: {},  # noqa: ARG005
            CARDS,
            prints=("names", "bits"),
            when=shown("bits"),
        ),
        "sized": Question(
            count_size, read_size, PARTS, prints=("total",), when=shown("sizes"), unsent=("names", "counts")
        ),
    },
    props=props,
)
