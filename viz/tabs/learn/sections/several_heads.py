"""Section "Several heads": mary gave roses to susan, through one head or four, with positions or without.

Who gives and who receives cannot be told without positions, whatever the matrices; what heads add is a part of y for
each. The matrices here are set by hand, so that every number of y can be read; beside them, random and learned ones.

Sizes: t words, h heads, s size of one head, e = h·s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

import former
from viz.passes.loaded import Loaded, Models, reader
from viz.server.view import View, read_choice
from viz.tabs.learn import family
from viz.tabs.learn.forms import MOST, TIMED, forms
from viz.tabs.learn.section import Section
from viz.tabs.python import IMPORTS

WORDS = ("mary", "gave", "roses", "to", "susan")
T = len(WORDS)
ASKING = WORDS.index("gave")
SWAPPED = [4, 1, 2, 3, 0]  # mary and susan change places
EMB = 20  # e: T numbers that say which word, T that say which place, and room for four heads of T numbers
HEADS = {"1": ("all",), "4": ("giver", "gift", "receiver", "itself")}
POSITIONS = ("off", "on")
TRAINED = {"same": family.PLAIN, "unify": "tiny-no-unify", "one": "tiny-one-head", "wide": "tiny-wide"}
SEED = 0

# What each head of "gave" looks for: column of x → score. Columns from T on say which place a word stands at.
NAMES = {0: 6.0, 4: 6.0}
LOOKS: Mapping[tuple[str, str], tuple[dict[int, float], ...]] = {
    ("1", "off"): ({**NAMES, 2: 5.0},),
    ("1", "on"): ({T: 6.0, T + 2: 4.0, T + 4: 5.0},),
    ("4", "off"): (NAMES, {2: 6.0}, NAMES, {1: 6.0}),
    ("4", "on"): ({T: 6.0}, {T + 2: 6.0}, {T + 4: 6.0}, {T + 1: 6.0}),
}


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with, and its limits."""
    heads = {number: list(names) for number, names in HEADS.items()}
    trained = [{"change": change, **family.described(name)} for change, name in TRAINED.items()]
    shown = {"text": " ".join(WORDS), "model": reader(models).name}
    return {**shown, "most": MOST, "timed": TIMED, "heads": heads, "trained": trained}


def read(view: View) -> tuple[str, str]:
    """The number of heads and the positions of a view.

    Raises:
        Refusal: others than there are.
    """
    return read_choice(view, "heads", HEADS), read_choice(view, "positions", POSITIONS)


def sentence(order: list[int], positions: str) -> Tensor:
    """Words as vectors, one number for each word and one for each place: (1, t, e)."""
    x = torch.zeros(1, T, EMB)
    x[0, range(T), order] = 1
    if positions == "on":
        x[0, range(T), range(T, 2 * T)] = 1
    return x


def by_hand(heads: str, positions: str) -> former.SelfAttention:
    """The layer whose heads look for what `LOOKS` says; each brings the numbers that say which word."""
    looks = LOOKS[heads, positions]
    attention = former.SelfAttention(EMB, len(looks), unify=False)
    with torch.no_grad():
        for parameter in attention.parameters():
            parameter.zero_()
        for first, look in zip(range(0, EMB, attention.size), looks, strict=True):
            attention.toqueries.weight[first, ASKING] = attention.size**0.5
            attention.tokeys.weight[first, list(look)] = torch.tensor(list(look.values()))
            attention.tovalues.weight[first : first + T, :T] = torch.eye(T)
    return attention


def look(attention: former.SelfAttention, x: Tensor) -> former.Capture:
    """One call of a layer, with all that it computes on the way."""
    capture = former.Capture(("q", "k", "v", "weights", "out"))
    with torch.no_grad():
        attention(x, hook=capture.at(0))
    return capture


def of_gave(capture: former.Capture, order: list[int]) -> dict[str, Any]:
    """The row of "gave": its weights (h, t), and what each head brings it, y (h, s)."""
    weights, y = (capture.get(point, 0)[0, :, ASKING] for point in ("weights", "out"))
    return {"words": [WORDS[i] for i in order], "weights": weights.tolist(), "y": y[:, :T].tolist()}


def moved(one: Tensor, other: Tensor) -> float:
    """The largest change of what the heads bring to "gave"; each `out` (1, h, t, s)."""
    return float((one - other)[0, :, ASKING].abs().max())


def orders(call: Callable[[list[int]], former.Capture]) -> tuple[former.Capture, former.Capture]:
    """The sentence as it stands, and with mary and susan swapped."""
    return call(list(range(T))), call(SWAPPED)


def by_order(heads: str, positions: str) -> tuple[former.Capture, former.Capture]:
    """The layer set by hand, on both orders of the sentence."""
    attention = by_hand(heads, positions)
    return orders(lambda order: look(attention, sentence(order, positions)))


def by_hand_moved(heads: str, positions: str) -> float:
    """How far "gave" moves where the matrices are set by hand."""
    before, after = by_order(heads, positions)
    return moved(before.get("out", 0), after.get("out", 0))


def by_chance(heads: str, positions: str) -> float:
    """How far "gave" moves where words, places and matrices are random."""
    generator = torch.Generator().manual_seed(SEED)
    words, places = torch.randn(2, T, EMB, generator=generator)
    attention = former.SelfAttention(EMB, int(heads))
    with torch.no_grad():
        for parameter in attention.parameters():
            parameter.normal_(std=EMB**-0.5, generator=generator)
    before, after = orders(lambda order: look(attention, (words[order] + (positions == "on") * places)[None]))
    return moved(before.get("out", 0), after.get("out", 0))


def first_layer(loaded: Loaded, ids: list[int], order: list[int]) -> former.Capture:
    """A model on its words in an order: what the heads of its first layer bring."""
    tokens = torch.tensor([[ids[i] for i in order]])
    return former.run_with_capture(loaded.bundle.model, tokens, ("out",), layers=(0,))[1]


def learned(models: Models) -> list[dict[str, Any]]:
    """How far "gave" moves in the first layer of every model that reads these words."""
    found = []
    for name, loaded in models.items():
        ids = loaded.bundle.tokenizer.encode(" ".join(WORDS))
        if not loaded.is_classifier or loaded.bundle.tokenizer.labels(ids) != list(WORDS):
            continue
        config = loaded.bundle.config
        before, after = orders(partial(first_layer, loaded, ids))
        positions = "off" if config.positions == "none" else "on"
        change = moved(before.get("out", 0), after.get("out", 0))
        found.append({"made": "learned", "model": name, "heads": config.heads, "positions": positions, "moved": change})
    return found


def table(models: Models) -> list[dict[str, Any]]:
    """How far "gave" moves in every case: by matrices that are set by hand, random and learned."""
    by = {"hand": by_hand_moved, "random": by_chance}
    found = [
        {"made": made, "model": "", "heads": int(heads), "positions": positions, "moved": move(heads, positions)}
        for made, move in by.items()
        for heads in HEADS
        for positions in POSITIONS
    ]
    return found + learned(models)


def swapped(models: Models, view: View) -> dict[str, Any]:
    """What swapping mary and susan does.

    Args:
        models: by name.
        view: "heads" and "positions".
    Returns:
        "heads" and "positions", "before" and "after" of this case, as `of_gave` gives them; "table" of all cases:
        [{"made": "hand", "random" or "learned", "model", "heads", "positions", "moved"}].
    Raises:
        Refusal: a view that is none.
    """
    heads, positions = read(view)
    before, after = by_order(heads, positions)
    case = {"before": of_gave(before, list(range(T))), "after": of_gave(after, SWAPPED)}
    return {"heads": heads, "positions": positions, **case, "table": table(models)}


def values(models: Models, view: View) -> dict[str, Tensor]:
    """The tensors of `SelfAttention` on the sentence, and what "gave" gets when mary and susan are swapped."""
    del models
    heads, positions = read(view)
    before, after = by_order(heads, positions)
    tensors = {name: before.get(name, 0)[0] for name in ("q", "k", "v", "weights", "out")}
    y, y_swapped = (each.get("out", 0)[0, :, ASKING].flatten() for each in (before, after))
    return {"x": sentence(list(range(T)), positions), **tensors, "y_gave": y, "y_gave_swapped": y_swapped}


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    del models
    heads, positions = read(view)
    place = f"both[:, range({T}), range({T}, {2 * T})] = 1  # which place\n" if positions == "on" else ""
    return (
        f"{IMPORTS}\n"
        f"words = {list(WORDS)!r}\n"
        f"looks = {list(LOOKS[heads, positions])!r}  # of each head: column of x, score\n"
        f"attention = former.SelfAttention({EMB}, len(looks), unify=False)\n"
        "for parameter in attention.parameters():\n"
        "    parameter.detach().zero_()\n"
        "for head, look in enumerate(looks):\n"
        "    first = head * attention.size\n"
        f"    attention.toqueries.weight.data[first, {ASKING}] = attention.size**0.5\n"
        "    attention.tokeys.weight.data[first, list(look)] = torch.tensor(list(look.values()))\n"
        f"    attention.tovalues.weight.data[first : first + {T}, :{T}] = torch.eye({T})\n\n"
        f"both = torch.zeros(2, {T}, {EMB})  # as it stands, and swapped\n"
        f"both[0, range({T}), {list(range(T))!r}] = 1  # which word\n"
        f"both[1, range({T}), {SWAPPED!r}] = 1\n"
        f"{place}"
        'capture = former.Capture(("weights",))\n'
        f"y_gave, y_gave_swapped = attention(both, hook=capture.at(0)).detach()[:, {ASKING}]\n"
        'weights = capture.get("weights", 0)[0]\n'
        "print((y_gave - y_gave_swapped).abs().max())\n"
        f'figure = figures.attention(weights[:, {ASKING}], [f"head {{i}}" for i in range(len(looks))], words)\n'
    )


SECTION = Section(
    name="several-heads",
    article="Multi-head attention",
    equation=(
        r"y_i = W_u\,\big[\,y_i^{1};\,\dots;\,y_i^{h}\,\big] + b \qquad"
        r" y_i^{r} = \sum_j w_{ij}^{r}\, W_v^{r}\, x_j"
    ),
    code=(former.SelfAttention.forward, former.attend),
    values=values,
    python=python,
    opening=opening,
    answers={"swapped": swapped, "forms": forms},
)
