"""What there is to say of a model and its tokenizer beside what they make of a text."""

from __future__ import annotations

import former
from viz.passes.loaded import Loaded
from viz.text import Note, note

NAMED = 8  # characters that a tokenizer drops


def remarks(loaded: Loaded, text: str) -> list[Note]:
    """What there is to say of a model and its tokenizer for a text: heads that are not shown, and characters that the
    tokenizer drops."""
    notes = []
    if names := loaded.heads_left:
        values = {"model": loaded.name, "names": ", ".join(names), "count": len(names), "kind": loaded.kind}
        notes.append(note("heads_left", **values))
    tokenizer = loaded.bundle.tokenizer
    if dropped := tokenizer.dropped(text) if isinstance(tokenizer, former.tokens.WordPieceTokenizer) else "":
        named = ", ".join(map(former.tokens.visible, dropped[:NAMED]))
        notes.append(note("dropped", characters=named + (" …" if len(dropped) > NAMED else ""), count=len(dropped)))
    return notes
