"""Computes one new token after a cache, in one compiled call: the step of a fast twin.

It is 4 matrix-vector products per block, limited by how fast the weights come from memory; one function for the whole
stack (`former.cpu.kernels`) reads them at full memory bandwidth. In a large model as many threads as torch uses share
each product; a small one uses one thread and leaves the other cores free.

Sizes: b batch, t tokens, e embedding, h heads.
"""

from __future__ import annotations

import copy
from threading import Lock
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from former.cpu import kernels
from former.cpu.packed import feed_forward, qk_gain, qkv, root
from former.generate import KeyValueCache
from former.hooks import Capture, Observer
from former.models import Generator
from former.positions import RotaryPositions
from former.rounding import to_int8
from former.stack import Cache

Precision = Literal["fp32", "int8"]
LARGE = 2**26  # bytes of matrices from which threads share a step: more than most caches
_turn = Lock()  # for steps on several threads: numba's simplest threading layer crashes if two such calls overlap


def available() -> bool:
    """Returns whether numba is installed, which does not support every platform."""
    return kernels.compiled


class Step:
    """The step of a Generator: one new token after a cache. No call leaves a state in it, so threads may share it.

    Args:
        model: the readable model.
        precision: of the matrices; "int8" needs a model that is already `rounded`.
    """

    def __init__(self, model: Generator, precision: Precision) -> None:
        self.config = model.config
        self.weights = _weights(model, precision)
        self.options = (
            model.config.norm == "pre",
            model.config.parallel,
            model.config.normalisation == "rms",
            kernels.ACTIVATIONS.index(model.config.activation),
            np.float32(model.config.norm_eps),
        )
        rotary = model.transformer.positions
        none = torch.empty(0, dtype=torch.float32)
        self.frequencies = rotary.frequencies(none) if isinstance(rotary, RotaryPositions) else none
        products = (part for part in self.weights if isinstance(part, kernels.Product))
        self.large = sum(product.matrix.nbytes for product in products) >= LARGE
        cache = KeyValueCache(model.config)
        self.cache_shape = _without_rows(cache)
        self(torch.zeros(1, 1, dtype=torch.int64), None, cache)  # compiles it

    def takes(self, tokens: Tensor, capture: Observer | None, cache: Cache | None) -> bool:
        """Returns whether the step supports a call: one valid token, a cache with room for it, and no observer except a
        capture of maps."""
        return (
            type(cache) is KeyValueCache
            and tokens.shape == (1, 1)
            and tokens.dtype == torch.int64
            and cache.keys.dtype == torch.float32
            and _without_rows(cache) == self.cache_shape
            and cache.length < self.config.seq_length
            and (capture is None or (type(capture) is Capture and capture.names <= {"weights"}))
            and 0 <= int(tokens) < self.config.num_tokens
        )

    def __call__(self, tokens: Tensor, capture: Capture | None, cache: KeyValueCache) -> Tensor:
        """Computes logits (1, 1, num_tokens) for inputs that `takes` accepts."""
        past = cache.length
        cache.reserve(past + 1)
        maps = np.empty((self.config.depth, 1, self.config.heads, 1, past + 1), np.float32)
        logits = np.empty(self.config.num_tokens, np.float32)
        keys, values = cache.keys.numpy(), cache.values.numpy()
        angles = past * self.frequencies
        rest = int(tokens), past, angles.cos().numpy(), angles.sin().numpy(), keys, values, maps, logits
        threads = torch.get_num_threads()
        if self.large and threads > 1:
            with _turn, kernels.team(threads):
                kernels.step(self.weights, *self.options, threads, *rest)
        else:
            kernels.step(self.weights, *self.options, None, *rest)
        cache.length = past + 1
        if capture is not None and capture.names:
            for layer, weights in enumerate(torch.from_numpy(maps)):  # (b=1, h, 1, t)
                if (hook := capture.at(layer)) is not None:
                    hook("weights", weights)
        return torch.from_numpy(logits)[None, None]


def _without_rows(cache: KeyValueCache) -> tuple[int, ...]:
    """Returns a cache's shape without its number of rows, which grows with the text."""
    return cache.most, *cache.keys.shape[:3], cache.keys.shape[4]


def _weights(model: Generator, precision: Precision) -> kernels.Weights:
    """Packs everything that the step reads, each kind of matrix of all layers in one array."""
    config, stack = model.config, model.transformer
    blocks: list[Any] = list(stack.blocks)
    ff1, ff2 = zip(*(feed_forward(block) for block in blocks), strict=True)
    unify = [block.attention.unifyheads for block in blocks]
    toqkv, biases = zip(*(qkv(block) for block in blocks), strict=True)
    gains = [gain for block in blocks if (gain := qk_gain(block)[0]) is not None]
    products = {
        "qkv": (toqkv, biases),
        "unify": ([layer.weight for layer in unify], [layer.bias for layer in unify]),
        "ff1": ([weight for weight, _ in ff1], [bias for _, bias in ff1]),
        "ff2": ([layer.weight for layer in ff2], [layer.bias for layer in ff2]),
        "toprobs": ([model.output_weight], [None if model.toprobs is None else model.toprobs.bias]),
    }
    norms = [(*_norm(block.norm1), *_norm(block.norm2)) for block in blocks]
    last = blocks[0].norm1 if isinstance(model.norm, nn.Identity) else model.norm
    positions = stack.positions(torch.arange(config.seq_length))
    positions = positions if positions.dim() == 2 else norms[0][0].new_empty(0, config.emb)  # nothing is added
    return kernels.Weights(
        **{name: _product(matrices, biases, precision) for name, (matrices, biases) in products.items()},
        norms=torch.stack([torch.stack(four) for four in norms]).numpy(),
        last_norm=torch.stack(_norm(last)).numpy(),
        qk_gains=torch.stack(gains).squeeze(2).numpy() if gains else np.empty((0, 0, 0), np.float32),
        roots=np.array([root(block) for block in blocks], np.float32),
        tokens=stack.token_embedding.weight.detach().numpy().copy(),
        positions=positions.contiguous().numpy().copy(),
    )


def _norm(norm: Any) -> tuple[Tensor, Tensor]:
    """Returns a norm's gain and bias, 0 where it has none."""
    return norm.weight, norm.bias if isinstance(norm, nn.LayerNorm) else torch.zeros_like(norm.weight)


def _product(matrices: list[Tensor], biases: list[Tensor | None], precision: Precision) -> kernels.Product:
    """Packs one kind of matrix of all layers, with row factors and biases."""
    matrix = torch.stack(matrices)  # (depth, rows, columns)
    bias = [matrix.new_zeros(matrix.shape[1]) if each is None else each for each in biases]
    scale, numbers = matrix.new_ones(matrix.shape[:2]), matrix
    if precision == "int8":
        numbers, scale = to_int8(matrix)
        scale = scale[..., 0]
    return kernels.Product(numbers.numpy(), scale.numpy(), torch.stack(bias).numpy())


def rounded(model: Generator) -> Generator:
    """Copies the model with every matrix rounded to 8 bits, row by row, including a tied embedding."""
    model = copy.deepcopy(model)
    weights = [layer.weight for layer in model.modules() if isinstance(layer, nn.Linear)]
    for weight in (*weights, *([model.output_weight] if model.config.tied else [])):
        numbers, scale = to_int8(weight.data)
        weight.data = numbers * scale
    return model
