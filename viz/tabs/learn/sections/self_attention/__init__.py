"""Section "Self-attention": words as arrows in the plane, and every output as a sum of scaled arrows.

While you drag, the page computes by itself (lib/arithmetic.js); here `former` computes the same. Sizes: t words, 2
numbers per arrow. Equal words share one arrow.
"""

from __future__ import annotations

from typing import Any

import torch

import former
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.passes.loaded import Models, word_model
from viz.server.view import View, read_index, read_string
from viz.tabs.learn.pairs import read_pairs
from viz.tabs.learn.section import Section
from viz.text import Refusal

WORDS = "the cat walks on the street"  # the article's
VECTORS = "0.4,-0.5;1.5,0.8;0.8,1.5;-1.1,-0.4;1.3,-1.1;-0.9,1.1"
MOST_WORDS = 6  # words
LETTERS = 80  # of all words together
REACH = 2.5  # an arrow goes so far across and up, at most


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view and the limits of its inputs."""
    limits = {"most": MOST_WORDS, "letters": LETTERS, "reach": REACH}
    return {"words": WORDS, "vectors": VECTORS, "model": word_model(models).name, **limits}


def attend(words: list[str], arrows: list[list[float]], row: int = 0) -> Numbers:
    """Runs the article's basic self-attention on arrows in the plane.

    Args:
        words: t words.
        arrows: one for each word.
        row: index of the selected word.
    Returns:
        "words"; "x" (1, t, 2), its products, the "weights" (1, t, t), and y, named as in the code; "most": the word
        that the selected one attends to most, with its share.
    """
    x = torch.tensor([arrows])
    y, weights = former.basic_self_attention(x)
    shares = {word: float(weights[0, row, [other == word for other in words]].sum()) for word in words}
    tensors = {"x": x, "x @ x.transpose(-2, -1)": x @ x.mT, "weights": weights, "weights @ x": y}
    return {"words": words, **tensors, "most": max(shares.items(), key=lambda each: each[1])}


def read_arrows(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `attend`.

    Raises:
        Refusal: no words or too many, or invalid arrows.
    """
    text = read_string(view, "words")
    words, arrows = text.split(), read_pairs(read_string(view, "vectors"), MOST_WORDS, REACH)
    if not 0 < len(words) <= MOST_WORDS or len(text) > LETTERS:
        raise Refusal("learn_words_limit", most=MOST_WORDS, letters=LETTERS)
    drawn = dict(zip(dict.fromkeys(words), arrows, strict=False))  # equal words share an arrow
    row = read_index({"row": 0, **view}, "row", MOST_WORDS)
    return {"words": words, "arrows": [drawn[word] for word in words], "row": min(row, len(words) - 1)}


MAP = Draw(figures.attention, Field("weights", 0), Field("words"))
SECTION = Section(
    name="self-attention",
    article="Self-attention",
    equation=r"y_i = \sum_j w_{ij}\, x_j \qquad w_{ij} = \frac{\exp x_i \cdot x_j}{\sum_j \exp x_i \cdot x_j}",
    code=(former.basic_self_attention,),
    questions={"plane": Question(attend, read_arrows, MAP, prints=("most",))},
    props=props,
)
