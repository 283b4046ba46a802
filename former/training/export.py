"""From a run to a directory in `checkpoints/`: the weights, and a card that says where they come from."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import former
from former import tokens
from former.checkpoints import CARD, KINDS
from former.training import state
from former.training.data import CORPORA, Origin
from former.training.recipes import RECIPES, Recipe
from former.training.tasks.reviews import CLASSES


def train_command(recipe: Recipe, unchecked: bool = False) -> str:
    """The command that makes a model again: its recipe's name, and what differs from the recipe as it stands."""
    extra = settings_of(recipe)
    if recipe.base:
        extra = f" --name {shlex.quote(recipe.name)} --description {shlex.quote(recipe.description)}{extra}"
    elif unchecked:
        extra += " --unchecked"
    return f"python -m former.training train {recipe.base or recipe.name}{CORPORA[recipe.corpus].argument}{extra}"


def settings_of(recipe: Recipe) -> str:
    """The option that sets what differs from the recipe as it stands, a space before it; "" where nothing does."""
    now = _flat(RECIPES[recipe.base or recipe.name].to_dict())
    own = ("name", "base", "description")
    changed = {key: value for key, value in _flat(recipe.to_dict()).items() if key not in own and now[key] != value}
    settings = [shlex.quote(f"{key}={json.dumps(value)}") for key, value in changed.items()]
    return f" --set {' '.join(settings)}" if settings else ""


def data_facts(recipe: Recipe, origin: Origin) -> dict[str, Any]:
    """What a card says of the corpus; of one's own file no more than its name and hash, for no more is known."""
    file = {"file": origin["file"], "sha256": origin["sha256"]}
    if origin["unchecked"]:
        return {"corpus": "a file of one's own, not a known corpus (--unchecked)", **file}
    corpus = CORPORA[recipe.corpus]
    return {"corpus": corpus.title, "license": corpus.license, "splits": corpus.splits, **file}


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
    model_class, _ = KINDS[recipe.kind]
    model: Any = model_class(recipe.model)
    model.load_state_dict(tensors)
    tokenizer = tokens.from_dict(state.read_json(run / state.VOCABULARY))
    card = {
        "name": recipe.name,
        "description": recipe.description,
        "data": data_facts(recipe, header["corpus"]),
        "command": train_command(recipe, header["corpus"]["unchecked"]),
        "recipe": recipe.to_dict(),
        "step": header["step"],
        "seconds": round(header["seconds"]),
        **({"processor_seconds": round(worked)} if (worked := header.get("processor_seconds")) is not None else {}),
        "machine": header["machine"],
        "seed": recipe.seed,
        **({"classes": CLASSES} if recipe.task == "reviews" else {}),
        "quality": [],
    }
    return former.Bundle(model.eval(), tokenizer, recipe.model, card)


def export(run: Path, to: Path, replace: bool = False) -> list[Path]:
    """Writes a run's best weights, and its snapshots below them; returns the directories.

    A last snapshot that is the best weights themselves is not written twice.

    A run knows nothing of the trainings before it, whose weights it began with: where the card that is written over
    tells of them (`earlier`), the new one does too, if it began with the same.

    Args:
        run: the run's directory.
        to: where to.
        replace: whether a model that is there already may be written over.
    Raises:
        ValueError: the run has no weights yet, or there is a model already.
    """
    if (to / CARD).exists() and not replace:
        raise ValueError(f"--to must be a place without a model, and {to} has one; --replace writes over it")
    before = state.read_json(to / CARD) if (to / CARD).exists() else {}
    places = {to / path.stem: path for path in sorted(run.glob("snapshots/*.safetensors"))}
    last, written = next(reversed(places), None), {}  # place → step
    for place, weights in ({to: run / "best.safetensors"} | places).items():
        bundle = make_bundle(run, weights)
        if place == last and bundle.card["step"] == written[to]:
            continue
        written[place] = bundle.card["step"]
        if "earlier" in before and before["recipe"]["weights"] == bundle.card["recipe"]["weights"]:
            bundle.card["earlier"] = before["earlier"]
        former.save(bundle, place)
    for older in {card.parent for card in to.glob(f"step-*/{CARD}")} - written.keys():  # of the run before
        shutil.rmtree(older)
    return list(written)


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    """Nested names joined by dots."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= {f"{key}.{inner}": held for inner, held in value.items()}
        else:
            flat[key] = value
    return flat
