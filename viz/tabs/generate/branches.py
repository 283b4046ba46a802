"""The likeliest continuations of a text, and the texts of its branches."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

import former
from viz.panels import Numbers
from viz.tabs.generate.next_token import label, prompt_of

BEAMS, SEARCHED = 8, 40  # the most beams, and tokens of each


def search_beams(
    bundle: former.Bundle, text: str, written: Sequence[int] = (), beams: int = 4, length: int = 20
) -> Numbers:
    """Searches for the likeliest continuations of a text (`former.beam_search`).

    Args:
        bundle, text, written: as in `look_back`.
        beams: number of continuations.
        length: number of tokens in each.
    Returns:
        "tokens" of each beam, the likeliest first; "labels" of these tokens; "texts"; "log_probs" of each, in bits.
    """
    ids = [*prompt_of(bundle.tokenizer, text), *written]
    results = former.beam_search(bundle.model, ids, length, beams)
    return {
        "tokens": [beam.ids for beam in results],
        "labels": [label(bundle.tokenizer, [*ids, *beam.ids])[0][len(ids) :] for beam in results],
        "texts": [bundle.tokenizer.decode(beam.ids) for beam in results],
        "log_probs": torch.tensor([beam.log_prob / math.log(2) for beam in results]),
    }


def unfold_branches(bundle: former.Bundle, text: str, branches: Sequence[tuple[int, int, Sequence[int]]]) -> Numbers:
    """Returns the texts of branches, each of which leaves an earlier one.

    Args:
        bundle, text: as in `look_back`.
        branches: (parent, after, ids) of each: the index of the branch that it leaves, the number of tokens after which
            it leaves, and its own token ids. For example (0, 3, [17]) shares 3 tokens with branch 0.
    Returns:
        "tokens": all tokens of each branch after the prompt; "lengths": how many these are; "texts" of the branches;
        "names": "branch 1", "branch 2" and so on.
    """
    prompt, tokens = prompt_of(bundle.tokenizer, text), []
    for parent, at, own in branches:
        tokens.append([*(tokens[parent][:at] if tokens else []), *own])
    return {
        "tokens": tokens,
        "lengths": [len(each) for each in tokens],
        "texts": [bundle.tokenizer.decode([*prompt, *each]) for each in tokens],
        "names": [f"branch {i + 1}" for i in range(len(tokens))],
    }
