"""Tab Explore: a text, a model, and where every head of it looks."""

from viz.tabs.base import Tab
from viz.tabs.explore import page, panels, routes

TAB = Tab(
    "explore",
    page.render,
    routes.attach,
    (
        *("pass.js", "exact.js", "store.js", "tokens.js", "labels.js", "outcome.js", "blanks.js", "shown.js"),
        *("beside.js", "paint.js", "legend.js", "habit.js", "picture.js"),
    ),
    panels.PANELS,
)
