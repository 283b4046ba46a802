"""Language models to compare a transformer with: a recurrent and a convolutional one.

Both map tokens (b, t) to a logit for each next token, (b, t, num_tokens), as a `Generator` does. The recurrent model
passes everything it knows of the past through one vector, token after token; the convolutional one looks back a fixed
number of tokens. Neither has attention, so `former.hooks` has no points in them.

Sizes: b batch, t tokens, e embedding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former.checks import require_dropout, require_positive
from former.config import Config
from former.hooks import Observer
from former.observable import observable
from former.stack import check_tokens


@dataclass(frozen=True, kw_only=True)
class BaselineConfig(Config):
    """The fields that `GRUConfig` and `ConvConfig` share.

    Raises:
        ValueError: a field out of range; the message names the field, its value and what is expected.
    """

    mask: ClassVar[str] = "causal"  # no output depends on a later token

    num_tokens: int = 256  # size of the vocabulary; 256 for bytes
    emb: int = 256  # hidden size: of token vectors and of every layer
    depth: int = 2  # number of layers
    seq_length: int = 256  # tokens of a training window; the models themselves read any length
    dropout: float = 0.0  # after the embedding and each layer, in training only

    def __post_init__(self) -> None:
        for name in ("num_tokens", "emb", "depth", "seq_length"):
            require_positive(name, getattr(self, name))
        require_dropout(self.dropout)


@dataclass(frozen=True, kw_only=True)
class GRUConfig(BaselineConfig):
    """The shape of a `GRUModel`, a recurrent network."""


@dataclass(frozen=True, kw_only=True)
class ConvConfig(BaselineConfig):
    """The shape of a `ConvModel`.

    Raises:
        ValueError: a field out of range.
    """

    kernel: int = 3  # inputs that a layer reads for each output: the current one and those before it
    dilation: int = 2  # factor by which their spacing grows from layer to layer; 1 keeps them adjacent

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive("kernel", self.kernel)
        require_positive("dilation", self.dilation)

    @property
    def receptive_field(self) -> int:
        """The number of tokens that an output depends on: 1 + Σ (kernel − 1) · dilation^layer."""
        return 1 + sum((self.kernel - 1) * self.dilation**layer for layer in range(self.depth))


class GRUModel(nn.Module):
    """A stack of gated recurrent units (Cho et al. 2014).

    Args:
        config: the model's shape.
    """

    points = ()  # of `former.hooks`: none

    def __init__(self, config: GRUConfig) -> None:
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.num_tokens, config.emb)
        self.drop = nn.Dropout(config.dropout)
        between = config.dropout if config.depth > 1 else 0.0  # torch warns of dropout after a single layer
        self.gru = nn.GRU(config.emb, config.emb, config.depth, batch_first=True, dropout=between)
        self.toprobs = nn.Linear(config.emb, config.num_tokens)

    @observable
    def forward(self, tokens: Tensor, observer: Observer | None = None, *, recompute: bool = False) -> Tensor:
        """Computes logits for the token after each position: tokens (b, t) → (b, t, num_tokens).

        Args:
            tokens: (b, t), of any length.
            observer, recompute: accepted so that all models share one signature; ignored.
        Raises:
            ValueError: `tokens` is empty, not whole numbers (b, t), or has ids outside the vocabulary.
        """
        del recompute
        return self.step(tokens, None, observer)[0]

    @observable
    def step(
        self, tokens: Tensor, state: Tensor | None = None, observer: Observer | None = None
    ) -> tuple[Tensor, Tensor]:
        """Computes the same as `forward`, but continues from `state` (depth, b, e); returns logits and the
        new state."""
        del observer
        check_tokens(tokens, self.config.num_tokens, training=self.training)
        hidden, state_after = self.gru(self.drop(self.token_embedding(tokens.long())), state)
        return self.toprobs(self.drop(hidden)), state_after

    def steps(self, tokens: Tensor) -> Tensor:
        """Computes the last layer's states as they would be if the cells of all tokens and layers worked in parallel.

        In each step a cell reads what the cells of the token before and of the layer below returned in the previous
        step, at first zeros. This shows which work must wait: token i reaches the value that it has in `forward` after
        i + depth steps.

        Args:
            tokens: (b, t).
        Returns:
            The states after each step (b, t + depth − 1, t, e).
        """
        depth, t = self.config.depth, tokens.shape[1]
        x = self.token_embedding(tokens.long())  # (b, t, e)
        states = [torch.zeros_like(x) for _ in range(depth)]
        after = []
        for _ in range(t + depth - 1):
            below = [x, *states[:-1]]
            before = [F.pad(state, (0, 0, 1, 0))[:, :-1] for state in states]  # of the previous token
            states = [self._cell(layer, below[layer], before[layer]) for layer in range(depth)]
            after.append(states[-1])
        return torch.stack(after, 1)

    def _cell(self, layer: int, below: Tensor, before: Tensor) -> Tensor:
        """Computes one layer's cell for each token: (b, t, e) from the layer below and the previous token."""
        weights = (getattr(self.gru, f"{name}_l{layer}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        return torch.gru_cell(below.flatten(0, 1), before.flatten(0, 1), *weights).view_as(below)


class ConvModel(nn.Module):
    """A stack of gated causal convolutions (Dauphin et al. 2017), dilated in higher layers.

    x = x + glu(convolution(norm(x))): a convolution reads `kernel` inputs up to the current one, and glu multiplies one
    half of its output by a sigmoid gate computed from the other half.

    Args:
        config: the model's shape.
    """

    points = ()  # of `former.hooks`: none

    def __init__(self, config: ConvConfig) -> None:
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.num_tokens, config.emb)
        self.drop = nn.Dropout(config.dropout)
        self.norms = nn.ModuleList(nn.LayerNorm(config.emb) for _ in range(config.depth))
        self.convolutions = nn.ModuleList(
            nn.Conv1d(config.emb, 2 * config.emb, config.kernel, dilation=config.dilation**layer)
            for layer in range(config.depth)
        )
        self.norm = nn.LayerNorm(config.emb)
        self.toprobs = nn.Linear(config.emb, config.num_tokens)

    @observable
    def forward(self, tokens: Tensor, observer: Observer | None = None, *, recompute: bool = False) -> Tensor:
        """Computes logits for the token after each position, as `GRUModel.forward` does."""
        del observer, recompute
        check_tokens(tokens, self.config.num_tokens, training=self.training)
        *_, x = self._layers(tokens)
        return self.toprobs(self.norm(x))

    def _layers(self, tokens: Tensor) -> Iterator[Tensor]:
        """Yields the residual stream (b, t, e) after each layer."""
        x = self.drop(self.token_embedding(tokens.long()))  # (b, t, e)
        for layer, (norm, convolution) in enumerate(zip(self.norms, self.convolutions, strict=True)):
            back = (self.config.kernel - 1) * self.config.dilation**layer  # zero padding before the first token
            gates = convolution(F.pad(norm(x).transpose(1, 2), (back, 0)))  # (b, 2e, t)
            x = x + self.drop(F.glu(gates, 1).transpose(1, 2))
            yield x

    def steps(self, tokens: Tensor) -> Tensor:
        """Computes the residual stream after each layer, (b, depth, t, e): a layer computes all tokens in parallel."""
        return torch.stack(list(self._layers(tokens)), 1)

    @observable
    def step(
        self, tokens: Tensor, state: Tensor | None = None, observer: Observer | None = None
    ) -> tuple[Tensor, Tensor]:
        """Computes the same as `forward`, but continues from `state` (b, ·), the earlier tokens that an output can
        depend on; returns logits and the new state."""
        inputs = tokens if state is None else torch.cat((state, tokens), 1)
        logits = self(inputs, observer)[:, -tokens.shape[1] :]
        return logits, inputs[:, max(0, inputs.shape[1] + 1 - self.config.receptive_field) :]
