"""Sparse attention at the cost of the cells that its pattern allows: about t√t for a size near √t.

A dense kernel computes all t² scores and discards most of them. Here the tokens are split into blocks of `size`, and
each pattern of `former.masks` is divided into two or three parts, each a batch of small dense products (Child et al.
2019, "Generating Long Sequences with Sparse Transformers", section 5.5):

    own        every block with itself: the keys up to the query
    previous   every block with the one before it: the keys that are still in the window
    column     tokens at the same position of their blocks: the keys of earlier blocks
    summary    every query with the last token of each earlier block

    local = own + previous        strided = own + previous + column        fixed = own + summary

No cell is in two parts, so parts can be combined by their sums of exponentials. With L_p = log Σ_j exp(score_ij) over
the keys of part p, and L = log Σ_p exp(L_p), the output is Σ_p exp(L_p − L) · out_p.

Sizes: b batch, h heads, t tokens, s size of one head; n blocks of l tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from former import masks
from former.checks import require_choice, require_positive

PATTERNS = ("local", "strided", "fixed")
MOST_WEIGHTS = 1024  # most tokens for which an observer can get (dense) scores and weights
_LOWEST = torch.finfo(torch.float32).min / 2  # in effect −∞, but the softmax of a fully masked row stays finite


def attend(q: Tensor, k: Tensor, v: Tensor, kind: str, size: int) -> Tensor:
    """Computes the same as `attention.attend` under `masks.named(kind, t, size)`, also the gradients, without a t²
    tensor.

    Args:
        q, k, v: (b, h, t, s), t at least 1.
        kind: "local", "strided" or "fixed".
        size: the window or the stride, at least 1; the work is least near √t.
    Returns:
        out (b, h, t, s).
    Raises:
        ValueError: an unknown kind, a size below 1, or tensors that are not of one non-empty shape (b, h, t, s).
        RuntimeError: if second derivatives are computed.
    """
    require_choice("kind", kind, PATTERNS)
    require_positive("size", size)
    if q.dim() != 4 or not q.shape == k.shape == v.shape or q.numel() == 0:
        shapes = ", ".join(str(tuple(x.shape)) for x in (q, k, v))
        raise ValueError(f"q, k and v must have one shape (b, h, t, s), each size at least 1, got {shapes}")
    if not q.is_floating_point() or not q.dtype == k.dtype == v.dtype:
        raise ValueError(f"q, k and v must be floating point of one dtype, got {q.dtype}, {k.dtype} and {v.dtype}")
    b, _, t, _ = q.shape
    size = min(size, t)  # from t on every kind is the causal mask
    # Pad at the end, where no token attends.
    q, k, v = (F.pad(x, (0, 0, 0, -t % size)).flatten(0, 1).unflatten(1, (-1, size)) for x in (q, k, v))
    out: Any = _Attend.apply(q, k, v, kind)  # (b·h, n, l, s)
    return out.flatten(1, 2).unflatten(0, (b, -1))[:, :, :t]


def dense_mask(pattern: masks.Pattern, q: Tensor) -> Tensor:
    """Builds the pattern's mask, for an observer of the weights: bool (t, t).

    Args:
        pattern: its kind and size.
        q: the queries (b, h, t, s).
    Raises:
        ValueError: more than `MOST_WEIGHTS` tokens.
    """
    t = q.shape[2]
    if t > MOST_WEIGHTS:
        raise ValueError(
            f"scores and weights of the {pattern.kind!r} pattern can be captured up to {MOST_WEIGHTS} tokens, got {t}"
        )
    return masks.named(pattern.kind, t, pattern.size, device=q.device)


class _Part(NamedTuple):
    """A group of queries, a group of keys, and the mask between them."""

    queries: Callable[[Tensor], Tensor]  # (b·h, n, l, ...) → (b·h, groups, rows, ...), a view
    keys: Callable[[Tensor], Tensor]  # (b·h, n, l, ...) → (b·h, groups, columns, ...), a view
    mask: Tensor  # (rows, columns): 0 or _LOWEST, to be added to the scores


def _parts(kind: str, blocks: Tensor) -> list[_Part]:
    """Returns the parts of a pattern over blocks (b·h, n, l, s); the first contains each token's own key."""
    n, size = blocks.shape[1:3]
    offset, block = torch.arange(size, device=blocks.device), torch.arange(n, device=blocks.device)
    # The kernel needs a mask in the queries' dtype, or in float32 with half-precision queries.
    dtype = torch.promote_types(blocks.dtype, torch.float32)
    parts = [_Part(lambda x: x, lambda x: x, _closed(offset[:, None] < offset, dtype))]
    if n == 1:  # there is no earlier block, and the kernel would crash on an empty tensor
        return parts
    if kind in ("local", "strided"):
        parts.append(_Part(lambda x: x[:, 1:], lambda x: x[:, :-1], _closed(offset[:, None] >= offset, dtype)))
    if kind == "strided":
        column = lambda x: x.transpose(1, 2)  # noqa: E731
        parts.append(_Part(column, column, _closed(block[:, None] <= block, dtype)))
    if kind == "fixed":
        earlier = _closed(block.repeat_interleave(size)[:, None] <= block, dtype)  # (n·l, n)
        parts.append(_Part(lambda x: x.flatten(1, 2)[:, None], lambda x: x[:, None, :, -1], earlier))
    return parts


def _closed(cells: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.zeros(cells.shape, dtype=dtype, device=cells.device).masked_fill(cells, _LOWEST)


def _views(part: _Part, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return part.queries(q), part.keys(k), part.keys(v)


class _Attend(torch.autograd.Function):
    """Computes the parts one after another. It stores no weights; the backward pass recomputes them.

    Given the output and L of the whole row, a part's gradient does not depend on the other parts: its weights are
    exp(score − L) (FlashAttention's backward pass, Dao et al. 2022, over parts instead of tiles).
    """

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, kind: str) -> Tensor:
        """Maps q, k, v (b·h, n, l, s) to the output (b·h, n, l, s)."""
        out = torch.zeros_like(q, dtype=torch.promote_types(q.dtype, torch.float32))  # accumulate in float32 at least
        total = torch.full_like(out[..., 0], _LOWEST)  # L of the parts so far
        for part in _parts(kind, q):
            part_out, part_total = _forward(*_views(part, q, k, v), part.mask)
            so_far, sums = part.queries(out), part.queries(total)
            joined = torch.logaddexp(sums, part_total)
            so_far.mul_((sums - joined).exp()[..., None]).addcmul_(part_out, (part_total - joined).exp()[..., None])
            sums.copy_(joined)
        out = out.to(q.dtype)
        ctx.save_for_backward(q, k, v, out, total)
        ctx.kind = kind
        return out

    @staticmethod
    @once_differentiable  # L is stored as a constant, so a second derivative would be wrong
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Returns the gradients of q, k and v, summed over the parts."""
        q, k, v, out, total = ctx.saved_tensors
        dq, dk, dv = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
        for part in _parts(ctx.kind, q):
            more = _backward(*_views(part, q, k, v), part.mask, *(part.queries(x) for x in (grads[0], out, total)))
            for view, gradient in zip(_views(part, dq, dk, dv), more, strict=True):
                view.add_(gradient)
        return dq, dk, dv, None


def _forward(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Computes a part's output (b·h, groups, rows, s) and the log of each row's sum (b·h, groups, rows)."""
    if _has_kernel(q):
        return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, attn_mask=mask[None, None])
    scores = _scores(q, k, mask)
    total = scores.logsumexp(-1)
    return (scores - total[..., None]).exp().to(v.dtype) @ v, total


def _backward(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor, grad: Tensor, out: Tensor, total: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Computes a part's gradients of q, k and v, from the whole row's output and L."""
    if _has_kernel(q):
        if q.dtype not in (torch.bfloat16, torch.float16):
            return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(
                grad, q, k, v, out, total, 0.0, False, attn_mask=mask[None, None]
            )
        # In half precision the kernel takes two to three times as long as the equation in float32.
        q, k, v, grad, out = (x.float() for x in (q, k, v, grad, out))
    weights = (_scores(q, k, mask) - total[..., None]).exp()
    centred = (grad @ v.transpose(-2, -1)) - (grad * out).sum(-1, keepdim=True)  # the weights' gradient, centred
    by_score = (weights * centred / math.sqrt(q.shape[-1])).to(q.dtype)
    return by_score @ k, by_score.transpose(-2, -1) @ q, weights.to(grad.dtype).transpose(-2, -1) @ grad


def _scores(q: Tensor, k: Tensor, mask: Tensor) -> Tensor:
    """Computes the scores (b·h, groups, rows, columns), in float32 at least."""
    scores = q @ k.transpose(-2, -1)
    return scores.to(torch.promote_types(q.dtype, torch.float32)) / math.sqrt(q.shape[-1]) + mask


def _has_kernel(q: Tensor) -> bool:
    """Returns whether torch has a fused kernel here that also returns the sums; elsewhere the equation is computed."""
    return q.device.type == "cpu"
