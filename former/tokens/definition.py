"""A `tokenizer.json`: the text in which the `tokenizers` library, and with it Hugging Face, keeps a tokenizer."""

from __future__ import annotations

from tokenizers import Tokenizer


def parse(definition: str) -> Tokenizer:
    """The tokenizer that a definition describes, set to read a text whole, neither cut short nor padded.

    Raises:
        ValueError: no definition, or ids that do not run from 0 without a gap.
    """
    try:
        tokenizer = Tokenizer.from_str(definition)
    except Exception as error:  # the library raises nothing narrower
        raise ValueError(f"definition must be the text of a tokenizer.json, got one that fails: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    ids = set(tokenizer.get_vocab(with_added_tokens=True).values())
    if ids != set(range(len(ids))):
        raise ValueError(f"definition must number its tokens from 0 without a gap, got {len(ids)} up to {max(ids)}")
    return tokenizer


def encode(tokenizer: Tokenizer, text: str) -> list[int]:
    """The ids of a text alone; a lone surrogate, which UTF-8 cannot write, is read as "?"."""
    text = text.encode("utf-8", errors="replace").decode("utf-8")
    return tokenizer.encode(text, add_special_tokens=False).ids
