"""The panels of tab Mask, and the readers of their functions' arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from former import masks
from viz import figures
from viz.panels import Draw, Field, Panel, Question
from viz.passes.loaded import Loaded, Models, maskable
from viz.passes.remarks import remarks
from viz.passes.run import tokenize
from viz.server.view import View, read_choice, read_model, read_string, read_whole
from viz.tabs.mask import consequence, masking
from viz.text import NothingToShow

HERE = Path(__file__).parent
MASKED, UNMASKED = "tiny-generator", "tiny-unmasked"  # two of one size, trained alike but for the mask
BLIND = 8.0  # bits per byte of guessing among all 256
PICTURES = 8  # most counts of reach, one for each layer
SEED_LIMIT = 9999


def read_causal(models: Models, view: View) -> Loaded:
    """Reads the field "model" of a view, the name of a causal model.

    Raises:
        Refusal: there is no such causal model.
    """
    return read_model(maskable(models), view, "no_such_model")


def read_text(models: Models, view: View, name: str = "text") -> dict[str, Any]:
    """Reads from a view a causal model, and a text that it can read, the field `name`.

    Raises:
        Refusal: a text without tokens, or an unknown model.
    """
    loaded = read_causal(models, view)
    text = read_string(view, name, "empty_text")
    tokenize(loaded, text)
    return {"bundle": loaded, "text": text}


def read_mask(view: View) -> dict[str, Any]:
    """Reads from a view the mask's name and its size: the window or stride.

    Raises:
        Refusal: no such mask, or a size out of its range.
    """
    kind = read_choice(view, "mask", masks.MASKS, "no_such_mask")
    return {"mask": kind, "size": read_whole(view, "size", 1, masking.SIZE_LIMIT, "mask_size_field")}


def read_masked(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `masking.move_outputs` and `masking.count_layers`."""
    return {**read_text(models, view), **read_mask(view)}


def read_head(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `masking.run_head`."""
    request = read_text(models, view)
    config = request["bundle"].bundle.config
    layer = read_whole(view, "layer", 0, config.depth - 1, "layer")
    head = read_whole(view, "head", 0, config.heads - 1, "head")
    return {**request, "layer": layer, "head": head, **read_mask(view)}


def read_growth(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `masking.count_cells`."""
    return {**read_mask(view), "t": describe_text(models, view)["tokens"]}


def read_unmasked(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `masking.move_outputs` without a mask."""
    return {**read_text(models, view), "mask": "none"}


def read_consequence(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `consequence.compare_masks`."""
    loaded = read_causal(models, view)
    seed = read_whole(view, "seed", 0, SEED_LIMIT, "write_seed")
    request = read_text(models, view, "long")
    both = pair(models)
    for each in (loaded, *both.values()):
        if tokenize(each, request["text"])[2] < 2:
            raise NothingToShow("too_short")
    return {"bundle": loaded, "pair": both, "text": request["text"], "seed": seed}


def pair(models: Models) -> dict[str, Loaded]:
    """Returns the models trained with and without a mask, by name; an empty dict if one is missing."""
    both = {name: models[name] for name in (MASKED, UNMASKED) if name in models and models[name].kind.says == "next"}
    return both if len(both) == 2 else {}


def describe_text(models: Models, view: View) -> dict[str, Any]:
    """Returns "tokens", how many of the text's tokens are shown, and "total", how many it has."""
    request = read_text(models, view)
    total = tokenize(request["bundle"], request["text"])[2]
    return {"tokens": len(masking.shown_ids(request["bundle"].bundle, request["text"])), "total": total}


def describe_head(models: Models, view: View) -> dict[str, Any]:
    """Returns the number of tokens shown, the sizes of the head, and remarks on the text."""
    sizes, loaded = describe_text(models, view), read_causal(models, view)
    labels = tokenize(loaded, view["text"])[1][: sizes["tokens"]]
    return {
        **sizes,
        "headSize": loaded.bundle.config.head_size,
        "remarks": remarks(loaded, view["text"], labels),
    }


def describe_reach(models: Models, view: View) -> dict[str, Any]:
    """Returns {"pictures": the number of pictures that the panel draws, one per layer}."""
    return {"pictures": min(read_causal(models, view).bundle.config.depth, PICTURES)}


def describe_long(models: Models, view: View) -> dict[str, Any]:
    """Returns "total", the text's number of tokens for the models with and without a mask, and "model", the name of the
    causal model whose mask is removed."""
    loaded = read_causal(models, view)
    return {"total": tokenize(next(iter(pair(models).values()), loaded), view["long"])[2], "model": loaded.name}


WEIGHTS = Draw(figures.attention, Field("weights"), Field("labels"), mask=Field("allowed"))
COST = Draw(figures.mask_cost, Field("lengths"), Field("cells"), chosen=Field("chosen"), at=Field("at"))
MOVES = Draw(figures.attention, Field("moves"), Field("labels"), mask=Field("moved"), scale="scores")
LAYERS = Draw(figures.attention, Field("layers"), Field("labels"), mask=Field("reached"), scale="scores", unit="layers")
MEANS = Draw(figures.bars, Field("means"), Field("tasks"), axis="bits per byte")

STAGES = Panel(
    "mask-stages",
    HERE / "mask_stages.js",
    {"head": Question(masking.run_head, read_head, WEIGHTS, prints=("cells",), more=describe_head, fast=True)},
)
GROWTH = Panel(
    "mask-growth",
    HERE / "mask_growth.js",
    {"cost": Question(masking.count_cells, read_growth, COST, charted=True, prints=("here",))},
)
PROOF = Panel(
    "mask-proof",
    HERE / "mask_proof.js",
    {
        "unmasked": Question(masking.move_outputs, read_unmasked, MOVES, prints=("before",), fast=True),
        "masked": Question(masking.move_outputs, read_masked, MOVES, prints=("before",), fast=True),
    },
)
REACH = Panel(
    "mask-reach",
    HERE / "mask_reach.js",
    {"reach": Question(masking.count_layers, read_masked, LAYERS, prints=("full",), more=describe_reach)},
)
CONSEQUENCE = Panel(
    "mask-consequence",
    HERE / "mask_consequence.js",
    {"losses": Question(consequence.compare_masks, read_consequence, MEANS, prints=("means",), more=describe_long)},
)
PANELS = (STAGES, GROWTH, PROOF, REACH, CONSEQUENCE)
