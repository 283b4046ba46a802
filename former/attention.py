"""Self-attention: first as equations, then as a layer with weights.

Every output is a weighted average of the values, one for each input (article, section "Self-attention"):

    y_i = Σ_j w_ij v_j        w_ij = softmax_j(q_i · k_j / √s)

Sizes: b batch, t tokens, e embedding, h heads, s size of one head. Weights are (..., t_query, t_key).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former import masks, sparse
from former.checks import head_size, require_groups, require_instance, require_positive, require_vectors
from former.hooks import Hook, observe, wants
from former.masks import Mask
from former.positions import Terms, Turn

Extend = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""extend(k, v): prepends the cached keys and values of earlier tokens to the new ones."""

KeysValues = tuple[Tensor, Tensor]
"""k and v, each (b, kv_heads, t_key, s), as `SelfAttention.keys_and_values` returns them."""


def basic_self_attention(x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Computes self-attention without parameters, as the article introduces it: W = softmax(X Xᵀ) by row, Y = W X.

    Args:
        x: (b, t, e), t at least 1.
        mask: bool (t, t), True = may attend; None for no mask.
    Returns:
        y (b, t, e) and weights (b, t, t).
    Raises:
        ValueError: x is empty or of another shape, not floating point, or the mask does not fit.
    """
    _check_sequence(x)
    weights = _softmax(_masked(x @ x.transpose(-2, -1), mask), mask)  # (b, t, t)
    return weights @ x, weights


def attention_scores(
    q: Tensor,
    k: Tensor,
    mask: Tensor | None = None,
    terms: Terms | None = None,
    *,
    scaled: bool = True,
    divisor: float = 1.0,
) -> Tensor:
    """Computes scaled dot products q_i · k_j / √s, −∞ where the mask is False (article, "Scaling the dot product").

    q and k are each divided by the fourth root of s before they are multiplied: unscaled dot products can exceed
    65,504, the largest number in float16. A divisor is likewise split between q and k.

    Args:
        q: (b, h, t_query, s).
        k: (b, h, t_key, s).
        mask: bool, broadcastable to (b, h, t_query, t_key), True = may attend; None for no mask.
        terms: computes what relative positions add to the unscaled dot products (`former.positions`), or None.
        scaled: False leaves out the division by √s.
        divisor: a further divisor of the scores, besides √s.
    Returns:
        scores (b, h, t_query, t_key).
    Raises:
        ValueError: vectors of different sizes, a divisor that is not a number above 0, or the mask does not fit.
    """
    require_vectors(divisor, q=q, k=k)
    root = math.sqrt(divisor) * (q.shape[-1] ** 0.25 if scaled else 1.0)
    scores = (q / root) @ (k / root).transpose(-2, -1)
    if terms is not None:
        scores = scores + terms(q, k) / root**2
    return _masked(scores, mask)


def attention_weights(q: Tensor, k: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Computes the scores, and their softmax over the keys.

    Args:
        q: (b, h, t_query, s).
        k: (b, h, t_key, s).
        mask: bool, broadcastable to (b, h, t_query, t_key), True = may attend; None for no mask.
    Returns:
        scores and weights, each (b, h, t_query, t_key); rows of the weights sum to 1, or are 0 for a query that
        may attend to nothing.
    Raises:
        ValueError: vectors of different sizes, or the mask does not fit.
    """
    scores = attention_scores(q, k, mask)
    return scores, _softmax(scores, mask)


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    mask: Mask | None = None,
    hook: Hook | None = None,
    terms: Terms | None = None,
    kernel: bool = True,
    scaled: bool = True,
    divisor: float = 1.0,
) -> Tensor:
    """Computes softmax(q kᵀ / √s) v: by the equation if a hook wants the scores or the weights, else by a fused kernel
    that stores neither.

    Args:
        q: (b, h, t_query, s).
        k, v: (b, h, t_key, s).
        mask: bool, broadcastable to (b, h, t_query, t_key), True = may attend; or a `Pattern`; None for no mask.
        hook: called with the tensor at each of `former.hooks.POINTS` that it names; may return a replacement.
        terms: computes what relative positions add to the unscaled dot products (`former.positions`), or None.
        kernel: False always computes by the equation, unless the mask is a `Pattern`.
        scaled: False leaves out the division by √s.
        divisor: a further divisor of the scores, besides √s.
    Returns:
        out (b, h, t_query, s); 0 for a query that may attend to nothing.
    Raises:
        ValueError: vectors of different sizes, another number of values than of keys, a divisor that is not a
            number above 0, the mask does not fit, a hook's replacement has another shape, or a hook wants the scores
            or weights of a `Pattern` over more than `sparse.MOST_WEIGHTS` tokens.
    """
    require_vectors(divisor, q=q, k=k, v=v)
    looked_at = wants(hook, ("scores", "weights"))
    if isinstance(mask, masks.Pattern) and (terms is not None or looked_at):
        mask = sparse.dense_mask(mask, q)
    q = observe(hook, "q", q)  # (b, h, t, s)
    k = observe(hook, "k", k)
    v = observe(hook, "v", v)
    if isinstance(mask, masks.Pattern):
        if torch.is_autocast_enabled(q.device.type):  # then rotary positions leave these in float32
            q, k = q.to(v.dtype), k.to(v.dtype)
        out = sparse.attend(q / divisor if scaled else q * math.sqrt(q.shape[-1]) / divisor, k, v, *mask)
    elif looked_at or not kernel:
        scores = observe(hook, "scores", attention_scores(q, k, mask, terms, scaled=scaled, divisor=divisor))
        weights = observe(hook, "weights", _softmax(scores, mask))  # (b, h, t, t)
        out = weights @ v
    else:
        out = _by_kernel(q, k, v, mask, terms, scaled, divisor)
    return observe(hook, "out", out)  # (b, h, t, s)


def _by_kernel(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, terms: Terms | None, scaled: bool, divisor: float
) -> Tensor:
    """Computes the same equation in one call to a fused kernel, which stores no weights."""
    if mask is not None:
        masks.check(mask, torch.Size((*q.shape[:-1], k.shape[-2])))
    blind = masks.blind(mask)
    if mask is not None and blind is not None:
        mask = mask | blind  # the kernel's output for a row without keys differs between devices
    scale = (1 / math.sqrt(q.shape[-1]) if scaled else 1.0) / divisor
    if terms is not None:  # the kernel adds a float mask to its scores
        mask = _masked(terms(q, k) * scale, mask)
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)
    return out if blind is None else out.masked_fill(blind, 0)


class SelfAttention(nn.Module):
    """Multi-head self-attention (article, "Multi-head attention"), in three variants; e is emb:

    narrow:  every head maps the whole vector to s = e / heads numbers: 3·e² weights for any number of heads.
    wide:    every head has the full size s = e: 3·heads·e² weights.
    chunked: the vector is split into `heads` chunks of s = e / heads, and each head maps its own chunk by (s × s)
             matrices, as in an earlier version of the article: 3·e² / heads weights.

    Then `unifyheads`, h·s → e, with a bias. With a context, it is cross-attention.

    With `kv_heads`, each head of keys and values serves a group of heads of queries (Ainslie et al. 2023; with one for
    all, "multi-query", Shazeer 2019), so a cache is smaller. Observers see keys and values repeated for each head of
    queries.

    Args:
        emb: size e of the input and output vectors.
        heads: number of heads.
        variant: "narrow", "wide" or "chunked".
        bias: whether the maps to queries, keys and values have a bias.
        scaled: whether scores are divided by √s.
        divisor: a further divisor of the scores, besides √s.
        unify: whether a linear map combines the heads; without it the head outputs are concatenated, h·s = e.
        kv_heads: number of heads of keys and values, which divides `heads`; None for `heads`.
        size: s of one head in the narrow variant; None for e / heads.
        unify_bias: whether `unifyheads` has a bias.
        qk_norm_eps: epsilon of an RMSNorm of each q and k, with a gain for each of its s numbers (Dehghani et al. 2023;
            Qwen 3), before rotary positions turn them; None for no such norm.
    Raises:
        ValueError: a size below 1, an unknown variant, or heads that do not fit emb or each other.
    """

    def __init__(
        self,
        emb: int,
        heads: int = 8,
        variant: str = "narrow",
        bias: bool = False,
        *,
        scaled: bool = True,
        divisor: float = 1.0,
        unify: bool = True,
        kv_heads: int | None = None,
        size: int | None = None,
        unify_bias: bool = True,
        qk_norm_eps: float | None = None,
    ) -> None:
        super().__init__()
        require_positive("emb", emb)
        require_positive("heads", heads)
        require_groups(heads, kv_heads, variant)
        self.emb, self.heads, self.kv_heads = emb, heads, kv_heads or heads
        self.size = size = head_size(emb, heads, variant, size, unify)  # s
        # One matrix holds the maps of all heads, head after head, so that a single product computes them all.
        make = ChunkedLinear if variant == "chunked" else nn.Linear
        unit = 1 if variant == "chunked" else size
        self.scaled, self.divisor = scaled, divisor
        self.kernel = True  # whether a fused kernel may be used (`by_equation`)
        self.tokeys = make(emb, self.kv_heads * unit, bias=bias)
        self.toqueries = make(emb, heads * unit, bias=bias)
        self.tovalues = make(emb, self.kv_heads * unit, bias=bias)
        self.norm_q, self.norm_k = (
            nn.Identity() if qk_norm_eps is None else nn.RMSNorm(size, qk_norm_eps) for _ in range(2)
        )
        self.unifyheads = nn.Linear(heads * size, emb, bias=unify_bias) if unify else nn.Identity()

    def forward(
        self,
        x: Tensor,
        mask: Mask | None = None,
        hook: Hook | None = None,
        extend: Extend | None = None,
        *,
        context: Tensor | KeysValues | None = None,
        terms: Terms | None = None,
        turn: Turn | None = None,
    ) -> Tensor:
        """Computes the output of each token, which attends to the tokens that the mask allows.

        Args:
            x: (b, t, e).
            mask: bool (t, t_key), or with batch and heads before; True = may attend; or a `Pattern`; None for no mask.
            hook: observes, and may replace, the tensors at `former.hooks.POINTS`.
            extend: prepends the cached keys and values of earlier tokens to the new ones.
            context: (b, t_key, e), another sequence that keys and values are computed from, or (1, t_key, e), one for
                the whole batch; or its keys and values, if they are used repeatedly; None for x itself.
            terms: computes what relative positions add to the dot products (`former.positions`), or None.
            turn: turns queries and keys by their positions, before keys are cached; or None.
        Returns:
            (b, t, e).
        Raises:
            ValueError: x or context is empty or of another shape, context has another number of sequences than x, or
                the mask does not fit.
        """
        _check_sequence(x, self.emb)
        q = self.norm_q(self._split(self.toqueries(x)))  # (b, h, t, s)
        k, v = context if isinstance(context, tuple) else self.keys_and_values(x if context is None else context)
        if len(k) not in (1, len(x)):
            raise ValueError(f"context must hold {len(x)} sequences, as many as x, or one for all, got {len(k)}")
        if turn is not None:
            q, k = turn(q), turn(k)
        if extend is not None:
            k, v = extend(k, v)  # (b, kv_heads, t_past + t, s)
        if self.kv_heads != self.heads:
            k, v = (each.repeat_interleave(self.heads // self.kv_heads, 1) for each in (k, v))  # (b, h, t_key, s)
        scale: dict[str, Any] = {"scaled": self.scaled, "divisor": self.divisor}
        out = attend(q, k, v, mask=mask, hook=hook, terms=terms, kernel=self.kernel, **scale)
        return self.unifyheads(out.transpose(1, 2).flatten(2))  # (b, t, e)

    def keys_and_values(self, context: Tensor) -> KeysValues:
        """Computes the keys and values of a sequence (b, t_key, e), each (b, kv_heads, t_key, s)."""
        _check_sequence(context, self.emb, "context")
        return self.norm_k(self._split(self.tokeys(context))), self._split(self.tovalues(context))

    def _split(self, x: Tensor) -> Tensor:
        """Splits heads: (b, t, h·s) → (b, h, t, s)."""
        return x.unflatten(-1, (-1, self.size)).transpose(1, 2)


def by_equation(model: nn.Module, on: bool = True) -> None:
    """Sets whether a model's attention always uses the equation, which is faster once compiled for a CPU."""
    for module in model.modules():
        if isinstance(module, SelfAttention):
            module.kernel = not on


class ChunkedLinear(nn.Module):
    """Splits a vector into chunks and maps each by its own matrix: a block-diagonal matrix, stored as its blocks.

    Args:
        emb: size of the vector.
        heads: number of chunks, each of s = emb / heads.
        bias: whether to add a bias.
    """

    def __init__(self, emb: int, heads: int, bias: bool = False) -> None:
        super().__init__()
        size = emb // heads
        self.weight = nn.Parameter(torch.empty(heads, size, size).uniform_(-1, 1) / math.sqrt(size))  # (h, s_out, s_in)
        self.bias = nn.Parameter(torch.zeros(emb)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        """Maps x (b, t, h·s) → (b, t, h·s)."""
        chunks = x.unflatten(-1, (len(self.weight), -1))  # (b, t, h, s)
        y = torch.einsum("bthi,hoi->btho", chunks, self.weight).flatten(2)
        return y if self.bias is None else y + self.bias


def _masked(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Puts −∞ where the mask is False, so that the softmax is exactly 0 there."""
    if mask is None:
        return scores
    masks.check(mask, scores.shape)
    return scores.masked_fill(~mask, -math.inf)


def _softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Computes the softmax over the keys; all 0 for a query whose keys are all masked."""
    weights, blind = scores.softmax(-1), masks.blind(mask)
    return weights if blind is None else weights.masked_fill(blind, 0)


def _check_sequence(x: Tensor, emb: int | None = None, name: str = "x") -> None:
    require_instance(name, x, Tensor)
    expected = "(b, t, e)" if emb is None else f"(b, t, {emb})"
    if x.dim() != 3 or (emb is not None and x.shape[-1] != emb):
        raise ValueError(f"{name} must have shape {expected}, got {tuple(x.shape)}")
    if x.shape[1] == 0:
        raise ValueError(f"{name} must hold at least one token, got shape {tuple(x.shape)}")
    if not x.is_floating_point():
        raise ValueError(f"{name} must be vectors of floating point numbers, got {x.dtype}")
