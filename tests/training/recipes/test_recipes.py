"""The registry: a recipe names its kind of model, its task and its corpus; recipes of older versions still load."""

import json
import shlex
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from torch import nn

from former import checkpoints
from former.checkpoints import CHECKPOINTS
from former.config import ModelConfig
from former.tokens import ByteTokenizer
from former.training import data, tasks
from former.training.__main__ import main, parse
from former.training.commands import recipe_of_command
from former.training.recipes import RECIPES, Recipe

CARDS = {path.parent.name: json.loads(path.read_text()) for path in sorted(CHECKPOINTS.glob("*/card.json"))}


@pytest.mark.parametrize("name", sorted(CARDS))
def test_the_recipe_and_the_command_in_a_shipped_card_mean_the_recipe_of_that_name(name):
    assert Recipe.from_dict(CARDS[name]["recipe"]) == RECIPES[name]
    assert recipe_of_command(parse(shlex.split(CARDS[name]["command"])[3:])) == RECIPES[name]
    assert Recipe.from_dict(CARDS[name]["recipe"]).description == CARDS[name]["description"]


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_a_recipe_names_what_is_registered(name):
    recipe = RECIPES[name]
    assert recipe.task in tasks.TASKS
    assert recipe.corpus in data.CORPORA
    assert isinstance(recipe.model, checkpoints.MODEL_KINDS[recipe.kind][1])


@pytest.mark.parametrize(("field", "value"), [("kind", "Oracle"), ("corpus", "library")])
def test_a_recipe_of_what_is_not_registered_is_refused(field, value):
    with pytest.raises(ValueError, match=f"{field} must be one of .*, got '{value}'"):
        Recipe.from_dict(RECIPES["generator"].to_dict() | {field: value})


class Echo(nn.Module):
    """A further kind of model, which multiplies the rows of three tensors by one weight."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.transformer = nn.Module()
        self.toprobs = nn.Linear(1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.toprobs(x)


class EchoTask:
    """A task whose batch is three tensors."""

    figure: ClassVar[str] = "error"
    higher_is_better: ClassVar[bool] = False
    tokenizer = ByteTokenizer()

    def __init__(self, recipe: Recipe, corpus: data.Origin) -> None:
        self.recipe, self.corpus = recipe, corpus

    @classmethod
    def open(cls, recipe: Recipe, path: Path, unchecked: bool, folder: Path | None = None):  # noqa: ARG003
        return cls(recipe, data.origin(path, unchecked))

    def batch(self, step: int):
        x = torch.full((self.recipe.batch, 1), float(step % 3))
        return x, 2 * x, torch.ones(self.recipe.batch, 1)

    def loss(self, model, x, y, weight):
        return (weight * (model(x) - y).square()).mean()

    def validate(self, model: nn.Module) -> float:
        return float(self.loss(model, *self.batch(1)))

    @classmethod
    def evaluate(cls, bundle: Any, recipe: Recipe, path: Path, measure: Any) -> dict[str, Any]:
        raise NotImplementedError


def test_a_model_and_a_task_of_another_kind_are_trained_once_they_are_registered(
    tmp_path, text_file, monkeypatch, recipe
):
    monkeypatch.setitem(checkpoints.MODEL_KINDS, "Echo", (Echo, ModelConfig))
    monkeypatch.setitem(tasks.TASKS, "echo", EchoTask)
    rebuilt_recipe = Recipe.from_dict(
        recipe().to_dict() | {"name": "echo", "kind": "Echo", "task": "echo", "steps": 200, "adam_lr": 0.1}
    )
    monkeypatch.setitem(RECIPES, "echo", rebuilt_recipe)
    run = tmp_path / "run"
    assert main(["train", "echo", "--data", str(text_file), "--unchecked", "--out", str(run)]) == 0
    figures = [row["error"] for row in map(json.loads, (run / "log.jsonl").read_text().splitlines()) if "error" in row]
    assert figures[-1] < 0.01 < figures[0]
