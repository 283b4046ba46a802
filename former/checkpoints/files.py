"""Reads and writes the files of a model's folder: its card, and its weights with their checksums and index."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor

CARD = "card.json"
INDEX = "model.safetensors.index.json"
TOKENIZER = "tokenizer.json"
SHARD_BYTES = 9_500_000  # Hugging Face Spaces require Git LFS from 10 MB on


class CheckpointError(ValueError):
    """A checkpoint is missing, damaged, or does not match its card; the message names the file."""


def write_card(folder: Path, card: dict[str, Any]) -> None:
    """Replaces the card in a model's folder atomically: an interruption leaves either the old or the new card."""
    unfinished = folder / f"{CARD}.unfinished"
    unfinished.write_text(_to_json(card), encoding="utf-8")
    os.replace(unfinished, folder / CARD)


def remove_old(folder: Path) -> None:
    """Removes the model in a folder: its card, and the files that the card names; no other file."""
    try:
        files = [*json.loads((folder / CARD).read_text(encoding="utf-8"))["files"], INDEX]
    except (OSError, ValueError, KeyError, TypeError):
        return
    (folder / CARD).unlink()
    for file in files:
        if Path(file).name == file:
            (folder / file).unlink(missing_ok=True)


def write_weights(folder: Path, state: dict[str, Tensor]) -> dict[str, dict[str, Any]]:
    """Writes the weight files, and their index if there are several; returns their entries for the card."""
    from huggingface_hub import split_torch_state_dict_into_shards  # noqa: PLC0415 (slow to import)

    split = split_torch_state_dict_into_shards(state, max_shard_size=SHARD_BYTES)
    files = {}
    for name, names in split.filename_to_tensors.items():
        content = save_tensors({key: state[key].contiguous() for key in names}, metadata={"format": "pt"})
        files[name] = write_file(folder / name, content)
    if split.is_sharded:
        index = {"metadata": split.metadata, "weight_map": split.tensor_to_filename}
        (folder / INDEX).write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")
    return files


def write_file(path: Path, content: bytes) -> dict[str, Any]:
    """Writes a file; returns its entry for the card."""
    path.write_bytes(content)
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def read_checked(path: Path, facts: dict[str, Any]) -> bytes:
    """Reads a file and compares it with its checksum in the card."""
    if not os.path.isfile(path):
        raise CheckpointError(f"{path} is missing; the card lists it")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != facts.get("sha256"):
        raise CheckpointError(
            f"{path} does not have the card's checksum: it was altered or damaged "
            f"({len(content)} bytes, the card says {facts.get('bytes')})"
        )
    return content


def read_tensors(path: Path, content: bytes) -> dict[str, Tensor]:
    """Reads the tensors of a weight file."""
    try:
        return load_tensors(content)
    except SafetensorError as error:
        raise CheckpointError(f"{path} is not a safetensors file: {error}") from error


def _to_json(card: dict[str, Any]) -> str:
    """Formats the card for human readers, with the vocabulary, if there is one, on a single line."""
    if (words := card["tokenizer"].get("words")) is None:
        return json.dumps(card, indent=1, ensure_ascii=False) + "\n"
    mark = secrets.token_hex()  # occurs nowhere else in the card
    text = json.dumps({**card, "tokenizer": {**card["tokenizer"], "words": mark}}, indent=1, ensure_ascii=False)
    return text.replace(f'"{mark}"', json.dumps(words, ensure_ascii=False)) + "\n"
