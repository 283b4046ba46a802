"""Tab Learn on the server: the displayed code is the code that runs, and every answer is computed."""

import inspect

import pytest
import torch
from fastapi import FastAPI
from fastapi.testclient import TestClient

import former
from tests.viz.panels.views import ARROWS, SECTION_VIEWS, TEXT, VIEWLESS
from viz.panels.routes import attach
from viz.panels.source import ROOT
from viz.tabs.base import site_of
from viz.tabs.learn import TAB, routes
from viz.tabs.learn.sections import (
    SECTIONS,
    in_pytorch,
    self_attention,
)
from viz.text import Refusal, en


@pytest.fixture(scope="module")
def models(models, bert):
    """Builds models of every kind that a section shows."""
    return models | {bert.name: bert}


@pytest.fixture(scope="module")
def client(models) -> TestClient:
    server = FastAPI()
    site = site_of(models)
    routes.attach(server, site)
    attach(server, site.models, site.work, TAB.panels)
    return TestClient(server)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_every_section_has_its_words_and_a_view_to_be_tested_on(section):
    key = f"learn_{section.name.replace('-', '_')}"
    assert {f"{key}_title", f"{key}_text"} <= en.MESSAGES.keys()
    assert section.name in SECTION_VIEWS


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_the_code_that_is_shown_is_read_from_its_file(client, section):
    actual = client.get(f"/learn/{section.name}/code").json()["functions"]
    for function, said in zip(section.code, actual, strict=True):
        lines = (ROOT / said["file"]).read_text(encoding="utf-8").splitlines()
        assert said["text"].splitlines()[0].strip() == lines[said["line"] - 1].strip()
        assert "".join(said["text"].split()) == "".join(inspect.getsource(function).split())


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_what_a_script_is_given_is_an_object(client, section):
    assert isinstance(client.get(f"/learn/{section.name}.json").json(), dict)


@pytest.mark.parametrize("view", [{}, {"text": 3}, {"words": ["a"], "vectors": None}])
def test_a_view_that_is_none_is_refused(client, view):
    for section in SECTIONS:
        names = {name for name, question in section.questions.items() if question.asked} - {*VIEWLESS}
        requests = [f"/ask/learn-{section.name}/{name}" for name in names] + [f"/learn/{section.name}/values"]
        for path in [*requests, f"/python/learn-{section.name}"]:
            answer = client.post(path, json=view)
            assert answer.status_code == 422, path
            assert answer.json()["error"]["key"] in en.MESSAGES, path


def test_at_most_some_rows_and_numbers_of_a_tensor_are_sent(client):
    sent = client.post("/learn/in-pytorch/values", json=TEXT | {"text": "good bad film " * 20}).json()["tensors"]
    x = next(tensor for tensor in sent if tensor["name"] == "x")
    assert x["shape"] == [in_pytorch.MOST_WORDS, 32]
    assert (len(x["rows"]), len(x["rows"][0])) == (routes.SHOWN, routes.SHOWN)


def test_equal_words_share_an_arrow(models):
    x = self_attention.SECTION.tensors(models, ARROWS)["x"]
    assert x.tolist() == [[[1, 0], [0.5, -0.5], [1, 0]]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"words": ""},
        {"words": "a " * 7},
        {"words": "a" * 200},
        {"vectors": ""},
        {"vectors": "1,0"},
        {"vectors": "nan,0;0,0;0,0;0,0;0,0;0,0"},
        {"vectors": "3,0;0,0;0,0;0,0;0,0;0,0"},
        {"vectors": "a,0;0,0;0,0;0,0;0,0;0,0"},
    ],
)
def test_words_and_arrows_out_of_their_limits_are_refused(models, wrong):
    with pytest.raises(Refusal):
        self_attention.SECTION.tensors(models, ARROWS | wrong)


def test_the_three_lines_and_the_loop_are_former_s_basic_self_attention():
    x = torch.randn(2, 5, 7, dtype=torch.float64)
    y, weights = former.basic_self_attention(x)
    raw, own, out = in_pytorch.three_lines(x)
    torch.testing.assert_close(raw, x @ x.mT)
    torch.testing.assert_close(own, weights)
    torch.testing.assert_close(out, y)
    torch.testing.assert_close(torch.tensor(in_pytorch.by_loop(x[0].tolist()), dtype=torch.float64), y[0])


def test_the_tensors_are_of_the_model_that_reads_words(models, classifier):
    result = in_pytorch.SECTION.questions["tensors"].answer(models, TEXT)
    x = classifier.bundle.model.transformer.token_embedding.weight[classifier.bundle.tokenizer.encode(TEXT["text"])]
    y, weights = former.basic_self_attention(x[None])
    assert result["labels"] == ["not", "a", "bad", "film"]
    torch.testing.assert_close(torch.tensor(result["weights"]), weights[0])
    torch.testing.assert_close(torch.tensor(result["y"]), y[0])


def test_what_is_timed_is_as_long_as_asked_and_the_same(models):
    result = in_pytorch.SECTION.questions["timed"].answer(models, TEXT | {"copies": 8})
    assert result["words"] == 32
    assert result["error"] < 1e-5
    assert 0 < result["lines"] < result["loop"]


@pytest.mark.parametrize("wrong", [{"copies": 1000}, {"run": -1}, {"run": 10**9}, {"factor": 3}, {"text": "  "}])
def test_what_would_take_long_is_refused(models, wrong):
    with pytest.raises(Refusal):
        in_pytorch.read_copies(models, TEXT | wrong)
