"""Opens models: shipped ones, folders saved by `former`, and models in Hugging Face's format, by folder or id."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from safetensors import SafetensorError, safe_open

import former
from former.checkpoints import folder_of
from former.checkpoints.files import CARD, CheckpointError
from former.pretrained.files import Report, fetch, is_cached, is_repo_id
from former.rounding import SCALE
from former.runs import kind_of
from former.runs.run import adds_terms
from viz.passes.loaded import Loaded
from viz.passes.run import digest

COPIES = 3  # of the weights, in float32: the readable model, its packed products, its compiled step


class NotShown(CheckpointError):
    """The page cannot show this model's attention."""


class OutOfMemory(CheckpointError):
    """A model needs more memory than is free; `needed` and `free` are in GB."""

    def __init__(self, message: str, needed: float, free: float) -> None:
        super().__init__(message)
        self.needed, self.free = needed, free


def open_model(source: str | Path, taken: Container[str] = (), report: Report | None = None) -> Loaded:
    """Opens a model for the server.

    Args:
        source: the name of a shipped model; a folder written by `former.save` or in Hugging Face's format; or else the
            id of a repository, which is downloaded unless it is in Hugging Face's cache.
        taken: names of other models. A model is named after its folder, or by the whole `source` if that name is taken.
        report: called with the progress of the download, as by `former.pretrained.files.fetch`.
    Raises:
        CheckpointError: one line that says why the model cannot be opened or shown, or does not fit into memory.
    """
    theirs = is_theirs(source)
    folder = fetch(str(source), report) if theirs and not os.path.isdir(source) else folder_of(source)
    check_memory(source, folder)
    bundle = former.pretrained.load(folder) if theirs else former.load(source)
    opened = "" if not theirs and source in former.available() else str(source)
    try:
        kind = kind_of(bundle)
    except ValueError as error:
        name = type(bundle.model).__name__
        raise NotShown(f"{str(source)!r} holds a {name}, whose attention is not shown here") from error
    if not bundle.config.scaled:  # the views of one head work out q·k / √s themselves
        raise NotShown(f"{str(source)!r} holds a model without the scaling of scores, which is not shown here")
    if adds_terms(bundle.model) and kind.resumes:  # some tabs work out q·k / √s of one stack themselves
        raise NotShown(
            f"{str(source)!r} holds a {type(bundle.model).__name__} whose positions add to its scores, "
            "which is shown here of a TransformerXL alone"
        )
    name = Path(source).name if theirs else Path(source).resolve().name
    name = str(source) if name in taken else name
    return Loaded(name, bundle, digest(bundle.card.get("files", str(source))), folder, opened, theirs)


def open_revisions(
    source: str, revisions: Sequence[str], taken: Container[str] = (), report: Report | None = None
) -> Loaded:
    """Opens a repository's model with its revisions of several steps of training, as the model's snapshots.

    Args:
        source: the id of a repository; or a folder that holds a folder in Hugging Face's format for each revision.
        revisions: their names, which end with the number of the step, such as "step512".
        taken, report: as for `open_model`.
    Raises:
        CheckpointError: a name without a number, or a revision that cannot be opened.
    """
    folders: dict[int, Path] = {}
    for revision in revisions:
        step = re.search(r"\d{1,9}$", revision, re.ASCII)
        if step is None:
            raise CheckpointError(
                f"a revision must end with the number of its step, such as 'step512', got {revision!r}"
            )
        folder = Path(source, revision) if os.path.isdir(source) else fetch(source, report, revision)
        folders[int(step[0])] = folder
    opened = None
    for step in sorted(folders):  # all, so that a damaged one is found now; the last one is kept
        opened = None  # before the next is in memory
        opened = open_model(folders[step])
    assert opened is not None  # there is at least one revision
    name = Path(source).name
    return replace(opened, name=source if name in taken else name, revisions=folders)


def is_theirs(source: str | Path) -> bool:
    """Returns whether a source is in Hugging Face's format: a folder with a config.json and no card, or a repository
    id.

    A folder takes precedence over a repository of the same name.
    """
    folder = folder_of(source)
    if folder.is_dir():
        return (folder / "config.json").is_file() and not (folder / CARD).is_file()
    return isinstance(source, str) and is_repo_id(source)


def is_elsewhere(source: str, revisions: Sequence[str] = ()) -> bool:
    """Returns whether opening this source, or these revisions of it, downloads a model."""
    return is_theirs(source) and not os.path.isdir(source) and (bool(revisions) or not is_cached(source))


def check_memory(source: str | Path, folder: Path) -> None:
    """Raises OutOfMemory if the weights in a folder need more memory than is free."""
    count = sum(math.prod(shape) for shape in shapes(folder))
    needed, free = count * 4 * COPIES / 1e9, free_memory() / 1e9
    if needed > free:
        raise OutOfMemory(
            f"{str(source)!r} has {count / 1e6:,.0f} million parameters, which take {needed:.1f} GB of memory"
            f" here; {free:.1f} GB are free",
            needed,
            free,
        )


def shapes(folder: Path) -> Iterator[list[int]]:
    """Reads the shape of every tensor in a folder's weights, from the headers of the files."""
    for file in sorted(folder.glob("model*.safetensors")):
        try:
            with safe_open(file, "numpy") as weights:
                names = [name for name in weights.keys() if not name.endswith(SCALE)]  # noqa: SIM118 (no dict)
                yield from [weights.get_slice(name).get_shape() for name in names]
        except (OSError, SafetensorError):
            return  # reading the weights raises a clear error


def free_memory() -> int:
    """Returns the available memory in bytes, within a container's limit; elsewhere than on Linux, all memory."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        most, used = (int(Path(f"/sys/fs/cgroup/memory.{name}").read_text()) for name in ("max", "current"))
        return min(free, most - used)
    except (OSError, ValueError):  # no container, or one without a limit
        return free


def summary(loaded: Loaded) -> str:
    """Describes a user's own model in one line, for the terminal."""
    parameters = sum(part.numel() for part in loaded.bundle.model.parameters())
    context, most = loaded.bundle.config.seq_length, loaded.max_tokens
    bound = "" if most == context else f"; tab Explore shows {most} of its {context:,} tokens at once"
    left = ", ".join(loaded.heads_left)
    heads = f"; shown without its output head ({left})" if left else ""
    return f"{loaded.name}: {parameters / 1e6:,.1f} million parameters{bound}{heads}"
