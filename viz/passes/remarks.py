"""Remarks on how a model and its tokenizer handle a text."""

from __future__ import annotations

from collections.abc import Sequence

from former.tokens import UNK, WordPieceTokenizer, visible
from viz.passes.loaded import Loaded
from viz.text import Note, note

NAMED = 8  # characters or words of a list


def remarks(loaded: Loaded, text: str, labels: Sequence[str]) -> list[Note]:
    """Returns remarks for a text: output heads left out, characters that the tokenizer drops, unknown words.

    Args:
        loaded: the model.
        text: as typed.
        labels: of the tokens shown.
    """
    notes, tokenizer = [], loaded.bundle.tokenizer
    if names := loaded.heads_left:
        values = {"model": loaded.name, "names": list(names), "count": len(names), "says": loaded.kind.says}
        notes.append(note("heads_left", **values))
    if isinstance(tokenizer, WordPieceTokenizer):
        if dropped := tokenizer.dropped(text):
            notes.append(note("dropped", characters=_list(list(map(visible, dropped))), count=len(dropped)))
        read = tokenizer.words(text)
        if lacking := list(dict.fromkeys(text[a:b] for a, b, ids in read if tokenizer.unk_token in ids)):
            notes.append(note("blanks_foreign", words=_list([f"“{word}”" for word in lacking]), count=len(lacking)))
    elif unknown := sum(label.startswith(UNK) for label in labels):
        key = "unknown_characters" if tokenizer.unit == "character" else "unknown_words"
        notes.append(note(key, count=unknown, total=len(labels)))
    return notes


def _list(names: Sequence[str]) -> list[str]:
    return [*names[:NAMED], *(["…"] if len(names) > NAMED else [])]
