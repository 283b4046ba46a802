"""Computes one token through a whole stack, on numpy arrays, compiled by numba: the step of `former.cpu`.

Sizes: t tokens, e embedding, h heads (kv_heads of keys and values), s size of one head, of which r numbers are rotated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

try:
    from numba import njit, prange
except ImportError:
    njit, prange = None, range

compiled = njit is not None  # without numba these functions are not used: they would be slow
f32 = np.float32
LOWEST = f32(np.finfo(f32).min)  # instead of −∞, which fastmath excludes


class Product(NamedTuple):
    """One kind of matrix of all layers, in one large array, which the system can put into huge pages."""

    matrix: np.ndarray  # (depth, rows, columns), fp32 or int8
    scale: np.ndarray  # (depth, rows), factor of each row: 1 for fp32
    bias: np.ndarray  # (depth, rows)


class Weights(NamedTuple):
    """The packed weights and constants of a model that `step` reads."""

    qkv: Product
    unify: Product
    ff1: Product
    ff2: Product
    toprobs: Product  # of depth 1
    norms: np.ndarray  # (depth, 4, e): norm1's weight and bias, norm2's weight and bias
    last_norm: np.ndarray  # (2, e), for pre-norm stacks only
    qk_gains: np.ndarray  # (depth, h + kv_heads, s), of the norms of q and k; of depth 0 without them
    roots: np.ndarray  # (depth,), divisors of the dot products
    tokens: np.ndarray  # (num_tokens, e)
    positions: np.ndarray  # (seq_length, e), or (0, e) where nothing is added


ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "swiglu")  # index: the step's argument


def _jit(function: Callable[..., Any], *, parallel: bool = False) -> Callable[..., Any]:
    """Compiles at the first call; without numba it returns the function unchanged, which is then not used.

    nogil lets other threads run meanwhile; fastmath allows sums in any order, so that they are vectorized; with
    parallel, `prange` uses several threads. The machine code is cached next to this file, or in the user's own cache if
    the package is not writable.
    """
    if njit is None:
        return function
    options = {"nogil": True, "fastmath": True, "error_model": "numpy", "parallel": parallel}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # no writable place for the cache
        return njit(**options)(function)


@_jit
def _rows(matrix, scale, bias, x, out):
    """Computes out = scale · (matrix x) + bias, with a matrix (rows, columns), fp32 or int8.

    The speed is limited by memory, which is fastest if few long streams are read. So four rows are computed at a time,
    one from each quarter of the matrix.
    """
    rows, columns = matrix.shape
    q = rows // 4
    for r in range(q):
        s0 = s1 = s2 = s3 = f32(0)
        for c in range(columns):
            s0 += matrix[r, c] * x[c]
            s1 += matrix[r + q, c] * x[c]
            s2 += matrix[r + 2 * q, c] * x[c]
            s3 += matrix[r + 3 * q, c] * x[c]
        out[r], out[r + q], out[r + 2 * q], out[r + 3 * q] = s0, s1, s2, s3
    for r in range(4 * q, rows):
        s0 = f32(0)
        for c in range(columns):
            s0 += matrix[r, c] * x[c]
        out[r] = s0
    for r in range(rows):
        out[r] = out[r] * scale[r] + bias[r]


@contextmanager
def team(threads: int) -> Iterator[None]:
    """Context manager: limits `prange` in this thread to `threads` threads; by default numba uses every core."""
    import numba  # noqa: PLC0415 (not everywhere)

    before = numba.get_num_threads()
    numba.set_num_threads(min(threads, before))
    try:
        yield
    finally:
        numba.set_num_threads(before)


@partial(_jit, parallel=True)
def _shared(matrix, scale, bias, x, out, threads):
    """Like `_rows`, with the rows shared among threads: one core alone cannot use the full memory bandwidth."""
    rows = len(matrix)
    for i in prange(threads):
        part = slice(i * rows // threads, (i + 1) * rows // threads)
        _rows(matrix[part], scale[part], bias[part], x, out[part])


@_jit
def _product(product, layer, x, out, threads):
    """Computes out = scale · (matrix x) + bias, with a layer's matrix, on `threads` threads; None for the current
    thread alone."""
    matrix, scale, bias = product.matrix[layer], product.scale[layer], product.bias[layer]
    if threads is None:  # known at compile time, so only one branch is compiled
        _rows(matrix, scale, bias, x, out)
    else:
        _shared(matrix, scale, bias, x, out, threads)


@_jit
def _exp(x):
    """Computes e^x for x ≤ 0, to 2 units in the last place, by plain arithmetic, as libm's exp is not vectorized.

    x = n ln 2 + r with |r| ≤ ln 2 / 2; e^r by a polynomial (Cephes' expf), 2^n through the exponent bits.
    """
    x = max(x, f32(-87))
    n = f32(np.int32(x * f32(1.44269504) - f32(0.5)))
    r = x - n * f32(0.693359375) + n * f32(2.12194440e-4)
    p = f32(1.9875691500e-4)
    p = p * r + f32(1.3981999507e-3)
    p = p * r + f32(8.3334519073e-3)
    p = p * r + f32(4.1665795894e-2)
    p = p * r + f32(1.6666665459e-1)
    p = p * r + f32(5.0000001201e-1)
    return (p * r * r + r + f32(1)) * np.int32((n + f32(127)) * f32(8388608)).view(f32)


@_jit
def _turn(x, cos, sin):
    """Rotates a query or key in place: its numbers i and i + r/2 by angle i, which cos and sin (r/2,) contain."""
    half = len(cos)
    for i in range(half):
        a, b = x[i], x[i + half]
        x[i], x[i + half] = a * cos[i] - b * sin[i], b * cos[i] + a * sin[i]


@_jit
def _attend(q, root, past, k, v, row, out):
    """Computes one head's row of attention weights and its output, from the keys and values of positions 0 to `past`.

    k, v (seq_length, s) hold them; the results are written to row (past + 1,) and out (s,).
    """
    size = k.shape[1]
    for i in range(size):
        q[i] /= root
        out[i] = f32(0)
    high = LOWEST
    for j in range(past + 1):
        score = f32(0)
        for i in range(size):
            score += k[j, i] * q[i]
        row[j] = score
        high = max(high, score)
    total = f32(0)
    for j in range(past + 1):
        row[j] = _exp(row[j] - high)
        total += row[j]
    for j in range(past + 1):
        row[j] /= total
        for i in range(size):
            out[i] += row[j] * v[j, i]


@_jit
def _add(x, y):
    """Adds in place: x += y."""
    for i in range(len(x)):
        x[i] += y[i]


@_jit
def _normalise(x, norms, which, rms, eps, out):
    """Computes RMSNorm (if `rms`) or LayerNorm of x; norms[which] is the gain, and the next row the bias.

    out may be x.
    """
    mean = f32(0)
    if not rms:
        for i in range(len(x)):
            mean += x[i]
        mean /= f32(len(x))
    variance = f32(0)
    for i in range(len(x)):
        variance += (x[i] - mean) * (x[i] - mean)
    inverse = f32(1) / np.sqrt(variance / f32(len(x)) + eps)
    for i in range(len(x)):
        out[i] = (x[i] - mean) * inverse * norms[which, i] + norms[which + 1, i]


@_jit
def _activate(x, activation):
    """Applies ReLU, GELU or its tanh approximation in place, or silu(gate) · up into the first half, the gate.

    erf is formula 7.1.26 of Abramowitz and Stegun, correct to 1.5e-7, as libm's erf is not vectorized.
    """
    if activation == 0:
        for i in range(len(x)):
            x[i] = max(x[i], f32(0))
        return
    if activation == 3:
        half = len(x) // 2
        for i in range(half):
            p = _exp(-abs(x[i]))
            x[i] = x[i] * (f32(1) if x[i] > 0 else p) / (f32(1) + p) * x[i + half]
        return
    if activation == 2:  # x/2 (1 + tanh u), where tanh u = ±(1 − e^(−2|u|)) / (1 + e^(−2|u|))
        for i in range(len(x)):
            u = f32(0.7978845608) * (x[i] + f32(0.044715) * x[i] * x[i] * x[i])
            p = _exp(f32(-2) * abs(u))
            tanh = (f32(1) - p) / (f32(1) + p)
            x[i] = f32(0.5) * (x[i] + x[i] * (tanh if u > 0 else -tanh))
        return
    for i in range(len(x)):
        z = abs(x[i]) * f32(0.70710678)
        u = f32(1) / (f32(1) + f32(0.3275911) * z)
        p = f32(1.061405429)
        p = p * u - f32(1.453152027)
        p = p * u + f32(1.421413741)
        p = p * u - f32(0.284496736)
        p = p * u + f32(0.254829592)
        erf = f32(1) - p * u * _exp(-z * z)
        x[i] = f32(0.5) * (x[i] + abs(x[i]) * erf)


@_jit
def _heads(w, layer, rms_eps, past, cos, sin, keys, values, maps, qkv, out):
    """Computes a layer's heads from q, k and v, one after another; fills the caches' row `past`, the maps and out."""
    heads, kv_heads, size = maps.shape[1], keys.shape[1], keys.shape[3]
    for head in range(heads + kv_heads):  # of queries, then of keys
        x = qkv[head * size : (head + 1) * size]
        if len(w.qk_gains):
            square = f32(0)
            for i in range(size):
                square += x[i] * x[i]
            inverse = f32(1) / np.sqrt(square / f32(size) + rms_eps)
            for i in range(size):
                x[i] *= inverse * w.qk_gains[layer, head, i]
        _turn(x, cos, sin)
    for head in range(kv_heads):
        k, v = (heads + head) * size, (heads + kv_heads + head) * size
        for i in range(size):
            keys[0, head, past, i], values[0, head, past, i] = qkv[k + i], qkv[v + i]
    for head in range(heads):
        q, shared = head * size, head // (heads // kv_heads)
        _attend(qkv[q:], w.roots[layer], past, keys[0, shared], values[0, shared], maps[0, head, 0], out[q:])


@_jit
def step(w, pre_norm, parallel, rms, activation, eps, threads, token, past, cos, sin, keys, values, maps, logits):
    """Computes one token after `past` others by the weights `w`; fills row `past` of keys and values, maps
    and logits."""
    depth, e = keys.shape[0], w.tokens.shape[1]
    x, normed, y = np.zeros(e, f32), np.empty(e, f32), np.empty(e, f32)
    qkv, out = np.empty(w.qkv.matrix.shape[1], f32), np.empty(w.unify.matrix.shape[2], f32)
    hidden, inner = np.empty(w.ff1.matrix.shape[1], f32), w.ff2.matrix.shape[2]
    _add(x, w.tokens[token])
    if len(w.positions):
        _add(x, w.positions[past])
    for layer in range(depth):
        norms = w.norms[layer]
        read = x  # a sublayer's input: the residual stream, or in a pre-norm block its norm
        if pre_norm:
            read = normed
            _normalise(x, norms, 0, rms, eps, read)
        _product(w.qkv, layer, read, qkv, threads)
        _heads(w, layer, eps, past, cos, sin, keys[layer], values[layer], maps[layer], qkv, out)
        _product(w.unify, layer, out, y, threads)
        if parallel:
            _normalise(x, norms, 2, rms, eps, read)
        _add(x, y)
        if not parallel:
            _normalise(x, norms, 2 if pre_norm else 0, rms, eps, read)
        _product(w.ff1, layer, read, hidden, threads)
        _activate(hidden, activation)
        _product(w.ff2, layer, hidden[:inner], y, threads)
        _add(x, y)
        if not pre_norm:
            _normalise(x, norms, 2, rms, eps, x)
    if pre_norm:
        _normalise(x, w.last_norm, 0, rms, eps, x)
    _product(w.toprobs, 0, x, logits, threads)
