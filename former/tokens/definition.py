"""A `tokenizer.json`: the text in which the `tokenizers` library, and with it Hugging Face, keeps a tokenizer."""

from __future__ import annotations

from typing import Any

from tokenizers import Tokenizer


def parse(definition: str) -> Tokenizer:
    """The tokenizer that a definition describes, set to read a text whole, neither cut short nor padded.

    Raises:
        ValueError: no definition.
    """
    try:
        tokenizer = Tokenizer.from_str(definition)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # the library raises nothing narrower, and where its Rust panics no Exception
        raise ValueError(f"definition must be the text of a tokenizer.json, got one that fails: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def encode(tokenizer: Tokenizer, text: str) -> list[int]:
    """The ids of a text alone; a lone surrogate, which UTF-8 cannot write, is read as "?"."""
    return encoding(tokenizer, text).ids


def encoding(tokenizer: Tokenizer, text: str) -> Any:
    """The same with the place of each token in the text, and the word that it is of."""
    text = text.encode("utf-8", errors="replace").decode("utf-8")
    return tokenizer.encode(text, add_special_tokens=False)


def num_tokens(tokenizer: Tokenizer, of_model: int | None) -> int:
    """How many tokens there are: those of the model, where it has more than its tokenizer names; else up to the last.

    Raises:
        ValueError: a model with fewer.
    """
    known = max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1) + 1
    if of_model is not None and of_model < known:
        raise ValueError(f"tokenizer must have at most the model's {of_model} tokens, got {known}")
    return known if of_model is None else of_model


def unused(i: int) -> str:
    """The label of a token that a model has and its tokenizer does not name."""
    return f"[unused{i}]"
