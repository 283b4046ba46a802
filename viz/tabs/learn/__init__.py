"""Tab Learn: the article, section by section, with live panels.

CONTRIBUTING.md explains how to add a section.
"""

from pathlib import Path

from viz.gradio_adapter import katex
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
    tuple(katex().values()),
)
