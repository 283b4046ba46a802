"""The panels of tab Explore, and how a view becomes the arguments of their functions.

What most of them show is worked out in the browser, from the pass that it holds; a program gives the same numbers by
one function on a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from former.analysis import trace
from former.analysis.parts import check_writes
from former.analysis.trace import check_trace
from viz import figures
from viz.panels import Draw, Field, Numbers, Panel, Question
from viz.passes import edits, lens, measures
from viz.passes.loaded import Models
from viz.passes.run import TEXT_LIMIT, RunRequest, as_refusals, request
from viz.server.view import View, read_choice, read_index, read_model, read_string
from viz.tabs.explore import carry, forming, maps, predictions, scans
from viz.text import NothingToShow, Refusal

HERE = Path(__file__).parent
LIMITS = {"edits": edits.LIMIT, "text": TEXT_LIMIT, "words_unasked": measures.UNASKED}
SCALES = ("linear", "row", "root")


def read_request(models: Models, view: View) -> RunRequest:
    """Reads the model, the text and the visitor's edits.

    Raises:
        Refusal: an invalid one.
    """
    loaded = read_model(models, view)
    changes = edits.read(view.get("edits"), loaded.name, loaded.bundle.config)
    return request(loaded, read_string(view, "text", "empty_text"), changes)


def read_run(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of functions of a run of a model that predicts something."""
    asked = read_request(models, view)
    kind, reading = asked.loaded.kind, asked.reading
    with as_refusals():
        kind.unembed(asked.loaded.bundle.model, reading.inputs)
    if kind.says == "blank" and not kind.places(reading):
        raise NothingToShow("no_blanks")
    return {"run": asked}


def read_scored(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of functions of how well a text is predicted."""
    asked = read_run(models, view)
    kind, reading = asked["run"].loaded.kind, asked["run"].reading
    if kind.says == "next" and reading.inputs[-1].shape[1] < 2:
        raise NothingToShow("too_short")
    return asked


def read_next(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of `predictions.surprise`."""
    asked = read_scored(models, view)
    if asked["run"].loaded.kind.says != "next":
        raise Refusal("bad_request")
    return asked


def read_judged(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of `predictions.weigh_words`."""
    asked = read_request(models, view)
    with as_refusals():
        asked.loaded.kind.classes(asked.loaded.bundle)
    return {"run": asked}


def read_map(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of `maps.show_heads`."""
    asked = read_request(models, view)
    sides = asked.reading.sides
    return {"run": asked, "name": next(iter(sides)) if len(sides) == 1 else read_choice(view, "map", sides)}


def read_head(models: Models, view: View) -> dict[str, Any]:
    """Reads a map and one of its heads."""
    asked = read_map(models, view)
    config = asked["run"].loaded.bundle.config
    return {**asked, "layer": read_index(view, "layer", config.depth), "head": read_index(view, "head", config.heads)}


def read_cells(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of `maps.write_table`."""
    asked = read_head(models, view)
    itself = bool(asked["run"].reading.sides[asked["name"]].ids)  # else there is no rollout
    return {**asked, "of": read_choice(view, "of", ("head", "mean", "rollout") if itself else ("head", "mean"))}


def read_shown(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of `maps.show_map`."""
    asked = read_cells(models, view)
    scores = view.get("show") == "scores" and asked["of"] == "head"
    return {**asked, "scale": "scores" if scores else read_choice(view, "scale", SCALES)}


def read_measured(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of `maps.measure_map`, of a text that looks at itself."""
    asked = read_cells(models, view)
    if not asked["run"].reading.sides[asked["name"]].ids:
        raise Refusal("bad_request")
    return asked


def read_token(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of `maps.look_around`."""
    asked = read_cells(models, view)
    return {**asked, "query": read_index(view, "query", len(asked["run"].reading.sides[asked["name"]].queries))}


def read_pair(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of `maps.follow_pair`."""
    asked = read_head(models, view)
    sides = asked["run"].reading.sides[asked["name"]]
    return {
        **asked,
        "query": read_index(view, "query", len(sides.queries)),
        "key": read_index(view, "key", len(sides.keys)),
    }


def read_traced(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of `former.analysis.trace`."""
    asked = read_pair(models, view)
    with as_refusals():
        check_trace(asked["run"].loaded.bundle.model)
    if not asked["run"].reading.sides[asked["name"]].allowed[asked["query"], asked["key"]]:
        raise NothingToShow("trace_masked")
    return asked


def read_writing(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of `predictions.write_logits`."""
    asked = read_head(models, view)
    loaded = asked["run"].loaded
    with as_refusals():
        check_writes(loaded.kind, loaded.bundle.model, asked["name"])
    return {**asked, "at": read_index(view, "query", len(asked["run"].reading.sides[asked["name"]].queries))}


def read_both(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of `maps.compare_maps`."""
    now, *other = read_cells(models, view).values()
    pinned = view.get("beside")
    if not isinstance(pinned, Mapping):
        raise NothingToShow("nothing_pinned")
    before, *one = read_cells(models, pinned).values()
    return {"pinned": before, "run": now, "before": tuple(one), "now": tuple(other)}


def read_carried(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of `carry.carry_parts`: of two texts of one model, with equally many tokens."""
    now = read_run(models, view) | read_map(models, view)
    pinned, run = view.get("beside"), now["run"]
    if not isinstance(pinned, Mapping):
        raise NothingToShow("nothing_pinned")
    before = read_run(models, pinned)["run"]
    part = read_choice(view, "part", carry.PARTS)
    carry.check(before, run, part)
    given = [name for name in ("answer", "rival") if view.get(name) is not None]
    chosen = {name: read_index(view, name, carry.count(run)) for name in given}
    if chosen.get("answer", -1) == chosen.get("rival", -2):
        raise Refusal("carry_alike")
    return {"pinned": before, **now, "part": part, **chosen}


def read_one(models: Models, view: View) -> dict[str, Any]:
    """Reads the arguments of `carry.carry_one`."""
    asked = read_carried(models, view)
    config = asked["run"].loaded.bundle.config
    size = len(asked["run"].reading.sides[asked["name"]].queries) if asked["part"] in carry.OF_TOKENS else config.heads
    place = {"layer": read_index(view, "from_layer", config.depth), "index": read_index(view, "from", size)}
    return {**{name: asked[name] for name in ("pinned", "run", "name", "part")}, **place}


def printed(function: Callable[..., Numbers], reader: Callable[[Models, View], dict[str, Any]], draw: Draw) -> Question:
    """A question that the page does not ask: it holds a pass of the run, or has a route of its own for the answer."""
    return Question(function, reader, draw, asked=False)


def bars(values: str, names: str = "", axis: str = "", **more: Any) -> Draw:
    """Draws these values of a result as bars."""
    labels = [Field(names)] if names else []
    return Draw(figures.bars, Field(values), *labels, axis=axis, **more)


SIDES = Field("queries"), Field("keys")
HEADS = Draw(figures.heads, Field("weights"), *SIDES, mask=Field("allowed"))
MAP = Draw(figures.attention, Field("cells"), *SIDES, mask=Field("allowed"), scale=Field("scale"))
WEIGHTS = Draw(figures.attention, Field("cells"), *SIDES, mask=Field("allowed"))
DIFFERENCE = Draw(figures.attention, Field("cells"), *SIDES, mask=Field("mask"), scale="scores", unit=Field("unit"))
LENS = Draw(figures.logit_lens, Field("probs"), Field("names"), Field("columns"))
SAID = bars("probs", "names", "probability", before=Field("before"))
ADDS = bars("adds", axis="adds to the residual stream")
QUESTIONS: dict[str, dict[str, Question]] = {
    "overview": {"heads": printed(maps.show_heads, read_map, HEADS)},
    "head-map": {"shown": printed(maps.show_map, read_shown, MAP)},
    "lines": {"shown": printed(maps.show_map, read_shown, MAP)},
    "statistics": {"statistics": printed(maps.measure_map, read_measured, bars("values", "names"))},
    "pair": {"pair": printed(maps.follow_pair, read_pair, bars("products", axis="q · k"))},
    "token-strip": {"token": printed(maps.look_around, read_token, bars("looks", "keys", "weight"))},
    "blanks": {"said": printed(predictions.predict, read_run, SAID)},
    "lens": {"depths": printed(lens.read_depths, read_run, LENS)},
    "writes": {"written": printed(predictions.write_logits, read_writing, bars("raised", "names", "logit"))},
    "trace": {"traced": printed(trace, read_traced, ADDS)},
    "scan": scans.QUESTIONS,
    "forming": forming.QUESTIONS,
    "prediction": {"said": printed(predictions.predict, read_run, SAID)},
    "surprise": {"surprise": printed(predictions.surprise, read_next, bars("bits", "tokens", "bits"))},
    "interventions": {"removed": printed(predictions.remove_heads, read_scored, bars("effects", "names"))},
    "words": {"words": printed(predictions.weigh_words, read_judged, bars("changes", "names", "log-odds"))},
    "export": {"exported": printed(maps.write_table, read_cells, WEIGHTS)},
    "carry": {
        "carried": Question(carry.carry_parts, read_carried, carry.SHARES, when=lambda view: view.get("from") is None),
        "said": Question(carry.carry_one, read_one, carry.SAID, when=lambda view: view.get("from") is not None),
    },
    "beside": {"vs": printed(maps.compare_maps, read_both, DIFFERENCE)},
}
PANELS = tuple(
    Panel(name, HERE / f"{name.replace('-', '_')}.js", questions, LIMITS) for name, questions in QUESTIONS.items()
)
