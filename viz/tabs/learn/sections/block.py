"""Section "The block": one token through a trained stack, and attention as the only way between tokens.

Sizes: t tokens, e embedding, points of the stream: before the first block, and after each attention and feed-forward.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

import former
from former.edits import Edit
from former.hooks import run_with_capture
from viz import figures
from viz.browser import chart
from viz.passes.run import Loaded, Models, rounded, tokenize, writers
from viz.tabs.learn.section import Section
from viz.tabs.python import IMPORTS, View, read_choice, read_index

TEXT = "The United States of Ameri"
PREFERRED = "generator"
MOST = 40  # tokens that are read
TOP = 3  # guesses that are named at each point
ATTENTION = ("on", "off")
STREAM = ("resid_pre", "resid_mid", "resid_post")


def reader(models: Models) -> Loaded:
    """The model that is looked into: the large generator, where it is there."""
    able = writers(models)
    return able.get(PREFERRED) or next(iter(able.values()))


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with, and its limits."""
    loaded = reader(models)
    return {"text": TEXT, "model": loaded.name, "depth": loaded.bundle.config.depth, "most": MOST}


def read(models: Models, view: View) -> tuple[Loaded, list[int], int, list[Edit]]:
    """The model, the tokens, the one that is followed (the last where the text is shorter) and the changes of a view.

    Raises:
        Refusal: a view that is none.
    """
    loaded = reader(models)
    at = read_index(view, "at", MOST)
    edits = switched_off(loaded) if read_choice(view, "attention", ATTENTION) == "off" else []
    ids = tokenize(loaded, view.get("text", ""))[0][:MOST]
    return loaded, ids, min(at, len(ids) - 1), edits


def switched_off(loaded: Loaded) -> list[Edit]:
    """Changes that let no head of any layer bring anything."""
    return [Edit(layer, "out", torch.zeros_like) for layer in range(loaded.bundle.config.depth)]


def stream(loaded: Loaded, ids: Sequence[int], at: int, edits: Sequence[Edit]) -> Tensor:
    """A token's vector at every point of the stack: (1 + 2 · depth, e)."""
    capture = run_with_capture(loaded.bundle.model, torch.tensor([list(ids)]), STREAM, edits=edits)[1]
    before, middle, after = (capture.stack(name)[:, 0, at] for name in STREAM)  # each (depth, e)
    return torch.cat([before[:1], torch.stack([middle, after], dim=1).flatten(0, 1)])


def moved(loaded: Loaded, ids: Sequence[int], at: int, edits: Sequence[Edit]) -> Tensor:
    """How far each token's logits move when token `at` becomes its neighbour in the vocabulary: (t,)."""
    changed = list(ids)
    changed[at] += 1 if changed[at] == 0 else -1
    logits = run_with_capture(loaded.bundle.model, torch.tensor([list(ids), changed]), (), edits=edits)[0]
    return (logits[1] - logits[0]).abs().amax(-1)


def through(models: Models, view: View) -> dict[str, Any]:
    """One token on its way through the stack.

    Args:
        models: by name.
        view: "text", "at" of the token and "attention", "on" or "off".
    Returns:
        "labels" of the tokens; "at"; "points": [{"part": "embedding", "attention" or "feed_forward", "layer", "added":
        how long what came in is, "length" of the stream, "top": [{"label", "prob"}]}], what the model would say there;
        "moved" and "movedOff": how far each token's logits move when this one changes, as the view has it and with
        attention off; "chart".
    Raises:
        Refusal: a view that is none.
    """
    loaded, ids, at, edits = read(models, view)
    x = stream(loaded, ids, at, edits)
    with torch.no_grad():
        probs, tokens = loaded.bundle.model.unembed(x[None])[0].softmax(-1).topk(TOP)
    parts = ["embedding", *["attention", "feed_forward"] * loaded.bundle.config.depth]
    added = [x[0].norm().item(), *(x[1:] - x[:-1]).norm(dim=-1).tolist()]
    points = [
        {
            "part": part,
            "layer": (i + 1) // 2,
            "added": added[i],
            "length": x[i].norm().item(),
            "top": [
                {"label": label, "prob": p}
                for label, p in zip(loaded.bundle.tokenizer.labels(tokens[i].tolist()), rounded(probs[i]), strict=True)
            ],
        }
        for i, part in enumerate(parts)
    ]
    return {
        "text": view["text"],
        "labels": loaded.bundle.tokenizer.labels(ids),
        "at": at,
        "attention": view["attention"],
        "points": points,
        "moved": moved(loaded, ids, at, edits).tolist(),
        "movedOff": moved(loaded, ids, at, switched_off(loaded)).tolist(),
        "chart": chart.themed(lambda theme: figures.additions(added[1::2], added[2::2], theme=theme)),
    }


def values(models: Models, view: View) -> Mapping[str, Tensor]:
    """The token's vector at every point, and how long what each part adds is."""
    x = stream(*read(models, view))
    added = (x[1:] - x[:-1]).norm(dim=-1)
    return {"stream": x, "attention": added[::2], "feed_forward": added[1::2]}


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    loaded, _, at, edits = read(models, view)
    switch = (
        "for layer in range(model.config.depth):  # no head brings anything\n"
        '    edits.append(former.edits.Edit(layer, "out", torch.zeros_like))\n'
    )
    return (
        f"{IMPORTS}\n"
        f"bundle = former.load({loaded.name!r})\n"
        "model = bundle.model\n"
        f"tokens = torch.tensor([bundle.tokenizer.encode({view['text']!r})[:{MOST}]])\n"
        "edits = []\n"
        f"{switch if edits else ''}"
        f"_, capture = former.run_with_capture(model, tokens, {STREAM!r}, edits=edits)\n"
        f"before = capture.stack('resid_pre')[:, 0, {at}]  # (depth, e)\n"
        f"middle = capture.stack('resid_mid')[:, 0, {at}]\n"
        f"after = capture.stack('resid_post')[:, 0, {at}]\n"
        "stream = torch.cat([before[:1], torch.stack([middle, after], dim=1).flatten(0, 1)])\n"
        "probs, ids = model.unembed(stream[None])[0].detach().softmax(-1).topk(3)\n"
        "for top, shares in zip(ids, probs):  # what the model would say at each point\n"
        "    print(bundle.tokenizer.labels(top.tolist()), shares.tolist())\n"
        "attention, feed_forward = (middle - before).norm(dim=-1), (after - middle).norm(dim=-1)\n"
        "figure = figures.additions(attention, feed_forward)\n"
    )


SECTION = Section(
    name="block",
    article="The transformer block",
    equation=(
        r"x \leftarrow x + \mathrm{attention}(\mathrm{norm}\,x) \qquad"
        r" x \leftarrow x + \mathrm{ff}(\mathrm{norm}\,x)"
    ),
    code=(former.TransformerBlock.forward, former.TransformerBlock.add, former.logit_lens),
    values=values,
    python=python,
    opening=opening,
    answers={"through": through},
)
