"""Section "Which head does it?": switches heads off in the pass of one text, and carries their output from there into
the pass of another.

Sizes: h heads.
"""

from __future__ import annotations

from typing import Any

import torch

import former
from former import analysis, edits, patching
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.passes.loaded import Models
from viz.passes.run import read_text
from viz.server.view import View, read_string
from viz.tabs.learn import shipped
from viz.tabs.learn.section import Section
from viz.text import Refusal
from viz.text.examples import CARRIED

MODEL = "gpt"
PAIRS = CARRIED["piece"]
MOST_TOKENS = 24  # tokens of a text


def weigh_heads(bundle: former.Bundle, pinned: str, text: str) -> Numbers:
    """Measures each head twice: by switching it off in the pass of one text, and by carrying its output into another's.

    The measure is the difference between the logits of the two tokens that distinguish the predictions best, as a share
    of how much this difference changes between the two passes.

    Args:
        bundle: a model that predicts next tokens.
        pinned, text: two texts with equally many tokens.
    Returns:
        "lost" (layers, h): how much of the difference is lost when the head is switched off in the pass of `pinned`;
        "returned" (layers, h): how much comes back when it is carried from there into the pass of `text`; "best": layer
        and head that return most, and both shares; "answer" and "rival": the tokens;
        "values": the difference of their logits in both passes; "rows" and "columns": labels.
    """
    clean, corrupted = bundle.run(pinned), bundle.run(text)
    apart = analysis.tell_apart(clean, corrupted)
    answer, rival = apart.answers[0], apart.rivals[0]
    metric = patching.logit_difference(answer, rival)
    values = metric(clean), metric(corrupted)
    layers, heads = bundle.config.depth, bundle.config.heads
    off = [
        [metric(clean.with_edits(edits.scale_head(layer, head, 0.0))) for head in range(heads)]
        for layer in range(layers)
    ]
    lost = (values[0] - torch.tensor(off)) / (values[0] - values[1])
    returned = patching.heads(clean, corrupted, metric, share=True)
    best = divmod(int(returned.argmax()), heads)
    return {
        **{"lost": lost, "returned": returned, "best": [*best, float(returned[best]), float(lost[best])]},
        **dict(zip(("answer", "rival"), bundle.tokenizer.labels([answer, rival]), strict=True)),
        **{"values": values, "rows": [str(i) for i in range(layers)], "columns": [str(i) for i in range(heads)]},
    }


def read_pair(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `weigh_heads`.

    Raises:
        Refusal: a text that cannot be read, one that is too long, or two of different lengths.
    """
    texts = {name: read_string(view, name, "empty_text") for name in ("pinned", "text")}
    counts = [len(read_text(shipped.load(MODEL).bundle, text)[0]) for text in texts.values()]
    if counts[0] != counts[1]:
        raise Refusal("learn_which_head_lengths", first=counts[0], second=counts[1])
    if counts[0] > MOST_TOKENS:
        raise Refusal("learn_which_head_long", given=counts[0], most=MOST_TOKENS)
    return {"bundle": shipped.load(MODEL), **texts}


def props(models: Models) -> dict[str, Any]:
    """Returns the section's pairs of texts, and the three heads of its question: the two that return most, and the one
    that is needed most."""
    del models
    bundle = shipped.load(MODEL).bundle
    result = weigh_heads(bundle, *next(iter(PAIRS.values())))
    returned, lost = (result[name].flatten().argsort(descending=True).tolist() for name in ("returned", "lost"))
    heads = [*returned[:2], next(head for head in lost if head not in returned[:2])]
    return {"model": MODEL, "pairs": PAIRS, "choices": [divmod(head, bundle.config.heads) for head in sorted(heads)]}


SECTION = Section(
    name="which-head",
    article="Multi-head attention",
    equation=r"{\text{lost} = \frac{m_A - m_{A \setminus \text{head}}}{m_A - m_B}} \qquad\allowbreak"
    r" {\text{returned} = \frac{m_{B \,\leftarrow\, \text{head of }A} - m_B}{m_A - m_B}} \qquad\allowbreak"
    r" {m = \mathrm{logit}(\text{answer}) - \mathrm{logit}(\text{rival})}",
    code=(edits.scale_head, patching.heads),
    questions={
        "heads": Question(
            weigh_heads,
            read_pair,
            Draw(
                figures.attention,
                *(Field("returned"), Field("rows"), Field("columns")),
                axes=("head", "layer"),
                scale="scores",
                unit="share returned",
            ),
            prints=("best",),
        )
    },
    props=props,
)
