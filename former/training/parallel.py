"""Several processes, on one machine or many, by `torchrun`; one process where it was not used.

    torchrun --nproc-per-node 2 -m former.training train generator --data DATA

Every process draws the same whole batch and takes its own rows; DistributedDataParallel averages the gradients, so
two processes take the step that one would. The run's directory must be one that all processes see.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from former.training.compute import CPU

Loss = Callable[..., Tensor]


class _Loss(nn.Module):
    def __init__(self, model: nn.Module, loss: Loss) -> None:
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, *batch: Tensor) -> Tensor:
        return self.loss(self.model, *batch)


@dataclass(frozen=True)
class Group:
    """This process among all."""

    rank: int = 0
    size: int = 1
    device: torch.device = CPU  # where it computes

    @property
    def first(self) -> bool:
        """Whether this process is the one that writes and prints."""
        return self.rank == 0

    def wrap(self, model: nn.Module, loss: Loss) -> tuple[nn.Module, Loss]:
        """A network and its loss(network, *batch): the model and its own, or for several processes both as one module,
        whose call averages the gradients, whichever of the model's parts the loss asks."""
        if self.size == 1:
            return model, loss
        network = DistributedDataParallel(_Loss(model, loss))  # on one device, which the weights tell
        return network, lambda network, *batch: network(*batch)

    def mean(self, value: Tensor) -> Tensor:
        """The mean of a number over the processes."""
        if self.size > 1:
            dist.all_reduce(value)
        return value / self.size

    def wait(self) -> None:
        """Until all processes are here."""
        if self.size > 1:
            dist.barrier()


@contextmanager
def processes(device: torch.device) -> Iterator[Group]:
    """The group that `torchrun` made, through nccl on GPUs, each with its own, else gloo; without it a group of one."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield Group(device=device)
        return
    if device.type == "cuda":
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield Group(dist.get_rank(), dist.get_world_size(), device)
    finally:
        dist.destroy_process_group()
