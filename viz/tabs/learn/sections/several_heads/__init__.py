"""Section "Several heads": "mary gave roses to susan" with one head or four, with positions or without.

Without positions, no matrices can distinguish the giver from the receiver; with several heads, each of these has its
own part of y. The matrices are set by hand, so that every number of y has a meaning; random and learned ones are
measured too.

Sizes: t words, h heads, s size of one head, e = h·s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

import former
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.panels.panel import shown
from viz.passes.loaded import Models, poolers, word_model
from viz.passes.run import read_text
from viz.server.view import View, read_choice
from viz.tabs.learn import family, shipped
from viz.tabs.learn.section import Section
from viz.tabs.learn.sections.several_heads.forms import LIMITS, TIMED, count_forms, read_sizes

WORDS = ("mary", "gave", "roses", "to", "susan")
T = len(WORDS)
ASKING = WORDS.index("gave")
SWAPPED = [4, 1, 2, 3, 0]  # mary and susan change places
EMB = 20  # e: T numbers that say which word, T that say which place, and room for four heads of T numbers
HEADS = {1: ("all",), 4: ("giver", "gift", "receiver", "itself")}
TRAINED = {"same": family.PLAIN, "unify": "tiny-no-unify", "one": "tiny-one-head", "wide": "tiny-wide"}
SEED = 0

# Scores that each head of "gave" assigns to a column of x, by the number of heads and whether there are positions.
# Columns from T on encode a word's position.
NAMES = {0: 6.0, 4: 6.0}
LOOKS: Mapping[tuple[int, bool], tuple[dict[int, float], ...]] = {
    (1, False): ({**NAMES, 2: 5.0},),
    (1, True): ({T: 6.0, T + 2: 4.0, T + 4: 5.0},),
    (4, False): (NAMES, {2: 6.0}, NAMES, {1: 6.0}),
    (4, True): ({T: 6.0}, {T + 2: 6.0}, {T + 4: 6.0}, {T + 1: 6.0}),
}


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view and the limits of its inputs."""
    heads = {number: list(names) for number, names in HEADS.items()}
    trained = [{"change": change, **family.table_row(shipped.load(name))} for change, name in TRAINED.items()]
    link = {"text": " ".join(WORDS), "model": word_model(models).name}
    return {**link, "most": LIMITS, "timed": TIMED, "heads": heads, "trained": trained}


def read_case(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as every word_model is called
    """Reads from a view the arguments of `swap_words`."""
    heads = int(read_choice(view, "heads", [str(number) for number in HEADS]))
    return {"heads": heads, "positions": read_choice(view, "positions", ("off", "on")) == "on"}


def classifiers(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as every word_model is called
    """Finds the classifiers whose vocabulary has all words of the sentence; reads the arguments of `measure_moves`."""
    readings = {name: read_text(each.bundle, " ".join(WORDS))[1] for name, each in poolers(models).items()}
    return {"bundles": {name: models[name] for name, labels in readings.items() if labels == list(WORDS)}}


def sentence(order: list[int], positions: bool) -> Tensor:
    """Returns the sentence's words in an order as vectors (1, t, e), with one number for each word and one for each
    position."""
    x = torch.zeros(1, T, EMB)
    x[0, range(T), order] = 1
    if positions:
        x[0, range(T), range(T, 2 * T)] = 1
    return x


@torch.no_grad()
def by_hand(heads: int, positions: bool) -> former.SelfAttention:
    """Returns a layer set by hand: "gave" attends to the words or positions in `LOOKS`, one set for each head, and a
    head outputs the numbers of the word that it finds."""
    looks = LOOKS[heads, positions]
    attention = former.SelfAttention(EMB, len(looks), unify=False)
    for parameter in attention.parameters():
        parameter.zero_()
    for first, queried in zip(range(0, EMB, attention.size), looks, strict=True):
        attention.toqueries.weight[first, ASKING] = attention.size**0.5
        attention.tokeys.weight[first, list(queried)] = torch.tensor(list(queried.values()))
        attention.tovalues.weight[first : first + T, :T] = torch.eye(T)
    return attention


@torch.no_grad()
def capture_all(attention: former.SelfAttention, x: Tensor) -> former.Capture:
    """Runs an attention layer on x (b, t, e); returns the capture of its q, k, v, weights and out."""
    capture = former.Capture(("q", "k", "v", "weights", "out"))
    attention(x, hook=capture.at(0))
    return capture


def swap_words(heads: int, positions: bool) -> Numbers:
    """Swaps mary and susan in the input of the layer that is set by hand.

    Args:
        heads: 1 or 4.
        positions: whether the vectors include positions.
    Returns:
        "before" and "after" the swap: {"words", "weights" (h, t), those that "gave" gives, and "y" (h, t), each head's
        output for "gave"}; for the original sentence, "x" (1, t, e), "q", "k" and "v" (h, t, s), "weights" (h, t, t)
        and "out" (h, t, s); "y_gave" and "y_gave_swapped" (h·s,); "rows" and "columns", which name the weights of
        "gave".
    """
    attention, captures, cases = by_hand(heads, positions), [], []
    for order in (list(range(T)), SWAPPED):
        capture = capture_all(attention, sentence(order, positions))
        weights, out = (capture[point, 0][0, :, ASKING] for point in ("weights", "out"))
        captures.append(capture)
        cases.append({"words": [WORDS[i] for i in order], "weights": weights, "y": out[:, :T]})
    points = {name: captures[0][name, 0][0] for name in ("q", "k", "v", "weights", "out")}
    y, y_swapped = (capture["out", 0][0, :, ASKING].flatten() for capture in captures)
    named = {"rows": [f"head {i}" for i in range(heads)], "columns": list(WORDS), "gave": points["weights"][:, ASKING]}
    x = sentence(list(range(T)), positions)
    return {"before": cases[0], "after": cases[1], "x": x, **points, "y_gave": y, "y_gave_swapped": y_swapped, **named}


def swap_effect(call: Callable[[list[int]], former.Capture]) -> float:
    """Returns the largest change of the heads' output at "gave" when mary and susan are swapped; `call` runs the layer
    on an order of the words."""
    before, after = call(list(range(T))), call(SWAPPED)
    return float((before["out", 0] - after["out", 0])[0, :, ASKING].abs().max())


def swap_effect_by_hand(heads: int, positions: bool) -> float:
    """Measures the change at "gave" when mary and susan are swapped, with matrices set by hand."""
    attention = by_hand(heads, positions)
    return swap_effect(lambda order: capture_all(attention, sentence(order, positions)))


def moved_at_random(heads: int, positions: bool) -> float:
    """Measures the change at "gave" when mary and susan are swapped, with random word vectors, positions
    and matrices."""
    generator = torch.Generator().manual_seed(SEED)
    words, places = torch.randn(2, T, EMB, generator=generator)
    attention = former.SelfAttention(EMB, heads)
    with torch.no_grad():
        for parameter in attention.parameters():
            parameter.normal_(std=EMB**-0.5, generator=generator)
    return swap_effect(lambda order: capture_all(attention, (words[order] + positions * places)[None]))


def first_layer(bundle: former.Bundle, ids: list[int], order: list[int]) -> former.Capture:
    """Runs a model on the words in another order; returns the capture of the output ("out") of its first
    layer's heads."""
    tokens = torch.tensor([[ids[i] for i in order]])
    return former.run_with_capture(bundle.model, tokens, ("out",), layers=(0,))[1]


def measure_moves(bundles: Mapping[str, former.Bundle]) -> Numbers:
    """Measures the change at "gave" when mary and susan are swapped, in every case: matrices set by hand, random and
    learned.

    Args:
        bundles: classifiers that know the words, by name; their first layer is measured.
    Returns:
        "table": [{"made": "hand", "random" or "learned", "model", "heads", "positions", "moved"}].
    """
    rows = []
    for made, move in {"hand": swap_effect_by_hand, "random": moved_at_random}.items():
        rows += [(made, "", heads, known, move(heads, known)) for heads in HEADS for known in (False, True)]
    for name, bundle in bundles.items():
        call = partial(first_layer, bundle, bundle.tokenizer.encode(" ".join(WORDS)))
        rows.append(("learned", name, bundle.config.heads, bundle.config.positions != "none", swap_effect(call)))
    return {"table": [dict(zip(("made", "model", "heads", "positions", "moved"), row, strict=True)) for row in rows]}


SECTION = Section(
    name="several-heads",
    article="Multi-head attention",
    equation=(
        r"y_i = W_u\,\big[\,y_i^{1};\,\dots;\,y_i^{h}\,\big] + b \qquad"
        r" y_i^{r} = \sum_j w_{ij}^{r}\, W_v^{r}\, x_j"
    ),
    code=(former.SelfAttention.forward, former.attend),
    questions={
        "swapped": Question(
            swap_words,
            read_case,
            Draw(figures.attention, Field("gave"), Field("rows"), Field("columns")),
            when=shown("gave"),
            unsent=("x", "q", "k", "v", "weights", "out", "y_gave", "y_gave_swapped", "gave", "rows", "columns"),
        ),
        "moves": Question(measure_moves, classifiers, prints=("table",), when=shown("gave")),
        "forms": Question(
            count_forms,
            read_sizes,
            Draw(figures.bars, Field("parameters"), Field("variants"), axis="parameters"),
            prints=("variants", "parameters"),
            when=shown("sizes"),
        ),
    },
    props=props,
)
