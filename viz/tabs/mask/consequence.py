"""What a mask is for: a model trained without one beside one trained with it, on one text, as they are measured.

Without a mask the output at byte i sees byte i + 1, which it is to predict. That is a loss near zero, and a model that
has learned to copy: it cannot write, because where it writes the next byte is not there to be copied.
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
WRITTEN = 60  # bytes that each writes after it
TEMPERATURE = 0.7


def compare_masks(bundle: former.Bundle, pair: Mapping[str, former.Bundle], text: str, seed: int = 0) -> Numbers:
    """Measures a pair of models, trained with a mask and without, and a causal model that its mask is taken off.

    Args:
        bundle: the causal model.
        pair: models of one vocabulary, by name; each is measured and writes under the mask of its training.
        text: of which as many tokens are read as all the models can, and at most `TEXT_LIMIT`.
        seed: of what is written.
    Returns:
        "labels" of the text as the pair reads it; "pair", as of `measure`; "switched": bits per byte of the causal
        model "before" and "after" its mask is taken off; "means" and "tasks": all means, and what each is of.
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
    """Measures one model on its own task, then where the next byte is hidden, and lets it write.

    Returns:
        "name"; "masked": whether it was trained with a mask; "bits" of each byte after the first and their mean "own";
        "hidden", the mean where the next byte is not there, the same number where it never was; "written", a label for
        each byte it writes.
    """
    masked = masks.KINDS[bundle.config.mask].causal
    bits = surprise(bundle, ids, masked=masked)
    steps = former.generate(bundle.model, ids, WRITTEN, temperature=TEMPERATURE, seed=seed)
    return {
        "name": name,
        "masked": masked,
        "bits": bits,
        "own": float(bits.mean()),
        "hidden": float((bits if masked else hidden(bundle, ids)).mean()),
        "written": bundle.tokenizer.labels([step.token for step in steps]),
    }


def per_byte(bundle: former.Bundle, ids: Sequence[int], *, masked: bool) -> float:
    """Bits for each byte of the text after its first token."""
    count = sum(len(bytes_of(bundle.tokenizer, i)) for i in ids[1:])
    return float(surprise(bundle, ids, masked=masked).sum()) / count


@torch.inference_mode()
def surprise(bundle: former.Bundle, ids: Sequence[int], *, masked: bool) -> Tensor:
    """Bits of each token after the first, as in training: the model reads ids[:-1] at once and is asked for ids[1:].

    Without the mask it reads every answer but the last one, which stands after what it reads.

    Returns:
        (t − 1,).
    """
    tokens = torch.tensor([ids[:-1]])
    logits = bundle.model(tokens, mask=None if masked else masks.none(tokens.shape[1]))[0]  # (t - 1, num_tokens)
    return F.cross_entropy(logits.double(), torch.tensor(ids[1:]), reduction="none") / math.log(2)


def hidden(bundle: former.Bundle, ids: Sequence[int]) -> Tensor:
    """Bits of each byte after the first where only the bytes before it are read, with no mask on them: (t − 1,)."""
    return torch.stack([surprise(bundle, ids[: i + 1], masked=False)[-1] for i in range(1, len(ids))])
