"""A model as it was at steps of its training: its snapshots, loaded when they are first asked for.

They stand in the model's folder, as `step-000800`, and go by the model's name and theirs, as `former.load` takes them:
"tiny-induction/step-000800". The last step is the model itself, which stands nowhere twice.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import replace

import former
from former.checkpoints import CARD
from viz.passes.loaded import Loaded, Models
from viz.passes.run import digest

LIMIT = 64 << 20  # bytes of weights that are held
_NAME = re.compile(r"(.+)/step-(\d{6,9})", re.ASCII)


def name_at(model: str, step: int) -> str:
    """What a model is called as it was after so many steps."""
    return f"{model}/step-{step:06d}"


def split(name: str) -> tuple[str, int | None]:
    """The model's own name, and the step where the name is that of a snapshot."""
    match = _NAME.fullmatch(name)
    return (match[1], int(match[2])) if match else (name, None)


def steps(loaded: Loaded) -> list[int]:
    """The steps at which a model was kept, in order; most have none."""
    if loaded.folder is None:
        return []
    kept = sorted(int(card.parent.name.removeprefix("step-")) for card in loaded.folder.glob(f"step-[0-9]*/{CARD}"))
    end = loaded.bundle.card["step"] if kept else None
    return [*kept, end] if end is not None and end > kept[-1] else kept


class WithSnapshots(Mapping[str, Loaded]):
    """The models by name, and each snapshot by its own; a list of them has the models alone. Safe between threads.

    The snapshots that were used last stay, up to a number of bytes; another is read again when it is asked for.

    Args:
        models: by name.
        limit: bytes of the weights of all snapshots that are held.
    """

    def __init__(self, models: Models, limit: int = LIMIT) -> None:
        self.limit = limit
        self._models = models
        self._held: OrderedDict[str, Loaded] = OrderedDict()
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)

    def __contains__(self, name: object) -> bool:
        if name in self._models or not isinstance(name, str):
            return name in self._models
        model, step = split(name)
        return step is not None and model in self._models and step in steps(self._models[model])

    def __getitem__(self, name: str) -> Loaded:
        if name in self._models:
            return self._models[name]
        if name not in self:
            raise KeyError(name)
        with self._lock:
            if name not in self._held:
                self._held[name] = self._read(name)
            self._held.move_to_end(name)
            while len(self._held) > 1 and self.nbytes > self.limit:
                self._held.popitem(last=False)
            return self._held[name]

    @property
    def nbytes(self) -> int:
        """Of the weights that are held, with those of their fast twins."""
        return sum(2 * tensor.nbytes for held in self._held.values() for tensor in held.bundle.model.parameters())

    def _read(self, name: str) -> Loaded:
        model, step = split(name)
        assert step is not None  # __contains__ has seen to that
        folder = self._models[model].folder
        assert folder is not None
        folder = folder / name_at("", step).removeprefix("/")
        whole = self._models[model]
        if not folder.exists():  # the end
            return replace(whole, name=name, opened=whole.code)
        bundle = former.load(folder)
        opened = f"former.load({str(folder)!r})" if whole.opened else ""  # by its name where that is a shipped model's
        return Loaded(name, bundle, digest(bundle.card["files"]), folder, opened)
