"""Packs a forward pass for the browser: all maps at reduced precision, and one head exactly.

The pass, little-endian, compressed by gzip:

    "FMR3" | for each of its maps: scales, float32 (layers·h) | for each: cells, uint8
    | header, JSON in UTF-8 | length of the header, uint32

The header comes last, so that the maps are compressed while their statistics are still computed.

A head's weights are scale · (cell / 255)²; the square root keeps small weights apart. A large pass uses only every
fifth level, which makes it 1.6 times shorter. Cells are ordered by layer, head and query; for each query the first
`lengths[query]` keys are sent, because the mask hides the others. In a map with more than `run.WHOLE_CELLS`, two
queries by two keys are one cell with the largest of the four weights ("pooled" is 2), enough for an overview of all
heads. The selected head is sent exactly.

The exact head, float32: q (t_query, s) | k (t_key, s) | v (t_key, s) | out (t_query, s) | weights, the same cells as
above | for a map that is "scored", the scores of these cells, because they are more than q·k / √s. A layer's mean and
its rollout have only weights.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

import former
from viz.passes.run import Map, Pass

MAGIC = b"FMR3"
FINE_CELLS = 2_000_000  # most cells of a pass that uses every level
LARGEST = 64 << 20  # bytes of a pass that is not compressed
COARSE = 5  # a larger one uses the levels 0, 5, ..., 255


def pack(pass_: Pass) -> bytes:
    """Packs the whole pass; returns the bytes."""
    return PackedMaps(pass_.maps).with_header(pass_.header)


class PackedMaps:
    """A packed pass before its header.

    Args:
        maps: of the pass.
    """

    def __init__(self, maps: Sequence[Map]) -> None:
        scales, shares = [], []
        for each in maps:
            weights = pooled(each.weights, each.pooled).numpy()  # (layers, h, t_query, t_key)
            largest = np.maximum(weights.max(axis=(-2, -1)), np.float32(1e-30))  # (layers, h)
            scales.append(largest.astype("<f4").tobytes())
            part = cells(each, weights, each.pooled)  # a copy: what follows is in place; each new array costs as much
            np.maximum(part, 0, out=part)
            part /= largest[..., None]
            shares.append(np.sqrt(part, out=part))
        step = 1 if sum(part.size for part in shares) <= FINE_CELLS else COARSE
        # Cells repeat mainly in runs of 0, so run-length encoding is faster here, and its output is smaller.
        self._stream = zlib.compressobj(1, zlib.DEFLATED, 31, 9, zlib.Z_RLE)  # 31: with gzip's header
        parts = (MAGIC, *scales, *(_levels(part, step).tobytes() for part in shares))
        self._body = b"".join(map(self._stream.compress, parts))

    def with_header(self, header: Mapping[str, Any]) -> bytes:
        """Returns the packed pass. Can be called once."""
        end = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
        return self._body + self._stream.compress(end + np.uint32(len(end)).tobytes()) + self._stream.flush()


def key_in(packed: bytes) -> str | None:
    """Returns the key in a packed pass; None if the bytes are not a packed pass."""
    try:
        reader = zlib.decompressobj(31)
        body = reader.decompress(packed, LARGEST)
        end = len(body) - 4
        header = body[end - int.from_bytes(body[end:], "little") : end]
        return json.loads(header)["key"] if reader.eof and body[:4] == MAGIC else None
    except (zlib.error, ValueError, TypeError, KeyError):
        return None


def _levels(part: NDArray, step: int) -> NDArray[np.uint8]:
    """Converts numbers in [0, 1] to levels from 0 to 255, multiples of `step`; overwrites its argument."""
    part *= 255 // step
    return np.rint(part, out=part).astype(np.uint8) * np.uint8(step)


def pack_head(each: Map, layer: int, head: int) -> bytes:
    """Packs one head's exact q, k, v, output and weights.

    Raises:
        LookupError: the map has no such layer or head.
    """
    _check(each, layer, head)
    parts = [part[layer, head].numpy() for part in (each.q, each.k, each.v, each.out)]
    maps = [each.weights] if each.own_scores is None else [each.weights, each.own_scores]
    return _floats(*parts, *(cells(each, part[layer, head].numpy()) for part in maps))


def pack_mean(each: Map, layer: int) -> bytes:
    """Packs the mean over a layer's heads.

    Raises:
        LookupError: the map has no such layer.
    """
    _check(each, layer)
    return _floats(cells(each, each.weights[layer].mean(0).numpy()))


def pack_rollout(each: Map, layer: int) -> bytes:
    """Packs the rollout up to a layer.

    Raises:
        LookupError: the map has no such layer, or no rollout because its queries are not its keys.
    """
    _check(each, layer)
    if each.queries != each.keys:
        raise LookupError(f"a rollout needs queries that are the keys, got the map {each.name!r}")
    return _floats(cells(each, former.analysis.rollout(each.weights[: layer + 1]).numpy()))


def _check(each: Map, layer: int, head: int = 0) -> None:
    if not (0 <= layer < each.weights.shape[0] and 0 <= head < each.weights.shape[1]):
        raise IndexError(f"layer and head must be in {tuple(each.weights.shape[:2])}, got {layer} and {head}")


def _floats(*parts: NDArray) -> bytes:
    return b"".join(part.astype("<f4").tobytes() for part in parts)


def pack_arrays(pass_: Pass) -> bytes:
    """Returns the whole pass as an .npz file for other programs.

    It has each map's weights (layers, h, t_query, t_key) and labels, the text with its ids and labels, the edits and
    the model. A single map is named `weights`; several are named `weights_{name}`.
    """
    arrays: dict[str, Any] = {name: np.array(pass_.header[name]) for name in ("labels", "ids", "model", "text")}
    arrays["edits"] = np.array(json.dumps(pass_.header["edits"]))
    for each in pass_.maps:
        name = "weights" if len(pass_.maps) == 1 else f"weights_{each.name}"
        arrays[name] = each.weights.numpy()
        if len(pass_.maps) > 1:
            arrays |= {f"queries_{each.name}": np.array(each.queries), f"keys_{each.name}": np.array(each.keys)}
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def pooled(weights: Tensor, factor: int) -> Tensor:
    """Pools factor × factor cells by the maximum: (..., t_query, t_key) → (..., ⌈t_query / f⌉, ⌈t_key / f⌉)."""
    return weights if factor == 1 else F.max_pool2d(weights, factor, ceil_mode=True)


def cells(each: Map, weights: NDArray, factor: int = 1) -> NDArray:
    """Selects the cells to send from weights (..., t_query, t_key), after pooling by `factor`; returns (..., cells)."""
    lengths = [-(-max(each.lengths[i : i + factor]) // factor) for i in range(0, len(each.lengths), factor)]
    sent = np.arange(weights.shape[-1]) < np.array(lengths)[:, None]  # (t_query, t_key)
    return weights.reshape(*weights.shape[:-2], -1).take(np.flatnonzero(sent), axis=-1)
