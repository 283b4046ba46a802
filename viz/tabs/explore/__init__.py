"""Tab Explore: a text, a model, and where every head of it looks."""

from pathlib import Path

from viz.panels import Panel
from viz.passes import edits, measures, run
from viz.tabs.base import Tab
from viz.tabs.explore import beside, forming, page, python, routes, scans

HERE = Path(__file__).parent
LIMITS = {"edits": edits.LIMIT, "text": run.TEXT_LIMIT, "words_unasked": measures.UNASKED}
TAB = Tab(
    "explore",
    page.render,
    routes.attach,
    (
        *("pass.js", "exact.js", "store.js", "tokens.js", "labels.js", "outcome.js", "blanks.js", "shown.js"),
        *("beside.js", "paint.js", "legend.js", "habit.js", "picture.js"),
    ),
    (
        *(
            Panel(name, HERE / f"{name.replace('-', '_')}.js", limits=LIMITS, snippet=snippet)
            for name, snippet in {**python.PANELS, "beside": beside.code}.items()
        ),
        Panel("scan", HERE / "scan.js", scans.QUESTIONS),
        Panel("forming", HERE / "forming.js", forming.QUESTIONS),
    ),
)
