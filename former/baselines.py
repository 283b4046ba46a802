"""What a transformer is compared with, and nothing more: a recurrent and a convolutional language model.

Both take tokens (b, t) and give a logit for each next token, (b, t, num_tokens), as a `Generator` does. The recurrent
one passes all it knows of the past through one vector, token after token; the convolutional one looks back a fixed
number of tokens. Neither has attention, so there is nothing of `former.hooks` to look at.

Sizes: b batch, t tokens, e embedding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former.checks import require_positive
from former.config import Config, require_dropout
from former.hooks import Observer, also_capture
from former.stack import check_tokens


@dataclass(frozen=True, kw_only=True)
class BaselineConfig(Config):
    """What both models have.

    Raises:
        ValueError: a field out of its range; the message names the field, what was given and what is expected.
    """

    mask: ClassVar[str] = "causal"  # no output depends on a later token

    num_tokens: int = 256  # size of the vocabulary; 256 for bytes
    emb: int = 256  # size of a token's vector, and of every layer
    depth: int = 2  # layers
    seq_length: int = 256  # tokens of a window in training; the models themselves have no end
    dropout: float = 0.0  # after the embedding and each layer, in training only

    def __post_init__(self) -> None:
        for name in ("num_tokens", "emb", "depth", "seq_length"):
            require_positive(name, getattr(self, name))
        require_dropout(self.dropout)


@dataclass(frozen=True, kw_only=True)
class GRUConfig(BaselineConfig):
    """The shape of a `GRUModel`."""


@dataclass(frozen=True, kw_only=True)
class ConvConfig(BaselineConfig):
    """The shape of a `ConvModel`.

    Raises:
        ValueError: a field out of its range.
    """

    kernel: int = 3  # inputs of a layer that it reads for each output: its own and those before
    dilation: int = 2  # how many times farther apart they stand than in the layer below; 1 for side by side in all

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive("kernel", self.kernel)
        require_positive("dilation", self.dilation)

    @property
    def receptive_field(self) -> int:
        """How many tokens an output depends on: 1 + Σ (kernel − 1) · dilation^layer."""
        return 1 + sum((self.kernel - 1) * self.dilation**layer for layer in range(self.depth))


class GRUModel(nn.Module):
    """A stack of gated recurrent units (Cho et al. 2014).

    Args:
        config: its shape.
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

    @also_capture
    def forward(self, tokens: Tensor, observer: Observer | None = None, *, recompute: bool = False) -> Tensor:
        """Logits for the token after each position: tokens (b, t) → (b, t, num_tokens).

        Args:
            tokens: (b, t), of any length.
            observer, recompute: so that every model can be called in the same way; here nothing comes of them.
        Raises:
            ValueError: tokens that do not fit.
        """
        del recompute
        return self.read_on(tokens, None, observer)[0]

    @also_capture
    def read_on(
        self, tokens: Tensor, state: Tensor | None = None, observer: Observer | None = None
    ) -> tuple[Tensor, Tensor]:
        """The same after what was read before; state (depth, b, e), as an earlier call gave it."""
        del observer
        check_tokens(tokens, self.config.num_tokens, training=self.training)
        hidden, state_after = self.gru(self.drop(self.token_embedding(tokens.long())), state)
        return self.toprobs(self.drop(hidden)), state_after

    def steps(self, tokens: Tensor) -> Tensor:
        """What the last layer holds for each token, were the cells of all tokens and layers at work at once.

        In a step each cell reads what the cell before it and the layer below gave in the step before, zeros at first:
        what must wait for what. Token i has its value, that of `forward`, after i + depth steps.

        Args:
            tokens: (b, t).
        Returns:
            (b, t + depth − 1, t, e): after each step.
        """
        depth, t = self.config.depth, tokens.shape[1]
        x = self.token_embedding(tokens.long())  # (b, t, e)
        held = [torch.zeros_like(x) for _ in range(depth)]
        after = []
        for _ in range(t + depth - 1):
            below = [x, *held[:-1]]
            before = [F.pad(state, (0, 0, 1, 0))[:, :-1] for state in held]  # of the token before
            held = [self._cell(layer, below[layer], before[layer]) for layer in range(depth)]
            after.append(held[-1])
        return torch.stack(after, 1)

    def _cell(self, layer: int, below: Tensor, before: Tensor) -> Tensor:
        """One layer's cell for every token, each on its own: (b, t, e) from the layer below and the token before."""
        weights = (getattr(self.gru, f"{name}_l{layer}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        return torch.gru_cell(below.flatten(0, 1), before.flatten(0, 1), *weights).view_as(below)


class ConvModel(nn.Module):
    """A stack of gated causal convolutions (Dauphin et al. 2017), the inputs of higher layers farther apart.

    x = x + glu(convolution(norm(x))), where a convolution reads `kernel` inputs up to its own, and glu lets one half of
    what it gives say how much of the other half passes.

    Args:
        config: its shape.
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

    @also_capture
    def forward(self, tokens: Tensor, observer: Observer | None = None, *, recompute: bool = False) -> Tensor:
        """Logits for the token after each position, as `GRUModel.forward` gives them."""
        del observer, recompute
        check_tokens(tokens, self.config.num_tokens, training=self.training)
        *_, x = self._layers(tokens)
        return self.toprobs(self.norm(x))

    def _layers(self, tokens: Tensor) -> Iterator[Tensor]:
        """The stream (b, t, e) after each layer."""
        x = self.drop(self.token_embedding(tokens.long()))  # (b, t, e)
        for layer, (norm, convolution) in enumerate(zip(self.norms, self.convolutions, strict=True)):
            back = (self.config.kernel - 1) * self.config.dilation**layer  # zeros stand before the first token
            gates = convolution(F.pad(norm(x).transpose(1, 2), (back, 0)))  # (b, 2e, t)
            x = x + self.drop(F.glu(gates, 1).transpose(1, 2))
            yield x

    def steps(self, tokens: Tensor) -> Tensor:
        """What stands at each token after each layer, (b, depth, t, e): a layer does all tokens at once."""
        return torch.stack(list(self._layers(tokens)), 1)

    @also_capture
    def read_on(
        self, tokens: Tensor, state: Tensor | None = None, observer: Observer | None = None
    ) -> tuple[Tensor, Tensor]:
        """The same after what was read before; state: the tokens before (b, ·), as many as an output can depend on."""
        seen = tokens if state is None else torch.cat((state, tokens), 1)
        logits = self(seen, observer)[:, -tokens.shape[1] :]
        return logits, seen[:, max(0, seen.shape[1] + 1 - self.config.receptive_field) :]
