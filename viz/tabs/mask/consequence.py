"""What a mask is for: a model trained without one beside one trained with it, on one text, as they are measured.

Without a mask the output at byte i sees byte i + 1, which it is to predict. That is a loss near zero, and a model that
has learned to copy: it cannot write, because where it writes the next byte is not there to be copied.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

import former
from former import masks
from viz.passes.loaded import Loaded, Models
from viz.passes.run import bytes_of, tokenize
from viz.tabs.mask.masking import Asked, read_model, read_string, read_whole
from viz.text import Refusal

MASKED, UNMASKED = "tiny-generator", "tiny-unmasked"  # two of one size, trained alike but for the mask
TEXT_LIMIT = 180  # bytes of the text, and tokens of the chosen model
BLIND = 8.0  # bits per byte of guessing among all 256
WRITTEN = 60  # bytes that each writes after it
TEMPERATURE = 0.7
SEED_LIMIT = 9999


def consequence(models: Models, asked: Asked) -> dict[str, Any]:
    """The losses of both models, what each writes, and a trained generator without its mask.

    Args:
        models: by name; where one of the two is not there, "pair" is empty.
        asked: "long", the text; "model", the generator to run without its mask; "seed" of what is written.
    Returns:
        "labels" of the text as the two read it, and how many there were in "total"; "pair", two of `measured`;
        "switched": {"name", "before", "after"}, bits per byte with and without the mask.
    Raises:
        Refusal: what cannot be measured.
    """
    loaded = read_model(models, asked)
    seed = read_whole(asked, "seed", 0, SEED_LIMIT)
    both = pair(models)
    count, text = shown(loaded, both), read_string(asked, "long")
    first = both[0] if both else loaded
    ids, _, total = tokenize(first, text)
    ids, own = ids[:count], tokenize(loaded, text)[0][:count]  # what the two read; what the chosen one does
    if len(ids) < 2 or len(own) < 2:
        raise Refusal("too_short")
    return {
        "labels": first.bundle.tokenizer.labels(ids),
        "total": total,
        "pair": [measured(each, ids, seed) for each in both],
        "switched": {
            "name": loaded.name,
            "before": per_byte(loaded, own, masked=True),
            "after": per_byte(loaded, own, masked=False),
        },
    }


def per_byte(loaded: Loaded, ids: Sequence[int], *, masked: bool) -> float:
    """Bits for each byte of the text after its first token."""
    count = sum(len(bytes_of(loaded.bundle.tokenizer, i)) for i in ids[1:])
    return float(surprise(loaded, ids, masked=masked).sum()) / count


def pair(models: Models) -> list[Loaded]:
    """The two that are compared; none where one of them is not there."""
    both = [models[name] for name in (MASKED, UNMASKED) if name in models and not models[name].is_classifier]
    return both if len(both) == 2 else []


def shown(loaded: Loaded, both: Sequence[Loaded]) -> int:
    """How many tokens of a text are measured: as many as all of the models read at once."""
    return min(TEXT_LIMIT, *(each.bundle.config.seq_length for each in (loaded, *both)))


def measured(loaded: Loaded, ids: Sequence[int], seed: int) -> dict[str, Any]:
    """One model on its own task, then where the next byte is hidden, then writing.

    Returns:
        {"name"; "masked": whether it was trained with a mask; "bits" of each byte after the first and their mean
        "own"; "hidden", the mean where the next byte is not there, the same number where it never was; "written", a
        label for each byte it writes}.
    """
    bits = surprise(loaded, ids, masked=loaded.causal)
    written = write(loaded, ids, seed)
    return {
        "name": loaded.name,
        "masked": loaded.causal,
        "bits": bits.tolist(),
        "own": mean_of(bits),
        "hidden": mean_of(bits if loaded.causal else hidden(loaded, ids)),
        "written": loaded.bundle.tokenizer.labels(written),
    }


@torch.inference_mode()
def surprise(loaded: Loaded, ids: Sequence[int], *, masked: bool) -> Tensor:
    """Bits of each token after the first, as in training: the model reads ids[:-1] at once and is asked for ids[1:].

    Without the mask it reads every answer but the last one, which stands after what it reads.

    Returns:
        (t − 1,).
    """
    read = torch.tensor([ids[:-1]])
    logits = loaded.bundle.model(read, mask=None if masked else masks.none(read.shape[1]))[0]  # (t - 1, num_tokens)
    return F.cross_entropy(logits.double(), torch.tensor(ids[1:]), reduction="none") / math.log(2)


def hidden(loaded: Loaded, ids: Sequence[int]) -> Tensor:
    """Bits of each byte after the first where only the bytes before it are read, with no mask on them: (t − 1,)."""
    return torch.stack([surprise(loaded, ids[: i + 1], masked=False)[-1] for i in range(1, len(ids))])


def write(loaded: Loaded, ids: Sequence[int], seed: int) -> list[int]:
    """`WRITTEN` bytes after ids, each model under the mask of its training."""
    model, rules = loaded.bundle.model, {"temperature": TEMPERATURE, "seed": seed}
    return [step.token for step in former.generate(model, ids, WRITTEN, **rules)]


def settings(models: Models) -> dict[str, Any]:
    """What the page has to know beforehand."""
    return {
        "longest": TEXT_LIMIT,
        "written": WRITTEN,
        "temperature": TEMPERATURE,
        "blind": BLIND,
        "missing": [name for name in (MASKED, UNMASKED) if name not in models],
    }


def mean_of(bits: Tensor) -> float:
    """The mean as a plain number."""
    return float(bits.mean())
