"""What the words' order does to a model's outputs: the same text in two orders.

A permutation is written as the places of the words in the text as typed: P moves word `order[i]` to place i, so that
(P x)[i] = x[order[i]]. f is equivariant where f(P x) = P f(x), and invariant where f(P x) = f(x).

Sizes: t words, e embedding.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

import former
from former.config import shapes_only
from former.models import pool
from former.tokens import UNK
from viz.passes.loaded import Loaded, Models
from viz.passes.run import describe_output, tokenize
from viz.text import Note, Refusal, note
from viz.text.examples import PAIRS, REVIEW

MOST_WORDS = 24  # a picture with more rows can no longer be read
OUTPUTS = ("basic", "layer", "block", "classifier")
POSITIONS = ("none", "learned", "sinusoidal")
MASKS = ("none", "causal")
AS_TYPED = "typed"  # the order of a text that nothing moved in
# Equal up to rounding: so many steps of float32's last place, times the largest output. Sums taken in another order
# differ by one to five of them here (on random texts); what breaks equivariance, by thousands.
LAST_PLACE = 2.0**-23
ROUNDING_STEPS = 16
ROUNDING = ROUNDING_STEPS * LAST_PLACE

Function = Callable[[Tensor], Tensor]
Both = tuple[Tensor, Tensor]  # of the text as typed, and of its words in another order


@dataclass(frozen=True)
class Subject:
    """The classifier of this tab, under each kind of positions it can run with; and one without, to set beside it."""

    loaded: Loaded
    kinds: Mapping[str, former.Classifier]  # the same weights, but for the positions
    bag: Loaded | None  # a classifier of the same words that was trained without positions

    @property
    def most(self) -> int:
        """How many words of a text are taken: as many as a picture can show and both classifiers read."""
        contexts = [each.bundle.config.seq_length for each in (self.loaded, self.bag) if each]
        return min(MOST_WORDS, *contexts)


def find(models: Models) -> Subject | None:
    """The tab's classifiers among the models; None where there is none."""
    classifiers = [loaded for loaded in models.values() if loaded.is_classifier]
    if not classifiers:
        return None
    with_positions = [loaded for loaded in classifiers if loaded.bundle.config.positions != "none"]
    without = [loaded for loaded in classifiers if loaded.bundle.config.positions == "none"]
    loaded = (with_positions or classifiers)[0]
    vocabulary = loaded.bundle.tokenizer.to_dict()  # where it is the same, the ids of one are those of the other
    alike = (one for one in without if one is not loaded and one.bundle.tokenizer.to_dict() == vocabulary)
    return Subject(loaded, _kinds(loaded.bundle.model), next(alike, None))


def _kinds(model: Any) -> dict[str, former.Classifier]:
    """The model with its positions, and the same weights with the others it can have."""
    own, emb = model.config.positions, model.config.emb
    kinds: dict[str, former.Classifier] = {}
    for kind in POSITIONS:
        if kind == own:
            kinds[kind] = model
        elif kind == "none" or (kind == "sinusoidal" and emb % 2 == 0):
            with shapes_only():  # no weights of its own: it is given the model's
                other = former.Classifier(replace(model.config, positions=kind))
            other.load_state_dict(model.state_dict(), strict=False, assign=True)
            kinds[kind] = other.eval()
    return kinds


@torch.inference_mode()
def answer(subject: Subject | None, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What the text and the text in another order give.

    Args:
        subject: what is run.
        asked: "text"; "order", the places of the words as "2.0.1", or "typed"; "positions" of `POSITIONS`; "mask" of
            `MASKS`; "output" of `OUTPUTS`, the one to picture.
    Returns:
        "text", "positions", "mask", "output": as they were asked for.
        "labels": of the words as typed; "order": [place, ...]; "remarks": for the visitor.
        "errors": [see `measure`]; "picture": see `picture`; "verdicts": [see `verdict`].
    Raises:
        Refusal: nothing that can be run.
    """
    if subject is None:
        raise Refusal("no_classifier")
    positions = _choice(asked, "positions", subject.kinds)
    masked = _choice(asked, "mask", MASKS)
    output = _choice(asked, "output", OUTPUTS)
    ids, labels, remarks = read_text(subject, asked.get("text"))
    order, fits = read_order(asked.get("order"), len(ids))
    if not fits:
        remarks.append(note("misfit_order", count=len(ids)))
    tokens = torch.tensor([ids])
    both = (tokens, tokens[:, order])
    mask = former.masks.causal(len(ids)) if masked == "causal" else None
    model = subject.kinds[positions]
    outputs = run(functions(model, mask), both)
    plain = run(functions(subject.kinds["none"], None), both) if masked != "none" or positions != "none" else {}
    rows = (
        run({"rows": lambda ids: model.norm(model.transformer(model.transformer.embed(ids), mask))}, both)["rows"]
        if output == "classifier"
        else None
    )
    return {
        "text": asked["text"],
        "labels": labels,
        "order": order,
        "positions": positions,
        "mask": masked,
        "output": output,
        "remarks": remarks,
        "errors": [measure(name, outputs[name], order, plain.get(name)) for name in OUTPUTS],
        "picture": picture(model, outputs[output], rows),
        "verdicts": [verdict(loaded, both, order) for loaded in (subject.loaded, subject.bag) if loaded],
    }


def pairs(subject: Subject) -> list[dict[str, str]]:
    """The ready texts: {"text", "order": its words as the other text has them, "other": that text}; last a review."""
    split = subject.loaded.bundle.tokenizer.encode
    made = [{"text": a, "order": order_of(split(a), split(b)), "other": b} for a, b in PAIRS]
    return [*made, {"text": REVIEW, "order": AS_TYPED, "other": ""}]


def order_of(ids: list[int], others: list[int]) -> str:
    """The order that makes `others` of `ids`, which hold the same; a repeated one stays where it can."""
    free = set(range(len(ids)))
    order = []
    for place, wanted in enumerate(others):
        word = place if place in free and ids[place] == wanted else next(i for i in sorted(free) if ids[i] == wanted)
        free.remove(word)
        order.append(word)
    return ".".join(map(str, order))


def _choice(asked: Mapping[str, Any], name: str, choices: Any) -> str:
    given = asked.get(name)
    if not isinstance(given, str) or given not in choices:
        raise Refusal("bad_request")
    return given


def read_text(subject: Subject, given: Any) -> tuple[list[int], list[str], list[Note]]:
    """The ids and labels of a text's first words, and what there is to remark on it.

    Raises:
        Refusal: nothing that can be read.
    """
    ids, labels, total = tokenize(subject.loaded, given)
    most = subject.most
    remarks = [note("many_words", kept=most, total=total)] if total > most else []
    if unknown := sum(label.startswith(UNK) for label in labels[:most]):
        remarks.append(note("unknown_words", count=unknown, total=len(labels[:most])))
    return ids[:most], labels[:most], remarks


def read_order(given: Any, t: int) -> tuple[list[int], bool]:
    """The order of t words, and whether it is what was given; the order as typed where that does not fit.

    Raises:
        Refusal: not a text.
    """
    if not isinstance(given, str):
        raise Refusal("bad_request")
    typed = list(range(t))
    if given == AS_TYPED:
        return typed, True
    if not re.fullmatch(rf"\d{{1,2}}(\.\d{{1,2}}){{0,{MOST_WORDS - 1}}}", given, flags=re.ASCII):
        return typed, False
    order = [int(place) for place in given.split(".")]
    return (order, True) if sorted(order) == typed else (typed, False)


def functions(model: former.Classifier, mask: Tensor | None) -> dict[str, Function]:
    """The four f of the tab, by their names in `OUTPUTS`: from ids (1, t) to outputs.

    The first three give a vector a word, (1, t, e): the article's first operation on the word vectors; the first
    block's attention on what it reads in the model, the normed vectors; and that whole block. The last gives the
    classes' log-probabilities, (1, num_classes).
    """
    transformer = model.transformer
    block: Any = transformer.blocks[0]

    def vectors(ids: Tensor) -> Tensor:
        return transformer.token_embedding(ids) + transformer.positions(torch.arange(ids.shape[1]))

    def layer(ids: Tensor) -> Tensor:
        x = vectors(ids)
        return block.attention(block.norm1(x) if block.pre_norm else x, mask)

    return {
        "basic": lambda ids: former.basic_self_attention(vectors(ids), mask)[0],
        "layer": layer,
        "block": lambda ids: block(vectors(ids), mask),
        "classifier": lambda ids: model(ids, mask=mask),
    }


def run(functions: Mapping[str, Function], both: Both) -> dict[str, Both]:
    """What each gives of both."""
    return {name: (f(both[0]), f(both[1])) for name, f in functions.items()}


def measure(name: str, outputs: Both, order: list[int], plain: Both | None = None) -> dict[str, Any]:
    """How far f is from equivariant, or, where it gives one row a text, from invariant.

    Args:
        name: of f.
        outputs: f(x), f(Px).
        order: P.
        plain: the same without positions and without a mask, where there are any.
    Returns:
        {"name", "error": max |f(Px) − P f(x)| or max |f(Px) − f(x)|, "size": max |f(x)|,
        "limit": the error that rounding may make, "equal": whether it is below, "plain": the error of `plain` or None}.
    """
    before, after = outputs
    moved = before[:, order] if before.dim() == 3 else before
    error = float((after - moved).abs().max())
    size = float(before.abs().max())
    limit = ROUNDING * size
    alone = measure(name, plain, order)["error"] if plain else None
    return {"name": name, "error": error, "size": size, "limit": limit, "equal": error <= limit, "plain": alone}


def picture(model: former.Classifier, outputs: Both, rows: Both | None) -> dict[str, Any]:
    """The output of every word, before and after: float32 in base64, row by row, places first.

    Args:
        model: the classifier.
        outputs: f(x), f(Px).
        rows: where f is the whole classifier: the words' outputs of its last block; they are shown, and their average.
    Returns:
        {"words": t, "emb": e, "before", "after": (t, e) each}; for the whole classifier
        {"pooled": {"before", "after"}, each (e,): what its pooling makes of the rows,
        "values": {"before", "after"}: the log-probabilities}.
    """
    times = ("before", "after")
    shown = rows or outputs
    made: dict[str, Any] = {"words": shown[0].shape[1], "emb": shown[0].shape[2]}
    made |= {time: pack(each) for time, each in zip(times, shown, strict=True)}
    if rows:
        real = torch.ones(rows[0].shape[:2], dtype=torch.bool)
        pooled = [pack(pool(each, real, model.config.pooling)) for each in rows]
        made["pooled"] = dict(zip(times, pooled, strict=True))
        made["values"] = {time: each[0].tolist() for time, each in zip(times, outputs, strict=True)}
    return made


def pack(values: Tensor) -> str:
    """float32, little-endian, in base64."""
    return base64.b64encode(values.contiguous().numpy().astype("<f4").tobytes()).decode()


def verdict(loaded: Loaded, both: Both, order: list[int]) -> dict[str, Any]:
    """What a classifier, as it was trained, makes of the ids in both orders.

    Returns:
        {"name", "positions", "classes", "before": [probability of each class], "after", "moved": the largest change in
        a probability, "equal": whether it is rounding}.
    """
    outputs = run({"": loaded.bundle.model}, both)[""]
    before, after = (out[0].double().exp().tolist() for out in outputs)
    return {
        "name": loaded.name,
        "positions": loaded.bundle.config.positions,
        "classes": describe_output(loaded, both[0], outputs[0], ())["classes"],
        "before": before,
        "after": after,
        "moved": max(abs(a - b) for a, b in zip(after, before, strict=True)),
        "equal": measure("", outputs, order)["equal"],
    }
