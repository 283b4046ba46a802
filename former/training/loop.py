"""The training loop: one step, and the run as a whole."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from tqdm import tqdm

import former
from former.checkpoints.files import CARD
from former.training import optim, state
from former.training.batches import Batch, generator_of, to_device
from former.training.compute import products, set_attention, try_compile
from former.training.export import make_bundle
from former.training.init_weights import make_model
from former.training.parallel import Group
from former.training.recipes import Recipe
from former.training.tasks import Task


def share(batch: Batch, recipe: Recipe, group: Group) -> list[Batch]:
    """Returns this process's rows of a batch, split into the recipe's `accumulate` micro-batches."""
    parts = zip(*(tensor.chunk(group.size * recipe.accumulate) for tensor in batch), strict=True)
    return list(parts)[group.rank :: group.size]


def divisors(task: Task, batch: Batch, recipe: Recipe, group: Group) -> list[Tensor]:
    """Returns the divisor of each mean loss of each micro-batch of `share`: with it, the sum over micro-batches,
    averaged over processes, is the mean over the whole batch. It is the number of micro-batches, if all score equally
    many targets."""
    scored = getattr(task, "scored", lambda *part: len(part[0]))
    whole = torch.tensor(scored(*batch))
    return [whole / (group.size * torch.tensor(scored(*part))) for part in share(batch, recipe, group)]


def backward(
    model: nn.Module, loss_of: Any, parts: list[Batch], recipe: Recipe, divisors: Sequence[Tensor] | None = None
) -> Tensor:
    """Accumulates the gradient of the mean loss over micro-batches; returns this process's loss.

    Args:
        model, loss_of: as `Group.wrap` returns them.
        parts: this process's micro-batches, on its device.
        recipe: the settings.
        divisors: what each part's loss is divided by (`divisors`); None for the number of parts.
    """
    device = parts[0][0].device
    total = torch.zeros((), device=device)
    divisors = divisors or [torch.tensor(len(parts))] * len(parts)
    for number, (part, divisor) in enumerate(zip(parts, divisors, strict=True), start=1):
        # Processes exchange their gradients once per step, in the last backward pass.
        skip_sync = isinstance(model, DistributedDataParallel) and number < len(parts)
        with cast(DistributedDataParallel, model).no_sync() if skip_sync else contextlib.nullcontext():
            with products(recipe.precision, device):
                means = loss_of(model, *part)
                loss = (means / divisor.to(means)).sum()
            loss.backward()
        total += loss.detach()
    return total


class Run:
    """A training run in a folder; resumes if the folder has a saved state.

    Args:
        recipe: the settings.
        task: the data and the loss.
        out: the run's folder.
        group: the processes that train together.
        start: a saved state to start from if the folder has none, such as another run's `stable.safetensors`.
    Raises:
        ValueError: the batch cannot be divided evenly among processes and micro-batches; or the saved state is of
            another model or corpus.
    """

    def __init__(self, recipe: Recipe, task: Task, out: Path, group: Group, start: Path | None = None) -> None:
        self.recipe, self.task, self.out, self.group = recipe, task, out, group
        if recipe.batch % (group.size * recipe.accumulate):
            raise ValueError(
                f"batch must be a multiple of {group.size} processes times {recipe.accumulate} micro-batches, "
                f"got {recipe.batch}"
            )
        saved = out / "state.safetensors"
        source = saved if saved.exists() else start
        self.model = make_model(recipe, with_weights=source is None).to(group.device)
        set_attention(self.model, recipe.attention)
        self.optimisers = optim.make_optimisers(self.model, recipe)
        self.step, self.seconds, self.best = 0, 0.0, None
        self.processor: float | None = 0.0  # seconds of processor time; None if an older run did not count them
        if source is not None:
            header = state.load_state(source, self.model, self.optimisers)
            self._check(header, source)
            self.step, self.seconds = header["step"], header["seconds"]
            self.processor = header.get("processor_seconds")
        best = out / "best.safetensors"
        if saved.exists() and best.exists():  # not those of `start`; newer than the state if they are a mean
            self.best = state.read_tensors(best)[1]["best"]
        loss = try_compile(task.loss, group.device, dynamic=False) if recipe.compile else task.loss
        self.network, self.loss_of = group.wrap(self.model, loss)

    def train(self) -> None:
        """Trains until the recipe's number of steps; validates, saves and logs on the way."""
        if self.group.first:
            state.write_json(self.out / state.VOCABULARY, self.task.tokenizer.to_dict())
        log = state.Log(self.out / "log.jsonl", self.step) if self.group.first else None
        bar = tqdm(
            total=self.recipe.steps,
            initial=self.step,
            desc=self.recipe.name,
            disable=not self.group.first,
            mininterval=5,
        )
        self._keep_snapshot()
        while self.step < self.recipe.steps:
            if self.step == optim.decay_start(self.recipe):
                self._save("stable")
            self._step_and_log(log, bar)
            is_last = self.step == self.recipe.steps
            if self.step % self.recipe.validate_every == 0 or is_last:
                self._validate(log, bar)
            self._keep_snapshot()
            if self.step % self.recipe.save_every == 0 or is_last:
                self._save("state")
        if self.recipe.initial_share:
            self.average()
            self._validate(log, bar)
        bar.close()
        if self.group.first and not (self.out / CARD).exists():  # an older run, or one killed before writing it
            self._publish()

    def take_step(self) -> tuple[Tensor, Tensor]:
        """Updates the weights once; returns the loss before the update, in nats, and the gradient norm before clipping.

        Both stay on the device, so that the loop need not wait for it.
        """
        recipe = self.recipe
        # Dropout's random numbers, too, depend only on seed, step and process.
        torch.manual_seed(generator_of(recipe.seed, 2, self.step, self.group.rank).initial_seed())
        self.network.train()
        batch = self.task.batch(self.step)
        parts = [to_device(part, self.group.device) for part in share(batch, recipe, self.group)]
        shares = divisors(self.task, batch, recipe, self.group)
        loss = self.group.mean(backward(self.network, self.loss_of, parts, recipe, shares))
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), recipe.clip)
        optim.set_learning_rate(self.optimisers.values(), optim.learning_rate(self.step, recipe))
        for optimiser in self.optimisers.values():
            optimiser.step()
            optimiser.zero_grad()
        self.step += 1
        return loss, norm

    def average(self) -> None:
        """Replaces the weights w by (1 − s) · w + s · initial weights, where s is the recipe's `initial_share`.

        If the initial weights were already trained, both are near the same minimum, and their mean is often better
        than either (Izmailov et al., 2018; Wortsman et al., 2022: "Robust fine-tuning").
        """
        initial = make_model(self.recipe).state_dict()
        with torch.no_grad():
            for name, tensor in self.model.state_dict().items():
                tensor.lerp_(initial[name].to(tensor), self.recipe.initial_share)

    def _step_and_log(self, log: state.Log | None, bar: Any) -> None:
        """Takes a step, measures its time, and logs every tenth."""
        with self._timer():
            loss, norm = self.take_step()
            log_now = log is not None and (self.step % 10 == 0 or self.step == self.recipe.steps)
            figures = (float(loss), float(norm)) if log_now else None  # only here the loop waits for the device
        if log is not None and figures is not None:
            log.write(step=self.step, loss=figures[0], norm=figures[1], seconds=round(self.seconds, 1))
            bar.set_postfix(loss=f"{figures[0]:.3f}", best=self.best and f"{self.best:.4f}", refresh=False)
        bar.update()

    def _publish(self) -> None:
        """Writes the best weights and their card into the run's folder, so that `former.load` reads it."""
        former.save(make_bundle(self.out, self.out / "best.safetensors"), self.out)

    def _validate(self, log: state.Log | None, bar: Any) -> None:
        """Measures the model on the validation split; saves the weights if they are the best so far."""
        self.group.wait()
        if log is None:
            return
        self.model.eval()
        with self._timer(), torch.no_grad(), products(self.recipe.precision, self.group.device):
            figure = self.task.validate(self.model)
        better = self.best is None or (figure > self.best if self.task.higher_is_better else figure < self.best)
        if better:
            self.best = figure
            state.write_tensors(self.out / "best.safetensors", self.model.state_dict(), self._header())
            self._publish()
        log.write(step=self.step, seconds=round(self.seconds, 1), **{self.task.figure: figure})
        bar.write(f"{self.recipe.name} step {self.step}: {self.task.figure} {figure:.4f}, {self.seconds:.0f} s")

    @contextlib.contextmanager
    def _timer(self) -> Iterator[None]:
        """Context manager: adds the time spent inside to the run's wall time and processor time.

        The two differ if the machine is busy with other work.
        """
        began, worked = time.perf_counter(), time.process_time()
        yield
        self.seconds += time.perf_counter() - began
        if self.processor is not None:
            self.processor += time.process_time() - worked

    def _keep_snapshot(self) -> None:
        if self.group.first and self.step in self.recipe.snapshots:
            path = self.out / "snapshots" / f"step-{self.step:06}.safetensors"
            state.write_tensors(path, self.model.state_dict(), self._header())

    def _save(self, name: str) -> None:
        if self.group.first:
            state.save_state(self.out / f"{name}.safetensors", self.model, self.optimisers, self._header())
        self.group.wait()

    def _header(self) -> dict[str, Any]:
        return {
            "recipe": self.recipe.to_dict(),
            "corpus": self.task.corpus,
            "step": self.step,
            "seconds": self.seconds,
            "processor_seconds": self.processor,
            "best": self.best,
            "machine": state.machine(self.group.device) | {"processes": self.group.size},
        }

    def _check(self, header: dict[str, Any], source: Path) -> None:
        """Raises ValueError if a saved state was made with other settings or data, so that resuming would differ.

        Steps and decay may change as long as the learning rate is not falling yet.
        """
        expected, got = header.get("corpus", {}).get("sha256"), self.task.corpus["sha256"]
        if expected != got:
            raise ValueError(
                f"--data must be the file that {source} was trained on, of sha256 {expected}, got {got}; "
                f"give that file, or another --out"
            )
        before = Recipe.from_dict(header["recipe"])
        same = replace(before, **{name: getattr(self.recipe, name) for name in _FREE})
        if same != self.recipe:
            changed = [name for name, value in same.to_dict().items() if value != self.recipe.to_dict()[name]]
            raise ValueError(f"{source} was trained with other values of {changed}; give those, or another --out")
        old, new = ((recipe.steps, recipe.decay) for recipe in (before, self.recipe))
        if old != new and header["step"] > min(map(optim.decay_start, (before, self.recipe))):
            raise ValueError(
                f"steps and decay must stay {old}, got {new}: at step {header['step']} of {source} the learning rate "
                f"is already falling; for a longer run, --start from its stable.safetensors"
            )


_FREE = (
    "steps",
    "decay",
    "initial_share",
    "validate_every",
    "save_every",
    "snapshots",
    "compile",
    "checkpointing",
    "accumulate",
    "attention",
)
"""Fields that may change when a run is resumed."""
