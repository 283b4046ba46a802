"""Section "BERT": words that are hidden and filled in, a verdict read off [CLS], and what the models' cards measured.

It stands where a model that fills in words is served. Of what the fine-tuned one is worth beside others, the same
without pretraining and under a causal mask, its card tells: under "controls", each {"name", "split", "accuracy"}.
Sizes: t tokens, h heads.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from former.bert import BertStack
from former.tokens.wordpiece import SEP
from former.training.tasks.masked import MaskedTask
from former.training.tasks.pairs import hide
from viz.passes.habits import rounded
from viz.passes.loaded import Loaded, Models, filler
from viz.passes.run import as_refusals, check_text, read, run
from viz.server.view import View, read_choice
from viz.tabs.explore import predictions
from viz.tabs.learn.section import Section
from viz.tabs.python import IMPORTS
from viz.text import Refusal
from viz.text.examples import EXAMPLES

TUNED = "bert-reviews"  # the model that was fine-tuned
SHOWS = ("words", "texts", "figures")
PIECES = "The unbelievable embeddings were [tokenized] in Mannheim."
FIRST = "He was born in Germany in 1879, and studied in Berlin."
SECOND = "In 1905 he moved to the United States, where he died."
OTHER = "It feeds on insects and small animals."  # that follows nothing of the kind
FIGURES = ("masked_accuracy", "commonest", "next_sentence_other", "next_sentence_same")


def model(models: Models) -> Loaded:
    """The one that fills in words.

    Raises:
        Refusal: there is none.
    """
    found = filler(models)
    if found is None:
        raise Refusal("bad_request")
    return found


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with, and what the cards say: "measured" is None where a card holds no such figures."""
    loaded = model(models)
    return {
        "model": loaded.name,
        "text": EXAMPLES[loaded.examples][0],
        "pieces": PIECES,
        "first": FIRST,
        "second": SECOND,
        "other": OTHER,
        "measured": measured(loaded),
        "tuned": tuned(models),
    }


def measured(loaded: Loaded) -> dict[str, Any] | None:
    """What a card says of both tasks: `FIGURES`, of which "rows" of the split, and the "command" that gives them."""
    quality = loaded.bundle.card.get("quality", [])
    return next((figure for figure in quality if figure.keys() >= set(FIGURES)), None)


def tuned(models: Models) -> dict[str, Any] | None:
    """What the fine-tuned model's card says of it and of its controls: {"model", "split", "command", "rows": [{"name",
    "accuracy"}]}, all on the split that was measured last; None where there is no such model."""
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


# --- words ------------------------------------------------------------------------------------------------------------


def told(loaded: Loaded, text: str) -> dict[str, Any]:
    """What the page shows of a text, see `viz.passes.run`, and "looks": the weights (t,) of [CLS] in the last block,
    the mean over its heads."""
    made = run(loaded, text)
    shown = ("text", "words", "labels", "segments", "output")
    looks = made.map("self").weights[-1, :, 0].mean(0)
    return {name: made.header[name] for name in shown} | {"looks": rounded(looks)}


def filled(models: Models, view: View) -> dict[str, Any]:
    """What the model says of the hidden words of a view's "text"; see `told`.

    Raises:
        Refusal: a text that cannot be read.
    """
    return told(model(models), view.get("text", ""))


def judged(models: Models, view: View) -> dict[str, Any]:
    """Whether a view's "second" text follows its "first"; see `told`.

    Raises:
        Refusal: a text that cannot be read.
    """
    return told(model(models), both(view))


def both(view: View) -> str:
    """The two texts of a view, as one.

    Raises:
        Refusal: one that is no text, or empty.
    """
    for name in ("first", "second"):
        check_text(view.get(name, ""))
    return f"{view['first']} {SEP} {view['second']}"


@torch.inference_mode()
def sides(models: Models, view: View) -> dict[str, Any]:
    """How far what the model says at the first blank of a text moves when the piece before it, or after, is hidden too.

    Args:
        models: by name.
        view: "text".
    Returns:
        "before" and "after": the largest change of a word's probability, exactly 0 for none.
    Raises:
        Refusal: a text that cannot be read, or one without a blank that has a piece on both sides.
    """
    loaded = model(models)
    reading: Any = read(loaded, view.get("text", ""))
    tokenizer: Any = loaded.bundle.tokenizer
    mask = tokenizer.mask_token
    free = [piece.word is not None and piece.id != mask for piece in reading.pieces]
    place = next((i for i in reading.blanks if free[i - 1] and free[i + 1]), None)
    if place is None:
        raise Refusal("learn_bert_sides")
    tokens = torch.tensor([reading.ids] * 3)
    tokens[1, place - 1] = tokens[2, place + 1] = mask
    segments = torch.tensor([reading.segments] * 3)
    probs = loaded.bundle.model(tokens, segments)[:, place].softmax(-1)
    before, after = (probs[1:] - probs[0]).abs().amax(-1).tolist()
    return {"before": before, "after": after}


# --- the code ---------------------------------------------------------------------------------------------------------


def text_of(view: View, show: str) -> str:
    """The text that is run for what is shown."""
    return both(view) if show == "texts" else view.get("text", "")


@torch.inference_mode()
def values(models: Models, view: View) -> dict[str, Tensor]:
    """The tensors of what is shown."""
    loaded, show = model(models), read_choice(view, "show", SHOWS)
    if show == "figures":
        found = measured(loaded) or dict.fromkeys(FIGURES, torch.nan)
        return {"shown": torch.tensor([found[name] for name in FIGURES])}
    check_text(text := text_of(view, show))
    with as_refusals():
        made = loaded.bundle.run(text)
    weights = made.weights  # (layers, h, t, t)
    if show == "texts":
        return {"weights": weights, "looks": weights[-1, :, 0].mean(0)}
    return {"weights": weights, "probs": made.output[0, made.kind.places(made.reading)].softmax(-1)}


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again: Explore's, and of two texts where [CLS] looks."""
    loaded, show = model(models), read_choice(view, "show", SHOWS)
    if show == "figures":
        return (
            f"{IMPORTS}\n"
            f"names = {list(FIGURES)}\n"
            f"quality = {loaded.code}.card.get('quality', [])\n"
            "measured = (figure for figure in quality if figure.keys() >= set(names))\n"
            "found = next(measured, dict.fromkeys(names, torch.nan))  # not every card holds them\n"
            "shown = torch.tensor([found[name] for name in names])\n"
            'figure = figures.bars(shown, names, axis="share that is right")\n'
        )
    code = predictions.fill_in(models, {"model": loaded.name, "text": text_of(view, show), "edits": []})
    if show == "texts":
        code += (
            "looks = weights[-1, :, 0].mean(0)  # (t,): where [CLS] looks in the last block\n"
            'figure = figures.bars(looks, labels, axis="weight")\n'
        )
    return code


SECTION = Section(
    name="bert",
    article="BERT",
    equation=(
        r"\mathrm{loss} = -\frac{1}{|\text{chosen}|} \sum_{i\,\in\,\text{chosen}}"
        r" \log p(w_i \mid \text{all that is not hidden}) \;-\; \log p(\text{follows or not} \mid x_{\text{[CLS]}})"
    ),
    code=(hide, BertStack.pool, MaskedTask.loss),
    values=values,
    python=python,
    opening=opening,
    answers={"filled": filled, "judged": judged, "sides": sides},
    stands=lambda models: filler(models) is not None,
)
