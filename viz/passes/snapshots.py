"""Snapshots of a model during its training, loaded on demand.

They are in the model's folder, such as `step-000800`, or are revisions of a repository. Their names are those that
`former.load` takes: "tiny-induction/step-000800". The last step is the model itself, which has no folder of its own.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import replace

import former
from former.checkpoints.files import CARD
from viz.passes.loaded import Loaded, Models
from viz.passes.run import digest

LIMIT = 64 << 20  # bytes of cached weights
_NAME = re.compile(r"(.+)/step-(\d{6,9})", re.ASCII)


def name_at(model: str, step: int) -> str:
    """Returns the name of a model's snapshot at a step."""
    return f"{model}/step-{step:06d}"


def split(name: str) -> tuple[str, int | None]:
    """Splits a name into the model's name and the snapshot's step, None for the model itself."""
    match = _NAME.fullmatch(name)
    return (match[1], int(match[2])) if match else (name, None)


def steps(loaded: Loaded) -> list[int]:
    """Returns the steps of a model's snapshots in order, then the model's own last step; [] for a model without
    snapshots."""
    if loaded.revisions or loaded.folder is None:
        return sorted(loaded.revisions)
    saved = sorted(int(card.parent.name.removeprefix("step-")) for card in loaded.folder.glob(f"step-[0-9]*/{CARD}"))
    end = loaded.bundle.card["step"] if saved else None
    return [*saved, end] if end is not None and end > saved[-1] else saved


class WithSnapshots(Mapping[str, Loaded]):
    """A mapping of models by name that also finds their snapshots; iterating yields only the models. Thread-safe.

    Snapshots are loaded on demand and cached; the least recently used are evicted.

    Args:
        models: by name.
        limit: bytes of the weights of all cached snapshots.
    """

    def __init__(self, models: Models, limit: int = LIMIT) -> None:
        self.limit = limit
        self._models = models
        self._cache: OrderedDict[str, Loaded] = OrderedDict()
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._models))  # a model may arrive meanwhile

    def __len__(self) -> int:
        return len(self._models)

    def __contains__(self, name: object) -> bool:
        if name in self._models or not isinstance(name, str):
            return name in self._models
        model, step = split(name)
        if step is None or name != name_at(model, step):  # "step-0000200" is not the name of step 200
            return False
        return model in self._models and step in steps(self._models[model])

    def __getitem__(self, name: str) -> Loaded:
        if name in self._models:
            return self._models[name]
        if name not in self:
            raise KeyError(name)
        with self._lock:
            if name not in self._cache:
                self._cache[name] = self._read(name)
            self._cache.move_to_end(name)
            while len(self._cache) > 1 and self.nbytes > self.limit:
                self._cache.popitem(last=False)
            return self._cache[name]

    @property
    def nbytes(self) -> int:
        """Bytes of the cached weights, with those of their fast twins."""
        return sum(2 * tensor.nbytes for each in self._cache.values() for tensor in each.bundle.model.parameters())

    def _read(self, name: str) -> Loaded:
        model, step = split(name)
        assert step is not None  # checked by __contains__
        whole = self._models[model]
        assert whole.folder is not None
        folder = whole.revisions.get(step, whole.folder / name_at("", step).removeprefix("/"))
        if folder == whole.folder or not folder.exists():  # the last step
            return replace(whole, name=name, opened=whole.source)
        if whole.revisions:
            return Loaded(name, former.pretrained.load(folder), digest(str(folder)), folder, str(folder), theirs=True)
        bundle = former.load(folder)
        opened = str(folder) if whole.opened else ""  # a shipped model's snapshot is opened by its name
        return Loaded(name, bundle, digest(bundle.card["files"]), folder, opened)
