"""A forward pass packed for the browser: all maps small enough to send at once, one head exact.

The pass, gzipped, little-endian:

    "FMR1" | length of the header, uint32 | header, JSON in UTF-8, padded with spaces to a multiple of 4
    | scales, float32 (layers·h) | cells, uint8

A head's weights are scale · (cell / 255)²: the square root keeps apart the small weights, of which 256 tokens have
many. A large pass has every fifth level only: it would be 1.6 times as long. Cells run layer by layer, head by head,
query by query; a causal pass sends only keys up to the query.

The exact head, float32: q (t, s) | k (t, s) | weights, the same cells as above.
"""

from __future__ import annotations

import io
import json
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz.passes.run import Pass

MAGIC = b"FMR1"
FINE_CELLS = 2_000_000  # up to so many, every level is sent
COARSE = 5  # beyond, the levels 0, 5, ..., 255


def pack(made: Pass) -> bytes:
    """The whole pass, gzipped."""
    weights = made.weights.numpy()  # (layers, h, t, t)
    scales = np.maximum(weights.max(axis=(-2, -1)), np.float32(1e-30))  # (layers, h)
    shares = cells(made, np.sqrt(np.maximum(weights, 0) / scales[..., None, None]))  # (layers, h, cells)
    step = 1 if shares.size <= FINE_CELLS else COARSE
    levels = np.rint(shares * (255 // step)).astype(np.uint8) * np.uint8(step)
    header = json.dumps(made.header, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
    header += b" " * (-len(header) % 4)
    body = b"".join((MAGIC, np.uint32(len(header)).tobytes(), header, scales.astype("<f4").tobytes(), levels.tobytes()))
    # Cells repeat in runs of 0 and hardly otherwise: looking for runs alone is faster here, and smaller.
    squeeze = zlib.compressobj(1, zlib.DEFLATED, 31, 9, zlib.Z_RLE)  # 31: with gzip's header
    return squeeze.compress(body) + squeeze.flush()


def pack_head(made: Pass, layer: int, head: int) -> bytes:
    """One head's q, k and weights as they were in the model.

    Raises:
        IndexError: a layer or head that the pass has not.
    """
    if not (0 <= layer < made.weights.shape[0] and 0 <= head < made.weights.shape[1]):
        raise IndexError(f"layer and head must be in {tuple(made.weights.shape[:2])}, got {layer} and {head}")
    parts = (made.q[layer, head].numpy(), made.k[layer, head].numpy(), cells(made, made.weights[layer, head].numpy()))
    return b"".join(part.astype("<f4").tobytes() for part in parts)


def pack_arrays(made: Pass) -> bytes:
    """The whole pass for other programs: an .npz of weights (layers, h, t, t), labels, ids, edits, model and text."""
    arrays: dict[str, Any] = {name: np.array(made.header[name]) for name in ("labels", "ids", "model", "text")}
    arrays["edits"] = np.array(json.dumps(made.header["edits"]))
    file = io.BytesIO()
    np.savez_compressed(file, weights=made.weights.numpy(), **arrays)
    return file.getvalue()


def cells(made: Pass, weights: NDArray) -> NDArray:
    """weights (..., t, t) → (..., cells), without those that the causal mask makes 0."""
    t = weights.shape[-1]
    if not made.header["causal"]:
        return weights.reshape(*weights.shape[:-2], t * t)
    return weights[..., np.tri(t, dtype=bool)]
