"""Activation patching: replaces a part of a corrupted run by that of a clean run, and measures what this restores.

Two texts with the same number of tokens differ in one detail, and so do the predictions. If a part of the clean run,
such as a head's output, restores the clean prediction in the corrupted run, then this part carries the information
about the detail (Vig et al. 2020; Meng et al. 2022; Wang et al. 2022).

    bundle = former.load("gpt")
    clean, corrupted = bundle.run("Berlin is the capital of"), bundle.run("Madrid is the capital of")
    metric = former.patching.logit_difference(" Germany", " Spain")
    former.patching.heads(clean, corrupted, metric, share=True)  # (layers, h): 0 as corrupted, 1 as clean

All functions take two runs of one model, of any kind, and keep the edits of the corrupted run. In a model with several
stacks, `stack` is one of `former.hooks.STACKS`.

Sizes: b batch, h heads, t tokens, s size of one head, e embedding, n patches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from former.analysis.difference import predicted
from former.checks import is_whole
from former.edits import Edit
from former.hooks import Capture, Chain, chain, check_layers, points_of
from former.runs.carry import carry, check_alike, point_in
from former.runs.run import Run
from former.sampling import precise

BATCH = 8_192  # tokens per forward pass
POINTS = ("resid_pre", "resid_mid", "mlp_out", "attention")  # points for `stream`


@dataclass(frozen=True)
class Metric:
    """A number computed from one prediction of a run: metric(run).

    Attributes:
        read: function from the run and logits or log-probabilities (b, n) of tokens or classes to the metric (b,).
        at: index of the prediction: a position; in a model that fills in hidden tokens, an index into these; a
            classifier has one prediction.
    """

    read: Callable[[Run, Tensor], Tensor]
    at: int = -1

    def __post_init__(self) -> None:
        if not is_whole(self.at):
            raise ValueError(f"at must be a whole number, got {self.at!r}")

    def of(self, run: Run, result: Tensor) -> Tensor:
        """Computes the metric (b,) from the result of the kind's `call` for a batch of the run's text.

        Raises:
            ValueError: the run has no such token, class or position.
        """
        return self.read(run, run.kind.prediction(run.model, run.reading, run.inputs, result, self.at))

    def __call__(self, run: Run) -> float:
        """Computes the metric of a run."""
        with torch.no_grad():
            return float(self.of(run, run.result)[0])


def logit_difference(answer: int | str, rival: int | str, at: int = -1) -> Metric:
    """Returns the metric logit(answer) − logit(rival), for tokens or classes.

    Args:
        answer, rival: id, text or label of one token; or index or name of a class.
        at: index of the prediction, as in `Metric`.
    """

    def read(run: Run, logits: Tensor) -> Tensor:
        return precise(logits)[:, index_of(run, answer)] - precise(logits)[:, index_of(run, rival)]

    return Metric(read, at)


def probability(answer: int | str, at: int = -1) -> Metric:
    """Returns the metric "probability of a token or a class"; see `logit_difference` for its arguments."""
    return Metric(lambda run, logits: precise(logits).softmax(-1)[:, index_of(run, answer)], at)


def kl_to(clean: Run, at: int = -1) -> Metric:
    """Returns the metric KL(clean ‖ run) of the predictions, in nats; it is 0 if they are equal."""

    def read(run: Run, logits: Tensor) -> Tensor:
        _check_model(clean, run)
        target = predicted(clean, at)
        logits = precise(logits).log_softmax(-1)
        return F.kl_div(logits, target.expand_as(logits), reduction="none", log_target=True).sum(-1)

    return Metric(read, at)


def index_of(run: Run, answer: int | str) -> int:
    """Returns the index of a token or a class in a model's predictions.

    Args:
        run: a run of the model.
        answer: as in `logit_difference`.
    Raises:
        ValueError: an index out of range, an unknown name, or a text of several tokens.
    """
    names = run.kind.classes(run.source) if run.kind.says == "class" else None
    count = run.source.tokenizer.num_tokens if names is None else len(names)
    if not isinstance(answer, str):
        if not is_whole(answer):
            raise ValueError(f"answer must be the index or the text of a token or a class, got {answer!r}")
        if not 0 <= answer < count:
            raise ValueError(f"answer must be in [0, {count}) for this model, got {answer}")
        return int(answer)
    if names is not None:
        if answer not in names:
            raise ValueError(f"answer must be one of the classes {', '.join(names)}, got {answer!r}")
        return names.index(answer)
    return _token(run, answer)


def _token(run: Run, text: str) -> int:
    tokenizer = run.source.tokenizer
    ids = getattr(tokenizer, "pieces", tokenizer.encode)(text)  # without tokens around them, such as [CLS]
    if len(ids) == 1 and tokenizer.decode(ids) == text:
        return ids[0]
    labels = tokenizer.labels(range(tokenizer.num_tokens))
    if text not in labels:
        raise ValueError(f"answer must be one token of this model, got {text!r}, which is {tokenizer.labels(ids)}")
    return labels.index(text)


def heads(clean: Run, corrupted: Run, metric: Metric, share: bool = False, *, stack: str = "") -> Tensor:
    """Patches the output (`out`) of each head in turn, at all tokens.

    Args:
        clean, corrupted: runs of one model, on texts with the same number of tokens.
        metric: a number computed from the patched run's prediction.
        share: whether to return (patched − corrupted) / (clean − corrupted): 0 as corrupted, 1 as clean.
        stack: the heads' stack.
    Returns:
        (layers, h): the metric of the corrupted run with this head's output taken from the clean run.
    Raises:
        ValueError: runs of different models or lengths; a metric that does not fit the model; with `share`, a metric
            that is the same in both runs.
    """
    picks = torch.eye(clean.model.config.heads, dtype=torch.bool)[:, :, None, None]  # (n = h, h, 1, 1)
    return _by_layer(clean, corrupted, metric, point_in("out", stack, clean.model), picks, share)


def heads_by_token(clean: Run, corrupted: Run, metric: Metric, share: bool = False, *, stack: str = "") -> Tensor:
    """Patches the output of each head at each token in turn; returns the metric, (layers, h, t).

    The arguments are those of `heads`.
    """
    name = point_in("out", stack, clean.model)
    h, t = clean.model.config.heads, _length(clean, name)
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
    receivers, (layer, head) = list(receivers), sender
    check_layers(clean.model, [layer, *(later for later, _, _ in receivers)])
    for later, _, part in receivers:
        if later <= layer or part not in ("q", "k", "v"):
            raise ValueError(f"receivers must be (layer above {layer}, head, q, k or v), got {(later, _, part)}")
    if not receivers:
        raise ValueError("receivers must name at least one input of a head, got none")
    name = point_in("out", stack, clean.model)
    added = [point for point in points_of(clean.model) if point.rpartition(".")[2] in ("out", "mlp_out")]
    _, kept = corrupted.again(added)
    taken = clean.again([name])[1][name, layer]
    frozen = [carry(kept[point, at], at, point, None, None) for point, at in kept.captured()]
    frozen.append(carry(taken, layer, name, head, None))
    inputs = [(at, number, point_in(part, stack, clean.model)) for at, number, part in receivers]
    _, seen = corrupted.again({point for _, _, point in inputs}, frozen)
    carried = [carry(seen[point, at], at, point, number, None) for at, number, point in inputs]
    result, _ = corrupted.again((), carried)
    return float(_share(metric.of(corrupted, result), clean, corrupted, metric, share)[0])


def attribution(clean: Run, corrupted: Run, metric: Metric, share: bool = False, *, stack: str = "") -> Tensor:
    """Estimates `heads` to first order by one backward pass (Nanda 2023, "attribution patching"): (layers, h).

    The arguments are those of `heads`. The estimate is the metric of the corrupted run plus, for each head, the
    gradient there times the difference between clean and corrupted output.
    """
    _check(clean, corrupted, metric)
    name, depth = point_in("out", stack, clean.model), clean.model.config.depth
    taken = clean.again([name])[1].stack(name)  # (layers, 1, h, t, s)
    capture, added = Capture([name]), torch.zeros_like(taken, requires_grad=True)
    probes = [Edit(layer, name, lambda out, layer=layer: out + added[layer]) for layer in range(depth)]
    inputs = tuple(each.clone() for each in corrupted.inputs)
    with torch.enable_grad():
        result = corrupted.kind.call(corrupted.model, inputs, chain((*corrupted.edits, *probes, capture)))
        value = metric.of(corrupted, result)
        (gradient,) = torch.autograd.grad(value[0], added)
    moved = (gradient * (taken - capture.stack(name))).sum((1, 3, 4))
    return _share(value.detach() + moved, clean, corrupted, metric, share)


@torch.no_grad()
def _by_layer(clean: Run, corrupted: Run, metric: Metric, name: str, picks: Tensor, share: bool) -> Tensor:
    """Returns the metric of the corrupted run with each patch at each layer, (layers, n).

    Args:
        clean, corrupted, metric, share: as in `heads`.
        name: the point.
        picks: bool, (n, ...) like the point's tensor: the part that each patch replaces.
    """
    _check(clean, corrupted, metric)
    taken = clean.again([name])[1]
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
    edit, count = Edit(layer, name, lambda current: torch.where(picks.to(current.device), taken, current)), len(picks)
    observer = Chain((*run.edits, edit))
    if x is None:
        return metric.of(run, run.kind.call(run.source.model, run.kind.batch(run.inputs, count), observer))
    at, x = metric.at, x.expand(count, -1, -1)
    return metric.read(run, run.kind.resume(run.model, run.reading, run.inputs, x, layer, observer, at))


def _check(clean: Run, corrupted: Run, metric: object) -> None:
    if not isinstance(metric, Metric):
        raise ValueError(f"metric must be a Metric, such as logit_difference(…), got {metric!r}")
    _check_model(clean, corrupted)
    check_alike(clean.reading, corrupted.reading)


def _check_model(one: Run, other: Run) -> None:
    if one.model is not other.model:
        raise ValueError("both runs must be of one model, got runs of two")


def _share(values: Tensor, clean: Run, corrupted: Run, metric: Metric, share: bool) -> Tensor:
    if not share:
        return values
    low, high = metric(corrupted), metric(clean)
    if low == high:
        raise ValueError(f"share must be False where the metric is the same in both runs, got {low:g} in each")
    return (values - low) / (high - low)


def _length(run: Run, name: str) -> int:
    """Returns the number of queries of the stack that the point `name` belongs to."""
    sides, stack = run.reading.sides, name.rpartition(".")[0]
    return len(sides["cross" if stack == "decoder" else stack or "self"].queries)
