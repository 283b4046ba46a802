"""What each command does: functions of its arguments, as `former.training.__main__` parses them."""

from __future__ import annotations

import argparse
import json
import string
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

import former
from former.analysis import scan
from former.checkpoints import CHECKPOINTS, folder_of, write_card
from former.checks import require_positive
from former.training import data, export
from former.training.batches import last_words
from former.training.compute import choose_device, set_attention
from former.training.loop import Run
from former.training.measure import by_position, curve, evaluate, heads, lengths, memory, stretches
from former.training.parallel import processes
from former.training.recipes import RECIPES, Recipe
from former.training.tasks import TASKS, make_task

REVIEWS = 500  # that the heads of a classifier are measured on


def train(args: argparse.Namespace) -> None:
    """Trains, or goes on training."""
    recipe = recipe_of_command(args)
    if args.profile_memory is not None:
        peaks = memory.profile(recipe, memory.rows())
        print(memory.to_text(peaks))
        if args.profile_memory:
            Path(args.profile_memory).write_text(memory.to_json(recipe, peaks), encoding="utf-8")
        return
    path = args.data or data.download(recipe.corpus, Path("data"))
    with processes(choose_device(args.device)) as group:
        out = args.out or Path("runs") / recipe.name
        task = make_task(recipe, path, args.unchecked or args.name is not None, out if group.first else None)
        Run(task.recipe, task, out, group, args.start).train()


def recipe_of_command(args: argparse.Namespace) -> Recipe:
    """The recipe that the arguments of `train` make."""
    recipe = RECIPES[args.recipe]
    if args.name is not None:
        recipe = recipe.named(args.name, args.description, RECIPES)
    return recipe.changed(args.set)


def evaluate_(args: argparse.Namespace) -> None:
    """Prints a figure on a whole split; puts it in the card where asked."""
    if args.record and args.bytes is not None:
        raise ValueError("--record must be given without --bytes: the card holds the figure on the whole split")
    folder = folder_of(args.name)
    bundle = former.load(folder)
    recipe = recipe_of(bundle)
    path = args.data or data.download(recipe.corpus, Path("data"))
    device = choose_device(args.device or ("cpu" if args.precision == "int8" else None))
    set_attention(bundle.model.to(device))
    if args.bytes is not None:
        require_positive("--bytes", args.bytes)
    measure = evaluate.Measure(
        split=args.split,
        stride=args.stride,
        precision=args.precision,
        most=args.bytes,
        unchecked=args.unchecked or trained_on(bundle, path),
        device=device,
    )
    figure = {"split": args.split, "precision": args.precision}
    figure |= TASKS[recipe.task].evaluate(bundle, recipe, path, measure)
    figure["command"] = (
        f"python -m former.training evaluate {args.name}{data.CORPORA[recipe.corpus].argument} --split {args.split}"
    )
    if args.stride:
        figure["command"] += f" --stride {args.stride}"
    if args.precision != "bf16":
        figure["command"] += f" --precision {args.precision}"
    if args.bytes:
        figure["command"] += f" --bytes {args.bytes}"
    print(json.dumps(figure))
    if args.record:
        record(folder, bundle.card, figure)


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


def trained_on(bundle: former.Bundle, path: Path) -> bool:
    """Whether a file is the one that the model's card names as its corpus."""
    held = bundle.card.get("data", {}).get("sha256")
    return path.is_file() and data.origin(path, unchecked=True)["sha256"] == held


def record(folder: Path, card: dict[str, Any], figure: dict[str, Any]) -> None:
    """Puts a figure in a folder's card in place of the one on the same split; the weights stay as they are."""
    others = [held for held in card.get("quality", []) if held["split"] != figure["split"]]
    write_card(folder, card | {"quality": [*others, figure]})


def positions(args: argparse.Namespace) -> None:
    """Prints how well generators predict at each place, within and beyond what they were trained on."""
    for name in ("length", "windows", "width"):
        require_positive(f"--{name}", getattr(args, name))
    bundles = {name: former.load(name) for name in args.names}
    for name, bundle in bundles.items():
        curve.check_bytes(name, bundle)
    path = args.data or data.download("wiki100", Path("data"))
    content = data.load_text(path, "wiki100", args.unchecked)
    text = torch.frombuffer(bytearray(content), dtype=torch.uint8)
    begin, end = data.split_text(content)[args.split]
    sizes = {"length": args.length, "windows": args.windows}
    found = {
        name: (bundle, by_position.bits_by_position(bundle.model, text, begin, end, **sizes))
        for name, bundle in bundles.items()
    }
    print(by_position.to_text(found, args.width))
    if args.file:
        written = by_position.to_json(found, split=args.split, width=args.width, **sizes)
        args.file.write_text(written, encoding="utf-8")


def sample(args: argparse.Namespace) -> None:
    """Prints what a model writes."""
    bundle = former.load(args.name)
    bundle.model.to(choose_device(args.device))
    print(f"{args.prompt}|{evaluate.sample(bundle, args.prompt, args.length, args.temperature, args.seed)}")


def heads_(args: argparse.Namespace) -> None:
    """Prints what each head of a generator, of `dates` or of a classifier of reviews does."""
    bundle = former.load(args.name)
    if isinstance(bundle.model, former.Generator):
        letters = [i for letter in string.ascii_lowercase for i in bundle.tokenizer.encode(letter)]
        print(heads.to_text(heads.head_scores(bundle.model, letters=letters)))
    elif isinstance(bundle.model, former.EncoderDecoder) and bundle.card.get("recipe", {}).get("task") == "dates":
        print(heads.to_text(heads.year_scores(bundle.model)))
    elif isinstance(bundle.model, former.Classifier | former.BertClassifier):
        path = args.data or data.download("imdb", Path("data"))
        texts = data.load_reviews(path, "imdb", args.unchecked)["val"][:REVIEWS]
        most = bundle.config.seq_length
        print(
            heads.to_text(heads.even_scores(bundle.model, [last_words(bundle.tokenizer, r.text, most) for r in texts]))
        )
    else:
        kind = type(bundle.model).__name__
        raise ValueError(f"NAME must be a generator, dates or a classifier, got {args.name!r}, of {kind}")


def scan_(args: argparse.Namespace) -> None:
    """Measures every head over stretches of the validation text, and keeps what was found beside the weights."""
    folder = folder_of(args.name)
    bundle = former.load(folder)
    recipe = recipe_of(bundle)
    path = args.data or data.download(recipe.corpus, Path("data"))
    found = stretches.scanned(
        bundle,
        recipe,
        path,
        count=args.count,
        length=args.length,
        removals=args.removals,
        unchecked=args.unchecked or trained_on(bundle, path),
        watch=tqdm,
    )
    print(heads.to_text({measure: found.of(measure) for measure in found.facts["measures"]}))
    print(scan.save(found, folder))


def curve_(args: argparse.Namespace) -> None:
    """Prints what each snapshot of a generator of bytes is worth; a file has what its heads do there too."""
    recipe = recipe_of(former.load(args.name))
    path = args.data or data.download(recipe.corpus, Path("data"))
    bits = curve.measure(args.name, data.load_text(path, recipe.corpus, args.unchecked), args.bytes)
    print(*(f"{step:>7} {value:.4f}" for step, value in bits.items()), sep="\n")
    if args.file:
        args.file.write_text(curve.to_json(args.name, bits, curve.forming(args.name), args.bytes), encoding="utf-8")


def lengths_(args: argparse.Namespace) -> None:
    """Prints how the time to read a text grows with its length."""
    times = lengths.measure()
    print(lengths.to_text(lengths.LENGTHS, times))
    if args.file:
        args.file.write_text(lengths.to_json(lengths.LENGTHS, times), encoding="utf-8")


def export_(args: argparse.Namespace) -> None:
    """Writes a run's weights and card where `former.load` finds them."""
    run = args.out or Path("runs") / args.name
    for place in export.export(run, args.to or CHECKPOINTS / args.name, args.replace):
        print(place)
