"""The panels of tab Word order, and the readers of their functions' arguments."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from former.tokens import UNK
from viz import figures
from viz.panels import Draw, Field, Panel, Question
from viz.panels.panel import unprinted
from viz.passes.loaded import Models
from viz.passes.run import tokenize
from viz.passes.said import class_names
from viz.server.view import View, read_choice, read_index, read_string
from viz.tabs.permute import permuting, positions
from viz.text import Note, Refusal, note

HERE = Path(__file__).parent


def read_subject(models: Models) -> permuting.Subject:
    """Finds the tab's classifiers.

    Raises:
        Refusal: there is no classifier.
    """
    subject = permuting.find(models)
    if subject is None:
        raise Refusal("no_classifier")
    return subject


def read_text(models: Models, view: View) -> tuple[list[str], list[int], list[Note]]:
    """Reads the first words of "text", and "order": the words' indices such as "2.0.1", or "typed".

    Returns:
        The words' labels, their order, and remarks on both; an order that does not fit is replaced by the typed order.
    Raises:
        Refusal: a text that cannot be read.
    """
    subject = read_subject(models)
    _, labels, total = tokenize(subject.loaded, view.get("text", ""))
    labels = labels[: subject.most]
    remarks = [note("many_words", kept=len(labels), total=total)] if total > len(labels) else []
    if unknown := sum(label.startswith(UNK) for label in labels):
        remarks.append(note("unknown_words", count=unknown, total=len(labels)))
    order = read_order(view, len(labels))
    if order is None:
        remarks.append(note("misfit_order", count=len(labels)))
    return labels, order or list(range(len(labels))), remarks


def read_order(view: View, t: int) -> list[int] | None:
    """Reads the order of t words; returns None if it is not a permutation of them.

    Raises:
        Refusal: it is not a string.
    """
    value = read_string(view, "order")
    identity = list(range(t))
    if value == permuting.AS_TYPED:
        return identity
    if not re.fullmatch(rf"\d{{1,2}}(\.\d{{1,2}}){{0,{permuting.MOST_WORDS - 1}}}", value, flags=re.ASCII):
        return None
    order = [int(position) for position in value.split(".")]
    return order if sorted(order) == identity else None


def read_words(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `permuting.permute`."""
    labels, order, _ = read_text(models, view)
    return {"words": labels, "order": order}


def read_switches(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `permuting.measure_errors`."""
    subject, (_, order, _) = read_subject(models), read_text(models, view)
    return {
        "bundle": subject.loaded,
        "text": view["text"],
        "order": order,
        "positions": read_choice(view, "positions", subject.kinds),
        "mask": read_choice(view, "mask", permuting.MASKS),
    }


def read_output(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `permuting.run_output`."""
    return read_switches(models, view) | {"output": read_choice(view, "output", permuting.OUTPUTS)}


def read_classifiers(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `permuting.classify`."""
    subject, (_, order, _) = read_subject(models), read_text(models, view)
    bundles = {loaded.name: loaded for loaded in subject.classifiers}
    return {"bundles": bundles, "text": view["text"], "order": order}


def read_position(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `positions.compare_positions`."""
    sources = {name: (kind, vectors.shape) for name, kind, vectors, *_ in positions.sources(models)}
    name = read_choice(view, "table", sources)
    kind, size = sources[name]
    source = {"size": list(size)} if kind == "sinusoidal" else {"bundle": models[name]}
    at = min(read_index(view, "at", 10_000), size[0] - 1)
    return source | {"at": at, "product": read_choice(view, "product", positions.PRODUCTS)}


def describe_text(models: Models, view: View) -> dict[str, Any]:
    """Returns the words, their order, and remarks on both."""
    labels, order, remarks = read_text(models, view)
    return {"labels": labels, "order": order, "remarks": remarks}


def describe_classifiers(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as every `more`
    """Returns the classes, and the kind of positions of each classifier."""
    subject = read_subject(models)
    trained = [loaded.bundle.config.positions for loaded in subject.classifiers]
    return {"classes": class_names(subject.loaded.bundle), "trained": trained}


CHIPS = Draw(figures.bars, Field("places"), Field("words"), axis="position as typed")
MATRIX = Draw(figures.attention, Field("matrix"), Field("words"), Field("typed"), mask=Field("cells"))
ERRORS = Draw(figures.bars, Field("errors"), Field("outputs"), axis="max |f(Px) − P f(x)|")
ROWS = Draw(figures.bars, Field("difference"), Field("words"), axis="largest difference")
PROBABILITIES = Draw(figures.bars, Field("moved"), Field("names"), before=Field("typed"), axis="probability")
CURVE = Draw(figures.similarity, Field("values"), Field("at"), trained=Field("trained"), length=Field("length"))

WORD_ORDER = Panel(
    "word-order",
    HERE / "word_order.js",
    {"permutation": Question(permuting.permute, read_words, CHIPS, prints=("moved",))},
    {"words": permuting.MOST_WORDS},
)
PERMUTATION = Panel(
    "permutation",
    HERE / "permutation.js",
    {"permutation": Question(permuting.permute, read_words, MATRIX, prints=("places",))},
)
EQUIVARIANCE = Panel(
    "equivariance",
    HERE / "equivariance.js",
    {"errors": Question(permuting.measure_errors, read_switches, ERRORS, prints=("errors",), more=describe_text)},
    {"rounding": permuting.ROUNDING_STEPS},
)
MOVED_ROWS = Panel(
    "moved-rows",
    HERE / "moved_rows.js",
    {"rows": Question(permuting.run_output, read_output, ROWS, prints=("largest",))},
)
VERDICTS = Panel(
    "verdicts",
    HERE / "verdicts.js",
    {
        "verdicts": Question(
            permuting.classify,
            read_classifiers,
            PROBABILITIES,
            prints=("names", "typed", "moved"),
            more=describe_classifiers,
        )
    },
)
POSITION_MAPS = Panel(
    "position-maps",
    HERE / "position_maps.js",
    {
        "similarity": Question(positions.compare_positions, read_position, CURVE, prints=("near",), unsent=("values",)),
        # the same figure, once for a table: the page puts the selected position's values into it
        "curve": Question(
            positions.compare_positions, read_position, CURVE, charted=True, unsent=("values",), when=unprinted
        ),
    },
    {"near": positions.NEAR},
)
PANELS = (WORD_ORDER, PERMUTATION, EQUIVARIANCE, MOVED_ROWS, VERDICTS, POSITION_MAPS)
