"""Trained models on disk: safetensors and one JSON card a model, in a folder of its name.

    checkpoints/generator/card.json
    checkpoints/generator/model.safetensors.index.json     (where there are several files of weights)
    checkpoints/generator/model-00001-of-00002.safetensors ...
    checkpoints/gpt/tokenizer.json                         (where the tokenizer is one of `tokenizers`)

The card holds the kind of model, its config, the tokenizer, the files with their checksums, and whatever is known of
the training. Nothing is unpickled: a weights file holds numbers and the card holds text, and neither can run anything.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor

from former import tokens
from former.baselines import ConvConfig, ConvModel, GRUConfig, GRUModel
from former.bert import Bert, BertClassifier, BertConfig
from former.config import OLDEST, VERSION, ModelConfig, shapes_only
from former.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from former.hooks import Observer
from former.models import Classifier, Generator
from former.runs import Run, kind_of, start
from former.tokens import Tokenizer
from former.transformer_xl import TransformerXL, TransformerXLConfig

_HERE = Path(__file__).resolve().parent
CHECKPOINTS = _HERE / "shipped" if (_HERE / "shipped").is_dir() else _HERE.parent / "checkpoints"  # installed, or not
CARD = "card.json"
INDEX = "model.safetensors.index.json"
TOKENIZER = "tokenizer.json"
SHARD_BYTES = 9_500_000  # below the 10 MB from which a Hugging Face Space wants Git LFS

KINDS: dict[str, tuple[Any, Any]] = {
    "Generator": (Generator, ModelConfig),
    "Classifier": (Classifier, ModelConfig),
    "EncoderDecoder": (EncoderDecoder, EncoderDecoderConfig),
    "Bert": (Bert, BertConfig),
    "BertClassifier": (BertClassifier, BertConfig),
    "TransformerXL": (TransformerXL, TransformerXLConfig),
    "GRUModel": (GRUModel, GRUConfig),
    "ConvModel": (ConvModel, ConvConfig),
}
"""Every kind of model by the name its card gives: its class, and the class of its config."""

_DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16}


class CheckpointError(ValueError):
    """A checkpoint that is missing, damaged, or not what its card says; the message names the file."""


@dataclass(frozen=True, repr=False)
class Bundle:
    """A model with all that belongs to it."""

    model: Any  # of one of `KINDS`
    tokenizer: Tokenizer
    config: Any  # the model's
    card: dict[str, Any] = field(default_factory=dict)  # what is known of its training; plain JSON values
    folder: Path | None = field(default=None, compare=False)  # where it was loaded from

    def __repr__(self) -> str:
        parameters = sum(parameter.numel() for parameter in self.model.parameters())
        name = f" {self.card['name']!r}" if "name" in self.card else ""
        return f"<Bundle{name}: {type(self.model).__name__} of {parameters:,} parameters, {self.config}>"

    def run(
        self, text: str, *, edits: Iterable[Observer] = (), answer: str | None = None, snapshot: int | None = None
    ) -> Run:
        """Runs a text through the model, of any kind that has attention.

        Args:
            text: as typed. For a `Bert` a word in brackets is hidden, "Paris is in [France].", and [SEP] stands between
                two texts; for an `EncoderDecoder` an answer may follow after an arrow, "4 July 1976 → 1976-07-04".
            edits: changes to make on the way (`former.edits`).
            answer: what an `EncoderDecoder`'s decoder reads; None for what the model itself answers.
            snapshot: a step of its training, to run the model as it was then; its folder must hold that snapshot.
        Returns:
            What the text did in the model: a `former.runs.Run`.
        Raises:
            ValueError: a text that the model cannot read, an edit that does not fit, or a snapshot that is not there.
        """
        source = self if snapshot is None else self.at(snapshot)
        kind = kind_of(source)
        return start(source, kind, kind.read(source, text, answer), edits)

    def at(self, step: int) -> Bundle:
        """The model as it was after a step of its training.

        Raises:
            ValueError: a model without such a snapshot.
        """
        if step == self.card.get("step"):
            return self
        if self.folder is None or not (folder := self.folder / f"step-{step:06d}").is_dir():
            kept = [] if self.folder is None else [int(path.name[5:]) for path in self.folder.glob("step-[0-9]*")]
            raise ValueError(f"snapshot must be one of the steps that were kept, {sorted(kept)}, got {step!r}")
        return load(folder)


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
    _check_vocabulary(bundle.tokenizer, bundle.model.config)
    state = {name: tensor.detach().to("cpu", _DTYPES[dtype]) for name, tensor in bundle.model.state_dict().items()}
    check_finite(state, dtype)
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    _remove_old(folder)
    files, tokenizer = _write_weights(folder, state), bundle.tokenizer.to_dict()
    if "definition" in tokenizer:  # some hundred kB: more than a card that people read should hold
        files[TOKENIZER] = _write(folder / TOKENIZER, tokenizer.pop("definition").encode())
        tokenizer["file"] = TOKENIZER
    card = {
        **bundle.card,
        "version": VERSION,
        "kind": type(bundle.model).__name__,
        "config": bundle.model.config.to_dict(),
        "dtype": dtype,
        "files": files,
        "tokenizer": tokenizer,
    }
    write_card(folder, card)


def check_finite(state: dict[str, Tensor], dtype: str) -> None:
    """Raises ValueError unless all weights are finite numbers; dtype is what they have been rounded to, to say so."""
    for name, tensor in state.items():
        if not tensor.isfinite().all():
            raise ValueError(f"weights must be finite numbers within the range of {dtype}, got others in {name}")


def write_card(folder: Path, card: dict[str, Any]) -> None:
    """Puts a card in a model's folder in place of the one that is there; a kill leaves the old or the new."""
    unfinished = folder / f"{CARD}.unfinished"
    unfinished.write_text(_to_json(card), encoding="utf-8")
    os.replace(unfinished, folder / CARD)


def _remove_old(folder: Path) -> None:
    """Removes the model that stands in a folder: its card, and the files which that card names; no other file."""
    try:
        files = [*json.loads((folder / CARD).read_text(encoding="utf-8"))["files"], INDEX]
    except (OSError, ValueError, KeyError, TypeError):
        return
    (folder / CARD).unlink()
    for file in files:
        if Path(file).name == file:
            (folder / file).unlink(missing_ok=True)


def _write_weights(folder: Path, state: dict[str, Tensor]) -> dict[str, dict[str, Any]]:
    """Writes the files of weights, and their index where there are several; returns the card's entry of each."""
    from huggingface_hub import split_torch_state_dict_into_shards  # noqa: PLC0415 (slow to import)

    split = split_torch_state_dict_into_shards(state, max_shard_size=SHARD_BYTES)
    files = {}
    for name, held in split.filename_to_tensors.items():
        content = save_tensors({key: state[key].contiguous() for key in held}, metadata={"format": "pt"})
        files[name] = _write(folder / name, content)
    if split.is_sharded:
        index = {"metadata": split.metadata, "weight_map": split.tensor_to_filename}
        (folder / INDEX).write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")
    return files


def _write(path: Path, content: bytes) -> dict[str, Any]:
    """Writes a file; returns the card's entry of it."""
    path.write_bytes(content)
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def folder_of(name_or_path: str | Path) -> Path:
    """The folder of a shipped model's name, or of a path.

    Raises:
        CheckpointError: a shipped model's name that is a model's folder here too: neither hides the other.
    """
    text = str(name_or_path)
    shipped, own = CHECKPOINTS / text, Path(text)
    if text.startswith(".") or not os.path.isfile(shipped / CARD):  # unlike Path.is_file, for any text
        return own
    if os.path.isfile(own / CARD) and not own.samefile(shipped):
        raise CheckpointError(f"{text!r} is a shipped model and a folder here; give './{text}' or {str(shipped)!r}")
    return shipped


def load(name_or_path: str | Path) -> Bundle:
    """A model from its folder, in float32 and in evaluation mode, with its tokenizer and card.

    Args:
        name_or_path: a name that `available()` lists, or a folder that `save` wrote.
    Raises:
        CheckpointError: no such model; or a file that is missing, cut short, altered, or not what the card says.
    """
    folder = folder_of(name_or_path)
    path = folder / CARD
    if not os.path.isfile(path):
        raise CheckpointError(
            f"no model {str(name_or_path)!r}: neither one of {available()} nor a folder with a {CARD}"
        )
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
        (kind, config_kind), files, dtype = KINDS[card["kind"]], _files(card["files"]), _DTYPES[card["dtype"]]
        config = config_kind.from_dict(card["config"], _version_of(card))
        tokenizer = _tokenizer(folder, card["tokenizer"], files)
        _check_vocabulary(tokenizer, config)
        state: dict[str, Tensor] = {}
        for file, facts in files.items():
            if file != TOKENIZER:
                state |= _tensors(folder / file, _read(folder / file, facts))
        if config.depth > len(state):  # before the model is built: a depth may be any number
            raise CheckpointError(f"the weights beside {path} hold {len(state)} tensors, fewer than its depth")
        with shapes_only():  # the weights come from the files
            model = kind(config)
    except CheckpointError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError, OverflowError) as error:
        said = repr(error).partition("\\n")[0]  # of sizes beyond any memory torch says many lines
        raise CheckpointError(f"{path} is no card of a model: {said}") from error
    # The last norm was once a part of the stack, and is still named so in the files of the first models.
    state = {name.replace("transformer.norm.", "norm."): tensor for name, tensor in state.items()}
    _check_state(model.state_dict(), state, dtype, path)
    model.load_state_dict({name: tensor.float() for name, tensor in state.items()}, assign=True)
    return Bundle(model.eval(), tokenizer, model.config, card, folder)


def _version_of(card: dict[str, Any]) -> int:
    """The card's version.

    Raises:
        ValueError: a version that is not known here.
    """
    version: Any = card.get("version")
    if version not in range(OLDEST, VERSION + 1):
        raise ValueError(f"version must be a whole number from {OLDEST} to {VERSION}, got {version!r}")
    return version


def _files(files: Any) -> dict[str, dict[str, Any]]:
    """The card's entry of that name, if it is one."""
    if not isinstance(files, dict) or not all(isinstance(facts, dict) for facts in files.values()):
        raise ValueError(f"files must name each file with its sha256, got {files!r}")
    if odd := [file for file in files if Path(file).name != file]:
        raise ValueError(f"files must be plain file names, got {odd[0]!r}")
    return files


def _tokenizer(folder: Path, values: dict[str, Any], files: dict[str, dict[str, Any]]) -> Tokenizer:
    """The card's tokenizer, its definition taken from the file that holds it."""
    if values.get("file") == TOKENIZER:
        values = {**values, "definition": _read(folder / TOKENIZER, files[TOKENIZER]).decode()}
    return tokens.from_dict(values)


def _read(path: Path, facts: dict[str, Any]) -> bytes:
    """One file, checked against its entry in the card."""
    if not os.path.isfile(path):
        raise CheckpointError(f"{path} is missing; the card names it")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != facts.get("sha256"):
        raise CheckpointError(
            f"{path} does not have the checksum that the card says: it was altered or damaged "
            f"({len(content)} bytes, the card says {facts.get('bytes')})"
        )
    return content


def _tensors(path: Path, content: bytes) -> dict[str, Tensor]:
    """What a file of weights holds."""
    try:
        return load_tensors(content)
    except SafetensorError as error:
        raise CheckpointError(f"{path} is no safetensors file: {error}") from error


def _check_state(expected: dict[str, Tensor], found: dict[str, Tensor], dtype: torch.dtype, card: Path) -> None:
    """Raises CheckpointError unless there is every tensor the config implies, of the card's dtype, and no other."""
    for name in [*expected, *found]:
        implied = f"{dtype} {tuple(expected[name].shape)}" if name in expected else "nothing"
        held = f"{found[name].dtype} {tuple(found[name].shape)}" if name in found else "nothing"
        if held != implied:
            raise CheckpointError(f"the weights beside {card} hold {held} as {name!r}, the card implies {implied}")
        if not found[name].isfinite().all():
            raise CheckpointError(f"the weights beside {card} must be finite numbers, got others in {name!r}")


def _check_vocabulary(tokenizer: Tokenizer, config: Any) -> None:
    if tokenizer.num_tokens != config.num_tokens:
        raise ValueError(f"tokenizer must have the config's {config.num_tokens} tokens, got {tokenizer.num_tokens}")


def _to_json(card: dict[str, Any]) -> str:
    """The card for people to read; a vocabulary, if it has one, on one line."""
    words = card["tokenizer"].get("words")
    if words is None:
        return json.dumps(card, indent=1, ensure_ascii=False) + "\n"
    text = json.dumps({**card, "tokenizer": {**card["tokenizer"], "words": "%words%"}}, indent=1, ensure_ascii=False)
    return text.replace('"%words%"', json.dumps(words, ensure_ascii=False)) + "\n"
