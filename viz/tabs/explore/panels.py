"""The panels of tab Explore; `reading` reads the arguments of their functions.

Most panels compute their numbers in the browser, from the pass that it holds; the program that "Copy as Python"
prints computes the same numbers by one function of a run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from former.analysis import trace
from viz import figures
from viz.panels import Draw, Field, Numbers, Panel, Question
from viz.passes import edits, lens, measures
from viz.passes.run import TEXT_LIMIT
from viz.passes.trace import name_files
from viz.tabs.explore.change import carry, reads
from viz.tabs.explore.corpus import forming, scans
from viz.tabs.explore.inside import predictions
from viz.tabs.explore.map import maps
from viz.tabs.explore.reading import (
    SCALES,
    Arguments,
    check_judged,
    check_next,
    check_pair,
    check_predicts,
    check_scored,
    check_square,
    compares,
    follows,
    moves,
    read,
    read_both,
    read_both_heads,
    read_carried,
    read_compared,
    read_one,
    read_path,
    read_ranked,
    read_states,
    read_writing,
    stays,
)

HERE = Path(__file__).parent
FOLDS = {  # the panels that are one line until it is opened, in the order of the page
    **{"forming": ("forming",), "reads": ("reads",), "follow": ("pair", "trace")},
    **{"inside": ("lens", "writes"), "corpus": ("scan",)},
}
LIMITS = {
    **{"edits": edits.LIMIT, "text": TEXT_LIMIT, "words_unasked": measures.UNASKED},
    **{"measures": scans.MEASURES, "parts": tuple(carry.PARTS), "scales": SCALES, "folds": FOLDS},
    **{"reads": reads.INPUTS, "arcs": reads.MOST_ARCS, "lines": maps.LINES},
}


def printed(
    function: Callable[..., Numbers], draw: Draw, check: Callable[[Arguments], None] | None = None, **more: Any
) -> Question:
    """Returns a `Question`, by default for "Copy as Python" alone: the page computes the numbers itself.

    Args:
        function: a function of a run; those of its parameters that are in `FIELDS` are read too.
        draw: its figure.
        check: as in `read`.
        more: other fields of the `Question`.
    """
    arguments = partial(read, fields=signature(function).parameters, check=check)
    return Question(function, arguments, draw, **{"asked": False, **more})


def bars(values: str, names: str = "", axis: str = "", **more: Any) -> Draw:
    """Returns a `Draw` that shows the field `values` of a result as bars, labelled by its field `names`."""
    labels = [Field(names)] if names else []
    return Draw(figures.bars, Field(values), *labels, axis=axis, **more)


SIDES = Field("queries"), Field("keys")
HEADS = Draw(figures.heads, Field("weights"), *SIDES, mask=Field("allowed"))
MAP = Draw(figures.attention, Field("cells"), *SIDES, mask=Field("allowed"), scale=Field("scale"))
WEIGHTS = Draw(figures.attention, Field("cells"), *SIDES, mask=Field("allowed"))
DIFFERENCE = Draw(figures.attention, Field("cells"), *SIDES, mask=Field("mask"), scale="scores", unit=Field("unit"))
LENS = Draw(figures.logit_lens, Field("probs"), Field("names"), Field("columns"))
NAMES = ("names", "columns")  # of the lens, which the browser has
LIKELIEST = tuple(Field(name, -1, -1, 0) for name in ("names", "probs"))  # after the last layer, at the last column
COMPARED = ("before", "now", "cells", "mask", "unit")  # which the browser has, or colours
SAID = bars("probs", "names", "probability", before=Field("before"))
EFFECTS = bars("effects", "names")
CHANGES = bars("changes", "names", "log-odds")
ADDS = bars("adds", axis="adds to the residual stream")
QUESTIONS: dict[str, dict[str, Question]] = {  # by folder and name of the panel
    "map/overview": {"heads": printed(maps.show_heads, HEADS, prints=("habit",))},
    "map/head-map": {"shown": printed(maps.show_map, MAP, prints=("pair",))},
    "map/lines": {"shown": printed(maps.show_lines, WEIGHTS, prints=("lines", "carried"))},
    "map/statistics": {
        "statistics": printed(maps.measure_map, bars("values", "names"), check_square, prints=("names", "values"))
    },
    "map/pair": {"pair": printed(maps.follow_pair, bars("products", axis="q · k"), prints=("score", "weight"))},
    "map/token-strip": {"token": printed(maps.look_around, bars("looks", "keys", "weight"), prints=("strongest",))},
    "inside/blanks": {"said": printed(predictions.predict, SAID, check_predicts, prints=("names", "probs"))},
    "inside/lens": {
        "depths": printed(
            lens.read_depths, LENS, check_predicts, asked=True, when=stays, unsent=NAMES, prints=LIKELIEST
        ),
        "carried": Question(
            predictions.carry_state, read_states, LENS, when=moves, unsent=NAMES, prints=("likeliest",)
        ),
    },
    "inside/writes": {
        "written": Question(predictions.write_logits, read_writing, bars("raised", "names", "logit"), prints=("logit",))
    },
    "inside/trace": {"traced": printed(trace, ADDS, check_pair, asked=True, about=name_files, prints=("weight",))},
    "corpus/scan": scans.QUESTIONS,
    "corpus/forming": forming.QUESTIONS,
    "inside/prediction": {
        "said": printed(predictions.predict, SAID, check_predicts, prints=("names", "probs")),
        "pair": Question(
            predictions.compare,
            read_compared,
            bars("probabilities", "tokens", "probability"),
            when=compares,
            prints=("difference",),
        ),
    },
    "inside/surprise": {
        "surprise": printed(predictions.surprise, bars("bits", "tokens", "bits"), check_next, prints=("mean",))
    },
    "change/interventions": {
        "removed": printed(predictions.remove_heads, EFFECTS, check_scored, prints=("effects",), pieces=measures.heads)
    },
    "change/words": {
        "words": printed(
            predictions.weigh_words, CHANGES, check_judged, prints=("names", "changes"), pieces=measures.each_word
        )
    },
    "export": {"exported": printed(maps.write_table, WEIGHTS, prints=("pairs",))},
    "change/carry": {
        "carried": Question(
            carry.carry_parts,
            read_carried,
            carry.SHARES,
            prints=("before", "pinned"),
            when=lambda view: view.get("from") is None,
        ),
        "said": Question(
            carry.carry_one,
            read_one,
            carry.SAID,
            prints=("names", "probs"),
            when=lambda view: view.get("from") is not None,
        ),
    },
    "change/reads": {
        "ranked": Question(
            reads.rank_readers, read_ranked, reads.RANKED, prints=(Field("names", 0), Field("scores", 0))
        ),
        "path": Question(reads.follow_path, read_path, reads.FOLLOWED, when=follows, prints=("shares",)),
    },
    "beside/beside": {
        "heads": Question(maps.compare_heads, read_both_heads, fast=True, prints=("most",)),
        "vs": Question(maps.compare_maps, read_both, DIFFERENCE, unsent=COMPARED, fast=True, prints=("share",)),
    },
}
PANELS = tuple(
    Panel(Path(path).name, HERE / f"{path.replace('-', '_')}.js", questions, LIMITS)
    for path, questions in QUESTIONS.items()
)
