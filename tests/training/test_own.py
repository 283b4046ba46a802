"""Training a user's own model: any text or labelled reviews, under its own name, from the run to the app."""

import json
import shlex

import pytest

import former
from former.training.__main__ import main, parse
from former.training.commands import recipe_of_command
from former.training.recipes import Recipe
from tests.training.conftest import TINY
from viz import app


def train(recipe, data, out, *settings, name="notes"):
    words = ["train", recipe, "--name", name, "--description", "What I wrote.", "--data", str(data), "--device", "cpu"]
    return main([*words, "--out", str(out), "--set", *TINY, *settings])


@pytest.fixture
def run(text_file, tmp_path):
    """Trains on a user's own text."""
    assert train("tiny-generator", text_file, tmp_path / "notes", "snapshots=[0]") == 0
    return tmp_path / "notes"


def test_a_run_on_a_text_of_ones_own_is_a_model_with_its_name_description_and_command(run, text_file):
    card = former.load(run).card
    assert (card["name"], card["description"]) == ("notes", "What I wrote.")
    assert card["data"]["file"] == text_file.name
    assert "wiki" not in json.dumps(card["data"])
    words = parse(shlex.split(card["command"])[3:])
    assert recipe_of_command(words) == Recipe.from_dict(card["recipe"])
    assert card["recipe"]["name"] == "notes"


def test_a_run_writes_and_is_measured_on_its_own_corpus_without_being_told_that_it_is_unknown(run, text_file, capsys):
    capsys.readouterr()
    assert main(["sample", str(run), "--prompt", "Line", "--length", "5"]) == 0
    assert main(["evaluate", str(run), "--data", str(text_file), "--split", "test"]) == 0
    written, figure = capsys.readouterr().out.splitlines()[-2:]
    assert "|" in written
    assert json.loads(figure)["bits_per_byte"] > 0
    other = text_file.with_name("other.txt")
    other.write_bytes(text_file.read_bytes() * 2)
    assert main(["evaluate", str(run), "--data", str(other)]) == 2
    assert "not a known copy" in capsys.readouterr().err


def test_a_run_goes_on_and_stays_whole_when_its_card_is_lost(run, text_file):
    """As after a kill between writing the best weights and writing the card."""
    (run / "card.json").unlink()
    assert train("tiny-generator", text_file, run, "snapshots=[0]") == 0
    assert former.load(run).card["name"] == "notes"


def test_a_classifier_of_ones_own_reviews_knows_the_words_there_are(tmp_path):
    reviews = tmp_path / "mine.jsonl"
    rows = [{"label": i % 2, "text": ("bad dull film", "good warm film")[i % 2] + " the" * (i % 7)} for i in range(200)]
    reviews.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert train("classifier", reviews, tmp_path / "run", "accumulate=1", "steps=60") == 0
    bundle = former.load(tmp_path / "run")
    assert bundle.config.num_tokens == len({"<pad>", "<unk>", "bad", "dull", "film", "good", "warm", "the"})
    assert bundle.card["recipe"]["task"] == "reviews"


def test_the_app_takes_a_runs_folder_beside_the_shipped_models(run, tmp_path):
    twin = tmp_path / "elsewhere" / "tiny-generator"
    former.save(former.load(run), twin)
    models = app.load_models([str(run), str(twin)])
    kinds = {name: former.load(name).card["kind"] for name in former.available()}
    values = {name for name, kind in kinds.items() if kind not in ("GRUModel", "ConvModel")} - {"tiny-unscaled"}
    assert {"notes", str(twin), *values} == models.keys()
    assert models["notes"].bundle.card["description"] == "What I wrote."
    assert models["tiny-generator"].bundle.config.emb == 64, "a folder has hidden a shipped model"
    assert models[str(twin)].bundle.config.emb == 16


@pytest.mark.parametrize("name", ["generator", "a/b", "..", "-x", ".hidden", ""])
def test_a_name_that_is_taken_or_no_folders_is_refused(name, text_file, tmp_path, capsys):
    words = ["train", "tiny-generator", f"--name={name}", "--data", str(text_file), "--out", str(tmp_path / "run")]
    assert main(words) == 2
    assert "--name must be a plain folder name" in capsys.readouterr().err


def test_without_a_name_an_unknown_corpus_is_refused_as_before(text_file, tmp_path, capsys):
    assert main(["train", "tiny-generator", "--data", str(text_file), "--out", str(tmp_path / "run")]) == 2
    assert "not a known copy of wiki100" in capsys.readouterr().err


def test_export_writes_over_no_model_unless_told(run, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("former.training.commands.CHECKPOINTS", tmp_path / "shipped")
    former.save(former.load("tiny-generator"), tmp_path / "shipped" / "notes")
    before = {path.name: path.read_bytes() for path in (tmp_path / "shipped" / "notes").iterdir()}
    assert main(["export", "notes", "--out", str(run)]) == 2
    assert "--replace overwrites its model" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in (tmp_path / "shipped" / "notes").iterdir()} == before
    assert main(["export", "notes", "--out", str(run), "--replace"]) == 0
    assert former.load(tmp_path / "shipped" / "notes").card["name"] == "notes"
    assert former.load(tmp_path / "shipped" / "notes" / "step-000000").card["step"] == 0
    assert main(["export", "mine", "--out", str(run)]) == 0
    assert former.load(tmp_path / "shipped" / "mine").card["name"] == "notes"
