"""Section "Since the article": rotary positions, RMS norms, gated feed-forwards and shared keys, each in a tiny model.

Sizes: t tokens, e embedding, s size of one head.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

import former
from former.blocks import NORMS, SwiGLU
from former.generate import KeyValueCache
from former.positions import RotaryPositions
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.panels.panel import shown
from viz.passes.loaded import Models
from viz.passes.run import tokenize
from viz.server.view import View, read_index, read_number
from viz.tabs.learn import shipped
from viz.tabs.learn.section import Section
from viz.tabs.learn.sections.since.compared import (
    FAMILY,
    GATED,
    LARGER,
    RMS,
    ROTARY,
    compare_models,
    count_caches,
    find,
    table_row,
)

TEXT = "The cat sat on the mat, and the cat slept."
MOST_TOKENS = 60  # tokens that are read
SHIFTS = 200  # places by which both tokens may move
LATER = 100  # places by which the check moves them
FAR = 256  # distances of the curve: the context of training
NUMBERS = 12  # of a vector that are shown
ADDED = 3.0  # the most that may be added to each number
LENGTHS = [2**power for power in range(7, 16)]  # t = 128 … 32,768


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view, its limits, and the models from their cards."""
    rotary = shipped.load(ROTARY).bundle.config
    limits = {"text": TEXT, "most": MOST_TOKENS, "shifts": SHIFTS, "added": ADDED, "lengths": LENGTHS}
    return {
        **limits,
        **{"heads": rotary.heads, "planes": rotary.head_size // 2},
        "family": [[table_row(models, name) for name in names] for names in (FAMILY, LARGER)],
        "models": {"rotary": ROTARY, "norm": RMS, "gate": GATED, "modern": LARGER[-1]},
    }


def read_text(view: View, name: str) -> dict[str, Any]:
    """Reads the text, and the position of a token, for one of the tiny models.

    Raises:
        Refusal: an invalid view.
    """
    loaded = shipped.load(name)
    tokenize(loaded, view.get("text", ""))
    return {"bundle": loaded, "text": view["text"], "at": read_index(view, "at", MOST_TOKENS)}


def run(bundle: former.Bundle, text: str, at: int, points: tuple[str, ...], layer: int) -> tuple[Any, int, list[str]]:
    """Runs a model on a text; returns the capture of a layer's `points`, `at` limited to the text, and the labels."""
    ids = bundle.tokenizer.encode(text)[:MOST_TOKENS]
    _, capture = former.run_with_capture(bundle.model, torch.tensor([ids]), points, [layer])
    return capture, min(at, len(ids) - 1), bundle.tokenizer.labels(ids)


def turn_vector(positions: RotaryPositions, vector: Tensor, places: Tensor) -> Tensor:
    """Turns a vector (s,) by rotary positions, once for each position in `places` (n,): returns (n, s)."""
    return positions.turn(places, vector.dtype)(vector.expand(len(places), -1))


@torch.inference_mode()
def turn_head(bundle: former.Bundle, text: str, at: int, back: int, head: int, shift: int = 0) -> Numbers:
    """Turns the query and the key of two tokens, in a head of the first layer, as rotary positions do.

    Args:
        bundle: a generator with rotary positions and a head of keys for each head of queries.
        text: its first `MOST_TOKENS` tokens are read.
        at: position of the query; limited to the last token.
        back: distance to the key; limited to the first token.
        head: of the first layer.
        shift: number of positions by which both move.
    Returns:
        "labels"; "at" and "key", the two positions; "q" and "k" (s,), before they are turned; "turned_q" and
        "turned_k", turned at the positions moved by `shift`; "planes" (s/2, 2, 2), both as points in each plane;
        "angles" (s/2,), by which q is turned further than k, in radians; "parts" (s/2,), the contribution of each plane
        to the score; "score" as the model computes it, "moved", that of the turned vectors, and "later", that with both
        tokens `LATER` positions on; "by_distance" (FAR,), the score at each distance; "distance" of the two tokens.
    """
    capture, at, labels = run(bundle, text, at, ("q", "k", "scores"), 0)
    key, positions = max(0, at - back), bundle.model.transformer.positions
    both = {"q": (capture["q", 0][0, head, at], at), "k": (capture["k", 0][0, head, key], key)}
    q, k = (turn_vector(positions, seen, torch.tensor([-position]))[0] for seen, position in both.values())

    def scores(query: Tensor, others: Tensor) -> Tensor:
        return turn_vector(positions, q, query) @ turn_vector(positions, k, others).T / len(q) ** 0.5

    places = torch.tensor([[at, key]]) + torch.tensor([[shift], [shift + LATER]])  # (2, 2)
    turned_q, turned_k = turn_vector(positions, q, places[:1, 0])[0], turn_vector(positions, k, places[:1, 1])[0]
    planes = torch.stack([each.unflatten(0, (2, -1)).T for each in (turned_q, turned_k)], 1)  # (s/2, 2, 2)
    return {
        "labels": labels,
        **{"at": at, "key": key, "distance": at - key},
        **{"q": q, "k": k, "turned_q": turned_q, "turned_k": turned_k, "planes": planes},
        "angles": (at - key) * positions.frequencies(q),
        "parts": planes.prod(1).sum(-1) / len(q) ** 0.5,
        "score": capture["scores", 0][0, head, at, key],
        "moved": scores(places[:1, 0], places[:1, 1])[0, 0],
        "later": scores(places[1:, 0], places[1:, 1])[0, 0],
        "by_distance": scores(torch.arange(FAR), torch.tensor([0]))[:, 0],
    }


def read_pair(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `turn_head`."""
    heads = shipped.load(ROTARY).bundle.config.heads
    named = {"back": MOST_TOKENS, "head": heads, "shift": SHIFTS + 1}
    return {**read_text(view, ROTARY), **{name: read_index(view, name, size) for name, size in named.items()}}


@torch.inference_mode()
def norm_vector(bundle: former.Bundle, text: str, at: int, added: float = 0.0) -> Numbers:
    """Norms one token's vector in the residual stream, by layer norm and by its root mean square.

    Args:
        bundle: a generator.
        text: its first `MOST_TOKENS` tokens are read.
        at: position of the token; limited to the last.
        added: added to each number of the vector.
    Returns:
        "labels"; "at"; "x" (e,), the vector before the second layer, with `added`; "layer" and "rms", the vector after
        each of the two norms, without gain and bias; "mean" of x and "size", its root mean square; "moved_layer" and
        "moved_rms", the largest change of a normed number caused by `added`; for the figure "names" of the first
        `NUMBERS` numbers, and "shown" (3, NUMBERS), these of the three vectors.
    """
    capture, at, labels = run(bundle, text, at, ("resid_pre",), 1)
    before = capture["resid_pre", 1][0, at]
    x, eps = before + added, bundle.config.norm_eps
    norms = {name: norm(len(x), eps) for name, norm in NORMS.items()}
    result = {name: norm(x) for name, norm in norms.items()}
    return {
        **{"labels": labels, "at": at, "x": x, **result},
        "mean": x.mean(),
        "size": x.square().mean().sqrt(),
        **{f"moved_{name}": (result[name] - norm(before)).abs().max() for name, norm in norms.items()},
        "names": list(range(NUMBERS)),
        "shown": torch.stack((x, result["layer"], result["rms"]))[:, :NUMBERS],
    }


def read_vector(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `norm_vector`."""
    return {**read_text(view, RMS), "added": read_number(view, "added", -ADDED, ADDED, default=0.0)}


@torch.inference_mode()
def gate_token(bundle: former.Bundle, text: str, at: int) -> Numbers:
    """Computes the hidden numbers of one token in the first layer's gated feed-forward.

    Args:
        bundle: a generator with such a feed-forward.
        text: its first `MOST_TOKENS` tokens are read.
        at: position of the token; limited to the last.
    Returns:
        "labels"; "at"; "gate" and "up" (hidden,), the outputs of the two maps for the token's normed vector; "open",
        silu of the gate; "hidden", its product with "up"; "error": its largest difference from the model's own numbers;
        "closed": the share of gates with a factor below 0.1; "top": indices of the `NUMBERS` largest hidden numbers;
        there "rows" (NUMBERS, 4) has "gate", "open", "up" and "hidden", "given" has "up", and "passed" has "hidden".
    """
    capture, at, labels = run(bundle, text, at, ("resid_mid", "mlp_hidden"), 0)
    block = bundle.model.transformer.blocks[0]
    first = block.ff[0]
    x = block.norm2(capture["resid_mid", 0][0, at])
    gate, up = first.gate(x), first.up(x)
    factor = torch.nn.functional.silu(gate)
    hidden = factor * up
    top = hidden.abs().topk(NUMBERS).indices
    return {
        **{"labels": labels, "at": at, "gate": gate, "open": factor, "up": up, "hidden": hidden},
        "error": (hidden - capture["mlp_hidden", 0][0, at]).abs().max(),
        "closed": (factor.abs() < 0.1).float().mean(),
        "top": top.tolist(),
        "rows": torch.stack((gate, factor, up, hidden), 1)[top],
        **{"given": up[top], "passed": hidden[top]},
    }


CURVE = Draw(figures.similarity, Field("by_distance"), Field("distance"), axes=("distance", "score"))
NORMED = Draw(figures.bars, Field("rms"), before=Field("layer"), axis="normed")
MOVED = ("moved_layer", "moved_rms")
PASSED = Draw(figures.bars, Field("passed"), Field("top"), before=Field("given"), axis="number")
WORTH = Draw(figures.bars, Field("bits"), Field("names"), axis="bits per byte")
CACHES = Draw(figures.bars, Field("shared"), Field("names"), before=Field("own"), axis="bytes")

SECTION = Section(
    name="since",
    article="Going big",
    equation=(
        r"(R_i\, q) \cdot (R_j\, k) = q \cdot (R_{j-i}\, k) \qquad"
        r" \mathrm{rms}(x) = \frac{x}{\sqrt{\mathrm{mean}(x^2)}} \odot g \qquad"
        r" \mathrm{ff}(x) = W \left(\mathrm{silu}(G x) \odot U x\right)"
    ),
    code=(RotaryPositions.turn, SwiGLU, KeyValueCache),
    questions={
        "turned": Question(
            turn_head, read_pair, CURVE, charted=True, prints=("score",), when=shown("rotary"), unsent=("by_distance",)
        ),
        "normed": Question(
            norm_vector, read_vector, NORMED, prints=MOVED, when=shown("norm"), unsent=("x", "layer", "rms")
        ),
        "gated": Question(
            gate_token,
            lambda models, view: read_text(view, GATED),  # noqa: ARG005
            PASSED,
            prints=("closed",),
            when=shown("gate"),
            unsent=("gate", "open", "up", "hidden", "given", "passed"),
        ),
        "cached": Question(
            count_caches,
            lambda models, view: {"t": LENGTHS[read_index(view, "length", len(LENGTHS))]},  # noqa: ARG005
            CACHES,
            charted=True,
            prints=("names", "shared", "own"),
            when=shown("cache"),
        ),
        "compared": Question(
            compare_models,
            lambda models, view: {"bundles": {name: find(models, name) for name in FAMILY + LARGER}},  # noqa: ARG005
            WORTH,
            prints=("names", "bits"),
            when=shown("worth"),
            asked=False,
        ),
    },
    props=props,
)
