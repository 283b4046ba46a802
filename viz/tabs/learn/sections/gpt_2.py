"""Section "GPT-2": a text in byte-pair pieces, pieces beside bytes in bits per byte, and the published sizes counted.

Sizes: t pieces of the text, e embedding.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor

import former
from former import gpt2
from former.sizes import HEAD_SIZE
from former.tokens import BpeTokenizer
from viz.passes.loaded import Models
from viz.passes.run import read_text
from viz.server.view import View, read_choice, read_index
from viz.tabs.learn.section import Section
from viz.tabs.learn.shipped import shipped
from viz.tabs.python import IMPORTS
from viz.text import Refusal

PIECES, BYTES = "gpt", "generator"  # the models that are set beside each other
SHOWS = ("pieces", "bits", "sizes")
TEXT = "In mathematics, a transformation of the plane is said to be unconditionally reversible."
FOREIGN = "Größenordnung, naïve café, 数学, 🙂 and x86_64"
MOST = 240  # bytes of a text: `generator` reads 256
MERGES = (0, 16, 64, 256, 1024, 4096)  # of the vocabulary's, and then all
LIMITS = {"depth": 96, "heads": 64}  # of a size of one's own
# Bits per byte on enwik8, "zero-shot", as the paper has them (Radford et al. 2019, table 3, where the models are called
# 117M, 345M, 762M and 1542M). Their text, WebText, has no Wikipedia in it. The article's 0.93 is the last.
REPORTED = {"gpt2": 1.16, "gpt2-medium": 1.01, "gpt2-large": 0.97, "gpt2-xl": 0.93}


def definition() -> dict[str, Any]:
    """The tokenizer of `gpt` as its file has it."""
    return json.loads(shipped(PIECES).tokenizer.to_dict()["definition"])


@cache
def levels() -> tuple[int, ...]:
    """How many merges there are at each step of the slider."""
    return (*MERGES, len(definition()["model"]["merges"]))


@cache
def tokenizer_at(level: int) -> BpeTokenizer:
    """The tokenizer of `gpt` as it was after its first merges."""
    found = definition()
    found["model"]["merges"] = found["model"]["merges"][: levels()[level]]
    return BpeTokenizer(json.dumps(found))


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with, its limits, and what the models' cards say."""
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
    """What a model's card says that it is worth, and what it took: `seconds` by the clock of all its trainings."""
    bundle = shipped(name)
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
        "equal": in_256_bytes(quality),
        "command": quality["command"],
    }


def in_256_bytes(quality: dict[str, Any]) -> float:
    """Bits per byte with 256 bytes in view: of a model of bytes its figure itself."""
    return quality.get("bits_per_byte_in_256_bytes", quality["bits_per_byte"])


# --- pieces -----------------------------------------------------------------------------------------------------------


def read(view: View) -> tuple[str, list[int]]:
    """The text of a view, as much as is read, and its pieces.

    Raises:
        Refusal: a text that cannot be read, or one of a single piece.
    """
    read_text(shipped(PIECES), view.get("text", ""))  # refuses what is no text
    text = view["text"].encode(errors="replace")[:MOST].decode(errors="ignore")
    ids = shipped(PIECES).tokenizer.encode(text)
    if len(ids) < 2:
        raise Refusal("learn_gpt_2_short")
    return text, ids


def pieces(models: Models, view: View) -> dict[str, Any]:
    """A text in pieces.

    Args:
        models: none is used.
        view: "text", and "level" of the merges.
    Returns:
        "labels", "ids" and "bytes" of each piece.
    Raises:
        Refusal: a view that is none.
    """
    del models
    text, _ = read(view)
    tokenizer = tokenizer_at(read_index(view, "level", len(levels())))
    ids = tokenizer.encode(text)
    return {"labels": tokenizer.labels(ids), "ids": ids, "bytes": tokenizer.byte_counts(ids)}


@torch.inference_mode()
def surprise(name: str, ids: Sequence[int]) -> Tensor:
    """Bits that each token but the first costs a model, (t - 1,)."""
    tokens = torch.tensor([list(ids)])
    logits = shipped(name).model(tokens[:, :-1])[0]
    return -logits.softmax(-1).gather(-1, tokens[0, 1:, None])[:, 0].log2()


def scored(models: Models, view: View) -> dict[str, Any]:
    """What a text costs both models, from its second piece on.

    Args:
        models: none is used.
        view: "text".
    Returns:
        "pieces": bits of each piece but the first; "bytes" that they are; by the models' names: bits per byte.
    Raises:
        Refusal: a text that cannot be read.
    """
    del models
    text, ids = read(view)
    bits = surprise(PIECES, ids)
    counted = sum(tokenizer_at(len(MERGES)).byte_counts(ids[1:]))
    own = surprise(BYTES, shipped(BYTES).tokenizer.encode(text))[-counted:]
    return {
        "pieces": bits.tolist(),
        "bytes": counted,
        PIECES: float(bits.sum()) / counted,
        BYTES: float(own.sum()) / counted,
    }


# --- sizes ------------------------------------------------------------------------------------------------------------


def parts(**shape: int) -> dict[str, Any]:
    """The parameters of a GPT-2 of this shape: "total" and its "parts", counted on the meta device, without data."""
    with torch.device("meta"):
        model = former.Generator(gpt2.config(**shape))
    stack = model.transformer
    modules = {"tokens": stack.token_embedding, "positions": stack.positions, "blocks": stack.blocks}
    counted = {name: sum(p.numel() for p in module.parameters()) for name, module in modules.items()}
    total = former.count_parameters("gpt2", **shape)
    return {"total": total, "parts": {**counted, "norm": total - sum(counted.values())}}


def read_shape(view: View) -> dict[str, int]:
    """Blocks, heads and the embedding of a view: each head has the size of every published one.

    Raises:
        Refusal: sizes out of their limits.
    """
    depth, heads = (read_index(view, name, most + 1) for name, most in LIMITS.items())
    if not depth or not heads:
        raise Refusal("bad_request")
    return {"depth": depth, "heads": heads, "emb": HEAD_SIZE * heads}


def sized(models: Models, view: View) -> dict[str, Any]:
    """A size of one's own: its shape and `parts`. The view has "depth" and "heads"."""
    del models
    shape = read_shape(view)
    return shape | parts(**shape)


# --- the code ---------------------------------------------------------------------------------------------------------


def values(models: Models, view: View) -> dict[str, Tensor]:
    """The tensors of what is shown."""
    del models
    show = read_choice(view, "show", SHOWS)
    if show == "bits":
        return {"bits": torch.tensor([card_of(name)["bits"] for name in (PIECES, BYTES)])}
    if show == "sizes":
        return {"counted": torch.tensor([parts(**read_shape(view))["total"]])}
    ids = read(view)[1]
    return {"ids": torch.tensor([ids]), "bits": surprise(PIECES, ids)}


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    del models
    show = read_choice(view, "show", SHOWS)
    if show == "bits":
        return (
            f"{IMPORTS}\n"
            f"names = [{PIECES!r}, {BYTES!r}]\n"
            'bits = torch.tensor([former.load(name).card["quality"][0]["bits_per_byte"] for name in names])\n'
            'figure = figures.bars(bits, names, axis="bits per byte on val")\n'
        )
    if show == "sizes":
        shape = read_shape(view)
        return (
            f"{IMPORTS}\n"
            f"counted = torch.tensor([former.count_parameters('gpt2', **{shape!r})])\n"
            "sizes = {name: former.count_parameters(name) for name in former.gpt2.SIZES}\n"
            'figure = figures.bars(list(sizes.values()), list(sizes), axis="parameters")\n'
        )
    text, _ = read(view)
    return (
        f"{IMPORTS}\n"
        f"bundle = former.load({PIECES!r})\n"
        f"ids = torch.tensor([bundle.tokenizer.encode({text!r})])\n"
        "with torch.inference_mode():\n"
        "    probs = bundle.model(ids[:, :-1])[0].softmax(-1)\n"
        "bits = -probs.gather(-1, ids[0, 1:, None])[:, 0].log2()\n"
        "labels = bundle.tokenizer.labels(ids[0].tolist())\n"
        'figure = figures.bars(bits, labels[1:], axis="bits")\n'
    )


SECTION = Section(
    name="gpt-2",
    article="GPT-2",
    equation=(
        r"\frac{\text{bits}}{\text{byte}} ="
        r" \frac{\sum_i -\log_2 p(\text{piece}_i)}{\sum_i \text{bytes}(\text{piece}_i)} \qquad"
        r"  \text{parameters} \approx 12\, e^2 \cdot \text{blocks} + e \cdot \text{pieces}"
    ),
    code=(BpeTokenizer.train, gpt2.config, former.count_parameters),
    values=values,
    python=python,
    opening=opening,
    answers={"pieces": pieces, "scored": scored, "sized": sized},
)
