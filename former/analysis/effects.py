"""What a prediction depends on, measured by taking parts away: each head, each word. Nothing here is assumed.

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
from former.edits import Edit
from former.hooks import Observer, chain, inputs_of, run_with_capture
from former.models import Classifier
from former.runs.causal import bits_of
from former.runs.classifier import shares_read
from former.runs.kind import Measure, readable
from former.runs.run import Run, prefix_of
from former.tokens import UNK, WordTokenizer


def ablation_effects(
    model: Any,
    tokens: Tensor | tuple[Tensor, ...],
    measure: Measure | None = None,
    *,
    mask: Tensor | None = None,
    edits: Iterable[Observer] = (),
    stack: str = "",
) -> Tensor:
    """What each head's removal does: the measure without the head, less the measure with all of them.

    Args:
        model: any model with attention, or its fast twin; a TransformerXL begins without a memory.
        tokens: (1, t) token ids; at least 2 for the measure of next tokens. Of an EncoderDecoder the source and the
            target, a tuple of two.
        measure: from the model's output for a batch to one number a sequence, (b,): a logit, say. None for the loss in
            bits: for each next token of `tokens`, or of an EncoderDecoder's target; of a classifier, for the class it
            chooses. A Bert has no such measure: it needs to know what is hidden (`head_effects`).
        mask: bool (t, t) to run under; None for the model's own.
        edits: changes that stand in every run (`former.edits`).
        stack: whose heads, of `former.hooks.STACKS`, where the model has several.
    Returns:
        (depth, h). Above 0: without the head the measure is larger; a loss gets worse.
    Raises:
        ValueError: tokens that are not one sequence, or too short for the loss; a Bert without a measure, or a model
            without heads.
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
    """The rows of `ablation_effects`, each (h,), as they are measured: to show what is there, or to stop early.

    The heads of a layer run as one batch, each sequence of it without another head.
    """
    if not hasattr(model.config, "heads"):
        raise ValueError(f"model must have attention heads, to remove them, got a {type(model).__name__}")
    inputs = inputs_of(model, tokens)
    for each in inputs:
        if each.dim() != 2 or each.shape[0] != 1:
            raise ValueError(f"tokens must be one sequence, (1, t), got {tuple(each.shape)}")
    edits = tuple(edits)

    def call(inputs: tuple[Tensor, ...], *more: Observer) -> Tensor:
        output, _ = run_with_capture(model, inputs, (), edits=(*edits, *more), mask=mask)
        return output[0] if isinstance(output, tuple) else output  # of a TransformerXL without its memory

    whole = call(inputs)
    measure = measure or _loss(readable(model), inputs[-1], whole)
    batch = tuple(each.expand(model.config.heads, -1) for each in inputs)
    for layer in range(model.config.depth):
        without = call(batch, remove_one_each(layer, model.config.heads, f"{stack}." if stack else ""))
        yield measure(without) - measure(whole)


def remove_one_each(layer: int, heads: int, prefix: str = "") -> Edit:
    """The edit under which sequence i of a batch of as many as there are heads loses head i of a layer."""
    others = 1 - torch.eye(heads)[:, :, None, None]
    return Edit(layer, f"{prefix}out", lambda out: out * others.to(out))  # (b = h, h, t, s)


class HeadEffect(NamedTuple):
    """What the removal of each head of a layer does."""

    map: str  # whose heads
    layer: int
    effects: Tensor  # (h,)


@torch.no_grad()
def head_effects(run: Run) -> Iterator[HeadEffect]:
    """What each head of a run's model is worth on its text, under its edits: yields a layer at a time.

    An effect is what the prediction loses without the head, in what the kind of model is measured in (`Kind.measure`):
    bits a token by which the text, or a translator's answer, is predicted worse; bits a hidden piece; or the log-odds,
    in nats, of the class that is chosen.

    Args:
        run: of any model that predicts something.
    Raises:
        ValueError: a text too short to predict, one that hides nothing, or a model without a head to predict by.
    """
    measure = run.kind.measure(run.model, run.reading, run.inputs, run.result)
    worth, config = measure(run.result), run.model.config
    batch = run.kind.batch(run.inputs, config.heads)
    for name in run.reading.sides:
        for layer in range(config.depth):
            removal = remove_one_each(layer, config.heads, prefix_of(name))
            without = run.kind.call(run.source.model, batch, chain((*run.edits, removal)))
            yield HeadEffect(name, layer, measure(without) - worth)


def _loss(model: Any, tokens: Tensor, whole: Tensor) -> Measure:
    """The measure of `ablation_effects` where none is given: bits, one number a sequence. `tokens` are the target's."""
    if isinstance(model, Classifier | BertClassifier):
        chosen = int(whole[0].argmax())
        return lambda log_probs: -log_probs[:, chosen] / math.log(2)
    if isinstance(model, Bert):
        raise ValueError(
            "measure must be given for a Bert, which predicts hidden words and not the next one; "
            "head_effects(bundle.run(text)) measures how well it fills in those of a text"
        )
    return bits_of(tokens)


BATCH = 8_192  # tokens that run at once
PARTS = 128  # of a text that are taken away one by one; in a longer text, neighbours go together


def word_size(run: Run) -> int:
    """How many neighbours `word_changes` takes away together: 1, but in a text of more than `PARTS` tokens."""
    return math.ceil(len(run.ids) / PARTS)


def word_shares(run: Run) -> Tensor:
    """Where a classifier looks for its verdict, (t,): rollout to where it is read from, shares that sum to 1.

    Raises:
        ValueError: a model that gives no verdict on a text.
    """
    run.kind.classes(run.source)
    return shares_read(run.model, rollout(run))


@torch.no_grad()
def word_changes(run: Run) -> Iterator[Tensor]:
    """What each word of a text is worth to a classifier's verdict, under the run's edits: yields a batch at a time.

    By how much the log-odds of the chosen class fall, in nats, where a word becomes `blank`: each word alone or, in a
    long text, each `word_size` neighbours together.

    Raises:
        ValueError: a model that gives no verdict on a text.
    """
    run.kind.classes(run.source)
    measure = run.kind.measure(run.model, run.reading, run.inputs, run.result)
    t, size = len(run.ids), word_size(run)
    group = torch.arange(t, device=run.inputs[0].device) // size  # (t,)
    blanked = run.inputs[0].expand(int(group[-1]) + 1, -1)
    blanked = blanked.masked_fill(group.unique()[:, None] == group, blank(run.source.tokenizer))
    for batch in blanked.split(max(1, BATCH // t)):
        out = run.kind.call(run.source.model, (batch,), chain(run.edits))
        yield measure(out) - measure(run.result)


def agreement(run: Run, shares: Tensor, changes: Tensor) -> float:
    """The rank correlation of where a classifier looks with what the words are worth; NaN where there is none.

    Args:
        run: the run.
        shares: (t,), of `word_shares`.
        changes: all that `word_changes` yields, as one.
    """
    together = torch.stack([part.sum() for part in shares.split(word_size(run))])  # of the words that go together
    return rank_correlation(together, changes.abs())


def blank(tokenizer: Any) -> int:
    """The token that says nothing: <unk> for words and their pieces, a space for bytes."""
    if isinstance(tokenizer, WordTokenizer):
        return tokenizer.words.index(UNK)
    return getattr(tokenizer, "unk_token", None) or tokenizer.encode(" ")[0]
