"""What we measure on attention: each a number that can be checked, none an assumption.

Sizes: b batch, t tokens, e embedding, h heads. Weights are (..., h, t_query, t_key).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from former.checks import require_positive
from former.edits import Edit
from former.hooks import Observer, run_with_capture
from former.models import Classifier

Measure = Callable[[Tensor], Tensor]  # a model's output for a batch → one number a sequence, (b,)


@torch.no_grad()
def equivariance_error(f: Callable[[Tensor], Tensor], x: Tensor, permutation: Tensor | Sequence[int]) -> float:
    """max |f(P x) − P f(x)|: how far f is from treating its input as a set.

    0 but for rounding (about 1e-6 in float32, 1e-15 in float64, times the size of the outputs) where f is permutation
    equivariant, as blocks without positions and masks are (article, section "Self-attention").

    Args:
        f: from x to (b, t, ...).
        x: (b, t, ...): vectors or token ids.
        permutation: (t,), each index once; the i-th token of P x is token `permutation[i]` of x.
    Raises:
        ValueError: no permutation of x's tokens, or an output whose second size is not t.
    """
    index = torch.as_tensor(permutation, device=x.device)
    t = x.shape[1]
    whole = not index.is_floating_point() and not index.is_complex() and index.dtype != torch.bool
    if not whole or index.dim() != 1 or index.sort().values.tolist() != list(range(t)):
        raise ValueError(f"permutation must hold each of 0 to {t - 1} once, got {index.tolist()}")
    y = f(x)
    if y.dim() < 2 or y.shape[1] != t:
        raise ValueError(f"f must give an output a token, (b, {t}, ...), got {tuple(y.shape)}")
    return float((f(x[:, index]) - y[:, index]).abs().max())


@torch.no_grad()
def influence(f: Callable[[Tensor], Tensor], x: Tensor, chunk: int = 8) -> Tensor:
    """How much each output moves when each input is changed: by perturbing, not by gradients.

    Each input in turn is replaced, a vector by itself plus normal noise of x's own spread (always the same noise), a
    token id by its neighbour in the vocabulary; f runs again, and the largest change in each output is kept. A finite
    change finds dependences that a gradient at one point can miss, and an entry is exactly 0 where an output does not
    depend on an input: both runs have the same shapes, so the same arithmetic.

    Args:
        f: from x to (b, t_out, ...), each sequence on its own; for a Classifier, an output is a class. Of token
            ids it takes at least 3, unless it is a model, whose config says how many.
        x: (1, t_in, ...): vectors or token ids. Padding of a model that pads is no input: it is left as it is, its
            column is 0, and no token is replaced by it.
        chunk: how many changed inputs run as one batch, at least 1; the cost is t_in + t_in / chunk sequences.
    Returns:
        (t_out, t_in): row i, column j is how much output i moves when input j changes; the largest absolute change.
    Raises:
        ValueError: x is not one sequence or is empty, or a chunk below 1.
    """
    require_positive("chunk", chunk)
    if x.dim() < 2 or x.shape[0] != 1 or x.shape[1] == 0:
        raise ValueError(f"x must be one sequence, (1, t, ...) with t at least 1, got {tuple(x.shape)}")
    config = getattr(f, "config", None)
    replaced = _replacements(x, getattr(config, "num_tokens", 3), getattr(config, "pad_token", None))
    t = x.shape[1]
    same = x.expand(min(chunk, t), *x.shape[1:])
    unchanged = f(same)  # (chunk, t_out, ...)
    columns = []
    for first in range(0, t, len(same)):
        changed = same.to(replaced.dtype, copy=True)
        last = min(first + len(same), t)  # a last, smaller chunk keeps the batch's shape, for the same arithmetic
        rows = torch.arange(last - first)
        changed[rows, first + rows] = replaced[0, first:last]
        moved = (f(changed) - unchanged).abs()[: last - first]
        columns.append(moved.flatten(2).amax(-1) if moved.dim() > 2 else moved)  # (chunk, t_out)
    return torch.cat(columns).T.contiguous()


def steps_to_reach(steps: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """After how many steps of its work a model's outputs depend on its inputs, by `influence` on what each step gives.

    Args:
        steps: from x to (b, n, t_out, ...): what stands at each output after each of n steps.
        x: (1, t_in, ...): vectors or token ids, of which `influence` then takes at least 3.
    Returns:
        (t_out, t_in): row i, column j is the first step, from 1, after which output i moves when input j changes;
        0 where none is.
    """
    n = steps(x).shape[1]
    moved = influence(lambda changed: steps(changed).flatten(1, 2), x)  # (n · t_out, t_in)
    still = moved.unflatten(0, (n, -1)) == 0
    waited = still.long().cumprod(0).sum(0)  # steps before the first that moves it
    return torch.where(waited < n, waited + 1, 0)


def rollout(weights: Tensor | Sequence[Tensor]) -> Tensor:
    """Attention followed through the layers down to the input (Abnar and Zuidema 2020, "attention rollout").

    A layer passes on half of what stands at a token (the residual) and half of what its heads fetch on average:
    A_l = (mean over heads + I) / 2, and the rollout is A_L ··· A_1. It is a summary of the weights, not a measure of
    what the output depends on: for that see `influence`.

    Args:
        weights: of each layer, from the first: (layers, ..., h, t, t), or as many (..., h, t, t).
    Returns:
        (..., t, t), rows sum to 1: where each position of the last layer looks among the inputs.
    Raises:
        ValueError: no layer.
    """
    *_, last = rollout_by_layer(weights)
    return last


def rollout_by_layer(weights: Tensor | Sequence[Tensor]) -> Iterator[Tensor]:
    """The rollout up to each layer, from the first: the last is that of `rollout`, (..., t, t) each."""
    if len(weights) == 0:
        raise ValueError("weights must hold at least one layer, got none")
    identity = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device)
    result = identity
    for layer in weights:
        result = (layer.mean(-3) + identity) / 2 @ result
        yield result


def head_statistics(weights: Tensor, tokens: Tensor | None = None) -> dict[str, Tensor]:
    """What a head does, in numbers, each an average over the queries.

    Args:
        weights: (..., t, t), rows sum to 1.
        tokens: (t,) ids, for the two that compare tokens.
    Returns:
        A tensor (...) for each of
        "entropy": of the weights of a query, in bits; 0 looks at one token, log2(t) at all alike.
        "distance": |query − key| in tokens, averaged with the weights.
        "previous": mass on the token before, over the queries that have one (0 where t is 1).
        "first": mass on the first token.
        "self": mass on the query's own token.
        "next": mass on the token after, over the queries that have one; 0 under a causal mask.
        And with tokens, over the queries that have such keys (0 where none has):
        "same": mass on earlier places where the query's token stood already.
        "copying": mass on the tokens that came right after it there, as a head looks that copies what followed the last
        time, an induction head (Olsson et al. 2022); the query's own place is not counted.
    Raises:
        ValueError: weights that are not square, or not one token for each place.
    """
    if weights.dim() < 2 or weights.shape[-1] != weights.shape[-2]:
        raise ValueError(f"weights must be square, (..., t, t), got {tuple(weights.shape)}")
    t = weights.shape[-1]
    if tokens is not None and tokens.shape != (t,):
        raise ValueError(f"tokens must be ({t},), an id for each place, got {tuple(tokens.shape)}")
    index = torch.arange(t, device=weights.device)
    values = [(index[:, None] - index[None, :]).abs()]  # distance, (t_query, t_key)
    if tokens is not None:
        same = (tokens[:, None] == tokens).tril(-1)
        # The last column comes round to the first, above the diagonal.
        values += [same, same.roll(1, dims=1).tril(-1)]
    # In one product: a map is read once for all of them.
    totals = weights.flatten(-2) @ torch.stack(values, -1).flatten(0, 1).to(weights.dtype)  # (..., 1 or 3)
    previous = weights.diagonal(offset=-1, dim1=-2, dim2=-1)  # (..., t - 1)
    statistics = {
        "entropy": _bits(weights) / t,
        "distance": totals[..., 0] / t,
        "previous": previous.sum(-1) / max(1, t - 1),
        "first": weights[..., 0].mean(-1),
        "self": weights.diagonal(dim1=-2, dim2=-1).mean(-1),
        "next": weights.diagonal(offset=1, dim1=-2, dim2=-1).sum(-1) / max(1, t - 1),
    }
    for i, (name, keys) in enumerate(zip(("same", "copying"), values[1:], strict=False), 1):
        statistics[name] = totals[..., i] / max(1, int(keys.any(1).sum()))
    return statistics


def _bits(weights: Tensor) -> Tensor:
    """The sum of −w log₂ w over each map: (..., t, t) → (...), with 0 · log 0 = 0.

    Map by map, which stays in a core's cache; and not by xlogy, which takes one number at a time.
    """
    least = torch.finfo(weights.dtype).tiny
    maps = weights.reshape(-1, weights.shape[-2] * weights.shape[-1])
    return -torch.stack([each.dot(each.clamp_min(least).log2()) for each in maps]).view(weights.shape[:-2])


def ablation_effects(
    model: Any,
    tokens: Tensor | tuple[Tensor, ...],
    measure: Measure | None = None,
    *,
    mask: Tensor | None = None,
    edits: Iterable[Observer] = (),
    stack: str = "",
) -> Tensor:
    """What each head's removal does: the measure without the head, less the measure with all of them.

    Args:
        model: a Generator, its fast twin, a Classifier or an EncoderDecoder.
        tokens: (1, t) token ids; at least 2 for a Generator's own measure. Of an EncoderDecoder the source and the
            target, a tuple of two.
        measure: from the model's output for a batch to one number a sequence, (b,): a logit, say. None for the loss in
            bits: of a Generator, for each next token of `tokens`, and so of an EncoderDecoder's target; of a
            Classifier, for the class it chooses.
        mask: bool (t, t) to run under; None for the model's own.
        edits: changes that stand in every run (`former.edits`).
        stack: whose heads, of `former.hooks.STACKS`, where the model has several.
    Returns:
        (depth, h). Above 0: without the head the measure is larger; a loss gets worse.
    Raises:
        ValueError: tokens that are not one sequence, or too short for the loss.
    """
    return torch.stack(list(ablation_by_layer(model, tokens, measure, mask=mask, edits=edits, stack=stack)))


@torch.no_grad()
def ablation_by_layer(
    model: Any,
    tokens: Tensor | tuple[Tensor, ...],
    measure: Measure | None = None,
    *,
    mask: Tensor | None = None,
    edits: Iterable[Observer] = (),
    stack: str = "",
) -> Iterator[Tensor]:
    """The rows of `ablation_effects`, each (h,), as they are measured: to show what is there, or to stop early.

    The heads of a layer run as one batch, each sequence of it without another head.
    """
    inputs = tokens if isinstance(tokens, tuple) else (tokens,)
    for each in inputs:
        if each.dim() != 2 or each.shape[0] != 1:
            raise ValueError(f"tokens must be one sequence, (1, t), got {tuple(each.shape)}")
    edits = tuple(edits)
    whole, _ = run_with_capture(model, inputs, (), edits=edits, mask=mask)
    measure = measure or _loss(model, inputs[-1], whole)
    heads = model.config.heads
    batch = tuple(each.expand(heads, -1) for each in inputs)
    others = 1 - torch.eye(heads, device=inputs[0].device)[:, :, None, None]
    point = f"{stack}.out" if stack else "out"

    def remove_one_each(out: Tensor) -> Tensor:
        return out * others.to(out.dtype)  # (b = h, h, t, s): sequence i loses head i

    for layer in range(model.config.depth):
        removal = Edit(layer, point, remove_one_each)
        without, _ = run_with_capture(model, batch, (), edits=(*edits, removal), mask=mask)
        yield measure(without) - measure(whole)


def rank_correlation(x: Tensor, y: Tensor) -> float:
    """Spearman's: how far two lists of numbers order their places alike, from −1 (reversed) over 0 to 1 (alike).

    Equal numbers share the average of their ranks. NaN where a list has no order, all its numbers being equal.

    Args:
        x, y: (n,).
    Raises:
        ValueError: lists that differ in length.
    """
    if x.dim() != 1 or x.shape != y.shape:
        raise ValueError(f"x and y must be lists of one length, got {tuple(x.shape)} and {tuple(y.shape)}")
    a, b = (ranks - ranks.mean() for ranks in (_ranks(x), _ranks(y)))
    return float((a * b).sum() / (a.norm() * b.norm()))


def _ranks(x: Tensor) -> Tensor:
    """From 0; equal numbers share the average of theirs."""
    _, group, sizes = x.unique(return_inverse=True, return_counts=True)
    return (sizes.cumsum(0) - (sizes + 1) / 2)[group].double()


def _loss(model: Any, tokens: Tensor, whole: Tensor) -> Measure:
    """The measure of `ablation_effects` where none is given: bits, one number a sequence. `tokens` are the target's."""
    if isinstance(model, Classifier):
        chosen = int(whole[0].argmax())
        return lambda log_probs: -log_probs[:, chosen] / math.log(2)
    if tokens.shape[1] < 2:
        raise ValueError("tokens must hold at least 2 tokens, so that there is a next one to predict, got 1")

    def bits(logits: Tensor) -> Tensor:  # (b, t, num_tokens) → (b,)
        targets = tokens[:, 1:].long().expand(len(logits), -1)
        loss = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
        return loss.mean(-1) / math.log(2)

    return bits


def _replacements(x: Tensor, num_tokens: int, pad_token: int | None) -> Tensor:
    """Every input of x, changed; a token id to one below num_tokens, which is no padding; padding stays."""
    if x.is_floating_point():
        noise = torch.randn(x.shape, generator=torch.Generator().manual_seed(0), dtype=x.dtype).to(x.device)
        spread = x.std(correction=0)
        return x + noise * torch.where(spread > 0, spread, 1.0)
    # The neighbour below, which the vocabulary surely has; 0 and 1, often padding and unknown, take the one above, or
    # each other where there is none.
    x = x.long()
    changed = torch.where(x > 1, x - 1, (x + 1) % num_tokens)
    if pad_token is None:
        return changed
    beyond = torch.where(x > 1, x - 2, (x + 2)) % num_tokens  # the next one, where the neighbour is padding
    return torch.where(x == pad_token, x, torch.where(changed == pad_token, beyond, changed))
