"""The results of the toy tasks of tab Learn: `python -m tests.bench.toys [--seeds 2]`.

Each is trained as the page trains it, on one thread, and asked 2,000 questions that training never saw.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

import torch

from former.training.tasks import toys
from tests.bench.app import Result, setting, table

ASKED = 2_000


def main() -> int:
    """Measures, prints the results, and returns 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description="the toy tasks, trained on one thread")
    parser.add_argument("--seeds", type=int, default=2)
    seeds = parser.parse_args().seeds
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    print(setting(), flush=True)
    results = [result for name in toys.TOYS for result in measured(name, seeds)]
    print(table(results))
    return 0 if all(result.passed for result in results) else 1


def measured(name: str, seeds: int) -> list[Result]:
    """Returns the accuracy of the worst of several seeds, and the processor time of the longest training."""
    shares, seconds = [], []
    for seed in range(1, seeds + 1):
        began = time.process_time()
        *_, last = toys.train(name, seed)
        seconds.append(time.process_time() - began)
        questions = toys.draw(name, ASKED, random.Random("bench"), unseen=True)
        shares.append(toys.share_right(last.model, *toys.rows(name, questions)))
        print(f"{name}, seed {seed}: {shares[-1]:.4f} right, {seconds[-1]:.1f} s", flush=True)
    repeats = f"the worst of {seeds} seeds, {ASKED} questions"
    return [
        Result(f"{name}: unseen questions answered wrongly", 100 * (1 - min(shares)), "%", 5, repeats),
        Result(f"{name}: processor time", max(seconds), "s", 45, "the longest"),
    ]


if __name__ == "__main__":
    sys.exit(main())
