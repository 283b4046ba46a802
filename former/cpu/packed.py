"""A stack of blocks over any number of tokens, on oneDNN's packed products: the whole pass of a fast twin.

torch's default fp32 product (MKL) runs at half of oneDNN's speed on AMD's Zen 5 (nine tenths on Zen 4), and packs the
weights anew at every call. Here they are packed once and multiplied by oneDNN, with the activation and the residual
inside the product; q, k and v are one product, what scores are divided by lies in q's weights, and all attention maps
are written straight into one tensor. A layer that someone edits is left to the readable block.

Sizes: b batch, t tokens, e embedding, h heads, s size of one head; `end` tokens are seen, those of a cache among them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former import masks
from former.blocks import TransformerBlock
from former.config import StackConfig
from former.hooks import POINTS, Capture, Hook, Observer
from former.stack import Cache

ACTIVATIONS = {"relu": ("relu", ""), "gelu": ("gelu", "none"), "gelu_tanh": ("gelu", "tanh")}
"""oneDNN's name of each activation, and its algorithm."""


def available() -> bool:
    """Whether this machine has oneDNN's packed products; torch for macOS on arm64 comes without them."""
    return torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")


class PackedStack:
    """The blocks of a model, packed. Nothing of a call is kept on it.

    Args:
        blocks: the readable blocks, which answer what the packed ones cannot: edits and observers of one's own.
        config: their shape.
    """

    def __init__(self, blocks: Iterable[Any], config: StackConfig) -> None:
        self.config = config
        self.blocks = [_PackedBlock(block, config.activation) for block in blocks]

    def __call__(self, x: Tensor, mask: Tensor | None, capture: Observer | None, cache: Cache | None = None) -> Tensor:
        """x (b, t, e) → rows (≥ b·t, e), of which the first b·t count.

        Args:
            x: what the first block reads.
            mask: bool, broadcastable to (b, h, t, end), already checked; None for none.
            capture: sees, and may replace, what `former.hooks` lists.
            cache: keys and values of earlier tokens; the caller moves its length on.
        """
        b, t, _ = x.shape
        n, end, heads = b * t, t + (0 if cache is None else cache.length), self.config.heads
        bias, blind = _bias(mask, torch.Size((b, heads, t, end))), masks.blind(mask) is not None
        hooks = [None if capture is None else capture.at(layer) for layer in range(self.config.depth)]
        plain = capture is None or (type(capture) is Capture and capture.names <= set(POINTS))  # it only looks
        names = capture.names if isinstance(capture, Capture) else frozenset()
        # One tensor for all maps that will be kept, and one map's worth of scratch for the layers nobody looks at.
        flat = (b * heads, t, end)
        maps = iter(torch.empty(sum(hook is not None for hook in hooks) if plain else 0, *flat).unbind())
        scratch = torch.empty(0 if all(hooks) else flat)
        x = rows(x)
        for layer, (block, hook) in enumerate(zip(self.blocks, hooks, strict=True)):
            extend = None if cache is None else cache.at(layer)
            if blind or (hook is not None and not plain):  # rows without a key; or it may replace what it sees
                x = rows(block.readable(x[:n].view(b, t, -1), mask, hook, extend))
                continue
            qkv = block.toqkv(block.norm1(x) if block.pre_norm else x)[:n]  # (b·t, 3·h·s)
            q, k, v = qkv.view(b, t, 3, heads, -1).permute(2, 0, 3, 1, 4).unbind()  # (b, h, t, s)
            if extend is not None:
                k, v = extend(k, v)  # (b, h, end, s)
            out = _attend(q, k, v, bias, scratch if hook is None else next(maps), hook, names, block.root)
            x = block.after_attention(x, rows(out.transpose(1, 2).flatten(2)))
        return x


def rows(x: Tensor) -> Tensor:
    """(b, t, e) → (rows, e): its b·t rows, and zeros up to one of 8 numbers of rows for each doubling.

    oneDNN writes code for every shape it meets and keeps it: 0.6 MB and 1 ms for each product of each new length, so
    hundreds of MB as people type. Nobody reads the zeros: fewer than 8 rows, or an eighth of all.
    """
    n = x.shape[0] * x.shape[1]
    step = max(8, 2 ** n.bit_length() // 16) if n > 1 else 1
    flat = x.flatten(0, 1)
    return F.pad(flat, (0, 0, 0, -n % step)) if n % step else flat


def _attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    bias: Tensor,
    weights: Tensor,
    hook: Hook | None,
    names: frozenset[str],
    root: float,
) -> Tensor:
    """Each query's weighted average of the values, (b, h, t, s); the weights are written into `weights` (b·h, t, end).

    A hook is told what has one of the `names`; q as it was before it was divided by the `root`.
    """
    scores = torch.empty_like(weights) if hook is not None and "scores" in names else weights
    torch.baddbmm(bias, q.flatten(0, 1), k.flatten(0, 1).transpose(1, 2), out=scores)
    torch.softmax(scores, 2, out=weights)
    out = torch.bmm(weights, v.flatten(0, 1)).view(q.shape)
    if hook is not None:
        shape = (*q.shape[:3], k.shape[2])  # (b, h, t, end)
        seen = {"k": k, "v": v, "scores": scores.view(shape), "weights": weights.view(shape), "out": out}
        for name in names:
            hook(name, seen[name] if name != "q" else q * root)
    return out


def _bias(mask: Tensor | None, shape: torch.Size) -> Tensor:
    """What to add to the scores, 0 or −∞: (t_query, t_key), or (b·h, t_query, t_key) for a mask with heads or batch."""
    if mask is None:
        return torch.zeros(shape[2:])
    masks.check(mask, shape)
    bias = torch.zeros(mask.shape).masked_fill_(~mask, -math.inf)
    return bias if mask.dim() == 2 else bias.expand(shape).reshape(-1, *shape[2:])


class Packed:
    """x Wᵀ + bias (+ residual) with W in oneDNN's own layout, and the activation in the same product.

    Args:
        weight: (out, in).
        bias: (out,); None for none.
        activation: of `ACTIVATIONS`; None for none. Not together with a residual.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, activation: str | None = None) -> None:
        self.weight = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), 256)
        self.bias = None if bias is None else bias.detach().clone()
        self.activation, self.algorithm = ("none", "") if activation is None else ACTIVATIONS[activation]

    def __call__(self, x: Tensor, residual: Tensor | None = None) -> Tensor:
        """x (n, in), residual (n, out) → (n, out)."""
        product = torch.ops.mkldnn._linear_pointwise
        if residual is None:
            return product.default(x, self.weight, self.bias, self.activation, [], self.algorithm)
        return product.binary(x, residual, self.weight, self.bias, "add")


class _Norm:
    """A layer norm, without a module's way to it."""

    def __init__(self, norm: nn.LayerNorm) -> None:
        self.arguments = list(norm.normalized_shape), norm.weight.detach().clone(), norm.bias.detach().clone(), norm.eps

    def __call__(self, x: Tensor) -> Tensor:
        return torch.layer_norm(x, *self.arguments)


class _PackedBlock:
    """The layers of one block, packed."""

    def __init__(self, block: TransformerBlock, activation: str) -> None:
        self.readable, self.pre_norm = block, block.pre_norm
        self.norm1, self.norm2 = _Norm(block.norm1), _Norm(block.norm2)
        self.toqkv, self.root = Packed(*qkv(block)), root(block)
        unify: Any = block.attention.unifyheads  # linear, in all that a twin knows
        self.unifyheads = Packed(unify.weight, unify.bias)
        first, second = feed_forward(block)
        self.ff1, self.ff2 = Packed(first.weight, first.bias, activation), Packed(second.weight, second.bias)

    def after_attention(self, x: Tensor, out: Tensor) -> Tensor:
        """What follows the heads: their unification, the feed-forward, residuals and norms; all (rows, ·)."""
        y = self.unifyheads(out, x)
        if self.pre_norm:
            return self.ff2(self.ff1(self.norm2(y)), y)
        y = self.norm1(y)
        return self.norm2(self.ff2(self.ff1(y), y))


def feed_forward(block: TransformerBlock) -> tuple[nn.Linear, nn.Linear]:
    """Its two linear layers."""
    first, _, second = block.ff
    assert isinstance(first, nn.Linear)
    assert isinstance(second, nn.Linear)
    return first, second


def qkv(block: TransformerBlock) -> tuple[Tensor, Tensor | None]:
    """The maps to q, k and v as one matrix (3·h·s, e) and bias (3·h·s,), q's rows already divided by the `root`."""
    layer: Any = block.attention
    maps = (layer.toqueries, layer.tokeys, layer.tovalues)
    weight = torch.cat([maps[0].weight / root(block), *(each.weight for each in maps[1:])])
    if maps[0].bias is None:
        return weight, None
    return weight, torch.cat([maps[0].bias / root(block), *(each.bias for each in maps[1:])])


def root(block: TransformerBlock) -> float:
    """What its dot products are divided by to be scores."""
    return math.sqrt(block.attention.size) * block.attention.divisor
