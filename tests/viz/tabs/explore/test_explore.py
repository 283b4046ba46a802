"""The measurements on the page, compared with plain torch on the same weights, and their routes."""

import asyncio
import csv
import gzip
import io
import json
import math
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
import torch
from fastapi import FastAPI
from fastapi.testclient import TestClient

import former
from former.analysis import effects
from tests.ranked import clear_largest
from tests.viz import plain
from tests.viz.loops import run as in_loop
from tests.viz.passes.answered import measured, run
from viz import app
from viz.panels import Panel
from viz.panels import routes as panels
from viz.passes import measures, payload
from viz.passes.loaded import Loaded, Models
from viz.passes.store import PassStore
from viz.server import http, work
from viz.tabs import TABS, base
from viz.tabs.explore import page as explore
from viz.tabs.explore import routes
from viz.tabs.explore.answer import answer
from viz.tabs.explore.map import maps
from viz.tabs.explore.panels import PANELS, QUESTIONS
from viz.text import Refusal, in_words, note

VIEW = {"model": "small-generator", "text": "The cat"}
TEXT = "not a good film, but the great film was bad."


def log_odds(probs: torch.Tensor, chosen: int) -> float:
    p = float(probs[chosen])
    return math.log(p / (1 - p))


def test_the_verdict_is_the_one_of_the_weights_alone(classifier):
    pass_ = run(classifier, TEXT)
    ids = [8, 2, 6, 5, 11, 4, 9, 7, 5, 10, 3, 12]
    assert pass_.header["ids"] == ids
    probs, maps = plain.class_probs(classifier.bundle.model.state_dict(), ids, heads=4, gelu=False)
    assert pass_.header["output"]["probs"] == pytest.approx(probs.tolist(), abs=2e-5)
    assert pass_.header["output"]["classes"] == ["negative", "positive"]
    torch.testing.assert_close(
        pass_.map("self").weights, torch.stack([torch.stack(row) for row in maps]), atol=1e-5, rtol=1e-5
    )


@pytest.mark.parametrize(
    "changes", [[], [{"layer": 1, "head": 2, "do": "scale", "factor": 0.0}]], ids=["plain", "edited"]
)
def test_a_generator_s_head_is_worth_the_bits_its_removal_costs(generator, changes):
    pass_ = run(generator, "The cat sat", changes)
    state, ids = generator.bundle.model.state_dict(), pass_.header["ids"]
    off = [(edit["layer"], edit["head"]) for edit in changes]

    def bits(removed) -> float:
        probs, _ = plain.next_probs(state, ids, heads=4, gelu=True, removed=removed)
        return sum(-float(probs[i, ids[i + 1]].log2()) for i in range(len(ids) - 1)) / (len(ids) - 1)

    rows = list(measures.heads(pass_.run))
    assert [row["layer"] for row in rows] == [0, 1, 2]
    expected = [[bits([*off, (layer, head)]) - bits(off) for head in range(4)] for layer in range(3)]
    for row, values in zip(rows, expected, strict=True):
        assert row["effects"] == pytest.approx(values, abs=1e-4)
    assert max(abs(value) for row in expected for value in row) > 0.01, "there is something to measure"


def test_a_classifier_s_head_is_worth_what_the_verdict_s_log_odds_lose(classifier):
    pass_ = run(classifier, TEXT)
    state, ids = classifier.bundle.model.state_dict(), pass_.header["ids"]
    whole, _ = plain.class_probs(state, ids, heads=4, gelu=False)
    best = clear_largest(whole, 1e-5)
    without, _ = plain.class_probs(state, ids, heads=4, gelu=False, removed=[(1, 3)])
    values = list(measures.heads(pass_.run))[1]["effects"]
    assert values[3] == pytest.approx(log_odds(whole, best) - log_odds(without, best), abs=1e-4)


@pytest.mark.parametrize(("chunk", "runs", "size"), [(8_192, 128, 1), (24, 128, 1), (24, 5, 3)])
def test_words_carry_what_the_verdict_loses_when_they_become_unknown(classifier, monkeypatch, chunk, runs, size):
    monkeypatch.setattr(effects, "BATCH", chunk)
    monkeypatch.setattr(effects, "PARTS", runs)
    pass_ = run(classifier, TEXT)
    state, ids = classifier.bundle.model.state_dict(), pass_.header["ids"]
    whole, maps = plain.class_probs(state, ids, heads=4, gelu=False)
    best = clear_largest(whole, 1e-5)
    expected = []
    for i in range(0, 12, size):
        without = [*ids[:i], *[1] * size, *ids[i + size :]]
        probs, _ = plain.class_probs(state, without, heads=4, gelu=False)
        expected.append(log_odds(whole, best) - log_odds(probs, best))
    first, *batches, last = measures.each_word(pass_.run)
    changes = [change for batch in batches for change in batch["changes"]]
    assert len(batches) == math.ceil(12 / size / min(12, chunk // 12))
    assert first["size"] == size
    assert changes == pytest.approx(expected, abs=1e-4)

    reached = torch.full((12,), 1 / 12)  # what the average over positions takes from each
    for layer in reversed(maps):
        reached = reached @ (torch.stack(layer).mean(0) + torch.eye(12)) / 2
    assert first["attention"] == pytest.approx(reached.tolist(), abs=2e-5)
    # Spearman's by its formula for ranks without ties: 1 − 6 Σ d² / (n³ − n).
    sizes, n = torch.tensor(expected).abs(), 12 // size
    shares = reached.view(n, size).sum(1)
    for values, tolerance in ((sizes, 1e-4), (shares, 2e-5)):
        assert float(values.sort().values.diff().min()) > 2 * tolerance, "rounding decides their ranks"
    d = shares.argsort().argsort() - sizes.argsort().argsort()
    assert last["agreement"] == pytest.approx(1 - 6 * float((d**2).sum()) / (n**3 - n), abs=1e-3)


def test_words_that_are_all_alike_have_no_ranking_to_compare(classifier):
    *_, last = measures.each_word(run(classifier, "blorp").run)
    assert math.isnan(last["agreement"])


def test_what_cannot_be_measured_says_why(generator):
    with pytest.raises(ValueError, match="single token"):
        measured("interventions/removed", generator, run(generator, "a"))
    with pytest.raises(ValueError, match="no verdict"):
        measured("words/words", generator, run(generator, "ab"))


def key_of(models: Models, passes: PassStore, model: str, text: str) -> str:
    return answer(models, passes, {"model": model, "text": text})["key"]


@pytest.fixture
def served(models):
    site, server = base.site_of(models), FastAPI()
    routes.attach(server, site)
    with TestClient(server) as client:
        yield client, site.passes


def test_the_menu_lists_the_models_group_by_group(generator, classifier, bert):
    small = Loaded("tiny-one", generator.bundle, "weights")
    shown = base.menu({each.name: each for each in (small, bert, classifier, generator)})
    assert [(group, [entry["name"] for entry in entries]) for group, entries in shown] == [
        ("writes", [generator.name]),
        ("classifies", [classifier.name]),
        ("fills", [bert.name]),
        ("experiment", [small.name]),
    ]


def lines(response) -> list[dict]:
    return [json.loads(line) for line in response.text.splitlines()]


def test_the_routes_bring_what_a_key_names(served, models):
    client, passes = served
    key = key_of(models, passes, "small-classifier", TEXT)
    made, body = passes.get(key)
    assert client.get(f"/attention/{key}").content == gzip.decompress(body)
    assert client.get(f"/attention/{key}/self/1/2").content == payload.pack_head(made.map("self"), 1, 2)
    arrays = client.get(f"/attention/{key}/data.npz")
    assert arrays.content[:2] == b"PK"
    assert arrays.headers["content-disposition"] == 'attachment; filename="small-classifier-all-heads.npz"'


def test_a_pass_can_be_asked_for_by_what_a_link_says_of_it(served):
    client, passes = served
    requests = {"model": "small-generator", "text": "The cat", "edits": "0.1.off,9.9.off"}
    key = client.post("/attention", json=requests).json()["key"]
    edit = {"layer": 0, "head": 1, "do": "scale", "factor": 0.0}
    made, _ = passes.get(key)
    assert (made.header["text"], made.header["edits"]) == ("The cat", [edit])
    refused = {"bad_request": {"model": "none"}, "empty_text": {"text": None}}
    for key, bad in refused.items():
        answer = client.post("/attention", json=requests | bad)
        assert (answer.status_code, answer.json()["error"]["key"]) == (422, key)


PATHS = ["", "/self/0/0", "/data.npz"]


@pytest.mark.parametrize("path", PATHS)
def test_a_pass_that_had_to_make_room_is_made_again(models, path):
    passes, server = PassStore(models, limit=1), FastAPI()  # keeps only the newest
    routes.attach(server, replace(base.site_of(models), passes=passes))
    key = key_of(models, passes, "small-classifier", TEXT)
    with TestClient(server) as client:
        before = client.get(f"/attention/{key}{path}")
        key_of(models, passes, "small-classifier", "another")
        assert passes.get(key) is None
        after = client.get(f"/attention/{key}{path}")
    assert before.status_code == after.status_code == 200
    assert after.content == before.content


@pytest.mark.parametrize("path", PATHS)
def test_a_key_that_was_never_given_out_is_404(served, path):
    assert served[0].get(f"/attention/nothing{path}").status_code == 404


def test_a_head_that_is_not_there_is_404(served, models):
    client, passes = served
    key = key_of(models, passes, "small-generator", "a")
    assert client.get(f"/attention/{key}/self/7/0").status_code == 404
    assert client.get(f"/attention/{key}/cross/0/0").status_code == 404
    assert client.get(f"/attention/{key}/self/x/0").status_code == 422


@pytest.fixture
def asked(models):
    """Returns a client of the routes that measure."""
    site, server = base.site_of(models), FastAPI()
    panels.attach(server, site.models, site.work, PANELS, site.passes.run_of)
    with TestClient(server) as client:
        yield client


def test_a_measurement_comes_in_lines_and_one_that_makes_no_sense_is_refused(asked, classifier):
    view = {"model": "small-classifier", "text": TEXT}
    pass_ = run(classifier, TEXT)
    for path, measure in (("interventions/removed", measures.heads), ("words/words", measures.each_word)):
        for line, piece in zip(lines(asked.post(f"/ask/{path}", json=view)), measure(pass_.run), strict=True):
            assert line == {name: pytest.approx(value, abs=1e-4) for name, value in piece.items()}
    short = asked.post("/ask/interventions/removed", json={"model": "small-generator", "text": "a"})
    assert (short.status_code, lines(short)) == (200, [{"error": note("too_short")}])
    assert asked.post("/ask/words/words", json={"model": "small-classifier", "text": ""}).status_code == 422


def test_an_error_in_a_measurement_reaches_the_visitor_as_the_last_line(models):
    def measure(run: Any) -> Iterator[dict[str, str]]:
        yield {"text": run.text}
        raise Refusal("too_short")

    question = replace(QUESTIONS["change/words"]["words"], pieces=measure)
    server, site = FastAPI(), base.site_of(models)
    panels.attach(server, site.models, site.work, [Panel("words", Path(), {"words": question})])
    answer = TestClient(server).post("/ask/words/words", json={"model": "small-classifier", "text": TEXT})
    assert lines(answer) == [{"text": TEXT}, {"error": note("too_short")}]


def test_too_many_measurements_at_once_are_refused_with_a_message(models, monkeypatch):
    monkeypatch.setattr(work, "QUESTIONS", 0)
    site, server = base.site_of(models), FastAPI()
    panels.attach(server, site.models, site.work, PANELS)
    response = TestClient(server).post("/ask/interventions/removed", json=VIEW)
    assert response.status_code == 503
    assert response.json() == {"error": note("busy_measuring")}


def test_a_measurement_whose_client_leaves_before_the_first_byte_ends(models):
    begun, go = [], threading.Event()

    def slow(**_: Any) -> Iterator[dict[str, int]]:
        for number in range(100):
            begun.append(number)
            assert go.wait(30)
            yield {"number": number}

    site, server = base.site_of(models), FastAPI()
    question = replace(QUESTIONS["change/interventions"]["removed"], pieces=slow)
    panels.attach(server, site.models, site.work, [Panel("slow", Path(), {"removed": question})])
    scope = {"type": "http", "method": "POST", "path": "/ask/slow/removed", "query_string": b"", "headers": []}
    messages = [{"type": "http.request", "body": json.dumps(VIEW).encode(), "more_body": False}]

    async def leave_at_once() -> None:
        async def receive() -> dict[str, Any]:
            if messages:
                return messages.pop()
            while not begun:
                await asyncio.sleep(0.01)
            return {"type": "http.disconnect"}

        async def send(_: Any) -> None:
            await asyncio.sleep(0)  # where it has to wait, the client's leaving is noticed here

        await server(scope, receive, send)
        go.set()
        while site.work.waiting:
            await asyncio.sleep(0.01)

    in_loop(leave_at_once())
    assert 0 < len(begun) < 100


@pytest.mark.parametrize("path", ["/self/0/0", "/data.npz"])
def test_a_pass_is_not_computed_again_for_a_client_that_has_left(models, monkeypatch, path):
    site, server, sent = base.site_of(models), FastAPI(), []
    routes.attach(server, site)
    monkeypatch.setattr(site.passes, "remake", lambda _: pytest.fail("a pass was computed"))
    scope = {"type": "http", "method": "GET", "path": f"/attention/0{path}", "query_string": b"", "headers": []}

    async def ask() -> None:
        async def receive() -> dict[str, str]:
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        await server(scope, receive, send)

    in_loop(ask())
    assert sent[0]["status"] == http.GONE


def test_the_table_of_a_map_holds_no_formula_and_its_numbers_stay_numbers(generator):
    tokens = maps.write_table(generator.bundle.run("=1-a"), "self", 0, 0, "head")
    rows = list(csv.DictReader(io.StringIO(tokens["table"])))
    assert [row["key_token"] for row in rows[-4:]] == ["'=", "1", "'-", "a"]
    assert [float(row["weight"]) for row in rows] == [row[-1] for row in tokens["rows"]]


@pytest.mark.parametrize("layer", [0, 1])
def test_a_rollout_has_the_pairs_that_several_layers_of_a_sparse_model_reach(layer):
    run = former.load("sparse").run("".join(chr(97 + i * i % 26) for i in range(300)), edits=[])
    shown = maps.show_map(run, "self", layer, 0, "rollout", "linear", 0, 0)
    rows = maps.write_table(run, "self", layer, 0, "rollout")["rows"]
    assert sum(row[-1] for row in rows) == pytest.approx(300, abs=1e-2)  # all weights of 300 queries, of 1 each
    assert shown["allowed"].sum() == len(rows)
    assert bool((shown["allowed"] != run.maps["self"].allowed).any()) == (layer > 0)


def test_the_page_asks_python_by_routes_and_no_event_of_gradio_s(models):
    page, endpoints = app.build(base.site_of(models), app.NONE)
    assert len(page.fns) > len(endpoints), "its events"
    assert {number for number, event in page.fns.items() if event.fn} == set(endpoints), "for programs"


def test_the_page_consists_of_few_components_of_gradio_s_which_all_delay_the_first_paint(models):
    page, _ = app.build(base.site_of(models), app.NONE)
    drawn = [block for block in page.blocks.values() if isinstance(block, gr.HTML | gr.Row | gr.Column)]
    assert len(TABS) < len(drawn) <= 2 * len(TABS) + 3


def test_the_worked_example_is_ready_and_every_model_has_a_text_that_it_reads(models):
    site = base.site_of(models)
    begins = explore.settings(site, site.models)
    example = begins["example"]
    made, _ = site.passes.get(example["key"])  # pyright: ignore[reportGeneralTypeIssues]
    assert [made.header[name] for name in ("model", "text")] == [example["model"], example["text"]]
    for name, reads in begins["reads"].items():
        text = answer(site.models, site.passes, {"model": name, "text": begins["texts"][reads][0]})
        assert not [note for note in text["notes"] if note["kind"] == "error"]


def abouts(models):
    return {each["name"]: each["about"] for _, entries in base.menu(models) for each in entries}


def test_the_menu_has_a_line_on_every_model_and_one_of_its_kind_for_a_stranger(models):
    ours = {name: replace(models["small-generator"], name=name) for name in former.available()}
    assert abouts(ours | dict(models)).keys() == ours.keys() | models.keys()
    assert {name: in_words(about) for name, about in abouts(dict(models)).items()} == {
        "small-generator": "writes, token by token",
        "small-classifier": "classifies texts",
    }
