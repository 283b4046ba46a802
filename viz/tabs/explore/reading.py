"""Reads the arguments of the functions of Explore's panels from a view: a run, the pinned run, and settings of the
panel."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from functools import partial
from typing import Any

from former.analysis.parts import check_writes
from former.analysis.trace import PARTS, check_trace
from former.runs.kind import Sides
from viz.passes import edits
from viz.passes.loaded import Models
from viz.passes.run import RunRequest, as_refusals, request
from viz.server.view import View, read_choice, read_index, read_model, read_string, read_whole
from viz.tabs.explore.change import carry, reads
from viz.text import NothingToShow, Refusal

SCALES = ("linear", "row", "root")
CELLS = ("name", "layer", "head", "of")  # what of a run is shown
Arguments = dict[str, Any]  # of a function, by name; "run" is a RunRequest


def read_request(models: Models, view: View) -> RunRequest:
    """Reads from a view the model, the text and the visitor's edits.

    Raises:
        Refusal: an invalid value.
    """
    loaded = read_model(models, view)
    changes = edits.read(view.get("edits"), loaded.bundle.model)
    return request(loaded, read_string(view, "text", "empty_text"), changes)


def sides(arguments: Arguments) -> Sides:
    """Returns the queries and keys (`former.runs.kind.Sides`) of the requested map."""
    return arguments["run"].reading.sides[arguments["name"]]


def read_map(arguments: Arguments, view: View) -> str:
    """Reads from a view the name of one of the maps of the run in `arguments`."""
    names = arguments["run"].reading.sides
    return next(iter(names)) if len(names) == 1 else read_choice(view, "map", names)


def read_of(arguments: Arguments, view: View) -> str:
    """Reads from a view whether a "head", a "mean" or a "rollout" is shown; cross-attention has no rollout."""
    return read_choice(view, "of", ("head", "mean", "rollout") if sides(arguments).ids else ("head", "mean"))


def read_scale(arguments: Arguments, view: View) -> str:
    """Reads the scale of the colours; it is "scores" if the scores are shown."""
    scores = view.get("show") == "scores" and arguments["of"] == "head"
    return "scores" if scores else read_choice(view, "scale", SCALES)


def read_token(arguments: Arguments, view: View, name: str) -> int | None:
    """Reads the field `name`: the id of a token or class that the model can predict, or None."""
    return None if view.get(name) is None else read_index(view, name, carry.count(arguments["run"]))


def size_of(arguments: Arguments) -> int:
    """Returns the size of the vector in which a number is traced: a head's q, k, v or output, or what it adds."""
    config = arguments["run"].loaded.bundle.config
    return config.emb if arguments["part"] == "adds" else config.head_size


FIELDS: dict[str, Callable[[Arguments, View], Any]] = {  # by the parameter that takes it; each may need those before
    "name": read_map,
    "layer": lambda asked, view: read_index(view, "layer", asked["run"].loaded.bundle.config.depth),
    "head": lambda asked, view: read_index(view, "head", asked["run"].loaded.bundle.config.heads),
    "of": read_of,
    "scale": read_scale,
    "query": lambda asked, view: read_index(view, "query", len(sides(asked).queries)),
    "key": lambda asked, view: read_index(view, "key", len(sides(asked).keys)),
    "part": lambda _, view: read_choice({"part": "q", **view}, "part", PARTS),
    "at": lambda asked, view: read_index({"at": 0, **view}, "at", size_of(asked)),
    "every": lambda asked, view: view.get("every") is True,  # noqa: ARG005
    "answer": partial(read_token, name="answer"),
    "rival": partial(read_token, name="rival"),
}


def read(
    models: Models, view: View, fields: Container[str] = (), check: Callable[[Arguments], None] | None = None
) -> Arguments:
    """Reads a run and the requested fields of `FIELDS`; `check` raises ValueError if the question makes no sense for
    them.

    Raises:
        Refusal: an invalid value.
    """
    requests: Arguments = {"run": read_request(models, view)}
    for name, reader in FIELDS.items():
        if name in fields and (value := reader(requests, view)) is not None:
            requests[name] = value
    if requests.get("answer", -1) == requests.get("rival", -2):
        raise Refusal("carry_alike")
    if check:
        with as_refusals():
            check(requests)
    return requests


def read_writing(models: Models, view: View) -> Arguments:
    """Reads from a view the arguments of `predictions.write_logits`."""
    fields = ("name", "layer", "head", "answer", "rival", "every")
    return read(models, view, fields if view.get("query") is None else (*fields, "query"), check_writing)


def read_pinned(view: View) -> View:
    """Reads the view that the visitor has pinned for comparison: the field "beside" of a view."""
    if not isinstance(pinned := view.get("beside"), Mapping):
        raise NothingToShow("nothing_pinned")
    return pinned


def read_both(models: Models, view: View) -> Arguments:
    """Reads from a view the arguments of `maps.compare_maps`."""
    now, *other = read(models, view, CELLS).values()
    before, *one = read(models, read_pinned(view), CELLS).values()
    return {"pinned": before, "run": now, "before": tuple(one), "now": tuple(other)}


def read_both_heads(models: Models, view: View) -> Arguments:
    """Reads from a view the arguments of `maps.compare_heads`."""
    requests = read_both(models, view)
    return {**requests, "before": requests["before"][0], "now": requests["now"][0]}


def read_carried(models: Models, view: View, part: str = "") -> Arguments:
    """Reads from a view the arguments of `carry.carry_parts`: two texts of one model, with the same number of tokens;
    `part` replaces the part that the view names."""
    now = read(models, view, ("name", "answer", "rival"), check_predicts)
    before = read(models, read_pinned(view), (), check_predicts)["run"]
    part = part or read_choice(view, "part", carry.PARTS)
    carry.check(before, now["run"], part)
    return {"pinned": before, **now, "part": part}


def read_one(models: Models, view: View) -> Arguments:
    """Reads from a view the arguments of `carry.carry_one`."""
    arguments = read_carried(models, view)
    config = arguments["run"].loaded.bundle.config
    size = len(sides(arguments).queries) if arguments["part"] in carry.OF_TOKENS else config.heads
    indices = {"layer": read_index(view, "from_layer", config.depth), "index": read_index(view, "from", size)}
    return {**{name: arguments[name] for name in ("pinned", "run", "name", "part")}, **indices}


def read_ranked(models: Models, view: View) -> Arguments:
    """Reads from a view the arguments of `reads.rank_readers`."""
    loaded = read_model(models, view)
    if not reads.has_pairs(loaded.bundle):
        raise NothingToShow("reads_not")
    count = read_whole(view, "reads_count", 1, reads.MOST_ARCS)
    return {"bundle": loaded, "kind": read_choice(view, "reads", reads.INPUTS), "count": count}


def read_path(models: Models, view: View) -> Arguments:
    """Reads from a view the arguments of `reads.follow_path`."""
    kind, config = read_ranked(models, view)["kind"], read_model(models, view).bundle.config
    heads = {
        name: (read_index(view, f"{name}_layer", config.depth), read_index(view, f"{name}_head", config.heads))
        for name in ("reader", "writer")
    }
    if heads["writer"][0] >= heads["reader"][0]:
        raise Refusal("bad_request")
    arguments = read_carried(models, view, "heads")
    rivals = {name: arguments[name] for name in ("answer", "rival") if name in arguments}
    return {**{name: arguments[name] for name in ("pinned", "run")}, "kind": kind, **heads, **rivals}


def moves(view: View) -> bool:
    """Returns whether the view carries a state of the pinned text into the text on screen."""
    return bool(view.get("lens_from")) and bool(view.get("lens_to")) and isinstance(view.get("beside"), Mapping)


def stays(view: View) -> bool:
    """Returns whether the view carries no state of the pinned text."""
    return not moves(view)


def read_states(models: Models, view: View) -> Arguments:
    """Reads from a view the arguments of `predictions.carry_state`."""
    run = read(models, view, (), check_predicts)["run"]
    pinned = read(models, read_pinned(view), (), check_predicts)["run"]
    carry.check(pinned, run, "heads")
    kind, reading = run.loaded.kind, run.reading
    if kind.says == "class":
        raise Refusal("bad_request")
    places = kind.places(reading)
    columns = kind.written(run.loaded.bundle.model, reading.inputs).shape[1] if places is None else len(places)
    cells = {}
    for name, field in (("source", "lens_from"), ("target", "lens_to")):
        match = re.fullmatch(r"(?P<row>\d{1,4})\.(?P<column>\d{1,5})", read_string(view, field), re.ASCII)
        cell = {axis: int(digits) for axis, digits in match.groupdict().items()} if match else {}
        cells[name] = (read_index(cell, "row", run.loaded.bundle.config.depth + 1), read_index(cell, "column", columns))
    return {"pinned": pinned, "run": run, **cells}


def compares(view: View) -> bool:
    """Returns whether a view asks to compare two predictions."""
    return view.get("answer") is not None and view.get("rival") is not None


def follows(view: View) -> bool:
    """Returns whether the view follows the path between two heads, from a pinned text."""
    return view.get("reader_layer") is not None and isinstance(view.get("beside"), Mapping)


def read_compared(models: Models, view: View) -> Arguments:
    """Reads from a view the arguments of `predictions.compare`."""
    if not compares(view):
        raise Refusal("bad_request")
    return read(models, view, ("answer", "rival"), check_predicts)


def check_predicts(arguments: Arguments) -> None:
    """Raises ValueError unless the model predicts something for the text."""
    kind, reading = arguments["run"].loaded.kind, arguments["run"].reading
    kind.unembed(arguments["run"].loaded.bundle.model, reading.inputs)
    if kind.says == "blank" and not kind.places(reading):
        raise NothingToShow("no_blanks")


def check_scored(arguments: Arguments) -> None:
    """Raises ValueError unless a prediction for the text can be measured: the text has a token to predict."""
    check_predicts(arguments)
    if arguments["run"].loaded.kind.says == "next" and arguments["run"].reading.inputs[-1].shape[1] < 2:
        raise NothingToShow("too_short")


def check_next(arguments: Arguments) -> None:
    """Raises ValueError unless the model predicts next tokens of the text."""
    check_scored(arguments)
    if arguments["run"].loaded.kind.says != "next":
        raise Refusal("bad_request")


def check_judged(arguments: Arguments) -> None:
    """Raises ValueError unless the model classifies the text."""
    arguments["run"].loaded.kind.classes(arguments["run"].loaded.bundle)


def check_square(arguments: Arguments) -> None:
    """Raises ValueError unless the map is of self-attention, so that queries and keys are the same tokens."""
    if not sides(arguments).ids:
        raise Refusal("bad_request")


def check_pair(arguments: Arguments) -> None:
    """Raises ValueError unless the weight of the chosen query and key can be traced."""
    check_trace(arguments["run"].loaded.bundle.model)
    if not sides(arguments).allowed[arguments["query"], arguments["key"]]:
        raise NothingToShow("trace_masked")


def check_writing(arguments: Arguments) -> None:
    """Raises ValueError unless the chosen map's heads write directly to the logits."""
    check_writes(arguments["run"].loaded.kind, arguments["run"].loaded.bundle.model, arguments["name"])
