"""The transformer block: attention and a feed-forward, each with a residual and a norm.

Sizes: b batch, t tokens, e embedding.
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch.nn.functional as F
from torch import Tensor, nn

from former.attention import Extend, KeysValues, SelfAttention
from former.checks import require_choice, require_dropout, require_positive
from former.hooks import Hook, observe
from former.masks import Mask
from former.positions import Terms, Turn

ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU, "gelu_tanh": lambda: nn.GELU(approximate="tanh")}
NORMS = {"layer": nn.LayerNorm, "rms": nn.RMSNorm}
"""Layer norm, and the norm without its centring and bias: x / √(mean(x²) + eps) · gain (Zhang & Sennrich 2019)."""


class SwiGLU(nn.Module):
    """The first half of a gated feed-forward, silu(gate(x)) ∘ up(x), where silu(z) = z · sigmoid(z) (Shazeer 2020).

    Args:
        emb: size of x.
        hidden: size of the output.
        bias: whether both maps add one.
    """

    def __init__(self, emb: int, hidden: int, bias: bool = True) -> None:
        super().__init__()
        self.gate = nn.Linear(emb, hidden, bias=bias)
        self.up = nn.Linear(emb, hidden, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        """Maps x (..., e) to (..., hidden)."""
        return F.silu(self.gate(x)) * self.up(x)


class Block(nn.Module):
    """Base class of the blocks: attention and a feed-forward, each with a residual and a norm.

    Args:
        emb: size of the input and output vectors.
        heads: number of attention heads.
        norm: "post" or "pre".
        normalisation: one of `NORMS`.
        parallel: whether attention and feed-forward read the same vector; pre-norm only, without cross-attention.
        activation: of the feed-forward, one of `ACTIVATIONS`, or "swiglu".
        ff_hidden_mult: hidden size of the feed-forward, in multiples of emb.
        ff_hidden: the hidden size itself, if it is not a multiple of emb; None to use ff_hidden_mult.
        ff_bias: whether the maps of the feed-forward have a bias.
        dropout: on each residual branch, in training only; in [0, 1).
        attention_bias: whether the maps to queries, keys and values have a bias.
        norm_eps: added to the variance in the norms.
        attention: other options of `SelfAttention`.
    Raises:
        ValueError: a size below 1, an unknown choice, heads that do not fit emb or each other, or options that do not
            go together.
    """

    crosses: ClassVar[bool] = False  # whether there is cross-attention too

    def __init__(
        self,
        emb: int,
        heads: int,
        *,
        norm: str = "post",
        normalisation: str = "layer",
        parallel: bool = False,
        activation: str = "relu",
        ff_hidden_mult: int = 4,
        ff_hidden: int | None = None,
        ff_bias: bool = True,
        dropout: float = 0.0,
        attention_bias: bool = False,
        norm_eps: float = 1e-5,
        **attention: Any,
    ) -> None:
        super().__init__()
        require_positive("emb", emb)
        require_positive("ff_hidden_mult", ff_hidden_mult)
        hidden = ff_hidden_mult * emb if ff_hidden is None else ff_hidden
        require_positive("ff_hidden", hidden)
        require_choice("norm", norm, ("post", "pre"))
        require_choice("normalisation", normalisation, NORMS)
        require_choice("activation", activation, (*ACTIVATIONS, "swiglu"))
        require_dropout(dropout)
        if parallel and (norm != "pre" or self.crosses):
            cause = "with cross-attention" if self.crosses else f"with norm={norm!r}"
            raise ValueError(f"parallel must be False in a block {cause}, got True")
        self.attention = SelfAttention(emb, heads, bias=attention_bias, **attention)
        self.pre_norm, self.parallel = norm == "pre", parallel
        self.norm1 = NORMS[normalisation](emb, norm_eps)
        self.norm2 = NORMS[normalisation](emb, norm_eps)
        gated = activation == "swiglu"
        self.ff = nn.Sequential(
            (SwiGLU if gated else nn.Linear)(emb, hidden, bias=ff_bias),
            nn.Identity() if gated else ACTIVATIONS[activation](),  # a gate is the activation
            nn.Linear(hidden, emb, bias=ff_bias),
        )
        self.drop = nn.Dropout(dropout)
        if self.crosses:
            self.cross = SelfAttention(emb, heads, bias=attention_bias, **attention)
            self.cross_norm = NORMS[normalisation](emb, norm_eps)


class TransformerBlock(Block):
    """The block of an encoder or a generator (article, "The transformer block"); its options are those of `Block`.

    post-norm (the article):  x = norm1(x + attention(x));   x = norm2(x + ff(x))
    pre-norm:                 x = x + attention(norm1(x));   x = x + ff(norm2(x))
    parallel:                 x = x + attention(norm1(x)) + ff(norm2(x))

    In a pre-norm stack no norm interrupts the residual stream, so deep stacks train more easily. Here are the points
    of `former.hooks.BLOCK_POINTS`; the feed-forward (ff) is linear, activation, linear, or gated (`SwiGLU`), linear:

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
        turn: Turn | None = None,
    ) -> Tensor:
        """Maps x (b, t, e) → (b, t, e). The other arguments are those of `SelfAttention.forward`."""
        x = observe(hook, "resid_pre", x)
        if self.pre_norm:
            start = x
            x = x + self.drop(self.attention(self.norm1(x), mask, hook, extend, terms=terms, turn=turn))
            x = observe(hook, "resid_mid", x)
            x = x + self.drop(feed_forward(self.ff, self.norm2(start if self.parallel else x), hook))
        else:
            x = self.norm1(x + self.drop(self.attention(x, mask, hook, extend, terms=terms, turn=turn)))
            x = observe(hook, "resid_mid", x)
            x = self.norm2(x + self.drop(feed_forward(self.ff, x, hook)))
        return observe(hook, "resid_post", x)


class DecoderBlock(Block):
    """A block with cross-attention, between self-attention and feed-forward, to another sequence, the memory.

    post-norm:  x = norm1(x + attention(x));   x = cross_norm(x + cross(x, memory));   x = norm2(x + ff(x))

    and in pre-norm each norm comes before its sublayer. `resid_mid` is after both attentions. Options are `Block`'s.
    """

    crosses = True

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        hook: Hook | None = None,
        extend: Extend | None = None,
        *,
        terms: Terms | None = None,
        turn: Turn | None = None,
        memory: Tensor | KeysValues,
        memory_mask: Tensor | None = None,
        memory_hook: Hook | None = None,
    ) -> Tensor:
        """Applies the block to the decoder's vectors x, with cross-attention to the memory.

        Args:
            x: (b, t, e).
            mask, hook, extend, terms, turn: for the self-attention, as in `SelfAttention.forward`.
            memory: (b, t_source, e), or its keys and values, as `self.cross.keys_and_values` returns them.
            memory_mask: bool, broadcastable to (b, h, t, t_source), True = may attend; None for no mask.
            memory_hook: hook for the cross-attention.
        Returns:
            (b, t, e).
        """
        x = observe(hook, "resid_pre", x)
        if self.pre_norm:
            x = x + self.drop(self.attention(self.norm1(x), mask, hook, extend, terms=terms, turn=turn))
            x = x + self.drop(self.cross(self.cross_norm(x), memory_mask, memory_hook, context=memory))
            x = observe(hook, "resid_mid", x)
            x = x + self.drop(feed_forward(self.ff, self.norm2(x), hook))
        else:
            x = self.norm1(x + self.drop(self.attention(x, mask, hook, extend, terms=terms, turn=turn)))
            x = self.cross_norm(x + self.drop(self.cross(x, memory_mask, memory_hook, context=memory)))
            x = observe(hook, "resid_mid", x)
            x = self.norm2(x + self.drop(feed_forward(self.ff, x, hook)))
        return observe(hook, "resid_post", x)


def feed_forward(ff: nn.Sequential, x: Tensor, hook: Hook | None = None) -> Tensor:
    """Applies a feed-forward, `ff`, and calls the hook at its two points `mlp_hidden`, `mlp_out`: (b, t, e) →
    (b, t, e)."""
    first, activation, second = ff
    hidden = observe(hook, "mlp_hidden", activation(first(x)))
    return observe(hook, "mlp_out", second(hidden))
