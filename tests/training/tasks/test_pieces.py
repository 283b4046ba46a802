"""Training a GPT-2: its pieces are learned from the training split only, are cached, and are counted in bytes."""

import json
import math

import pytest
import torch

import former
from former import gpt2
from former.tokens import BpeTokenizer
from former.training import data
from former.training.__main__ import main
from former.training.data import ARTICLES
from former.training.init_weights import make_model
from former.training.measure.evaluate import Measure
from former.training.recipes import RECIPES
from former.training.tasks.pieces import PiecesTask, encode

SETTINGS = ["model.num_tokens=300", "model.depth=2"]
MEASURE = Measure(split="val", precision="fp32", unchecked=True)


@pytest.fixture
def text_file(tmp_path):
    """Writes some 20 kB of articles whose validation split has words that the training split does not have."""
    articles = [f"Line {i}: {i * i} is the square of {i}, a größer one.\n" * 3 for i in range(120)]
    articles += ["Quixotic zephyrs, quixotic zephyrs, quixotic zephyrs.\n" * 3 for _ in range(8)]
    path = tmp_path / "text.txt"
    path.write_text(ARTICLES.join(articles), encoding="utf-8")
    return path


@pytest.fixture
def task(recipe, text_file, tmp_path):
    return PiecesTask.open(recipe("gpt-begun", *SETTINGS), text_file, unchecked=True, folder=tmp_path)


def test_the_pieces_are_counted_in_the_training_split_alone(task, text_file):
    train = data.split_as_text(text_file.read_bytes(), "train")
    assert "Quixotic" not in train
    assert task.tokenizer.to_dict() == BpeTokenizer.train(train.split(ARTICLES), 300).to_dict()
    assert task.tokenizer.decode(task.train.tolist()) == train


def test_a_text_is_whole_again_when_its_articles_pieces_are_joined(task, text_file):
    text = text_file.read_text(encoding="utf-8")
    for each in (text, text + ARTICLES, ARTICLES + text, ""):
        assert task.tokenizer.decode(encode(task.tokenizer, each).tolist()) == each


def test_pieces_are_made_once_and_anew_for_another_text_or_size(task, recipe, text_file, tmp_path, monkeypatch):
    calls, train = [], BpeTokenizer.train
    monkeypatch.setattr(BpeTokenizer, "train", lambda *arguments: calls.append(1) or train(*arguments))
    reopened = PiecesTask.open(recipe("gpt-begun", *SETTINGS), text_file, unchecked=True, folder=tmp_path)
    assert not calls
    assert torch.equal(reopened.train, task.train)
    assert torch.equal(reopened.batch(3)[0], task.batch(3)[0])
    assert reopened.tokenizer.to_dict() == task.tokenizer.to_dict()
    assert reopened.bytes_per_token == task.bytes_per_token
    PiecesTask.open(recipe("gpt-begun", "model.num_tokens=290"), text_file, unchecked=True, folder=tmp_path)
    assert len(calls) == 1
    text_file.write_text(text_file.read_text(encoding="utf-8").replace("square", "product"), encoding="utf-8")
    PiecesTask.open(recipe("gpt-begun", "model.num_tokens=290"), text_file, unchecked=True, folder=tmp_path)
    assert len(calls) == 2


def test_a_model_that_finds_all_pieces_alike_is_worth_their_logarithm_in_bits_a_byte(task, text_file):
    model = make_model(task.recipe)
    for parameter in model.parameters():
        torch.nn.init.zeros_(parameter)
    bundle = former.Bundle(model.eval(), task.tokenizer, task.recipe.model)
    text = data.split_as_text(text_file.read_bytes(), "val")
    pieces = len(task.tokenizer.encode(text))
    expected = math.log2(task.tokenizer.num_tokens) * pieces / len(text.encode())
    figure = PiecesTask.evaluate(bundle, task.recipe, text_file, MEASURE)
    assert figure["bits_per_byte"] == pytest.approx(expected, rel=0.01)  # no piece reaches over an article's end
    assert figure["bits_per_byte_in_256_bytes"] == figure["bits_per_byte"]
    assert figure["bytes"] == len(text.encode())
    assert task.validate(model) == pytest.approx(expected, rel=0.01)


def test_gpt_begins_as_gpt_2_does_the_same_for_the_same_seed():
    first, same_seed, other = (make_model(RECIPES["gpt-begun"].with_settings([f"seed={seed}"])) for seed in (1, 1, 2))
    weights = first.state_dict()
    for name, weight in same_seed.state_dict().items():
        assert torch.equal(weight, weights[name])
    name = "transformer.blocks.0.ff.2.weight"
    assert not torch.equal(other.state_dict()[name], weights[name])
    assert float(weights[name].std()) == pytest.approx(0.02 / math.sqrt(12), rel=0.02)
    assert float(weights["transformer.token_embedding.weight"].std()) == pytest.approx(0.02, rel=0.02)


def test_the_recipe_gpt_is_gpt_2s_shape():
    model = RECIPES["gpt"].model
    shape = {"emb": model.emb, "heads": model.heads, "depth": model.depth, "seq_length": model.seq_length}
    assert gpt2.config(**shape, num_tokens=model.num_tokens, dropout=0.0) == model


def test_a_run_is_trained_gone_on_with_measured_and_sampled(text_file, tmp_path, capsys):
    run, longer = tmp_path / "run", tmp_path / "longer"
    tiny = [f"{name}={json.dumps(value)}" for name, value in {"steps": 12, "batch": 4, "warmup": 2}.items()]
    tiny += ["compile=false", "model.emb=16", "model.heads=2", "model.seq_length=32", "validate_every=4", *SETTINGS]
    words = ["train", "gpt-begun", "--data", str(text_file), "--unchecked"]
    assert main([*words, "--out", str(run), "--set", *tiny]) == 0
    start = ["--start", str(run / "stable.safetensors")]
    assert main([*words, *start, "--out", str(longer), "--set", *tiny, "steps=20"]) == 0
    figures = [
        row for row in map(json.loads, (longer / "log.jsonl").read_text().splitlines()) if "bits_per_byte" in row
    ]
    assert figures[-1]["step"] == 20
    assert former.load(longer).card["step"] in (8, 12, 16, 20)
    capsys.readouterr()
    assert main(["evaluate", str(longer), "--data", str(text_file), "--unchecked"]) == 0
    assert 0 < json.loads(capsys.readouterr().out)["bits_per_byte"] < 8
    assert main(["sample", str(longer), "--prompt", "Line", "--length", "3"]) == 0
    assert capsys.readouterr().out.startswith("Line|")
