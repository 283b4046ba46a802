"""The known kinds, and the choice among them for a model."""

from __future__ import annotations

from former.runs.causal import Causal
from former.runs.classifier import Judge
from former.runs.kind import Kind, Source, readable
from former.runs.masked import Masked
from former.runs.memory import WithMemory
from former.runs.translator import Translator

KINDS: tuple[Kind, ...] = (Causal(), Judge(), Masked(), Translator(), WithMemory())


def kind_of(source: Source) -> Kind:
    """Returns the kind of a bundle's model.

    Raises:
        ValueError: a model without attention, or of an unknown kind.
    """
    model = readable(source.model)
    for kind in KINDS:
        if isinstance(model, kind.models):
            return kind
    known = sorted(each.__name__ for kind in KINDS for each in kind.models)
    raise ValueError(f"bundle must hold one of {known}, got a {type(model).__name__}")
