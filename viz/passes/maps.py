"""The attention maps of a pass, with what the browser is told of each.

Sizes: t tokens, h heads, s size of one head.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import torch

from former import runs
from former.analysis.statistics import kinds_of
from former.tokens import Tokenizer
from viz.passes import habits

WHOLE_CELLS = 2_000_000  # of a map; of a larger one the browser gets the heads at half their size, and one exactly


class Map(runs.Map):
    """The attention of one stack of layers in a run, with the properties that its packed form needs."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the map holds."""
        arrays = (self.weights, self.q, self.k, self.v, self.out, self.own_scores)
        return sum(array.nbytes for array in arrays if array is not None)

    @cached_property
    def lengths(self) -> list[int]:
        """For each query, the number of keys up to and including the last one that it may attend to."""
        last = self.allowed.long() * torch.arange(1, len(self.keys) + 1)
        return last.amax(-1).tolist()

    @cached_property
    def skips(self) -> bool:
        """Whether the mask leaves out keys between those that it allows: a sparse pattern, or padding in the text."""
        return int(self.allowed.sum()) < sum(self.lengths)

    @property
    def skipped(self) -> list[list[int]]:
        """For each query, the keys before its last allowed one that the mask skips: [from, to, from, to, ...]."""
        edges = []
        for row, length in zip(self.allowed, self.lengths, strict=True):
            lengths = torch.cat((row[:length], row.new_ones(1))).int()  # it ends in a key that is seen
            edges.append(torch.diff(lengths, prepend=lengths.new_ones(1)).nonzero()[:, 0].tolist())
        return edges

    @cached_property
    def pooled(self) -> int:
        """How many queries, and how many keys, become one cell for the browser: 1, or 2 in a large map (`payload`)."""
        return 2 if math.prod(self.weights.shape[:2]) * sum(self.lengths) > WHOLE_CELLS else 1

    def describe(self, tokenizer: Tokenizer | None = None) -> dict[str, Any]:
        """Returns plain values for the browser, with `habits.describe` (self-attention) or `habits.sharpness`.

        With `tokenizer`, the statistics include the shares of attention on separators and punctuation.
        """
        divisors = tuple(round(root / self.q.shape[-1] ** 0.5, 6) for root in self.roots)  # without √s
        layers, heads = self.weights.shape[:2]
        return {
            "name": self.name,
            "layers": layers,
            "heads": heads,
            "headSize": self.q.shape[-1],
            "queries": self.queries,
            "keys": self.keys,
            "lengths": self.lengths,
            "pooled": self.pooled,
            "skipped": self.skipped if self.skips else None,
            "padded": not bool(self.allowed.all()) and bool((self.allowed == self.allowed[0]).all()),
            "scored": self.own_scores is not None,
            "divisors": None if set(divisors) == {1.0} else divisors,
            "memory": habits.on_memory(self.weights, self.memory) if self.memory else None,
            **(
                habits.describe(self.weights, self.allowed, *self._tokens(tokenizer))
                if self.ids
                else habits.sharpness(self.weights, self.memory)
            ),
        }

    def describe_view(self, cells: torch.Tensor, tokenizer: Tokenizer | None = None) -> dict[str, Any]:
        """Returns the statistics and the habit (`habits.Describer`) of the mean or the rollout (t, t) of a layer; empty
        where the queries are not the keys."""
        return habits.Describer(self.allowed, *self._tokens(tokenizer), cells.dtype)(cells) if self.ids else {}

    def _tokens(self, tokenizer: Tokenizer | None) -> tuple[torch.Tensor, dict[str, torch.Tensor] | None]:
        tokens = torch.tensor(self.ids)
        return tokens, kinds_of(tokenizer, tokens) if tokenizer else None


def maps_of(edited: runs.Run) -> tuple[Map, ...]:
    """Returns the maps of a run as `Map`s."""
    return tuple(Map(**vars(each)) for each in edited.maps.values())
