"""The score of a head taken apart: each token reaches the first block as a sum, its own vector and that of its place.

Sizes: b batch, t tokens, e embedding, h heads, s size of one head.
"""

from __future__ import annotations

import torch
from torch import Tensor

import former
from former.attention import attention_scores
from former.positions import RelativeTerms

TERMS = ("token_token", "token_place", "place_token", "place_place")  # of the query, then of the key


def parts(block: former.TransformerBlock, token: Tensor, place: Tensor) -> tuple[Tensor, Tensor]:
    """What the attention of a block reads, norm(token + place), as a sum of what is of each.

    The norm divides by the spread of the sum, which is taken as it was: then it is linear. Its bias goes with the
    token.

    Args:
        block: its first norm is applied where it is a pre-norm block.
        token, place: (b, t, e).
    Returns:
        (b, t, e) each.
    """
    if not block.pre_norm:
        return token, place
    norm = block.norm1
    spread = ((token + place).var(-1, correction=0, keepdim=True) + norm.eps).sqrt()  # (b, t, 1)
    own, other = ((x - x.mean(-1, keepdim=True)) / spread * norm.weight for x in (token, place))
    return own + norm.bias, other


def terms(block: former.TransformerBlock, token: Tensor, place: Tensor) -> Tensor:
    """The scores of a block's heads, (q + q') · (k + k') / √s, as the four products that they are the sum of.

    Args:
        block: of pre-norm or post-norm.
        token, place: (b, t, e), whose sum it reads.
    Returns:
        (4, b, h, t, t), in the order of `TERMS`.
    """
    attention = block.attention
    own, other = parts(block, token, place)

    def both(linear: torch.nn.Module) -> list[Tensor]:
        """What a map makes of each part, (b, h, t, s); its bias, where it has one, goes with the token."""
        made = linear(own), linear(other) - linear(torch.zeros_like(other))
        return [x.unflatten(-1, (attention.heads, -1)).transpose(1, 2) for x in made]

    queries, keys = both(attention.toqueries), both(attention.tokeys)
    scale = {"scaled": attention.scaled, "divisor": attention.divisor}
    return torch.stack([attention_scores(q, k, **scale) for q in queries for k in keys])


def summands(bundle: former.Bundle, ids: list[int]) -> tuple[Tensor, Tensor]:
    """The vectors of tokens and of their places, (1, t, e) each, whose sum the first block reads."""
    stack = bundle.model.transformer
    token = stack.token_embedding(torch.tensor([ids]))
    return token, stack.positions(torch.arange(len(ids)), token.dtype).expand_as(token)


@torch.inference_mode()
def heads_to_open(bundle: former.Bundle, ids: list[int]) -> dict[str, int]:
    """Of the first layer, the head whose scores on these tokens vary most by place, and the one by token."""
    found = terms(bundle.model.transformer.blocks[0], *summands(bundle, ids))[:, 0]  # (4, h, t, t)
    seen = bundle.model.mask(len(ids))
    spread = found[..., seen].var(-1)  # (4, h)
    share = spread[TERMS.index("place_place")] / spread.sum(0)
    return {"byPlace": int(share.argmax()), "byToken": int(share.argmin())}


def relative_terms(positions: RelativeTerms, q: Tensor, k: Tensor) -> Tensor:
    """The scores under relative positions as the four products that they are the sum of.

    A key's place is its distance, and the query's place is learned, the same for all queries: q · k, q · W r, u · k and
    v · W r, each divided by √s.

    Args:
        positions: of the layer.
        q: (b, h, t_query, s), the last of the keys.
        k: (b, h, t_key, s).
    Returns:
        (4, b, h, t_query, t_key), in the order of `TERMS`.
    """
    zero_q, zero_k = torch.zeros_like(q), torch.zeros_like(k)
    by_distance = positions(zero_q, zero_k)  # v · W r
    content = q @ k.transpose(-2, -1)
    asked = positions(q, zero_k) - by_distance  # q · W r
    held = positions(zero_q, k) - by_distance  # u · k
    return torch.stack([content, asked, held, by_distance]) / q.shape[-1] ** 0.5
