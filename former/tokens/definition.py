"""Reads `tokenizer.json`, the format of the `tokenizers` library and Hugging Face."""

from __future__ import annotations

import json
from typing import Any

from tokenizers import Tokenizer

from former.checks import require_instance
from former.tokens.labels import TokenBeyondModel, require_fitting


def parse(definition: str) -> Tokenizer:
    """Creates the tokenizer that the text of a tokenizer.json defines, but without truncation and padding.

    Raises:
        ValueError: the text is not such a definition, or one that encodes at random.
    """
    try:
        tokenizer = Tokenizer.from_str(definition)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # the library raises nothing narrower; panics of its Rust code are not an Exception
        raise ValueError(f"definition must be the text of a tokenizer.json, got one that fails: {error}") from error
    if dropout := getattr(tokenizer.model, "dropout", None):
        raise ValueError(f"definition must have no dropout of merges, got {dropout}")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def part(tokenizer: Tokenizer, name: str) -> str:
    """Returns one part of a definition, such as its decoder, as JSON without spaces."""
    return json.dumps(json.loads(tokenizer.to_str())[name], separators=(",", ":"))


def encode(tokenizer: Tokenizer, text: str, num_tokens: int) -> list[int]:
    """Returns the ids of a text, without special tokens around it; a lone surrogate is read as "?".

    Raises:
        TokenBeyondModel: the text has a token that a model of `num_tokens` lacks.
    """
    return encoding(tokenizer, text, num_tokens).ids


def encoding(tokenizer: Tokenizer, text: str, num_tokens: int) -> Any:
    """Returns the `Encoding` of a text: ids as in `encode`, each token's position in the text, and the index of its
    word."""
    require_instance("text", text, str)
    text = text.encode("utf-8", errors="replace").decode("utf-8")
    result = tokenizer.encode(text, add_special_tokens=False)
    if (last := max(result.ids, default=0)) >= num_tokens:
        raise TokenBeyondModel(str(tokenizer.id_to_token(last)), num_tokens)
    return result


def words(tokenizer: Tokenizer, text: str, num_tokens: int, mask_token: int | None) -> list[tuple[int, int, list[int]]]:
    """Splits a text into words; returns each word's start and end in the text, without spaces around it, and the ids of
    its pieces.

    Each `mask_token` is a word of its own.

    Raises:
        TokenBeyondModel: as `encode`.
    """
    result = encoding(tokenizer, text, num_tokens)
    split: list[tuple[int, int, list[int]]] = []
    last = None
    for token, (start, end), word in zip(result.ids, result.offsets, result.word_ids, strict=True):
        if split and word == last and token != mask_token:
            split[-1] = (split[-1][0], end, [*split[-1][2], token])
        else:
            split.append((start + len(text[start:end]) - len(text[start:end].lstrip()), end, [token]))
        last = word
    return split


def dropped(tokenizer: Tokenizer, text: str) -> str:
    """Returns the characters of a text, except spaces, that no token covers, each once."""
    text = text.encode("utf-8", errors="replace").decode("utf-8")

    def ids(text: str) -> list[int]:
        return tokenizer.encode(text, add_special_tokens=False).ids

    # After a letter, because some definitions put a token at the beginning of every text; but not after one that is
    # unknown itself, because a token for the unknown may stand for both.
    before = "a" if ids("a") != ids("b") else ""
    alone = ids(before)
    characters = (char for char in dict.fromkeys(text) if not char.isspace())
    return "".join(char for char in characters if ids(before + char) == alone)


def num_tokens(tokenizer: Tokenizer, of_model: int | None) -> int:
    """Returns the size of the vocabulary: `of_model`, the model's, or if that is None the tokenizer's.

    A model may have more tokens than its tokenizer, and may lack tokens added to the tokenizer later.

    Raises:
        ValueError: the model has fewer tokens than the tokenizer, not counting added ones.
    """
    own, known = (max(tokenizer.get_vocab(added).values(), default=-1) + 1 for added in (False, True))
    if of_model is None:
        return known
    require_fitting(own, of_model)
    return of_model


def unused(i: int) -> str:
    """Returns a label for token `i`, which the model has but the tokenizer does not name."""
    return f"[unused{i}]"
