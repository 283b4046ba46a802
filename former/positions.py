"""Position schemes: how a model knows the order of its tokens (article, section "Using the positions").

Blocks alone are permutation equivariant; positions break that, in one of three ways. Each scheme is a module with the
interface `Positions`: it returns vectors that are added to the token embeddings, terms that each layer's attention
adds to its dot products, or a function that turns its queries and keys.

Sizes: b batch, t tokens, e embedding, h heads, s size of one head.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from former.checks import is_number, require_choice, require_instance, require_positive

Terms = Callable[[Tensor, Tensor], Tensor]
"""terms(q, k): maps (b, h, t_query, s), (b, h, t_key, s) to an addend of q kᵀ, (b, h, t_query, t_key)."""

Turn = Callable[[Tensor], Tensor]
"""turn(x): turns queries or keys (b, h, t, s) by their positions."""


class Positions(nn.Module):
    """The interface of all schemes, and the scheme without positions: such a model stays permutation equivariant."""

    limit: int | None = None  # number of positions; None without a limit

    def forward(self, index: Tensor, dtype: torch.dtype | None = None) -> Tensor:
        """Returns the vectors to add to the token embeddings at positions index (t,), from 0: (t, e), or 0 if the
        scheme adds none."""
        return torch.zeros((), dtype=dtype, device=index.device)

    def terms(self, layer: int) -> Terms | None:  # noqa: ARG002
        """Returns a layer's function from q and k to the terms that it adds to the dot products,
        (b, h, t_query, t_key), or None."""
        return None

    def turn(self, index: Tensor, dtype: torch.dtype) -> Turn | None:  # noqa: ARG002
        """Returns the function that turns queries or keys (b, h, t, s) at positions index (t,), the same in every
        layer; None if the scheme turns none."""
        return None


class LearnedPositions(Positions):
    """Position embeddings: one learned vector for each position of the context; longer inputs are refused.

    Args:
        seq_length: number of positions.
        emb: size of a vector.
    """

    def __init__(self, seq_length: int, emb: int) -> None:
        super().__init__()
        require_positive("seq_length", seq_length)
        require_positive("emb", emb)
        self.limit = seq_length
        self.embedding = nn.Embedding(seq_length, emb)

    def forward(self, index: Tensor, dtype: torch.dtype | None = None) -> Tensor:
        """Maps index (t,), each below seq_length, to vectors (t, e)."""
        return self.embedding(index).to(dtype=dtype)


class SinusoidalPositions(Positions):
    """Position encodings: fixed sines and cosines (`sinusoidal`); nothing is learned.

    Args:
        emb: size of a vector, even.
    """

    def __init__(self, emb: int) -> None:
        super().__init__()
        _require_even(emb)
        self.emb = emb

    def forward(self, index: Tensor, dtype: torch.dtype | None = None) -> Tensor:
        """Maps index (t,) to vectors (t, e), for any position, beyond the trained length too."""
        dtype = dtype or torch.float32
        # bfloat16 rounds position 257 to 256, so angles are computed in float32 at least.
        return sinusoidal(index, self.emb, torch.promote_types(dtype, torch.float32)).to(dtype)


class RelativePositions(Positions):
    """Relative positions of Transformer-XL: attention depends on distances of tokens (Dai et al. 2019, section 3.3).

    Args:
        depth: number of layers, each with its own terms.
        emb: size of a distance's encoding, even.
        heads: number of heads.
        size: s of one head.
    """

    def __init__(self, depth: int, emb: int, heads: int, size: int) -> None:
        super().__init__()
        require_positive("depth", depth)
        self.layers = nn.ModuleList(RelativeTerms(emb, heads, size) for _ in range(depth))

    def terms(self, layer: int) -> Terms:
        """Returns the layer's `RelativeTerms`."""
        return self.layers[layer]


class RelativeTerms(nn.Module):
    """Computes u · k_j + (q_i + v) · W r_(i−j), where r is the sinusoidal encoding of the distance i − j.

    With q_i · k_j these are the paper's four terms: u weights the content of a key, v its distance.

    Args:
        emb: size of r, even.
        heads: number of heads.
        size: s of one head.
    """

    def __init__(self, emb: int, heads: int, size: int) -> None:
        super().__init__()
        _require_even(emb)
        require_positive("heads", heads)
        require_positive("size", size)
        self.emb = emb
        self.content = nn.Parameter(torch.zeros(heads, 1, size))  # u
        self.position = nn.Parameter(torch.zeros(heads, 1, size))  # v
        self.tokeys = nn.Linear(emb, heads * size, bias=False)  # W

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        """Maps q (b, h, t_query, s), k (b, h, t_key, s) to (b, h, t_query, t_key); queries follow earlier keys."""
        t_query, t_key = q.shape[2], k.shape[2]
        # From the distance of the last query to the first key down to that of the first query to the last key.
        distance = torch.arange(t_key - 1, -t_query, -1, device=q.device)
        r = sinusoidal(distance, self.emb, torch.promote_types(q.dtype, torch.float32)).to(q.dtype)
        r = self.tokeys(r).unflatten(-1, (q.shape[1], -1))  # (t_query + t_key - 1, h, s)
        by_distance = (q + self.position) @ r.permute(1, 2, 0)  # (b, h, t_query, t_query + t_key - 1)
        # Query i has distance t_key - t_query + i to key 0, which is column t_query - 1 - i.
        column = torch.arange(t_query - 1, -1, -1, device=q.device)[:, None] + torch.arange(t_key, device=q.device)
        at_pairs = by_distance.gather(-1, column.expand(*q.shape[:2], -1, -1))  # (b, h, t_query, t_key)
        return self.content @ k.transpose(-2, -1) + at_pairs


class Rotary(NamedTuple):
    """The settings of rotary positions."""

    theta: float = 10_000.0  # base of the frequencies
    share: float = 1.0  # of each head's numbers; the last ones are not turned
    scaling: tuple[float, ...] | None = None  # factor, low, high, context: see `RotaryPositions`


ROTARY = Rotary()


class RotaryPositions(Positions):
    """Rotary positions: queries and keys are rotated by angles proportional to their positions (Su et al. 2021).

    Among the r numbers of a head that are rotated, the numbers i and i + r/2 are a point in a plane, which is rotated
    at position p by the angle p · f_i, with f_i = theta^(−2i/r). A dot product depends only on the difference of two
    angles, so a score depends on q, k and their distance.

    To extend a model beyond its trained context, frequencies can be scaled (Llama 3): those with fewer than `low` turns
    in the old context are divided by `factor`, those with more than `high` turns stay, and in between the frequencies
    are interpolated linearly.

    Args:
        size: s of one head.
        rotary: theta, share and scaling.
    Raises:
        ValueError: a setting out of range, or rotated numbers that cannot be paired because their count is odd.
    """

    def __init__(self, size: int, rotary: Rotary) -> None:
        super().__init__()
        require_positive("size", size)
        require_instance("rotary", rotary, Rotary)
        self.theta, share, self.scaling = rotary
        if not is_number(self.theta, above=0):
            raise ValueError(f"rotary_theta must be a finite number above 0, got {self.theta!r}")
        if not is_number(share, above=0) or share > 1:
            raise ValueError(f"rotary_share must be in (0, 1], got {share!r}")
        self.turned = int(size * share)  # r
        if self.turned % 2 or not self.turned:
            raise ValueError(f"rotary positions turn pairs of numbers, got {self.turned} of a head's {size} to turn")
        if self.scaling is not None and not _scales(self.scaling):
            raise ValueError(
                f"rotary_scaling must be None or factor, low, high and context, with low below high, got {self.scaling}"
            )

    def frequencies(self, like: Tensor) -> Tensor:
        """Computes f, (r/2,), in the dtype and on the device of `like`."""
        even = torch.arange(0, self.turned, 2, dtype=like.dtype, device=like.device)  # 2i
        f = 1 / self.theta ** (even / self.turned)
        if self.scaling is None:
            return f
        factor, low, high, context = self.scaling
        share = ((context * f / (2 * math.pi) - low) / (high - low)).clamp(0, 1)
        return f * (share + (1 - share) / factor)

    def turn(self, index: Tensor, dtype: torch.dtype) -> Turn:
        """Returns the function that rotates q or k (b, h, t, s) at positions index (t,), which may exceed the trained
        length."""
        index = index.to(torch.promote_types(dtype, torch.float32))  # as in `SinusoidalPositions`
        angles = index[:, None] * self.frequencies(index)  # (t, r/2)
        cos, sin = angles.cos().to(dtype), angles.sin().to(dtype)

        def turn(x: Tensor) -> Tensor:
            a, b, rest = x.tensor_split((self.turned // 2, self.turned), -1)
            return torch.cat((a * cos - b * sin, b * cos + a * sin, rest), -1)

        return turn


def sinusoidal(index: Tensor, emb: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Computes PE(p, 2i) = sin(p / 10000^(2i/e)) and PE(p, 2i+1) = cos(p / 10000^(2i/e)) (Vaswani et al. 2017, 3.5).

    Args:
        index: (t,) positions p, from 0.
        emb: size e of a vector, even.
        dtype: of the computation. In float32, at position p the error is up to about p · 10⁻⁷.
    Returns:
        (t, e), of that dtype.
    Raises:
        ValueError: an odd emb, or an index that is not a tensor.
    """
    require_instance("index", index, Tensor)
    _require_even(emb)
    even = torch.arange(0, emb, 2, dtype=dtype, device=index.device)  # 2i
    angles = index[:, None].to(dtype) * torch.exp(even * (-math.log(10000.0) / emb))  # (t, e/2)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)  # sine and cosine in turn


def _scales(scaling: object) -> bool:
    """Returns whether `scaling` is a valid (factor, low, high, context) of `RotaryPositions`."""
    if not isinstance(scaling, tuple) or not all(is_number(each, above=0) for each in scaling):
        return False
    return len(scaling) == 4 and scaling[1] < scaling[2]


def _require_even(emb: int) -> None:
    require_positive("emb", emb)
    if emb % 2:
        raise ValueError(f"emb must be even for sinusoidal positions (a sine and a cosine each), got {emb}")


class Shape(NamedTuple):
    """The properties of a model that a position scheme may need."""

    seq_length: int  # the context, which limits only learned positions
    emb: int
    heads: int = 1
    depth: int = 1
    size: int = 1  # s of one head
    rotary: Rotary = ROTARY


SCHEMES: dict[str, Callable[[Shape], Positions]] = {
    "none": lambda _: Positions(),
    "learned": lambda model: LearnedPositions(model.seq_length, model.emb),
    "sinusoidal": lambda model: SinusoidalPositions(model.emb),
    "relative": lambda model: RelativePositions(model.depth, model.emb, model.heads, model.size),
    "rotary": lambda model: RotaryPositions(model.size, model.rotary),
}
"""The position schemes by name: a function from the model's `Shape` to the module."""


def make_positions(kind: str, shape: Shape) -> Positions:
    """Builds the module of a position scheme, one of `SCHEMES`, for a model of this shape.

    Raises:
        ValueError: an unknown kind, or sizes that do not fit it.
    """
    require_choice("positions", kind, SCHEMES)
    return SCHEMES[kind](shape)
