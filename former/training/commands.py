"""The commands: one function each, of the arguments that `former.training.__main__` parses."""

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
from former.checkpoints import CHECKPOINTS, folder_of
from former.checkpoints.files import write_card
from former.checks import require_positive
from former.training import data, export
from former.training.batches import last_words
from former.training.compute import choose_device, say_if_emulated, set_attention
from former.training.loop import Run
from former.training.measure import by_position, curve, evaluate, heads, lengths, memory, stretches
from former.training.parallel import processes
from former.training.recipes import RECIPES, Recipe
from former.training.tasks import TASKS, make_task

REVIEWS = 500  # of the validation split, for the command `heads`


def train(args: argparse.Namespace) -> None:
    """Trains a model in a run's folder; resumes the run if the folder has a saved state."""
    recipe = recipe_of_command(args)
    if args.profile_memory is not None:
        peaks = memory.profile(recipe, memory.ROWS)
        print(memory.to_text(peaks))
        if args.profile_memory:
            Path(args.profile_memory).write_text(memory.to_json(recipe, peaks), encoding="utf-8")
        return
    path = args.data or data.download(recipe.corpus, Path("data"))
    device = choose_device(args.device)
    say_if_emulated(recipe.precision, device)
    with processes(device) as group:
        out = args.out or Path("runs") / recipe.name
        task = make_task(recipe, path, args.unchecked or args.name is not None, out if group.first else None)
        Run(task.recipe, task, out, group, args.start).train()


def recipe_of_command(args: argparse.Namespace) -> Recipe:
    """Returns the recipe that the arguments of `train` describe."""
    recipe = RECIPES[args.recipe]
    if args.name is not None:
        recipe = recipe.with_name(args.name, args.description, RECIPES)
    return recipe.with_settings(args.set)


def evaluate_(args: argparse.Namespace) -> None:
    """Prints a model's quality on a whole split; with --record, stores it in the card."""
    if args.record and args.bytes is not None:
        raise ValueError("--record excludes --bytes: the card holds the result on the whole split")
    folder = folder_of(args.name)
    bundle = former.load(folder)
    recipe = recipe_of(bundle)
    path = args.data or data.download(recipe.corpus, Path("data"))
    device = choose_device(args.device or ("cpu" if args.precision == "int8" else None))
    say_if_emulated(args.precision, device)
    set_attention(bundle.model.to(device))
    if args.bytes is not None:
        require_positive("--bytes", args.bytes)
    measure = evaluate.Measure(
        split=args.split,
        stride=args.stride,
        precision=args.precision,
        most=args.bytes,
        unchecked=args.unchecked or is_own_corpus(bundle, path),
        device=device,
    )
    figure = {"split": args.split, "precision": args.precision}
    figure |= TASKS[recipe.task].evaluate(bundle, recipe, path, measure)
    precision = None if args.precision == "bf16" else args.precision
    options = {"split": args.split, "stride": args.stride, "precision": precision, "bytes": args.bytes}
    given = "".join(f" --{name} {value}" for name, value in options.items() if value)
    figure["command"] = f"python -m former.training evaluate {args.name}{data.CORPORA[recipe.corpus].argument}{given}"
    print(json.dumps(figure))
    if args.record:
        record(folder, bundle.card, figure)


def recipe_of(bundle: former.Bundle) -> Recipe:
    """Returns the recipe in a model's card; without one, that of the first shipped model of the same kind.

    Raises:
        ValueError: no recipe makes this kind of model.
    """
    if recipe := bundle.card.get("recipe"):
        return Recipe.from_dict(recipe)
    kind = type(bundle.model).__name__
    for recipe in RECIPES.values():
        if recipe.kind == kind:
            return replace(recipe, model=bundle.config)
    raise ValueError(f"NAME must be a kind of model that this trainer trains, got {kind}")


def is_own_corpus(bundle: former.Bundle, path: Path) -> bool:
    """Returns whether a file is the corpus that the model's card names, by its hash."""
    sha256 = bundle.card.get("data", {}).get("sha256")
    return path.is_file() and data.origin(path, unchecked=True)["sha256"] == sha256


def record(folder: Path, card: dict[str, Any], figure: dict[str, Any]) -> None:
    """Stores a result in the card of a model's folder; replaces an earlier result on the same split."""
    others = [other for other in card.get("quality", []) if other["split"] != figure["split"]]
    write_card(folder, card | {"quality": [*others, figure]})


def positions(args: argparse.Namespace) -> None:
    """Prints the loss of generators at each position, within and beyond the context length of training."""
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
    results = {
        name: (bundle, by_position.bits_by_position(bundle.model, text, begin, end, **sizes))
        for name, bundle in bundles.items()
    }
    print(by_position.to_text(results, args.width))
    if args.file:
        args.file.write_text(by_position.to_json(results, split=args.split, width=args.width, **sizes), "utf-8")


def sample(args: argparse.Namespace) -> None:
    """Prints a prompt and the text that a generator writes after it."""
    bundle = former.load(args.name)
    bundle.model.to(choose_device(args.device))
    print(f"{args.prompt}|{evaluate.sample(bundle, args.prompt, args.length, args.temperature, args.seed)}")


def heads_(args: argparse.Namespace) -> None:
    """Prints scores of each head of a generator, of `dates`, or of a classifier of reviews."""
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
        raise ValueError(f"NAME must be a generator, dates or a classifier, got {args.name!r}, a {kind}")


def scan_(args: argparse.Namespace) -> None:
    """Measures every head over passages of the validation text; saves the result next to the weights."""
    folder = folder_of(args.name)
    bundle = former.load(folder)
    recipe = recipe_of(bundle)
    path = args.data or data.download(recipe.corpus, Path("data"))
    result = stretches.scan_model(
        bundle,
        recipe,
        path,
        count=args.count,
        length=args.length,
        removals=args.removals,
        unchecked=args.unchecked or is_own_corpus(bundle, path),
        watch=tqdm,
    )
    print(heads.to_text({measure: result.of(measure) for measure in result.facts["measures"]}))
    print(scan.save(result, folder))


def curve_(args: argparse.Namespace) -> None:
    """Prints the bits per byte of each snapshot of a byte-level generator; a file also gets the scores of its heads."""
    recipe = recipe_of(former.load(args.name))
    path = args.data or data.download(recipe.corpus, Path("data"))
    bits = curve.measure(args.name, data.load_text(path, recipe.corpus, args.unchecked), args.bytes)
    print(*(f"{step:>7} {value:.4f}" for step, value in bits.items()), sep="\n")
    if args.file:
        args.file.write_text(
            curve.to_json(args.name, bits, curve.heads_by_step(args.name), args.bytes), encoding="utf-8"
        )


def lengths_(args: argparse.Namespace) -> None:
    """Prints the time to read a text for several lengths and models."""
    times = lengths.measure()
    print(lengths.to_text(lengths.LENGTHS, times))
    if args.file:
        args.file.write_text(lengths.to_json(lengths.LENGTHS, times), encoding="utf-8")


def export_(args: argparse.Namespace) -> None:
    """Copies a run's weights and card to a folder of `checkpoints/`, or to --to; prints each folder written."""
    run = args.out or Path("runs") / args.name
    for folder in export.export(run, args.to or CHECKPOINTS / args.name, args.replace, args.dtype):
        print(folder)
