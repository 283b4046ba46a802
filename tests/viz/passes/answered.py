"""The answers of Explore's panels about a pass."""

from typing import Any

from viz.passes.loaded import Loaded
from viz.passes.run import Pass
from viz.tabs.explore.panels import PANELS

QUESTIONS = {f"{panel.name}/{name}": each for panel in PANELS for name, each in panel.questions.items()}


def answered(question: str, loaded: Loaded, made: Pass, **more: Any) -> dict[str, Any]:
    """Answers a question such as "lens/depths" about a pass, as the page asks it."""
    view = {name: made.header[name] for name in ("model", "text", "edits")}
    return QUESTIONS[question].answer({loaded.name: loaded}, view | more)
