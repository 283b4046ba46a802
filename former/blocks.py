"""The transformer block: attention and a feed-forward, each with a residual and a layer norm.

Sizes: b batch, t tokens, e embedding.
"""

from __future__ import annotations

from torch import Tensor, nn

from former.attention import Extend, SelfAttention
from former.config import Activation, Norm, Variant, require_choice, require_positive
from former.hooks import Hook


class TransformerBlock(nn.Module):
    """One block of the stack (article, section "The transformer block").

    post-norm (the article):  x = norm1(x + attention(x));   x = norm2(x + ff(x))
    pre-norm:                 x = x + attention(norm1(x));   x = x + ff(norm2(x))

    Pre-norm leaves a path from the output to the input that no norm cuts, so deep stacks train more easily.

    Args:
        emb: size of the input and output vectors.
        heads: number of attention heads.
        variant: "narrow" or "wide" attention.
        norm: "post" or "pre".
        activation: of the feed-forward, "relu" or "gelu".
        ff_hidden_mult: hidden size of the feed-forward, in multiples of emb.
        dropout: on each residual branch, in training only; in [0, 1).
    Raises:
        ValueError: a size below 1, another choice, or heads that do not divide emb in the narrow variant.
    """

    def __init__(
        self,
        emb: int,
        heads: int,
        *,
        variant: Variant = "narrow",
        norm: Norm = "post",
        activation: Activation = "relu",
        ff_hidden_mult: int = 4,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        require_positive("ff_hidden_mult", ff_hidden_mult)
        require_choice("norm", norm, ("post", "pre"))
        require_choice("activation", activation, ("relu", "gelu"))
        self.attention = SelfAttention(emb, heads, variant)
        self.pre_norm = norm == "pre"
        self.norm1 = nn.LayerNorm(emb)
        self.norm2 = nn.LayerNorm(emb)
        self.ff = nn.Sequential(
            nn.Linear(emb, ff_hidden_mult * emb),
            nn.ReLU() if activation == "relu" else nn.GELU(),
            nn.Linear(ff_hidden_mult * emb, emb),
        )
        self.drop = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, hook: Hook | None = None, extend: Extend | None = None
    ) -> Tensor:
        """x (b, t, e) → (b, t, e). The other arguments are those of `SelfAttention.forward`."""
        if self.pre_norm:
            x = x + self.drop(self.attention(self.norm1(x), mask, hook, extend))
            return x + self.drop(self.ff(self.norm2(x)))
        x = self.norm1(x + self.drop(self.attention(x, mask, hook, extend)))
        return self.norm2(x + self.drop(self.ff(x)))
