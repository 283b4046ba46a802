"""A run on disk. Each file is written under a temporary name and then renamed, so a kill never leaves half a file.
Only one process writes, so a temporary file left by a kill is overwritten by the next write.

    state.safetensors    weights and optimisers; its header has the recipe, the step and the time spent
    stable.safetensors   the state just before the learning rate begins to fall: a longer run can start from it
    best.safetensors     the weights with the best result on validation
    card.json, model*    the best weights in the form that `former.load` reads
    snapshots/           the weights at the recipe's `snapshots`
    vocabulary.json      the tokenizer
    corpus.safetensors   the tokens of the corpus, if they are slow to compute (`former.training.cache`)
    log.jsonl            one line for each logged step

Nothing is pickled. All random numbers of a step are drawn from (seed, step), so no random state needs saving.
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
    """Returns the processor, the GPU (if it is the device), threads and torch's version; never the host's name."""
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
    """Writes tensors and a JSON header to one safetensors file, atomically: an interruption leaves the old file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(path)
    save_file({name: t.contiguous() for name, t in tensors.items()}, temporary, {"header": json.dumps(header)})
    with open(temporary, "rb") as file:
        os.fsync(file.fileno())
    os.replace(temporary, path)


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Reads the tensors and the header that `write_tensors` wrote.

    Raises:
        ValueError: the file is missing or damaged.
    """
    if not path.is_file():
        raise ValueError(f"a run's state or weights must be a file; there is no file at {path}")
    try:
        with safe_open(path, framework="pt") as file:
            header = json.loads((file.metadata() or {}).get("header", "{}"))
            return {name: file.get_tensor(name) for name in file.keys()}, header  # noqa: SIM118 (it is no dict)
    except SafetensorError as error:
        raise ValueError(f"{path} is damaged ({error}); remove it, or give another") from error


def measurement_json(command: str, **figures: Any) -> str:
    """Returns a measurement as JSON: the command that made it, the date, the machine, and its figures."""
    facts = {
        "command": f"python -m former.training {command}",
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "machine": machine(torch.device("cpu")),
    }
    return json.dumps(facts | figures, indent=1) + "\n"


def write_json(path: Path, values: Any) -> None:
    """Writes values as JSON, atomically: an interruption leaves the old file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(path)
    temporary.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")
    os.replace(temporary, path)


def read_json(path: Path) -> Any:
    """Reads the values that `write_json` wrote."""
    return json.loads(path.read_text(encoding="utf-8"))


def _temporary(path: Path) -> Path:
    """Returns the name under which a file is first written; its suffix differs, so that no glob for snapshots matches
    it."""
    return path.with_name(f".{path.name}.unfinished")


def save_state(path: Path, model: nn.Module, optimisers: Optimisers, header: Mapping[str, Any]) -> None:
    """Writes everything that is needed to resume a run: the weights, the optimisers' states, and a header of plain
    values."""
    tensors = {f"model.{name}": value for name, value in model.state_dict().items()}
    for kind, optimiser in optimisers.items():
        for index, values in optimiser.state_dict()["state"].items():
            tensors |= {f"{kind}.{index}.{name}": value for name, value in values.items()}
    write_tensors(path, tensors, header)


def load_state(path: Path, model: nn.Module, optimisers: Optimisers) -> dict[str, Any]:
    """Loads a saved state into a model and its optimisers; returns its header.

    Raises:
        ValueError: the file is missing or damaged, or holds the state of another model.
    """
    tensors, header = read_tensors(path)
    weights = {name.removeprefix("model."): t for name, t in tensors.items() if name.startswith("model.")}
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise ValueError(f"{path} holds another model; give another --out, or its original settings") from error
    for kind, optimiser in optimisers.items():
        moments: dict[int, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            if name.startswith(f"{kind}."):
                _, index, field = name.split(".")
                moments.setdefault(int(index), {})[field] = tensor
        optimiser.load_state_dict({**optimiser.state_dict(), "state": moments})
    return header


class Log:
    """Appends lines of JSON to a file; when a run resumes, lines of steps after its saved state are dropped first.

    Args:
        path: the file.
        step: the step at which the run resumes.
    """

    def __init__(self, path: Path, step: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        earlier = [line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= step]
        temporary = _temporary(path)
        temporary.write_text("".join(earlier if step else []))
        os.replace(temporary, path)
        self._file = path.open("a", buffering=1)

    def write(self, **values: Any) -> None:
        """Appends one line of JSON with these values."""
        self._file.write(json.dumps(values) + "\n")
