"""A training in a process of its own: `python -m viz.server.trainee TASK SEED QUESTION`. It tells lines of JSON.

Every few steps {"point": [step, loss, share right], "seconds", "frame": how the model answers the question and where
its heads look}, at last {"weights": the model's, safetensors in base64}.

It runs on one thread and gives way to everything else. Nothing here imports what the page is made of: gradio alone
takes longer to import than the first hundred steps.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import sys
import time
from typing import Any

import torch
from safetensors.torch import load, save
from torch import Tensor

import former
from former.training.tasks import toys

GIVES_WAY = 10  # of 19: how far its priority is below that of others


def frame(model: former.Generator, task: str, question: str) -> dict[str, Any]:
    """How a model answers a question, as plain values.

    Returns:
        "question"; "answer", and "right", the true one; "labels" of the t tokens that were read; "weights": 255·√weight
        of (layers, h, t, t), uint8 in base64.
    """
    answer, weights, labels = toys.answer(model, task, question)
    cells = (weights.clamp(0, 1).sqrt() * 255).round().to(torch.uint8)
    return {
        "question": question,
        "answer": answer,
        "right": toys.TOYS[task].answer(question),
        "labels": labels,
        "weights": base64.b64encode(cells.numpy().tobytes()).decode(),
    }


def pack(model: former.Generator) -> str:
    """A model's weights."""
    return base64.b64encode(save(dict(model.state_dict()))).decode()


def unpack(weights: str, task: str) -> former.Generator:
    """The inverse of `pack`."""
    model = toys.begin(task, 0)
    state: dict[str, Tensor] = load(base64.b64decode(weights))
    model.load_state_dict(state)
    return model.eval()


def main(task: str, seed: int, question: str, steps: int | None = None) -> None:
    """Trains, as many steps as `toys.train` takes, and tells."""
    began = time.perf_counter()
    model = None
    for report in toys.train(task, seed, steps):
        model = report.model
        point = [report.step, round(report.loss, 5), report.right]
        seconds = round(time.perf_counter() - began, 1)
        print(json.dumps({"point": point, "seconds": seconds, "frame": frame(model, task, question)}), flush=True)
    assert model is not None
    print(json.dumps({"weights": pack(model)}), flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    os.nice(GIVES_WAY)
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):  # the server has gone
        main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
