"""A run on disk. Each file is written beside its place and renamed into it, so a kill leaves the old or the new.
One process writes, under one name: what a kill leaves beside is overwritten by the next write.

    state.safetensors    weights, optimisers, and in its header the recipe, the step and the time spent
    stable.safetensors   the state just before the learning rate began to fall: from here a longer run can go on
    best.safetensors     the weights that did best on validation
    card.json, model*    the same as a model that `former.load` reads, so that a run's directory is one
    snapshots/           the weights of chosen steps
    vocabulary.json      what made tokens of the corpus
    corpus.safetensors   the tokens, where they are slow to make (`former.training.cache`)
    log.jsonl            one line for each logged step

Nothing is pickled. What is random at a step is drawn from (seed, step), so the step is all there is to keep of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

VOCABULARY = "vocabulary.json"

Optimisers = Mapping[str, torch.optim.Optimizer]


def machine(device: torch.device) -> dict[str, Any]:
    """The processor, the GPU if it is the device, and the software, without names of hosts."""
    cpu = "unknown"
    if Path("/proc/cpuinfo").exists():
        facts = dict(
            line.split(":", 1)
            for line in Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
            if ":" in line
        )
        facts = {key.strip(): value.strip() for key, value in facts.items()}
        cpu = f"{facts.get('model name', cpu)}, family {facts.get('cpu family')}, model {facts.get('model')}"
    gpu = {"gpu": torch.cuda.get_device_name(device)} if device.type == "cuda" else {}
    return {
        "cpu": cpu,
        **gpu,
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "torch": str(torch.__version__),
    }


def write_tensors(path: Path, tensors: dict[str, Tensor], header: Mapping[str, Any]) -> None:
    """Writes tensors and a JSON header to one safetensors file, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = _beside(path)
    save_file({name: t.contiguous() for name, t in tensors.items()}, beside, {"header": json.dumps(header)})
    with open(beside, "rb") as file:
        os.fsync(file.fileno())
    os.replace(beside, path)


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The inverse of `write_tensors`.

    Raises:
        ValueError: no such file, or one that is damaged.
    """
    if not path.is_file():
        raise ValueError(f"a run's state or weights must be a file, and there is none at {path}")
    try:
        with safe_open(path, framework="pt") as file:
            header = json.loads((file.metadata() or {}).get("header", "{}"))
            return {name: file.get_tensor(name) for name in file.keys()}, header  # noqa: SIM118 (it is no dict)
    except SafetensorError as error:
        raise ValueError(f"{path} is damaged ({error}); remove it, or give another") from error


def measured(command: str, **figures: Any) -> str:
    """A measurement as JSON for a file: the command that made it, the day, the machine, and its figures."""
    facts = {
        "command": f"python -m former.training {command}",
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "machine": machine(torch.device("cpu")),
    }
    return json.dumps(facts | figures, indent=1) + "\n"


def write_json(path: Path, values: Any) -> None:
    """Writes JSON, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = _beside(path)
    beside.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")
    os.replace(beside, path)


def read_json(path: Path) -> Any:
    """The inverse of `write_json`."""
    return json.loads(path.read_text(encoding="utf-8"))


def _beside(path: Path) -> Path:
    """Where a file is written; no name that ends in the file's own suffix, by which snapshots are found."""
    return path.with_name(f".{path.name}.unfinished")


def save_state(path: Path, model: nn.Module, optimisers: Optimisers, header: Mapping[str, Any]) -> None:
    """Writes everything a run needs to go on."""
    tensors = {f"model.{name}": value for name, value in model.state_dict().items()}
    for kind, optimiser in optimisers.items():
        for index, values in optimiser.state_dict()["state"].items():
            tensors |= {f"{kind}.{index}.{name}": value for name, value in values.items()}
    write_tensors(path, tensors, header)


def load_state(path: Path, model: nn.Module, optimisers: Optimisers) -> dict[str, Any]:
    """Puts a saved state in place; returns its header.

    Raises:
        ValueError: it is missing or damaged, or was saved by another model.
    """
    tensors, header = read_tensors(path)
    weights = {name.removeprefix("model."): t for name, t in tensors.items() if name.startswith("model.")}
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise ValueError(f"{path} holds another model; give another --out, or the settings it began with") from error
    for kind, optimiser in optimisers.items():
        held: dict[int, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            if name.startswith(f"{kind}."):
                _, index, field = name.split(".")
                held.setdefault(int(index), {})[field] = tensor
        optimiser.load_state_dict({**optimiser.state_dict(), "state": held})
    return header


class Log:
    """A JSONL file that goes on where the state left off: lines of later steps, lost by a kill, are dropped.

    Args:
        path: the file.
        step: the step the run goes on from.
    """

    def __init__(self, path: Path, step: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        kept = [line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= step]
        beside = _beside(path)
        beside.write_text("".join(kept if step else []))
        os.replace(beside, path)
        self._file = path.open("a", buffering=1)

    def write(self, **values: Any) -> None:
        """Appends one line."""
        self._file.write(json.dumps(values) + "\n")
