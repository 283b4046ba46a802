"""Generating text for one visitor: reads a request, and answers with one frame per token.

The server stores nothing about a visitor between requests. The browser holds the text, its branches and all frames; a
request has the whole text so far, and its first frame costs one pass over the model's window. So pausing ends the
request, and resuming, going back or taking another token sends a new one.

**The seed.** The random number for a token depends only on the seed and the token's position in the text. So the same
prompt, settings and seed give the same text, however often it is paused, and another branch uses the same random
numbers with other probabilities. (A pass and single steps agree to about 1e-6, so a draw that close to a boundary may
differ.)

A frame, little-endian; the stream of them is gzipped, and flushed after each:

    length of the header, uint32 | length of the cells, uint32 | header, JSON in UTF-8 | cells, uint8 (layers·h·t)

A cell is 255·√weight, of the newest token's attention to the t tokens of the window: off by at most 0.4 %.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import math
import re
import zlib
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
from viz.passes.edits import is_index
from viz.passes.loaded import Loaded
from viz.passes.remarks import remarks
from viz.passes.run import TEXT_LIMIT, bytes_of
from viz.server.view import read_number, read_whole
from viz.text import Note, Refusal

LENGTH_LIMIT = 1_000  # tokens a request may ask for
WRITTEN_LIMIT = 3_000  # tokens after the prompt, on all branches: what a browser can hold with all their attention
LINKED = 600  # generated tokens that fit in a link
PACE_LIMIT = 30  # tokens a second
SHARED = 60  # given tokens whose answer, about 0.5 MB, is cached for equal requests
SEED_LIMIT = 2**32
CANDIDATES = 20  # next tokens that a frame names
TOKENS_PER_CHARACTER = 4  # tokens that one character may take, so labels may change that far back

# A space that the decoder of WordPiece puts between two Chinese characters or signs, each a piece of its own.
CHINESE = "[\u3001-\u303f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff0f\uff1a-\uff20]"
CHINESE_GAP = re.compile(f"(?<={CHINESE}) (?={CHINESE})")


class Rules(NamedTuple):
    """The sampling rules, as `former.generate` takes them; the penalty comes first, the others in their order."""

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repetition_penalty: float = 1.0


PLAIN = Rules()


@dataclass(frozen=True)
class Order:
    """A request to write, after its checks."""

    ids: list[int]  # the prompt and what was written after it
    prompt: int  # how many of them are the prompt
    length: int  # tokens to write after them, drawn or given
    given: list[int]  # the first tokens to write, where they are known: a link that is opened again
    rules: Rules
    seed: int
    pace: float  # drawn tokens a second at most; given ones come as fast as they can
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


def read_order(loaded: Loaded, request: Mapping[str, Any]) -> Order:
    """Reads and checks a request.

    Args:
        loaded: the model that it names.
        asked: "text" and "seed"; optionally "written" and "given" (token ids), "length", "temperature", "top_k",
            "top_p" and "min_p" (None for all), "penalty", "pace".
    Raises:
        Refusal: a value out of range.
    """
    text = request.get("text")
    if not isinstance(text, str):
        raise Refusal("no_prompt")
    if len(text) > TEXT_LIMIT:
        raise Refusal("long_text", given=len(text), limit=TEXT_LIMIT)
    prompt = prompt_of(loaded.bundle.tokenizer, text)
    if not prompt:
        raise Refusal("no_tokens" if text else "no_prompt")
    num_tokens = loaded.bundle.config.num_tokens
    written, given = (read_ids(request.get(name, []), num_tokens) for name in ("written", "given"))
    length = read_whole(request, "length", 0, LENGTH_LIMIT, "write_length", 0)
    if len(written) + max(length, len(given)) > WRITTEN_LIMIT:
        raise Refusal("long_written", limit=WRITTEN_LIMIT)
    rules = Rules(
        read_number(request, "temperature", 0, 10, "write_temperature", 1),
        None if request.get("top_k") is None else read_whole(request, "top_k", 1, num_tokens, "write_top_k"),
        None if request.get("top_p") is None else read_number(request, "top_p", 0.001, 1, "write_top_p"),
        None if request.get("min_p") is None else read_number(request, "min_p", 0, 1, "write_min_p"),
        read_number(request, "penalty", 0.1, 10, "write_penalty", 1),
    )
    return Order(
        ids=prompt + written,
        prompt=len(prompt),
        length=max(length, len(given)),
        given=given,
        rules=rules,
        seed=read_whole(request, "seed", 0, SEED_LIMIT - 1, "write_seed", 0),
        pace=read_number(request, "pace", 0.5, PACE_LIMIT, "write_pace", PACE_LIMIT),
        remarks=remarks(loaded, text, loaded.bundle.tokenizer.labels(prompt)),
    )


def prompt_of(tokenizer: Tokenizer, text: str) -> list[int]:
    """Returns the ids of a prompt; for an empty one, the token that begins every text, if the tokenizer has one."""
    end = getattr(tokenizer, "end_token", None)  # GPT-2's only special token separates texts
    return tokenizer.encode(text) or ([] if text or end is None else [end])


def read_ids(values: Any, num_tokens: int) -> list[int]:
    """Reads a list of token ids.

    Raises:
        Refusal: anything else.
    """
    if not isinstance(values, list) or not all(is_index(i, num_tokens) for i in values):
        raise Refusal("bad_written")
    return values


def written(tokenizer: Tokenizer, ids: Sequence[int]) -> tuple[str, str]:
    """Decodes tokens; returns the text of complete characters, and the remaining bytes as hexadecimal digits."""
    if not hasattr(tokenizer, "bytes_of"):
        return CHINESE_GAP.sub("", tokenizer.decode(ids)), ""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(b"".join(bytes_of(tokenizer, i) for i in ids))
    return text, decoder.getstate()[0].hex(" ").upper()


@torch.inference_mode()
def states(model: Any, order: Order) -> Iterator[State]:
    """Yields the state after the text, and after each token that is added to it.

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
    """Returns the state after a prompt and the tokens written after it."""
    prompt = prompt_of(bundle.tokenizer, text)
    return next(states(bundle.model, Order([*prompt, *written], len(prompt), 0, [], rules, seed, PACE_LIMIT)))


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
        "labels" of the t tokens that the model sees, and "looks" (t,), the weight on each.
    """
    state = state_of(bundle, text, written)
    ids = [*prompt_of(bundle.tokenizer, text), *written]
    weights = state.weights[layer]  # (h, t)
    labels = bundle.tokenizer.labels(ids[state.start :])
    return {"labels": labels, "looks": weights.mean(0) if head is None else weights[head]}


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
    """Returns the random generator for the token at one position of a text."""
    mixed = hashlib.blake2b(f"{seed}:{position}".encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(mixed, "little"))


def frames(model: Any, tokenizer: Tokenizer, order: Order) -> Iterator[bytes]:
    """Yields the answer to an order, as a piece of gzip for each state.

    The first frame of a new prompt has the labels of the whole prompt; other frames have those of the last tokens,
    because a byte that completes a character changes the labels before it.
    """
    squeeze = zlib.compressobj(1, zlib.DEFLATED, 31)  # 31: with gzip's header
    ids = list(order.ids)
    for state in states(model, order):
        if state.token is not None:
            ids.append(state.token)
        known = len(ids) if len(ids) == order.prompt else TOKENS_PER_CHARACTER
        # A tail that begins within a character would misread its first bytes: so read a character more.
        labels, own = (part[-known:] for part in label(tokenizer, ids[-(known + TOKENS_PER_CHARACTER - 1) :]))
        yield squeeze.compress(pack(state, order, tokenizer, labels, own)) + squeeze.flush(zlib.Z_SYNC_FLUSH)
    yield squeeze.flush()


def label(tokenizer: Tokenizer, ids: Sequence[int]) -> tuple[list[str], list[str]]:
    """Returns the labels of tokens within a text, and their bytes as hexadecimal digits.

    A tokenizer without spaces joins words or pieces by rules of its own; a label shows what its token adds to the text,
    such as "␣cats", or "s" for "##s".
    """
    labels, own = tokenizer.labels(ids), [bytes_of(tokenizer, i) for i in ids]
    if tokenizer.unit in ("word", "piece") and not hasattr(tokenizer, "bytes_of"):
        for i in range(1, len(ids)):
            before, both = (written(tokenizer, ids[i - 1 : end])[0] for end in (i, i + 1))
            added = both[len(before) :]
            own[i] = added.encode()
            labels[i] = "".join(map(former.tokens.visible, added)) or labels[i]
    return labels, [each.hex() for each in own]


def describe(state: State, tokenizer: Tokenizer) -> Numbers:
    """Describes the likeliest next tokens and the drawn one.

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
        "rest": [len(probs) - len(ids), *_rounded(1 - torch.stack((probs[ids].sum(), kept[ids].sum())))],
        "left": int((kept > 0).sum()),
        "bits": _rounded(torch.stack((_entropy(probs), _entropy(kept)))),
    }


def pack(state: State, order: Order, tokenizer: Tokenizer, labels: Sequence[str], own: Sequence[str]) -> bytes:
    """Packs one frame, before gzip; `labels` are those of the text's last tokens, `own` their bytes in hexadecimal."""
    described = describe(state, tokenizer)
    ids, names, probs, kept, cut = (described.pop(name) for name in ("ids", "labels", "probs", "kept", "cut"))
    header = {
        "token": state.token,
        "start": state.start,
        "labels": labels,
        "bytes": own,
        "remarks": order.remarks,
        "drawn": state.drawn,
        "candidates": [
            [i, name, p, k, rule]  # the rule that cut it, or None
            for i, name, p, k, rule in zip(ids, names, _rounded(probs), _rounded(kept), cut, strict=True)
        ],
        **described,
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    cells = (state.weights.clamp(0, 1).sqrt() * 255).round().to(torch.uint8).numpy().tobytes()
    return len(text).to_bytes(4, "little") + len(cells).to_bytes(4, "little") + text + cells


def _entropy(probs: Tensor) -> Tensor:
    """Returns the entropy in bits."""
    return -torch.xlogy(probs, probs).sum() / math.log(2)


def _rounded(values: Tensor) -> list[float]:
    return [round(max(0.0, value), 6) for value in values.tolist()]
