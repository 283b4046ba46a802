"""Section "BERT": hidden words are filled in, a verdict is read off [CLS], and the models' cards are compared.

It is shown if there is a model that fills in words. A card lists the accuracy of control models under "controls": for
the fine-tuned model, of one without pretraining; for BERT, of one trained further with a causal mask, and of one
trained further without it.

Sizes: t tokens, h heads.
"""

from __future__ import annotations

from typing import Any

import torch
from plotly.graph_objects import Figure
from torch import Tensor

import former
from former.bert import BertStack
from former.runs.masked import MaskedReading
from former.tokens.wordpiece import SEP
from former.training.tasks.masked import MaskedTask
from former.training.tasks.pairs import hide
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.panels.panel import shown, unprinted
from viz.passes.loaded import Loaded, Models, filler
from viz.passes.remarks import remarks
from viz.passes.run import check_text, read
from viz.passes.said import describe_blanks
from viz.server.view import View
from viz.tabs.learn.section import Section
from viz.text import Refusal
from viz.text.examples import EXAMPLES

TUNED = "bert-reviews"  # the model that was fine-tuned
PIECES = "The unbelievable embeddings were [tokenized] in Mannheim."
FIRST = "He was born in Germany in 1879, and studied in Berlin."
SECOND = "In 1905 he moved to the United States, where he died."
OTHER = "It feeds on insects and small animals."  # that follows nothing of the kind
FIGURES = ("masked_accuracy", "commonest", "next_sentence_other", "next_sentence_same")


def model(models: Models) -> Loaded:
    """Finds the model that fills in words.

    Raises:
        Refusal: there is no such model.
    """
    result = filler(models)
    if result is None:
        raise Refusal("bad_request")
    return result


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view, and figures from the cards; "measured" is None if a
    card has none."""
    loaded = model(models)
    return {
        "model": loaded.name,
        "text": EXAMPLES[loaded.examples][0],
        "pieces": PIECES,
        "first": FIRST,
        "second": SECOND,
        "other": OTHER,
        "measured": pretraining_figures(loaded.bundle),
        "masks": masks(loaded.bundle),
        "tuned": tuning_figures(models),
    }


def pretraining_figures(bundle: former.Bundle) -> dict[str, Any] | None:
    """Returns from a model's card the accuracies on both pretraining tasks, the number of "rows" measured, and the
    "command"; None if the card has none."""
    quality = bundle.card.get("quality", [])
    return next((figure for figure in quality if figure.keys() >= set(FIGURES)), None)


def masks(bundle: former.Bundle) -> dict[str, Any] | None:
    """Returns the accuracies on hidden tokens of two controls: the model trained further, without and with a causal
    mask.

    {"steps", "rows": [{"name", "accuracy"}], "commands"}, from its card; None if it has none.
    """
    controls = [each for each in bundle.card.get("controls", []) if "masked_accuracy" in each]
    if not controls:
        return None
    rows = [{"name": each["name"], "accuracy": each["masked_accuracy"]} for each in controls]
    return {"steps": controls[0]["steps"], "rows": rows, "commands": controls[-1]["commands"]}


def tuning_figures(models: Models) -> dict[str, Any] | None:
    """Returns the fine-tuned model's accuracy and that of its controls, from its card; None if there is no such model.

    {"model", "split", "command", "rows": [{"name", "accuracy"}]}, on the split that was measured last.
    """
    card = models[TUNED].bundle.card if TUNED in models else {}
    quality = [figure for figure in card.get("quality", []) if "accuracy" in figure]
    if not quality:
        return None
    own = quality[-1]
    controls = [each for each in card.get("controls", []) if each["split"] == own["split"]]
    rows = [{"name": "pretrained", **own}, *controls]
    return {
        "model": TUNED,
        "split": own["split"],
        "command": own["command"],
        "rows": [{"name": row["name"], "accuracy": row["accuracy"]} for row in rows],
    }


def read_words(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `fill_in`."""
    loaded, text = model(models), view.get("text", "")
    read(loaded, text)
    return {"bundle": loaded, "text": text}


def read_both(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `fill_in` for two texts."""
    for name in ("first", "second"):
        check_text(view.get(name, ""))
    return read_words(models, {"text": f"{view['first']} {SEP} {view['second']}"})


def remarks_on(models: Models, view: View, result: Numbers) -> dict[str, Any]:  # noqa: ARG001
    """Returns the remarks on the text of a result of `fill_in`."""
    return {"remarks": remarks(model(models), result["text"], result["labels"])}


def read_blank(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `hide_sides`: the hidden piece must have a neighbour on each side."""
    arguments = read_words(models, view)
    reading = read(arguments["bundle"], arguments["text"])
    assert isinstance(reading, MaskedReading)
    known = [piece.word is not None and i not in reading.blanks for i, piece in enumerate(reading.pieces)]
    at = next((i for i in reading.blanks if known[i - 1] and known[i + 1]), None)
    if at is None:
        raise Refusal("learn_bert_sides")
    return {**arguments, "at": at}


def fill_in(bundle: former.Bundle, text: str) -> Numbers:
    """Runs a text with hidden words, or two texts with [SEP] between them.

    Args:
        bundle: a `former.Bert`.
        text: words in brackets are hidden.
    Returns:
        "text"; "labels" of the t tokens; "words" and "segments" of the text (`former.runs.masked`); "output": the
        predictions, and whether the second text follows (`viz.passes.said.describe_blanks`); "weights" (layers, h, t,
        t); "looks" (t,): the weights of [CLS] in the last block, the mean over its heads; "guesses" of the first hidden
        piece: [(label, probability)].
    """
    run = bundle.run(text)
    looks = run.weights[-1, :, 0].mean(0)
    facts = run.kind.facts(bundle, run.reading, ())
    guesses = next((blank.guesses for blank in run.blanks()), []) if run.kind.predicts(run.model) else []
    said = {"text": text, "labels": run.tokens, "output": describe_blanks(run, None), **facts}
    return {**said, "weights": run.weights, "looks": looks, "guesses": guesses}


@torch.inference_mode()
def hide_sides(bundle: former.Bundle, text: str, at: int) -> Numbers:
    """Measures how the prediction for a hidden piece changes when the piece before it, or after it, is hidden too.

    Args:
        bundle, text: as in `fill_in`.
        at: index of the hidden piece among the text's tokens.
    Returns:
        "before" and "after": the largest change of any piece's probability when the piece before, or after, is hidden;
        exactly 0 if nothing changes.
    """
    tokens, segments = (each.expand(3, -1).clone() for each in bundle.run(text).inputs)
    tokens[1, at - 1] = tokens[2, at + 1] = tokens[0, at]
    probs = bundle.model(tokens, segments)[:, at].softmax(-1)
    before, after = (probs[1:] - probs[0]).abs().amax(-1).tolist()
    return {"before": before, "after": after}


def read_card(bundle: former.Bundle) -> Numbers:
    """Reads the accuracies of both training tasks from a model's card.

    Returns:
        "names" of the tasks; "shares": the accuracy of each, NaN if the card lacks it.
    """
    result = pretraining_figures(bundle) or dict.fromkeys(FIGURES, torch.nan)
    return {"names": list(FIGURES), "shares": torch.tensor([result[name] for name in FIGURES])}


def draw_guesses(guesses: list[tuple[str, float]], weights: Tensor, labels: list[str], theme: str = "light") -> Figure:
    """Draws the likeliest pieces for a hidden one, or, without a hidden piece, all heads (layers, h, t, t)."""
    if not guesses:
        return figures.heads(weights, labels, theme=theme)
    names, probs = zip(*guesses, strict=True)
    return figures.bars(torch.tensor(probs), names, theme=theme)


SECTION = Section(
    name="bert",
    article="BERT",
    equation=(
        r"\mathrm{loss} = -\frac{1}{|\text{chosen}|} \sum_{i\,\in\,\text{chosen}}"
        r" \log p(w_i \mid \text{all that is not hidden})"
        r" \qquad {} - \log p(\text{follows or not} \mid x_{\text{[CLS]}})"
    ),
    code=(hide, BertStack.pool, MaskedTask.loss),
    questions={
        "filled": Question(
            fill_in,
            read_words,
            Draw(draw_guesses, Field("guesses"), Field("weights"), Field("labels")),
            prints=("guesses",),
            when=shown("words"),
            unsent=("weights",),
            about=remarks_on,
        ),
        "judged": Question(
            fill_in,
            read_both,
            Draw(figures.bars, Field("looks"), Field("labels"), axis="weight"),
            prints=(Field("output", "follows"),),
            when=shown("texts"),
            unsent=("weights", "guesses"),
            about=remarks_on,
        ),
        "sides": Question(hide_sides, read_blank, when=unprinted),
        "card": Question(
            read_card,
            lambda models, view: {"bundle": model(models)},  # noqa: ARG005
            Draw(figures.bars, Field("shares"), Field("names"), axis="accuracy"),
            prints=("names", "shares"),
            when=shown("figures"),
        ),
    },
    props=props,
    available=lambda models: filler(models) is not None,
)
