"""Scans heads over a corpus: measures of every head in some 2,000 passages of text, and their distribution.

One text can mislead about a head. So a scan stores, for every head, the distribution of its measures over all passages,
and example passages: those with its largest weights (see `decided`), and some from each tenth of the others. For each
example it stores the row of the largest weight, and that query's q and k in a plane. It is saved in the model's folder
as `scan/heads.safetensors`, under 2 MB; `load` refuses a scan of other weights.

Sizes: n passages, t tokens of each, h heads, s size of one head, k examples of a head.
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
from former.analysis.statistics import head_statistics, key_kinds, places_of
from former.checkpoints import folder_of
from former.checkpoints.files import CARD, CheckpointError
from former.hooks import run_with_capture
from former.runs.kind import Measure, Source
from former.runs.kinds import kind_of
from former.sampling import precise
from former.stack import check_tokens

FILE = "scan/heads.safetensors"  # not listed among the card's weight files
MOST_BYTES = 2_000_000
TOP, TENTHS, EACH = 20, 10, 5  # most decided passages; parts of the others by rank, and examples from each part
STATISTICS = ("mean", "deviation", "tenth", "median", "ninetieth")  # the last three are percentiles

Question = tuple[Tensor, Measure | None]
"""Inputs for measuring removals: tokens (1, t), and a measure for `former.analysis.ablation_effects`."""


@dataclass(frozen=True)
class Scan:
    """The results of a scan. `facts` are plain values: "measures" names the third axis of `spread`, and "even" is each
    measure's average for a head that attends to all tokens equally; "passages" is the number of those read."""

    tokens: Tensor  # (n, t) token ids of the passages; of a loaded scan, of those that have examples
    spread: Tensor  # (layers, h, measures, 5): `STATISTICS` over the passages where the measure is defined
    group: Tensor  # (k,): 0 for the most decided examples, else the example's tenth, 1 to 10
    examples: Tensor  # (layers, h, k): index of the passage
    places: Tensor  # (layers, h, k): position of its most decided query
    rows: Tensor  # (layers, h, k, t): that query's weights, rounded to 1/255
    plane: Tensor  # (layers, h, 2, k, 2): its q and the k with the largest weight, see `plane`
    explained: Tensor  # (layers, h): share of their variance in the plane
    facts: dict[str, Any]

    def of(self, measure: str, statistic: str = "mean") -> Tensor:
        """Returns one statistic of a measure for every head, (layers, h), such as the "mean" of "entropy"."""
        return self.spread[:, :, self.facts["measures"].index(measure), STATISTICS.index(statistic)]


@torch.inference_mode()
def scan(
    model: Any,
    tokens: Tensor,
    *,
    special: Sequence[int] = (),
    punctuation: Sequence[int] = (),
    questions: Sequence[Question] = (),
    facts: dict[str, Any] | None = None,
    watch: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> Scan:
    """Runs a model over passages of text and measures its heads.

    Args:
        model: of a kind that `can_scan`.
        tokens: (n, t), at least 70 passages of at least 2 tokens.
        special: ids that are not text, such as [CLS] and [SEP]; `decided` leaves out the weight on them.
        punctuation: ids of punctuation marks.
        questions: inputs on which each head is removed in turn, for the measure "effect"; empty for no such measure.
        facts: more facts to store, as plain values.
        watch: wraps iterables to show progress, such as `tqdm`.
    Raises:
        ValueError: tokens that the model cannot read, too few passages, or too short ones.
    """
    check_tokens(tokens, model.config.num_tokens)
    n, t = tokens.shape
    if n < TOP + TENTHS * EACH or t < 2:
        raise ValueError(f"tokens must be at least {TOP + TENTHS * EACH} passages of 2 tokens, got {n} of {t}")
    fast = cpu.optimise(model)
    results, even = _run(fast, tokens, _evenly(model, t), (special, punctuation), watch)
    measures = _defined(results, even)
    if questions:
        measures["effect"] = torch.stack([ablation_effects(fast, *question) for question in watch(questions)])
    ranks, group = _chosen(n)
    passages = results["decided"].argsort(dim=0, descending=True, stable=True)[ranks]  # (k, layers, h)

    def examples_of(name: str) -> Tensor:  # (n, layers, h, ...) → (layers, h, k, ...)
        index = passages.reshape(*passages.shape, *[1] * (results[name].dim() - 3))
        return results[name].take_along_dim(index, 0).movedim(0, 2)

    in_plane, explained = plane(examples_of("q"), examples_of("k"))
    shares = {name: float(even[name][even[name] > 0].mean()) for name in measures if name in even}
    known = {"measures": list(measures), "statistics": list(STATISTICS), "even": shares, "removals": len(questions)}
    return Scan(
        tokens=tokens,
        spread=torch.stack([spread_of(values) for values in measures.values()], 2),
        group=group,
        examples=passages.movedim(0, 2),
        places=examples_of("place"),
        rows=examples_of("row").float() / 255,
        plane=in_plane,
        explained=explained,
        facts={**(facts or {}), "passages": n, **known},
    )


def _defined(results: dict[str, Tensor], even: dict[str, Tensor]) -> dict[str, Tensor]:
    """Returns the measures, nan for passages without a query that has such a key: its share of equal weights is 0."""
    possible = {name: by_stretch > 0 for name, by_stretch in even.items()}
    return {
        name: results[name].masked_fill(~has[:, None, None], torch.nan) for name, has in possible.items() if has.any()
    }


def can_scan(source: Source) -> bool:
    """Returns whether `scan` supports a model: it must predict the tokens of a text, by one stack of blocks."""
    kind = kind_of(source)
    return kind.says in ("next", "blank") and kind.resumes


def _evenly(model: Any, t: int) -> Tensor:
    """Returns the weights (1, t, t) of a head that attends equally to all tokens that the mask allows."""
    mask = model.mask(t) if hasattr(model, "mask") else torch.ones(t, t)
    return (mask / mask.sum(-1, keepdim=True))[None]


def _run(
    model: Any,
    tokens: Tensor,
    evenly: Tensor,
    kinds: tuple[Sequence[int], Sequence[int]],
    watch: Callable[[Iterable[Any]], Iterable[Any]],
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Computes `_measures` and `_place` of each passage, (n, layers, h, ...), and the measures of `evenly`, (n,)."""
    shares = places_of(evenly[0])
    results: list[dict[str, Tensor]] = []
    even: list[dict[str, Tensor]] = []
    for batch in watch(tokens.split(8)):
        _, capture = run_with_capture(model, batch, ("q", "k", "weights"))
        q, k, weights = (precise(capture.stack(point)) for point in ("q", "k", "weights"))  # (layers, b, h, ...)
        for i, ids in enumerate(batch):
            measures = _measures(weights[:, i], ids, *kinds, shares)
            results.append(measures | _place(weights[:, i], q[:, i], k[:, i], ids, kinds[0]))
            even.append(_measures(evenly, ids, *kinds, shares))
    return (
        {name: torch.stack([each[name] for each in results]) for name in results[0]},
        {name: torch.cat([each[name] for each in even]) for name in even[0]},
    )


def decided(weights: Tensor, tokens: Tensor, special: Sequence[int] = ()) -> Tensor:
    """Computes how decided each query is: its largest weight on a token that is neither the first nor special.

    Heads put their weight on the first or a special token when nothing matches; that does not count as decided.

    Args:
        weights: (..., t, t), rows sum to 1.
        tokens: (t,) ids.
        special: ids that are not text.
    Returns:
        (..., t), in [0, 1]; 0 for queries that are first or special tokens.
    """
    text = is_text(tokens, special)
    return (weights * text).amax(-1) * text


def is_text(tokens: Tensor, special: Sequence[int]) -> Tensor:
    """Returns which tokens (t,) are neither the first nor special: bool (t,)."""
    text = ~torch.isin(tokens, torch.tensor(list(special), dtype=tokens.dtype, device=tokens.device))
    text[0] = False
    return text


def _measures(
    weights: Tensor, ids: Tensor, special: Sequence[int], punctuation: Sequence[int], shares: Sequence[str]
) -> dict[str, Tensor]:
    """Computes the measures of one passage's weights (..., t, t), each (...)."""
    text = is_text(ids, special)
    statistics = head_statistics(weights, ids, key_kinds(ids, special, punctuation))
    measures = {name: statistics[name] for name in ("entropy", "distance", *shares)}
    return measures | {"decided": decided(weights, ids, special).sum(-1) / max(1, int(text.sum()))}


def _place(weights: Tensor, q: Tensor, k: Tensor, ids: Tensor, special: Sequence[int]) -> dict[str, Tensor]:
    """Finds each head's most decided query in a passage, (layers, h, ...): its position, its weights (in units of
    1/255), its q, and the k with the largest weight."""
    position = decided(weights, ids, special).argmax(-1)  # (layers, h)
    query = position[..., None, None]
    row = weights.take_along_dim(query, -2)[..., 0, :]  # (layers, h, t)
    key = (row * is_text(ids, special)).argmax(-1)[..., None, None]
    return {
        "place": position,
        "row": (row * 255).round().to(torch.uint8),
        "q": q.take_along_dim(query, -2)[..., 0, :],  # (layers, h, s)
        "k": k.take_along_dim(key, -2)[..., 0, :],
    }


def _chosen(n: int) -> tuple[Tensor, Tensor]:
    """Chooses examples by rank among n passages: their ranks (k,), and the group of each. They are the top ranks; and,
    in each tenth of the ranks below, the middle of each fifth."""
    ranks, group = list(range(TOP)), [0] * TOP
    for tenth in range(TENTHS):
        first, last = (TOP + (n - TOP) * end // TENTHS for end in (tenth, tenth + 1))
        ranks += [first + (last - first) * (2 * i + 1) // (2 * EACH) for i in range(EACH)]
        group += [tenth + 1] * EACH
    return torch.tensor(ranks), torch.tensor(group)


def spread_of(values: Tensor) -> Tensor:
    """Computes `STATISTICS` over the passages, without NaN: (n, layers, h) → (layers, h, 5)."""
    mean = values.nanmean(0)
    deviation = (values - mean).square().nanmean(0).sqrt()
    percentiles = values.nanquantile(torch.tensor([0.1, 0.5, 0.9], dtype=values.dtype), dim=0)
    return torch.stack([mean, deviation, *percentiles], -1)


def plane(q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """Projects queries and keys onto the plane of their first two principal components.

    Queries and keys are centred separately, so that the plane shows differences among queries and among keys, not the
    difference between the two. The sign of a component makes its largest coefficient positive.

    Args:
        q, k: (..., k, s).
    Returns:
        (..., 2, k, 2): the two coordinates of each q, then of each k; and (...): their share of the variance.
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


def save(result: Scan, folder: str | Path) -> Path:
    """Writes a scan to the model's folder, with the checksums of its weights; an interruption keeps the old file.

    Raises:
        ValueError: the scan is larger than 2 MB.
    """
    folder = Path(folder)
    shown, examples = result.examples.unique(return_inverse=True)
    tensors = {
        "tokens": _narrow(result.tokens[shown]),
        "spread": result.spread.float(),
        "group": _narrow(result.group),
        "examples": _narrow(examples),
        "places": _narrow(result.places),
        "rows": (result.rows * 255).round().to(torch.uint8),
        "plane": result.plane.half(),
        "explained": result.explained.half(),
    }
    header = {"facts": json.dumps({**result.facts, "weights": _weights_of(folder)})}
    content = save_tensors({name: tensor.contiguous() for name, tensor in tensors.items()}, header)
    if len(content) > MOST_BYTES:
        raise ValueError(f"a scan must be at most {MOST_BYTES:,} bytes, got {len(content):,}: scan fewer passages")
    path = folder / FILE
    path.parent.mkdir(exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)
    return path


def load(name_or_path: str | Path) -> Scan | None:
    """Loads the scan in a model's folder; returns None if the folder has no scan.

    Args:
        name_or_path: as in `former.load`.
    Raises:
        CheckpointError: the file is damaged, or was made with other weights than the model's.
    """
    folder = folder_of(name_or_path)
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            facts = json.loads((file.metadata() or {})["facts"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 -- not a dict
        whole = {name: tensors[name].long() for name in ("tokens", "group", "examples", "places")}
        broken = {name: tensors[name].float() for name in ("spread", "plane", "explained")}
        facts.setdefault("passages", len(whole["tokens"]))  # older scans stored every passage
        result = Scan(**whole, **broken, rows=tensors["rows"].float() / 255, facts=facts)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{path} is not a valid scan: {error!r}; repeat the scan") from error
    if facts.get("weights") != _weights_of(folder):
        raise CheckpointError(f"{path} was made with other weights than the model's; repeat the scan")
    return result


def _narrow(numbers: Tensor) -> Tensor:
    """Stores whole numbers from 0 in the smallest type that holds the largest."""
    most = int(numbers.max())
    return numbers.to(torch.uint8 if most < 2**8 else torch.uint16 if most < 2**16 else torch.int32)


def _weights_of(folder: Path) -> dict[str, str]:
    """Returns the checksums of a model's files from its card."""
    files = json.loads((folder / CARD).read_text(encoding="utf-8"))["files"]
    return {name: entry["sha256"] for name, entry in files.items()}
