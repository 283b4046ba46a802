"""How a step is computed: the device, the precision of products, compilation, and what a process is set to once."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import nn

from former.attention import by_equation
from former.training.batches import device_of

CPU = torch.device("cpu")


def choose_device(name: str | None = None) -> torch.device:
    """The device of a name such as "cpu", "cuda" or "cuda:1"; without one, CUDA where there is one.

    Raises:
        ValueError: a device that is not there.
    """
    try:
        device = torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:  # torch asserts that it was built for the device
        raise ValueError(f"--device must be cpu, or cuda where there is one, got {name!r} ({_line(error)})") from error
    return device


def prepare() -> None:
    """Sets what holds for the whole process: memory, fp32 products on a CPU, and how many graphs may be compiled."""
    keep_freed_memory()
    if not torch.cuda.is_available() and not torch.cpu._is_amx_tile_supported():  # where it would mean bf16
        torch.set_float32_matmul_precision("medium")  # oneDNN's products on AMD
    torch._dynamo.config.recompile_limit = 64  # a graph for each length of reviews


def keep_freed_memory() -> None:
    """Tells glibc to keep freed memory: else it hands attention's buffers back and faults them in again each step."""
    with contextlib.suppress(OSError, AttributeError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        for option, value in ((-4, 0), (-1, 2**31 - 1), (-2, 2**28)):  # MMAP_MAX, TRIM_THRESHOLD, TOP_PAD
            mallopt(option, value)


def products(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """Within it, products are made in "bf16" or "fp32"; weights, sums of losses and the optimiser stay in fp32."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16")


def set_attention(model: nn.Module, attention: str = "auto") -> None:
    """Whether a model attends by the equation or by PyTorch's kernel.

    Compiled for a CPU, the equation takes little more than half of the kernel's time, forward and backward; a GPU's
    kernel never writes the scores to memory.
    """
    by_device = device_of(model).type == "cpu"
    by_equation(model, by_device if attention == "auto" else attention == "equation")


def compiled(function: Callable[..., Any], device: torch.device, **options: Any) -> Callable[..., Any]:
    """`torch.compile(function)`; the function itself, and one line on stderr, where nothing can be compiled.

    The usual reason is that no C++ compiler is installed. It is found out by compiling next to nothing: what the
    compiler says of the function itself is an error of ours and is raised.
    """
    try:
        torch.compile(lambda x: x + 1)(torch.zeros(1, device=device))
    except RuntimeError as error:
        print(f"not compiled, so slower: torch.compile does not work here ({_line(error)})", file=sys.stderr)
        return function
    return torch.compile(function, **options)


def _line(error: Exception) -> str:
    """The first line of a message."""
    return str(error).strip().partition("\n")[0]
