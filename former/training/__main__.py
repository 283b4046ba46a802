"""The command line: `python -m former.training train|evaluate|sample|heads|export NAME`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

import former
from former.checkpoints import CARD, CHECKPOINTS, _to_json
from former.training import data, evaluate, export, heads, memory
from former.training.loop import Run, keep_freed_memory
from former.training.parallel import processes
from former.training.recipes import RECIPES, Recipe
from former.training.tasks import TASKS, make_task


def train(args: argparse.Namespace) -> None:
    """Trains, or goes on training."""
    recipe = RECIPES[args.name].changed(args.set)
    if args.profile_memory:
        print(memory.to_text(memory.profile(recipe, memory.rows())))
        return
    path = args.data or data.download(recipe.corpus, Path("data"))
    with processes() as group:
        Run(recipe, make_task(recipe, path, args.unchecked), args.out, group, args.start).train()


def evaluate_(args: argparse.Namespace) -> None:
    """Prints a figure on a whole split; puts it in the card where asked."""
    if args.record and args.bytes is not None:
        raise ValueError("--record must be given without --bytes: the card holds the figure on the whole split")
    folder = folder_of(args.name)
    bundle = former.load(folder)
    recipe = recipe_of(bundle)
    path = args.data or data.download(recipe.corpus, Path("data"))
    measure = evaluate.Measure(
        split=args.split, stride=args.stride, precision=args.precision, most=args.bytes, unchecked=args.unchecked
    )
    figure = {"split": args.split, "precision": args.precision}
    figure |= TASKS[recipe.task].evaluate(bundle, recipe, path, measure)
    figure["command"] = f"python -m former.training evaluate {args.name} --data DATA --split {args.split}"
    if args.stride:
        figure["command"] += f" --stride {args.stride}"
    if args.precision != "bf16":
        figure["command"] += f" --precision {args.precision}"
    if args.bytes:
        figure["command"] += f" --bytes {args.bytes}"
    print(json.dumps(figure))
    if args.record:
        record(folder, bundle.card, figure)


def folder_of(name: str) -> Path:
    """The folder that `former.load` takes for a name: one of the shipped models first, then a path."""
    shipped = CHECKPOINTS / name
    return shipped if (shipped / CARD).is_file() else Path(name)


def recipe_of(bundle: former.Bundle) -> Recipe:
    """The recipe in a model's card; without one, as if it were a shipped model's of its kind.

    Raises:
        ValueError: a kind of model that no recipe makes.
    """
    if held := bundle.card.get("recipe"):
        return Recipe.from_dict(held)
    kind = type(bundle.model).__name__
    for recipe in RECIPES.values():
        if recipe.kind == kind:
            return replace(recipe, model=bundle.config)
    raise ValueError(f"NAME must be of a kind that a recipe makes, got a {kind}")


def record(folder: Path, card: dict[str, Any], figure: dict[str, Any]) -> None:
    """Puts a figure in a folder's card in place of the one on the same split; the weights stay as they are."""
    others = [held for held in card.get("quality", []) if held["split"] != figure["split"]]
    unfinished = folder / f"{CARD}.unfinished"
    unfinished.write_text(_to_json(card | {"quality": [*others, figure]}), encoding="utf-8")
    os.replace(unfinished, folder / CARD)


def sample(args: argparse.Namespace) -> None:
    """Prints what a model writes."""
    print(
        args.prompt
        + "|"
        + evaluate.sample(former.load(args.name), args.prompt, args.length, args.temperature, args.seed)
    )


def heads_(args: argparse.Namespace) -> None:
    """Prints what each head of a generator does."""
    model = former.load(args.name).model
    if not isinstance(model, former.Generator):
        raise ValueError(f"NAME must be a generator, got {args.name!r}, a classifier")
    print(heads.to_text(heads.head_scores(model)))


def export_(args: argparse.Namespace) -> None:
    """Writes a run's weights and card where `former.load` finds them."""
    for place in export.export(args.out, args.to or CHECKPOINTS / args.name):
        print(place)


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """The arguments."""
    parser = argparse.ArgumentParser(prog="python -m former.training", description=__doc__)
    parser.add_argument("--threads", type=int, help="processor threads (default: all)")
    commands = parser.add_subparsers(dest="command", required=True)

    one = commands.add_parser("train", help="train a model, or go on where its run was left")
    one.set_defaults(run=train)
    one.add_argument("name", choices=sorted(RECIPES))
    _data_arguments(one)
    one.add_argument("--start", type=Path, help="a saved state to begin from, such as RUN/stable.safetensors")
    one.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="FIELD=VALUE",
        help="change the recipe, e.g. steps=9000",
    )
    one.add_argument("--profile-memory", action="store_true", help="print a step's peak memory, then stop")

    one = commands.add_parser("evaluate", help="a shipped model's figure on a whole split")
    one.set_defaults(run=evaluate_)
    one.add_argument("name", help="a name in checkpoints/, or a directory")
    _data_arguments(one)
    one.add_argument("--split", choices=data.SPLITS, default="val")
    one.add_argument("--stride", type=int, help="bytes each window moves on (default: half of the context)")
    one.add_argument("--precision", choices=("bf16", "fp32", "int8"), default="bf16", help="of the products")
    one.add_argument("--bytes", type=int, help="of a text's split, from its beginning (default: all)")
    one.add_argument("--record", action="store_true", help="put the figure in the model's card")

    one = commands.add_parser("sample", help="what a generator writes")
    one.set_defaults(run=sample)
    one.add_argument("name", help="a name in checkpoints/, or a directory")
    one.add_argument("--prompt", default=evaluate.ARTICLE_SEED)
    one.add_argument("--length", type=int, default=400, help="bytes to write")
    one.add_argument("--temperature", type=float, default=0.5)
    one.add_argument("--seed", type=int, default=0)

    one = commands.add_parser("heads", help="which heads of a generator look at the token before, and which copy")
    one.set_defaults(run=heads_)
    one.add_argument("name", help="a name in checkpoints/, or a directory")

    one = commands.add_parser("export", help="from a run to a directory in checkpoints/")
    one.set_defaults(run=export_)
    one.add_argument("name", choices=sorted(RECIPES))
    one.add_argument("--out", type=Path, help="the run's directory (default: runs/NAME)")
    one.add_argument("--to", type=Path, help="where to (default: checkpoints/NAME)")

    args = parser.parse_args(argv)
    if "out" in args:
        args.out = args.out or Path("runs") / args.name
    return args


def _data_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, help="the corpus, a file; without it, it is fetched from its public home")
    parser.add_argument("--unchecked", action="store_true", help="take a corpus of your own")
    parser.add_argument("--out", type=Path, help="the run's directory (default: runs/NAME)")


def main(argv: list[str] | None = None) -> int:
    """Runs a command; 2 where it cannot be done as asked."""
    args = parse(argv)
    keep_freed_memory()
    torch.set_float32_matmul_precision("medium")  # oneDNN's products on AMD
    if args.threads:
        torch.set_num_threads(args.threads)
    try:
        args.run(args)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
