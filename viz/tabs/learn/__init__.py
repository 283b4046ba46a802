"""Tab Learn: the article section by section, every panel live.

CONTRIBUTING.md says how a section is added.
"""

from pathlib import Path

from viz.tabs.base import Tab
from viz.tabs.learn import page, routes
from viz.tabs.learn.sections import SECTIONS

HERE = Path(__file__).parent
TAB = Tab(
    "learn",
    page.render,
    routes.attach,
    tuple(section.panel for section in SECTIONS),
    (HERE / "learn.js", SECTIONS[0].panel.script),
)
