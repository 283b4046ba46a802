"""Section "Positions": the effect of word order on a verdict and on a head's scores, and texts longer than in training.

Sizes: t tokens, e embedding, h heads, s size of one head.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import torch

import former
from former.checkpoints import CHECKPOINTS
from former.positions import sinusoidal
from former.stack import Transformer
from viz import figures
from viz.figures.frame import themed
from viz.panels import Draw, Field, Numbers, Question
from viz.panels.panel import shown
from viz.passes.loaded import Models
from viz.passes.run import tokenize
from viz.server.view import View, read_index
from viz.tabs.learn.score_terms import TERMS, heads_to_open, parts, summands, terms
from viz.tabs.learn.section import Section
from viz.tabs.learn.sections.block import model_shown
from viz.tabs.permute import permuting
from viz.tabs.permute.panels import PROBABILITIES, describe_classifiers, read_classifiers, read_text
from viz.text.examples import PAIRS

MEASURED = CHECKPOINTS / "family" / "positions.json"  # by `python -m former.training positions`
TEXT, REORDERED = PAIRS[0]
MOST_TOKENS = 40  # tokens whose scores are shown


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view, the limits of its inputs, and the
    recorded losses."""
    loaded = model_shown(models)
    subject = permuting.find(models)
    ids = subject and [tokenize(subject.loaded, text)[0] for text in (TEXT, REORDERED)]
    losses = read_losses()
    return {
        "text": TEXT,
        "order": permuting.order_of(*ids) if ids else permuting.AS_TYPED,
        "model": loaded.name,
        "heads": loaded.bundle.config.heads,
        **heads_to_open(loaded.bundle, tokenize(loaded, TEXT)[0][:MOST_TOKENS]),
        "most": MOST_TOKENS,
        "terms": TERMS,
        "measured": losses["measured"],
        "ends": losses["ends"],
        "chart": themed(by_length, losses["measured"]),
    }


def by_length(measured: Mapping[str, Any], theme: str = "light") -> Any:
    """Draws the losses that `measured` records for each position, one line for each model, and marks the trained
    length."""
    width = measured["width"]
    lines = {
        model["name"]: ([width * (i + 1) for i in range(len(model["bits"]))], model["bits"])
        for model in measured["models"]
    }
    return figures.training(lines, at=measured["models"][0]["trained"], theme=theme)


def describe_order(models: Models, view: View) -> dict[str, Any]:
    """Returns the words, their order, and the classifiers, in addition to `permuting.classify`."""
    labels, order, _ = read_text(models, view)
    return {**describe_classifiers(models, view), "labels": labels, "order": order}


def read_score(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `split_scores`."""
    loaded = model_shown(models)
    indices = {"at": read_index(view, "at", MOST_TOKENS), "head": read_index(view, "head", loaded.bundle.config.heads)}
    tokenize(loaded, view.get("text", ""))
    return {"bundle": loaded, "text": view["text"], **indices}


@torch.inference_mode()
def split_scores(bundle: former.Bundle, text: str, at: int, head: int) -> Numbers:
    """Splits the scores of one query, in a head of the first layer, into four terms each.

    Args:
        bundle: a causal model.
        text: its first `MOST_TOKENS` tokens are read.
        at: index of the query; limited to the last token.
        head: of the first layer.
    Returns:
        "labels" of all tokens; "at"; for each name in `TERMS` an entry, that term for every key that the query may
        attend to; "sums" of the four terms; "scores" and "weights" of these keys as the model computes them; "error":
        the largest difference between a score and the sum of its terms; "own" and "other" (t, e), the head's inputs
        from tokens and from positions; "terms" (4, keys), all four terms, and "rows", the same by name; "keys", the
        labels of these keys.
    """
    model, ids = bundle.model, bundle.tokenizer.encode(text)[:MOST_TOKENS]
    at, block, summed = min(at, len(ids) - 1), model.transformer.blocks[0], summands(bundle, ids)
    allowed = model.mask(len(ids))[at]  # (t,)
    _, capture = former.run_with_capture(model, torch.tensor([ids]), ("scores", "weights"), [0])
    scores, weights = (capture[name, 0][0, head, at, allowed] for name in ("scores", "weights"))
    split = terms(block, *summed)[:, 0, head, at, allowed]
    rows = dict(zip(TERMS, split, strict=True))
    labels = bundle.tokenizer.labels(ids)
    sums = split.sum(0)
    error = float((sums - scores).abs().max())
    own, other = (part[0] for part in parts(block, *summed))
    result = {"labels": labels, "at": at, **rows, "sums": sums, "scores": scores, "weights": weights, "error": error}
    return {**result, "own": own, "other": other, "terms": split, "rows": rows, "keys": labels[: len(scores)]}


def read_losses() -> Numbers:
    """Reads the losses at each position, measured by `python -m former.training positions`.

    Returns:
        "measured", the record; by the kind of each model's positions, such as "learned", its bits per token
        (1, figures), one figure for each stretch of positions; "ends", by the same kinds: the figure at the end of the
        trained length, and the mean of the last four.
    """
    measured = json.loads(MEASURED.read_text(encoding="utf-8"))
    bits = {model["positions"]: torch.tensor([model["bits"]]) for model in measured["models"]}
    last = measured["models"][0]["trained"] // measured["width"] - 1
    ends = {name: [float(each[0, last]), float(each[0, -4:].mean())] for name, each in bits.items()}
    return {"measured": measured, **bits, "ends": ends}


SECTION = Section(
    name="positions",
    article="Using the positions",
    equation=(
        r"q_i \cdot k_j = \left(q^x_i + q^p_i\right) \cdot \left(k^x_j + k^p_j\right) \qquad {} ="
        r" q^x_i \cdot k^x_j + q^x_i \cdot k^p_j + q^p_i \cdot k^x_j + q^p_i \cdot k^p_j"
    ),
    code=(Transformer.embed, terms, sinusoidal),
    questions={
        "verdicts": Question(
            permuting.classify,
            read_classifiers,
            PROBABILITIES,
            prints=("names", "typed", "moved"),
            when=shown("order"),
            more=describe_order,
        ),
        "scored": Question(
            split_scores,
            read_score,
            Draw(figures.stacked, Field("rows"), Field("keys")),
            charted=True,
            prints=("error",),
            when=shown("score"),
            unsent=("own", "other", "terms", "rows", "keys"),
        ),
        "losses": Question(
            read_losses,
            lambda models, view: {},  # noqa: ARG005
            Draw(by_length, Field("measured")),
            prints=("ends",),
            when=shown("length"),
        ),
    },
    props=props,
)
