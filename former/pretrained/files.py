"""Reads and downloads folders in Hugging Face's format; reports every error in one line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from former.checkpoints.files import INDEX, TOKENIZER, CheckpointError

WEIGHTS = "model.safetensors"
Report = Callable[[int, int], None]
"""report(done, total): the progress of a download, in bytes."""

SHORT_NAMES = {
    **dict.fromkeys(("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"), "openai-community"),
    "distilgpt2": "distilbert",
    **{f"bert-{size}-{case}": "google-bert" for size in ("base", "large") for case in ("uncased", "cased")},
}
"""Repositories that can be named without their owner → the owner."""

_REPO_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9_][\w.-]*", re.ASCII)
_OTHER_FORMS = (".bin", ".pt", ".h5", ".ckpt", ".index", ".msgpack")  # a TensorFlow checkpoint is .index and data
OF_TOKENIZERS = (TOKENIZER, "vocab.json", "vocab.txt", "merges.txt", "added_tokens.json", "special_tokens_map.json")
"""Files that describe a tokenizer: `transformers` reads all that a folder has."""
_WANTED = ("*.safetensors", INDEX, "config.json", "tokenizer_config.json", *OF_TOKENIZERS)


class NotDownloaded(CheckpointError):
    """A repository cannot be downloaded."""


@contextmanager
def refused(path: Path) -> Iterator[None]:
    """Context manager: turns errors into a CheckpointError of one line that names the file or folder."""
    try:
        yield
    except CheckpointError:
        raise
    except (ValueError, TypeError, RuntimeError, OverflowError) as error:  # torch too, for sizes beyond any memory
        raise CheckpointError(f"{path}: {_one_line(error)}") from error


def read_text(path: Path) -> str:
    """Reads a text file, without the byte order mark that some editors add.

    Raises:
        CheckpointError: the file is missing or not text.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CheckpointError(f"{path} cannot be read: {_one_line(error)}") from error


def read_json(path: Path) -> dict[str, Any]:
    """Reads a JSON file that holds an object.

    Raises:
        CheckpointError: the file is missing or not a JSON object.
    """
    try:
        values = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{path} is not JSON: {_one_line(error)}") from error
    if not isinstance(values, dict):
        raise CheckpointError(f"{path} must hold an object, got {type(values).__name__}")
    return values


def boolean(values: Mapping[str, Any], name: str, default: bool) -> bool:
    """Returns a field of a JSON file that is true or false; the default without it.

    Raises:
        ValueError: another value, such as 1 or "true".
    """
    if not isinstance(value := values.get(name, default), bool):
        raise ValueError(f"{name} must be true or false, got {value!r}")
    return value


def read_weights(folder: Path) -> dict[str, Tensor]:
    """Reads all tensors of a folder, from its single weight file or from those in its index.

    Raises:
        CheckpointError: there are no safetensors, or a file is missing or damaged.
    """
    if (folder / WEIGHTS).exists():
        return _read(folder / WEIGHTS)
    if not (folder / INDEX).exists():
        others = any(path.suffix in _OTHER_FORMS for path in folder.iterdir())
        hint = "; other formats can run code; save_pretrained of transformers writes this one" if others else ""
        raise CheckpointError(f"{folder} holds no {WEIGHTS} and no {INDEX}{hint}")
    places = read_json(folder / INDEX).get("weight_map")
    if not isinstance(places, dict) or not all(isinstance(file, str) for file in places.values()):
        raise CheckpointError(f"{folder / INDEX} must have a weight_map from tensors to files")
    weights: dict[str, Tensor] = {}
    for file in sorted(set(places.values())):
        if Path(file).name != file or not file.endswith(".safetensors") or not file.isprintable():
            raise CheckpointError(f"{folder / INDEX} must name safetensors files beside it, got {file!r}")
        part = _read(folder / file)
        if twice := sorted(weights.keys() & part.keys()):
            raise CheckpointError(f"the weights in {folder} hold {twice[0]!r} twice, once in {file}")
        weights |= part
    if missing := sorted(set(places) - set(weights)):
        raise CheckpointError(f"the weights in {folder} lack {missing[0]!r}, which {INDEX} names")
    return weights


def is_repo_id(name: str) -> bool:
    """Returns whether a name has the form of a repository's id: "owner/name", or one of `SHORT_NAMES`."""
    return name in SHORT_NAMES or _REPO_ID.fullmatch(name) is not None


def is_cached(repo_id: str) -> bool:
    """Returns whether a repository's config and weights are in Hugging Face's cache."""
    from huggingface_hub import try_to_load_from_cache  # noqa: PLC0415 (imported only for repositories)

    places = (try_to_load_from_cache(_full(repo_id), name) for name in ("config.json", WEIGHTS, INDEX))
    config, *weights = (isinstance(source, str) for source in places)
    return config and any(weights)


def fetch(repo_id: str, report: Report | None = None, revision: str | None = None) -> Path:
    """Returns a repository's folder in Hugging Face's cache; downloads missing files, with a progress bar.

    Args:
        repo_id: "owner/name", or one of `SHORT_NAMES`.
        report: called with the bytes downloaded so far, and the total of all files whose download has begun.
        revision: a branch, a tag or a commit; None for the main branch.
    Raises:
        NotDownloaded: there is no network, or no such repository.
    """
    from huggingface_hub import snapshot_download  # noqa: PLC0415 (imported only for repositories)

    options: dict[str, Any] = {"tqdm_class": _reporting(report)} if report else {}
    try:
        return Path(snapshot_download(_full(repo_id), revision=revision, allow_patterns=list(_WANTED), **options))
    except Exception as error:  # network, hub and disk errors have no common class
        raise NotDownloaded(
            f"{repo_id!r} is not a folder here and cannot be downloaded from Hugging Face: {_one_line(error)}"
        ) from error


def _full(repo_id: str) -> str:
    return f"{SHORT_NAMES[repo_id]}/{repo_id}" if repo_id in SHORT_NAMES else repo_id


def _reporting(report: Report) -> type:
    """Returns a class of progress bars that also report, if they count bytes."""
    from huggingface_hub.utils import tqdm  # noqa: PLC0415 (imported only for repositories)

    class Bar(tqdm):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self.of_bytes, self.done = kwargs.get("unit") == "B", kwargs.get("initial") or 0
            super().__init__(*args, **kwargs)

        def update(self, n: float | None = 1) -> bool | None:
            self.done += n or 0  # a bar that is not displayed counts nothing by itself
            if self.of_bytes:
                report(int(self.done), int(self.total or 0))
            return super().update(n)

    return Bar


def _read(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{path} cannot be read as safetensors: {_one_line(error)}") from error


def _one_line(error: BaseException) -> str:
    """Returns the first line of an error's message, or its type."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
