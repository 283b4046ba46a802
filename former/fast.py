"""The fast twin of a `Generator`: the same numbers on a CPU in a fraction of the time, for inference only.

`optimise(model)` builds it from the readable model, which stays the reference: `tests/test_fast.py` holds the two
equal, and whatever the twin cannot do exactly it hands to the readable model. It differs in two places:

- The whole pass. torch's default fp32 product (MKL) runs at half of oneDNN's speed on AMD's Zen 5 (nine tenths on
  Zen 4), and packs the weights anew at every call. Here they are packed once and multiplied by oneDNN, with the
  activation and the residual inside the product; q, k and v are one product, 1/√s lies in q's weights, and all
  attention maps are written straight into one tensor. A layer that someone edits is left to the readable block.
- The step: one new token after a `KeyValueCache`. It is 4 matrix-vector products a block, bound by how fast the
  weights come from memory; one compiled function for the whole stack (`former.kernels`) reads them at the speed the
  memory has.

Nothing of a call is kept on the twin, so many threads may share it.

Sizes: b batch, t tokens, e embedding, h heads, s size of one head.
"""

from __future__ import annotations

import copy
import math
from typing import Literal, get_args

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former import kernels, masks
from former.blocks import TransformerBlock
from former.checks import require_choice
from former.config import ModelConfig
from former.generate import KeyValueCache
from former.hooks import POINTS, Capture, Hook, Observer
from former.models import Cache, Generator

Weights = Literal["fp32", "int8"]
Part = Literal["onednn", "numba"]


def available(part: Part) -> bool:
    """Whether this machine has what a part needs: oneDNN's packed products (whole pass), numba (step).

    torch for macOS on arm64 comes without the first; the second is a package of its own.
    """
    if part == "onednn":
        return torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
    return kernels.compiled


def optimise(model: Generator, weights: Weights = "fp32") -> FastGenerator | Generator:
    """The fast twin of a model, called in the same way; the model itself where nothing here would speed it up.

    The twin holds its own copies of the weights: build it when they are final. The step is compiled here, not at the
    first call: some 4 s of processor time, under 2 s where an earlier process has left it in numba's cache.

    Args:
        model: a Generator that is not training.
        weights: "int8" rounds every matrix to 8 bits, row by row: `w ≈ scale_row · integer`, so that a step reads a
            quarter of the bytes. The twin is then the fast form of the rounded model, in every way of calling it.
            Without numba there would be nothing to win, and the weights stay as they are.
    Raises:
        ValueError: other weights, or a model in training mode whose dropout is at work.
    """
    require_choice("weights", weights, get_args(Weights))
    if model.training and model.config.dropout:
        raise ValueError("model must not be training while its dropout is at work: call model.eval() first")
    on_cpu = all(p.device.type == "cpu" and p.dtype == torch.float32 for p in model.parameters())
    if not on_cpu or not _knows(model.config) or not (available("onednn") or available("numba")):
        return model
    if weights == "int8" and available("numba"):
        model = _rounded(model)
    return FastGenerator(model, weights)


def _knows(config: ModelConfig) -> bool:
    """Whether the twin computes everything that a model of this shape does."""
    return (
        config.variant in ("narrow", "wide")
        and config.activation in ("relu", "gelu")
        and config.positions in ("none", "learned", "sinusoidal")
        and config.mask == "causal"
        and not config.attention_bias
        and not config.tied
    )


class FastGenerator:
    """What `optimise` builds: call it as its `model`.

    Args:
        model: the readable model, which answers what the fast ways cannot: edits and observers of one's own.
        weights: how the step keeps the weights; "int8" asks for weights that are already rounded.
    """

    def __init__(self, model: Generator, weights: Weights = "fp32") -> None:
        self.model = model
        self.config, self.parameters = model.config, model.parameters  # what `generate` reads off a model
        with torch.no_grad():
            self._pass = _Pass(model) if available("onednn") else None
            self._step = _Step(model, weights) if available("numba") else None

    @torch.no_grad()
    def __call__(
        self, tokens: Tensor, mask: Tensor | None = None, capture: Observer | None = None, cache: Cache | None = None
    ) -> Tensor:
        """Logits (b, t, num_tokens). Arguments and errors are those of `Generator.forward`."""
        if self._step and mask is None and self._step.takes(tokens, capture, cache):
            return self._step(tokens, capture, cache)  # pyright: ignore[reportArgumentType]
        if self._pass:
            return self._pass(tokens, mask, capture, cache)
        return self.model(tokens, mask, capture, cache)


class _Pass:
    """The whole pass over any number of tokens, on oneDNN's packed products."""

    def __init__(self, model: Generator) -> None:
        self.model = model
        self.blocks = [_PackedBlock(block) for block in _blocks(model)]
        assert model.toprobs is not None  # `_knows` keeps tied models out
        self.toprobs = _Packed(model.toprobs.weight, model.toprobs.bias)

    def __call__(self, tokens: Tensor, mask: Tensor | None, capture: Observer | None, cache: Cache | None) -> Tensor:
        stack, config = self.model.transformer, self.model.config
        past = cache.length if cache else 0
        stack.check(tokens, past)
        b, t = tokens.shape
        n, end = b * t, past + t
        shape = torch.Size((b, config.heads, t, end))
        bias = _bias(masks.causal(end)[past:] if mask is None else mask, shape, given=mask is not None)
        hooks = [capture.at(layer) if capture else None for layer in range(config.depth)]
        plain = capture is None or (type(capture) is Capture and capture.names <= set(POINTS))  # it only looks
        names = capture.names if isinstance(capture, Capture) else frozenset()
        # One tensor for all maps that will be kept, and one map's worth of scratch for the layers nobody looks at.
        flat = (b * config.heads, t, end)
        maps = iter(torch.empty(sum(hook is not None for hook in hooks) if plain else 0, *flat).unbind())
        scratch = torch.empty(0 if all(hooks) else flat)
        x = _rows(stack.token_embedding(tokens) + stack.positions(torch.arange(past, end)))  # (rows, e)
        for layer, (block, hook) in enumerate(zip(self.blocks, hooks, strict=True)):
            if hook is not None and not plain:  # it may replace what it sees
                allowed = masks.causal(end)[past:] if mask is None else mask
                x = _rows(block.readable(x[:n].view(b, t, -1), allowed, hook, cache.at(layer) if cache else None))
                continue
            qkv = block.toqkv(block.norm1(x) if block.pre_norm else x)[:n]  # (b·t, 3·h·s)
            q, k, v = qkv.view(b, t, 3, config.heads, config.head_size).permute(2, 0, 3, 1, 4).unbind()  # (b, h, t, s)
            if cache:
                k, v = cache.at(layer)(k, v)  # (b, h, end, s)
            weights = scratch if hook is None else next(maps)
            out = _attend(q, k, v, bias, weights, hook, names)
            y = block.unifyheads(_rows(out.transpose(1, 2).flatten(2)), x)
            if block.pre_norm:
                x = block.ff2(block.ff1(block.norm2(y)), y)
            else:
                y = block.norm1(y)
                x = block.norm2(block.ff2(block.ff1(y), y))
        if cache:
            cache.length = end
        return self.toprobs(self.model.norm(x))[:n].view(b, t, -1)


def _rows(x: Tensor) -> Tensor:
    """(b, t, e) → (rows, e): its b·t rows, and zeros up to one of 8 numbers of rows for each doubling.

    oneDNN writes code for every shape it meets and keeps it: 0.6 MB and 1 ms for each product of each new length, so
    hundreds of MB as people type. Nobody reads the zeros: fewer than 8 rows, or an eighth of all.
    """
    n = x.shape[0] * x.shape[1]
    step = max(8, 2 ** n.bit_length() // 16) if n > 1 else 1
    rows = x.flatten(0, 1)
    return F.pad(rows, (0, 0, 0, -n % step)) if n % step else rows


def _attend(
    q: Tensor, k: Tensor, v: Tensor, bias: Tensor, weights: Tensor, hook: Hook | None, names: frozenset[str]
) -> Tensor:
    """Each query's weighted average of the values, (b, h, t, s); the weights are written into `weights` (b·h, t, end).

    A hook is told what has one of the `names`.
    """
    scores = torch.empty_like(weights) if hook is not None and "scores" in names else weights
    torch.baddbmm(bias, q.flatten(0, 1), k.flatten(0, 1).transpose(1, 2), out=scores)
    torch.softmax(scores, 2, out=weights)
    out = torch.bmm(weights, v.flatten(0, 1)).view(q.shape)
    if hook is not None:
        shape = (*q.shape[:3], k.shape[2])  # (b, h, t, end)
        for name in names:
            hook(name, _seen(name, q, k, v, scores.view(shape), weights.view(shape), out))
    return out


def _seen(name: str, q: Tensor, k: Tensor, v: Tensor, scores: Tensor, weights: Tensor, out: Tensor) -> Tensor:
    """What a hook is shown at a point: q without the 1/√s that is in its weights here."""
    if name == "q":
        return q * math.sqrt(q.shape[-1])
    return {"k": k, "v": v, "scores": scores, "weights": weights, "out": out}[name]


def _bias(mask: Tensor, shape: torch.Size, given: bool) -> Tensor:
    """What to add to the scores, 0 or −∞: (t_query, t_key), or (b·h, t_query, t_key) for a mask with heads or batch."""
    if given:
        masks.check(mask, shape)
    bias = torch.zeros(mask.shape).masked_fill_(~mask, -math.inf)
    return bias if mask.dim() == 2 else bias.expand(shape).reshape(-1, *shape[2:])


class _Packed:
    """x Wᵀ + bias (+ residual) with W in oneDNN's own layout, and the activation in the same product."""

    def __init__(self, weight: Tensor, bias: Tensor | None, activation: str = "none") -> None:
        self.weight = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), 256)
        self.bias = None if bias is None else bias.detach().clone()
        self.activation = activation

    def __call__(self, x: Tensor, residual: Tensor | None = None) -> Tensor:
        product = torch.ops.mkldnn._linear_pointwise
        if residual is None:
            return product.default(x, self.weight, self.bias, self.activation, [], "none")
        return product.binary(x, residual, self.weight, self.bias, "add")


class _Norm:
    """A layer norm, without a module's way to it."""

    def __init__(self, norm: nn.LayerNorm) -> None:
        self.arguments = list(norm.normalized_shape), norm.weight.detach().clone(), norm.bias.detach().clone(), norm.eps

    def __call__(self, x: Tensor) -> Tensor:
        return torch.layer_norm(x, *self.arguments)


class _PackedBlock:
    """The layers of one block, packed."""

    def __init__(self, block: TransformerBlock) -> None:
        self.readable, self.pre_norm = block, block.pre_norm
        self.norm1, self.norm2 = _Norm(block.norm1), _Norm(block.norm2)
        self.toqkv = _Packed(_qkv(block), None)
        self.unifyheads = _Packed(block.attention.unifyheads.weight, block.attention.unifyheads.bias)
        first, activation, second = _feed_forward(block)
        self.ff1 = _Packed(first.weight, first.bias, "relu" if isinstance(activation, nn.ReLU) else "gelu")
        self.ff2 = _Packed(second.weight, second.bias)


class _Step:
    """One new token after those a cache holds, in one compiled call."""

    def __init__(self, model: Generator, weights: Weights) -> None:
        config, stack, blocks = model.config, model.transformer, _blocks(model)
        assert model.toprobs is not None  # `_knows` keeps tied models out
        size, e = config.seq_length, config.emb
        ff1, ff2 = [_feed_forward(b)[0] for b in blocks], [_feed_forward(b)[2] for b in blocks]
        norms = [(b.norm1.weight, b.norm1.bias, b.norm2.weight, b.norm2.bias) for b in blocks]
        last = model.norm if isinstance(model.norm, nn.LayerNorm) else blocks[0].norm1
        self.config = config
        self.weights = kernels.Weights(
            *_matrices([_qkv(b) for b in blocks], weights),
            *_matrices([b.attention.unifyheads.weight for b in blocks], weights),
            _stack([b.attention.unifyheads.bias for b in blocks]),
            *_matrices([layer.weight for layer in ff1], weights),
            _stack([layer.bias for layer in ff1]),
            *_matrices([layer.weight for layer in ff2], weights),
            _stack([layer.bias for layer in ff2]),
            *_matrices([model.toprobs.weight], weights),
            _stack([model.toprobs.bias]),
            _stack([torch.stack(four) for four in norms]),
            _stack([last.weight, last.bias]),
            _stack(list(stack.token_embedding.weight)),
            _stack(list(stack.positions(torch.arange(size)).expand(size, e))),
        )
        self.options = config.norm == "pre", config.activation == "gelu", np.float32(blocks[0].norm1.eps)
        self(torch.zeros(1, 1, dtype=torch.int64), None, KeyValueCache(config))  # compiles it

    def takes(self, tokens: Tensor, capture: Observer | None, cache: Cache | None) -> bool:
        """Whether this is one token in the vocabulary, after a cache with room for it, and only maps are asked for."""
        return (
            type(cache) is KeyValueCache
            and tokens.shape == (1, 1)
            and tokens.dtype == torch.int64
            and cache.keys.dtype == torch.float32
            and cache.length < self.config.seq_length
            and (capture is None or (type(capture) is Capture and capture.names <= {"weights"}))
            and 0 <= int(tokens) < self.config.num_tokens
        )

    def __call__(self, tokens: Tensor, capture: Capture | None, cache: KeyValueCache) -> Tensor:
        past = cache.length
        maps = np.empty((self.config.depth, 1, self.config.heads, 1, past + 1), np.float32)
        logits = np.empty(self.config.num_tokens, np.float32)
        keys, values = cache.keys.numpy(), cache.values.numpy()
        kernels.step(self.weights, *self.options, int(tokens), past, keys, values, maps, logits)
        cache.length = past + 1
        if capture is not None and capture.names:
            for layer, weights in enumerate(torch.from_numpy(maps)):  # (b=1, h, 1, t)
                if (hook := capture.at(layer)) is not None:
                    hook("weights", weights)
        return torch.from_numpy(logits)[None, None]


def _blocks(model: Generator) -> list[TransformerBlock]:
    return list(model.transformer.blocks)  # pyright: ignore[reportReturnType]


def _feed_forward(block: TransformerBlock) -> tuple[nn.Linear, nn.Module, nn.Linear]:
    """Its linear layer, activation and linear layer."""
    first, activation, second = block.ff
    return first, activation, second  # pyright: ignore[reportReturnType]


def _qkv(block: TransformerBlock) -> Tensor:
    """The maps to q, k and v as one matrix (3·h·s, e), with 1/√s already in q's rows."""
    layer = block.attention
    q = layer.toqueries.weight / math.sqrt(layer.size)
    return torch.cat((q, layer.tokeys.weight, layer.tovalues.weight))


def _rounded(model: Generator) -> Generator:
    """A copy of the model with every matrix rounded to 8 bits, row by row."""
    model = copy.deepcopy(model)
    for layer in model.modules():
        if isinstance(layer, nn.Linear):
            weight = layer.weight.data
            scale = _row_scale(weight)
            layer.weight.data = (weight / scale).round() * scale
    return model


def _row_scale(weight: Tensor) -> Tensor:
    """What the integer 1 stands for in each row, so that its largest entry is 127."""
    return weight.abs().amax(-1, keepdim=True).clamp_min(1e-30) / 127


def _matrices(of_layers: list[Tensor], weights: Weights) -> tuple[np.ndarray, np.ndarray]:
    """One kind of matrix of all layers (depth, rows, columns), and what to multiply its rows by (depth, rows)."""
    matrix = torch.stack(of_layers)
    if weights == "fp32":
        return matrix.numpy(), np.ones(matrix.shape[:2], np.float32)
    scale = _row_scale(matrix)
    return (matrix / scale).round().to(torch.int8).numpy(), scale[..., 0].numpy()


def _stack(of_layers: list[Tensor]) -> np.ndarray:
    return torch.stack(of_layers).numpy()
