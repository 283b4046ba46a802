"""Tab Explore: a text, a model, and where every head of it looks."""

from viz.passes import edits, measures, run
from viz.tabs.base import Tab
from viz.tabs.explore import beside, page, python, routes

TAB = Tab(
    "explore",
    page.render,
    routes.attach,
    (
        *("pass.js", "exact.js", "store.js", "tokens.js", "labels.js", "outcome.js", "blanks.js", "shown.js"),
        *("beside.js", "paint.js", "legend.js", "habit.js", "picture.js"),
    ),
    {**python.PANELS, "beside": beside.code},
    limits={"edits": edits.LIMIT, "text": run.TEXT_LIMIT, "words_unasked": measures.UNASKED},
)
