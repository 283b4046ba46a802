"""Saves and loads trained models: a folder for each model, with a JSON card and safetensors files.

    checkpoints/generator/card.json
    checkpoints/generator/model.safetensors.index.json     (if there are several weight files)
    checkpoints/generator/model-00001-of-00002.safetensors ...
    checkpoints/gpt/tokenizer.json                         (if the tokenizer comes from `tokenizers`)

The card holds the kind of model, its config, its tokenizer, its files with checksums, and facts about its training.
Nothing is unpickled: weight files hold only numbers and cards only text, so loading a model runs no code from it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_type_hints

from torch import Tensor

from former import tokens
from former.baselines import ConvModel, GRUModel
from former.checkpoints.files import (
    CARD,
    TOKENIZER,
    CheckpointError,
    read_checked,
    read_tensors,
    remove_old,
    write_card,
    write_file,
    write_weights,
)
from former.checks import is_whole, require_instance, require_json
from former.config import OLDEST, VERSION, shapes_only
from former.hooks import Observer
from former.rounding import DTYPES, check_finite, layout, restored, rounded
from former.runs import Run, read, start
from former.runs.kinds import KINDS
from former.tokens import Tokenizer

_HERE = Path(__file__).resolve().parent.parent
CHECKPOINTS = _HERE / "shipped" if (_HERE / "shipped").is_dir() else _HERE.parent / "checkpoints"  # installed, or not

_WITHOUT_RUNS = (GRUModel, ConvModel)
MODEL_KINDS: dict[str, tuple[Any, Any]] = {
    model.__name__: (model, get_type_hints(model.__init__)["config"])
    for model in (*(each for kind in KINDS for each in kind.models), *_WITHOUT_RUNS)
}
"""Kind of model, as the card names it → its class, and the class of its config."""


@dataclass(frozen=True, repr=False)
class Bundle:
    """A model with its tokenizer, config and card."""

    model: Any  # an instance of one of `MODEL_KINDS`
    tokenizer: Tokenizer
    config: Any  # the model's config
    card: dict[str, Any] = field(default_factory=dict)  # facts about the training, as plain JSON values
    folder: Path | None = field(default=None, compare=False)  # where it was loaded from

    def __repr__(self) -> str:
        parameters = sum(parameter.numel() for parameter in self.model.parameters())
        name = f" {self.card['name']!r}" if "name" in self.card else ""
        return f"<Bundle{name}: {type(self.model).__name__} of {parameters:,} parameters, {self.config}>"

    def run(
        self,
        text: str,
        *,
        edits: Iterable[Observer] = (),
        answer: str | None = None,
        snapshot: int | None = None,
        limit: int | None = None,
    ) -> Run:
        """Runs the model on a text; works for every kind that has attention.

        Args:
            text: as a user types it. For a `Bert`, brackets hide a word, "Paris is in [France].", and [SEP] divides two
                texts; for an `EncoderDecoder`, an answer may follow after an arrow, "4 July 1976 → 1976-07-04".
            edits: changes to make during the pass (`former.edits`).
            answer: the input of an `EncoderDecoder`'s decoder; None for the model's own answer.
            snapshot: a training step, to run the model as it was then; the folder must hold that snapshot.
            limit: the most tokens to read, at least 1; None for the model's context. A `TransformerXL` reads the whole
                text.
        Returns:
            The recorded pass, a `former.runs.Run`.
        Raises:
            ValueError: a text or a limit that the model cannot read, more than `sparse.MOST_WEIGHTS` tokens under a
                sparse mask, an edit that does not fit, or an unknown snapshot.
        """
        source = self if snapshot is None else self.at(snapshot)
        kind, reading = read(source, text, answer, limit)
        return start(source, kind, reading, edits)

    def at(self, step: int) -> Bundle:
        """Loads the model as it was after a training step.

        Raises:
            ValueError: the model has no such snapshot.
        """
        if step == self.card.get("step"):
            return self
        if self.folder is None or not is_whole(step) or not (folder := self.folder / f"step-{step:06d}").is_dir():
            steps = [] if self.folder is None else [int(path.name[5:]) for path in self.folder.glob("step-[0-9]*")]
            raise ValueError(f"snapshot must be one of the saved steps, {sorted(steps)}, got {step!r}")
        return load(folder)


def available() -> list[str]:
    """Lists the names of the shipped models, in alphabetical order."""
    return sorted(card.parent.name for card in CHECKPOINTS.glob(f"*/{CARD}"))


def save(bundle: Bundle, path: str | Path, dtype: Literal["f16", "bf16", "int8"] = "f16") -> None:
    """Writes a model's folder; the card is written last, so a folder with a card is complete.

    float16 keeps 11 significant bits of a weight and bfloat16 8, in half the space of float32; int8 keeps 8 bits of
    each entry of a matrix and a scale for each row (`former.rounding`), in a quarter. Loading returns the rounded
    weights. No file is larger than `SHARD_BYTES` plus a header, unless a single tensor is; such a tensor gets a file of
    its own.

    Args:
        bundle: the model to save, with its tokenizer, config and card.
        path: the folder, created if it is missing.
        dtype: of the saved numbers.
    Raises:
        ValueError: an unknown dtype, weights that are not finite or too large for float16, a tokenizer that does not
            fit the model, or a card that is not JSON. A model in the folder is then left as it is.
    """
    require_instance("bundle", bundle, Bundle)
    if dtype not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, got {dtype!r}")
    require_json("card", bundle.card)
    if type(bundle.model).__name__ not in MODEL_KINDS:
        raise ValueError(f"bundle must hold one of {', '.join(MODEL_KINDS)}, got {type(bundle.model).__name__}")
    _check_vocabulary(bundle.tokenizer, bundle.model.config)
    weights = {name: tensor.detach().float().cpu() for name, tensor in bundle.model.state_dict().items()}
    state = rounded(weights, dtype)
    for each in (weights, state):
        check_finite(each, dtype)
    tokenizer, config = bundle.tokenizer.to_dict(), bundle.model.config.to_dict()
    require_json("tokenizer", tokenizer)
    require_json("config", config)
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    remove_old(folder)
    files = write_weights(folder, state)
    if "definition" in tokenizer:  # over 100 kB: too long for a readable card
        files[TOKENIZER] = write_file(folder / TOKENIZER, tokenizer.pop("definition").encode())
        tokenizer["file"] = TOKENIZER
    made = {"kind": type(bundle.model).__name__, "config": config, "dtype": dtype, "files": files}
    write_card(folder, {**bundle.card, "version": VERSION, **made, "tokenizer": tokenizer})


def folder_of(name_or_path: str | Path) -> Path:
    """Finds the folder of a shipped model by name, or of a path.

    Raises:
        CheckpointError: the name is both a shipped model and a model's folder here.
    """
    text = str(name_or_path)
    shipped, own = CHECKPOINTS / text, Path(text)
    if text.startswith(".") or not os.path.isfile(shipped / CARD):  # like Path.is_file, but works for any text
        return own
    if os.path.isfile(own / CARD) and not own.samefile(shipped):
        raise CheckpointError(f"{text!r} is a shipped model and a folder here; use './{text}' or {str(shipped)!r}")
    return shipped


def load(name_or_path: str | Path) -> Bundle:
    """Loads a model from its folder, in float32 and in evaluation mode, with its tokenizer and card.

    Args:
        name_or_path: a name that `available()` lists, or a folder that `save` wrote.
    Raises:
        CheckpointError: there is no such model, or a file is missing, cut short, altered, or does not match the card.
    """
    folder = folder_of(name_or_path)
    path = folder / CARD
    if not os.path.isfile(path):
        raise CheckpointError(
            f"no model {str(name_or_path)!r}: neither one of {available()} nor a folder with a {CARD}"
        )
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
        (kind, config_kind), files = MODEL_KINDS[card["kind"]], _files(card["files"])
        config = config_kind.from_dict(card["config"], _version_of(card))
        tokenizer = _tokenizer(folder, card["tokenizer"], files)
        _check_vocabulary(tokenizer, config)
        state: dict[str, Tensor] = {}
        for file, facts in files.items():
            if file != TOKENIZER:
                state |= read_tensors(folder / file, read_checked(folder / file, facts))
        if config.depth > len(state):  # before building the model, as the card may claim any depth
            raise CheckpointError(f"the weights beside {path} hold {len(state)} tensors, fewer than its depth")
        with shapes_only():  # the weights are read from the files
            model = kind(config)
            implied = layout(model.state_dict(), card["dtype"])
    except CheckpointError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError, OverflowError) as error:
        cause = repr(error).partition("\\n")[0]  # torch needs many lines to report sizes beyond the memory
        raise CheckpointError(f"{path} is not a valid model card: {cause}") from error
    # In the first models' files the last norm is still named as part of the stack.
    state = {name.replace("transformer.norm.", "norm."): tensor for name, tensor in state.items()}
    _check_state(implied, state, path)
    model.load_state_dict(restored(state), assign=True)
    return Bundle(model.eval(), tokenizer, model.config, card, folder)


def _version_of(card: dict[str, Any]) -> int:
    """Returns the card's version.

    Raises:
        ValueError: an unknown version.
    """
    version: Any = card.get("version")
    if version not in range(OLDEST, VERSION + 1):
        raise ValueError(f"version must be a whole number from {OLDEST} to {VERSION}, got {version!r}")
    return version


def _files(files: Any) -> dict[str, dict[str, Any]]:
    """Returns the card's `files` after checking them."""
    if not isinstance(files, dict) or not all(isinstance(facts, dict) for facts in files.values()):
        raise ValueError(f"files must name each file with its sha256, got {files!r}")
    if odd := [file for file in files if Path(file).name != file]:
        raise ValueError(f"files must be plain file names, got {odd[0]!r}")
    return files


def _tokenizer(folder: Path, values: dict[str, Any], files: dict[str, dict[str, Any]]) -> Tokenizer:
    """Builds the card's tokenizer, with its definition from the tokenizer file if there is one."""
    if values.get("file") == TOKENIZER:
        values = {**values, "definition": read_checked(folder / TOKENIZER, files[TOKENIZER]).decode()}
    return tokens.from_dict(values)


def _check_state(implied: dict[str, str], state: dict[str, Tensor], card: Path) -> None:
    """Raises CheckpointError unless the tensors are exactly those that the config and the card's dtype imply."""
    actual = {name: f"{tensor.dtype} {tuple(tensor.shape)}" for name, tensor in state.items()}
    for name in [*implied, *actual]:
        theirs, ours = actual.get(name, "nothing"), implied.get(name, "nothing")
        if theirs != ours:
            raise CheckpointError(f"the weights beside {card} hold {theirs} as {name!r}, the card implies {ours}")
        if not state[name].isfinite().all():
            raise CheckpointError(f"the weights beside {card} must be finite numbers, got others in {name!r}")


def _check_vocabulary(tokenizer: Tokenizer, config: Any) -> None:
    if tokenizer.num_tokens != config.num_tokens:
        raise ValueError(f"tokenizer must have the config's {config.num_tokens} tokens, got {tokenizer.num_tokens}")
