"""Measures which outputs depend on which inputs, by changing the inputs.

Sizes: b batch, t tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from former.analysis.statistics import as_tensor
from former.bert import BertClassifier
from former.checks import holds_whole, require_callable, require_instance, require_positive
from former.encoder_decoder import EncoderDecoder
from former.models import Classifier, Generator


@torch.no_grad()
def equivariance_error(f: Callable[[Tensor], Tensor], x: Tensor, permutation: Tensor | Sequence[int]) -> float:
    """Computes max |f(P x) − P f(x)|: how far f is from being permutation equivariant.

    It is 0, up to rounding (about 1e-6 in float32, 1e-15 in float64, times the size of the outputs), for permutation
    equivariant functions, such as blocks without positions and masks (article, section "Self-attention").

    Args:
        f: maps x to (b, t, ...).
        x: (b, t, ...): vectors or token ids.
        permutation: (t,), each index once; token i of P x is token `permutation[i]` of x.
    Raises:
        ValueError: not a permutation of x's tokens, or outputs that do not belong to tokens: their second size is not
            t, or f is a classifier or an EncoderDecoder.
    """
    require_instance("x", x, Tensor)
    if x.dim() < 2:
        raise ValueError(f"x must be (b, t, ...), got {tuple(x.shape)}")
    index = as_tensor("permutation", permutation).to(x.device)
    t = x.shape[1]
    if not holds_whole(index) or index.dim() != 1 or index.sort().values.tolist() != list(range(t)):
        raise ValueError(f"permutation must hold each of 0 to {t - 1} once, got {index.tolist()}")
    index = index.long()  # as an index, torch reads uint8 as a mask
    y = _output(f, x)
    if isinstance(f, Classifier | BertClassifier):  # a classifier may have as many classes as there are tokens
        raise ValueError(f"f must return an output for each token, got {type(f).__name__}, with one for each class")
    if y.dim() < 2 or y.shape[1] != t:
        raise ValueError(f"f must return an output for each token, (b, {t}, ...), got {tuple(y.shape)}")
    return float((_output(f, x[:, index]) - y[:, index]).abs().max())


@torch.no_grad()
def influence(f: Callable[[Tensor], Tensor], x: Tensor, chunk: int = 8) -> Tensor:
    """Measures how much each output changes when each input is replaced: a finite change, not a gradient.

    Each input in turn is replaced: a vector by itself plus normal noise with the standard deviation of x (always the
    same noise), a token id by a neighbouring id. The result is the largest change in each output. A finite change finds
    dependences that a gradient at one point can miss; an entry is exactly 0 if the output does not depend on the input,
    because both runs have the same shapes and so the same arithmetic.

    Args:
        f: maps x to (b, t_out, ...), each sequence independently; a Classifier's outputs are its classes. For token
            ids, f must accept at least the ids 0 to 2, unless it is a model with a config. A TransformerXL starts
            without a memory.
        x: (1, t_in, ...): vectors or token ids. For a model with padding, padding is not an input: it is not replaced,
            its column is 0, and no token is replaced by padding.
        chunk: the number of changed sequences in a batch, at least 1; the cost is about t_in + chunk sequences.
    Returns:
        (t_out, t_in): row i, column j is the largest absolute change of output i when input j is replaced.
    Raises:
        ValueError: x is empty or not one sequence, chunk is below 1, or f is an EncoderDecoder, which takes two texts.
    """
    require_positive("chunk", chunk)
    require_instance("x", x, Tensor)
    if x.dim() < 2 or x.shape[0] != 1 or x.shape[1] == 0:
        raise ValueError(f"x must be one sequence, (1, t, ...) with t at least 1, got {tuple(x.shape)}")
    config = getattr(f, "config", None)
    pad_token = None if isinstance(f, Generator) else getattr(config, "pad_token", None)  # a Generator ignores it
    replaced = _replacements(x, getattr(config, "num_tokens", 3), pad_token)
    t = x.shape[1]
    batches = math.ceil(t / chunk)
    copies = x.expand(math.ceil(t / batches), *x.shape[1:])  # 9 inputs by chunks of 8: 5 and 4, not 8 and 1
    unchanged = _output(f, copies)  # (chunk, t_out, ...)
    columns = []
    for first in range(0, t, len(copies)):
        changed = copies.to(replaced.dtype, copy=True)
        last = min(first + len(copies), t)  # a smaller last chunk keeps the batch's shape, for the same arithmetic
        rows = torch.arange(last - first)
        changed[rows, first + rows] = replaced[0, first:last]
        changes = (_output(f, changed) - unchanged).abs()[: last - first]
        columns.append(changes.flatten(2).amax(-1) if changes.dim() > 2 else changes)  # (chunk, t_out)
    return torch.cat(columns).T.contiguous()


def steps_to_reach(steps: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """Finds after how many steps of computation each output depends on each input, by `influence` on every step.

    Args:
        steps: maps x to (b, n, t_out, ...): the state of each output after each of n steps.
        x: (1, t_in, ...): vectors or token ids, as in `influence`.
    Returns:
        (t_out, t_in): row i, column j is the first step, from 1, after which output i depends on input j; 0 if it never
            does.
    Raises:
        ValueError: `steps` is a model, which returns only its output; or an x that `influence` refuses.
    """
    if hasattr(steps, "config"):
        raise ValueError(
            "steps must return the state of each output after each step, (b, n, t_out, ...), as GRUModel.steps does; "
            f"got {type(steps).__name__}, which returns only its output"
        )
    require_callable("steps", steps)
    n = steps(x).shape[1]
    changes = influence(lambda changed: steps(changed).flatten(1, 2), x)  # (n · t_out, t_in)
    unchanged = changes.unflatten(0, (n, -1)) == 0
    steps_before = unchanged.long().cumprod(0).sum(0)  # steps before the first that changes it
    return torch.where(steps_before < n, steps_before + 1, 0)


def _output(f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """Returns f(x); if f is a TransformerXL, without the memory that it returns too."""
    if isinstance(f, EncoderDecoder):
        raise ValueError(
            "f must take x alone, got EncoderDecoder, which takes a source and a target: "
            "pass a function of one of them, such as lambda source: model(source, target)"
        )
    require_callable("f", f)
    y = f(x)
    return y[0] if isinstance(y, tuple) else y


def _replacements(x: Tensor, num_tokens: int, pad_token: int | None) -> Tensor:
    """Replaces every input of x: a token id by another id below num_tokens that is not padding. Padding stays."""
    if x.is_floating_point():
        noise = torch.randn(x.shape, generator=torch.Generator().manual_seed(0), dtype=x.dtype).to(x.device)
        spread = x.std(correction=0)
        return x + noise * torch.where(spread > 0, spread, 1.0)
    # Use the id below, which every vocabulary has. Ids 0 and 1, often padding and unknown, become the id above, the
    # last id 0.
    x = x.long()
    changed = torch.where(x > 1, x - 1, (x + 1) % num_tokens)
    if pad_token is None:
        return changed
    beyond = torch.where(x > 1, x - 2, (x + 2)) % num_tokens  # the next id, if the neighbour is padding
    return torch.where(x == pad_token, x, torch.where(changed == pad_token, beyond, changed))
