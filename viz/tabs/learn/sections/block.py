"""Section "The block": one token through a trained stack, and attention as the only way between tokens; what of a block
is not linear; and where the norms stand.

Sizes: t tokens, e embedding, points of the stream: before the first block, and after each attention and feed-forward.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

import former
from former.edits import Edit
from former.hooks import run_with_capture
from viz import figures
from viz.browser import chart
from viz.passes.loaded import Loaded, Models, causal
from viz.passes.run import rounded, tokenize
from viz.server.view import View, read_choice, read_index
from viz.tabs.learn.block_facts import CASES, additivity, gradients
from viz.tabs.learn.score_terms import summands
from viz.tabs.learn.section import Section
from viz.tabs.python import IMPORTS
from viz.text import Refusal

TEXT = "The United States of Ameri"
PREFERRED = "generator"
MOST = 40  # tokens that are read
TOP = 3  # guesses that are named at each point
ATTENTION = ("on", "off")
STREAM = ("resid_pre", "resid_mid", "resid_post")
SHOWS = ("stack", "linear", "gradient")
NORMS = ("post", "pre")
DEPTHS = {"min": 2, "initial": 12, "max": 24}
SEEDS = 100
BEGUN: dict[str, Any] = {"emb": 64, "heads": 4, "seq_length": MOST}  # the model whose gradients are measured


def reader(models: Models) -> Loaded:
    """The model that is looked into: the large generator, where it is there."""
    able = causal(models)
    return able.get(PREFERRED) or next(iter(able.values()))


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with, and its limits."""
    loaded = reader(models)
    config = loaded.bundle.config
    limits = {"most": MOST, "depths": DEPTHS, "seeds": SEEDS, "emb": BEGUN["emb"]}
    return {"text": TEXT, "model": loaded.name, "activation": config.activation, **limits}


def read(models: Models, view: View) -> tuple[Loaded, list[int], int, list[Edit]]:
    """The model, the tokens, the one that is followed (the last where the text is shorter) and the changes of a view.

    Raises:
        Refusal: a view that is none.
    """
    loaded, ids = read_text(models, view)
    at = read_index(view, "at", MOST)
    edits = switched_off(loaded) if read_choice(view, "attention", ATTENTION) == "off" else []
    return loaded, ids, min(at, len(ids) - 1), edits


def read_text(models: Models, view: View) -> tuple[Loaded, list[int]]:
    """The model and the tokens of a view.

    Raises:
        Refusal: a text that cannot be read.
    """
    loaded = reader(models)
    return loaded, tokenize(loaded, view.get("text", ""))[0][:MOST]


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


def linear(models: Models, view: View) -> dict[str, Any]:
    """How far the first block is from additive, with all of it and with parts taken out.

    The two vectors that it is tried on are those whose sum it reads: of each token, and of its place.

    Args:
        models: by name.
        view: "text".
    Returns:
        "cases": [{"left": of `block_facts.PARTS`, "off": the largest difference as a part of the largest number}].
    Raises:
        Refusal: a text that cannot be read.
    """
    loaded, ids = read_text(models, view)
    block, mask = loaded.bundle.model.transformer.blocks[0], loaded.mask(len(ids))
    with torch.inference_mode():
        both = summands(loaded, ids)
    return {"cases": [{"left": list(left), "off": additivity(block, *both, mask, left)} for left in CASES]}


def gradient(models: Models, view: View) -> dict[str, Any]:
    """The gradient of each block at the start of training, with norms after the residuals and before the sublayers.

    Args:
        models: by name.
        view: "text", of at least two tokens, "depth" and "seed".
    Returns:
        "depth"; "post" and "pre": a size for each block; "chart".
    Raises:
        Refusal: a view that is none.
    """
    depth, found = sizes(models, view)
    lines = {norm: (range(depth), each) for norm, each in found.items()}
    return {"depth": depth, **found, "chart": chart.themed(lambda theme: figures.training(lines, theme=theme))}


def read_sizes(models: Models, view: View) -> tuple[Loaded, list[int], int, int]:
    """The model, the tokens, the depth and the seed of a view.

    Raises:
        Refusal: a view that is none.
    """
    loaded, ids = read_text(models, view)
    depth, seed = read_index(view, "depth", DEPTHS["max"] + 1), read_index(view, "seed", SEEDS)
    if depth < DEPTHS["min"]:
        raise Refusal("bad_request")
    if len(ids) < 2:
        raise Refusal("learn_block_short")
    return loaded, ids, depth, seed


def sizes(models: Models, view: View) -> tuple[int, dict[str, list[float]]]:
    """The depth of a view, and the gradients by where the norms stand.

    Raises:
        Refusal: a view that is none.
    """
    _, ids, depth, seed = read_sizes(models, view)
    tokens = torch.tensor([ids])
    base = former.ModelConfig(**BEGUN, depth=depth)
    return depth, {norm: gradients(replace(base, norm=norm), tokens, seed) for norm in NORMS}


def values(models: Models, view: View) -> Mapping[str, Tensor]:
    """The token's vector at every point, and how long what each part adds is; or what else is shown."""
    show = read_choice(view, "show", SHOWS)
    if show == "linear":
        return {"off": torch.tensor([[case["off"] for case in linear(models, view)["cases"]]])}
    if show == "gradient":
        return {norm: torch.tensor([found]) for norm, found in sizes(models, view)[1].items()}
    x = stream(*read(models, view))
    added = (x[1:] - x[:-1]).norm(dim=-1)
    return {"stream": x, "attention": added[::2], "feed_forward": added[1::2]}


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    show = read_choice(view, "show", SHOWS)
    return {"stack": stack_again, "linear": linear_again, "gradient": gradient_again}[show](models, view)


def linear_again(models: Models, view: View) -> str:
    """The lines of the parts that are not linear."""
    loaded, ids = read_text(models, view)
    return (
        f"{IMPORTS}from viz.tabs.learn.block_facts import CASES, additivity\n\n"
        f"bundle = {loaded.code}\n"
        "model = bundle.model\n"
        f"ids = bundle.tokenizer.encode({view['text']!r})[:{len(ids)}]\n"
        "with torch.inference_mode():\n"
        "    token = model.transformer.token_embedding(torch.tensor([ids]))  # (1, t, e)\n"
        "    place = model.transformer.positions(torch.arange(len(ids))).expand_as(token)\n"
        "block, mask = model.transformer.blocks[0], model.mask(len(ids))\n"
        "off = torch.empty(1, len(CASES))\n"
        "for i, left in enumerate(CASES):\n"
        "    off[0, i] = additivity(block, token, place, mask, left)\n"
        "labels = [' + '.join(left) or 'nothing' for left in CASES]\n"
        "figure = figures.bars(off[0], labels, axis='off from additive')\n"
    )


def gradient_again(models: Models, view: View) -> str:
    """The lines of the gradients at the start."""
    loaded, ids, depth, seed = read_sizes(models, view)
    return (
        f"{IMPORTS}from viz.tabs.learn.block_facts import gradients\n\n"
        f"bundle = {loaded.code}  # for its tokenizer alone\n"
        f"tokens = torch.tensor([bundle.tokenizer.encode({view['text']!r})[:{len(ids)}]])\n"
        "lines, curves = {}, {}\n"
        f"for norm in {NORMS!r}:\n"
        f"    config = former.ModelConfig(**{BEGUN!r}, depth={depth}, norm=norm)\n"
        f"    lines[norm] = gradients(config, tokens, seed={seed})\n"
        f"    curves[norm] = range({depth}), lines[norm]\n"
        "post, pre = torch.tensor([lines['post']]), torch.tensor([lines['pre']])\n"
        "figure = figures.training(curves, axes=('block', 'gradient at the start'))\n"
    )


def stack_again(models: Models, view: View) -> str:
    """The lines of the stack."""
    loaded, _, at, edits = read(models, view)
    switch = (
        "for layer in range(model.config.depth):  # no head brings anything\n"
        '    edits.append(former.edits.Edit(layer, "out", torch.zeros_like))\n'
    )
    return (
        f"{IMPORTS}\n"
        f"bundle = {loaded.code}\n"
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
    code=(former.TransformerBlock.forward, former.logit_lens),
    values=values,
    python=python,
    opening=opening,
    answers={"through": through, "linear": linear, "gradient": gradient},
)
