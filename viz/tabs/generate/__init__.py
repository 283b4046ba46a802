"""Tab Generate: watch a model write, one token at a time."""

from viz.tabs.base import Tab
from viz.tabs.generate import page, routes
from viz.tabs.generate.panels import PANELS

SCRIPTS = ("branches.js", "frames.js", "link.js", "writing.js", "second.js")
TAB = Tab("generate", page.render, routes.attach, SCRIPTS, PANELS)
