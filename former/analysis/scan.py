"""Heads over a corpus: what every head of a model does in some 2,000 stretches of text, and how that spreads.

One text misleads about a head. A scan keeps, for every head, the spread of its measures over all stretches; the
stretches where it is most decided, and some of each tenth of the others, to see what it does when it does less; and at
each example's most decided place the row of its weights, and its q and k in a plane. It stands in a model's folder as
`scan/heads.safetensors`, under 2 MB, and is of the weights there alone: `load` refuses one that other weights made.

Sizes: n stretches, t tokens of each, h heads, s size of one head, k examples of a head.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as save_tensors
from torch import Tensor

from former import cpu
from former.analysis.effects import ablation_effects
from former.analysis.statistics import head_statistics
from former.checkpoints import CARD, CheckpointError, folder_of
from former.hooks import run_with_capture
from former.runs.kind import Measure

FILE = "scan/heads.safetensors"  # not among the weights
MOST_BYTES = 2_000_000
TOP, TENTHS, EACH = 20, 10, 5  # most decided stretches; parts of the others by rank, and examples of each part
STATISTICS = ("mean", "deviation", "tenth", "median", "ninetieth")  # the last three are percentiles

Question = tuple[Tensor, Measure | None]
"""What heads are removed on: tokens (1, t), and the measure that `former.analysis.ablation_effects` takes."""


@dataclass(frozen=True)
class Scan:
    """What was found. `facts` are plain values: "measures" names the third axis of `spread`, and "even" holds what each
    measure would be, on average, of a head that looks at all alike."""

    tokens: Tensor  # (n, t) ids of the stretches
    spread: Tensor  # (layers, h, measures, 5): `STATISTICS` over the stretches that can have the measure
    group: Tensor  # (k,): 0 where an example is one of the most decided, else its tenth, 1 to 10
    examples: Tensor  # (layers, h, k): which stretch
    places: Tensor  # (layers, h, k): the query of it that is most decided
    rows: Tensor  # (layers, h, k, t): that query's weights, to 1/255
    plane: Tensor  # (layers, h, 2, k, 2): its q and the k it looks at most, see `plane`
    explained: Tensor  # (layers, h): the share of their variance that the plane holds
    facts: dict[str, Any]

    def of(self, measure: str, statistic: str = "mean") -> Tensor:
        """(layers, h): one number of every head."""
        return self.spread[:, :, self.facts["measures"].index(measure), STATISTICS.index(statistic)]


@torch.inference_mode()
def scan(
    model: Any,
    tokens: Tensor,
    *,
    special: Sequence[int] = (),
    questions: Sequence[Question] = (),
    facts: dict[str, Any] | None = None,
    watch: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> Scan:
    """Runs a model over stretches of text and measures its heads.

    Args:
        model: a Generator or a Bert.
        tokens: (n, t), at least 70 stretches of at least 2 tokens.
        special: ids that are no text, such as [CLS] and [SEP]: to rest on them is not to be decided (`decided`).
        questions: on which each head is removed in turn, for the measure "effect"; none leaves that out.
        facts: more to keep, as plain values.
        watch: what passes on the things that are worked through, such as `tqdm`.
    Raises:
        ValueError: too few stretches, or too short ones.
    """
    n, t = tokens.shape
    if n < TOP + TENTHS * EACH or t < 2:
        raise ValueError(f"tokens must be at least {TOP + TENTHS * EACH} stretches of 2 tokens, got {n} of {t}")
    fast = cpu.optimise(model)
    held, even = _run(fast, tokens, _evenly(model, t), special, watch)
    measures = {}
    for name, by_stretch in even.items():  # where it is 0, no query has such a key: no head could have the measure
        if (possible := by_stretch > 0).any():
            measures[name] = held[name].masked_fill(~possible[:, None, None], torch.nan)
    if questions:
        measures["effect"] = torch.stack([ablation_effects(fast, *question) for question in watch(questions)])
    ranks, group = _chosen(n)
    chosen = held["decided"].argsort(dim=0, descending=True, stable=True)[ranks]  # (k, layers, h)

    def picked(name: str) -> Tensor:  # (n, layers, h, ...) → (layers, h, k, ...)
        index = chosen.reshape(*chosen.shape, *[1] * (held[name].dim() - 3))
        return held[name].take_along_dim(index, 0).movedim(0, 2)

    in_plane, explained = plane(picked("q"), picked("k"))
    return Scan(
        tokens=tokens,
        spread=torch.stack([spread_of(values) for values in measures.values()], 2),
        group=group,
        examples=chosen.movedim(0, 2),
        places=picked("place"),
        rows=picked("row").float() / 255,
        plane=in_plane,
        explained=explained,
        facts={
            **(facts or {}),
            "measures": list(measures),
            "statistics": list(STATISTICS),
            "even": {name: float(even[name][even[name] > 0].mean()) for name in measures if name in even},
            "removals": len(questions),
        },
    )


def _evenly(model: Any, t: int) -> Tensor:
    """(1, t, t): the weights of a head that looks at all it may see alike."""
    seen = model.mask(t) if hasattr(model, "mask") else None
    seen = torch.ones(t, t) if seen is None else seen
    return (seen / seen.sum(-1, keepdim=True))[None]


def _run(
    model: Any, tokens: Tensor, evenly: Tensor, special: Sequence[int], watch: Callable[[Iterable[Any]], Iterable[Any]]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """What `_measures` and `_place` give of each stretch, (n, layers, h, ...); and the measures of `evenly`, (n,)."""
    ahead = bool(evenly.triu(1).any())
    found: list[dict[str, Tensor]] = []
    even: list[dict[str, Tensor]] = []
    for batch in watch(tokens.split(8)):
        _, capture = run_with_capture(model, batch, ("q", "k", "weights"))
        q, k, weights = (capture.stack(point) for point in ("q", "k", "weights"))  # (layers, b, h, ...)
        for i, ids in enumerate(batch):
            measures = _measures(weights[:, i], ids, special, ahead)
            found.append(measures | _place(weights[:, i], q[:, i], k[:, i], ids, special))
            even.append(_measures(evenly, ids, special, ahead))
    return (
        {name: torch.stack([each[name] for each in found]) for name in found[0]},
        {name: torch.cat([each[name] for each in even]) for name in even[0]},
    )


def decided(weights: Tensor, tokens: Tensor, special: Sequence[int] = ()) -> Tensor:
    """How decided each query is: its largest weight on a token that is neither the first nor special.

    A head rests on the first token, or on a special one, wherever what it looks for is not there: that is no decision.

    Args:
        weights: (..., t, t), rows sum to 1.
        tokens: (t,) ids.
        special: ids that are no text.
    Returns:
        (..., t), in [0, 1]; 0 for queries that are the first or special themselves.
    """
    text = is_text(tokens, special)
    return (weights * text).amax(-1) * text


def is_text(tokens: Tensor, special: Sequence[int]) -> Tensor:
    """bool (t,): which of the tokens (t,) are neither the first nor special."""
    text = ~torch.isin(tokens, torch.tensor(list(special), dtype=tokens.dtype))
    text[0] = False
    return text


def _measures(weights: Tensor, ids: Tensor, special: Sequence[int], ahead: bool) -> dict[str, Tensor]:
    """Of one stretch's weights (..., t, t), a number (...) each.

    Of a model that sees ahead, in place of what a head does with earlier tokens alone ("same", "copying"):
    "elsewhere": mass on the other places of the query's token, earlier or later, over the queries that have such.
    "separator": mass on special tokens after the first, such as [SEP], where heads of BERT rest (Clark et al. 2019).
    """
    text = is_text(ids, special)
    found = head_statistics(weights, ids)
    if ahead:
        del found["same"], found["copying"]
        others = (ids[:, None] == ids).fill_diagonal_(False)  # (t_query, t_key)
        found["elsewhere"] = (weights * others).sum((-2, -1)) / max(1, int(others.any(1).sum()))
        found["separator"] = (weights[..., 1:] * ~text[1:]).sum(-1).mean(-1)
    return found | {"decided": decided(weights, ids, special).sum(-1) / max(1, int(text.sum()))}


def _place(weights: Tensor, q: Tensor, k: Tensor, ids: Tensor, special: Sequence[int]) -> dict[str, Tensor]:
    """The query of a stretch at which each head is most decided, (layers, h, ...): its place, row, q, and the k that
    it looks at most. The row in 255ths."""
    place = decided(weights, ids, special).argmax(-1)  # (layers, h)
    query = place[..., None, None]
    row = weights.take_along_dim(query, -2)[..., 0, :]  # (layers, h, t)
    key = (row * is_text(ids, special)).argmax(-1)[..., None, None]
    return {
        "place": place,
        "row": (row * 255).round().to(torch.uint8),
        "q": q.take_along_dim(query, -2)[..., 0, :],  # (layers, h, s)
        "k": k.take_along_dim(key, -2)[..., 0, :],
    }


def _chosen(n: int) -> tuple[Tensor, Tensor]:
    """The ranks of the examples among n stretches, (k,), and the group of each: the top, then of each tenth below it
    the middles of its fifths."""
    ranks, group = list(range(TOP)), [0] * TOP
    for tenth in range(TENTHS):
        first, last = (TOP + (n - TOP) * end // TENTHS for end in (tenth, tenth + 1))
        ranks += [first + (last - first) * (2 * i + 1) // (2 * EACH) for i in range(EACH)]
        group += [tenth + 1] * EACH
    return torch.tensor(ranks), torch.tensor(group)


def spread_of(values: Tensor) -> Tensor:
    """(n, layers, h) → (layers, h, 5), `STATISTICS` over the numbers that are none of NaN."""
    mean = values.nanmean(0)
    deviation = (values - mean).square().nanmean(0).sqrt()
    percentiles = values.nanquantile(torch.tensor([0.1, 0.5, 0.9], dtype=values.dtype), dim=0)
    return torch.stack([mean, deviation, *percentiles], -1)


def plane(q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """Queries and keys in the plane of their first two principal components.

    Each less its own mean, so that the plane shows how queries differ from one another, and keys, and not how queries
    differ from keys. A component points to where its largest number is positive.

    Args:
        q, k: (..., k, s).
    Returns:
        (..., 2, k, 2): the two coordinates of each q, then of each k; and (...): the share of the variance they hold.
    """
    centred = torch.stack([x - x.mean(-2, keepdim=True) for x in (q, k)], -3)  # (..., 2, k, s)
    flat = centred.flatten(-3, -2)  # (..., 2·k, s)
    _, sizes, components = torch.linalg.svd(flat, full_matrices=False)
    components = components[..., :2, :]
    largest = components.take_along_dim(components.abs().argmax(-1, keepdim=True), -1)
    components = components * torch.where(largest < 0, -1.0, 1.0)
    variance = sizes.square()
    explained = variance[..., :2].sum(-1) / variance.sum(-1).clamp_min(torch.finfo(variance.dtype).tiny)
    return (flat @ components.transpose(-2, -1)).unflatten(-2, centred.shape[-3:-1]), explained


def save(found: Scan, folder: str | Path) -> Path:
    """Writes a scan into the model's folder, and says which weights it is of; a kill leaves the old or the new.

    Raises:
        ValueError: a scan that would be larger than 2 MB.
    """
    folder = Path(folder)
    tensors = {
        "tokens": _narrow(found.tokens),
        "spread": found.spread.float(),
        "group": _narrow(found.group),
        "examples": _narrow(found.examples),
        "places": _narrow(found.places),
        "rows": (found.rows * 255).round().to(torch.uint8),
        "plane": found.plane.half(),
        "explained": found.explained.half(),
    }
    facts = {**found.facts, "weights": _weights_of(folder)}
    header = {"facts": json.dumps(facts)}
    content = save_tensors({name: tensor.contiguous() for name, tensor in tensors.items()}, header)
    if len(content) > MOST_BYTES:
        raise ValueError(
            f"a scan must be at most {MOST_BYTES:,} bytes, got {len(content):,}: give fewer stretches, or shorter ones"
        )
    path = folder / FILE
    path.parent.mkdir(exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)
    return path


def load(name_or_path: str | Path) -> Scan | None:
    """The scan that stands in a model's folder; None where there is none.

    Args:
        name_or_path: as for `former.load`.
    Raises:
        CheckpointError: a file that is damaged, or that is of other weights than the model's.
    """
    folder = folder_of(name_or_path)
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            facts = json.loads((file.metadata() or {})["facts"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 -- it is no dict
        whole = {name: tensors[name].long() for name in ("tokens", "group", "examples", "places")}
        broken = {name: tensors[name].float() for name in ("spread", "plane", "explained")}
        found = Scan(**whole, **broken, rows=tensors["rows"].float() / 255, facts=facts)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{path} is no scan of a model: {error!r}; make it again") from error
    if facts.get("weights") != _weights_of(folder):
        raise CheckpointError(f"{path} is of other weights than the model's: make it again")
    return found


def _narrow(numbers: Tensor) -> Tensor:
    """Whole numbers from 0 in as few bytes as hold the largest."""
    most = int(numbers.max())
    return numbers.to(torch.uint8 if most < 2**8 else torch.uint16 if most < 2**16 else torch.int32)


def _weights_of(folder: Path) -> dict[str, str]:
    """The checksums of a model's files, as its card has them."""
    files = json.loads((folder / CARD).read_text(encoding="utf-8"))["files"]
    return {name: entry["sha256"] for name, entry in files.items()}
