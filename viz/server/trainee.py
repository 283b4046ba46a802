"""Trains a model in a process of its own: `python -m viz.server.trainee TASK SEED QUESTION`; prints lines of JSON.

Every few steps {"point": [step, loss, accuracy], "seconds", "frame": the model's answer to the question and its
attention weights}, at the end {"weights": the model's, safetensors in base64}.

It runs on one thread at low priority. It imports nothing of the page: importing gradio alone takes longer than the
first hundred steps.
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

NICENESS = 10  # of 19: how far its priority is below that of other processes


def frame(model: former.Generator, task: str, question: str) -> dict[str, Any]:
    """Returns a model's answer to a question and its attention weights, as plain values.

    Returns:
        "question"; "answer", the model's; "right", the true one; "labels" of the t tokens read; "weights": 255·√weight
        (layers, h, t, t), uint8 in base64.
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
    """Returns a model's weights as safetensors in base64."""
    return base64.b64encode(save(dict(model.state_dict()))).decode()


def unpack(weights: str, task: str) -> former.Generator:
    """Rebuilds a task's model from the weights of `pack`."""
    model = toys.begin(task, 0)
    state: dict[str, Tensor] = load(base64.b64decode(weights))
    model.load_state_dict(state)
    return model.eval()


def main(task: str, seed: int, question: str, steps: int | None = None) -> None:
    """Trains a model on a task and prints its progress; `steps` as in `toys.train`."""
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
    os.nice(NICENESS)
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):  # the server has gone
        main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
