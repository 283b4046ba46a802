"""Beam search: finds likely continuations of a text by keeping only the best few at each step.

Sizes: n beams.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from former.checks import is_number, require_positive
from former.config import require_token
from former.edits import edits_of_heads
from former.generate import check_ids, window_for
from former.hooks import Model, Observer, chain
from former.models import require_output_layer
from former.sampling import precise, require_maximum

MOST_PENALTY = 10  # length ** 10 is finite for every length up to 10^30


@dataclass(frozen=True)
class Beam:
    """A continuation of the prompt, and its probability."""

    ids: list[int]  # its tokens, with the end token if it has one
    log_prob: float  # of all of them, natural
    score: float  # log_prob / length^length_penalty, by which continuations are compared


@torch.inference_mode()
def beam_search(
    model: Model,
    prompt_ids: Sequence[int] | Tensor,
    max_new_tokens: int,
    beams: int = 4,
    *,
    length_penalty: float = 1.0,
    end: int | None = None,
    edits: Iterable[Observer] = (),
) -> list[Beam]:
    """Searches for the likeliest continuations of a prompt.

    Each step extends every beam by every token. Results among the best `beams` that end with `end` are set aside; the
    best `beams` unfinished results are extended further. The search stops when none of these would beat those set
    aside if it ended now, as in `transformers`.

    Args:
        model: a causal Generator, or its fast twin.
        prompt_ids: at least one token id; prompt and continuation must fit the context.
        max_new_tokens: the most tokens of a continuation, at least 1.
        beams: number of continuations that are kept.
        length_penalty: exponent p, from −10 to 10: log-probabilities are divided by length ** p before they are
            compared; above 0 favours longer continuations.
        end: the token with which a continuation ends; None without one.
        edits: changes to make in every step (`former.edits`), only of whole heads, as in `former.generate`.
    Returns:
        At most `beams` continuations, the best first.
    Raises:
        ValueError: an argument out of range, a model without a causal mask or that does not predict the next token, an
            edit that does not fit, or predictions that are not numbers.
    """
    require_output_layer(model)
    config = model.config
    require_positive("max_new_tokens", max_new_tokens)
    require_positive("beams", beams)
    require_token("end", end, config.num_tokens)
    if not is_number(length_penalty) or abs(length_penalty) > MOST_PENALTY:
        raise ValueError(f"length_penalty must be in [-{MOST_PENALTY}, {MOST_PENALTY}], got {length_penalty!r}")
    length_penalty = float(length_penalty)  # a whole number of numpy has no negative powers
    ids = check_ids(prompt_ids, config.num_tokens)
    cache = window_for(model, len(ids)).cache
    if cache is None:
        raise ValueError(f"model must be a causal Generator, got another {type(model).__name__}")
    if len(ids) + max_new_tokens > config.seq_length:
        raise ValueError(
            f"prompt and continuation must fit the context of {config.seq_length} tokens, "
            f"got {len(ids)} and {max_new_tokens}"
        )
    like: Tensor = next(model.parameters())  # pyright: ignore[reportAttributeAccessIssue]
    observer = chain(edits_of_heads(model, edits))
    logits = model(torch.tensor([ids], device=like.device), observer=observer, cache=cache)[:, -1]
    running = [Beam([], 0.0, 0.0)]
    done: list[Beam] = []
    for length in range(1, max_new_tokens + 1):
        candidates = _extended(running, logits, 2 * beams, length**length_penalty)
        ended = [beam for beam in candidates[:beams] if beam.ids[-1] == end or length == max_new_tokens]
        done = sorted(done + ended, key=lambda beam: -beam.score)[:beams]
        remaining = [beam for beam in candidates if beam.ids[-1] != end][:beams]
        if length == max_new_tokens or not remaining:  # none remains if the only token is the end
            break
        if len(done) == beams and remaining[0].log_prob / length**length_penalty <= done[-1].score:
            break
        parents = [next(i for i, each in enumerate(running) if each.ids == beam.ids[:-1]) for beam in remaining]
        cache, running = cache.of(parents), remaining
        newest = torch.tensor([[beam.ids[-1]] for beam in remaining], device=like.device)
        logits = model(newest, observer=observer, cache=cache)[:, -1]
    return done


def _extended(running: list[Beam], logits: Tensor, count: int, divisor: float) -> list[Beam]:
    """Extends the beams by one token, given their logits (n, num_tokens); returns the `count` likeliest."""
    require_maximum(logits)
    logits = precise(logits)
    before = logits.new_tensor([beam.log_prob for beam in running])
    sums = (logits.log_softmax(-1) + before[:, None]).flatten()
    best = sums.topk(min(count, len(sums)))
    rows = [divmod(i, logits.shape[1]) for i in best.indices.tolist()]
    return [
        Beam([*running[row].ids, token], total, total / divisor)
        for (row, token), total in zip(rows, best.values.tolist(), strict=True)
    ]
