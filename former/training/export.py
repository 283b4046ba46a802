"""From a run to a directory in `checkpoints/`: the weights, and a card that says where they come from."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import former
from former import tokens
from former.models import Classifier, Generator
from former.training import state
from former.training.data import Origin
from former.training.recipes import RECIPES, Recipe

DESCRIPTIONS = {
    "generator": "Writes English encyclopedia text byte by byte: the article's text generation transformer.",
    "classifier": "Tells whether a film review is positive: the article's classification transformer.",
    "classifier-bag": "The classifier without positions: it cannot tell one order of the words from another.",
    "tiny-generator": "Two blocks, with snapshots of its training from the first step to the last.",
    "tiny-unmasked": "The tiny generator trained without the causal mask: it reads the answer off its input.",
}
CORPORA = {
    "wiki100": {
        "corpus": "wiki100: 10^8 bytes of English Wikipedia in article order",
        "license": "CC BY-SA, Wikipedia contributors",
        "splits": "first 90 % train, next 5 % validation, last 5 % test",
    },
    "imdb": {
        "corpus": "Large Movie Review Dataset (Maas et al. 2011), the 50,000 labelled reviews",
        "license": "free for research; cite Maas et al. 2011",
        "splits": "20,000 train and 5,000 validation of the official training reviews, the official 25,000 test",
    },
}


def train_command(recipe: Recipe, unchecked: bool = False) -> str:
    """The command that makes a model again: its recipe's name, and what differs from the recipe as it stands."""
    now = _flat(RECIPES[recipe.name].to_dict())
    changed = {key: value for key, value in _flat(recipe.to_dict()).items() if now[key] != value}
    settings = [shlex.quote(f"{key}={json.dumps(value)}") for key, value in changed.items()]
    extra = f" --set {' '.join(settings)}" if settings else ""
    return f"python -m former.training train {recipe.name} --data DATA{extra}{' --unchecked' * unchecked}"


def data_facts(recipe: Recipe, origin: Origin) -> dict[str, Any]:
    """What a card says of the corpus; of one's own file no more than its name and hash, for no more is known."""
    file = {"file": origin["file"], "sha256": origin["sha256"]}
    if origin["unchecked"]:
        return {"corpus": "a file of one's own, not a known corpus (--unchecked)", **file}
    return {**CORPORA[recipe.corpus], **file}


def make_bundle(run: Path, weights: Path) -> former.Bundle:
    """A run's weights with all that is known of them.

    Args:
        run: the run's directory.
        weights: a file of weights in it.
    Raises:
        ValueError: no such weights.
    """
    if not weights.is_file():
        raise ValueError(f"--out must be the directory of a run that was validated once, got {run}: no {weights.name}")
    tensors, header = state.read_tensors(weights)
    recipe = Recipe.from_dict(header["recipe"])
    model = Generator(recipe.model) if recipe.corpus == "wiki100" else Classifier(recipe.model)
    model.load_state_dict(tensors)
    tokenizer = tokens.from_dict(state.read_json(run / "tokenizer.json"))
    card = {
        "name": recipe.name,
        "description": DESCRIPTIONS[recipe.name],
        "data": data_facts(recipe, header["corpus"]),
        "mask": "causal" if recipe.masked and recipe.corpus == "wiki100" else "none",
        "command": train_command(recipe, header["corpus"]["unchecked"]),
        "recipe": recipe.to_dict(),
        "step": header["step"],
        "seconds": round(header["seconds"]),
        "machine": header["machine"],
        "seed": recipe.seed,
        "quality": [],
    }
    return former.Bundle(model.eval(), tokenizer, recipe.model, card)


def export(run: Path, to: Path) -> list[Path]:
    """Writes a run's best weights, and its snapshots below them; returns the directories.

    Raises:
        ValueError: the run has no weights yet.
    """
    places = {to: run / "best.safetensors"}
    for snapshot in sorted(run.glob("snapshots/*.safetensors")):
        places[to / snapshot.stem] = snapshot
    for place, weights in places.items():
        former.save(make_bundle(run, weights), place)
    return list(places)


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    """Nested names joined by dots."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= {f"{key}.{inner}": held for inner, held in value.items()}
        else:
            flat[key] = value
    return flat
