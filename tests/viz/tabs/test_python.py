"""Copy as Python: what each panel gives is run, and its numbers are those that the panel shows."""

import csv
import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from fastapi import FastAPI
from fastapi.testclient import TestClient

import former
from tests.ranked import check_order
from viz.panels.routes import attach
from viz.passes import edits as changes
from viz.passes import lens, measures, sources, trace, writes
from viz.passes.loaded import Loaded
from viz.passes.run import run
from viz.tabs import TABS
from viz.tabs.base import site_of
from viz.text import Refusal

HOSTILE = "\"\"\"'''\\\n{x}\u202e$x^2$<b>\ud800 the\U0001f600"
TEXTS = ["The cat sat on the mat.", HOSTILE]
EDITS = [
    {"layer": 0, "head": 1, "do": "scale", "factor": 0.0},
    {"layer": 1, "head": None, "do": "uniform"},
    {"layer": 1, "head": 2, "do": "scale", "factor": -1.5},
    {"layer": 1, "head": 3, "do": "weight", "query": 6, "key": 2, "weight": 0.75, "renormalise": True},
    {"layer": 0, "head": 2, "do": "weight", "query": 4, "key": 4, "weight": 0.0, "renormalise": False},
    {"layer": 0, "head": 3, "do": "weight", "query": 99, "key": 4, "weight": 0.5, "renormalise": True},
]
pytestmark = pytest.mark.usefixtures("loaded_once")
PANELS = {panel.name: panel.snippet for tab in TABS for panel in tab.panels if panel.snippet}


@pytest.fixture(scope="module")
def shipped(tmp_path_factory) -> dict[str, Loaded]:
    """The smaller ones, and a Bert with random weights."""
    torch.manual_seed(0)
    tokenizer = former.tokens.WordPieceTokenizer.train(["the cat sat on the mat."], 60)
    model = former.Bert(former.BertConfig(num_tokens=tokenizer.num_tokens, emb=16, heads=4, depth=2, seq_length=128))
    folder = tmp_path_factory.mktemp("kinds") / "small-bert"
    former.save(former.Bundle(model, tokenizer, model.config), folder)
    names = ("tiny-generator", "tiny-unmasked", "classifier", "classifier-bag")
    return {name: Loaded(name, former.load(name), name) for name in names} | {
        "small-bert": sources.open_model(str(folder))
    }


def view(**changed: Any) -> dict[str, Any]:
    usual = {"model": "tiny-generator", "text": TEXTS[0], "edits": [], "layer": 1, "head": 2, "of": "head"}
    usual |= {"scale": "root", "show": "weights", "query": 7, "key": 3}
    return usual | changed


def ran(models: dict[str, Loaded], panel: str, **changed: Any) -> dict[str, Any]:
    """The names that the code of a panel leaves, once it has run."""
    names: dict[str, Any] = {}
    exec(compile(PANELS[panel](models, view(**changed)), panel, "exec"), names)
    return names


def weights_of(figure: Any) -> np.ndarray:
    (trace,) = [each for each in figure.data if each.name == "weights"]
    return np.asarray(trace.z, float)


def shown(models: dict[str, Loaded], **changed: Any) -> Any:
    """The pass that the page shows for a view."""
    asked = view(**changed)
    loaded = models[asked["model"]]
    return run(loaded, asked["text"], changes.read(asked["edits"], loaded.name, loaded.bundle.config))


@pytest.mark.parametrize("text", TEXTS, ids=["plain", "hostile"])
@pytest.mark.parametrize("edits", [[], EDITS], ids=["as it is", "edited"])
@pytest.mark.parametrize("model", ["tiny-generator", "classifier"])
def test_the_maps_of_explore_are_those_of_the_pass(shipped, model, text, edits):
    asked = {"model": model, "text": text, "edits": edits}
    page = shown(shipped, **asked)
    whole = ran(shipped, "overview", **asked)
    np.testing.assert_allclose(whole["weights"].numpy(), page.map("self").weights.numpy(), atol=1e-5)
    assert np.isfinite(weights_of(whole["figure"])).sum() == (
        page.map("self").weights.shape[0] * page.map("self").weights.shape[1]
    ) * (whole["mask"].sum())
    for of, exact in (
        ("head", page.map("self").weights[1, 2]),
        ("mean", page.map("self").weights[1].mean(0)),
        ("rollout", former.analysis.rollout(page.map("self").weights[:2])),
    ):
        made = ran(shipped, "head-map", **asked, of=of)
        np.testing.assert_allclose(np.nan_to_num(weights_of(made["figure"])), exact.numpy(), atol=1e-5)
    scores = ran(shipped, "head-map", **asked, show="scores")
    exact = (page.map("self").q[1, 2] @ page.map("self").k[1, 2].T / page.map("self").q.shape[-1] ** 0.5).numpy()
    drawn = weights_of(scores["figure"])
    seen = np.isfinite(drawn)
    assert seen.sum() == whole["mask"].sum()
    np.testing.assert_allclose(drawn[seen], exact[seen], atol=2e-4)


@pytest.mark.parametrize("of", ["head", "mean", "rollout"])
def test_a_pinned_pass_and_the_one_on_screen_differ_as_the_page_s_maps_do(shipped, of):
    pinned = {"model": "tiny-generator", "text": TEXTS[0], "edits": EDITS, "layer": 1, "head": 2, "of": of}
    made = ran(shipped, "beside", beside=pinned, of=of)
    was, now = (shown(shipped, **changed).map("self").weights for changed in ({"edits": EDITS}, {}))
    for weights, figure in ((was, "figure_before"), (now, "figure_now")):
        cells = {"head": weights[1, 2], "mean": weights[1].mean(0), "rollout": former.analysis.rollout(weights[:2])}[of]
        np.testing.assert_allclose(np.nan_to_num(weights_of(made[figure])), cells.numpy(), atol=1e-5)
    np.testing.assert_allclose(
        weights_of(made["figure"]), weights_of(made["figure_now"]) - weights_of(made["figure_before"]), atol=1e-6
    )
    np.testing.assert_allclose(made["moved"].numpy(), (now - was).abs().sum(-1).mean(-1).numpy() / 2, atol=1e-5)
    made = ran(shipped, "beside", beside=pinned | {"text": "Shorter."}, of=of)
    assert "figure_before" in made
    assert "difference" not in made, "maps of two shapes are not subtracted"
    with pytest.raises(Refusal):
        ran(shipped, "beside")


@pytest.mark.parametrize("model", ["tiny-generator", "classifier"])
@pytest.mark.parametrize("edits", [[], EDITS], ids=["as it is", "edited"])
def test_what_would_be_said_at_each_depth_is_what_the_panel_says(shipped, model, edits):
    asked = {"model": model, "edits": edits}
    page = lens.lens(shipped[model], shown(shipped, **asked))
    made = ran(shipped, "lens", **asked)
    np.testing.assert_allclose(made["probs"].numpy(), np.array(page["probs"]), atol=2e-5)
    (cells,) = made["figure"].data
    for row, ids, probs in zip(cells.text, page["ids"], page["probs"], strict=True):
        for label, *best in zip(row, ids, probs, strict=True):
            assert probs_by_label(page, *best)[label] == pytest.approx(best[1][0], abs=2e-5)
    if model == "tiny-generator":
        best = probs_by_label(page, page["ids"][2][7], page["probs"][2][7])
        check_order(list(made["best"]), list(made["best"].values()), best, 2e-5)


def probs_by_label(page: dict[str, Any], ids: list[int], probs: list[float]) -> dict[str, float]:
    """The likeliest tokens of a cell of the lens."""
    return {page["labels"][str(i)]: prob for i, prob in zip(ids, probs, strict=True)}


@pytest.mark.parametrize("edits", [[], EDITS], ids=["as it is", "edited"])
def test_what_a_head_writes_is_what_the_panel_says(shipped, edits):
    page = writes.writes(shipped["tiny-generator"], shown(shipped, edits=edits), "self", 1, 2, 7)
    made = ran(shipped, "writes", edits=edits)
    check_order(made["raised"].indices.tolist(), made["raised"].values.tolist(), dict(page["raised"]), 1e-4)
    assert made["lowered"].values.tolist() == pytest.approx([value for _, value in page["lowered"]], abs=1e-4)
    assert made["follows"] == page["token"]
    assert made["total"] == pytest.approx(page["logit"], abs=1e-3)
    with pytest.raises(Refusal):
        ran(shipped, "writes", model="classifier")


def test_a_number_of_two_texts_is_followed_with_both(shipped):
    """Of a Bert, whose second text has a segment of its own."""
    asked = {"model": "small-bert", "text": "the cat sat on the mat. [SEP] the mat sat on the cat."}
    loaded = shipped["small-bert"]
    made, page = ran(shipped, "trace", **asked), run(loaded, asked["text"])
    found = trace.trace(loaded, page, "self", 1, 2, 7, 3, "adds", 5)
    assert made["adds"].tolist() == pytest.approx(found["adds"], abs=1e-5)


def test_the_score_of_a_pair_holds_what_distances_have_in_it():
    """Of Transformer-XL."""
    loaded = {"xl": sources.open_model("xl")}
    page, made = run(loaded["xl"], TEXTS[0]).map("self"), ran(loaded, "pair", model="xl", text=TEXTS[0])
    assert page.scores is not None
    assert made["score"] == pytest.approx(float(page.scores[1, 2, 7, 3]), abs=1e-3)
    assert made["score"] != pytest.approx(float(made["products"].sum()) / len(made["products"]) ** 0.5, abs=0.01)


def test_a_number_that_is_followed_is_what_the_panel_says(shipped):
    edits = EDITS[:1]
    page = trace.trace(shipped["tiny-generator"], shown(shipped, edits=edits), "self", 1, 2, 7, 3, "adds", 5)
    made = ran(shipped, "trace", edits=edits)
    assert float(made["weight"]) == pytest.approx(page["weight"], abs=1e-5)
    assert made["adds"].tolist() == pytest.approx(page["adds"], abs=1e-5)


@pytest.mark.parametrize("of", ["head", "mean", "rollout"])
def test_statistics_and_token_are_those_of_what_is_shown(shipped, of):
    page = shown(shipped, edits=EDITS)
    exact = {
        "head": page.map("self").weights[1, 2],
        "mean": page.map("self").weights[1].mean(0),
        "rollout": former.analysis.rollout(page.map("self").weights[:2]),
    }
    made = ran(shipped, "statistics", edits=EDITS, of=of)
    for name, values in former.analysis.head_statistics(exact[of][None], torch.tensor(page.header["ids"])).items():
        assert made["statistics"][name] == pytest.approx(float(values[0]), abs=1e-5)
    for name, number in page.header["maps"][0]["statistics"][of].items():
        assert made["statistics"][name] == pytest.approx(number[1][2] if of == "head" else number[1], abs=1e-4)
    made = ran(shipped, "token-strip", edits=EDITS, of=of)
    np.testing.assert_allclose(made["looks"].numpy(), exact[of][7].numpy(), atol=1e-5)
    np.testing.assert_allclose(made["looked_at"].numpy(), exact[of][:, 7].numpy(), atol=1e-5)


@pytest.mark.parametrize("of", ["head", "mean", "rollout"])
def test_the_exported_table_holds_every_pair_that_the_mask_lets_pass(shipped, of):
    made = ran(shipped, "export", of=of)
    header, *rows = csv.reader(io.StringIO(made["table"].getvalue()))
    t, labels = len(made["labels"]), made["labels"]
    assert header == ["query", "key", "query_token", "key_token", "weight"]
    assert [(int(query), int(key)) for query, key, *_ in rows] == [(i, j) for i in range(t) for j in range(i + 1)]
    for query, key, *tokens, weight in rows:
        assert tokens == [labels[int(query)], labels[int(key)]]
        assert float(weight) == float(made["shown"][int(query), int(key)])


def test_a_pair_is_followed_from_q_and_k_to_its_weight(shipped):
    page, made = shown(shipped), ran(shipped, "pair")
    q, k = page.map("self").q[1, 2, 7].numpy(), page.map("self").k[1, 2, 3].numpy()
    np.testing.assert_allclose(made["products"].numpy(), q * k, atol=1e-4)
    assert made["score"] == pytest.approx(float(q @ k) / len(q) ** 0.5, abs=1e-4)
    assert made["weight"] == pytest.approx(float(page.map("self").weights[1, 2, 7, 3]), abs=2e-6)
    np.testing.assert_allclose(made["output"].numpy(), page.map("self").out[1, 2, 7].numpy(), atol=1e-5)


@pytest.mark.parametrize("edits", [[], EDITS], ids=["as it is", "edited"])
def test_the_prediction_is_the_pages_before_and_after(shipped, edits):
    page = shown(shipped, edits=edits).header
    made = ran(shipped, "prediction", edits=edits)
    before = (page["baseline"] or page["output"])["next"]
    for probs, named in ((made["probs"], page["output"]["next"]), (made["before"][0, -1].softmax(-1), before)):
        for entry in named:
            assert float(probs[entry["id"]]) == pytest.approx(entry["prob"], abs=2e-5)
    page = shown(shipped, model="classifier", edits=edits).header
    made = ran(shipped, "prediction", model="classifier", edits=edits)
    assert made["probs"].tolist() == pytest.approx(page["output"]["probs"], abs=2e-5)
    assert made["classes"] == page["output"]["classes"]


@pytest.mark.parametrize("text", TEXTS, ids=["plain", "hostile"])
def test_the_surprise_of_each_token_is_the_pages(shipped, text):
    made = ran(shipped, "surprise", text=text, edits=EDITS)
    assert made["bits"].tolist() == pytest.approx(
        shown(shipped, text=text, edits=EDITS).header["output"]["bits"][1:], abs=1e-3
    )


@pytest.mark.parametrize("model", ["tiny-generator", "classifier"])
def test_what_each_head_is_worth_is_what_the_page_measures(shipped, model):
    made = ran(shipped, "interventions", model=model, edits=EDITS)
    pieces = measures.heads(shipped[model], shown(shipped, model=model, edits=EDITS))
    np.testing.assert_allclose(made["effects"].numpy(), [piece["effects"] for piece in pieces], atol=1e-4)


@pytest.mark.parametrize("text", ["Not a bad film at all, but the story is a mess.", "good bad film " * 43])
def test_what_carried_a_verdict_is_what_the_page_measures(shipped, text):
    made = ran(shipped, "words", model="classifier", text=text, edits=EDITS)
    page = shown(shipped, model="classifier", text=text, edits=EDITS)
    first, *rest = measures.each_word(shipped["classifier"], page)
    assert made["shares"].tolist() == pytest.approx(first["attention"], abs=1e-4)
    assert made["changes"] == pytest.approx([value for piece in rest for value in piece.get("changes", [])], abs=1e-3)


def test_a_classifier_of_ones_own_is_loaded_by_its_place(shipped):
    own = replace(shipped["classifier"], name="mine", opened="former.load('classifier')")
    made = ran({"mine": own}, "words", model="mine", text="not a bad film")
    page = shown({"mine": own}, model="mine", text="not a bad film")
    assert made["shares"].tolist() == pytest.approx(next(measures.each_word(own, page))["attention"], abs=1e-4)


OWN_TESTS = ("learn-", "scan", "forming", "beside")  # in learn/ and explore/, and above: of what was measured or pinned


@pytest.mark.parametrize("panel", [panel for panel in PANELS if not panel.startswith(OWN_TESTS)])
def test_every_panels_code_ends_in_a_figure_and_is_a_few_short_lines(shipped, panel):
    model = {"words": "classifier", "blanks": "small-bert"}.get(panel, "tiny-generator")
    asked = {"model": model, "text": HOSTILE, "edits": EDITS}  # that every tab has
    code = PANELS[panel](shipped, view(**asked))
    code.encode()  # can be sent and pasted
    assert len(code.splitlines()) <= 45
    assert ran(shipped, panel, **asked)["figure"].to_json()


def test_the_route_gives_the_code_and_refuses_what_is_no_view(shipped):
    server = FastAPI()
    site = site_of(shipped)
    attach(server, site.models, site.work, [panel for tab in TABS for panel in tab.panels])
    client = TestClient(server)
    assert "figures.heads" in client.post("/python/overview", json=view()).json()["code"]
    assert client.post("/python/nothing", json=view()).status_code == 404
    for wrong in (
        {"model": "x"},
        {"text": ""},
        {"text": "x" * 5000},
        {"edits": [{"layer": 99}]},
        {"layer": 1e9},
        {"of": "all"},
    ):
        refused = client.post("/python/head-map", json=view(**wrong))
        assert refused.status_code == 422, wrong
    assert client.post("/python/head-map", json=view(scale="__import__('os')")).status_code == 422


@pytest.fixture(scope="module")
def dates() -> dict[str, Loaded]:
    """In double precision, page and code: their kernels round otherwise, and scores near 500 show it in single."""
    bundle = former.load("dates")  # the one that the code gets, too
    bundle.model.double()
    return {"dates": Loaded("dates", bundle, "dates")}


@pytest.mark.parametrize("stack", ["cross", "encoder", "decoder"])
def test_edits_of_any_stack_are_given_again(dates, stack):
    changes = [
        {"map": stack, "layer": 2, "head": 1, "do": "scale", "factor": 0.0},
        {"map": "cross", "layer": 0, "head": None, "do": "uniform"},
        {
            "map": "decoder",
            "layer": 1,
            "head": 0,
            "query": 4,
            "key": 2,
            "do": "weight",
            "weight": 0.5,
            "renormalise": False,
        },
    ]
    page = run(dates["dates"], "4 July 1976", changes)
    asked = {"model": "dates", "text": "4 July 1976", "map": stack, "edits": {"model": "dates", "list": changes}}
    made = ran(dates, "overview", **asked)
    np.testing.assert_allclose(made["weights"].numpy(), page.map(stack).weights.numpy(), atol=1e-6)
    said = ran(dates, "prediction", **asked)["probs"]
    likeliest = page.header["output"]["next"][0]
    assert float(said[likeliest["id"]]) == pytest.approx(likeliest["prob"], abs=1e-4)
    worth = ran(dates, "interventions", **asked)["effects"].flatten(0, 1).tolist()
    for row, measured in zip(worth, measures.heads(dates["dates"], page), strict=True):
        assert row == pytest.approx(measured["effects"], abs=1e-4)
    for panel in ("prediction", "interventions"):
        assert len(PANELS[panel](dates, view(**asked)).splitlines()) <= 45


@pytest.mark.parametrize("text", ["4 July 1976", "4 July 1976 → 1976-04-07"], ids=["own answer", "typed answer"])
@pytest.mark.parametrize("name", ["cross", "encoder", "decoder"])
def test_the_maps_of_a_text_and_its_answer_are_those_of_the_pass(dates, text, name):
    page = run(dates["dates"], text)
    each = page.map(name)
    asked = {"model": "dates", "text": text, "map": name}
    whole = ran(dates, "overview", **asked)
    np.testing.assert_allclose(whole["weights"].numpy(), each.weights.numpy(), atol=1e-6)
    assert whole["labels"] == each.queries
    assert whole["keys"] == each.keys
    made = ran(dates, "head-map", **asked, show="scores")
    seen = np.isfinite(drawn := weights_of(made["figure"]))
    exact = (each.q[1, 2] @ each.k[1, 2].T / each.q.shape[-1] ** 0.5).numpy()
    np.testing.assert_allclose(drawn[seen], exact[seen], atol=2e-4)
    assert seen.sum() == each.allowed.sum()
    made = ran(dates, "export", **asked)
    assert made["rows"][3][2:4] == [each.queries[made["rows"][3][0]], each.keys[made["rows"][3][1]]]
    made = ran(dates, "pair", **asked)
    np.testing.assert_allclose(made["output"].numpy(), each.out[1, 2, 7].numpy(), atol=1e-4)
    np.testing.assert_allclose(ran(dates, "token-strip", **asked)["looks"].numpy(), each.weights[1, 2, 7], atol=1e-5)
    np.testing.assert_allclose(ran(dates, "surprise", **asked)["bits"], page.header["output"]["bits"][1:], atol=1e-4)
    likeliest = page.header["output"]["next"][0]
    made = ran(dates, "prediction", **asked)
    assert float(made["probs"][likeliest["id"]]) == pytest.approx(likeliest["prob"], abs=1e-4)
    found = lens.lens(dates["dates"], page)
    np.testing.assert_allclose(ran(dates, "lens", **asked)["probs"].numpy(), np.array(found["probs"]), atol=2e-5)
    if name != "encoder":
        found = writes.writes(dates["dates"], page, name, 1, 2, 7)
        made = ran(dates, "writes", **asked)
        raised = {found["labels"][str(i)]: value for i, value in found["raised"]}
        check_order(made["names"], made["raised"].values.tolist(), raised, 1e-6)  # of float64, seven decimals are sent
        assert made["total"] == pytest.approx(found["logit"], abs=1e-3)
    found = trace.trace(dates["dates"], page, name, 1, 2, 7, 3, "adds", 5)
    made = ran(dates, "trace", **asked)
    assert float(made["weight"]) == pytest.approx(found["weight"], abs=1e-5)
    assert made["adds"].tolist() == pytest.approx(found["adds"], abs=1e-5)
