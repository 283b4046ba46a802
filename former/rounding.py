"""Rounds the weights of a model to the numbers that its files hold: 16 bits each, or 8 bits with a factor for each row.

With "int8" a matrix is kept as `w ≈ scale · integer`, integers in [−127, 127] and one scale for each row, such that the
row's largest entry becomes 127; everything that is not a matrix is kept in float16.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "int8": torch.int8}
SCALE = ".scale"  # ends the name of a matrix's scales, which are stored in the same file


def to_int8(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Rounds a matrix to 8 bits, row by row.

    Args:
        matrix: (..., rows, columns), finite.
    Returns:
        The integers (..., rows, columns), int8, and the value of the integer 1 in each row (..., rows, 1).
    """
    scale = matrix.abs().amax(-1, keepdim=True).clamp_min(1e-30) / 127
    return (matrix / scale).round().to(torch.int8), scale


def rounded(state: Mapping[str, Tensor], dtype: str) -> dict[str, Tensor]:
    """Returns the tensors that a file holds for a model's `state_dict`.

    Args:
        state: name → float32 tensor.
        dtype: one of `DTYPES`.
    Returns:
        The same names; with "int8" also each matrix's scales, (..., rows, 1), as NAME.scale in float32.
    """
    result: dict[str, Tensor] = {}
    for name, tensor in state.items():
        if (to := _dtype(tensor, dtype)) == torch.int8:
            result[name], result[name + SCALE] = to_int8(tensor)
        else:
            result[name] = tensor.to(to)
    return result


def layout(state: Mapping[str, Tensor], dtype: str) -> dict[str, str]:
    """Returns dtype and shape of every tensor of `rounded`, such as "torch.int8 (256, 256)", without computing them."""
    result: dict[str, str] = {}
    for name, tensor in state.items():
        to = _dtype(tensor, dtype)
        result[name] = f"{to} {tuple(tensor.shape)}"
        if to == torch.int8:
            result[name + SCALE] = f"{torch.float32} {(*tensor.shape[:-1], 1)}"
    return result


def _dtype(tensor: Tensor, dtype: str) -> torch.dtype:
    """Returns the dtype of a tensor in a file: float16 for what is not a matrix, where matrices are int8."""
    return torch.float16 if dtype == "int8" and tensor.dim() < 2 else DTYPES[dtype]


def restored(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Returns the `state_dict`, in float32, whose rounded tensors a file holds."""
    weights = {name: tensor.float() for name, tensor in tensors.items()}
    scales = {name: weights.pop(name) for name in tensors if name.endswith(SCALE)}
    return {
        name: weight * scales[name + SCALE] if name + SCALE in scales else weight for name, weight in weights.items()
    }


def check_finite(state: Mapping[str, Tensor], dtype: str) -> None:
    """Raises ValueError unless all weights are finite; the message names the `dtype` to which they were rounded."""
    for name, tensor in state.items():
        if not tensor.isfinite().all():
            raise ValueError(f"weights must be finite numbers within the range of {dtype}, got others in {name}")
