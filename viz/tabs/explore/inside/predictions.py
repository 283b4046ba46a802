"""The computations of Explore's panels about a model's predictions, and the effect of its parts on them.

Sizes: t tokens, h heads.
"""

from __future__ import annotations

import torch

from former import analysis, patching
from former.analysis import effects
from former.runs import Run
from viz.panels import Numbers
from viz.passes.lens import read_depths
from viz.passes.said import output
from viz.tabs.explore.change.carry import predict_each

TOP = 10  # raised and lowered tokens to list, of each
LIKELIEST = 6  # next tokens to choose among


def predict(run: Run) -> Numbers:
    """Returns a model's prediction: "names", "probs" of these, and "before", their probabilities without the run's
    edits.

    The names are the likeliest next tokens, the classes, or the likeliest words for each hidden one.
    """
    said, before = output(run, run.unedited), output(run.unedited, run)
    if run.kind.says == "class":
        return {"names": said["classes"], "probs": said["probs"], "before": before["probs"]}
    places = [(said["next"], before["next"], "")] if run.kind.says == "next" else []
    for blank, plain in zip(said.get("blanks", ()), before.get("blanks", ()), strict=True):
        places.append((blank["next"], plain["next"], f" {blank['token']}"))
    rows = {"names": [], "probs": [], "before": []}
    for after, earlier, suffix in places:
        plain = {each["id"]: each["prob"] for each in earlier}
        rows["names"] += [each["label"] + suffix for each in after]
        rows["probs"] += [each["prob"] for each in after]
        rows["before"] += [plain[each["id"]] for each in after]
    return rows


def compare(run: Run, answer: int, rival: int) -> Numbers:
    """Compares the predictions of two next tokens, or classes, given by their ids. Returns their labels ("tokens"),
    "probabilities", the "difference" of their logits, and how many "times" as likely the likelier one is."""
    logits = run.kind.prediction(run.model, run.reading, run.inputs, run.result, -1)[0]
    pair, labels = [answer, rival], run.source.tokenizer.labels
    names = [run.kind.classes(run.source)[i] for i in pair] if run.kind.says == "class" else labels(pair)
    return {
        "tokens": names,
        "probabilities": logits.softmax(-1)[pair],
        "difference": patching.logit_difference(answer, rival)(run),
        "times": float((logits[answer] - logits[rival]).abs().exp()),
    }


def carry_state(pinned: Run, run: Run, source: tuple[int, int], target: tuple[int, int]) -> Numbers:
    """Carries one state of a pinned run's residual stream into another run (`former.analysis.carry_state`).

    Args:
        pinned, run: runs of one model, on texts with the same number of tokens.
        source, target: (row, column) of the lens: a depth, and a token or a hidden piece.
    Returns:
        The result of `viz.passes.lens.read_depths` with the carried state; "likeliest": "names" of tokens, and their
        probabilities with the state ("probs"), without it ("before") and in the "pinned" run, for the prediction that
        distinguishes the two runs best.
    Raises:
        Unanswerable: both predict the same.
    """
    places = run.kind.places(run.reading)
    ends = [(row, column if places is None else places[column]) for row, column in (source, target)]
    carried = analysis.carry_state(pinned, run, *ends)
    return {**read_depths(carried), "likeliest": predict_each(carried, run, pinned)}


def surprise(run: Run) -> Numbers:
    """Returns the predicted "tokens" of a text or an answer, the surprise of each in "bits", and their "mean"."""
    bits, tokens = run.surprise(), run.kind.written(run.model, run.inputs)[0].tolist()
    known = [i for i, each in enumerate(bits) if each is not None]
    costs = torch.tensor([bits[i] for i in known])
    labels = run.source.tokenizer.labels([tokens[i] for i in known])
    return {"tokens": labels, "bits": costs, "mean": float(costs.mean())}


def write_logits(
    run: Run,
    name: str,
    layer: int,
    head: int,
    query: int | None = None,
    answer: int | None = None,
    rival: int | None = None,
    every: bool = False,
) -> Numbers:
    """Returns what a head adds to the logits at one position, and the parts that add up to one logit.

    Args:
        run, name, layer, head: a run, the name of a map, and a head of it.
        query: the position; None for the one where the head adds most to the logit of the token that follows.
        answer: id of a next token; None for the token that follows `query` in the text or, at its end, the likeliest.
        rival: id of a token whose logit is subtracted from that of the answer, or None.
        every: whether to include tokens that hardly occur in the training text (`former.analysis.rare_tokens`).
    Returns:
        "at": the position; "strongest": (layer, head, position, addend) of the head that adds most to the logit of the
        token that follows its position, or None; "raised" and "lowered" (n,): the largest increases and decreases of a
        logit, with the tokens' "ids" and "lowered_ids", and "names" of the raised ones; "rare": the number of rare
        tokens; "likeliest": the largest probabilities, with "likeliest_ids"; "follows": the id of the next token, or
        None; "token": the answer's id, with its "prob" and "logit"; "parts" that add up to the logit
        (`former.analysis.head_writes`), "terms", a number for each part, and their "sum"; "without": the logit and the
        probability without the head; "labels" of all these ids.
    """
    adds, best = analysis.head_adds(run, name), None
    if adds.numel():
        best = tuple(int(index) for index in torch.unravel_index(adds.argmax(), adds.shape))
    if query is None:
        query = int(adds[layer, head].argmax()) if best else 0
    result = analysis.head_writes(run, layer, head, query, answer, rival, name=name)
    rare, label = analysis.rare_tokens(run.model, run.source.tokenizer), run.source.tokenizer.labels
    ranked = result.added.argsort(descending=True)
    ranked = ranked if every else ranked[~rare[ranked]]
    probs, without = result.logits.softmax(-1), result.without.softmax(-1)
    up, down, likeliest = ranked[:TOP].tolist(), ranked.flip(0)[:TOP].tolist(), probs.topk(LIKELIEST).indices.tolist()
    terms = {part: float(values.sum()) for part, values in result.parts.items()}
    named = {*up, *down, *likeliest, result.token, result.follows, rival} - {None}
    return {
        **{"at": query, "strongest": best and (*best, float(adds[best])), "rare": int(rare.sum())},
        **{"raised": result.added[up], "names": [label([i])[0] for i in up], "ids": up},
        **{"lowered": result.added[down], "lowered_ids": down},
        **{"likeliest": probs[likeliest], "likeliest_ids": likeliest, "follows": result.follows},
        **{"token": result.token, "prob": probs[result.token], "logit": result.logit(result.logits)},
        **{"parts": result.parts, "terms": terms, "sum": sum(terms.values())},
        **{"without": (result.logit(result.without), without[result.token])},
        "labels": {str(i): label([i])[0] for i in sorted(named)},
    }


def remove_heads(run: Run) -> Numbers:
    """Returns "effects" (layers · h,), the cost of removing each head (`former.analysis.head_effects`), and "names" of
    the heads."""
    rows = list(analysis.head_effects(run))
    several = len(run.maps) > 1
    names = [
        f"{row.map + ', ' if several else ''}layer {row.layer}, head {head}"
        for row in rows
        for head in range(len(row.effects))
    ]
    return {"effects": torch.cat([row.effects for row in rows]), "names": names}


def weigh_words(run: Run) -> Numbers:
    """Measures the influence of each word on a verdict, by attention and by leaving words out.

    Returns:
        "shares" (t,): attention rollout; "changes" (n,): the decrease of the log-odds without each word or, in a long
        text, each group of neighbours; "names" (n,): the word, or the group's first word; "agreement": rank correlation
        of the two.
    """
    shares, changes = analysis.word_shares(run), torch.cat(list(analysis.word_changes(run)))
    names = run.tokens[:: effects.word_size(run)]
    agreement = effects.agreement(run, shares, changes)
    return {"shares": shares, "changes": changes, "names": names, "agreement": agreement}
