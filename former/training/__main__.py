"""The command line: `python -m former.training train|evaluate|positions|sample|heads|scan|curve|lengths|export`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

from former.checks import require_positive
from former.training import commands, data
from former.training.compute import prepare
from former.training.measure import by_position, curve, evaluate, stretches
from former.training.recipes import RECIPES


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """The arguments."""
    parser = argparse.ArgumentParser(prog="python -m former.training", description=__doc__)
    parser.add_argument("--threads", type=int, help="processor threads (default: all)")
    names = parser.add_subparsers(dest="command", required=True)
    _add_train(names.add_parser("train", help="train a model, or go on where its run was left"))
    _add_evaluate(names.add_parser("evaluate", help="a model's figure on a whole split"))
    _add_positions(names.add_parser("positions", help="how well generators of bytes predict, place by place"))
    _add_sample(names.add_parser("sample", help="what a generator writes"))

    heads_parser = names.add_parser("heads", help="which heads look back, copy, align, or look at all alike")
    heads_parser.set_defaults(run=commands.heads_)
    heads_parser.add_argument("name", help=_NAME)
    _add_data(heads_parser)

    _add_scan(names.add_parser("scan", help="what every head does over many stretches of the validation text"))

    curve_parser = names.add_parser("curve", help="each snapshot of a generator's training: bits per byte, heads")
    curve_parser.set_defaults(run=commands.curve_)
    curve_parser.add_argument("name", help=_NAME)
    curve_parser.add_argument("file", nargs="?", type=Path, help="write it there too, with machine and date")
    curve_parser.add_argument("--bytes", type=int, default=curve.BYTES, help="of the validation split, from its begin")
    _add_data(curve_parser)

    lengths_parser = names.add_parser("lengths", help="how reading time grows with a text, of three kinds of model")
    lengths_parser.set_defaults(run=commands.lengths_)
    lengths_parser.add_argument("file", nargs="?", type=Path, help="write it there too, with machine and date")

    export_parser = names.add_parser("export", help="from a run to a folder in checkpoints/")
    export_parser.set_defaults(run=commands.export_)
    export_parser.add_argument("name", help="the model's name")
    export_parser.add_argument("--out", type=Path, help="the run's folder (default: runs/NAME)")
    export_parser.add_argument("--to", type=Path, help="where to (default: checkpoints/NAME)")
    export_parser.add_argument("--replace", action="store_true", help="write over a model that is there already")
    return parser.parse_args(argv)


_NAME = "a name in checkpoints/, or a folder: a run's too"


def _add_train(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=commands.train)
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
    parser.set_defaults(run=commands.evaluate_)
    parser.add_argument("name", help=_NAME)
    parser.add_argument("--split", choices=data.SPLITS, default="val")
    parser.add_argument("--stride", type=int, help="bytes each window moves on (default: half of the context)")
    parser.add_argument("--precision", choices=("bf16", "fp32", "int8"), default="bf16", help="of the products")
    parser.add_argument("--bytes", type=int, help="of a text's split, from its beginning (default: all)")
    parser.add_argument("--record", action="store_true", help="put the figure in the model's card")
    _add_data(parser)
    _add_device(parser)


def _add_scan(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=commands.scan_)
    parser.add_argument("name", help=_NAME)
    parser.add_argument("--count", type=int, default=stretches.COUNT, help="stretches to read")
    parser.add_argument("--length", type=int, default=stretches.LENGTH, help="tokens of each, at most the context")
    removals = "stretches on which each head is removed in turn"
    parser.add_argument("--removals", type=int, default=stretches.REMOVALS, help=removals)
    _add_data(parser)


def _add_positions(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=commands.positions, **by_position.USUAL)
    parser.add_argument("names", nargs="+", metavar="NAME", help=_NAME)
    parser.add_argument("--split", choices=data.SPLITS)
    parser.add_argument("--length", type=int, help="bytes of a window")
    parser.add_argument("--windows", type=int, help="how many, spread evenly over the split")
    parser.add_argument("--width", type=int, help="places whose mean is one figure")
    parser.add_argument("--file", type=Path, help="write the figures to it, with machine and date")
    _add_data(parser)


def _add_sample(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=commands.sample)
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
    try:
        if args.threads is not None:
            require_positive("--threads", args.threads)
            torch.set_num_threads(args.threads)
        args.run(args)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
