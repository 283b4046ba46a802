"""Section "The block": follows one token through a trained stack, shows that only attention connects tokens, which
parts of a block are not linear, and what the position of the norms changes.

Sizes: t tokens, e embedding, points of the stream: before the first block, and after each attention and feed-forward.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

import former
from former.edits import Edit
from former.hooks import run_with_capture
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.panels.panel import shown
from viz.passes.loaded import Loaded, Models, causal
from viz.passes.run import tokenize
from viz.server.view import View, read_choice, read_index, read_whole
from viz.tabs.learn import shipped
from viz.tabs.learn.score_terms import summands
from viz.tabs.learn.section import Section
from viz.tabs.learn.sections.block.block_facts import CASES, additivity, gradients
from viz.text import Refusal

TEXT = "The United States of Ameri"
AT = 14  # the token that is followed first: several come before and after it
PREFERRED = "generator"
POST = "tiny-post-norm"  # the model with the norms where the article has them
MOST_TOKENS = 40  # tokens that are read
TOP = 3  # guesses that are named at each point
ATTENTION = ("on", "off")
STREAM = ("resid_pre", "resid_mid", "resid_post")
NORMS = ("post", "pre")
STAGES = {  # of a block, in the order in which a vector goes through
    "pre": ("norm1", "attention", "sum1", "norm2", "feed_forward", "sum2"),
    "post": ("attention", "sum1", "norm1", "feed_forward", "sum2", "norm2"),
}
DEPTHS = {"min": 2, "initial": 12, "max": 24}
SEEDS = 100
BEGUN: dict[str, Any] = {"emb": 64, "heads": 4, "seq_length": MOST_TOKENS}  # the model whose gradients are measured


def model_shown(models: Models) -> Loaded:
    """Chooses the model to show: the large generator if available."""
    able = causal(models)
    return able.get(PREFERRED) or next(iter(able.values()))


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view and the limits of its inputs."""
    loaded = model_shown(models)
    config = loaded.bundle.config
    limits = {"most": MOST_TOKENS, "depths": DEPTHS, "seeds": SEEDS, "emb": BEGUN["emb"]}
    models_of = {"pre": loaded.name, "post": POST}
    stack = {"models": models_of, "depth": config.depth, "stages": STAGES}
    return {"text": TEXT, "at": AT, "model": loaded.name, "activation": config.activation, **stack, **limits}


def read_words(models: Models, view: View) -> dict[str, Any]:
    """Reads the model and "text".

    Raises:
        Refusal: a text that cannot be read.
    """
    loaded = model_shown(models)
    tokenize(loaded, view.get("text", ""))
    return {"bundle": loaded, "text": view["text"]}


def read_token(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `follow_token`; "norms" chooses the model by the position of its norms."""
    off = read_choice(view, "attention", ATTENTION) == "off"
    arguments = read_words(models, view)
    if read_choice({"norms": "pre", **view}, "norms", NORMS) == "post":
        arguments["bundle"] = shipped.load(POST)
        tokenize(arguments["bundle"], arguments["text"])
    return {**arguments, "at": read_index(view, "at", MOST_TOKENS), "off": off}


def read_sizes(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `compare_gradients`.

    Raises:
        Refusal: a number is out of range, or the text has fewer than two bytes.
    """
    arguments = read_words(models, view)
    depth, seed = read_whole(view, "depth", DEPTHS["min"], DEPTHS["max"]), read_index(view, "seed", SEEDS)
    if tokenize(arguments["bundle"], arguments["text"])[2] < 2:
        raise Refusal("learn_block_short")
    return {**arguments, "depth": depth, "seed": seed}


def switched_off(bundle: former.Bundle) -> list[Edit]:
    """Returns the edits that ablate every head of the model."""
    return [Edit(layer, "out", torch.zeros_like) for layer in range(bundle.config.depth)]


def stream(capture: former.Capture, at: int) -> Tensor:
    """Returns the vector of token `at` at every point of the stream, (1 + 2 · depth, e)."""
    before, middle, after = (capture.stack(name)[:, 0, at] for name in STREAM)  # each (depth, e)
    return torch.cat([before[:1], torch.stack([middle, after], dim=1).flatten(0, 1)])


def stages(block: former.TransformerBlock, capture: former.Capture, layer: int, at: int) -> Tensor:
    """Returns the length of the vector of token `at` after each of a block's `STAGES`, (6,)."""
    before, middle, after = (capture[name, layer][0, at] for name in STREAM)
    attention = block.attention.unifyheads(capture["out", layer][0, :, at].flatten())
    ff = capture["mlp_out", layer][0, at]
    if block.pre_norm:
        vectors = (block.norm1(before), attention, middle, block.norm2(middle), ff, after)
    else:
        vectors = (attention, before + attention, middle, ff, middle + ff, after)
    return torch.stack(vectors).norm(dim=-1)


def logit_changes(bundle: former.Bundle, ids: Sequence[int], at: int, edits: Sequence[Edit]) -> Tensor:
    """Returns the largest change of each token's logits, (t,), when token `at` gets a neighbouring id.

    Each text runs in its own pass, because rounding depends on the row of a batch.
    """
    changed = list(ids)
    changed[at] += 1 if changed[at] == 0 else -1
    before, after = (
        run_with_capture(bundle.model, torch.tensor([text]), (), edits=edits)[0][0] for text in (list(ids), changed)
    )
    return (after - before).abs().amax(-1)


@torch.inference_mode()
def follow_token(bundle: former.Bundle, text: str, at: int, off: bool = False) -> Numbers:
    """Follows one token through the stack.

    Args:
        bundle: a causal model.
        text: its first `MOST_TOKENS` tokens are read.
        at: index of the token; limited to the last.
        off: whether attention is switched off.
    Returns:
        "labels" of the tokens; "at"; "points": [{"part": "embedding", "attention" or "feed_forward", "layer", "added":
        the norm of what is added, "length": the norm of the stream, "top": [{"label", "prob"}]}], the prediction there;
        "stages" (depth, 6): the length of the token's vector after each stage of each block, in the order of `STAGES`;
        "moved" and "movedOff" (t,): the change of each token's logits when token `at` changes, as shown and with
        attention off; "stream", the token's vector at every point; "from_attention" and "from_feed_forward" (depth,):
        the norms of the vectors that these add.
    """
    ids, labels = bundle.tokenizer.encode(text)[:MOST_TOKENS], bundle.tokenizer.labels
    at, edits = min(at, len(ids) - 1), switched_off(bundle) if off else []
    capture = run_with_capture(bundle.model, torch.tensor([ids]), (*STREAM, "out", "mlp_out"), edits=edits)[1]
    x, blocks = stream(capture, at), bundle.model.transformer.blocks
    lengths = torch.stack([stages(block, capture, layer, at) for layer, block in enumerate(blocks)])  # (depth, 6)
    names = STAGES["pre" if blocks[0].pre_norm else "post"]
    attention, feed_forward = (lengths[:, names.index(part)] for part in ("attention", "feed_forward"))
    probs, tokens = bundle.model.unembed(x[None])[0].softmax(-1).topk(TOP)
    added = torch.cat([x[:1].norm(dim=-1), torch.stack([attention, feed_forward], dim=1).flatten()])
    points = [
        {
            "part": ("attention", "feed_forward")[(i + 1) % 2] if i else "embedding",
            "layer": (i + 1) // 2,
            "added": added[i],
            "length": x[i].norm(),
            "top": [{"label": labels([int(id_)])[0], "prob": p} for id_, p in zip(tokens[i], probs[i], strict=True)],
        }
        for i in range(len(x))
    ]
    moves = {
        "moved": logit_changes(bundle, ids, at, edits),
        "movedOff": logit_changes(bundle, ids, at, switched_off(bundle)),
    }
    halves = {"from_attention": attention, "from_feed_forward": feed_forward}
    return {"labels": labels(ids), "at": at, "points": points, "stages": lengths, **moves, "stream": x, **halves}


def miss_additivity(bundle: former.Bundle, text: str) -> Numbers:
    """Measures how far the first block is from additive, as a whole and without some of its parts.

    The two summands are the block's own inputs: the token vectors and the position vectors.

    Args:
        bundle, text: as in `follow_token`.
    Returns:
        "cases": [{"left": the parts in this case, names in `block_facts.PARTS`, "off": the error, as
        `block_facts.additivity` returns it}]; "off" (n,): the errors of all cases; "names" of the cases.
    """
    ids = bundle.tokenizer.encode(text)[:MOST_TOKENS]
    with torch.inference_mode():
        token, position = summands(bundle, ids)
    block, mask = bundle.model.transformer.blocks[0], bundle.model.mask(len(ids))
    off = [additivity(block, token, position, mask, left) for left in CASES]
    cases = [{"left": list(left), "off": each} for left, each in zip(CASES, off, strict=True)]
    return {"cases": cases, "off": torch.tensor(off), "names": [" + ".join(left) or "nothing" for left in CASES]}


def compare_gradients(bundle: former.Bundle, text: str, depth: int, seed: int = 0) -> Numbers:
    """Measures the gradient of each block before training, with post-norm and with pre-norm.

    Args:
        bundle: its tokenizer reads the text.
        text: of at least two tokens.
        depth: blocks.
        seed: of the weights.
    Returns:
        "depth"; "post" and "pre": the norm of the gradient of each block; "lines", both by name, for the figure.
    """
    tokens = torch.tensor([bundle.tokenizer.encode(text)[:MOST_TOKENS]])
    base = former.ModelConfig(**BEGUN, depth=depth)
    result = {norm: torch.tensor(gradients(replace(base, norm=norm), tokens, seed)) for norm in NORMS}
    return {"depth": depth, **result, "lines": {norm: (range(depth), each) for norm, each in result.items()}}


ADDITIONS = Draw(figures.additions, Field("from_attention"), Field("from_feed_forward"))
OFF = Draw(figures.bars, Field("off"), Field("names"), axis="distance from additive")
GRADIENTS = Draw(figures.training, Field("lines"))
GUESS = tuple(Field("points", -1, "top", 0, name) for name in ("label", "prob"))  # after the last block

SECTION = Section(
    name="block",
    article="The transformer block",
    equation=(
        r"x \leftarrow x + \mathrm{attention}(\mathrm{norm}\,x) \qquad"
        r" x \leftarrow x + \mathrm{ff}(\mathrm{norm}\,x)"
    ),
    code=(former.TransformerBlock.forward, former.logit_lens),
    questions={
        "through": Question(
            follow_token,
            read_token,
            ADDITIONS,
            charted=True,
            prints=GUESS,
            when=shown("stack"),
            unsent=("stream", "from_attention", "from_feed_forward"),
        ),
        "linear": Question(
            miss_additivity,
            read_words,
            OFF,
            prints=(Field("cases", 0, "off"),),
            when=shown("linear"),
            unsent=("off", "names"),
        ),
        "gradient": Question(
            compare_gradients,
            read_sizes,
            GRADIENTS,
            charted=True,
            prints=("post", "pre"),
            when=shown("gradient"),
            unsent=("lines",),
        ),
    },
    props=props,
)
