"""Computes training steps: the device, the precision of products, compilation, and settings of the whole process."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
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
    """Returns the device called "cpu", "cuda", "cuda:1" and so on; by default CUDA if available, else the CPU.

    Raises:
        ValueError: the machine has no such device.
    """
    try:
        device = torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:  # torch asserts that it was built for the device
        raise ValueError(f"--device must be cpu, or cuda if available, got {name!r} ({_first_line(error)})") from error
    return device


def prepare() -> None:
    """Configures the process for fast training steps: it keeps freed memory, large tensors lie in large pages, and a
    CPU may compute fp32 products in its own faster way. To be called before the first tensor is made,
    when PyTorch reads its settings."""
    keep_freed_memory()
    # Pages of 2 MB, on Linux: in a virtual machine, a step of `generator` took 0.92 times as long.
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
    if not torch.cuda.is_available() and not torch.cpu._is_amx_tile_supported():  # with AMX, "medium" means bf16
        torch.set_float32_matmul_precision("medium")  # lets AMD processors use oneDNN's products


def keep_freed_memory() -> None:
    """Configures glibc to keep freed memory; by default attention's buffers are unmapped and mapped again each step."""
    with contextlib.suppress(OSError, AttributeError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        for option, value in ((-4, 0), (-1, 2**31 - 1), (-2, 2**28)):  # MMAP_MAX, TRIM_THRESHOLD, TOP_PAD
            mallopt(option, value)


def products(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """Context manager: matrix products run in `precision`, "bf16" or "fp32"; weights, losses and optimiser stay in
    fp32."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16")


def say_if_emulated(precision: str, device: torch.device) -> None:
    """Says on stderr that the processor computes bf16 without instructions for it: a step of `bert-films` then took 36
    times as long as in fp32, on a Zen 3."""
    if precision == "bf16" and device.type == "cpu" and not _has_bf16():
        cure = "choose fp32, by --set precision=fp32 for train and by --precision fp32 for evaluate"
        print(f"this processor has no instructions for bf16, which is very slow here: {cure}", file=sys.stderr)


def _has_bf16() -> bool:
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    return not x86 or torch.ops.mkldnn._is_mkldnn_bf16_supported()


def set_attention(model: nn.Module, attention: str = "auto") -> None:
    """Selects how a model computes attention: by the "equation", by PyTorch's fused "kernel", or "auto", by the faster
    of the two.

    Compiled for a CPU, the equation takes little more than half of the kernel's time, forward and backward. On a GPU
    the kernel is faster, because it never writes the scores to memory.
    """
    by_device = device_of(model).type == "cpu"
    by_equation(model, by_device if attention == "auto" else attention == "equation")


def try_compile(function: Callable[..., Any], device: torch.device, **options: Any) -> Callable[..., Any]:
    """Returns `torch.compile(function)`, or, if torch.compile does not work here, the function itself.

    The usual reason is a missing C++ compiler; one line on stderr says so. A trivial function is compiled to find out,
    so an error in compiling `function` itself is still raised.
    """
    try:
        torch.compile(lambda x: x + 1)(torch.zeros(1, device=device))
    except RuntimeError as error:
        print(f"running uncompiled, slower: torch.compile does not work here ({_first_line(error)})", file=sys.stderr)
        return function
    torch._dynamo.config.recompile_limit = 64  # one graph for each padded length of reviews
    return torch.compile(function, **options)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
