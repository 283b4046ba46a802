"""What depends on what: measured by changing inputs and seeing which outputs move.

Sizes: b batch, t tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from former.bert import BertClassifier
from former.checks import require_positive
from former.encoder_decoder import EncoderDecoder
from former.models import Classifier


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
        ValueError: no permutation of x's tokens, or an output whose second size is not t; a classifier or an
            EncoderDecoder, whose outputs are not its tokens'.
    """
    index = torch.as_tensor(permutation, device=x.device)
    t = x.shape[1]
    whole = not index.is_floating_point() and not index.is_complex() and index.dtype != torch.bool
    if not whole or index.dim() != 1 or index.sort().values.tolist() != list(range(t)):
        raise ValueError(f"permutation must hold each of 0 to {t - 1} once, got {index.tolist()}")
    y = _output(f, x)
    if isinstance(f, Classifier | BertClassifier):  # which may have as many classes as there are tokens
        raise ValueError(f"f must give an output a token, got a {type(f).__name__}, which gives one a class")
    if y.dim() < 2 or y.shape[1] != t:
        raise ValueError(f"f must give an output a token, (b, {t}, ...), got {tuple(y.shape)}")
    return float((_output(f, x[:, index]) - y[:, index]).abs().max())


@torch.no_grad()
def influence(f: Callable[[Tensor], Tensor], x: Tensor, chunk: int = 8) -> Tensor:
    """How much each output moves when each input is changed: by perturbing, not by gradients.

    Each input in turn is replaced, a vector by itself plus normal noise of x's own spread (always the same noise), a
    token id by its neighbour in the vocabulary; f runs again, and the largest change in each output is kept. A finite
    change finds dependences that a gradient at one point can miss, and an entry is exactly 0 where an output does not
    depend on an input: both runs have the same shapes, so the same arithmetic.

    Args:
        f: from x to (b, t_out, ...), each sequence on its own; for a Classifier, an output is a class. Of token
            ids it takes at least 3, unless it is a model, whose config says how many. A TransformerXL begins without
            a memory.
        x: (1, t_in, ...): vectors or token ids. Padding of a model that pads is no input: it is left as it is, its
            column is 0, and no token is replaced by it.
        chunk: how many changed inputs run as one batch, at least 1; the cost is t_in + t_in / chunk sequences.
    Returns:
        (t_out, t_in): row i, column j is how much output i moves when input j changes; the largest absolute change.
    Raises:
        ValueError: x is not one sequence or is empty, or a chunk below 1; an EncoderDecoder, which takes two.
    """
    require_positive("chunk", chunk)
    if x.dim() < 2 or x.shape[0] != 1 or x.shape[1] == 0:
        raise ValueError(f"x must be one sequence, (1, t, ...) with t at least 1, got {tuple(x.shape)}")
    config = getattr(f, "config", None)
    replaced = _replacements(x, getattr(config, "num_tokens", 3), getattr(config, "pad_token", None))
    t = x.shape[1]
    same = x.expand(min(chunk, t), *x.shape[1:])
    unchanged = _output(f, same)  # (chunk, t_out, ...)
    columns = []
    for first in range(0, t, len(same)):
        changed = same.to(replaced.dtype, copy=True)
        last = min(first + len(same), t)  # a last, smaller chunk keeps the batch's shape, for the same arithmetic
        rows = torch.arange(last - first)
        changed[rows, first + rows] = replaced[0, first:last]
        moved = (_output(f, changed) - unchanged).abs()[: last - first]
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
    Raises:
        ValueError: a model, which gives its output and not its steps; x as of `influence`.
    """
    if hasattr(steps, "config"):
        raise ValueError(
            "steps must give what stands at each output after each step, (b, n, t_out, ...), as GRUModel.steps does; "
            f"got a {type(steps).__name__}, which gives its output alone"
        )
    n = steps(x).shape[1]
    moved = influence(lambda changed: steps(changed).flatten(1, 2), x)  # (n · t_out, t_in)
    still = moved.unflatten(0, (n, -1)) == 0
    waited = still.long().cumprod(0).sum(0)  # steps before the first that moves it
    return torch.where(waited < n, waited + 1, 0)


def _output(f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """f(x); of a TransformerXL without the memory that it hands on."""
    if isinstance(f, EncoderDecoder):
        raise ValueError(
            "f must take x alone, got an EncoderDecoder, which takes a source and a target: "
            "give a function of one of them, such as lambda source: model(source, target)"
        )
    y = f(x)
    return y[0] if isinstance(y, tuple) else y


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
