"""Section "Train one now": trains a transformer of two blocks on a toy task on the server, then answers your input.

POST /learn/train-now/train   {"task", "seed", "text"}: trains, and streams its progress; see `viz.server.trainings`
POST /learn/train-now/watch   {}: streams the progress of the running training, whoever started it
POST /ask/learn-train-now/read   {"task", "seed", "run", "text"}: a trained model's answer to a text
"""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import torch
from fastapi import FastAPI, Request, Response

from former.training.tasks import toys
from viz import figures
from viz.figures.frame import themed
from viz.panels import Draw, Field, Numbers, Question
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


def read_question(view: View) -> tuple[str, str]:
    """Reads the task of a view, and its question.

    Raises:
        Refusal: an unknown task, or the text is not one of its questions.
    """
    task = read_choice(view, "task", toys.TOYS)
    text = read_string(view, "text")
    if not toys.is_question(task, text):
        if task == "add":
            raise Refusal("learn_train_now_bad_sum", digits=toys.DIGITS)
        raise Refusal("learn_train_now_bad_word", most=toys.MOST_LETTERS, last=toys.LETTERS[-1])
    return task, text


def read(trainings: Trainings, view: View) -> dict[str, Any]:
    """Returns a model's answer to a view's "text". The model is that of the training named by "run", or else the task's
    model before its first step.

    Returns:
        The result of `frame`, and "trained": whether the training's model was found.
    Raises:
        Refusal: an invalid view.
    """
    task, text = read_question(view)
    seed, run = read_index(view, "seed", SEEDS), view.get("run")
    training = trainings.result(run) if isinstance(run, str) else None
    fits = training is not None and training[0]["task"] == task
    model = unpack(training[1], task) if training and fits else toys.begin(task, seed)
    return frame(model, task, text) | {"trained": fits}


def read_task(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as every reader is called
    """Reads from a view the arguments of `first_step`."""
    return {"task": read_choice(view, "task", toys.TOYS), "seed": read_index(view, "seed", SEEDS)}


def read_training(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `train_model`."""
    task, text = read_question(view)
    return {**read_task(models, view), "task": task, "text": text}


@torch.no_grad()
def first_step(task: str, seed: int) -> Numbers:
    """Runs a task's model on the batch of its first step, before any training.

    Args:
        task: of `toys.TOYS`.
        seed: of the weights and of the questions.
    Returns:
        "share": the mean probability of the right tokens; "tokens": the size of the vocabulary; "inputs" and
        "targets" (b, t) of the batch, "logits" (b, t, num_tokens).
    """
    inputs, targets = toys.rows(task, toys.draw(task, toys.BATCH, random.Random(seed)))
    logits = toys.begin(task, seed)(inputs)
    scored = targets != toys.UNSCORED
    probs = logits.softmax(-1)[scored].gather(-1, targets[scored][:, None])
    facts = {"share": float(probs.mean()), "tokens": toys.TOKENIZER.num_tokens}
    return {**facts, "inputs": inputs, "targets": targets, "logits": logits}


def train_model(task: str, seed: int, text: str) -> Numbers:
    """Trains a model as the server does, and asks it a question.

    Args:
        task, seed: as in `first_step`.
        text: the question.
    Returns:
        "right": the share of test questions answered correctly at each report; "answer" to the question; "labels"
        and "weights" (layers, h, t, t) of both; "lines": {"loss": (steps, losses in nats a token)}.
    """
    reports = list(toys.train(task, seed=seed))
    answer, weights, labels = toys.answer(reports[-1].model, task, text)
    lines = {"loss": ([report.step for report in reports], [report.loss for report in reports])}
    right = [report.right for report in reports]
    return {"right": right, "answer": answer, "labels": labels, "weights": weights, "lines": lines}


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view."""
    del models
    config = toys.begin(TASK, 0).config
    course = {"loss": ([0], [0.0])}  # the page adds its points as they arrive
    fields = ("shape", "example", "steps", "backwards")
    return {
        "tasks": {name: {field: getattr(toy, field) for field in fields} for name, toy in toys.TOYS.items()},
        "task": TASK,
        "tested": toys.TESTED,
        "seeds": SEEDS,
        "layers": config.depth,
        "heads": config.heads,
        "most": toys.MOST_LETTERS,
        "digits": toys.DIGITS,
        "last": toys.LETTERS[-1],
        "figures": themed(figures.training, course),
    }


def attach(server: FastAPI, site: Site) -> None:
    """Adds the routes that start and watch trainings to the server that serves the page."""
    trainings = Trainings(site.shared.trained)

    @server.post("/learn/train-now/train")
    @http.refusals_as_json
    async def train(request: Request) -> Response:
        view = await http.read_object(request)
        task, text = read_question(view)
        seed = read_index(view, "seed", SEEDS)
        return trainings.train({"task": task, "seed": seed, "text": text}, (task, str(seed), text))

    @server.post("/learn/train-now/watch")
    @http.refusals_as_json
    async def watch() -> Response:
        return trainings.watch()

    # Not cached: a training that is asked about may end, or be dropped.
    work.attach(server, site.work, {"/ask/learn-train-now/read": partial(read, trainings)}, kept=False)


SECTION = Section(
    name="train-now",
    article="Text generation transformer",
    equation=r"\mathrm{loss} = -\frac{1}{n} \sum_{i=1}^{n} \log p(y_i \mid x, y_1, \ldots, y_{i-1})",
    code=(toys.train, toys.begin, toys.rows, toys.answer),
    questions={
        "begun": Question(first_step, read_task, prints=("share",), unsent=("inputs", "targets", "logits")),
        "trained": Question(
            train_model,
            read_training,
            Draw(figures.training, Field("lines"), axes=("step", "nats per token")),
            prints=("right", "answer"),
            asked=False,
        ),
    },
    props=props,
    routes=attach,
)
