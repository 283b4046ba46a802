"""The patches: each replaces a part of a corrupted run, one place after another, and computes the metric.

Sizes: b batch, h heads, t tokens, s size of one head, e embedding, n patches.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor

from former.checks import listed, require_instance
from former.edits import Edit
from former.hooks import Capture, Chain, chain, check_layers, points_of
from former.patching.metrics import Metric
from former.runs.carry import carry, check_alike, point_in
from former.runs.run import Run
from former.sampling import require_numbers

BATCH = 8_192  # tokens per forward pass
POINTS = ("resid_pre", "resid_mid", "mlp_out", "attention")  # points for `stream`


def heads(clean: Run, corrupted: Run, metric: Metric, share: bool = False, *, stack: str = "") -> Tensor:
    """Patches the output (`out`) of each head in turn, at all tokens.

    Args:
        clean, corrupted: runs of one model, on texts with the same number of tokens.
        metric: a number computed from the patched run's prediction.
        share: whether to return (patched − corrupted) / (clean − corrupted): 0 for no effect, 1 if the patch restores
            the clean metric.
        stack: the stack that has the heads, in a model with several.
    Returns:
        (layers, h): the metric of the corrupted run with this head's output taken from the clean run.
    Raises:
        ValueError: runs of different models or lengths; a metric that does not fit the model; with `share`, a metric
            that is the same in both runs.
    """
    _check(clean, corrupted, metric)
    picks = torch.eye(clean.model.config.heads, dtype=torch.bool)[:, :, None, None]  # (n = h, h, 1, 1)
    return _by_layer(clean, corrupted, metric, point_in("out", stack, clean.model), picks, share)


def heads_by_token(clean: Run, corrupted: Run, metric: Metric, share: bool = False, *, stack: str = "") -> Tensor:
    """Patches the output of each head at each token in turn; returns the metric, (layers, h, t).

    The arguments are those of `heads`.
    """
    _check(clean, corrupted, metric)
    name = point_in("out", stack, clean.model)
    h = clean.model.config.heads
    t = _length(clean, name)
    picks = torch.eye(h * t, dtype=torch.bool).view(h * t, h, t, 1)
    return _by_layer(clean, corrupted, metric, name, picks, share).unflatten(1, (h, t))


def stream(
    clean: Run, corrupted: Run, metric: Metric, point: str = "resid_pre", share: bool = False, *, stack: str = ""
) -> Tensor:
    """Patches one vector of each layer at each token in turn; returns the metric, (layers, t).

    Args:
        clean, corrupted, metric, share, stack: as in `heads`.
        point: "resid_pre" (the residual stream before the block), "resid_mid" (after attention), "mlp_out" (the output
            of the feed-forward), or "attention" (the output of all heads of the layer).
    Raises:
        ValueError: another point, or as `heads`.
    """
    _check(clean, corrupted, metric)
    if point not in POINTS:
        raise ValueError(f"point must be one of {', '.join(POINTS)}, got {point!r}")
    name = point_in("out" if point == "attention" else point, stack, clean.model)
    picks = torch.eye(_length(clean, name), dtype=torch.bool)  # (n = t, t)
    picks = picks[:, None, :, None] if point == "attention" else picks[:, :, None]
    return _by_layer(clean, corrupted, metric, name, picks, share)


def attention(clean: Run, corrupted: Run, metric: Metric, share: bool = False, *, stack: str = "") -> Tensor:
    """Patches the attention weights of each head in turn, but not its values; returns the metric, (layers, h).

    The arguments are those of `heads`.
    """
    _check(clean, corrupted, metric)
    picks = torch.eye(clean.model.config.heads, dtype=torch.bool)[:, :, None, None]
    return _by_layer(clean, corrupted, metric, point_in("weights", stack, clean.model), picks, share)


@torch.no_grad()
def path(
    clean: Run,
    corrupted: Run,
    sender: tuple[int, int],
    receivers: Iterable[tuple[int, int, str]],
    metric: Metric,
    share: bool = False,
    *,
    stack: str = "",
) -> float:
    """Patches the output of one head, but only on its direct path into some inputs of later heads (Wang et al. 2022).

    A first pass has the sender's clean output, and the corrupted output of every other head and feed-forward; it gives
    the receivers' inputs. A second pass of the corrupted text has these inputs and nothing else changed.

    Args:
        clean, corrupted, metric, share, stack: as in `heads`.
        sender: (layer, head).
        receivers: (layer, head, "q", "k" or "v") of each, in later layers.
    Returns:
        The metric of the second pass.
    Raises:
        ValueError: no receivers, a receiver that is not in a later layer, another input, or as `heads`.
    """
    _check(clean, corrupted, metric)
    if not isinstance(sender, tuple) or len(sender) != 2:
        raise ValueError(f"sender must be (layer, head), got {sender!r}")
    layer, head = sender
    receivers = listed("receivers", receivers)
    check_layers(clean.model, [layer])
    for receiver in receivers:
        named = isinstance(receiver, tuple) and len(receiver) == 3 and receiver[2] in ("q", "k", "v")
        check_layers(clean.model, [receiver[0]] if named else [])
        if not named or receiver[0] <= layer:
            raise ValueError(f"receivers must be (layer above {layer}, head, q, k or v), got {receiver!r}")
    if not receivers:
        raise ValueError("receivers must name at least one input of a head, got none")
    name = point_in("out", stack, clean.model)
    added = [point for point in points_of(clean.model) if point.rpartition(".")[2] in ("out", "mlp_out")]
    _, kept = corrupted.rerun(added)
    taken = clean.rerun([name])[1][name, layer]
    frozen = [carry(kept[point, at], at, point, None, None) for point, at in kept.captured()]
    frozen.append(carry(taken, layer, name, head, None))
    inputs = [(at, number, point_in(part, stack, clean.model)) for at, number, part in receivers]
    _, seen = corrupted.rerun({point for _, _, point in inputs}, frozen)
    carried = [carry(seen[point, at], at, point, number, None) for at, number, point in inputs]
    result, _ = corrupted.rerun((), carried)
    return float(_share(metric.of(corrupted, result), clean, corrupted, metric, share)[0])


def attribution(clean: Run, corrupted: Run, metric: Metric, share: bool = False, *, stack: str = "") -> Tensor:
    """Estimates `heads` to first order by one backward pass (Nanda 2023, "attribution patching"): (layers, h).

    The arguments are those of `heads`. The estimate is the metric of the corrupted run plus, for each head, the
    gradient there times the difference between clean and corrupted output.
    """
    _check(clean, corrupted, metric)
    name = point_in("out", stack, clean.model)
    depth = clean.model.config.depth
    taken = clean.rerun([name])[1].stack(name)  # (layers, 1, h, t, s)
    capture = Capture([name])
    with torch.inference_mode(False), torch.enable_grad():  # the runs may have been made in it, so copy their inputs
        added = torch.zeros_like(taken, requires_grad=True)
        probes = [Edit(layer, name, lambda out, layer=layer: out + added[layer]) for layer in range(depth)]
        inputs = tuple(each.clone() for each in corrupted.inputs)
        result = corrupted.kind.call(corrupted.model, inputs, chain((*corrupted.edits, *probes, capture)))
        value = metric.of(corrupted, result)
        (gradient,) = torch.autograd.grad(value[0], added)
    estimate = (gradient * (taken - capture.stack(name))).sum((1, 3, 4))
    return _share(value.detach() + estimate, clean, corrupted, metric, share)


@torch.no_grad()
def _by_layer(clean: Run, corrupted: Run, metric: Metric, name: str, picks: Tensor, share: bool) -> Tensor:
    """Returns the metric of the corrupted run with each patch at each layer, (layers, n).

    Args:
        clean, corrupted, metric, share: as in `heads`.
        name: the point.
        picks: bool, (n, ...) like the point's tensor: the part that each patch replaces.
    """
    taken = clean.rerun([name])[1]
    read = Capture(["resid_pre"])  # the input of each block, so that the blocks below a patch run only once
    if corrupted.kind.resumes:
        corrupted.kind.call(corrupted.model, corrupted.inputs, chain((read, *corrupted.edits)))
    size = max(1, BATCH // max(each.shape[1] for each in corrupted.inputs if each.dim() == 2))
    rows = []
    for layer in range(clean.model.config.depth):
        x = read["resid_pre", layer] if corrupted.kind.resumes else None
        values = [_patched(corrupted, metric, name, layer, taken[name, layer], part, x) for part in picks.split(size)]
        rows.append(torch.cat(values))
    return _share(torch.stack(rows), clean, corrupted, metric, share)


def _patched(run: Run, metric: Metric, name: str, layer: int, taken: Tensor, picks: Tensor, x: Tensor | None) -> Tensor:
    """Returns the metric (n,) of a run with parts of `taken` (1, ...), one patch for each of `picks` (n, ...).

    x (1, t, e) is the input of the layer; None if the whole model has to run.
    """
    count = len(picks)
    edit = Edit(layer, name, lambda current: torch.where(picks.to(current.device), taken, current))
    observer = Chain((*run.edits, edit))
    if x is None:
        return metric.of(run, run.kind.call(run.source.model, run.kind.batch(run.inputs, count), observer))
    x = x.expand(count, -1, -1)
    return metric.read(run, run.kind.resume(run.model, run.reading, run.inputs, x, layer, observer, metric.at))


def _check(clean: Run, corrupted: Run, metric: object) -> None:
    if not isinstance(metric, Metric):
        raise ValueError(f"metric must be a Metric, such as logit_difference(…), got {metric!r}")
    for name, run in (("clean", clean), ("corrupted", corrupted)):
        require_instance(name, run, Run)
    check_alike(clean, corrupted)


def _share(values: Tensor, clean: Run, corrupted: Run, metric: Metric, share: bool) -> Tensor:
    require_numbers(values)
    if not share:
        return values
    low = metric(corrupted)
    high = metric(clean)
    if not math.isfinite(high - low):
        raise ValueError(f"share must be False where the metric is not finite in both runs, got {low:g} and {high:g}")
    if low == high:
        raise ValueError(f"share must be False where the metric is the same in both runs, got {low:g} in each")
    return (values - low) / (high - low)


def _length(run: Run, name: str) -> int:
    """Returns the number of queries of the stack that the point `name` belongs to."""
    stack = name.rpartition(".")[0]
    return len(run.reading.sides["cross" if stack == "decoder" else stack or "self"].queries)
