"""The registry of panels: the Python program that each prints runs as it is, and gives the numbers on the page."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

import former
from former.checkpoints import CHECKPOINTS
from former.training.tasks import toys
from tests import kinds
from tests.viz.panels import page
from tests.viz.panels.views import VIEWLESS, VIEWS, explored
from tests.viz.passes.answered import run
from viz import tabs
from viz.panels import Panel
from viz.panels.panel import plain, unprinted
from viz.panels.routes import attach
from viz.panels.source import source
from viz.passes.loaded import Loaded
from viz.tabs import TABS
from viz.tabs.base import site_of
from viz.tabs.explore import panels as explore
from viz.tabs.explore.page import ONLY

pytestmark = pytest.mark.usefixtures("loaded_once")
PANELS = [panel for tab in TABS for panel in tab.panels]
FOLDER = Path(tabs.__file__).parent
MODELS = (
    "tiny-generator",
    "tiny-unmasked",
    "tiny-modern",
    "classifier",
    "classifier-bag",
    "gpt",
    "bert",
    "dates",
    "xl",
    "tiny-induction",
)
SLOW = ("learn-since", "learn-train-now")  # programs that train or measure for minutes: the page shows a recorded run
TIMES = ("seconds", "lines", "loop")  # which no two runs share
LINES = 16  # of a program, besides the source of a function


@pytest.fixture(scope="module")
def models(loaded_once) -> dict[str, Loaded]:  # noqa: ARG001 - who shares them
    return {name: Loaded(name, former.load(name), name, CHECKPOINTS / name) for name in MODELS}


@pytest.fixture(scope="module")
def client(models) -> TestClient:
    server, site = FastAPI(), site_of(models)
    attach(server, site.models, site.work, PANELS)
    return TestClient(server)


@pytest.fixture(autouse=True)
def trains_shortly(monkeypatch):
    """Limits the training printed by "Train one now" to a few steps."""
    monkeypatch.setitem(toys.TOYS, "reverse", replace(toys.TOYS["reverse"], steps=20))


def ask(client: TestClient, path: str, view: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(path, content=json.dumps(view))
    assert answer.status_code == 200, answer.text
    return answer.json()


def assert_near(one: Any, other: Any, where: str) -> None:
    """Asserts that two JSON values are equal, with numbers equal up to the rounding of another order of sums."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for name in one:
            assert_near(one[name], other[name], f"{where}.{name}")
    elif isinstance(one, list):
        assert len(one) == len(other), where
        for i, pair in enumerate(zip(one, other, strict=True)):
            assert_near(*pair, f"{where}[{i}]")
    elif isinstance(one, float):
        assert other == pytest.approx(one, rel=1e-3, abs=1e-4), where  # a fast twin answers the page
    else:
        assert one == other, where


CASES = [(panel, view) for panel in PANELS for view in VIEWS.get(panel.name, [])]


@pytest.mark.parametrize(("panel", "view"), CASES, ids=[f"{panel.name}-{i}" for i, (panel, _) in enumerate(CASES)])
def test_what_a_panel_prints_runs_as_it_is_and_gives_the_numbers_of_the_page(
    client, models, panel: Panel, view, shown_figures, capsys
):
    code = ask(client, f"/python/{panel.name}", view)["code"]
    names: dict[str, Any] = {}
    exec(compile(code, panel.name, "exec"), names)
    for name, question in panel.printed(view).items():
        actual = {} if question.asked else page.of(models, panel.name, view)
        if not question.asked and not actual:
            assert panel.name in SLOW, "PAGE of tests/viz/panels/page.py says what the page shows without a request"
            continue
        answer = plain(actual) or ask(client, f"/ask/{panel.name}/{name}", view)
        result = plain(names[name])
        compared = actual or result.keys() - {*question.unsent, *TIMES}
        for field in compared:
            assert_near(result[field], answer[field], f"{name}[{field!r}]")
        numbers = {field.path[0] for field in question.fields}
        assert not numbers or numbers & {*compared, *TIMES}, f"the page does not show {numbers} of {name}"
    printed = panel.printed(view).values()
    assert names["figure"].data
    assert code.endswith("figure.show()\n")
    assert len(shown_figures) == len([each for each in printed if each.draw])
    assert shown_figures[-1] is names["figure"]
    main = [(names[name], each.fields) for name, each in panel.printed(view).items() if each.fields]
    assert main, "a program prints the main number of its panel"
    lines = [" ".join(str(field(result)) for field in fields) for result, fields in main]
    assert capsys.readouterr().out == "".join(f"{line}\n" for line in lines)
    functions = {question.function for question in printed} | {each.draw.function for each in printed if each.draw}
    for function in functions:
        text = source(function)["text"].strip()
        assert (text in code) == (function.__module__.startswith("viz.") and "figures" not in function.__module__)
        code = code.replace(text, "")
    assert len([line for line in code.splitlines() if line]) <= LINES


def test_the_views_show_all_that_a_panel_prints():
    for panel in PANELS:
        assert panel.name in VIEWS, "tests/viz/panels/views.py has views of each panel, and of each section"
        printed = {name for view in VIEWS[panel.name] for name in panel.printed(view)}
        expected = {name for name, question in panel.questions.items() if question.when is not unprinted}
        assert printed == expected, panel.name


def test_the_registry_names_each_panel_once_and_the_script_that_draws_it():
    scripts = {panel.script for panel in PANELS}
    assert len({panel.name for panel in PANELS}) == len(PANELS) == len(scripts)
    assert all(script.is_file() for script in scripts)
    of_sections = [script.parent for script in scripts if "sections" in script.parts]
    assert sorted(of_sections) == sorted({script.parent for script in FOLDER.glob("*/sections/*/*.js")})


@pytest.mark.parametrize(("panel", "why"), [("cache", "no_cache"), ("trail", "beams_causal")])
def test_the_lines_of_a_panel_of_generate_that_does_not_apply_are_a_sentence_and_no_error(client, panel, why):
    view = VIEWS["trail"][0] | {"model": "xl"}
    assert ask(client, f"/python/{panel}", view) == {"error": {"key": why, "values": {}}}


@pytest.mark.parametrize("kind", [*kinds.KINDS, "bare"])
def test_the_lines_of_what_explore_shows_of_a_model_of_any_kind_are_a_program_or_a_sentence(kind):
    """Those of a panel that the page hides may be refused: the statistics of a map with other keys than queries, or
    what `ONLY` names for other models."""
    bare = kinds.masked(words_head=False, sentence_head=False) if kind == "bare" else None
    loaded, server = Loaded(kind, bare or kinds.bundles()[kind], kind), FastAPI()
    site = site_of({kind: loaded})
    attach(server, site.models, site.work, explore.PANELS)
    client, usual = TestClient(server), kinds.TEXT.get(kind, "the cat sat")
    programs = set()
    for text in (usual, usual[0]):
        for map_ in run(loaded, text).header["maps"]:
            last = {"query": len(map_["queries"]) - 1, "key": 0}
            view = explored(kind, text, map=map_["name"], reads="k", reads_count=8, **last)
            hidden = {name for name, applies in ONLY.items() if not applies(loaded)}
            hidden |= set() if map_.get("statistics") else {"statistics"}
            for panel in explore.PANELS:
                if panel.name not in hidden and "code" in ask(client, f"/python/{panel.name}", view):
                    programs.add(panel.name)
    assert {"overview", "head-map", "pair", "token-strip", "export"} <= programs


def test_an_unknown_panel_is_not_there_and_an_invalid_view_is_refused(client):
    assert client.post("/python/nothing", json={}).status_code == 404
    assert client.post("/ask/equivariance/nothing", json={}).status_code == 404
    for panel in PANELS:
        for path in (
            f"/python/{panel.name}",
            *(f"/ask/{panel.name}/{name}" for name, each in panel.questions.items() if each.asked or each.pieces),
        ):
            if path.rpartition("/")[2] in VIEWLESS:
                continue
            for view in ({}, {"text": 3}, {"text": "", "order": "typed"}):
                assert client.post(path, json=view).status_code == 422, path
