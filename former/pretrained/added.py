"""Tokens that a folder in Hugging Face's format adds to its tokenizer in files of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from former.checkpoints.files import TOKENIZER, CheckpointError
from former.checks import is_whole, require_instance
from former.pretrained.files import boolean, read_json

ADDED, SETTINGS = "added_tokens.json", "tokenizer_config.json"
OPTIONS = ("single_word", "lstrip", "rstrip", "normalized", "special")


def settings_of(folder: Path, name: str = SETTINGS) -> dict[str, Any]:
    """Returns the contents of tokenizer_config.json, or of another file; {} without it."""
    return read_json(folder / name) if (folder / name).exists() else {}


def parts_of(text: str) -> dict[str, Any]:
    """Returns the parts of a tokenizer's definition."""
    parts = json.loads(text)
    require_instance(TOKENIZER, parts, dict)
    return parts


def with_added(folder: Path, text: str) -> str:
    """Returns a tokenizer's definition with the tokens that `added_tokens.json` ({content: id}) and
    tokenizer_config.json (`added_tokens_decoder`) add to it, at their ids, as `transformers` reads them.

    Raises:
        CheckpointError: a file that does not hold tokens.
        ValueError: a definition that holds no tokens.
    """
    given = _given(folder)
    if not given:
        return text
    parts = parts_of(text)
    own = parts.get("added_tokens") or []
    vocabulary = parts.get("model", {}).get("vocab", {})
    known = {token["content"] for token in own} | (set(vocabulary) if isinstance(vocabulary, dict) else set())
    if missing := [token for token in given.values() if token["content"] not in known]:
        parts["added_tokens"] = sorted([*own, *missing], key=lambda token: token["id"])
    return json.dumps(parts) if missing else text


def _given(folder: Path) -> dict[int, dict[str, Any]]:
    """Returns the tokens of both files by their ids; where both name one, as in tokenizer_config.json."""
    older, decoder = settings_of(folder, ADDED), settings_of(folder).get("added_tokens_decoder", {})
    require_instance("added_tokens_decoder", decoder, dict)
    plain = dict.fromkeys(OPTIONS, False)
    tokens = {i: {**plain, "id": i, "content": content} for content, i in older.items() if is_whole(i)}
    if len(tokens) != len(older):
        raise CheckpointError(f"{folder / ADDED} must give each token an id of its own, got {older}")
    for i, token in decoder.items():
        if not i.isdecimal() or not isinstance(token, dict) or not isinstance(token.get("content"), str):
            raise CheckpointError(
                f"{folder / SETTINGS}: added_tokens_decoder must describe tokens by id, got {token!r}"
            )
        options = {name: boolean(token, name, False) for name in OPTIONS}
        tokens[int(i)] = {**options, "id": int(i), "content": token["content"]}
    return tokens
