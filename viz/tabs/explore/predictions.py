"""Explore's panels, as Python: what the model predicts, at each depth and by each head."""

from __future__ import annotations

import math
from typing import Any

import former
from former.analysis.effects import PARTS, blank
from former.analysis.parts import check_writes
from viz.passes.lens import TOP
from viz.passes.loaded import Models
from viz.passes.run import as_refusals, check_head, class_names, read
from viz.passes.writes import TOP as WRITTEN
from viz.server.view import View, read_index
from viz.tabs.explore.starts import read_head, start
from viz.text import Refusal

ODDS = """
chosen = int(out[0].argmax())


def log_odds(log_probs):  # (b, num_classes) -> (b,), of the class the model chooses
    others = torch.cat((log_probs[:, :chosen], log_probs[:, chosen + 1 :]), 1)
    return log_probs[:, chosen] - others.logsumexp(1)

"""

EFFECTS = """\
names = [f"layer {layer}, head {head}" for layer, row in enumerate(effects) for head in range(len(row))]
figure = figures.bars(effects.flatten(), names)
"""

# Of a text with blanks:
PLACES = "places = [i for i, token in enumerate(ids) if token == bundle.tokenizer.mask_token]\n"

BLANKS_WORTH = (
    f"\n{PLACES}"
    + """\
targets = [int(out[0, i].argmax()) if id is None else id for i, id in zip(places, truth, strict=True)]


def bits(logits):  # (1, t, num_tokens) -> bits a hidden piece
    return -float(logits[0, places].softmax(-1)[range(len(places)), targets].log2().mean())


effects = torch.zeros(weights.shape[:2])  # (layers, h)
for layer in range(len(weights)):
    for head in range(weights.shape[1]):
        removed = [*edits, former.edits.ablate_head(layer, head)]
        effects[layer, head] = bits(former.run_with_capture(bundle.model, inputs, (), edits=removed)[0]) - bits(out)
"""
)

SEGMENT_WORTH = """

def bits(edits):  # of each of the segment's bytes but the first, under edits
    (logits, _), _ = former.run_with_capture(bundle.model, inputs, (), edits=edits)
    probs = logits[0, :-1].softmax(-1)
    return -float(probs.gather(1, tokens[0, 1:, None]).log2().mean())


off = former.edits.ablate_head
effects = torch.tensor([
    [bits([*edits, off(layer, head)]) - bits(edits) for head in range(weights.shape[1])]
    for layer in range(len(weights))
])  # (layers, h)
"""

ANSWER_WORTH = """
rows = [
    row
    for stack in ("cross", "encoder", "decoder")
    for row in former.analysis.ablation_by_layer(bundle.model, inputs, edits=edits, stack=stack)
]
effects = torch.stack(rows).unflatten(0, (3, -1))  # (stacks, layers, h): bits of each character of the answer
names = [f"{stack}, layer {layer}, head {head}" for stack in ("cross", "encoder", "decoder")
         for layer in range(effects.shape[1]) for head in range(effects.shape[2])]
figure = figures.bars(effects.flatten(), names)
"""


def fill_in(models: Models, view: View) -> str:
    """What the model says of each hidden word, before and after the edits; and whether one text follows another."""
    loaded, _, code, *_ = start(models, view)
    if not loaded.fills:
        raise Refusal("bad_request")
    check_head(loaded)
    follows = ""
    reading: Any = read(loaded, view["text"])
    if loaded.bundle.model.sentence is not None and 1 in reading.segments:
        follows = "follows = bundle.model.next_sentence(*inputs)[0].softmax(-1)[0]  # without the edits\n"
    return (
        f"{code}{PLACES}"
        "probs = out[0, places].softmax(-1)  # (hidden, num_tokens)\n"
        "before, _ = former.run_with_capture(bundle.model, inputs, ())\n"
        f"{follows}"
        "vocabulary = bundle.tokenizer.labels(range(bundle.tokenizer.num_tokens))\n"
        "pictures = [\n"
        "    figures.next_tokens(after, vocabulary, before=plain)\n"
        "    for after, plain in zip(probs, before[0, places].softmax(-1), strict=True)\n"
        "]\n"
        "figure = pictures[0] if pictures else figures.heads(weights, labels)  # where nothing is hidden: all heads\n"
    )


def prediction(models: Models, view: View) -> str:
    """What the model says, before and after the edits; of a text and its answer or of segments, after them only."""
    loaded, _, code, *_ = start(models, view)
    before = "before, _ = former.run_with_capture(bundle.model, tokens, ())\n"
    if loaded.judges:
        return (
            f"{code}{before}"
            f"classes = {class_names(loaded.bundle)!r}\n"
            "probs = out[0].exp()\n"
            "figure = figures.bars(probs, classes, before=before[0].exp())\n"
        )
    after_only = loaded.translates or loaded.remembers
    return (
        f"{code}{'' if after_only else before}"
        "probs = out[0, -1].softmax(-1)\n"
        "vocabulary = [bundle.tokenizer.labels([i])[0] for i in range(len(probs))]\n"
        f"figure = figures.next_tokens(probs, vocabulary{'' if after_only else ', before=before[0, -1].softmax(-1)'})\n"
    )


def lens(models: Models, view: View) -> str:
    """What the model would say at each depth."""
    loaded, t, code, *_ = start(models, view)
    check_head(loaded)
    config = loaded.bundle.config
    layer = read_index(view, "layer", config.depth)
    if loaded.judges:
        return (
            f"{code}"
            f"values, said = former.logit_lens(bundle.model, tokens, top={config.num_classes}, edits=edits)\n"
            "probs = values.exp()  # (depth + 1, 1, classes): before the first block, then after each\n"
            f"classes = {class_names(loaded.bundle)!r}\n"
            "names = [[[classes[i] for i in row[0]]] for row in said.tolist()]\n"
            'figure = figures.logit_lens(probs, names, ["verdict"])\n'
        )
    if loaded.fills:
        return (
            f"{code}{PLACES}"
            "places = places or list(range(len(ids)))  # where nothing is hidden: every token\n"
            f"top = {min(TOP, config.num_tokens)}\n"
            "values, said = former.logit_lens(bundle.model, inputs, top=top, edits=edits, log_probs=True)\n"
            "probs = values[:, 0, places].exp()  # (depth + 1, hidden, top): before the first block, then after each\n"
            "names = [[bundle.tokenizer.labels(best) for best in row] for row in said[:, 0, places].tolist()]\n"
            'figure = figures.logit_lens(probs, names, [f"{labels[i]} {i}" for i in places])\n'
        )
    query = -1 if view.get("map") == "encoder" else read_index(view, "query", t)  # -1: rows that say nothing
    read = "inputs" if loaded.translates or loaded.remembers else "tokens"
    said = "target" if loaded.translates else "tokens"
    return (
        f"{code}"
        f"top = {min(TOP, config.num_tokens)}\n"
        f"values, said = former.logit_lens(bundle.model, {read}, top=top, edits=edits, log_probs=True)\n"
        "probs = values[:, 0].exp()  # (depth + 1, t, top): before the first block, then after each\n"
        "names = [[[bundle.tokenizer.labels([i])[0] for i in best] for best in row] for row in said[:, 0].tolist()]\n"
        f"best = dict(zip(names[{layer + 1}][{query}], probs[{layer + 1}, {query}].tolist()))\n"
        f"figure = figures.logit_lens(probs, names, bundle.tokenizer.labels({said}[0].tolist()))\n"
    )


def writes(models: Models, view: View) -> str:
    """What the head adds to the logits at a token, and how all parts add up to one of them."""
    loaded, t, code, *_ = start(models, view)
    with as_refusals():
        check_writes(loaded.kind_of_run, loaded.bundle.model, view.get("map", "self"))
    layer, head = read_head(loaded, view)
    query = read_index(view, "query", t)
    read = "inputs" if loaded.translates or loaded.remembers else "tokens"
    said = "target" if loaded.translates else "tokens"
    heads = "cross" if view.get("map") == "cross" else "heads"
    return (
        f"{code}"
        f"parts = former.logit_parts(bundle.model, {read}, {query}, edits=edits)  # (..., num_tokens) each\n"
        f'added = parts["{heads}"][{layer}, {head}]\n'
        "added = added - added.mean()  # a number added to all alike changes nothing\n"
        f"raised, lowered = added.topk({WRITTEN}), added.topk({WRITTEN}, largest=False)\n"
        f"logits = out[0, {query}]\n"
        f"follows = int({said}[0, {query} + 1]) if {query} + 1 < {said}.shape[1] else int(logits.argmax())\n"
        "terms = {name: part[..., follows] - part.mean(-1) for name, part in parts.items()}\n"
        'terms["common"] = logits.mean()\n'
        "total = sum(float(term.sum()) for term in terms.values())  # the logit of what follows\n"
        "names = [bundle.tokenizer.labels([int(i)])[0] for i in raised.indices]\n"
        'figure = figures.bars(raised.values, names, axis="logit")\n'
    )


def surprise(models: Models, view: View) -> str:
    """How many bits each token was worth."""
    loaded, _, code, *_ = start(models, view)
    said = "target" if loaded.translates else "tokens"
    return (
        f"import math\n\n{code}"
        "log_probs = out[0, :-1].log_softmax(-1)\n"
        f"bits = -log_probs.gather(1, {said}[0, 1:, None])[:, 0] / math.log(2)  # of each token but the first\n"
        f'figure = figures.bars(bits, bundle.tokenizer.labels({said}[0, 1:].tolist()), axis="bits")\n'
    )


def interventions(models: Models, view: View) -> str:
    """What each head is worth, by switching it off."""
    loaded, _, code, *_ = start(models, view)
    check_head(loaded)
    if loaded.translates:
        return f"{code}{ANSWER_WORTH}"
    if loaded.fills:
        truth = list(loaded.kind_of_run.truths(read(loaded, view["text"])).values())
        return f"{code}truth = {truth}  # the ids of the hidden pieces\n{BLANKS_WORTH}{EFFECTS}"
    if loaded.remembers:
        return f"{code}{SEGMENT_WORTH}{EFFECTS}"
    odds = ODDS if loaded.judges else ""
    measure = "lambda log_probs: -log_odds(log_probs)" if loaded.judges else "None"
    return (
        f"{code}{odds}"
        f"rows = former.analysis.ablation_by_layer(bundle.model, tokens, {measure}, edits=edits)\n"
        f"effects = torch.stack(list(rows))  # (layers, h)\n{EFFECTS}"
    )


def words(models: Models, view: View) -> str:
    """What carried a verdict: by attention, and by leaving words out."""
    loaded, t, code, *_ = start(models, view)
    size = math.ceil(t / PARTS)
    read_from = "[0]" if isinstance(loaded.bundle.model, former.BertClassifier) else ".mean(0)"
    return (
        f"{code}{ODDS}"
        f"shares = former.analysis.rollout(weights){read_from}  # (t,)\n"
        "changes = []\n"
        f"for i in range(0, len(ids), {size}):\n"
        "    without = tokens.clone()\n"
        f"    without[0, i : i + {size}] = {blank(loaded.bundle.tokenizer)}  # says nothing\n"
        "    left, _ = former.run_with_capture(bundle.model, without, (), edits=edits)\n"
        "    changes.append(float(log_odds(out) - log_odds(left)))\n"
        f'figure = figures.bars(changes, labels[::{size}], axis="log-odds")\n'
    )
