"""Copies a run into a folder of `checkpoints/`: the weights, and a card that says how they were made."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any, Literal

import former
from former import tokens
from former.checkpoints import MODEL_KINDS
from former.checkpoints.files import CARD
from former.training import state
from former.training.data import CORPORA, Origin
from former.training.recipes import RECIPES, Recipe
from former.training.tasks.reviews import CLASSES


def train_command(recipe: Recipe, unchecked: bool = False) -> str:
    """Returns the command that trains a recipe's model again: with the recipe's name, and the settings changed by the
    user."""
    extra = settings_of(recipe)
    if recipe.base:
        extra = f" --name {shlex.quote(recipe.name)} --description {shlex.quote(recipe.description)}{extra}"
    elif unchecked:
        extra += " --unchecked"
    return f"python -m former.training train {recipe.base or recipe.name}{CORPORA[recipe.corpus].argument}{extra}"


def settings_of(recipe: Recipe) -> str:
    """Returns " --set FIELD=VALUE ..." for the fields that differ from the current recipe of this name, or ""."""
    now = _flat(RECIPES[recipe.base or recipe.name].to_dict())
    own = ("name", "base", "description")
    changed = {key: value for key, value in _flat(recipe.to_dict()).items() if key not in own and now[key] != value}
    settings = [shlex.quote(f"{key}={json.dumps(value)}") for key, value in changed.items()]
    return f" --set {' '.join(settings)}" if settings else ""


def data_facts(recipe: Recipe, origin: Origin) -> dict[str, Any]:
    """Returns the card's entry about the corpus. For a user's own file it has only the name and the hash."""
    file = {"file": origin["file"], "sha256": origin["sha256"]}
    if origin["unchecked"]:
        return {"corpus": "the user's own file, not a known corpus (--unchecked)", **file}
    corpus = CORPORA[recipe.corpus]
    return {"corpus": corpus.title, "license": corpus.license, "splits": corpus.splits, **file}


def make_bundle(run: Path, weights: Path) -> former.Bundle:
    """Loads a run's weights and tokenizer, and builds their card.

    Args:
        run: the run's folder.
        weights: a file of weights in it.
    Raises:
        ValueError: there is no such file.
    """
    if not weights.is_file():
        raise ValueError(f"--out must be the folder of a run with a validation, got {run}: no {weights.name}")
    tensors, header = state.read_tensors(weights)
    recipe = Recipe.from_dict(header["recipe"])
    model_class, _ = MODEL_KINDS[recipe.kind]
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


def export(run: Path, to: Path, replace: bool = False, dtype: Literal["f16", "bf16", "int8"] = "f16") -> list[Path]:
    """Writes a run's best weights, and its snapshots in folders below; returns these folders.

    If the last snapshot is of the step of the best weights, it is not written again.

    A run does not know the trainings that came before it. So if the card to be replaced lists them (`earlier`), and the
    run started from the same weights, the list is copied to the new card.

    Args:
        run: the run's folder.
        to: the folder to write.
        replace: whether to overwrite a model that is already there.
        dtype: of the saved numbers, as of `former.save`.
    Raises:
        ValueError: the run has no weights yet, or there is a model already.
    """
    if (to / CARD).exists() and not replace:
        raise ValueError(f"--to must be a folder without a model, got {to}; --replace overwrites its model")
    before = state.read_json(to / CARD) if (to / CARD).exists() else {}
    snapshots = {to / path.stem: path for path in sorted(run.glob("snapshots/*.safetensors"))}
    last, steps = next(reversed(snapshots), None), {}  # folder → step
    for folder, weights in ({to: run / "best.safetensors"} | snapshots).items():
        bundle = make_bundle(run, weights)
        if folder == last and bundle.card["step"] == steps[to]:
            continue
        steps[folder] = bundle.card["step"]
        if "earlier" in before and before["recipe"]["weights"] == bundle.card["recipe"]["weights"]:
            bundle.card["earlier"] = before["earlier"]
        former.save(bundle, folder, dtype)
    for stale in {card.parent for card in to.glob(f"step-*/{CARD}")} - steps.keys():  # snapshots of an earlier run
        shutil.rmtree(stale)
    return list(steps)


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    """Flattens nested dicts; joins their keys by dots."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= {f"{key}.{inner_key}": inner for inner_key, inner in value.items()}
        else:
            flat[key] = value
    return flat
