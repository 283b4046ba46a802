"""The panels of tab Generate, and the readers of their functions' arguments."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from viz import figures
from viz.panels import Draw, Field, Panel, Question
from viz.passes.loaded import Loaded, Models, writers
from viz.server.view import View, read_choice, read_index, read_model, read_whole
from viz.tabs.generate import branches, cache, guess, next_token, stream
from viz.text import NothingToShow, Refusal
from viz.text.examples import GAMES

HERE = Path(__file__).parent


def read_writing(models: Models, view: View) -> tuple[Loaded, next_token.Order, dict[str, Any]]:
    """Reads the model, the request (`next_token.Order`), and the arguments that all functions of this tab take:
    "bundle", "text" and "written"."""
    loaded = read_model(writers(models), view)
    order = stream.read_order(loaded, view)
    return loaded, order, {"bundle": loaded, "text": view["text"], "written": order.ids[order.prompt :]}


def read_head(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `next_token.look_back`."""
    loaded, _, arguments = read_writing(models, view)
    config = loaded.bundle.config
    layer, head = read_index(view, "layer", config.depth), read_index(view, "head", config.heads)
    return {**arguments, "layer": layer, "head": head if read_choice(view, "of", ("head", "mean")) == "head" else None}


def read_second(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `next_token.look_back` for the second model; layer and head are limited to the
    model's last ones."""
    arguments = read_head(models, view)
    second = {**view, "model": view.get("second"), "written": view.get("second_written", [])}
    config = read_model(writers(models), second).bundle.config
    last = {
        "layer": min(arguments["layer"], config.depth - 1),
        "head": min(read_index(view, "head", 999), config.heads - 1),
    }
    return read_head(models, {**second, **last})


def read_rules(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `next_token.predict_next`."""
    _, order, arguments = read_writing(models, view)
    return {**arguments, **order.rules._asdict(), "seed": order.seed}


def read_rounds(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `next_token.draw_often`."""
    return {**read_rules(models, view), "rounds": read_whole(view, "rounds", 1, next_token.ROUNDS)}


def read_search(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `branches.search_beams`: "searched" holds the tokens written before the beams,
    and the beams end where the context is full."""
    loaded, order, arguments = read_writing(models, {**view, "written": view.get("searched")})
    if not cache.keeps(loaded.bundle.model):
        raise NothingToShow("beams_causal")
    free = loaded.bundle.config.seq_length - len(order.ids)
    if free < 1:
        raise NothingToShow("beams_full", context=loaded.bundle.config.seq_length)
    beams = read_whole(view, "beams", 1, branches.BEAMS, "write_beams")
    return {**arguments, "beams": beams, "length": min(free, branches.SEARCHED)}


def read_cache(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `cache.measure_cache`."""
    loaded, _, arguments = read_writing(models, view)
    if not cache.keeps(loaded.bundle.model):
        raise NothingToShow("no_cache")
    return arguments


def read_branches(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `branches.unfold_branches`.

    Raises:
        Refusal: a branch that does not leave an earlier one.
    """
    loaded, _, arguments = read_writing(models, view)
    sent = view.get("branches")
    if not isinstance(sent, list) or not sent:
        raise Refusal("bad_request")
    branches = [read_branch(way, number, loaded.bundle.config.num_tokens) for number, way in enumerate(sent)]
    return {"bundle": loaded, "text": arguments["text"], "branches": branches}


def read_branch(way: object, number: int, num_tokens: int) -> tuple[int, int, list[int]]:
    """Reads branch `number`: the index of the earlier branch that it leaves, the number of tokens after which it
    leaves, and its own token ids.

    Raises:
        Refusal: anything else.
    """
    if not isinstance(way, list) or len(way) != 3:
        raise Refusal("bad_request")
    named: Mapping[str, Any] = {"parent": way[0], "at": way[1]}
    parent, at = read_index(named, "parent", max(1, number)), read_index(named, "at", stream.WRITTEN_LIMIT + 1)
    return parent, at, stream.read_ids(way[2], num_tokens)


LOOKS = Draw(figures.bars, Field("looks"), Field("labels"), axis="weight")
NEXT = Draw(figures.next_tokens, Field("kept"), Field("labels"), before=Field("probs"), top=next_token.CANDIDATES)
DRAWN = Draw(figures.bars, Field("shares"), Field("labels"), before=Field("kept"), axis="share")
BEAMS = Draw(figures.bars, Field("log_probs"), Field("texts"), axis="log₂ probability")
LENGTHS = Draw(figures.bars, Field("lengths"), Field("names"), axis="tokens")

WRITTEN_TEXT = Panel(
    "written-text",
    HERE / "written_text.js",
    {
        "first": Question(next_token.look_back, read_head, LOOKS, prints=("strongest",)),
        "second": Question(
            next_token.look_back,
            read_second,
            LOOKS,
            prints=("strongest",),
            when=lambda view: bool(view.get("second")),
        ),
    },
    {
        "seed": stream.SEED_LIMIT - 1,
        "length": stream.LENGTH_LIMIT,
        "pace": stream.PACE_LIMIT,
        "shared": stream.SHARED,
        "written": stream.WRITTEN_LIMIT,
        "linked": stream.LINKED,
    },
)
NEXT_TOKEN = Panel(
    "next-token",
    HERE / "next_token.js",
    {
        "prediction": Question(
            next_token.predict_next, read_rules, NEXT, prints=("bits",), when=lambda view: view.get("rounds") is None
        ),
        "draws": Question(
            next_token.draw_often,
            read_rounds,
            DRAWN,
            prints=("draws", Field("labels", 0), Field("shares", 0)),
            when=lambda view: view.get("rounds") is not None,
            fast=True,
        ),
    },
    {"draws": next_token.DRAWS, "rounds": next_token.ROUNDS},
)
TRAIL = Panel(
    "trail",
    HERE / "trail.js",
    {
        "branches": Question(branches.unfold_branches, read_branches, LENGTHS, prints=("lengths",), asked=False),
        "search": Question(
            branches.search_beams,
            read_search,
            BEAMS,
            prints=(Field("texts", 0), Field("log_probs", 0)),
            when=lambda view: view.get("searched") is not None,
            fast=True,
        ),
    },
    {"beams": branches.BEAMS},
)
TIMES = Draw(figures.bars, Field("seconds"), Field("names"), axis="seconds")
CACHE = Panel(
    "cache",
    HERE / "cache" / "cache.js",
    {"step": Question(cache.measure_cache, read_cache, TIMES, prints=("bytes",), fast=True)},
)
TOTALS = Draw(figures.bars, Field("totals"), Field("names"), axis="bits")
GUESS = Panel(
    "guess",
    HERE / "guess" / "guess.js",
    {"game": Question(guess.guess_tokens, guess.read_game, TOTALS, prints=("names", "totals"), fast=True)},
    {
        "game_texts": GAMES,
        "game_most": guess.MOST_CHARACTERS,
        "game_rounds": guess.ROUNDS,
        "game_options": guess.OPTIONS,
    },
)
PANELS = (WRITTEN_TEXT, NEXT_TOKEN, TRAIL, CACHE, GUESS)
