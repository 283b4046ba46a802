"""Heads over a corpus on the page, compared with the model and with the stored file, read with numpy."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from fastapi import FastAPI
from fastapi.testclient import TestClient
from safetensors import safe_open
from safetensors.numpy import load_file

import former
from former.analysis import scan
from former.checkpoints import CHECKPOINTS
from former.tokens.labels import special_ids
from former.tokens.wordpiece import WordPieceTokenizer
from former.training.measure import stretches
from viz.panels import Panel, routes
from viz.passes.loaded import Loaded
from viz.tabs.base import site_of
from viz.tabs.explore.corpus import scans
from viz.text import NothingToShow, message

LAYER, HEAD = 3, 1
VIEW = {"model": "gpt", "scan_x": "previous", "scan_y": "effect", "layer": LAYER, "head": HEAD}
FILE = CHECKPOINTS / "gpt" / "scan" / "heads.safetensors"


def served(name: str, **of: Any) -> Loaded:
    values: dict[str, Any] = {"folder": CHECKPOINTS / name} | of
    return Loaded(name, former.load(values["folder"] or name), name, **values)


def ask(question: str, models: dict[str, Loaded], **changes: Any) -> dict[str, Any]:
    return scans.QUESTIONS[question].answer(models, VIEW | changes)


@pytest.fixture(scope="module")
def models() -> dict[str, Loaded]:
    return {name: served(name) for name in ("gpt", "tiny-generator", "classifier")}


@pytest.fixture(scope="module")
def stored() -> dict:
    with safe_open(FILE, "numpy") as file:
        return load_file(FILE) | {"facts": json.loads(file.metadata()["facts"])}


@pytest.fixture(scope="module")
def head(models) -> dict:
    return ask("head", models)


def trace(figure: dict, name: str) -> dict:
    (match,) = [each for each in figure["data"] if each["name"] == name]
    return match


def test_every_dot_is_a_heads_stored_mean_and_the_bars_are_its_percentiles(models, stored):
    answer = ask("heads", models)
    measures, statistics = stored["facts"]["measures"], stored["facts"]["statistics"]
    indices = [statistics.index(name) for name in ("mean", "tenth", "ninetieth")]
    x, y = (stored["spread"][:, :, measures.index(name)].reshape(-1, 5)[:, indices] for name in ("previous", "effect"))
    for figure in answer["chart"].values():
        dots = trace(figure, "heads")
        np.testing.assert_allclose(np.array([dots["x"], dots["y"]]), np.array([x[:, 0], y[:, 0]]), atol=1e-6)
        np.testing.assert_allclose(np.array(dots["customdata"]), np.hstack((x[:, 1:], y[:, 1:])), atol=1e-6)
    assert (answer["stretches"], answer["length"]) == (stored["facts"]["passages"], stored["tokens"].shape[1])
    assert sorted(answer["measures"]) == sorted(measures)


def test_a_head_has_its_stored_spread_and_the_places_its_model_gives(models, stored, head):
    facts = stored["facts"]
    for i, name in enumerate(facts["measures"]):
        np.testing.assert_allclose(head["spread"][name], stored["spread"][LAYER, HEAD, i], atol=1e-5)
    examples, places = stored["examples"][LAYER, HEAD].astype(int), stored["places"][LAYER, HEAD].astype(int)
    assert np.bincount([each["group"] for each in head["examples"]]).tolist() == [20] + [5] * 10
    bundle = models["gpt"].bundle
    tokens = torch.from_numpy(stored["tokens"][examples].astype(np.int64))
    _, capture = former.run_with_capture(bundle.model, tokens, ("q", "k", "weights"), layers=[LAYER])
    q, k, weights = (capture.get(name, LAYER)[:, HEAD].numpy() for name in ("q", "k", "weights"))
    rows = weights[range(len(places)), places]
    sent = stored["rows"][LAYER, HEAD] / 255
    np.testing.assert_allclose(sent, rows, atol=0.5 / 255 + 1e-4)  # float32, here and where the scan was made
    keys = 1 + sent[:, 1:].argmax(-1)
    for example, ids, row, position, key in zip(head["examples"], tokens.tolist(), sent, places, keys, strict=True):
        labels = bundle.tokenizer.labels(ids)
        assert (example["query"], example["key"]) == (labels[position], labels[key])
        around = [position, *np.flatnonzero(row >= scans.SEEN)]
        remaining = sorted({i for at in around for i in range(max(0, at - 3), min(len(ids), at + 4))})
        assert example["tokens"] == [labels[i] for i in remaining]
        assert remaining[example["at"]] == position
        np.testing.assert_allclose(example["weights"], row[remaining], atol=5e-4)  # three decimals
        assert example["gaps"] == [n for n, i in enumerate(remaining) if i and i - 1 not in remaining]
    together = np.concatenate([x - x.mean(0) for x in (q[range(len(places)), places], k[range(len(places)), keys])])
    _, sizes, components = np.linalg.svd(together, full_matrices=False)
    drawn = np.concatenate([np.stack([each["x"], each["y"]], -1) for each in head["chart"]["light"]["data"]])
    expected = together @ components[:2].T
    expected *= np.sign((expected * drawn).sum(0))  # a component may as well point the other way
    np.testing.assert_allclose(drawn, expected, atol=0.01 * np.abs(expected).max())  # stored in 11 bits
    assert head["explained"] == pytest.approx(float((sizes[:2] ** 2).sum() / (sizes**2).sum()), abs=2e-3)


def test_of_a_bert_other_measures_are_shown_and_the_places_that_look_at_text(tmp_path):
    text = "The cat sat on the mat. The dog did not! Was it so?\nIt was. " * 200
    pieces = WordPieceTokenizer.train([text], 60)
    config = former.BertConfig(emb=16, heads=2, depth=2, num_tokens=pieces.num_tokens, seq_length=24)
    torch.manual_seed(0)
    model = former.Bert(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    folder = tmp_path / "mine"
    former.save(former.Bundle(model, pieces, config), folder)
    tokens = torch.tensor(list(stretches.stretches(text, pieces, 80, 16)))
    request = stretches.questions(tokens[:2], pieces)
    facts = {"corpus": "mine", "split": "val"}
    scan.save(scan.scan(model, tokens, special=special_ids(pieces), questions=request, facts=facts), tmp_path / "mine")
    models = {"mine": Loaded("mine", former.load(tmp_path / "mine"), "mine", folder=tmp_path / "mine")}

    view = {"model": "mine", "layer": 1, "head": 1, "scan_y": "copying"}
    answer = ask("heads", models, **view)
    assert answer["measures"] == [name for name in scans.MEASURES if name not in ("same", "copying", "punctuation")]
    assert (answer["axes"], answer["asked"]) == (["previous", "elsewhere"], "hidden"), "it has no copying"
    head = ask("head", models, **view)
    assert not {each[side] for each in head["examples"] for side in ("query", "key")} & {"[CLS]", "[SEP]"}


def test_a_model_without_a_scan_says_how_to_make_one(models, tmp_path):
    own = Path(shutil.copytree(CHECKPOINTS / "tiny-generator", tmp_path / "my own"))
    all_models = models | {
        "own": served("tiny-generator", folder=own, opened=str(own)),
        "bare": served("tiny-generator", folder=None),
    }

    def says(model: str) -> str:
        reasons = []
        for question in scans.QUESTIONS:
            with pytest.raises(NothingToShow) as refused:
                ask(question, all_models, model=model)
            reasons.append(str(refused.value))
        assert len(set(reasons)) == 1
        return reasons[0]

    assert "python -m former.training scan tiny-generator." in says("tiny-generator")
    assert f"scan '{own}'" in says("own")
    (own / "scan").mkdir()
    shutil.copy(FILE, own / "scan")  # of other weights
    assert says("own") == message("scan_damaged", command=f"python -m former.training scan '{own}'")
    assert says("classifier") == message("scan_kind")
    assert says("bare") == message("scan_elsewhere")


def test_the_routes_answer_and_refuse_what_is_no_view(models):
    server, site = FastAPI(), site_of(models)
    routes.attach(server, site.models, site.work, [Panel("scan", Path("scan.js"), scans.QUESTIONS)])
    client = TestClient(server)
    body = client.post("/ask/scan/head", json=VIEW)
    assert body.status_code == 200
    assert len(body.content) < 60_000
    for wrong in ({"layer": 6}, {"head": -1}, {"model": "none"}):
        assert client.post("/ask/scan/head", json=VIEW | wrong).status_code == 422
    for wrong in ({"scan_x": "__class__"}, {"scan_y": 3}):
        assert client.post("/ask/scan/heads", json=VIEW | wrong).status_code == 422
