"""Tab Explore: a text, a model, and the attention of all its heads."""

from pathlib import Path

from viz.tabs.base import Tab
from viz.tabs.explore import page, panels, routes

HERE = Path(__file__).parent
TAB = Tab(
    "explore",
    page.render,
    routes.attach,
    panels.PANELS,
    tuple(HERE / f"{name}.js" for name in ("examples", "controls", "map/overview", "map/head_map")),
)
