"""Measures what a prediction depends on by removing parts: each head, each word.

Sizes: b batch, t tokens, h heads.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor

from former.analysis.statistics import rank_correlation, rollout
from former.bert import Bert, BertClassifier
from former.checks import listed, require_callable, require_instance
from former.edits import Edit
from former.hooks import Observer, chain, inputs_of, run_with_capture
from former.models import Classifier, require_output_layer
from former.runs.carry import point_in
from former.runs.causal import bits_of
from former.runs.classifier import shares_read
from former.runs.kind import Measure, readable
from former.runs.run import Run, prefix_of
from former.sampling import require_numbers


def ablation_effects(
    model: Any,
    tokens: Tensor | tuple[Tensor, ...],
    measure: Measure | None = None,
    *,
    mask: Tensor | None = None,
    edits: Iterable[Observer] = (),
    stack: str = "",
) -> Tensor:
    """Measures the effect of removing each head: the measure without the head minus the measure with all heads.

    Args:
        model: any model with attention, or its fast twin; a TransformerXL starts without a memory.
        tokens: (1, t) token ids, at least 2 to measure next-token predictions; for an EncoderDecoder a tuple,
            (source, target).
        measure: maps the model's output for a batch to one number for each sequence, (b,), such as a logit. None for
            the loss in bits: per next token of `tokens`, or of an EncoderDecoder's target; for a classifier, of the
            class that it predicts. For a Bert it must be given, as the hidden words must be known (see `head_effects`).
        mask: bool (t, t), True = may attend; None for the model's own.
        edits: changes in every run (`former.edits`).
        stack: the stack that has the heads, one of `former.hooks.STACKS`, in a model with several.
    Returns:
        (depth, h). Above 0: the measure is larger without the head, so a loss gets worse.
    Raises:
        ValueError: tokens that are not one sequence, or too few for the loss; a Bert, or a Generator without an
            output layer, without a measure; a model without heads, or without this stack; or a measure of another
            shape, or that is NaN, as after an overflow.
    """
    return torch.stack(list(ablation_by_layer(model, tokens, measure, mask=mask, edits=edits, stack=stack)))


@torch.no_grad()
def ablation_by_layer(
    model: Any,
    tokens: Tensor | tuple[Tensor, ...],
    measure: Measure | None = None,
    *,
    mask: Tensor | None = None,
    edits: Iterable[Observer] = (),
    stack: str = "",
) -> Iterator[Tensor]:
    """Yields the rows of `ablation_effects`, each (h,), as soon as they are measured.

    The heads of a layer run as one batch, in which each sequence lacks a different head. The arguments are those of
    `ablation_effects`.
    """
    if not hasattr(getattr(model, "config", None), "heads"):
        raise ValueError(f"model must have attention heads, got {type(model).__name__}")
    inputs = inputs_of(model, tokens)
    for each in inputs:
        require_instance("tokens", each, Tensor)
        if each.dim() != 2 or each.shape[0] != 1:
            raise ValueError(f"tokens must be one sequence, (1, t), got {tuple(each.shape)}")
    edits = listed("edits", edits)
    if measure is not None:
        require_callable("measure", measure)

    def call(inputs: tuple[Tensor, ...], *more: Observer) -> Tensor:
        output, _ = run_with_capture(model, inputs, (), edits=(*edits, *more), mask=mask)
        return output[0] if isinstance(output, tuple) else output  # for a TransformerXL without its new memory

    prefix = point_in("out", stack, model).removesuffix("out")
    whole = call(inputs)
    measure = measure or _loss(readable(model), inputs[-1], whole)
    _check_measured(worth := measure(whole), 1)
    batch = tuple(each.expand(model.config.heads, -1) for each in inputs)
    for layer in range(model.config.depth):
        effect = measure(call(batch, remove_one_each(layer, model.config.heads, prefix)))
        _check_measured(effect, model.config.heads)
        yield require_numbers(effect - worth)


def _check_measured(values: Any, b: int) -> None:
    """Raises ValueError unless a measure returned a number for each of b sequences."""
    if not isinstance(values, Tensor) or values.shape != (b,):
        given = tuple(values.shape) if isinstance(values, Tensor) else type(values).__name__
        raise ValueError(f"measure must return one number for each sequence, ({b},), got {given}")


def remove_one_each(layer: int, heads: int, prefix: str = "") -> Edit:
    """Returns an edit that removes head i of a layer in sequence i, for a batch of as many sequences as heads; `prefix`
    is that of a stack's points, such as "decoder."."""
    others = 1 - torch.eye(heads)[:, :, None, None]
    return Edit(layer, f"{prefix}out", lambda out: out * others.to(out))  # (b = h, h, t, s)


class HeadEffect(NamedTuple):
    """The effects of removing each head of a layer."""

    map: str  # the heads' map, as in `Run.maps`
    layer: int
    effects: Tensor  # (h,)


@torch.no_grad()
def head_effects(run: Run) -> Iterator[HeadEffect]:
    """Measures the effect of removing each head on a run's text, under the run's edits; yields one layer at a time.

    An effect is how much worse the prediction gets without the head, by the measure of the kind of model
    (`Kind.measure`): bits per token for the text, or a translator's answer; bits per hidden piece; or the log-odds of
    the predicted class, in nats.

    Args:
        run: of any model that makes a prediction.
    Raises:
        ValueError: the text is too short, or hides no word from a Bert; the model has no output head, or predicts only
            NaN.
    """
    require_instance("run", run, Run)
    measure = run.kind.measure(run.model, run.reading, run.inputs, run.result)
    worth, config = measure(run.result), run.model.config
    batch = run.kind.batch(run.inputs, config.heads)
    for name in run.reading.sides:
        for layer in range(config.depth):
            removal = remove_one_each(layer, config.heads, prefix_of(name))
            without = run.kind.call(run.source.model, batch, chain((*run.edits, removal)))
            yield HeadEffect(name, layer, require_numbers(measure(without) - worth))


def _loss(model: Any, tokens: Tensor, whole: Tensor) -> Measure:
    """Returns the default measure of `ablation_effects`: bits for each sequence; `tokens` are the target."""
    if isinstance(model, Classifier | BertClassifier):
        predicted = int(whole[0].argmax())
        return lambda log_probs: -log_probs[:, predicted] / math.log(2)
    if isinstance(model, Bert):
        raise ValueError(
            "measure must be given for a Bert, which predicts hidden words, not the next one; "
            "head_effects(bundle.run(text)) measures its predictions of a text's hidden words"
        )
    require_output_layer(model)
    return bits_of(tokens)


BATCH = 8_192  # tokens in one batch
PARTS = 128  # most tokens removed one by one; in a longer text, neighbours are removed together


def word_size(run: Run) -> int:
    """Returns how many neighbours `word_changes` removes together: 1, unless the text has more than `PARTS` tokens."""
    return math.ceil(len(run.ids) / PARTS)


def word_shares(run: Run) -> Tensor:
    """Computes each token's share, by rollout, of the vector that a classifier reads: (t,), which sums to 1.

    Raises:
        ValueError: the model is not a classifier.
    """
    require_instance("run", run, Run)
    run.kind.classes(run.source)
    return shares_read(run.model, rollout(run))


@torch.no_grad()
def word_changes(run: Run) -> Iterator[Tensor]:
    """Measures the effect of each word on a classifier's prediction, under the run's edits; yields one batch at a time.

    An effect is how far the log-odds of the predicted class fall, in nats, when a word becomes `blank`: each word alone
    or, in a long text, each `word_size` neighbours together.

    Raises:
        ValueError: the model is not a classifier.
    """
    require_instance("run", run, Run)
    run.kind.classes(run.source)
    measure = run.kind.measure(run.model, run.reading, run.inputs, run.result)
    t, size = len(run.ids), word_size(run)
    group = torch.arange(t, device=run.inputs[0].device) // size  # (t,)
    blanked = run.inputs[0].expand(int(group[-1]) + 1, -1)
    blanked = blanked.masked_fill(group.unique()[:, None] == group, blank(run.source.tokenizer))
    for batch in blanked.split(max(1, BATCH // t)):
        out = run.kind.call(run.source.model, (batch,), chain(run.edits))
        yield require_numbers(measure(out) - measure(run.result))


def agreement(run: Run, shares: Tensor, changes: Tensor) -> float:
    """Computes the rank correlation of the words' shares of attention with the sizes of their effects; NaN if
    undefined.

    Args:
        run: the run.
        shares: (t,), from `word_shares`.
        changes: everything that `word_changes` yields, concatenated.
    """
    sums = torch.stack([part.sum() for part in shares.split(word_size(run))])  # over the words removed together
    return rank_correlation(sums, changes.abs())


def blank(tokenizer: Any) -> int:
    """Returns a token without content: <unk> for words and their pieces, a space for bytes."""
    unknown = getattr(tokenizer, "unk_token", None)
    return tokenizer.encode(" ")[0] if unknown is None else unknown
