"""A game: guess tokens of a text before they are shown, against the model, in bits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

import former
from former.checks import is_whole
from former.generate import window_for
from viz.panels import Numbers
from viz.passes.loaded import Models, writers
from viz.server.view import View, read_model, read_string
from viz.tabs.generate.next_token import decode, prompt_of
from viz.text import Refusal

ROUNDS = 10
OPTIONS = 9  # of a round: the model's likeliest tokens, and any other
LEAST_TOKENS, MOST_CHARACTERS = 15, 1_000  # tokens and characters of a text
RAREST = 1e-4  # the smallest probability of an option: no guess costs infinitely many bits


def places_of(count: int) -> list[int]:
    """Returns the positions of the tokens to guess in a text of `count` tokens: the last one, and others spread evenly
    over the text after its first fifth."""
    first = count // 5
    return [first + (count - 1 - first) * i // (ROUNDS - 1) for i in range(ROUNDS)]


@torch.inference_mode()
def guess_tokens(bundle: former.Bundle, text: str, beliefs: Sequence[Sequence[float]] = ()) -> Numbers:
    """Plays rounds of a game: guess a token of a text before it is shown, against the model.

    A round's options are the model's likeliest tokens, in the order of their labels, and last any other token. You
    divide your belief among the options; the last one's share is divided among its tokens as the model divides it. So
    you and the model both give a probability to the token that comes, and both pay -log2 of it: its bits.

    Args:
        bundle: a generator.
        text: of at least `LEAST_TOKENS` tokens.
        beliefs: for each round that is played, the probability of each option (OPTIONS,), none of them 0.
    Returns:
        "parts": the text up to the next token to guess, cut before and after each guessed token; "options": the
        labels of the options of each played round and of the next, "" for any other token; "probs" (rounds, OPTIONS):
        the model's; "right": the option that came; "own" and "model" (rounds,): the bits of both; "totals" (2,): their
        sums, and "names" of the two.
    """
    ids = prompt_of(bundle.tokenizer, text)
    places = places_of(len(ids))
    window = window_for(bundle.model, places[0])
    options, rows, right, own, model = [], [], [], [], []
    for i in range(min(len(beliefs) + 1, ROUNDS)):
        probs = window.read(ids[: places[i]]).double().softmax(-1)
        likeliest = probs.topk(OPTIONS - 1).indices.tolist()
        named = sorted((bundle.tokenizer.labels([token])[0], token) for token in likeliest)
        tokens = [token for _, token in named]
        options.append([*(label for label, _ in named), ""])
        if i == len(beliefs):
            break
        others = probs.clone()
        others[tokens] = 0
        token = ids[places[i]]
        right.append(tokens.index(token) if token in tokens else OPTIONS - 1)
        within = 1.0 if token in tokens else float(others[token] / others.sum())
        rows.append([*probs[tokens].tolist(), float(others.sum())])
        model.append(-math.log2(float(probs[token])))
        own.append(-math.log2(beliefs[i][right[-1]] * within))
    cuts = [cut for position in places[: len(beliefs)] for cut in (position, position + 1)]
    cuts.append(places[len(beliefs)] if len(beliefs) < ROUNDS else len(ids))
    texts = [decode(bundle.tokenizer, ids[:cut])[0] for cut in cuts]
    return {
        "parts": [after[len(before) :] for before, after in zip(["", *texts], texts, strict=False)],
        "options": options,
        "probs": torch.tensor(rows),
        "right": right,
        "own": torch.tensor(own),
        "model": torch.tensor(model),
        "totals": torch.tensor([sum(own), sum(model)]),
        "names": ["you", "the model"],
    }


def read_game(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `guess_tokens`.

    Raises:
        Refusal: an invalid view, or a text that is too short or too long.
    """
    loaded, text = read_model(writers(models), view), read_string(view, "game_text")
    if len(text) > MOST_CHARACTERS:
        raise Refusal("long_text", given=len(text), limit=MOST_CHARACTERS)
    count = len(prompt_of(loaded.bundle.tokenizer, text))
    if count < LEAST_TOKENS:
        raise Refusal("short_game", least=LEAST_TOKENS, given=count)
    beliefs = view.get("beliefs")
    if not isinstance(beliefs, list) or len(beliefs) > ROUNDS or not all(map(is_belief, beliefs)):
        raise Refusal("bad_request")
    return {"bundle": loaded, "text": text, "beliefs": beliefs}


def is_belief(values: object) -> bool:
    """Returns whether values are probabilities of a round's options, none of which is 0."""
    if not isinstance(values, list) or len(values) != OPTIONS:
        return False
    numbers = all(isinstance(each, float) or is_whole(each) for each in values)
    return numbers and min(values) >= RAREST and abs(sum(values) - 1) < 1e-6
