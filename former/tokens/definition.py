"""A `tokenizer.json`: the text in which the `tokenizers` library, and with it Hugging Face, keeps a tokenizer."""

from __future__ import annotations

from typing import Any

from tokenizers import Tokenizer

from former.tokens.labels import TokenBeyondModel


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


def encode(tokenizer: Tokenizer, text: str, num_tokens: int) -> list[int]:
    """The ids of a text alone; a lone surrogate, which UTF-8 cannot write, is read as "?".

    Raises:
        TokenBeyondModel: a text with a token that a model of `num_tokens` does not have.
    """
    return encoding(tokenizer, text, num_tokens).ids


def encoding(tokenizer: Tokenizer, text: str, num_tokens: int) -> Any:
    """The same with the place of each token in the text, and the word that it is of."""
    text = text.encode("utf-8", errors="replace").decode("utf-8")
    found = tokenizer.encode(text, add_special_tokens=False)
    if (last := max(found.ids, default=0)) >= num_tokens:
        raise TokenBeyondModel(str(tokenizer.id_to_token(last)), num_tokens)
    return found


def dropped(tokenizer: Tokenizer, text: str) -> str:
    """The characters of a text, but spaces, that become no token at all, each once."""
    text = text.encode("utf-8", errors="replace").decode("utf-8")
    seen = (char for char in dict.fromkeys(text) if not char.isspace())
    return "".join(char for char in seen if not tokenizer.encode(char, add_special_tokens=False).ids)


def num_tokens(tokenizer: Tokenizer, of_model: int | None) -> int:
    """The size of the vocabulary: the model's, else up to the tokenizer's last token.

    A model may have more tokens than its tokenizer names, and lack tokens that were added to the tokenizer later.

    Raises:
        ValueError: a model with fewer tokens than the tokenizer has without those that were added.
    """
    own, known = (max(tokenizer.get_vocab(added).values(), default=-1) + 1 for added in (False, True))
    if of_model is not None and of_model < own:
        raise ValueError(f"tokenizer must have at most the model's {of_model} tokens, got {own}")
    return known if of_model is None else of_model


def unused(i: int) -> str:
    """The label of a token that a model has and its tokenizer does not name."""
    return f"[unused{i}]"
