"""Splits the scores of a head into terms: the input of the first block is a token vector plus a position vector.

Sizes: b batch, t tokens, e embedding, h heads, s size of one head.
"""

from __future__ import annotations

import torch
from torch import Tensor

import former
from former.attention import attention_scores
from former.positions import RelativeTerms

TERMS = ("token_token", "token_position", "position_token", "position_position")  # of the query, then of the key


def parts(block: former.TransformerBlock, token: Tensor, position: Tensor) -> tuple[Tensor, Tensor]:
    """Splits norm(token + position), the input of a block's attention, into the token's part and the position's part.

    With the norm's standard deviation fixed to that of the sum, the norm is linear. Its bias is in the token's part.

    Args:
        block: if it is a pre-norm block, its first norm is applied.
        token, position: (b, t, e).
    Returns:
        (b, t, e) each.
    """
    if not block.pre_norm:
        return token, position
    norm = block.norm1
    spread = ((token + position).var(-1, correction=0, keepdim=True) + norm.eps).sqrt()  # (b, t, 1)
    own, other = ((x - x.mean(-1, keepdim=True)) / spread * norm.weight for x in (token, position))
    return own + norm.bias, other


def terms(block: former.TransformerBlock, token: Tensor, position: Tensor) -> Tensor:
    """Splits the scores of a block's heads, (q + q') · (k + k') / √s, into four products: q and k come from the tokens,
    q' and k' from the positions.

    Args:
        block: of pre-norm or post-norm.
        token, position: (b, t, e); their sum is the block's input.
    Returns:
        (4, b, h, t, t), in the order of `TERMS`.
    """
    attention = block.attention
    own, other = parts(block, token, position)

    def both(linear: torch.nn.Module) -> list[Tensor]:
        """Maps the token's and the position's part of x, (b, h, t, s) each; a bias goes into the token's part."""
        maps = linear(own), linear(other) - linear(torch.zeros_like(other))
        return [x.unflatten(-1, (attention.heads, -1)).transpose(1, 2) for x in maps]

    queries, keys = both(attention.toqueries), both(attention.tokeys)
    scale = {"scaled": attention.scaled, "divisor": attention.divisor}
    return torch.stack([attention_scores(q, k, **scale) for q in queries for k in keys])


def summands(bundle: former.Bundle, ids: list[int]) -> tuple[Tensor, Tensor]:
    """Returns the token vectors and the position vectors, (1, t, e) each, whose sum is the first block's input."""
    stack = bundle.model.transformer
    token = stack.token_embedding(torch.tensor([ids]))
    return token, stack.positions(torch.arange(len(ids)), token.dtype).expand_as(token)


@torch.inference_mode()
def heads_to_open(bundle: former.Bundle, ids: list[int]) -> dict[str, int]:
    """Finds the heads of the first layer whose scores vary most with the position, and most with the token."""
    result = terms(bundle.model.transformer.blocks[0], *summands(bundle, ids))[:, 0]  # (4, h, t, t)
    allowed = bundle.model.mask(len(ids))
    spread = result[..., allowed].var(-1)  # (4, h)
    share = spread[TERMS.index("position_position")] / spread.sum(0)
    return {"byPosition": int(share.argmax()), "byToken": int(share.argmin())}


def relative_terms(positions: RelativeTerms, q: Tensor, k: Tensor) -> Tensor:
    """Splits the scores with relative positions into four products: q · k, q · W r, u · k and v · W r, each over √s.

    The distance takes the place of the key's position; the learned constants u and v that of the query's position.

    Args:
        positions: the layer's.
        q: (b, h, t_query, s): the queries of the last t_query tokens.
        k: (b, h, t_key, s).
    Returns:
        (4, b, h, t_query, t_key), in the order of `TERMS`.
    """
    zero_q, zero_k = torch.zeros_like(q), torch.zeros_like(k)
    by_distance = positions(zero_q, zero_k)  # v · W r
    content = q @ k.transpose(-2, -1)
    with_distance = positions(q, zero_k) - by_distance  # q · W r
    by_content = positions(zero_q, k) - by_distance  # u · k
    return torch.stack([content, with_distance, by_content, by_distance]) / q.shape[-1] ** 0.5
