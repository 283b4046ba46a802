"""What a prediction depends on, measured by taking parts away: each head, each word. Nothing here is assumed.

Every function takes a pass that is on the screen and measures under its edits.

Sizes: t tokens, h heads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

import former
from viz.passes import blanks, recall
from viz.passes.again import again
from viz.passes.loaded import Loaded
from viz.passes.run import Pass
from viz.text import Refusal

CHUNK = 8_192  # tokens of one batch: a piece of work short enough to stop after
UNASKED = 48  # words of a text that are measured without being asked for: each is a run of the model
RUNS = 128  # of the model for one text's words; in a longer text, neighbours are taken together


def heads(loaded: Loaded, made: Pass) -> Iterator[dict[str, Any]]:
    """What each head's removal does, a layer at a time: {"map": whose heads, "layer", "effects": h numbers}.

    An effect is what the head is worth. Generator: bits a token by which its prediction of the text gets worse without
    the head. Translator: the same of the answer that its decoder reads, for the heads of each of its stacks in turn.
    Bert: of its hidden words. Classifier: by how much the log-odds of the class it chooses fall.

    Raises:
        Refusal: a text or an answer too short to predict, or a model without a head.
    """
    blanks.check_head(loaded)
    if loaded.translates:
        yield from _heads_of_stacks(loaded, made)
        return
    (tokens, *beside), observers = again(loaded, made)
    mask = loaded.mask(tokens.shape[1])
    if tokens.shape[1] < 2 and not loaded.judges:
        raise Refusal("too_short")
    log_odds = chosen_log_odds(made) if loaded.judges else None
    measure = None if log_odds is None else lambda log_probs: -log_odds(log_probs)
    model = loaded.fast
    if loaded.fills:
        model, measure = blanks.Encoder(model, *beside), blanks.cost(loaded, made)
    if loaded.remembers:
        model, mask = recall.Remembering(model, *beside), None
    rows = former.analysis.ablation_by_layer(model, tokens, measure, mask=mask, edits=observers)
    yield from _by_layer(made.maps[0].name, rows)


def _heads_of_stacks(loaded: Loaded, made: Pass) -> Iterator[dict[str, Any]]:
    """`heads` of a translator."""
    inputs, observers = again(loaded, made)
    if inputs[1].shape[1] < 2:
        raise Refusal("too_short")
    for each in made.maps:
        rows = former.analysis.ablation_by_layer(loaded.bundle.model, inputs, edits=observers, stack=each.name)
        yield from _by_layer(each.name, rows)


def _by_layer(name: str, rows: Iterator[Tensor]) -> Iterator[dict[str, Any]]:
    """Rows of effects, (h,) a layer, with the name of their map."""
    for layer, effects in enumerate(rows):
        yield {"map": name, "layer": layer, "effects": _plain(effects)}


@torch.inference_mode()
def each_word(loaded: Loaded, made: Pass) -> Iterator[dict[str, Any]]:
    """What carried a classifier's verdict, in two ways that need not agree.

    First {"attention": t shares, "size", "blank"}: attention rollout to where the verdict is read, from `[CLS]` in BERT
    and else averaged over the positions, as the pooling averages them; and the label of what words become. Then, a
    batch at a time, {"changes"}: by how much the log-odds of the chosen class fall where words are blanked out, each
    word alone or, in a long text, each `size` neighbours together. Last {"agreement"}: the rank correlation of the
    shares with the sizes of the changes; None where there is none.

    Raises:
        Refusal: a model that gives no verdict.
    """
    if not loaded.judges:
        raise Refusal("no_verdict")
    (tokens,), observers = again(loaded, made)
    mask = loaded.mask(tokens.shape[1])
    t = tokens.shape[1]
    size = math.ceil(t / RUNS)
    rolled = former.analysis.rollout(made.map("self").weights)  # (t, t)
    shares = rolled[0] if reads_first(loaded) else rolled.mean(0)  # (t,)
    nothing = blank(loaded.bundle.tokenizer)
    yield {"attention": _plain(shares), "size": size, "blank": loaded.bundle.tokenizer.labels([nothing])[0]}
    log_odds = chosen_log_odds(made)
    whole, _ = former.run_with_capture(loaded.fast, tokens, (), edits=observers, mask=mask)
    changes: list[Tensor] = []
    for batch in blanked(tokens[0], size, nothing).split(max(1, CHUNK // t)):
        out, _ = former.run_with_capture(loaded.fast, batch, (), edits=observers, mask=mask)
        changes.append(log_odds(whole) - log_odds(out))
        yield {"changes": _plain(changes[-1])}
    together = torch.stack([part.sum() for part in shares.split(size)])  # of the words blanked out together
    agreement = former.analysis.rank_correlation(together, torch.cat(changes).abs())
    yield {"agreement": None if math.isnan(agreement) else round(agreement, 4)}


def reads_first(loaded: Loaded) -> bool:
    """Whether a verdict is read from the first token, `[CLS]`, alone."""
    return isinstance(loaded.bundle.model, former.BertClassifier)


def blanked(ids: Tensor, size: int, blank: int) -> Tensor:
    """(t,) → (⌈t / size⌉, t): each `size` neighbours in their turn become `blank`, and the others stay in place."""
    group = torch.arange(len(ids)) // size  # (t,)
    return ids.expand(int(group[-1]) + 1, -1).masked_fill(group.unique()[:, None] == group, blank)


def blank(tokenizer: former.tokens.Tokenizer) -> int:
    """The token that says nothing: <unk> for words and their pieces, a space for bytes."""
    if isinstance(tokenizer, former.tokens.WordTokenizer):
        return tokenizer.words.index(former.tokens.UNK)
    if isinstance(tokenizer, former.tokens.WordPieceTokenizer):
        return tokenizer.unk_token
    return tokenizer.encode(" ")[0]


def chosen_log_odds(made: Pass) -> Callable[[Tensor], Tensor]:
    """log p / (1 − p) of the class that a pass chose, from log-probabilities (b, num_classes) → (b,)."""
    probs = made.header["output"]["probs"]
    chosen = probs.index(max(probs))

    def log_odds(log_probs: Tensor) -> Tensor:
        others = torch.cat((log_probs[:, :chosen], log_probs[:, chosen + 1 :]), 1)
        return log_probs[:, chosen] - others.logsumexp(1)

    return log_odds


def _plain(values: Tensor) -> list[float]:
    return [round(value, 5) + 0.0 for value in values.tolist()]
