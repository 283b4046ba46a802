"""Remarks on how a model and its tokenizer handle a text."""

from __future__ import annotations

from collections.abc import Sequence

from former.tokens import UNK, BpeTokenizer, PieceTokenizer, WordPieceTokenizer, visible
from former.tokens.labels import CONTINUED
from viz.passes.loaded import Loaded
from viz.text import Note, note

NEARLY = 0.8  # share of unreadable tokens from which on a text is called unreadable
ENGLISH = "English", "Movie Review"  # in a card's description of its corpus
NAMED = 8  # characters or words of a list


def remarks(loaded: Loaded, text: str, labels: Sequence[str]) -> list[Note]:
    """Returns remarks for a text: about output heads that were left out, characters that the tokenizer drops, unknown
    words, and a text that the model cannot read at all.

    Args:
        loaded: the model.
        text: as typed.
        labels: of the tokens shown.
    """
    notes, tokenizer = [], loaded.bundle.tokenizer
    if names := loaded.heads_left:
        says = loaded.kind.says if loaded.kind.predicts(loaded.bundle.model) else "bare"
        notes.append(note("heads_left", model=loaded.name, names=list(names), count=len(names), says=says))
    subwords = isinstance(tokenizer, WordPieceTokenizer | PieceTokenizer | BpeTokenizer)
    if dropped := tokenizer.dropped(text) if subwords else "":
        notes.append(note("dropped", characters=_list(list(map(visible, dropped))), count=len(dropped)))
    if isinstance(tokenizer, WordPieceTokenizer):
        read = tokenizer.words(text)
        letters = [ids for a, b, ids in read if any(map(str.isalpha, text[a:b]))]
        if unread := _unreadable(loaded, sum(tokenizer.unk_token in ids for ids in letters), len(letters), "[UNK]"):
            return [*notes, unread]
        if lacking := list(dict.fromkeys(text[a:b] for a, b, ids in read if tokenizer.unk_token in ids)):
            notes.append(note("blanks_foreign", words=_list([f"“{word}”" for word in lacking]), count=len(lacking)))
    elif unknown := sum(label.startswith(UNK) for label in labels):
        if unread := _unreadable(loaded, unknown, len(labels), UNK):
            return [*notes, unread]
        key = "unknown_characters" if tokenizer.unit == "character" else "unknown_words"
        notes.append(note(key, count=unknown, total=len(labels)))
    elif (parts := _parts(labels)) and parts >= NEARLY * len(labels):
        notes.append(note("unreadable_bytes", count=parts, total=len(labels), learned=_learned(loaded)))
    return notes


def _unreadable(loaded: Loaded, unknown: int, total: int, token: str) -> Note | None:
    """Returns the remark on a text in which the model knows hardly any word or character."""
    if not unknown or unknown < NEARLY * total:
        return None
    unit = loaded.bundle.tokenizer.unit
    return note("unreadable", count=unknown, total=total, token=token, unit=unit, learned=_learned(loaded))


def _parts(labels: Sequence[str]) -> int:
    """Counts the tokens that are only a part of a character."""
    following = [*labels[1:], ""]
    return sum(CONTINUED in (label, after) for label, after in zip(labels, following, strict=True))


def _learned(loaded: Loaded) -> str:
    """Returns "english" if the model's card says so, or else "other"."""
    corpus = str((loaded.bundle.card.get("data") or {}).get("corpus", ""))
    return "english" if any(word in corpus for word in ENGLISH) else "other"


def _list(names: Sequence[str]) -> list[str]:
    return [*names[:NAMED], *(["…"] if len(names) > NAMED else [])]
