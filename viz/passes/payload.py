"""Packs a forward pass for the browser: all maps at reduced precision, and one head exactly.

The pass, little-endian, compressed by gzip:

    "FMR4" | for each of its maps: scales, float32 (layers·h) | for each: cells, uint8
    | header, JSON in UTF-8 | length of the header, uint32

The header comes last, so that the maps are compressed while their statistics are still computed.

A head's weights are scale · (cell / 255)²; the square root keeps small weights apart. Cells are ordered by layer, head
and query; for each query the first `lengths[query]` keys are sent, because the mask hides the others. In a map with
more than `maps.WHOLE_CELLS`, two queries by two keys are one cell with the largest of the four weights ("pooled" is 2),
enough for an overview of all heads. The selected head is sent exactly.

The exact head, float32: q (t_query, s) | k (t_key, s) | v (t_key, s) | out (t_query, s) | weights, the same cells as
above | for a map that is "scored", the scores of these cells, because they are more than q·k / √s. A layer's mean and
its rollout have only weights, then their statistics, JSON.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

import former
from former.tokens import Tokenizer
from viz.passes.maps import Map
from viz.passes.run import FORMAT, Pass

MAGIC = FORMAT.encode()
LARGEST = 64 << 20  # bytes of a pass that is not compressed


class PackedMaps:
    """The packed maps of a pass, to which the header is still to be added; in the format that this module describes.

    Args:
        maps: the pass's maps.
    """

    def __init__(self, maps: Sequence[Map]) -> None:
        # One layer at a time: what is small stays in the processor's cache.
        layers = [[pooled(layer, each.pooled) for layer in each.weights.numpy()] for each in maps]
        scales = [np.maximum([layer.max(axis=(-2, -1)) for layer in each], 1e-30) for each in layers]
        # Cells repeat mainly in runs of 0, so run-length encoding is faster here, and its output is smaller.
        self._stream = zlib.compressobj(1, zlib.DEFLATED, 31, 9, zlib.Z_RLE)  # 31: with gzip's header
        parts = [self._stream.compress(MAGIC + _floats(*scales))]
        for each, own, largest in zip(maps, layers, scales, strict=True):
            sent = sent_cells(each, each.pooled)
            for layer, scale in zip(own, largest, strict=True):
                parts.append(self._stream.compress(levels(_take(layer, sent), scale).tobytes()))
        self._body = b"".join(parts)

    def with_header(self, header: Mapping[str, Any]) -> bytes:
        """Returns the whole packed pass: the maps, then the header. It can be called only once."""
        end = _json(header)
        return self._body + self._stream.compress(end + np.uint32(len(end)).tobytes()) + self._stream.flush()


def key_in(packed: bytes) -> str | None:
    """Reads the key of a pass from its packed form; returns None if the bytes are not a packed pass."""
    try:
        reader = zlib.decompressobj(31)
        body = reader.decompress(packed, LARGEST)
        end = len(body) - 4
        header = body[end - int.from_bytes(body[end:], "little") : end]
        return json.loads(header)["key"] if reader.eof and body[:4] == MAGIC else None
    except (zlib.error, ValueError, TypeError, KeyError):
        return None


def levels(part: NDArray, scales: NDArray) -> NDArray[np.uint8]:
    """Converts weights (h, ·) to levels 255·√(weight / scale), uint8, with a scale for each head (h,); overwrites
    `part`."""
    np.maximum(part, 0, out=part)
    part /= scales[:, None]
    np.sqrt(part, out=part)
    part *= 255
    return np.rint(part, out=part).astype(np.uint8)


def pack_head(each: Map, layer: int, head: int) -> bytes:
    """Packs one head's exact q, k, v, output and weights.

    Raises:
        LookupError: the map has no such layer or head.
    """
    _check(each, layer, head)
    parts = [part[layer, head].numpy() for part in (each.q, each.k, each.v, each.out)]
    maps = [each.weights] if each.own_scores is None else [each.weights, each.own_scores]
    return _floats(*parts, *(cells(each, part[layer, head].numpy()) for part in maps))


def pack_mean(each: Map, layer: int, tokenizer: Tokenizer | None = None) -> bytes:
    """Packs the attention weights of a layer, averaged over its heads, and their statistics (`Map.describe_view`).

    Raises:
        LookupError: the map has no such layer.
    """
    _check(each, layer)
    return _pack_view(each, each.weights[layer].mean(0), tokenizer)


def pack_rollout(each: Map, layer: int, tokenizer: Tokenizer | None = None) -> bytes:
    """Packs the attention rollout (`former.analysis.rollout`) from the first layer up to this one, and its statistics.

    Raises:
        LookupError: the map has no such layer, or no rollout because its queries are not its keys.
    """
    _check(each, layer)
    if each.queries != each.keys:
        raise LookupError(f"a rollout needs queries that are the keys, got the map {each.name!r}")
    return _pack_view(each, former.analysis.rollout(each.weights[: layer + 1]), tokenizer)


def _pack_view(each: Map, weights: Tensor, tokenizer: Tokenizer | None) -> bytes:
    return _floats(cells(each, weights.numpy())) + _json(each.describe_view(weights, tokenizer))


def _check(each: Map, layer: int, head: int = 0) -> None:
    if not (0 <= layer < each.weights.shape[0] and 0 <= head < each.weights.shape[1]):
        raise IndexError(f"layer and head must be in {tuple(each.weights.shape[:2])}, got {layer} and {head}")


def _json(values: Any) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


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


def pooled(weights: NDArray, factor: int) -> NDArray:
    """Pools factor × factor cells by the maximum: (..., t_query, t_key) → (..., ⌈t_query / f⌉, ⌈t_key / f⌉)."""
    if factor == 1:
        return weights
    for axis in (-2, -1):
        last = weights.shape[axis] - 1
        first = np.arange(0, last + 1, factor)
        weights = reduce(np.maximum, (weights.take(np.minimum(first + i, last), axis) for i in range(factor)))
    return weights


def cells(each: Map, weights: NDArray) -> NDArray:
    """Selects from weights (..., t_query, t_key) the cells to send, which the mask allows; returns them as (...,
    cells)."""
    return _take(weights, sent_cells(each))


def sent_cells(each: Map, factor: int = 1) -> NDArray:
    """Returns the indices of the cells to send among all cells of a head's map, pooled by `factor`."""
    lengths = [-(-max(each.lengths[i : i + factor]) // factor) for i in range(0, len(each.lengths), factor)]
    return np.flatnonzero(np.arange(-(-len(each.keys) // factor)) < np.array(lengths)[:, None])


def _take(weights: NDArray, sent: NDArray) -> NDArray:
    return weights.reshape(*weights.shape[:-2], -1).take(sent, axis=-1)
