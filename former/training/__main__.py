"""Trains, measures and exports the shipped models and your own."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

from former.checks import require_positive
from former.rounding import DTYPES
from former.training import commands, data
from former.training.compute import prepare
from former.training.measure import by_position, curve, evaluate, stretches
from former.training.recipes import RECIPES


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Parses the arguments of the command line; None for those of this process."""
    parser = argparse.ArgumentParser(prog="python -m former.training", description=__doc__)
    parser.add_argument("--threads", type=int, help="number of CPU threads (default: all)")
    names = parser.add_subparsers(dest="command", required=True)
    _add_train(names.add_parser("train", help="train a model, or resume its run"))
    _add_evaluate(names.add_parser("evaluate", help="measure a model on a whole split"))
    _add_positions(names.add_parser("positions", help="measure the loss of byte-level generators at each position"))
    _add_sample(names.add_parser("sample", help="print text that a generator writes"))

    heads_parser = names.add_parser("heads", help="print which heads look back, copy, align, or attend evenly")
    heads_parser.set_defaults(run=commands.heads_)
    heads_parser.add_argument("name", help=_NAME)
    _add_data(heads_parser)

    _add_scan(names.add_parser("scan", help="measure every head over many passages of the validation text"))

    curve_parser = names.add_parser("curve", help="measure each snapshot of a generator: bits per byte, heads")
    curve_parser.set_defaults(run=commands.curve_)
    curve_parser.add_argument("name", help=_NAME)
    curve_parser.add_argument("file", nargs="?", type=Path, help=_FILE)
    bytes_help = "number of bytes to read, from the beginning of the validation split"
    curve_parser.add_argument("--bytes", type=int, default=curve.BYTES, help=bytes_help)
    _add_data(curve_parser)

    lengths_parser = names.add_parser("lengths", help="measure reading time against text length, for three models")
    lengths_parser.set_defaults(run=commands.lengths_)
    lengths_parser.add_argument("file", nargs="?", type=Path, help=_FILE)

    export_parser = names.add_parser("export", help="copy a run's model into checkpoints/")
    export_parser.set_defaults(run=commands.export_)
    export_parser.add_argument("name", help="name of the model")
    export_parser.add_argument("--out", type=Path, help="folder of the run (default: runs/NAME)")
    export_parser.add_argument("--to", type=Path, help="folder to write (default: checkpoints/NAME)")
    export_parser.add_argument("--replace", action="store_true", help="overwrite a model that is already there")
    dtype_help = "of the saved numbers (default: f16); int8 takes half the space of f16"
    export_parser.add_argument("--dtype", choices=DTYPES, default="f16", help=dtype_help)
    return parser.parse_args(argv)


_NAME = "name of a model in checkpoints/, or path of a model's or run's folder"
_FILE = "also write the results to FILE as JSON, with machine and date"


def _add_train(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=commands.train)
    parser.add_argument("recipe", choices=sorted(RECIPES), metavar="RECIPE", help=", ".join(sorted(RECIPES)))
    parser.add_argument("--name", help="name of your own model, trained on any file")
    parser.add_argument("--description", default="", help="one sentence about it, for its card")
    parser.add_argument("--out", type=Path, help="folder of the run (default: runs/NAME)")
    parser.add_argument("--start", type=Path, help="saved state to start from, such as RUN/stable.safetensors")
    parser.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="FIELD=VALUE",
        help="change fields of the recipe, e.g. steps=9000 model.depth=12",
    )
    profiles = "print a step's peak memory instead of training; also write it to FILE if given"
    parser.add_argument("--profile-memory", nargs="?", const="", metavar="FILE", help=profiles)
    _add_data(parser)
    _add_device(parser)


def _add_evaluate(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=commands.evaluate_)
    parser.add_argument("name", help=_NAME)
    parser.add_argument("--split", choices=data.SPLITS, default="val", help="part of the corpus (default: val)")
    parser.add_argument("--stride", type=int, help="bytes between two windows (default: half of the context)")
    precision = "precision of matrix products (default: bf16)"
    parser.add_argument("--precision", choices=("bf16", "fp32", "int8"), default="bf16", help=precision)
    parser.add_argument("--bytes", type=int, help="bytes to read, from the beginning of the split (default: all)")
    parser.add_argument("--record", action="store_true", help="store the result in the model's card")
    _add_data(parser)
    _add_device(parser)


def _add_scan(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=commands.scan_)
    parser.add_argument("name", help=_NAME)
    parser.add_argument("--count", type=int, default=stretches.COUNT, help="number of passages")
    parser.add_argument("--length", type=int, default=stretches.LENGTH, help="tokens per passage, at most the context")
    removals = "number of passages on which each head is removed in turn"
    parser.add_argument("--removals", type=int, default=stretches.REMOVALS, help=removals)
    _add_data(parser)


def _add_positions(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=commands.positions, **by_position.DEFAULTS)
    parser.add_argument("names", nargs="+", metavar="NAME", help=_NAME)
    parser.add_argument("--split", choices=data.SPLITS, help="part of the corpus (default: val)")
    parser.add_argument("--length", type=int, help="bytes per window")
    parser.add_argument("--windows", type=int, help="number of windows, spread evenly over the split")
    parser.add_argument("--width", type=int, help="number of neighbouring positions averaged into one figure")
    parser.add_argument("--file", type=Path, help=_FILE)
    _add_data(parser)


def _add_sample(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=commands.sample)
    parser.add_argument("name", help=_NAME)
    parser.add_argument("--prompt", default=evaluate.ARTICLE_SEED, help="text to continue (default: the article's)")
    parser.add_argument("--length", type=int, default=400, help="number of tokens to write (default: 400)")
    parser.add_argument("--temperature", type=float, default=0.5, help="0: always the likeliest token (default: 0.5)")
    parser.add_argument("--seed", type=int, default=0, help="of the random draws (default: 0)")
    _add_device(parser)


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, help="file with the corpus (default: download it from its public home)")
    parser.add_argument("--unchecked", action="store_true", help="accept any file, not only known copies of the corpus")


def _add_device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", help="cpu, cuda or cuda:N (default: cuda if available)")


def main(argv: list[str] | None = None) -> int:
    """Runs a command; returns the exit status: 0, or 2 after a ValueError, whose message goes to stderr."""
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
