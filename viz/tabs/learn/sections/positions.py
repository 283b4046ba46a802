"""Section "Positions": the order of words in a verdict, in the score of a trained head, and beyond the trained length.

Sizes: t tokens, e embedding, h heads, s size of one head.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

import former
from former.checkpoints import CHECKPOINTS
from former.positions import sinusoidal
from former.stack import Transformer
from viz import figures
from viz.browser import chart
from viz.passes.loaded import Loaded, Models
from viz.passes.run import rounded, tokenize
from viz.server.view import View, read_choice, read_index
from viz.tabs.learn.score_terms import TERMS, heads_to_open, parts, summands, terms
from viz.tabs.learn.section import Section
from viz.tabs.learn.sections.block import reader
from viz.tabs.permute import permuting
from viz.tabs.permute.panels import VERDICTS, read_subject, read_text
from viz.tabs.python import IMPORTS
from viz.text.examples import PAIRS

MEASURED = CHECKPOINTS / "family" / "positions.json"  # by `python -m former.training positions`
TEXT, REORDERED = PAIRS[0]
MOST = 40  # tokens whose scores are shown
SHOWS = ("order", "score", "length")


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with, its limits, and the losses that were measured beforehand."""
    loaded = reader(models)
    subject = permuting.find(models)
    ids = subject and [tokenize(subject.loaded, text)[0] for text in (TEXT, REORDERED)]
    measured = json.loads(MEASURED.read_text(encoding="utf-8"))
    return {
        "text": TEXT,
        "order": permuting.order_of(*ids) if ids else permuting.AS_TYPED,
        "model": loaded.name,
        "heads": loaded.bundle.config.heads,
        **heads_to_open(loaded, tokenize(loaded, TEXT)[0][:MOST]),
        "most": MOST,
        "terms": TERMS,
        "measured": measured,
        "chart": chart.themed(partial(by_length, measured)),
    }


def by_length(measured: Mapping[str, Any], theme: str = "light") -> Any:
    """The losses of the stored record as a line for each model, the trained length marked."""
    width = measured["width"]
    lines = {
        model["name"]: ([width * (i + 1) for i in range(len(model["bits"]))], model["bits"])
        for model in measured["models"]
    }
    return figures.training(lines, at=measured["models"][0]["trained"], theme=theme)


# --- order ------------------------------------------------------------------------------------------------------------


@torch.inference_mode()
def verdicts(models: Models, view: View) -> dict[str, Any]:
    """What the classifiers make of a text and of its words in another order.

    Args:
        models: by name.
        view: "text" and "order", the places of the words as "2.0.1".
    Returns:
        "text"; "labels" of the words; "order", their places; "verdicts": of each classifier.
    Raises:
        Refusal: a view that is none.
    """
    judged = VERDICTS.questions["verdicts"].answer(models, view)
    found = [
        {
            "name": name,
            "positions": positions,
            "classes": judged["classes"],
            "before": before,
            "after": after,
            "moved": max(abs(one - other) for one, other in zip(before, after, strict=True)),
            "equal": same,
        }
        for name, positions, (before, after), same in zip(
            judged["names"], judged["trained"], judged["probs"], judged["same"], strict=True
        )
    ]
    labels, order, _ = read_text(models, view)
    return {"text": view["text"], "labels": labels, "order": order, "verdicts": found}


# --- score ------------------------------------------------------------------------------------------------------------


def read_tokens(models: Models, view: View) -> tuple[Loaded, list[int], int, int]:
    """The model, the tokens of a view, the query (the last where the text is shorter) and the head.

    Raises:
        Refusal: a view that is none.
    """
    loaded = reader(models)
    at, head = read_index(view, "at", MOST), read_index(view, "head", loaded.bundle.config.heads)
    ids = tokenize(loaded, view.get("text", ""))[0][:MOST]
    return loaded, ids, min(at, len(ids) - 1), head


@torch.inference_mode()
def tensors(models: Models, view: View) -> dict[str, Tensor]:
    """Of a head of the first layer: "terms" (4, t) of the query and the keys that it may see, "scores" and "weights"
    (t,) as the model computes them; "own" and "other" (t, e), what it reads of tokens and of places."""
    loaded, ids, at, head = read_tokens(models, view)
    model = loaded.bundle.model
    block, summed = model.transformer.blocks[0], summands(loaded, ids)
    _, capture = former.run_with_capture(model, torch.tensor([ids]), ("scores", "weights"), [0])
    seen = loaded.mask(len(ids))[at]  # (t,)
    own, other = (part[0] for part in parts(block, *summed))
    rows = {name: capture.get(name, 0)[0, head, at, seen] for name in ("scores", "weights")}
    return {"own": own, "other": other, "terms": terms(block, *summed)[:, 0, head, at, seen], **rows}


def scored(models: Models, view: View) -> dict[str, Any]:
    """The scores of one query, each as the sum of four terms.

    Args:
        models: by name.
        view: "text", "at" of the query and "head".
    Returns:
        "text"; "labels" of all tokens; "at"; "head"; by the names of `TERMS` its part of each key's score; "scores" and
        "weights" as the model computes them; "error": how far the four terms together are from the scores; "chart".
    Raises:
        Refusal: a view that is none.
    """
    loaded, ids, at, head = read_tokens(models, view)
    found = tensors(models, view)
    labels = loaded.bundle.tokenizer.labels(ids)
    rows: dict[str, list[float]] = dict(zip(TERMS, found["terms"].tolist(), strict=True))
    keys = labels[: len(found["scores"])]
    return {
        "text": view["text"],
        "labels": labels,
        "at": at,
        "head": head,
        **rows,
        "scores": found["scores"].tolist(),
        "weights": rounded(found["weights"]),
        "error": float((found["terms"].sum(0) - found["scores"]).abs().max()),
        "chart": chart.themed(lambda theme: figures.stacked(rows, keys, theme=theme)),
    }


# --- the code ---------------------------------------------------------------------------------------------------------


def values(models: Models, view: View) -> Mapping[str, Tensor]:
    """The tensors of what is shown: log-probabilities of the classes, a row for each classifier; the terms; or bits."""
    show = read_choice(view, "show", SHOWS)
    if show == "score":
        return tensors(models, view)
    if show == "length":
        measured = json.loads(MEASURED.read_text(encoding="utf-8"))
        return {model["positions"]: torch.tensor([model["bits"]]) for model in measured["models"]}
    found = verdicts(models, view)["verdicts"]
    return {when: torch.tensor([verdict[when] for verdict in found]) for when in ("before", "after")}


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    show = read_choice(view, "show", SHOWS)
    return {"order": order_again, "score": score_again, "length": length_again}[show](models, view)


def order_again(models: Models, view: View) -> str:
    """The lines of the verdicts."""
    classifiers = read_subject(models).classifiers
    labels, order, _ = read_text(models, view)
    names = [loaded.name for loaded in classifiers]
    return (
        f"{IMPORTS}\n"
        "before, after = [], []\n"
        f"for bundle in [{', '.join(loaded.code for loaded in classifiers)}]:\n"
        f"    ids = torch.tensor([bundle.tokenizer.encode({view['text']!r})[:{len(labels)}]])\n"
        "    with torch.inference_mode():\n"
        "        before.append(bundle.model(ids)[0].exp())\n"
        f"        after.append(bundle.model(ids[:, {order!r}])[0].exp())\n"
        "before, after = torch.stack(before), torch.stack(after)  # (classifiers, classes)\n"
        f"figure = figures.bars(after[:, 1], {names!r}, before=before[:, 1], axis='positive')\n"
    )


def score_again(models: Models, view: View) -> str:
    """The lines of the four terms."""
    loaded, _, at, head = read_tokens(models, view)
    return (
        f"{IMPORTS}from viz.tabs.learn import score_terms\n\n"
        f"bundle = {loaded.code}\n"
        "model = bundle.model\n"
        f"ids = torch.tensor([bundle.tokenizer.encode({view['text']!r})[:{MOST}]])\n"
        f"at, head, seen = {at}, {head}, model.mask(ids.shape[1])[{at}]\n"
        "with torch.inference_mode():\n"
        "    token = model.transformer.token_embedding(ids)  # (1, t, e)\n"
        "    place = model.transformer.positions(torch.arange(ids.shape[1])).expand_as(token)\n"
        "    terms = score_terms.terms(model.transformer.blocks[0], token, place)[:, 0, head, at, seen]  # (4, t)\n"
        '    _, capture = former.run_with_capture(model, ids, ("scores",), [0])\n'
        'scores = capture.get("scores", 0)[0, head, at, seen]\n'
        "print((terms.sum(0) - scores).abs().max())\n"
        "rows = dict(zip(score_terms.TERMS, terms, strict=True))\n"
        "labels = bundle.tokenizer.labels(ids[0].tolist())[: len(scores)]\n"
        "figure = figures.stacked(rows, labels)\n"
    )


def length_again(models: Models, view: View) -> str:
    """The lines of what was measured."""
    del models, view
    return (
        f"{IMPORTS}from viz.tabs.learn.sections import positions\n"
        "import json\n\n"
        "# python -m former.training positions writes it\n"
        "measured = json.loads(positions.MEASURED.read_text(encoding='utf-8'))\n"
        "learned, sinusoidal, none = [torch.tensor([model['bits']]) for model in measured['models']]\n"
        "figure = positions.by_length(measured)\n"
    )


SECTION = Section(
    name="positions",
    article="Using the positions",
    equation=(
        r"q_i \cdot k_j = \left(q^x_i + q^p_i\right) \cdot \left(k^x_j + k^p_j\right) ="
        r" q^x_i \cdot k^x_j + q^x_i \cdot k^p_j + q^p_i \cdot k^x_j + q^p_i \cdot k^p_j"
    ),
    code=(Transformer.embed, terms, sinusoidal),
    values=values,
    python=python,
    opening=opening,
    answers={"verdicts": verdicts, "scored": scored},
)
