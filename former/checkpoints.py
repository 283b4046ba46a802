"""Trained models on disk: safetensors and one JSON card a model, in a folder of its name.

    checkpoints/generator/card.json
    checkpoints/generator/model-00001-of-00002.safetensors ...

The card holds the shape, the tokenizer, the files with their checksums, and whatever is known of the training.
Nothing is unpickled: a weights file holds numbers and the card holds text, and neither can run anything.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor

from former import tokens
from former.config import ModelConfig
from former.models import Classifier, Generator
from former.tokens import Tokenizer

CHECKPOINTS = Path(__file__).resolve().parent.parent / "checkpoints"
CARD = "card.json"
SHARD_BYTES = 9_500_000  # below the 10 MB from which a Hugging Face Space wants Git LFS

_KINDS = {"Generator": Generator, "Classifier": Classifier}
_DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16}


class CheckpointError(ValueError):
    """A checkpoint that is missing, damaged, or not what its card says; the message names the file."""


@dataclass(frozen=True)
class Bundle:
    """A model with all that belongs to it."""

    model: Generator | Classifier
    tokenizer: Tokenizer
    config: ModelConfig
    card: dict[str, Any] = field(default_factory=dict)  # what is known of its training; plain JSON values

    @property
    def causal(self) -> bool:
        """Whether the model was trained with the causal mask: a Generator, unless its card says otherwise."""
        return isinstance(self.model, Generator) and self.card.get("mask", "causal") == "causal"


def available() -> list[str]:
    """The names of the shipped models, in alphabetical order."""
    return sorted(card.parent.name for card in CHECKPOINTS.glob(f"*/{CARD}"))


def save(bundle: Bundle, path: str | Path, dtype: Literal["f16", "bf16"] = "f16") -> None:
    """Writes a model's folder; the card comes last, so a folder with a card is whole.

    float16 keeps 11 significant bits of a weight and bfloat16 8, in half the space of float32; what is loaded again is
    the rounded weights. No file is larger than `SHARD_BYTES` and a header, but for a single tensor that is: it has a
    file of its own.

    Args:
        bundle: what to save.
        path: the folder, made where it is missing.
        dtype: of the numbers on disk.
    Raises:
        ValueError: another dtype, weights that float16 cannot hold or that are not finite, or a tokenizer that does not
            fit the model.
    """
    if dtype not in _DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(_DTYPES)}, got {dtype!r}")
    _check_vocabulary(bundle.tokenizer, bundle.config)
    state = {name: tensor.detach().to("cpu", _DTYPES[dtype]) for name, tensor in bundle.model.state_dict().items()}
    for name, tensor in state.items():
        if not torch.isfinite(tensor).all():
            raise ValueError(f"weights must be finite numbers within the range of {dtype}, got others in {name}")
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CARD).unlink(missing_ok=True)
    for old in folder.glob("model*.safetensors"):
        old.unlink()
    files = {}
    shards = _shards(state)
    for number, shard in enumerate(shards, start=1):
        name = f"model-{number:05}-of-{len(shards):05}.safetensors" if len(shards) > 1 else "model.safetensors"
        content = save_tensors({key: state[key].contiguous() for key in shard}, metadata={"format": "pt"})
        (folder / name).write_bytes(content)
        files[name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    card = {
        **bundle.card,
        "kind": type(bundle.model).__name__,
        "config": bundle.config.to_dict(),
        "dtype": dtype,
        "files": files,
        "tokenizer": bundle.tokenizer.to_dict(),
    }
    unfinished = folder / f"{CARD}.unfinished"
    unfinished.write_text(_to_json(card), encoding="utf-8")
    os.replace(unfinished, folder / CARD)


def load(name_or_path: str | Path) -> Bundle:
    """A model from its folder, in float32 and in evaluation mode, with its tokenizer and card.

    Args:
        name_or_path: a name that `available()` lists, or a folder that `save` wrote.
    Raises:
        CheckpointError: no such model; or a file that is missing, cut short, altered, or not what the card says.
    """
    folder = CHECKPOINTS / name_or_path
    if not (folder / CARD).is_file():
        folder = Path(name_or_path)
    path = folder / CARD
    if not path.is_file():
        raise CheckpointError(
            f"no model {str(name_or_path)!r}: neither one of {available()} nor a folder with a {CARD}"
        )
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
        kind, files, dtype = _KINDS[card["kind"]], _files(card["files"]), _DTYPES[card["dtype"]]
        config = ModelConfig.from_dict(card["config"])
        tokenizer = tokens.from_dict(card["tokenizer"])
        _check_vocabulary(tokenizer, config)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CheckpointError(f"{path} is no card of a model: {error!r}") from error
    with torch.device("meta"):  # shapes only: the weights come from the files
        model = kind(config)
    state: dict[str, Tensor] = {}
    for file, facts in files.items():
        state |= _read(folder, file, facts)
    _check_state(model.state_dict(), state, dtype, path)
    model.load_state_dict({name: tensor.float() for name, tensor in state.items()}, assign=True)
    return Bundle(model.eval(), tokenizer, config, card)


def _shards(state: dict[str, Tensor]) -> list[list[str]]:
    """Names of tensors, shard by shard, in order; a tensor larger than a shard has one of its own."""
    shards: list[list[str]] = [[]]
    size = 0
    for name, tensor in state.items():
        if shards[-1] and size + tensor.nbytes > SHARD_BYTES:
            shards.append([])
            size = 0
        shards[-1].append(name)
        size += tensor.nbytes
    return shards


def _files(files: Any) -> dict[str, dict[str, Any]]:
    """The card's entry of that name, if it is one."""
    if not isinstance(files, dict) or not all(isinstance(facts, dict) for facts in files.values()):
        raise ValueError(f"files must name each file with its bytes and sha256, got {files!r}")
    return files


def _read(folder: Path, file: str, facts: dict[str, Any]) -> dict[str, Tensor]:
    """One weights file, checked against its entry in the card."""
    path = folder / file
    if Path(file).name != file:
        raise CheckpointError(f"{folder / CARD} names {file!r}, which is not a plain file name")
    if not path.is_file():
        raise CheckpointError(f"{path} is missing; the card names it")
    content = path.read_bytes()
    if len(content) != facts.get("bytes"):
        raise CheckpointError(f"{path} has {len(content)} bytes, the card says {facts.get('bytes')}")
    if hashlib.sha256(content).hexdigest() != facts.get("sha256"):
        raise CheckpointError(f"{path} does not have the checksum that the card says: it was altered or damaged")
    try:
        return load_tensors(content)
    except SafetensorError as error:
        raise CheckpointError(f"{path} is no safetensors file: {error}") from error


def _check_state(expected: dict[str, Tensor], found: dict[str, Tensor], dtype: torch.dtype, card: Path) -> None:
    """Every tensor that the config implies, and no other, in its shape, of the card's dtype, and finite."""
    for name, tensor in expected.items():
        if name not in found:
            raise CheckpointError(f"the weights beside {card} lack {name!r}, which the card's config implies")
        if found[name].shape != tensor.shape:
            raise CheckpointError(
                f"the weights beside {card} hold {name!r} as {tuple(found[name].shape)}, "
                f"the card's config implies {tuple(tensor.shape)}"
            )
    if extra := sorted(set(found) - set(expected)):
        raise CheckpointError(f"the weights beside {card} hold {extra[0]!r}, which the card's config does not have")
    for name, tensor in found.items():
        if tensor.dtype != dtype:
            raise CheckpointError(f"the weights beside {card} hold {name!r} as {tensor.dtype}, the card says {dtype}")
        if not tensor.isfinite().all():
            raise CheckpointError(f"the weights beside {card} must be finite numbers, got others in {name!r}")


def _check_vocabulary(tokenizer: Tokenizer, config: ModelConfig) -> None:
    if tokenizer.num_tokens != config.num_tokens:
        raise ValueError(f"tokenizer must have the config's {config.num_tokens} tokens, got {tokenizer.num_tokens}")


def _to_json(card: dict[str, Any]) -> str:
    """The card for people to read; a vocabulary, if it has one, on one line."""
    words = card["tokenizer"].get("words")
    if words is None:
        return json.dumps(card, indent=1, ensure_ascii=False) + "\n"
    text = json.dumps({**card, "tokenizer": {**card["tokenizer"], "words": "%words%"}}, indent=1, ensure_ascii=False)
    return text.replace('"%words%"', json.dumps(words, ensure_ascii=False)) + "\n"
