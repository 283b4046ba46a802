"""The purpose of a mask: compares a model trained without one with a model trained with one, on the same text.

Without a mask the output at byte i can see byte i + 1, which it has to predict. Its loss is near zero because it has
learned to copy. It cannot write, because then there is no next byte to copy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

import former
from former import masks
from viz.panels import Numbers
from viz.passes.run import bytes_of

TEXT_LIMIT = 180  # bytes of the text, and tokens of the chosen model
WRITTEN = 60  # bytes that each model writes after the text
TEMPERATURE = 0.7


def compare_masks(bundle: former.Bundle, pair: Mapping[str, former.Bundle], text: str, seed: int = 0) -> Numbers:
    """Measures two models, trained with a mask and without, and a causal model with its mask removed.

    Args:
        bundle: the causal model.
        pair: models with the same vocabulary, by name; each is measured and writes with the mask of its training.
        text: read up to the shortest context of the models, and at most `TEXT_LIMIT`.
        seed: of the sampling.
    Returns:
        "labels" of the text as the pair reads it; "pair", as in `measure`; "switched": bits per byte of the causal
        model "before" and "after" its mask is removed; for the figure "means", all mean bits, and "tasks", their names.
    """
    most = min(TEXT_LIMIT, *(each.config.seq_length for each in (bundle, *pair.values())))
    first = next(iter(pair.values()), bundle)
    ids, own = (each.tokenizer.encode(text)[:most] for each in (first, bundle))
    measured = [measure(name, each, ids, seed) for name, each in pair.items()]
    before, after = (per_byte(bundle, own, masked=masked) for masked in (True, False))
    means = {f"{one['name']}, {task}": one[task] for one in measured for task in ("own", "hidden")}
    means |= {"with its mask": before, "mask taken off": after}
    return {
        "labels": first.tokenizer.labels(ids),
        "pair": measured,
        "switched": {"before": before, "after": after},
        "means": list(means.values()),
        "tasks": list(means),
    }


def measure(name: str, bundle: former.Bundle, ids: Sequence[int], seed: int) -> Numbers:
    """Measures one model on its own task, then with the next byte hidden, and lets it write.

    Returns:
        "name"; "masked": whether it was trained with a mask; "bits" of each byte after the first and their mean "own";
        "rest", the sum of all but the last, and their mean "seen" (None if there are none); "hidden", the mean with the
        next byte hidden, equal to "own" for a model with a mask; "written", a label for each byte that the model
        writes.
    """
    masked = masks.MASKS[bundle.config.mask].causal
    bits = surprise(bundle, ids, masked=masked)
    steps = former.generate(bundle.model, ids, WRITTEN, temperature=TEMPERATURE, seed=seed)
    return {
        "name": name,
        "masked": masked,
        "bits": bits,
        "own": float(bits.mean()),
        "rest": float(bits[:-1].sum()),
        "seen": float(bits[:-1].mean()) if len(bits) > 1 else None,
        "hidden": float((bits if masked else hidden(bundle, ids)).mean()),
        "written": bundle.tokenizer.labels([step.token for step in steps]),
    }


def per_byte(bundle: former.Bundle, ids: Sequence[int], *, masked: bool) -> float:
    """Returns a model's bits per byte for the text after its first token, with or without the causal
    mask (`masked`)."""
    count = sum(len(bytes_of(bundle.tokenizer, i)) for i in ids[1:])
    return float(surprise(bundle, ids, masked=masked).sum()) / count


@torch.inference_mode()
def surprise(bundle: former.Bundle, ids: Sequence[int], *, masked: bool) -> Tensor:
    """Returns the bits of each token after the first, as in training: the model reads ids[:-1] and predicts ids[1:].

    Without the mask it sees all tokens of ids[:-1], so every target except the last.

    Returns:
        (t − 1,).
    """
    tokens = torch.tensor([ids[:-1]])
    logits = bundle.model(tokens, mask=None if masked else masks.none(tokens.shape[1]))[0]  # (t - 1, num_tokens)
    return F.cross_entropy(logits.double(), torch.tensor(ids[1:]), reduction="none") / math.log(2)


def hidden(bundle: former.Bundle, ids: Sequence[int]) -> Tensor:
    """Returns the bits of each byte after the first, (t − 1,), read from only the bytes before it, without a mask."""
    return torch.stack([surprise(bundle, ids[: i + 1], masked=False)[-1] for i in range(1, len(ids))])
