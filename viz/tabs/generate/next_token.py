"""The next token of a text: its probabilities, and draws of it.

**The seed.** The random number for a token depends only on the seed and the token's position in the text. So the same
prompt, settings and seed give the same text, however often it is paused, and another branch uses the same random
numbers with other probabilities. (A pass and single steps agree to about 1e-6, so a draw that close to a boundary may
differ.)
"""

from __future__ import annotations

import codecs
import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

import former
from former.generate import window_for
from former.sampling import apply_rules, penalise
from former.tokens import Tokenizer
from viz.panels import Numbers
from viz.passes.run import bytes_of
from viz.text import Note

CANDIDATES = 20  # likeliest next tokens that are described
DRAWS = 100  # of the next token, at one press of a button
ROUNDS = 100  # of them

# A space that the decoder of WordPiece puts between two Chinese characters or signs, each a piece of its own.
CHINESE = "[\u3001-\u303f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff0f\uff1a-\uff20]"
CHINESE_GAP = re.compile(f"(?<={CHINESE}) (?={CHINESE})")


class Rules(NamedTuple):
    """The sampling rules of `former.generate`, with the same meaning; they apply in this order, after the repetition
    penalty."""

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repetition_penalty: float = 1.0


PLAIN = Rules()


@dataclass(frozen=True)
class Order:
    """A request to continue a text, with all fields checked."""

    ids: list[int]  # the prompt and what was written after it
    prompt: int  # how many of them are the prompt
    length: int  # tokens to write after them, drawn or given
    given: list[int]  # the first tokens to write, where they are known: a link that is opened again
    rules: Rules
    seed: int
    pace: float = math.inf  # drawn tokens a second at most; given ones come as fast as they can
    remarks: Sequence[Note] = ()  # on the prompt, in every frame


@dataclass(frozen=True)
class State:
    """The model's output for a text: the newest token's attention, the next token's probabilities, the drawn token."""

    token: int | None  # that was written to get here; None where the request began
    start: int  # of the window in the text
    probs: Tensor  # (num_tokens,) the model's own
    left: Mapping[str, Tensor]  # (num_tokens,) what each rule leaves of it, in their order
    kept: Tensor  # (num_tokens,) what they all leave
    drawn: int  # what comes next, unless the visitor takes another
    weights: Tensor  # (layers, h, t)

    @property
    def looks(self) -> Tensor:
        """The attention of the heads of each layer and, after them, of their mean, (layers, h + 1, t)."""
        return torch.cat((self.weights, self.weights.mean(1, keepdim=True)), 1)


def prompt_of(tokenizer: Tokenizer, text: str) -> list[int]:
    """Returns the ids of a prompt; for an empty one, the token that begins every text, if the tokenizer has one."""
    end = getattr(tokenizer, "end_token", None)  # GPT-2's only special token separates texts
    return tokenizer.encode(text) or ([] if text or end is None else [end])


def decode(tokenizer: Tokenizer, ids: Sequence[int]) -> tuple[str, str]:
    """Decodes tokens; returns the text of complete characters, and the remaining bytes as hexadecimal digits."""
    if not hasattr(tokenizer, "bytes_of"):
        return CHINESE_GAP.sub("", tokenizer.decode(ids)), ""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(b"".join(bytes_of(tokenizer, i) for i in ids))
    return text, decoder.getstate()[0].hex(" ").upper()


@torch.inference_mode()
def states(model: Any, order: Order) -> Iterator[State]:
    """Yields the `State` after the order's text, and after each token that is added to it.

    It differs from `former.generate` in two points: there is also a state before the first token, and each token has
    its own random generator.
    """
    ids, window, token = list(order.ids), window_for(model, order.prompt), None
    for written in range(order.length + 1):
        capture = former.Capture()
        logits = window.read(ids, capture)
        weights = torch.stack([capture.get("weights", layer)[0, :, -1] for layer in range(model.config.depth)])
        rules, penalty = order.rules, order.rules.repetition_penalty
        penalised = logits if penalty == 1 else penalise(logits, ids, penalty)
        left = apply_rules(penalised, rules.temperature, rules.top_k, rules.top_p, rules.min_p)
        kept = [*left.values()][-1]
        kept = kept / kept.sum()
        drawn = int(torch.multinomial(kept, 1, generator=dice(order.seed, len(ids))))
        yield State(token, window.start, logits.softmax(-1), left, kept, drawn, weights)
        token = order.given[written] if written < len(order.given) else drawn
        ids.append(token)


def state_of(bundle: former.Bundle, text: str, written: Sequence[int], rules: Rules = PLAIN, seed: int = 0) -> State:
    """Returns the model's `State` after a prompt and the tokens written after it."""
    prompt = prompt_of(bundle.tokenizer, text)
    return next(states(bundle.model, Order([*prompt, *written], len(prompt), 0, [], rules, seed)))


def look_back(
    bundle: former.Bundle, text: str, written: Sequence[int] = (), layer: int = 0, head: int | None = None
) -> Numbers:
    """Returns the attention of a text's newest token.

    Args:
        bundle: a generator.
        text: the prompt.
        written: the ids of the tokens after it.
        layer, head: the head; None for the mean over the layer's heads.
    Returns:
        "labels" of the t tokens that the model sees; "looks" (t,), the weight on each; label and weight of the
        "strongest".
    """
    state = state_of(bundle, text, written)
    ids = [*prompt_of(bundle.tokenizer, text), *written]
    labels, looks = bundle.tokenizer.labels(ids[state.start :]), state.looks[layer, -1 if head is None else head]
    return {"labels": labels, "looks": looks, "strongest": (labels[int(looks.argmax())], float(looks.max()))}


def predict_next(
    bundle: former.Bundle,
    text: str,
    written: Sequence[int] = (),
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    repetition_penalty: float = 1.0,
    seed: int = 0,
) -> Numbers:
    """Predicts the token after a text.

    Args:
        bundle, text, written: as in `look_back`.
        temperature, top_k, top_p, min_p, repetition_penalty: as in `former.generate`.
        seed: of the random number, which also depends on the length of the text.
    Returns:
        "drawn", the sampled token, and the result of `describe`.
    """
    state = state_of(bundle, text, written, Rules(temperature, top_k, top_p, min_p, repetition_penalty), seed)
    return {"drawn": state.drawn, **describe(state, bundle.tokenizer)}


def dice(seed: int, position: int) -> torch.Generator:
    """Returns the random generator that draws the token at one position of a text."""
    mixed = hashlib.blake2b(f"{seed}:{position}".encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(mixed, "little"))


def draw_often(
    bundle: former.Bundle,
    text: str,
    written: Sequence[int] = (),
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    repetition_penalty: float = 1.0,
    seed: int = 0,
    rounds: int = 1,
) -> Numbers:
    """Draws the token after a text again and again, `DRAWS` times a round.

    Args:
        bundle, text, written, temperature, top_k, top_p, min_p, repetition_penalty, seed: as in `predict_next`.
        rounds: number of rounds.
    Returns:
        "ids" and "labels" of the tokens that were drawn, the most frequent first; "counts" of each, "shares", the
        counts divided by the number of "draws", and "kept", the probability of each by the rules.
    """
    state = state_of(bundle, text, written, Rules(temperature, top_k, top_p, min_p, repetition_penalty), seed)
    generator, draws = dice(seed, -1), rounds * DRAWS  # no token has this place
    drawn = torch.multinomial(state.kept, draws, replacement=True, generator=generator)
    counts = drawn.bincount(minlength=len(state.kept))
    ids = counts.argsort(descending=True, stable=True)[: int((counts > 0).sum())]
    labels = [bundle.tokenizer.labels([i])[0] for i in ids.tolist()]
    result = {"ids": ids.tolist(), "labels": labels, "counts": counts[ids].tolist()}
    return {**result, "shares": counts[ids] / draws, "kept": state.kept[ids], "draws": draws}


def label(tokenizer: Tokenizer, ids: Sequence[int]) -> tuple[list[str], list[str]]:
    """Returns the labels of tokens within a text, and their bytes as hexadecimal digits.

    A tokenizer without spaces joins words or pieces by rules of its own; a label shows what its token adds to the text,
    such as "␣cats", or "s" for "##s".
    """
    labels, own = tokenizer.labels(ids), [bytes_of(tokenizer, i) for i in ids]
    if tokenizer.unit in ("word", "piece") and not hasattr(tokenizer, "bytes_of"):
        for i in range(1, len(ids)):
            before, both = (decode(tokenizer, ids[i - 1 : end])[0] for end in (i, i + 1))
            added = both[len(before) :]
            own[i] = added.encode()
            labels[i] = "".join(map(former.tokens.visible, added)) or labels[i]
    return labels, [each.hex() for each in own]


def describe(state: State, tokenizer: Tokenizer) -> Numbers:
    """Describes the likeliest next tokens of a state and the drawn token.

    Returns:
        "ids" and "labels"; "probs": the model's probabilities, and "kept": those after temperature, top-k and top-p;
        "cut", the rule that removed each, None if it is left; "rest": the number of other tokens and their probability
        in both; "removed": by the name of each rule, the number of tokens that it removes; "left": the number of tokens
        that all rules leave; "bits": the entropy of both.
    """
    probs, kept = state.probs, state.kept
    zeros = {name: left == 0 for name, left in state.left.items()}
    gone = [0, *(int(zero.sum()) for zero in zeros.values())]
    ids = probs.topk(min(CANDIDATES, len(probs))).indices.tolist()
    if state.drawn not in ids:
        ids.append(state.drawn)
    return {
        "ids": ids,
        "labels": [tokenizer.labels([i])[0] for i in ids],
        "probs": probs[ids],
        "kept": kept[ids],
        "cut": [next((name for name, zero in zeros.items() if zero[i]), None) for i in ids],
        "removed": {name: after - before for name, before, after in zip(zeros, gone, gone[1:], strict=False)},
        "rest": [len(probs) - len(ids), *round_probs(1 - torch.stack((probs[ids].sum(), kept[ids].sum())))],
        "left": int((kept > 0).sum()),
        "bits": round_probs(torch.stack((_entropy(probs), _entropy(kept)))),
    }


def _entropy(probs: Tensor) -> Tensor:
    """Returns the entropy in bits."""
    return -torch.xlogy(probs, probs).sum() / math.log(2)


def round_probs(values: Tensor) -> list[float]:
    """Rounds numbers that may be slightly below 0, to six digits."""
    return [round(max(0.0, value), 6) for value in values.tolist()]
