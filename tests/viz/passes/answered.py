"""A pass, as the server's cache computes it, and the answers of Explore's panels about it."""

import json
from collections.abc import Sequence
from typing import Any

from viz.passes.edits import Edit
from viz.passes.loaded import Loaded
from viz.passes.payload import PackedMaps
from viz.passes.run import Pass
from viz.passes.store import compute
from viz.tabs.explore.panels import PANELS

QUESTIONS = {f"{panel.name}/{name}": each for panel in PANELS for name, each in panel.questions.items()}
SECRET = b"the server's"


def run(loaded: Loaded, text: str, edits: Sequence[Edit] = ()) -> Pass:
    return compute(loaded, text, edits, SECRET)[0]


def pack(pass_: Pass) -> bytes:
    return PackedMaps(pass_.maps).with_header(pass_.header)


def answered(question: str, loaded: Loaded, made: Pass, **more: Any) -> dict[str, Any]:
    """Answers a question such as "lens/depths" about a pass, as the page asks it."""
    view = {name: made.header[name] for name in ("model", "text", "edits")}
    return QUESTIONS[question].answer({loaded.name: loaded}, view | more)


def measured(question: str, loaded: Loaded, made: Pass) -> list[dict[str, Any]]:
    """Returns the pieces of the answer to a question about a pass that is streamed."""
    models = {loaded.name: loaded}
    arguments = QUESTIONS[question].arguments(models, {name: made.header[name] for name in ("model", "text", "edits")})
    return [json.loads(line) for line in QUESTIONS[question].lines(arguments)]
