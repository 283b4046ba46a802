"""What one text did in a model: its tokens, its attention maps and what the model said, under edits.

Sizes: t tokens, h heads, s size of one head.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import torch
from torch import Tensor

from former.hooks import Capture, Observer, chain, check_edits, check_layers
from former.positions import Positions
from former.runs.carry import carry, check_alike, point_in
from former.runs.kind import Inputs, Kind, Reading, Sides, Source, readable

POINTS = ("weights", "q", "k", "v", "out")  # of each map


@dataclass(frozen=True, eq=False, kw_only=True)
class Map(Sides):
    """The attention of one stack of layers: queries that look at keys, with a label for each.

    A model of one stack has one map, "self"; an encoder-decoder has three: "encoder", "decoder", and "cross", in which
    the answer looks at the text.
    """

    name: str
    weights: Tensor  # (layers, h, t_query, t_key), rows sum to 1
    q: Tensor  # (layers, h, t_query, s)
    k: Tensor  # (layers, h, t_key, s)
    v: Tensor  # (layers, h, t_key, s)
    out: Tensor  # (layers, h, t_query, s): the sum of the values, each times its weight
    roots: tuple[float, ...]  # of each layer, what q·k is divided by
    own_scores: Tensor | None = None  # (layers, h, t_query, t_key), where they are more than q·k / root

    @property
    def scores(self) -> Tensor:
        """(layers, h, t_query, t_key): what the softmax was taken of; −∞ where the mask hides a key."""
        if self.own_scores is not None:
            return self.own_scores
        roots = torch.tensor(self.roots, dtype=self.q.dtype, device=self.q.device)[:, None, None, None]
        scores = self.q @ self.k.transpose(-2, -1) / roots
        return scores.masked_fill(~self.allowed.to(scores.device), -math.inf)


class Blank(NamedTuple):
    """A hidden piece of a text, and what a model fills in."""

    at: int  # which of the text's tokens
    truth: str | None  # what was hidden; None where nobody knows
    guesses: list[tuple[str, float]]  # label and probability, the likeliest first


@dataclass(frozen=True, eq=False)
class Run:
    """One text through one model, under edits; `former.Bundle.run` makes it.

    Questions that take a run stand in `former.analysis`.
    """

    source: Source  # the model, its tokenizer and its card
    kind: Kind
    reading: Reading
    edits: tuple[Observer, ...]
    inputs: Inputs  # what the model was called with
    held: Tensor | None  # what `Kind.call` returned; None where it is not kept
    maps: Mapping[str, Map]  # by name; empty in a run that was made without them
    first: Tensor | None = None  # logits (1, num_tokens) for the first token, if known

    def __repr__(self) -> str:
        return f"<Run: {len(self.ids)} tokens of {self.text!r} through a {type(self.model).__name__}>"

    @property
    def model(self) -> Any:
        """The readable model, also where its fast twin ran."""
        return readable(self.source.model)

    @property
    def text(self) -> str:
        """The text, as typed."""
        return self.reading.text

    @property
    def ids(self) -> list[int]:
        """The token ids that were read; of a model with a memory, those of the last segment."""
        return self.reading.ids

    @property
    def tokens(self) -> list[str]:
        """A label for each of `ids`."""
        return self.reading.tokens

    @property
    def total(self) -> int:
        """How many tokens the text has: more than were read where it is longer than the model's context."""
        return self.reading.total

    @property
    def result(self) -> Tensor:
        """What `Kind.call` returned, from which `output` and all answers are read."""
        if self.held is not None:
            return self.held
        with torch.no_grad():
            return self.kind.call(self.source.model, self.inputs, chain(self.edits))

    @property
    def map(self) -> Map:
        """The map of a model that has one.

        Raises:
            ValueError: it has several.
        """
        if len(self.maps) != 1:
            raise ValueError(f"this run has several maps, {sorted(self.maps)}: name one, run.maps[name]")
        return next(iter(self.maps.values()))

    @property
    def weights(self) -> Tensor:
        """(layers, h, t_query, t_key) of the model's map; see `map`."""
        return self.map.weights

    @property
    def output(self) -> Tensor:
        """What the model said of the text, as the model itself returns it: logits, or log-probabilities of classes."""
        return self.kind.output(self.model, self.result)

    @torch.no_grad()
    def next_tokens(self, count: int = 10) -> list[tuple[str, float]]:
        """The likeliest next tokens after the text, or after a translator's answer: (label, probability).

        Raises:
            ValueError: a model that predicts no next token.
        """
        return self._named(self.kind.next_logits(self.model, self.result), count)

    def classes(self) -> list[tuple[str, float]]:
        """The probability of each class of a classifier: (name, probability).

        Raises:
            ValueError: a model that does not classify.
        """
        names = self.kind.classes(self.source)
        return list(zip(names, self.result[0].exp().tolist(), strict=True))

    @torch.no_grad()
    def blanks(self, count: int = 10) -> list[Blank]:
        """What a model fills in for each hidden piece of a text.

        Raises:
            ValueError: a model that fills in nothing.
        """
        truths, unembed = self.kind.truths(self.reading), self.kind.unembed(self.model, self.inputs)
        label = self.source.tokenizer.labels
        return [
            Blank(at, None if truth is None else label([truth])[0], self._named(unembed(self.result[0, at]), count))
            for at, truth in truths.items()
        ]

    @torch.no_grad()
    def surprise(self) -> list[float | None]:
        """The bits that each token costs, given those before it; None where nothing came before.

        Raises:
            ValueError: a model that predicts no next token.
        """
        tokens = self.kind.written(self.model, self.inputs)[0]  # (t,)
        logits = self.result[0, :-1] if self.first is None else torch.cat((self.first, self.result[0, :-1]))
        costs = -logits.log_softmax(-1).gather(1, tokens[-len(logits) :, None])[:, 0] / math.log(2)
        return [*[None] * (len(tokens) - len(logits)), *costs.tolist()]

    def with_edits(self, *edits: Observer) -> Run:
        """The same text, under these edits besides those of the run.

        Args:
            edits: such as those of `former.edits`.
        Raises:
            ValueError: an edit that does not fit the model or the text.
        """
        return start(self.source, self.kind, self.reading, (*self.edits, *edits))

    @torch.no_grad()
    def patched_into(
        self,
        other: Run,
        layer: int,
        head: int | None = None,
        point: str = "out",
        tokens: Iterable[int] | None = None,
        *,
        stack: str = "",
    ) -> Run:
        """The other run, with a part of this one carried into it (`former.patching`).

        Args:
            other: a run of the same model, on a text of equally many tokens.
            layer: from 0.
            head: whose part is carried; None for all, and at points that no head has.
            point: of `former.hooks`.
            tokens: the positions, or rows of the weights, that are carried; None for all.
            stack: whose layer it is, where the model has several stacks.
        Raises:
            ValueError: runs of different models or lengths, or a point, layer, head or token that the model or the text
                does not have.
        """
        check_alike(self.reading, other.reading)
        name = point_in(point, stack, self.model)
        check_layers(self.model, [layer])
        taken = self.again([name], layers=[layer])[1][name, layer]
        return other.with_edits(carry(taken, layer, name, head, tokens))

    @cached_property
    def unedited(self) -> Run:
        """The same text without edits; it has no maps."""
        return start(self.source, self.kind, self.reading, maps=False) if self.edits else self

    def light(self) -> Run:
        """The run without `result`, which may be large: it is computed anew where it is asked for."""
        return replace(self, held=None)

    @torch.no_grad()
    def again(
        self, names: Iterable[str] = (), edits: Iterable[Observer] = (), layers: Iterable[int] | None = None
    ) -> tuple[Tensor, Capture]:
        """Calls the readable model again, on the same inputs under the same edits and more.

        Args:
            names: points to capture (`former.hooks`).
            edits: changes, or other observers, after the run's own.
            layers: to capture; None for all.
        Returns:
            What `Kind.call` returns, and the capture.
        """
        capture = Capture(names, layers)
        return self.kind.call(self.model, self.inputs, chain((*self.edits, *edits, capture))), capture

    def _named(self, logits: Tensor, count: int) -> list[tuple[str, float]]:
        """The likeliest tokens by logits (num_tokens,), each with its label."""
        top = logits.softmax(-1).topk(min(count, len(logits)))
        label = self.source.tokenizer.labels
        return [(label([i])[0], p) for i, p in zip(top.indices.tolist(), top.values.tolist(), strict=True)]


@torch.no_grad()
def start(source: Source, kind: Kind, reading: Reading, edits: Iterable[Observer] = (), *, maps: bool = True) -> Run:
    """Runs a model on a text that was read.

    Args:
        source: the model; a fast twin where there is one runs instead.
        kind: of the model.
        reading: the text.
        edits: changes to make on the way, in this order.
        maps: whether to capture the attention.
    Raises:
        ValueError: an edit that does not fit the model or the text.
    """
    edits, model = tuple(edits), readable(source.model)
    check_edits(model, edits)
    inputs, first = kind.prepare(source.model, reading, edits)
    sides, own = reading.sides if maps else {}, adds_terms(model)
    capture = Capture([f"{prefix_of(name)}{point}" for name in sides for point in POINTS])
    # Scores are seen before an edit of them; where positions add nothing they follow from q and k.
    scores = [Capture([f"{prefix_of(name)}scores" for name in sides])] if own and sides else []
    result = kind.call(source.model, inputs, chain((*scores, *edits, capture)))
    config = model.config
    roots = tuple((config.head_size**0.5 if config.scaled else 1.0) * config.divisor(i) for i in range(config.depth))
    found = {}
    for name, side in sides.items():
        tensors: Any = {point: capture.stack(f"{prefix_of(name)}{point}")[:, 0] for point in POINTS}
        before = scores[0].stack(f"{prefix_of(name)}scores")[:, 0] if scores else None
        found[name] = Map(**vars(side), name=name, roots=roots, own_scores=before, **tensors)
    return Run(source, kind, reading, edits, inputs, result, found, first)


def prefix_of(name: str) -> str:
    """What stands before the points of a map (`former.hooks`)."""
    return "" if name == "self" else f"{name}."


def adds_terms(model: Any) -> bool:
    """Whether a model's scores are more than q·k / root, because its positions add to them."""
    schemes = (type(part) for part in model.modules() if isinstance(part, Positions))
    return any(scheme.terms is not Positions.terms for scheme in schemes)
