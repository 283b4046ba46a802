"""The transformer block: attention and a feed-forward, each with a residual and a layer norm.

Sizes: b batch, t tokens, e embedding.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from former.attention import Extend, KeysValues, SelfAttention
from former.checks import require_choice, require_positive
from former.hooks import Hook, observe
from former.masks import Mask
from former.positions import Terms

ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU, "gelu_tanh": lambda: nn.GELU(approximate="tanh")}


class Block(nn.Module):
    """Base class of the blocks: attention and a feed-forward, each with a residual and a layer norm.

    Args:
        emb: size of the input and output vectors.
        heads: number of attention heads.
        variant: "narrow", "wide" or "chunked" attention.
        norm: "post" or "pre".
        activation: of the feed-forward, one of `ACTIVATIONS`.
        ff_hidden_mult: hidden size of the feed-forward, in multiples of emb.
        ff_hidden: the hidden size itself, if it is not a multiple of emb; None to use ff_hidden_mult.
        dropout: on each residual branch, in training only; in [0, 1).
        attention_bias: whether the maps to queries, keys and values have a bias.
        norm_eps: added to the variance in the norms.
        scaled, unify: whether scores are divided by √s, and whether a linear map combines the heads.
        divisor: a further divisor of the scores, besides √s.
    Raises:
        ValueError: a size below 1, an unknown choice, or heads that do not divide emb (narrow and chunked).
    """

    def __init__(
        self,
        emb: int,
        heads: int,
        *,
        variant: str = "narrow",
        norm: str = "post",
        activation: str = "relu",
        ff_hidden_mult: int = 4,
        ff_hidden: int | None = None,
        dropout: float = 0.0,
        attention_bias: bool = False,
        norm_eps: float = 1e-5,
        scaled: bool = True,
        divisor: float = 1.0,
        unify: bool = True,
    ) -> None:
        super().__init__()
        require_positive("ff_hidden_mult", ff_hidden_mult)
        hidden = ff_hidden_mult * emb if ff_hidden is None else ff_hidden
        require_positive("ff_hidden", hidden)
        require_choice("norm", norm, ("post", "pre"))
        require_choice("activation", activation, ACTIVATIONS)
        self.attention = SelfAttention(emb, heads, variant, attention_bias, scaled=scaled, divisor=divisor, unify=unify)
        self.pre_norm = norm == "pre"
        self.norm1 = nn.LayerNorm(emb, norm_eps)
        self.norm2 = nn.LayerNorm(emb, norm_eps)
        self.ff = nn.Sequential(
            nn.Linear(emb, hidden),
            ACTIVATIONS[activation](),
            nn.Linear(hidden, emb),
        )
        self.drop = nn.Dropout(dropout)


class TransformerBlock(Block):
    """The block of an encoder or a generator (article, "The transformer block"); its options are those of `Block`.

    post-norm (the article):  x = norm1(x + attention(x));   x = norm2(x + ff(x))
    pre-norm:                 x = x + attention(norm1(x));   x = x + ff(norm2(x))

    In a pre-norm stack no norm interrupts the residual stream, so deep stacks train more easily. Here are the points
    of `former.hooks.BLOCK_POINTS`; the feed-forward (ff) is linear, activation, linear:

    post-norm:  resid_pre → attention → + → norm1 → resid_mid → (mlp_hidden) ff mlp_out → + → norm2 → resid_post
    pre-norm:   resid_pre → norm1 → attention → + → resid_mid → norm2 → (mlp_hidden) ff mlp_out → + → resid_post
    """

    def forward(
        self,
        x: Tensor,
        mask: Mask | None = None,
        hook: Hook | None = None,
        extend: Extend | None = None,
        *,
        terms: Terms | None = None,
    ) -> Tensor:
        """Maps x (b, t, e) → (b, t, e). The other arguments are those of `SelfAttention.forward`."""
        x = observe(hook, "resid_pre", x)
        if self.pre_norm:
            x = x + self.drop(self.attention(self.norm1(x), mask, hook, extend, terms=terms))
            x = observe(hook, "resid_mid", x)
            x = x + self.drop(feed_forward(self.ff, self.norm2(x), hook))
        else:
            x = self.norm1(x + self.drop(self.attention(x, mask, hook, extend, terms=terms)))
            x = observe(hook, "resid_mid", x)
            x = self.norm2(x + self.drop(feed_forward(self.ff, x, hook)))
        return observe(hook, "resid_post", x)


class DecoderBlock(Block):
    """A block with cross-attention, between self-attention and feed-forward, to another sequence, the memory.

    post-norm:  x = norm1(x + attention(x));   x = cross_norm(x + cross(x, memory));   x = norm2(x + ff(x))

    and in pre-norm each norm comes before its sublayer. `resid_mid` is after both attentions.

    Args:
        emb, heads, variant, attention_bias, scaled, divisor, unify, options: as in `Block`.
    """

    def __init__(
        self,
        emb: int,
        heads: int,
        *,
        variant: str = "narrow",
        attention_bias: bool = False,
        scaled: bool = True,
        divisor: float = 1.0,
        unify: bool = True,
        **options: Any,
    ) -> None:
        scores = {"scaled": scaled, "divisor": divisor, "unify": unify}
        super().__init__(emb, heads, variant=variant, attention_bias=attention_bias, **scores, **options)
        self.cross = SelfAttention(emb, heads, variant, attention_bias, **scores)
        self.cross_norm = nn.LayerNorm(emb, self.norm1.eps)

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        hook: Hook | None = None,
        extend: Extend | None = None,
        *,
        terms: Terms | None = None,
        memory: Tensor | KeysValues,
        memory_mask: Tensor | None = None,
        memory_hook: Hook | None = None,
    ) -> Tensor:
        """Applies the block to the decoder's vectors x, with cross-attention to the memory.

        Args:
            x: (b, t, e).
            mask, hook, extend, terms: for the self-attention, as in `SelfAttention.forward`.
            memory: (b, t_source, e), or its keys and values, as `self.cross.keys_and_values` returns them.
            memory_mask: bool, broadcastable to (b, h, t, t_source), True = may attend; None for no mask.
            memory_hook: hook for the cross-attention.
        Returns:
            (b, t, e).
        """
        x = observe(hook, "resid_pre", x)
        if self.pre_norm:
            x = x + self.drop(self.attention(self.norm1(x), mask, hook, extend, terms=terms))
            x = x + self.drop(self.cross(self.cross_norm(x), memory_mask, memory_hook, context=memory))
            x = observe(hook, "resid_mid", x)
            x = x + self.drop(feed_forward(self.ff, self.norm2(x), hook))
        else:
            x = self.norm1(x + self.drop(self.attention(x, mask, hook, extend, terms=terms)))
            x = self.cross_norm(x + self.drop(self.cross(x, memory_mask, memory_hook, context=memory)))
            x = observe(hook, "resid_mid", x)
            x = self.norm2(x + self.drop(feed_forward(self.ff, x, hook)))
        return observe(hook, "resid_post", x)


def feed_forward(ff: nn.Sequential, x: Tensor, hook: Hook | None = None) -> Tensor:
    """Applies linear, activation, linear, with the hook's two points `mlp_hidden`, `mlp_out`: (b, t, e) → (b, t, e)."""
    first, activation, second = ff
    hidden = observe(hook, "mlp_hidden", activation(first(x)))
    return observe(hook, "mlp_out", second(hidden))
