"""Tab Generate: watch a model write, one token at a time."""

from viz.tabs.base import Tab
from viz.tabs.generate import page, python, routes, writing

TAB = Tab(
    "generate",
    page.render,
    routes.attach,
    ("branches.js", "frames.js", "link.js", "writing.js", "second.js"),
    python.PANELS,
    limits={
        "seed": writing.SEED_LIMIT - 1,
        "length": writing.LENGTH_LIMIT,
        "pace": writing.PACE_LIMIT,
        "shared": writing.SHARED,
        "written": writing.WRITTEN_LIMIT,
        "linked": writing.LINKED,
    },
)
