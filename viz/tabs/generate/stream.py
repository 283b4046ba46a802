"""Generating text for one visitor: reads a request, and answers with one frame per token.

The server stores nothing about a visitor between requests. The browser holds the text, its branches and all frames; a
request has the whole text so far, and its first frame costs one pass over the model's window. So pausing ends the
request, and resuming, going back or taking another token sends a new one.

A frame, little-endian; the stream of them is gzipped, and flushed after each:

    length of the header, uint32 | length of the cells, uint32 | header, JSON in UTF-8 | cells, uint8 (layers·(h + 1)·t)

A cell is 255·√weight, of the newest token's attention to the t tokens of the window: off by at most 0.4 %. After the h
heads of a layer comes their mean.

If a token cannot be predicted, the last frame has no cells; its header is the body of a refusal (`viz.server.http`).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from former.checks import is_index
from former.tokens import Tokenizer
from viz.passes.loaded import Loaded
from viz.passes.remarks import remarks
from viz.passes.run import TEXT_LIMIT
from viz.server import http
from viz.server.view import read_number, read_whole
from viz.tabs.generate.next_token import Order, Rules, State, describe, label, prompt_of, round_probs, states
from viz.text import Refusal

LENGTH_LIMIT = 1_000  # tokens a request may ask for
WRITTEN_LIMIT = 3_000  # tokens after the prompt, on all branches: what a browser can hold with all their attention
LINKED = 600  # generated tokens that fit in a link
PACE_LIMIT = 30  # tokens a second
SHARED = 60  # given tokens whose answer, about 0.5 MB, is cached for equal requests
SEED_LIMIT = 2**32
TOKENS_PER_CHARACTER = 4  # tokens that one character may take, so labels may change that far back


def read_order(loaded: Loaded, request: Mapping[str, Any]) -> Order:
    """Reads a request to continue a text, and checks its fields.

    Args:
        loaded: the model that it names.
        request: "text" and "seed"; optionally "written" and "given" (token ids), "length", "temperature", "top_k",
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


def read_ids(values: Any, num_tokens: int) -> list[int]:
    """Reads a list of token ids.

    Raises:
        Refusal: anything else.
    """
    if not isinstance(values, list) or not all(is_index(i, num_tokens) for i in values):
        raise Refusal("bad_written")
    return values


def frames(model: Any, tokenizer: Tokenizer, order: Order) -> Iterator[bytes]:
    """Yields the answer to an order, as a piece of gzip for each state.

    The first frame of a new prompt has the labels of the whole prompt; other frames have those of the last tokens,
    because a byte that completes a character changes the labels before it.
    """
    squeeze = zlib.compressobj(1, zlib.DEFLATED, 31)  # 31: with gzip's header
    ids = list(order.ids)
    try:
        for state in states(model, order):
            if state.token is not None:
                ids.append(state.token)
            known = len(ids) if len(ids) == order.prompt else TOKENS_PER_CHARACTER
            # A tail that begins within a character would misread its first bytes: so read a character more.
            labels, own = (part[-known:] for part in label(tokenizer, ids[-(known + TOKENS_PER_CHARACTER - 1) :]))
            yield squeeze.compress(pack(state, order, tokenizer, labels, own)) + squeeze.flush(zlib.Z_SYNC_FLUSH)
    except ValueError as raised:
        yield squeeze.compress(framed(http.error(http.refusal_of(raised))))
    yield squeeze.flush()


def pack(state: State, order: Order, tokenizer: Tokenizer, labels: Sequence[str], own: Sequence[str]) -> bytes:
    """Packs a state as one frame, before gzip; `labels` are those of the text's last tokens, `own` their bytes in
    hexadecimal."""
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
            for i, name, p, k, rule in zip(ids, names, round_probs(probs), round_probs(kept), cut, strict=True)
        ],
        **described,
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
    cells = (state.looks.clamp(0, 1).sqrt() * 255).round().to(torch.uint8).numpy().tobytes()
    return framed(text, cells)


def framed(header: bytes, cells: bytes = b"") -> bytes:
    """Returns a frame: the lengths of header and cells, then these two parts."""
    return len(header).to_bytes(4, "little") + len(cells).to_bytes(4, "little") + header + cells
