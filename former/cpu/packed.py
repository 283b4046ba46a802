"""A fast stack of blocks for any number of tokens: the whole pass of a fast twin.

Products are computed by oneDNN or by torch's own library (MKL on Intel and AMD), whichever is faster on this machine,
with weights in that library's layout. q, k and v are one product, and a `Capture` of all layers is written directly
into one tensor. An edited layer is computed by the readable block.

Sizes: b batch, t tokens, e embedding, h heads (of keys kv_heads, each for a group of g), s size of one head; `end`
tokens, including those in a cache.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former import masks
from former.blocks import SwiGLU, TransformerBlock
from former.config import StackConfig
from former.hooks import POINTS, Capture, Observer
from former.positions import Turn
from former.stack import Cache

ACTIVATIONS = {"relu": ("relu", ""), "gelu": ("gelu", "none"), "gelu_tanh": ("gelu", "tanh")}
"""The name of each activation in oneDNN, and its algorithm."""


def has_onednn() -> bool:
    """Returns whether torch has oneDNN's packed products, which macOS on arm64 lacks."""
    return torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")


@cache
def prefers_onednn() -> bool:
    """Returns whether oneDNN multiplies faster here than torch's own library; measured once, in some 10 ms.

    It is twice as fast on AMD's Zen 5; MKL is up to twice as fast on Intel.
    """
    if not has_onednn():
        return False
    x, weight = (torch.rand(n, 256, dtype=torch.float32) for n in (64, 1024))  # a short text, a feed-forward
    ways = [Packed(weight, None, onednn=onednn) for onednn in (True, False)]
    seconds: list[list[float]] = [[], []]
    for _ in range(15):  # alternately, so that other load affects both alike
        for way, times in zip(ways, seconds, strict=True):
            start = time.perf_counter()
            way(x)
            times.append(time.perf_counter() - start)
    return min(seconds[0]) < min(seconds[1])


class PackedStack:
    """The blocks of a model with packed weights. No call leaves a state in it, so threads may share it.

    Args:
        blocks: the readable blocks, for edits and custom observers.
        config: their shape.
    """

    def __init__(self, blocks: Iterable[Any], config: StackConfig) -> None:
        self.config = config
        self.blocks = [_PackedBlock(block, config.activation) for block in blocks]

    def __call__(
        self,
        x: Tensor,
        mask: Tensor | None,
        capture: Observer | None,
        cache: Cache | None = None,
        turn: Turn | None = None,
    ) -> Tensor:
        """Maps x (b, t, e) to rows (≥ b·t, e), of which the first b·t are valid.

        Args:
            x: input of the first block.
            mask: bool, broadcastable to (b, h, t, end), already checked; None for no mask.
            capture: observes, and may replace, the tensors that `former.hooks` lists.
            cache: keys and values of earlier tokens; the caller increases its length.
            turn: turns queries and keys by their positions, or None.
        """
        b, t, _ = x.shape
        n, end, heads = b * t, t + (0 if cache is None else cache.length), self.config.heads
        kv_heads, size = self.config.key_heads, self.config.head_size
        bias, blind = _bias(mask, torch.Size((b, heads, t, end)), heads // kv_heads), masks.blind(mask) is not None
        hooks = [None if capture is None else capture.at(layer) for layer in range(self.config.depth)]
        plain = capture is None or (type(capture) is Capture and capture.names <= set(POINTS))  # it only observes
        names = capture.names if isinstance(capture, Capture) else frozenset()
        x = rows(x)
        watched = [plain and hook is not None for hook in hooks]
        qkvs = _rooms(watched, names & {"q", "k", "v"}, len(x), (heads + 2 * kv_heads) * size)
        maps = _rooms(watched, names & {"weights"}, b * heads, t, end)
        outs = _rooms(watched, names & {"out"}, b * heads, t, size)
        scores = _rooms(watched, names & {"scores"}, b * heads, t, end)
        for layer, (block, hook) in enumerate(zip(self.blocks, hooks, strict=True)):
            extend = None if cache is None else cache.at(layer)
            if blind or (hook is not None and not plain):  # rows without a key, or a hook that may replace tensors
                x = rows(block.readable(x[:n].view(b, t, -1), mask, hook, extend, turn=turn))
                continue
            qkv = block.toqkv(block.norm1(x) if block.pre_norm else x, out=qkvs[layer])[:n]  # (b·t, (h + 2·kv_heads)·s)
            qk, v = qkv.view(b, t, -1, size).transpose(1, 2).split((heads + kv_heads, kv_heads), 1)
            if block.qk_gain is not None:
                qk = torch.rms_norm(qk, [size], None, block.qk_eps) * block.qk_gain
            q, k = (qk if turn is None else turn(qk)).split((heads, kv_heads), 1)  # (b, h, t, s), (b, kv_heads, t, s)
            if extend is not None:
                k, v = extend(k, v)  # (b, kv_heads, end, s)
            tensors = _attend(q, k, v, bias, block.root, names, scores[layer], maps[layer], outs[layer])
            if hook is not None:
                for name in names:
                    hook(name, tensors[name])
            x = block.after_attention(x, rows(tensors["out"].transpose(1, 2).flatten(2)))
        return x


def _rooms(watched: list[bool], points: frozenset[str], *shape: int) -> list[Tensor]:
    """Allocates each layer's output tensor: slices of one tensor for watched layers, if any point is captured, and one
    shared buffer for all others."""
    kept = [each and bool(points) for each in watched]
    slices = iter(torch.empty(sum(kept), *shape, dtype=torch.float32).unbind())
    scratch = torch.empty(0 if all(kept) else shape, dtype=torch.float32)
    return [next(slices) if each else scratch for each in kept]


def rows(x: Tensor) -> Tensor:
    """Flattens (b, t, e) to (rows, e). For oneDNN adds rows of zeros, so that between n and 2n only 8 different numbers
    of rows occur.

    oneDNN generates and stores code for every new shape: 0.6 MB and 1 ms for each product and length, so hundreds of MB
    while users type. The zeros are ignored: fewer than 8 rows, or an eighth of all.
    """
    n = x.shape[0] * x.shape[1]
    step = max(8, 2 ** n.bit_length() // 16) if n > 1 else 1
    flat = x.flatten(0, 1)
    return F.pad(flat, (0, 0, 0, -n % step)) if n % step and prefers_onednn() else flat


def _attend(
    q: Tensor, k: Tensor, v: Tensor, bias: Tensor, root: float, names: frozenset[str], *results: Tensor
) -> dict[str, Tensor]:
    """Computes one layer's attention; returns its tensors by the names of `POINTS`, each (b, h, t, ·).

    Args:
        q: (b, h, t, s).
        k, v: (b, kv_heads, end, s).
        bias: from `_bias`.
        root: divisor of the dot products.
        names: the points to return.
        results: memory for scores and weights (b·h, t, end), and the output (b·h, t, s).
    """
    scores, weights, out = results
    (b, h, t, s), group = q.shape, q.shape[1] // k.shape[1]
    maps = b * k.shape[1], group * t, k.shape[2]  # the queries of a group are those of one head, one after another
    queries = q.reshape(*maps[:2], s)
    torch.baddbmm(bias, queries, k.flatten(0, 1).transpose(1, 2), alpha=1 / root, out=scores.view(maps))
    torch.softmax(scores, 2, out=weights)
    torch.bmm(weights.view(maps), v.flatten(0, 1), out=out.view(*maps[:2], s))
    shape = (b, h, t, k.shape[2])
    tensors = {"q": q, "scores": scores.view(shape), "weights": weights.view(shape), "out": out.view(q.shape)}
    return tensors | {
        name: x if group == 1 or name not in names else x.repeat_interleave(group, 1)
        for name, x in (("k", k), ("v", v))
    }


def _bias(mask: Tensor | None, shape: torch.Size, group: int = 1) -> Tensor:
    """Converts a mask to a bias of 0 or −∞, repeated for the g query heads that share one head of keys.

    Returns:
        (g·t_query, t_key), or (b·kv_heads, g·t_query, t_key) if it has heads or batch.
    """
    if mask is None:
        return torch.zeros(group * shape[2], shape[3], dtype=torch.float32)
    masks.check(mask, shape)
    bias = torch.zeros(mask.shape, dtype=torch.float32).masked_fill_(~mask, -math.inf)
    return bias.repeat(group, 1) if mask.dim() == 2 else bias.expand(shape).reshape(-1, group * shape[2], shape[3])


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
        """Maps x (n, in), and residual (n, out) if given, to (n, out). Writes into `out` if the library can and there
        is no residual."""
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
    """A norm without the overhead of a module."""

    def __init__(self, norm: nn.LayerNorm | nn.RMSNorm) -> None:
        self.function: Any = torch.layer_norm if isinstance(norm, nn.LayerNorm) else torch.rms_norm
        parameters = [parameter.detach().clone() for parameter in norm.parameters()]  # gain, and bias if it has one
        self.arguments = list(norm.normalized_shape), *parameters, norm.eps

    def __call__(self, x: Tensor) -> Tensor:
        return self.function(x, *self.arguments)


class _PackedBlock:
    """The layers of one block, packed."""

    def __init__(self, block: TransformerBlock, activation: str) -> None:
        self.readable, self.pre_norm, self.parallel = block, block.pre_norm, block.parallel
        self.norm1, self.norm2 = _Norm(block.norm1), _Norm(block.norm2)
        self.toqkv, self.root = Packed(*qkv(block)), root(block)
        self.qk_gain, self.qk_eps = qk_gain(block)
        unify: Any = block.attention.unifyheads  # linear in every model that has a twin
        self.unifyheads = Packed(unify.weight, unify.bias)
        (first, bias), second = feed_forward(block)
        self.gated = activation == "swiglu"
        self.ff1 = Packed(first, bias, None if self.gated else activation)
        self.ff2 = Packed(second.weight, second.bias)

    def after_attention(self, x: Tensor, out: Tensor) -> Tensor:
        """Computes the block after the heads: `unifyheads`, feed-forward, residuals, norms: (rows, ·)."""
        y = self.unifyheads(out, x)
        if self.pre_norm:
            return self.ff2(self.hidden(self.norm2(x if self.parallel else y)), y)
        y = self.norm1(y)
        return self.norm2(self.ff2(self.hidden(y), y))

    def hidden(self, x: Tensor) -> Tensor:
        """Computes the feed-forward up to its last map: (rows, e) → (rows, m)."""
        if not self.gated:
            return self.ff1(x)
        gate, up = self.ff1(x).chunk(2, -1)
        return F.silu(gate).mul_(up)


def feed_forward(block: TransformerBlock) -> tuple[tuple[Tensor, Tensor | None], nn.Linear]:
    """Returns the weight and bias of the feed-forward's first map (gate and up combined), and its last layer."""
    first, _, second = block.ff
    assert isinstance(second, nn.Linear)
    return joined([first.gate, first.up] if isinstance(first, SwiGLU) else [first]), second


def joined(layers: Sequence[Any]) -> tuple[Tensor, Tensor | None]:
    """Combines linear layers that read the same input; returns the weight and bias of the whole."""
    weight = torch.cat([layer.weight for layer in layers])
    return weight, None if layers[0].bias is None else torch.cat([layer.bias for layer in layers])


def qkv(block: TransformerBlock) -> tuple[Tensor, Tensor | None]:
    """Returns the maps to q, k and v as one matrix ((h + 2·kv_heads)·s, e) and bias."""
    attention = block.attention
    return joined([attention.toqueries, attention.tokeys, attention.tovalues])


def qk_gain(block: TransformerBlock) -> tuple[Tensor | None, float | None]:
    """Returns the gains of the norms of q and k, (h + kv_heads, 1, s), and their epsilon; None without such norms."""
    attention = block.attention
    norms, counts = (attention.norm_q, attention.norm_k), (attention.heads, attention.kv_heads)
    gains = [
        norm.weight.expand(n, 1, -1) for norm, n in zip(norms, counts, strict=True) if isinstance(norm, nn.RMSNorm)
    ]
    return (torch.cat(gains).detach(), norms[0].eps) if gains else (None, None)  # pyright: ignore


def root(block: TransformerBlock) -> float:
    """Returns the number by which a block divides its dot products: √s times its further divisor."""
    return math.sqrt(block.attention.size) * block.attention.divisor
