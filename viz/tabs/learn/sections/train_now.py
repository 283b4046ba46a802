"""Section "Train one now": a toy task, a transformer of two blocks that learns it on the server, then one's own input.

POST /learn/train-now/train   {"task", "seed", "text"}: trains, and tells how it goes; see `viz.server.trainings`
POST /learn/train-now/watch   {}: tells of the training that is at work, whoever asked for it
POST /ask/learn-train-now/read   {"task", "seed", "run", "text"}: what a trained model makes of a text
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from fastapi import FastAPI, Request, Response
from torch import Tensor

from former.training.tasks import toys
from viz import figures
from viz.browser import chart
from viz.passes.loaded import Models
from viz.server import http, work
from viz.server.trainee import frame, unpack
from viz.server.trainings import Trainings
from viz.server.view import View, read_choice, read_index, read_string
from viz.tabs.base import Site
from viz.tabs.learn.section import Section
from viz.text import Refusal

TASK = "reverse"
SEEDS = 100
BATCH = 32  # questions whose tensors are shown


def read_question(view: View) -> tuple[str, str]:
    """The task of a view, and its question.

    Raises:
        Refusal: there is no such task, or the text is no question of it.
    """
    task = read_choice(view, "task", toys.TOYS)
    text = read_string(view, "text")
    if not toys.is_question(task, text):
        if task == "add":
            raise Refusal("learn_train_now_bad_sum", digits=toys.DIGITS)
        raise Refusal("learn_train_now_bad_word", most=toys.MOST, last=toys.LETTERS[-1])
    return task, text


def read(trainings: Trainings, view: View) -> dict[str, Any]:
    """What a model makes of a view's "text": the one that training "run" gave, or the task's before its first step.

    Returns:
        `frame` of it, and "trained": whether the training's model was there.
    Raises:
        Refusal: a view that is none.
    """
    task, text = read_question(view)
    seed, run = read_index(view, "seed", SEEDS), view.get("run")
    kept = trainings.trained(run) if isinstance(run, str) else None
    fits = kept is not None and kept[0]["task"] == task
    model = unpack(kept[1], task) if kept and fits else toys.begin(task, seed)
    return frame(model, task, text) | {"trained": fits}


def begun(models: Models, view: View) -> dict[str, Any]:
    """What the model gives each right token before its first step: "share", the mean, and "tokens", its vocabulary."""
    found = values(models, view)
    scored = found["targets"] != toys.UNSCORED
    probs = found["logits"].softmax(-1)[scored].gather(-1, found["targets"][scored][:, None])
    return {"share": float(probs.mean()), "tokens": toys.TOKENIZER.num_tokens}


def values(models: Models, view: View) -> Mapping[str, Tensor]:
    """The tensors of the first step of a view's training."""
    del models
    task, seed = read_choice(view, "task", toys.TOYS), read_index(view, "seed", SEEDS)
    inputs, targets = toys.rows(task, toys.draw(task, BATCH, random.Random(seed)))
    with torch.inference_mode():
        logits = toys.begin(task, seed)(inputs)
    return {"inputs": inputs, "targets": targets, "logits": logits}


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with."""
    del models
    config = toys.begin(TASK, 0).config
    course = {"loss": ([0], [0.0])}  # whose points the page puts in as they come
    told = ("shape", "example", "steps", "backwards")
    return {
        "tasks": {name: {field: getattr(toy, field) for field in told} for name, toy in toys.TOYS.items()},
        "task": TASK,
        "tested": toys.TESTED,
        "seeds": SEEDS,
        "layers": config.depth,
        "heads": config.heads,
        "most": toys.MOST,
        "digits": toys.DIGITS,
        "last": toys.LETTERS[-1],
        "figures": chart.themed(lambda theme: figures.training(course, theme=theme)),
    }


def python(models: Models, view: View) -> str:
    """The lines that train the same model, and ask it the same."""
    del models
    task, text = read_question(view)
    seed = read_index(view, "seed", SEEDS)
    return (
        "import random\n\n"
        "import torch\n\n"
        "from former.training.tasks import toys\n"
        "from viz import figures\n\n"
        "torch.set_num_threads(1)\n"
        f"questions = toys.draw({task!r}, {BATCH}, random.Random({seed}))\n"
        f"inputs, targets = toys.rows({task!r}, questions)  # of the first step\n"
        "steps, losses = [], []\n"
        f"for report in toys.train({task!r}, seed={seed}):\n"
        "    steps.append(report.step)\n"
        "    losses.append(report.loss)\n"
        "    print(report.step, report.loss, report.right)\n"
        f"answer, weights, labels = toys.answer(report.model, {task!r}, {text!r})\n"
        "print(answer)\n"
        'figure = figures.training({"loss": (steps, losses)}, axes=("step", "nats a token"))\n'
        "maps = figures.heads(weights, labels)\n"
    )


def attach(server: FastAPI, site: Site) -> None:
    """Adds the routes of the trainings, which stand beside those of every section."""
    trainings = Trainings()

    @server.post("/learn/train-now/train")
    @http.answers
    async def train(request: Request) -> Response:
        view = await http.read_object(request)
        task, text = read_question(view)
        seed = read_index(view, "seed", SEEDS)
        return trainings.train({"task": task, "seed": seed, "text": text}, (task, str(seed), text))

    @server.post("/learn/train-now/watch")
    @http.answers
    async def watch() -> Response:
        return trainings.watch()

    work.attach(server, site.work, {"/ask/learn-train-now/read": partial(read, trainings)})


SECTION = Section(
    name="train-now",
    article="Text generation transformer",
    equation=r"\mathrm{loss} = -\frac{1}{n} \sum_{i=1}^{n} \log p(y_i \mid x, y_1, \ldots, y_{i-1})",
    code=(toys.train, toys.begin, toys.rows, toys.answer),
    values=values,
    python=python,
    opening=opening,
    answers={"begun": begun},
    routes=attach,
)
