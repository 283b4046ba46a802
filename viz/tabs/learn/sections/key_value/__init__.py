"""Section "Why 'self', why 'key' and 'value'": compares a Python dict with attention, a soft lookup.

While you drag, the page computes by itself (lib/arithmetic.js); here `former` computes the same. Sizes: t keys of 2
numbers, each with a value of one number; there is one query, or each key is a query.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

import former
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.passes.loaded import Models
from viz.server.view import View, read_choice, read_index, read_string
from viz.tabs.learn.pairs import read_pairs
from viz.tabs.learn.section import Section
from viz.text import message

KEYS = "1.5,0;0,1.5;-1.5,0;0,-1.5"  # a year as a circle
COUNT = 4  # keys
VALUES = "9,18,10,2"  # degrees
QUERY = "1,1.2"
REACH = 2.5  # an arrow goes so far across and up, at most
LARGEST = 99  # value, above zero and below
SOFTEST = 40  # last place of the slider; at its first, 0, is the hard limit
ATTENTION = 20  # the place of the slider where the temperature is 1: attention as it is
ASKERS = ("query", "keys")


def temperature(soft: int) -> float:
    """Returns the temperature at a position of the slider: 0 at its beginning, then 10^-1.9 to 10^2."""
    return 10 ** ((soft - ATTENTION) / 10) if soft else 0.0


def look_up(q: Tensor, k: Tensor, v: Tensor, temperature: float) -> tuple[Tensor, Tensor, Tensor]:
    """Computes attention with scores divided by a temperature.

    Args:
        q: (1, 1, t_query, s).
        k: (1, 1, t_key, s).
        v: (1, 1, t_key, e).
        temperature: 1 for ordinary attention; 0 for its limit, where the largest score gets all the weight.
    Returns:
        scores and weights, (1, 1, t_query, t_key), and y (1, 1, t_query, e); at 0 the scores are not divided.
    """
    if temperature > 0:
        scores, weights = former.attention_weights(q / temperature, k)
        return scores, weights, weights @ v
    scores, _ = former.attention_weights(q, k)
    largest = (scores > scores.amax(-1, keepdim=True) - 1e-9).to(q.dtype)
    weights = largest / largest.sum(-1, keepdim=True)  # equal scores share
    return scores, weights, weights @ v


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view and the limits of its inputs."""
    del models  # of which it needs none
    start = {"keys": KEYS, "values": VALUES, "query": QUERY, "soft": ATTENTION, "askers": list(ASKERS)}
    return start | {"count": COUNT, "reach": REACH, "largest": LARGEST, "softest": SOFTEST}


def ask_softly(
    queries: list[list[float]], keys: list[list[float]], values: list[float], names: list[str], temperature: float = 1.0
) -> Numbers:
    """Looks up queries among keys, with a dict and with attention.

    Args:
        queries, keys: pairs of numbers.
        values, names: one for each key.
        temperature: as in `look_up`.
    Returns:
        "found": the dict's value for each query, or None; "q", "k", "v", "scores", "weights" and "y", as
        of `look_up`; "names" of the keys, and "rows", the names of the queries.
    """
    dictionary = dict(zip(map(tuple, keys), values, strict=True))
    q, k = (torch.tensor([[pairs]], dtype=torch.float64) for pairs in (queries, keys))  # (1, 1, t, 2)
    v = torch.tensor([[[[value] for value in values]]], dtype=torch.float64)  # (1, 1, t, 1)
    scores, weights, y = look_up(q, k, v, temperature)
    tensors = {"q": q, "k": k, "v": v, "scores": scores, "weights": weights, "y": y, "map": weights[0, 0]}
    rows = names if len(queries) == len(keys) else ["query"]
    return {"found": [dictionary.get(tuple(query)) for query in queries], "names": names, "rows": rows, **tensors}


def read_lookup(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `ask_softly`."""
    keys = read_pairs(read_string(view, "keys"), COUNT, REACH)
    (values,) = read_pairs(read_string(view, "values"), 1, LARGEST, width=COUNT)
    query = read_pairs(read_string(view, "query"), 1, REACH)
    return {
        "queries": keys if read_choice(view, "asker", ASKERS) == "keys" else query,
        "keys": keys,
        "values": values,
        "names": message("learn_key_value_names").split(),
        "temperature": temperature(read_index(view, "soft", SOFTEST + 1)),
    }


MAP = Draw(figures.attention, Field("map"), Field("rows"), Field("names"))
SECTION = Section(
    name="key-value",
    article="Why is it called self-attention?",
    equation=r"y = \sum_j w_j\, v_j \qquad w_j = \frac{\exp\left(q \cdot k_j / (T\sqrt{s})\right)}"
    r"{\sum_j \exp\left(q \cdot k_j / (T\sqrt{s})\right)}",
    code=(former.attention_weights, look_up),
    questions={"lookup": Question(ask_softly, read_lookup, MAP, prints=(Field("y", 0, 0),))},
    props=props,
)
