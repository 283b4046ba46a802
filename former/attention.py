"""Self-attention: the equations first, then the layer with its weights.

Every output is a weighted average over the inputs (article, section "Self-attention"):

    y_i = Σ_j w_ij v_j        w_ij = softmax_j(q_i · k_j / √s)

Sizes: b batch, t tokens, e embedding, h heads, s size of one head. Weights are (..., t_query, t_key).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former import masks
from former.config import Variant, require_choice, require_divides, require_positive
from former.hooks import Hook, observe

Extend = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""extend(k, v): joins the new keys and values to those of earlier tokens, where a cache keeps them."""


def basic_self_attention(x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The article's first operation, without parameters: W = softmax(X Xᵀ) row by row, Y = W X.

    Args:
        x: (b, t, e), t at least 1.
        mask: bool (t, t), True = may attend; None for no mask.
    Returns:
        y (b, t, e) and weights (b, t, t).
    Raises:
        ValueError: x of another shape or empty, or a mask that does not fit.
    """
    _check_sequence(x)
    weights = _masked(x @ x.transpose(-2, -1), mask).softmax(-1)  # (b, t, t)
    return weights @ x, weights


def attention_scores(q: Tensor, k: Tensor, mask: Tensor | None = None) -> Tensor:
    """Scaled dot products q_i · k_j / √s, and −∞ where the mask is False (article, "In Pytorch: scaling").

    Args:
        q: (b, h, t_query, s).
        k: (b, h, t_key, s).
        mask: bool, broadcastable to (b, h, t_query, t_key), True = may attend; None for no mask.
    Returns:
        scores (b, h, t_query, t_key).
    Raises:
        ValueError: a mask that does not fit.
    """
    return _masked(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), mask)


def attention_weights(q: Tensor, k: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The scores, and their softmax over the keys.

    Args:
        q: (b, h, t_query, s).
        k: (b, h, t_key, s).
        mask: bool, broadcastable to (b, h, t_query, t_key), True = may attend; None for no mask.
    Returns:
        scores and weights, each (b, h, t_query, t_key); rows of the weights sum to 1.
    Raises:
        ValueError: a mask that does not fit.
    """
    scores = attention_scores(q, k, mask)
    return scores, scores.softmax(-1)


def attend(q: Tensor, k: Tensor, v: Tensor, *, mask: Tensor | None = None, hook: Hook | None = None) -> Tensor:
    """Softmax(q kᵀ / √s) v: by a fast kernel when nobody looks, by the explicit equation when somebody does.

    Args:
        q: (b, h, t_query, s).
        k, v: (b, h, t_key, s).
        mask: bool, broadcastable to (b, h, t_query, t_key), True = may attend; None for no mask.
        hook: called at each of `former.hooks.POINTS`; may replace what it sees.
    Returns:
        out (b, h, t_query, s).
    Raises:
        ValueError: a mask that does not fit, or a hook's replacement of another shape.
    """
    if hook is None:
        if mask is not None:
            masks.check(mask, torch.Size((*q.shape[:-1], k.shape[-2])))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    q = observe(hook, "q", q)  # (b, h, t, s)
    k = observe(hook, "k", k)
    v = observe(hook, "v", v)
    scores = observe(hook, "scores", attention_scores(q, k, mask))  # (b, h, t, t)
    weights = observe(hook, "weights", scores.softmax(-1))  # (b, h, t, t)
    return observe(hook, "out", weights @ v)  # (b, h, t, s)


class SelfAttention(nn.Module):
    """Multi-head self-attention (article, "Multi-head attention"), in both of its forms.

    narrow: emb is cut in `heads` chunks of s = emb / heads: 3·emb² weights for any number of heads.
    wide: every head has the full s = emb: 3·heads·emb² weights.
    Then `unifyheads`, h·s → emb, with a bias.

    Args:
        emb: size of the input and output vectors.
        heads: number of heads.
        variant: "narrow" or "wide".
    Raises:
        ValueError: sizes below 1, another variant, or heads that do not divide emb in the narrow one.
    """

    def __init__(self, emb: int, heads: int = 8, variant: Variant = "narrow") -> None:
        super().__init__()
        require_positive("emb", emb)
        require_positive("heads", heads)
        require_choice("variant", variant, ("narrow", "wide"))
        if variant == "narrow":
            require_divides(emb, heads)
        self.emb, self.heads = emb, heads
        size = emb if variant == "wide" else emb // heads  # s
        # All heads' maps stand in one matrix, head after head, so that one product makes them all.
        self.tokeys = nn.Linear(emb, heads * size, bias=False)
        self.toqueries = nn.Linear(emb, heads * size, bias=False)
        self.tovalues = nn.Linear(emb, heads * size, bias=False)
        self.unifyheads = nn.Linear(heads * size, emb)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, hook: Hook | None = None, extend: Extend | None = None
    ) -> Tensor:
        """Every token looks at every token the mask allows.

        Args:
            x: (b, t, e).
            mask: bool (t, t), or with heads and batch before; True = may attend; None for no mask.
            hook: sees, and may replace, what `former.hooks.POINTS` lists.
            extend: where earlier tokens' keys and values are cached, joins the new ones to them.
        Returns:
            (b, t, e).
        Raises:
            ValueError: x of another shape or empty, or a mask that does not fit.
        """
        _check_sequence(x, self.emb)
        q, k, v = (self._split(to(x)) for to in (self.toqueries, self.tokeys, self.tovalues))  # (b, h, t, s)
        if extend is not None:
            k, v = extend(k, v)  # (b, h, t_past + t, s)
        out = attend(q, k, v, mask=mask, hook=hook)  # (b, h, t, s)
        return self.unifyheads(out.transpose(1, 2).flatten(2))  # (b, t, e)

    def _split(self, x: Tensor) -> Tensor:
        """(b, t, h·s) → (b, h, t, s)."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


def _masked(scores: Tensor, mask: Tensor | None) -> Tensor:
    """−∞ where the mask is False, so that the softmax gives exactly 0 there."""
    if mask is None:
        return scores
    masks.check(mask, scores.shape)
    return scores.masked_fill(~mask, -math.inf)


def _check_sequence(x: Tensor, emb: int | None = None) -> None:
    expected = "(b, t, e)" if emb is None else f"(b, t, {emb})"
    if x.dim() != 3 or (emb is not None and x.shape[-1] != emb):
        raise ValueError(f"x must have shape {expected}, got {tuple(x.shape)}")
    if x.shape[1] == 0:
        raise ValueError(f"x must hold at least one token, got shape {tuple(x.shape)}")
