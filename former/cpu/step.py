"""Computes one new token after a cache, in one compiled call: the step of a fast twin.

It is 4 matrix-vector products per block, limited by how fast the weights come from memory; one function for the whole
stack (`former.cpu.kernels`) reads them at full memory bandwidth. In a large model torch's number of threads share each
product; a small one uses one thread and leaves the other cores free.

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
from former.cpu.packed import feed_forward, qkv, root
from former.generate import KeyValueCache
from former.hooks import Capture, Observer
from former.models import Generator
from former.stack import Cache

Precision = Literal["fp32", "int8"]
LARGE = 2**26  # bytes of matrices from which threads share a step: more than most caches
_turn = Lock()  # for steps on several threads: numba's simplest threading layer crashes if two such calls overlap


def available() -> bool:
    """Whether numba is installed, which does not support every platform."""
    return kernels.compiled


class Step:
    """A Generator's step. It stores no state of a call.

    Args:
        model: the readable model.
        precision: of the matrices; "int8" needs a model that is already `rounded`.
    """

    def __init__(self, model: Generator, precision: Precision) -> None:
        self.config = model.config
        self.weights = _weights(model, precision)
        self.options = (
            model.config.norm == "pre",
            kernels.ACTIVATIONS.index(model.config.activation),
            np.float32(model.config.norm_eps),
        )
        products = (part for part in self.weights if isinstance(part, kernels.Product))
        self.large = sum(product.matrix.nbytes for product in products) >= LARGE
        cache = KeyValueCache(model.config)
        self.cache_shape = cache.keys.shape
        self(torch.zeros(1, 1, dtype=torch.int64), None, cache)  # compiles it

    def takes(self, tokens: Tensor, capture: Observer | None, cache: Cache | None) -> bool:
        """Whether the input is one token of the vocabulary, after a cache of this model with room for it, and only maps
        are captured."""
        return (
            type(cache) is KeyValueCache
            and tokens.shape == (1, 1)
            and tokens.dtype == torch.int64
            and cache.keys.dtype == torch.float32
            and cache.keys.shape == self.cache_shape
            and cache.length < self.config.seq_length
            and (capture is None or (type(capture) is Capture and capture.names <= {"weights"}))
            and 0 <= int(tokens) < self.config.num_tokens
        )

    def __call__(self, tokens: Tensor, capture: Capture | None, cache: KeyValueCache) -> Tensor:
        """Computes logits (1, 1, num_tokens) for inputs that `takes` accepts."""
        past = cache.length
        maps = np.empty((self.config.depth, 1, self.config.heads, 1, past + 1), np.float32)
        logits = np.empty(self.config.num_tokens, np.float32)
        keys, values = cache.keys.detach().numpy(), cache.values.detach().numpy()
        rest = int(tokens), past, keys, values, maps, logits
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


def _weights(model: Generator, precision: Precision) -> kernels.Weights:
    """Packs everything that the step reads, each kind of matrix of all layers in one array."""
    config, stack = model.config, model.transformer
    blocks: list[Any] = list(stack.blocks)
    ff1, ff2 = zip(*(feed_forward(block) for block in blocks), strict=True)
    unify = [block.attention.unifyheads for block in blocks]
    toqkv, biases = zip(*(qkv(block, root(block)) for block in blocks), strict=True)  # with q divided by the root
    products = {
        "qkv": (toqkv, biases),
        "unify": ([layer.weight for layer in unify], [layer.bias for layer in unify]),
        "ff1": ([layer.weight for layer in ff1], [layer.bias for layer in ff1]),
        "ff2": ([layer.weight for layer in ff2], [layer.bias for layer in ff2]),
        "toprobs": ([model.output_weight], [None if model.toprobs is None else model.toprobs.bias]),
    }
    norms = [(block.norm1.weight, block.norm1.bias, block.norm2.weight, block.norm2.bias) for block in blocks]
    last = model.norm if isinstance(model.norm, nn.LayerNorm) else blocks[0].norm1
    positions = stack.positions(torch.arange(config.seq_length)).expand(config.seq_length, config.emb)
    return kernels.Weights(
        **{name: _product(matrices, biases, precision) for name, (matrices, biases) in products.items()},
        norms=torch.stack([torch.stack(four) for four in norms]).numpy(),
        last_norm=torch.stack([last.weight, last.bias]).numpy(),
        tokens=stack.token_embedding.weight.detach().numpy().copy(),
        positions=positions.contiguous().numpy().copy(),
    )


def _product(matrices: list[Tensor], biases: list[Tensor | None], precision: Precision) -> kernels.Product:
    """Packs one kind of matrix of all layers, with row factors and biases."""
    matrix = torch.stack(matrices)  # (depth, rows, columns)
    bias = [matrix.new_zeros(matrix.shape[1]) if each is None else each for each in biases]
    scale, numbers = torch.ones(matrix.shape[:2]), matrix
    if precision == "int8":
        scale, numbers = _row_scale(matrix)[..., 0], (matrix / _row_scale(matrix)).round().to(torch.int8)
    return kernels.Product(numbers.numpy(), scale.numpy(), torch.stack(bias).numpy())


def rounded(model: Generator) -> Generator:
    """Copies the model with every matrix rounded to 8 bits, row by row, including a tied embedding."""
    model = copy.deepcopy(model)
    layers = [layer for layer in model.modules() if isinstance(layer, nn.Linear)]
    for weight in (model.output_weight, *(layer.weight for layer in layers if layer is not model.toprobs)):
        scale = _row_scale(weight.data)
        weight.data = (weight.data / scale).round() * scale
    return model


def _row_scale(weight: Tensor) -> Tensor:
    """Returns the value of the integer 1 in each row, such that the row's largest entry becomes 127."""
    return weight.abs().amax(-1, keepdim=True).clamp_min(1e-30) / 127
