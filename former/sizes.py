"""Counts the parameters of a model without allocating them, on torch's meta device."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from former import bert, gpt2
from former.checkpoints import MODEL_KINDS
from former.checks import require_choice, require_positive
from former.config import shapes_only

HEAD_SIZE = 64  # of every published GPT-2 and BERT


def count_parameters(kind: str, **changes: Any) -> int:
    """Counts the parameters of a model.

    Args:
        kind: one of `checkpoints.MODEL_KINDS`; or "gpt2" or "bert", or one of their published sizes, such as "gpt2-xl"
            or "bert-large". BERT is counted as published: with its pooler and without its pretraining heads.
        changes: fields of the model's config, such as depth, emb and heads; all others have their defaults. A GPT-2 or
            BERT with emb but without heads has heads of the published size 64.
    Raises:
        ValueError: an unknown kind, a field that its config does not have, or one out of range.
    """
    require_choice("kind", kind, (*MODEL_KINDS, "bert", *gpt2.SIZES, *bert.SIZES))
    model, config = MODEL_KINDS[kind if kind in MODEL_KINDS else "Generator" if kind in gpt2.SIZES else "Bert"]
    own: dict[str, Any] = {}
    if kind in gpt2.SIZES:
        own = gpt2.config(**gpt2.SIZES[kind]).to_dict()
    elif kind not in MODEL_KINDS:
        own = {**bert.SIZES.get(kind, {}), "words_head": False, "sentence_head": False}
    for name in changes:
        require_choice("changes", name, [field.name for field in fields(config)])
    if "emb" in changes and kind not in MODEL_KINDS:
        require_positive("emb", changes["emb"])
        heads = max(1, changes["emb"] // HEAD_SIZE)
        if changes["emb"] % HEAD_SIZE and "heads" not in changes:
            raise ValueError(f"emb must be a multiple of {HEAD_SIZE}, unless heads is set too, got {changes['emb']}")
        changes = {"heads": heads, **changes}
    with shapes_only():
        built = model(config(**{**own, **changes}))
    return sum(parameter.numel() for parameter in built.parameters())
