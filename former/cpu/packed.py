"""A fast stack of blocks for any number of tokens: the whole pass of a fast twin.

Products are computed by oneDNN or by torch's own library (MKL on Intel and AMD), whichever is faster on this machine,
with weights in that library's layout. q, k and v are one product, and a `Capture` of all layers is written directly
into one tensor. An edited layer is computed by the readable block.

Sizes: b batch, t tokens, e embedding, h heads, s size of one head; `end` tokens, including those in a cache.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former import masks
from former.blocks import TransformerBlock
from former.config import StackConfig
from former.hooks import POINTS, Capture, Observer
from former.stack import Cache

ACTIVATIONS = {"relu": ("relu", ""), "gelu": ("gelu", "none"), "gelu_tanh": ("gelu", "tanh")}
"""The name of each activation in oneDNN, and its algorithm."""


def has_onednn() -> bool:
    """Whether torch has oneDNN's packed products, which macOS on arm64 lacks."""
    return torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")


@cache
def prefers_onednn() -> bool:
    """Whether oneDNN multiplies faster here than torch's own library; measured once, in some 10 ms.

    It is twice as fast on AMD's Zen 5; MKL is up to twice as fast on Intel.
    """
    if not has_onednn():
        return False
    x, weight = torch.rand(64, 256), torch.rand(1024, 256)  # a feed-forward's first product, for a short text
    ways = [Packed(weight, None, onednn=onednn) for onednn in (True, False)]
    seconds: list[list[float]] = [[], []]
    for _ in range(15):  # alternately, so that other load affects both alike
        for way, times in zip(ways, seconds, strict=True):
            start = time.perf_counter()
            way(x)
            times.append(time.perf_counter() - start)
    return min(seconds[0]) < min(seconds[1])


class PackedStack:
    """The blocks of a model, packed. It stores no state of a call.

    Args:
        blocks: the readable blocks, for edits and custom observers.
        config: their shape.
    """

    def __init__(self, blocks: Iterable[Any], config: StackConfig) -> None:
        self.config = config
        self.blocks = [_PackedBlock(block, config.activation) for block in blocks]

    def __call__(self, x: Tensor, mask: Tensor | None, capture: Observer | None, cache: Cache | None = None) -> Tensor:
        """Maps x (b, t, e) to rows (≥ b·t, e), of which the first b·t are valid.

        Args:
            x: input of the first block.
            mask: bool, broadcastable to (b, h, t, end), already checked; None for no mask.
            capture: observes, and may replace, the tensors that `former.hooks` lists.
            cache: keys and values of earlier tokens; the caller increases its length.
        """
        b, t, _ = x.shape
        n, end, heads = b * t, t + (0 if cache is None else cache.length), self.config.heads
        bias, blind = _bias(mask, torch.Size((b, heads, t, end))), masks.blind(mask) is not None
        hooks = [None if capture is None else capture.at(layer) for layer in range(self.config.depth)]
        plain = capture is None or (type(capture) is Capture and capture.names <= set(POINTS))  # it only observes
        names = capture.names if isinstance(capture, Capture) else frozenset()
        x = rows(x)
        width = self.blocks[0].width  # h·s

        def rooms(points: set[str], *shape: int) -> list[Tensor]:
            return _rooms([plain and hook is not None and bool(names & points) for hook in hooks], *shape)

        qkvs = rooms({"q", "k", "v"}, len(x), 3 * width)
        maps = rooms({"weights"}, b * heads, t, end)
        outs = rooms({"out"}, b * heads, t, width // heads)
        for layer, (block, hook) in enumerate(zip(self.blocks, hooks, strict=True)):
            extend = None if cache is None else cache.at(layer)
            if blind or (hook is not None and not plain):  # rows without a key, or a hook that may replace tensors
                x = rows(block.readable(x[:n].view(b, t, -1), mask, hook, extend))
                continue
            qkv = block.toqkv(block.norm1(x) if block.pre_norm else x, out=qkvs[layer])[:n]  # (b·t, 3·h·s)
            q, k, v = qkv.view(b, t, 3, heads, -1).permute(2, 0, 3, 1, 4).unbind()  # (b, h, t, s)
            if extend is not None:
                k, v = extend(k, v)  # (b, h, end, s)
            seen = _attend(q, k, v, bias, block.root, names, maps[layer], outs[layer])
            if hook is not None:
                for name in names:
                    hook(name, seen[name])
            x = block.after_attention(x, rows(seen["out"].transpose(1, 2).flatten(2)))
        return x


def _rooms(kept: list[bool], *shape: int) -> list[Tensor]:
    """Allocates each layer's output tensor: slices of one tensor for captured layers, else one scratch for all."""
    slices = iter(torch.empty(sum(kept), *shape).unbind())
    scratch = torch.empty(0 if all(kept) else shape)
    return [next(slices) if each else scratch for each in kept]


def rows(x: Tensor) -> Tensor:
    """Flattens (b, t, e) to (rows, e); for oneDNN pads with zeros to one of 8 numbers of rows per doubling.

    oneDNN generates and stores code for every new shape: 0.6 MB and 1 ms for each product and length, so hundreds of MB
    while users type. The zeros are ignored: fewer than 8 rows, or an eighth of all.
    """
    n = x.shape[0] * x.shape[1]
    step = max(8, 2 ** n.bit_length() // 16) if n > 1 else 1
    flat = x.flatten(0, 1)
    return F.pad(flat, (0, 0, 0, -n % step)) if n % step and prefers_onednn() else flat


def _attend(
    q: Tensor, k: Tensor, v: Tensor, bias: Tensor, root: float, names: frozenset[str], weights: Tensor, out: Tensor
) -> dict[str, Tensor]:
    """Computes one layer's attention; returns its tensors by the names of `POINTS`, each (b, h, t, ·).

    Args:
        q: (b, h, t, s).
        k, v: (b, h, end, s).
        bias: from `_bias`.
        root: divisor of the dot products.
        names: the points to return; "scores" needs a tensor of its own.
        weights, out: (b·h, t, end) and (b·h, t, s), for the results.
    """
    scores = torch.empty_like(weights) if "scores" in names else weights
    torch.baddbmm(bias, q.flatten(0, 1), k.flatten(0, 1).transpose(1, 2), alpha=1 / root, out=scores)
    torch.softmax(scores, 2, out=weights)
    torch.bmm(weights, v.flatten(0, 1), out=out)
    shape = (*q.shape[:3], k.shape[2])  # (b, h, t, end)
    maps = {"scores": scores.view(shape), "weights": weights.view(shape)}
    return {"q": q, "k": k, "v": v, **maps, "out": out.view(q.shape)}


def _bias(mask: Tensor | None, shape: torch.Size) -> Tensor:
    """Converts a mask to a bias, 0 or −∞: (t_query, t_key), or (b·h, t_query, t_key) if it has heads or batch."""
    if mask is None:
        return torch.zeros(shape[2:])
    masks.check(mask, shape)
    bias = torch.zeros(mask.shape).masked_fill_(~mask, -math.inf)
    return bias if mask.dim() == 2 else bias.expand(shape).reshape(-1, *shape[2:])


class Packed:
    """Computes x Wᵀ + bias (+ residual), and an activation, with W in the layout of the library used.

    Args:
        weight: (out, in).
        bias: (out,), or None.
        activation: one of `ACTIVATIONS`, or None. Not together with a residual.
        onednn: whether to use oneDNN; None for the faster library.
    """

    def __init__(
        self, weight: Tensor, bias: Tensor | None, activation: str | None = None, *, onednn: bool | None = None
    ) -> None:
        self.onednn = prefers_onednn() if onednn is None else onednn
        weight = weight.detach()
        if self.onednn:
            self.weight = torch.ops.mkldnn._reorder_linear_weight(weight, 256)
        else:  # MKL packs a matrix at every call, in half the time if its layout is (in, out)
            self.weight = weight.T.contiguous()
        self.bias = None if bias is None else bias.detach().clone()
        self.activation, self.algorithm = ("none", "") if activation is None else ACTIVATIONS[activation]

    def __call__(self, x: Tensor, residual: Tensor | None = None, out: Tensor | None = None) -> Tensor:
        """Maps x (n, in), residual (n, out) → (n, out); into `out` if the library can and there is no residual."""
        if self.onednn:
            product = torch.ops.mkldnn._linear_pointwise
            if residual is None:
                return product.default(x, self.weight, self.bias, self.activation, [], self.algorithm)
            return product.binary(x, residual, self.weight, self.bias, "add")
        if residual is not None:
            start = residual.clone() if self.bias is None else residual + self.bias
            return start.addmm_(x, self.weight)
        y = torch.mm(x, self.weight, out=out) if self.bias is None else torch.addmm(self.bias, x, self.weight, out=out)
        if self.activation == "relu":
            y.relu_()
        elif self.activation == "gelu":
            torch.ops.aten.gelu_(y, approximate=self.algorithm)
        return y


class _Norm:
    """A layer norm without the overhead of a module."""

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
        self.width = block.attention.heads * block.attention.size
        unify: Any = block.attention.unifyheads  # linear in every model that has a twin
        self.unifyheads = Packed(unify.weight, unify.bias)
        first, second = feed_forward(block)
        self.ff1, self.ff2 = Packed(first.weight, first.bias, activation), Packed(second.weight, second.bias)

    def after_attention(self, x: Tensor, out: Tensor) -> Tensor:
        """Computes the block after the heads: `unifyheads`, feed-forward, residuals, norms: (rows, ·)."""
        y = self.unifyheads(out, x)
        if self.pre_norm:
            return self.ff2(self.ff1(self.norm2(y)), y)
        y = self.norm1(y)
        return self.norm2(self.ff2(self.ff1(y), y))


def feed_forward(block: TransformerBlock) -> tuple[nn.Linear, nn.Linear]:
    """Returns the block's two linear layers."""
    first, _, second = block.ff
    assert isinstance(first, nn.Linear)
    assert isinstance(second, nn.Linear)
    return first, second


def qkv(block: TransformerBlock, divisor: float = 1) -> tuple[Tensor, Tensor | None]:
    """Returns the maps to q, k and v as one matrix (3·h·s, e) and bias (3·h·s,), with q's rows divided by a number."""
    layer: Any = block.attention
    maps = (layer.toqueries, layer.tokeys, layer.tovalues)
    weight = torch.cat([maps[0].weight / divisor, *(each.weight for each in maps[1:])])
    if maps[0].bias is None:
        return weight, None
    return weight, torch.cat([maps[0].bias / divisor, *(each.bias for each in maps[1:])])


def root(block: TransformerBlock) -> float:
    """Returns the divisor of the block's dot products."""
    return math.sqrt(block.attention.size) * block.attention.divisor
