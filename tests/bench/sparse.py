"""The speed and memory of sparse and dense attention, forward and backward: `python -m tests.bench.sparse`.

8 heads of size 32, stride √t. Three dense methods: the equation and torch's fused kernel, each with the strided mask,
and the fused kernel with a causal mask, which a dense twin of the model would run. Times are those of one forward and
one backward pass, measured as in `tests.bench.library`. Peak memory is what one such pass adds to the resident memory
of a fresh process. The equation runs up to 4,096 tokens; at 16,384 one of its tensors has 8.6 GB, and it keeps several.

`--file FILE` writes the measurements for tab Learn instead: processor time on one thread, the least of a few passes,
and peak memory, with the machine and the date.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from former import masks, sparse
from former.attention import attention_weights
from former.training.state import machine
from tests.bench.library import measure, report, setting, verdict

LENGTHS = (256, 1024, 4096, 16384)
EQUATION_UP_TO = 4096
HEADS, SIZE = 8, 32
TIME = {4096: 3.5, 16384: 5.0}  # the bars: times as fast as the fastest dense way
MEMORY = 4.0  # the bar: how many times less than the equation

STRIDED, FIXED, MASKED, CAUSAL, EQUATION = "strided", "fixed", "fused, masked", "fused, causal", "equation"


def main() -> int:
    """Measures, prints the table, and returns 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description="sparse attention beside dense attention")
    parser.add_argument("--rounds", type=int, default=15, help="up to 4,096 tokens; a third of them beyond")
    parser.add_argument("--peak", nargs=2, metavar=("WAY", "TOKENS"), help="print one way's peak memory in MB, and end")
    parser.add_argument("--file", type=Path, help="write times and memory there, with machine and date, and end")
    options = parser.parse_args()
    if options.file:
        options.file.write_text(json.dumps(record(), indent=1) + "\n", encoding="utf-8")
        return 0
    if options.peak:
        print(peak(options.peak[0], int(options.peak[1])))
        return 0
    print(setting())
    passed = [at_length(t, options.rounds if t <= EQUATION_UP_TO else max(3, options.rounds // 3)) for t in LENGTHS]
    return 0 if all(passed) else 1


def at_length(t: int, rounds: int) -> bool:
    """Prints the table for one length; returns whether its bars are met."""
    print(f"\n{t} tokens, forward and backward{'':7}{'ms':>9}{'×':>7}  samples")
    names = [STRIDED, FIXED, MASKED, CAUSAL] + ([EQUATION] if t <= EQUATION_UP_TO else [])
    medians = report(measure({name: way(name, t) for name in names}, rounds), CAUSAL, 1e3)
    fastest = min(names[2:], key=lambda name: medians[name])
    passed = verdict(f"against {fastest}", medians[fastest] / medians[STRIDED], TIME.get(t))
    verdict(f"against {MASKED}, which gives the same", medians[MASKED] / medians[STRIDED], None)
    peaks = {name: peak_of_fresh_process(name, t) for name in names}
    print("  peak memory, MB: " + ", ".join(f"{name} {mb:.1f}" for name, mb in peaks.items()))
    if EQUATION in peaks:
        # Below 1,024 tokens both are less than a process gains by itself.
        bar = MEMORY if t >= 1024 else None
        passed &= verdict("less memory than the equation", peaks[EQUATION] / peaks[STRIDED], bar)
    return passed


def record(lengths: tuple[int, ...] = LENGTHS, rounds: int = 3) -> dict[str, Any]:
    """Returns the measurements of each method at each length; null if it would take too long (`EQUATION_UP_TO`).

    Processor time, because other work on the machine makes a pass longer by the clock and not by that; of several
    passes the least, for the same reason.
    """
    torch.set_num_threads(1)
    ways: dict[str, dict[str, list[float | None]]] = {}
    for name in (STRIDED, FIXED, CAUSAL, MASKED, EQUATION):
        most = lengths[-1] if name in (STRIDED, FIXED, CAUSAL) else EQUATION_UP_TO
        measured = [once(name, t, rounds if t <= EQUATION_UP_TO else 1) if t <= most else (None, None) for t in lengths]
        ways[name] = {"milliseconds": [ms for ms, _ in measured], "megabytes": [mb for _, mb in measured]}
    return {
        "command": "python -m tests.bench.sparse --file FILE",
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "machine": machine(torch.device("cpu")),
        "shape": {"heads": HEADS, "size": SIZE},
        "lengths": list(lengths),
        "ways": ways,
    }


def once(name: str, t: int, rounds: int) -> tuple[float, float]:
    """Returns the processor time of one pass in ms (the smallest of several), and the MB by which it raises this
    process's memory."""
    way(name, 64)()
    run = way(name, t)
    ctypes.CDLL(None).malloc_trim(0)  # what earlier passes left goes back to the system
    Path("/proc/self/clear_refs").write_text("5")  # and Linux counts the peak anew
    before, taken = resident("VmRSS"), []
    for _ in range(rounds):
        began = time.process_time()
        run()
        taken.append(1000 * (time.process_time() - began))
    return round(min(taken), 2), round((resident("VmHWM") - before) / 1024, 1)


def way(name: str, t: int) -> Callable[[], object]:
    """Returns a function that makes one forward and one backward pass over new inputs."""
    size = math.isqrt(t)
    rng = torch.Generator().manual_seed(0)
    q, k, v, upstream = torch.randn(4, 1, HEADS, t, SIZE, generator=rng).unbind()
    leaves = tuple(x.clone().requires_grad_() for x in (q, k, v))
    mask = masks.strided(t, size) if name in (MASKED, EQUATION) else None
    ways: dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
        STRIDED: lambda q, k, v: sparse.attend(q, k, v, "strided", size),
        FIXED: lambda q, k, v: sparse.attend(q, k, v, "fixed", size),
        MASKED: lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=mask),
        CAUSAL: lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        EQUATION: lambda q, k, v: attention_weights(q, k, mask)[1] @ v,
    }
    return lambda: torch.autograd.grad(ways[name](*leaves), leaves, upstream)


def peak(name: str, t: int) -> float:
    """Returns the most MB by which this process's resident memory grows in one pass, after a small warm-up pass."""
    way(name, 64)()
    run = way(name, t)
    before = resident("VmRSS")
    run()
    return (resident("VmHWM") - before) / 1024


def peak_of_fresh_process(name: str, t: int) -> float:
    """Measures `peak` in a new process."""
    command = [sys.executable, "-m", "tests.bench.sparse", "--peak", name, str(t)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def resident(field: str) -> int:
    """Returns a field of this process's memory statistics on Linux, in kB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


if __name__ == "__main__":
    sys.exit(main())
