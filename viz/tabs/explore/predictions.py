"""What Explore's panels show of what a model says, and of what parts are worth to it.

Sizes: t tokens, h heads.
"""

from __future__ import annotations

import torch

from former import analysis
from former.analysis import effects
from former.runs import Run
from viz.panels import Numbers
from viz.passes.said import output

TOP = 10  # tokens that a head raises most, and as many that it lowers most


def predict(run: Run) -> Numbers:
    """Returns what a model says of a text: "names", "probs" of each, and the same "before" the run's edits.

    The names are of the likeliest next tokens, of the classes, or of the likeliest words for each hidden one.
    """
    said, before = output(run, run.unedited), output(run.unedited, run)
    if run.kind.says == "class":
        return {"names": said["classes"], "probs": said["probs"], "before": before["probs"]}
    places = [(said["next"], before["next"], "")] if run.kind.says == "next" else []
    for blank, plain in zip(said.get("blanks", ()), before.get("blanks", ()), strict=True):
        places.append((blank["next"], plain["next"], f" {blank['token']}"))
    found = {"names": [], "probs": [], "before": []}
    for after, earlier, place in places:
        plain = {each["id"]: each["prob"] for each in earlier}
        found["names"] += [each["label"] + place for each in after]
        found["probs"] += [each["prob"] for each in after]
        found["before"] += [plain[each["id"]] for each in after]
    return found


def surprise(run: Run) -> Numbers:
    """Returns the "tokens" of a text, or of an answer, and the "bits" that each costs; without those not predicted."""
    bits, tokens = run.surprise(), run.kind.written(run.model, run.inputs)[0].tolist()
    known = [i for i, each in enumerate(bits) if each is not None]
    return {
        "tokens": run.source.tokenizer.labels([tokens[i] for i in known]),
        "bits": torch.tensor([bits[i] for i in known]),
    }


def write_logits(run: Run, name: str, layer: int, head: int, query: int) -> Numbers:
    """Returns what a head adds to the logits after one token, and how all parts add up to one of them.

    Returns:
        "raised" and "lowered" (n,): the most that it adds and takes, with "names" and "lowered_names" of these tokens;
        "token": the id of the one that follows, or at the end of the likeliest, its "logit" and the "parts" that this
        is the sum of (`former.analysis.head_writes`).
    """
    found = analysis.head_writes(run, layer, head, query, name=name)
    (raised, up), (lowered, down) = (found.added.topk(TOP, largest=largest) for largest in (True, False))
    names, lowered_names = (run.source.tokenizer.labels(ids.tolist()) for ids in (up, down))
    return {
        **{"raised": raised, "names": names, "lowered": lowered, "lowered_names": lowered_names},
        **{"token": found.token, "logit": float(found.logits[found.token]), "parts": found.parts},
    }


def remove_heads(run: Run) -> Numbers:
    """Returns "effects" (layers · h,): what the prediction loses without each head (`head_effects`), and "names"."""
    rows = list(analysis.head_effects(run))
    several = len(run.maps) > 1
    names = [
        f"{row.map + ', ' if several else ''}layer {row.layer}, head {head}"
        for row in rows
        for head in range(len(row.effects))
    ]
    return {"effects": torch.cat([row.effects for row in rows]), "names": names}


def weigh_words(run: Run) -> Numbers:
    """Returns what carried a verdict.

    Returns:
        "shares" (t,): where the model looks for it; "changes" (n,): what its log-odds lose without each word, or in a
        long text without neighbours together, "names" of the first of these; "agreement": the rank correlation of both.
    """
    shares, changes = analysis.word_shares(run), torch.cat(list(analysis.word_changes(run)))
    names = run.tokens[:: effects.word_size(run)]
    agreement = effects.agreement(run, shares, changes)
    return {"shares": shares, "changes": changes, "names": names, "agreement": agreement}
