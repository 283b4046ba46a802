"""A recorded pass of one text through a model: tokens, attention maps and predictions, under edits.

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

from former.attention import attention_scores
from former.checks import require_positive
from former.hooks import Capture, Observer, chain, check_layers, checked_edits
from former.positions import Positions
from former.runs.carry import carry, check_alike, point_in
from former.runs.kind import Inputs, Kind, Reading, Sides, Source, readable
from former.sampling import precise, require_maximum, require_numbers

POINTS = ("weights", "q", "k", "v", "out")  # of each map


@dataclass(frozen=True, eq=False, kw_only=True)
class Map(Sides):
    """The attention of one stack of layers, with labels for queries and keys.

    A model with one stack has one map, "self"; an encoder-decoder has three: "encoder", "decoder", and "cross", in
    which the answer attends to the text.
    """

    name: str
    weights: Tensor  # (layers, h, t_query, t_key), rows sum to 1
    q: Tensor  # (layers, h, t_query, s)
    k: Tensor  # (layers, h, t_key, s)
    v: Tensor  # (layers, h, t_key, s)
    out: Tensor  # (layers, h, t_query, s): the weighted sum of the values
    roots: tuple[float, ...]  # for each layer, the divisor of q·k
    own_scores: Tensor | None = None  # (layers, h, t_query, t_key), if positions add to q·k / root

    @property
    def scores(self) -> Tensor:
        """The softmax's input before any edit of it, (layers, h, t_query, t_key); −∞ where the mask hides a key."""
        if self.own_scores is not None:
            return self.own_scores
        mask, layers = self.allowed.to(self.q.device), zip(self.q, self.k, self.roots, strict=True)
        return torch.stack([attention_scores(q, k, mask, scaled=False, divisor=root) for q, k, root in layers])


class Blank(NamedTuple):
    """A hidden piece of a text, and the model's guesses."""

    at: int  # position in the text's tokens
    truth: str | None  # the hidden label; None if unknown
    guesses: list[tuple[str, float]]  # label and probability, the most likely first


@dataclass(frozen=True, eq=False)
class Run:
    """One text through one model, under edits; `former.Bundle.run` creates it.

    `former.analysis` has functions that take a run.
    """

    source: Source  # model, tokenizer and card
    kind: Kind
    reading: Reading
    edits: tuple[Observer, ...]
    inputs: Inputs  # the model's arguments
    held: Tensor | None  # what `Kind.call` returned; None if not stored
    maps: Mapping[str, Map]  # by name; empty in a run without maps
    first: Tensor | None = None  # logits (1, num_tokens) for the first token, if known

    def __repr__(self) -> str:
        return f"<Run of {type(self.model).__name__}: {len(self.ids)} tokens of {self.text!r}>"

    @property
    def model(self) -> Any:
        """The readable model, even if its fast twin ran."""
        return readable(self.source.model)

    @property
    def text(self) -> str:
        """The text, as typed."""
        return self.reading.text

    @property
    def ids(self) -> list[int]:
        """The token ids that were read; for a model with a memory, those of the last segment."""
        return self.reading.ids

    @property
    def tokens(self) -> list[str]:
        """A label for each of `ids`."""
        return self.reading.tokens

    @property
    def total(self) -> int:
        """The number of tokens in the text: more than the model reads if the text is longer than its context."""
        return self.reading.total

    @property
    def result(self) -> Tensor:
        """What `Kind.call` returned, from which `output` and all predictions are computed."""
        if self.held is not None:
            return self.held
        with torch.no_grad():
            return self.kind.call(self.source.model, self.inputs, chain(self.edits))

    @property
    def map(self) -> Map:
        """The model's map, if it has only one.

        Raises:
            ValueError: the model has several maps.
        """
        if len(self.maps) != 1:
            raise ValueError(f"this run has several maps, {sorted(self.maps)}; choose one by run.maps[name]")
        return next(iter(self.maps.values()))

    @property
    def weights(self) -> Tensor:
        """The weights of the model's map, (layers, h, t_query, t_key); see `map`."""
        return self.map.weights

    @property
    @torch.no_grad()
    def output(self) -> Tensor:
        """The model's output for the text, as the model itself returns it: logits, or log-probabilities of classes."""
        return self.kind.output(self.model, self.result)

    @torch.no_grad()
    def next_tokens(self, count: int = 10) -> list[tuple[str, float]]:
        """Returns the most likely next tokens after the text, or after a translator's answer: (label, probability).

        Raises:
            ValueError: the model does not predict next tokens, or only NaN, or count is below 1.
        """
        return self._named(self.kind.next_logits(self.model, self.result), count)

    def classes(self) -> list[tuple[str, float]]:
        """Returns the probability of each class of a classifier: (name, probability).

        Raises:
            ValueError: the model does not classify, or predicts only NaN.
        """
        names = self.kind.classes(self.source)
        return list(zip(names, require_numbers(precise(self.result[0])).exp().tolist(), strict=True))

    @torch.no_grad()
    def blanks(self, count: int = 10) -> list[Blank]:
        """Returns the model's guesses for each hidden piece of a text.

        Raises:
            ValueError: the model does not fill in hidden pieces, or only with NaN, or count is below 1.
        """
        truths, unembed = self.kind.truths(self.reading), self.kind.unembed(self.model, self.inputs)
        label = self.source.tokenizer.labels
        return [
            Blank(at, None if truth is None else label([truth])[0], self._named(unembed(self.result[0, at]), count))
            for at, truth in truths.items()
        ]

    @torch.no_grad()
    def surprise(self) -> list[float | None]:
        """Returns the bits of each token given those before it, −log₂ p; None for the first.

        Raises:
            ValueError: the model does not predict next tokens, or only NaN.
        """
        tokens = self.kind.written(self.model, self.inputs)[0]  # (t,)
        logits = self.result[0, :-1] if self.first is None else torch.cat((self.first, self.result[0, :-1]))
        logits = precise(logits)
        costs = (logits.logsumexp(-1) - logits.gather(1, tokens[len(tokens) - len(logits) :, None])[:, 0]) / math.log(2)
        return [*[None] * (len(tokens) - len(logits)), *require_numbers(costs).tolist()]

    def with_edits(self, *edits: Observer) -> Run:
        """Runs the same text, with these edits after those of the run.

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
        """Returns the other run with one part replaced by that of this run (`former.patching`).

        Args:
            other: a run of the same model, on a text with the same number of tokens.
            layer: from 0.
            head: the head to patch; None for all, and at points without heads.
            point: of `former.hooks`.
            tokens: positions (or rows of the weights) to patch; None for all.
            stack: the layer's stack, in a model with several.
        Raises:
            ValueError: runs of different models or lengths; or the model or the text has no such point, layer, head or
                token.
        """
        check_alike(self, other)
        name = point_in(point, stack, self.model)
        check_layers(self.model, [layer])
        taken = self.rerun([name], layers=[layer])[1][name, layer]
        return other.with_edits(carry(taken, layer, name, head, tokens))

    @cached_property
    def unedited(self) -> Run:
        """Runs the same text without edits, and without maps; a run without edits returns itself."""
        return start(self.source, self.kind, self.reading, maps=False) if self.edits else self

    def light(self) -> Run:
        """Returns the run without `result`, which may be large; it is recomputed when needed."""
        return replace(self, held=None)

    @torch.no_grad()
    def rerun(
        self, names: Iterable[str] = (), edits: Iterable[Observer] = (), layers: Iterable[int] | None = None
    ) -> tuple[Tensor, Capture]:
        """Calls the readable model again on the same inputs, under the run's edits and further ones.

        Args:
            names: points to capture (`former.hooks`).
            edits: changes, or other observers, after the run's own.
            layers: to capture; None for all.
        Returns:
            The result of `Kind.call`, and the capture.
        """
        capture = Capture(names, layers)
        return self.kind.call(self.model, self.inputs, chain((*self.edits, *edits, capture))), capture

    def _named(self, logits: Tensor, count: int) -> list[tuple[str, float]]:
        """Returns the most likely tokens by logits (num_tokens,), with labels."""
        require_positive("count", count)
        require_maximum(logits)
        top = precise(logits).softmax(-1).topk(min(count, len(logits)))
        label = self.source.tokenizer.labels
        return [(label([i])[0], p) for i, p in zip(top.indices.tolist(), top.values.tolist(), strict=True)]


@torch.no_grad()
def start(source: Source, kind: Kind, reading: Reading, edits: Iterable[Observer] = (), *, maps: bool = True) -> Run:
    """Runs a model on a reading.

    Args:
        source: the model, or a source whose model is its fast twin, which then runs.
        kind: the model's kind.
        reading: the text, as the kind read it.
        edits: changes to make during the pass, in this order.
        maps: whether to capture the attention.
    Raises:
        ValueError: an edit that does not fit the model or the text.
    """
    model = readable(source.model)
    edits = checked_edits(model, edits)
    inputs, first = kind.prepare(source.model, reading, edits)
    sides, own = reading.sides if maps else {}, adds_terms(model)
    capture = Capture([f"{prefix_of(name)}{point}" for name in sides for point in POINTS])
    # Scores are captured before an edit of them; if positions add nothing, they follow from q and k.
    scores = [Capture([f"{prefix_of(name)}scores" for name in sides])] if own and sides else []
    result = kind.call(source.model, inputs, chain((*scores, *edits, capture)))
    config = model.config
    roots = tuple((config.head_size**0.5 if config.scaled else 1.0) * config.divisor(i) for i in range(config.depth))
    attention = {}
    for name, side in sides.items():
        tensors: Any = {point: capture.stack(f"{prefix_of(name)}{point}")[:, 0] for point in POINTS}
        before = scores[0].stack(f"{prefix_of(name)}scores")[:, 0] if scores else None
        attention[name] = Map(**vars(side), name=name, roots=roots, own_scores=before, **tensors)
    return Run(source, kind, reading, edits, inputs, result, attention, first)


def prefix_of(name: str) -> str:
    """Returns the prefix of a map's points in `former.hooks`: "cross." for the map "cross", "" for "self"."""
    return "" if name == "self" else f"{name}."


def adds_terms(model: Any) -> bool:
    """Returns whether a model's position scheme adds terms to its scores, as relative positions do."""
    schemes = (type(part) for part in model.modules() if isinstance(part, Positions))
    return any(scheme.terms is not Positions.terms for scheme in schemes)
