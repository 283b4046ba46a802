"""Tab Permute: move the words, and see which outputs merely move with them."""

from viz.tabs.base import Tab
from viz.tabs.permute import page, permuting, python, routes

TAB = Tab(
    "permute",
    page.render,
    routes.attach,
    ("permuting.js",),
    python.PANELS,
    limits={"words": permuting.MOST_WORDS, "rounding": permuting.ROUNDING_STEPS},
)
