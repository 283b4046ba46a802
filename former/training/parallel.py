"""Data-parallel training in several processes, on one machine or many, started by `torchrun`.

    torchrun --nproc-per-node 2 -m former.training train generator --data DATA

Every process draws the same whole batch and takes its own rows; DistributedDataParallel averages the gradients, so
two processes take the same step as one. All processes must see the run's folder. Without torchrun there is one process.
Each process compiles the loss inside DistributedDataParallel, so that torch averages each part of the gradients as soon
as it is computed.
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
    """The processes that train together, and this process's rank among them."""

    rank: int = 0
    size: int = 1
    device: torch.device = CPU  # where it computes

    @property
    def first(self) -> bool:
        """True in the one process that writes files and prints."""
        return self.rank == 0

    def wrap(self, model: nn.Module, loss: Loss) -> tuple[nn.Module, Loss]:
        """Returns a module, and a function loss(module, *batch), to train with: in one process, the arguments
        themselves.

        In several processes the module computes the loss itself, so that DistributedDataParallel averages the
        gradients of every part of the model that the loss uses.
        """
        if self.size == 1:
            return model, loss
        network = DistributedDataParallel(_Loss(model, loss))
        return network, lambda network, *batch: network(*batch)

    def mean(self, value: Tensor) -> Tensor:
        """Returns the mean of a number over all processes."""
        if self.size > 1:
            dist.all_reduce(value)
        return value / self.size

    def wait(self) -> None:
        """Waits until all processes have called this method."""
        if self.size > 1:
            dist.barrier()


@contextmanager
def processes(device: torch.device) -> Iterator[Group]:
    """Context manager: the process group of `torchrun`, or a group of one without it.

    GPUs communicate by nccl, one GPU per process; CPUs by gloo.
    """
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
