"""Activation patching: one part of a clean run, carried into a corrupted one, to see what it brings back.

Two texts of equally many tokens differ where it matters, and so do the predictions. Whichever part of the clean run
moves the corrupted prediction back carries the difference (Vig et al. 2020; Meng et al. 2022; Wang et al. 2022).

    bundle = former.load("gpt")
    clean, corrupted = bundle.run("Berlin is the capital of"), bundle.run("Madrid is the capital of")
    metric = former.patching.logit_difference(" Germany", " Spain")
    former.patching.heads(clean, corrupted, metric, share=True)  # (layers, h): 0 as corrupted, 1 as clean

All functions take runs of one model, of any kind, and run the corrupted text under the edits of its run. In a model of
several stacks `stack` says whose heads are meant, one of `former.hooks.STACKS`.

Sizes: b batch, h heads, t tokens, s size of one head, e embedding, n patches that run at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from former.edits import Edit
from former.hooks import Capture, chain, points_of
from former.runs.carry import carry, check_alike, point_in
from former.runs.run import Run

BATCH = 8_192  # tokens that run at once
POINTS = ("resid_pre", "resid_mid", "mlp_out", "attention")  # that `stream` patches


@dataclass(frozen=True)
class Metric:
    """A number read off one prediction of a run: metric(run).

    Attributes:
        read: from the run and logits or log-probabilities (b, n) of tokens, or classes, to (b,).
        at: the position of the prediction; among the hidden tokens, in a model that fills these in. A classifier has
            one prediction.
    """

    read: Callable[[Run, Tensor], Tensor]
    at: int = -1

    def of(self, run: Run, result: Tensor) -> Tensor:
        """Reads it off what the kind's `call` returned for a batch of the run's text: (b,).

        Raises:
            ValueError: a token, a class or a position that the run does not have.
        """
        return self.read(run, run.kind.prediction(run.model, run.reading, run.inputs, result, self.at))

    def __call__(self, run: Run) -> float:
        """Reads it off a run."""
        with torch.no_grad():
            return float(self.of(run, run.result)[0])


def logit_difference(answer: int | str, rival: int | str, at: int = -1) -> Metric:
    """How much larger the logit of one token, or class, is than that of another.

    Args:
        answer, rival: ids; or the text of one token, or its label; or the name of a class.
        at: the position of the prediction, of `Metric`.
    """

    def read(run: Run, logits: Tensor) -> Tensor:
        return logits[:, index_of(run, answer)] - logits[:, index_of(run, rival)]

    return Metric(read, at)


def probability(answer: int | str, at: int = -1) -> Metric:
    """The probability of a token or a class; arguments as of `logit_difference`."""
    return Metric(lambda run, logits: logits.softmax(-1)[:, index_of(run, answer)], at)


def kl_to(clean: Run, at: int = -1) -> Metric:
    """The Kullback-Leibler divergence from the prediction of another run to this one's, in nats; 0 where they agree."""

    def read(run: Run, logits: Tensor) -> Tensor:
        del run
        target = clean.kind.prediction(clean.model, clean.reading, clean.inputs, clean.result, at).log_softmax(-1)
        return F.kl_div(logits.log_softmax(-1), target.expand_as(logits), reduction="none", log_target=True).sum(-1)

    return Metric(read, at)


def index_of(run: Run, answer: int | str) -> int:
    """The index of a token or a class in the predictions of a run's model.

    Args:
        run: of the model.
        answer: as of `logit_difference`.
    Raises:
        ValueError: no such index, or a text of several tokens.
    """
    names = run.kind.classes(run.source) if run.kind.says == "class" else None
    count = run.source.tokenizer.num_tokens if names is None else len(names)
    if isinstance(answer, int):
        if not 0 <= answer < count:
            raise ValueError(f"answer must be in [0, {count}) for this model, got {answer}")
        return answer
    if names is not None:
        if answer not in names:
            raise ValueError(f"answer must be one of the classes {', '.join(names)}, got {answer!r}")
        return names.index(answer)
    return _token(run, answer)


def _token(run: Run, text: str) -> int:
    tokenizer = run.source.tokenizer
    ids = tokenizer.encode(text)
    if getattr(tokenizer, "closed", False):  # without [CLS] and [SEP]
        ids = ids[1:-1]
    if len(ids) == 1 and tokenizer.decode(ids) == text:
        return ids[0]
    labels = tokenizer.labels(range(tokenizer.num_tokens))
    if text not in labels:
        raise ValueError(f"answer must be one token of this model, got {text!r}, which is {tokenizer.labels(ids)}")
    return labels.index(text)


def heads(clean: Run, corrupted: Run, metric: Metric, share: bool = False, *, stack: str = "") -> Tensor:
    """Carries what one head adds, its `out` at all tokens.

    Args:
        clean, corrupted: runs of one model, on texts of equally many tokens.
        metric: of the corrupted run's prediction.
        share: whether to return (patched − corrupted) / (clean − corrupted): 0 as corrupted, 1 as clean.
        stack: whose heads.
    Returns:
        (layers, h): the metric of the corrupted run with that head's output of the clean one.
    Raises:
        ValueError: runs of different models or lengths, a metric that does not fit the model; with `share`, one that is
            the same in both runs.
    """
    picks = torch.eye(clean.model.config.heads, dtype=torch.bool)[:, :, None, None]  # (n = h, h, 1, 1)
    return _by_layer(clean, corrupted, metric, point_in("out", stack, clean.model), picks, share)


def heads_by_token(clean: Run, corrupted: Run, metric: Metric, share: bool = False, *, stack: str = "") -> Tensor:
    """Carries what one head adds at one token: (layers, h, t). Arguments as of `heads`."""
    name = point_in("out", stack, clean.model)
    h, t = clean.model.config.heads, _length(clean, name)
    picks = torch.eye(h * t, dtype=torch.bool).view(h * t, h, t, 1)
    return _by_layer(clean, corrupted, metric, name, picks, share).unflatten(1, (h, t))


def stream(
    clean: Run, corrupted: Run, metric: Metric, point: str = "resid_pre", share: bool = False, *, stack: str = ""
) -> Tensor:
    """Carries one layer's vector at one token: (layers, t).

    Args:
        clean, corrupted, metric, share, stack: as of `heads`.
        point: "resid_pre" (before the block), "resid_mid" (after attention), "mlp_out" (what the feed-forward adds), or
            "attention" (what all heads of the layer add).
    Raises:
        ValueError: another point, besides what `heads` raises.
    """
    if point not in POINTS:
        raise ValueError(f"point must be one of {', '.join(POINTS)}, got {point!r}")
    name = point_in("out" if point == "attention" else point, stack, clean.model)
    picks = torch.eye(_length(clean, name), dtype=torch.bool)  # (n = t, t)
    picks = picks[:, None, :, None] if point == "attention" else picks[:, :, None]
    return _by_layer(clean, corrupted, metric, name, picks, share)


def attention(clean: Run, corrupted: Run, metric: Metric, share: bool = False, *, stack: str = "") -> Tensor:
    """Carries only where one head looks, its weights, and leaves the values: (layers, h). Arguments as of `heads`."""
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
    """Carries what one head adds, but only on its way into some inputs of later heads (Wang et al. 2022).

    The sender's clean output reaches the receivers directly: every other head and feed-forward keeps what it adds in
    the corrupted run. The prediction is then made with the receivers' inputs of that pass, and all else as it was.

    Args:
        clean, corrupted, metric, share, stack: as of `heads`.
        sender: (layer, head).
        receivers: (layer, head, "q", "k" or "v"), of later layers.
    Returns:
        The metric of the corrupted run.
    Raises:
        ValueError: no receiver, one that is not after the sender, or another input, besides what `heads` raises.
    """
    _check(clean, corrupted)
    receivers = list(receivers)
    layer, head = sender
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

    Arguments as of `heads`. The estimate is the metric of the corrupted run, and for each head the gradient there times
    the difference of the two outputs.
    """
    _check(clean, corrupted)
    name, depth = point_in("out", stack, clean.model), clean.model.config.depth
    taken = clean.again([name])[1].stack(name)  # (layers, 1, h, t, s)
    capture = Capture([name])
    added = torch.zeros_like(taken, requires_grad=True)
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
    """The metric of the corrupted run, at each layer, with each part of the clean one: (layers, n).

    Args:
        clean, corrupted, metric, share: as of `heads`.
        name: the point.
        picks: bool, (n, ...) like the point's tensor: which part each patch carries.
    """
    _check(clean, corrupted)
    taken = clean.again([name])[1]
    read = Capture(["resid_pre"])  # what each block reads before an edit of it: blocks below a patch run once
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
    """The metric of a run with parts of `taken` (1, ...), a patch for each of `picks` (n, ...): (n,).

    x (1, t, e) is what the layer reads; None where the whole model has to run.
    """
    edit = Edit(layer, name, lambda current: torch.where(picks.to(current.device), taken, current))
    observer, count = chain((*run.edits, edit)), len(picks)
    assert observer
    if x is None:
        return metric.of(run, run.kind.call(run.source.model, run.kind.batch(run.inputs, count), observer))
    x = x.expand(count, -1, -1)
    return metric.read(run, run.kind.resume(run.model, run.reading, run.inputs, x, layer, observer, metric.at))


def _check(clean: Run, corrupted: Run) -> None:
    if clean.model is not corrupted.model:
        raise ValueError("both runs must be of one model, got runs of two")
    check_alike(clean.reading, corrupted.reading)


def _share(values: Tensor, clean: Run, corrupted: Run, metric: Metric, share: bool) -> Tensor:
    if not share:
        return values
    low, high = metric(corrupted), metric(clean)
    if low == high:
        raise ValueError(f"share must be False where the metric is the same in both runs, got {low:g} in each")
    return (values - low) / (high - low)


def _length(run: Run, name: str) -> int:
    """How many tokens a point has a row for."""
    stack = name.rpartition(".")[0]
    return len(run.reading.sides["cross" if stack == "decoder" else stack or "self"].queries)
