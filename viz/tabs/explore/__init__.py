"""Tab Explore: a text, a model, and where every head of it looks."""

from pathlib import Path

from viz.tabs.base import Tab
from viz.tabs.explore import page, panels, routes

HERE = Path(__file__).parent
TAB = Tab(
    "explore",
    page.render,
    routes.attach,
    panels.PANELS,
    tuple(HERE / f"{name}.js" for name in ("examples", "controls", "overview", "head_map")),
)
