"""The command line: `python -m former.training train|evaluate|positions|sample|heads|scan|curve|lengths|export`."""

from __future__ import annotations

import argparse
import json
import string
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

import former
from former import scan
from former.checkpoints import CHECKPOINTS, folder_of, write_card
from former.checks import require_positive
from former.training import by_position, curve, data, evaluate, export, heads, lengths, memory, stretches
from former.training.compute import choose_device, prepare, set_attention
from former.training.loop import Run
from former.training.parallel import processes
from former.training.recipes import RECIPES, Recipe
from former.training.tasks import TASKS, make_task


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
    if others := [name for name, bundle in bundles.items() if not isinstance(bundle.model, former.Generator)]:
        raise ValueError(f"NAME must be a generator, got {others[0]!r}")
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
    """Prints what each head of a generator, or of `dates`, does."""
    bundle = former.load(args.name)
    if isinstance(bundle.model, former.Generator):
        letters = [i for letter in string.ascii_lowercase for i in bundle.tokenizer.encode(letter)]
        print(heads.to_text(heads.head_scores(bundle.model, letters=letters)))
    elif isinstance(bundle.model, former.EncoderDecoder) and bundle.card.get("recipe", {}).get("task") == "dates":
        print(heads.to_text(heads.year_scores(bundle.model)))
    else:
        raise ValueError(f"NAME must be a generator or dates, got {args.name!r}, of {type(bundle.model).__name__}")


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


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """The arguments."""
    parser = argparse.ArgumentParser(prog="python -m former.training", description=__doc__)
    parser.add_argument("--threads", type=int, help="processor threads (default: all)")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_train(commands.add_parser("train", help="train a model, or go on where its run was left"))
    _add_evaluate(commands.add_parser("evaluate", help="a model's figure on a whole split"))
    _add_positions(commands.add_parser("positions", help="how well generators of bytes predict, place by place"))
    _add_sample(commands.add_parser("sample", help="what a generator writes"))

    heads_parser = commands.add_parser("heads", help="which heads of a generator look back or copy, and of dates align")
    heads_parser.set_defaults(run=heads_)
    heads_parser.add_argument("name", help=_NAME)

    _add_scan(commands.add_parser("scan", help="what every head does over many stretches of the validation text"))

    curve_parser = commands.add_parser("curve", help="each snapshot of a generator's training: bits a byte, heads")
    curve_parser.set_defaults(run=curve_)
    curve_parser.add_argument("name", help=_NAME)
    curve_parser.add_argument("file", nargs="?", type=Path, help="write it there too, with machine and date")
    curve_parser.add_argument("--bytes", type=int, default=curve.BYTES, help="of the validation split, from its begin")
    _add_data(curve_parser)

    lengths_parser = commands.add_parser("lengths", help="how reading time grows with a text, of three kinds of model")
    lengths_parser.set_defaults(run=lengths_)
    lengths_parser.add_argument("file", nargs="?", type=Path, help="write it there too, with machine and date")

    export_parser = commands.add_parser("export", help="from a run to a folder in checkpoints/")
    export_parser.set_defaults(run=export_)
    export_parser.add_argument("name", help="the model's name")
    export_parser.add_argument("--out", type=Path, help="the run's folder (default: runs/NAME)")
    export_parser.add_argument("--to", type=Path, help="where to (default: checkpoints/NAME)")
    export_parser.add_argument("--replace", action="store_true", help="write over a model that is there already")
    return parser.parse_args(argv)


_NAME = "a name in checkpoints/, or a folder: a run's too"


def _add_train(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=train)
    parser.add_argument("recipe", choices=sorted(RECIPES))
    parser.add_argument("--name", help="what to call a model of your own; its corpus may be any")
    parser.add_argument("--description", default="", help="one sentence about it, for its card")
    parser.add_argument("--out", type=Path, help="the run's folder (default: runs/NAME)")
    parser.add_argument("--start", type=Path, help="a saved state to begin from, such as RUN/stable.safetensors")
    parser.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="FIELD=VALUE",
        help="change the recipe, e.g. steps=9000 model.depth=12",
    )
    profiles = "print a step's peak memory, write it to FILE with machine and date, then stop"
    parser.add_argument("--profile-memory", nargs="?", const="", metavar="FILE", help=profiles)
    _add_data(parser)
    _add_device(parser)


def _add_evaluate(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=evaluate_)
    parser.add_argument("name", help=_NAME)
    parser.add_argument("--split", choices=data.SPLITS, default="val")
    parser.add_argument("--stride", type=int, help="bytes each window moves on (default: half of the context)")
    parser.add_argument("--precision", choices=("bf16", "fp32", "int8"), default="bf16", help="of the products")
    parser.add_argument("--bytes", type=int, help="of a text's split, from its beginning (default: all)")
    parser.add_argument("--record", action="store_true", help="put the figure in the model's card")
    _add_data(parser)
    _add_device(parser)


def _add_scan(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=scan_)
    parser.add_argument("name", help=_NAME)
    parser.add_argument("--count", type=int, default=stretches.COUNT, help="stretches to read")
    parser.add_argument("--length", type=int, default=stretches.LENGTH, help="tokens of each, at most the context")
    removals = "stretches on which each head is removed in turn"
    parser.add_argument("--removals", type=int, default=stretches.REMOVALS, help=removals)
    _add_data(parser)


def _add_positions(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=positions)
    parser.add_argument("names", nargs="+", metavar="NAME", help=_NAME)
    parser.add_argument("--split", choices=data.SPLITS, default="val")
    parser.add_argument("--length", type=int, default=768, help="bytes of a window")
    parser.add_argument("--windows", type=int, default=2000, help="how many, spread evenly over the split")
    parser.add_argument("--width", type=int, default=16, help="places whose mean is one figure")
    parser.add_argument("--file", type=Path, help="write the figures to it, with machine and date")
    _add_data(parser)


def _add_sample(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=sample)
    parser.add_argument("name", help=_NAME)
    parser.add_argument("--prompt", default=evaluate.ARTICLE_SEED)
    parser.add_argument("--length", type=int, default=400, help="bytes to write")
    parser.add_argument("--temperature", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=0)
    _add_device(parser)


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, help="the corpus, a file; without it, it is fetched from its public home")
    parser.add_argument("--unchecked", action="store_true", help="take any file, not only a known copy of the corpus")


def _add_device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", help="cpu, cuda or cuda:N (default: CUDA where there is one)")


def main(argv: list[str] | None = None) -> int:
    """Runs a command; 2 where it cannot be done as asked."""
    args = parse(argv)
    prepare()
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
