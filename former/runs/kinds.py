"""The known kinds, the choice among them for a model, and how it reads a text."""

from __future__ import annotations

from former.checks import require_positive
from former.runs.causal import Causal
from former.runs.classifier import Judge
from former.runs.kind import Kind, Reading, Source, readable
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
    raise ValueError(f"bundle must hold one of {known}, got {type(model).__name__}")


def read(source: Source, text: str, answer: str | None = None, limit: int | None = None) -> tuple[Kind, Reading]:
    """Reads a text as `Kind.read` does, of whatever kind the model is; returns the kind and the reading.

    Raises:
        ValueError: as `kind_of` and `Kind.read`, or not a single text or answer, or a limit below 1.
    """
    if not isinstance(text, str):
        raise ValueError(f"text must be a str, a single text, got {type(text).__name__}")
    if answer is not None and not isinstance(answer, str):
        raise ValueError(f"answer must be None or a str, got {type(answer).__name__}")
    kind = kind_of(source)
    if limit is not None:
        require_positive("limit", limit)
        limit = min(limit, source.model.config.seq_length)
    return kind, kind.read(source, text, answer, limit)
