"""Tab Learn: the article section by section, every panel live.

CONTRIBUTING.md says how a section is added.
"""

from viz.tabs.base import Tab
from viz.tabs.learn import page, routes
from viz.tabs.learn.sections import SECTIONS

TAB = Tab(
    "learn",
    page.render,
    routes.attach,
    ("arithmetic.js", "plane.js", "numbers_table.js", "learn.js", "code.js", "check.js"),
    tuple(section.panel for section in SECTIONS),
)
