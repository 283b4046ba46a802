"""Tab Generate: watch a model write, one token at a time."""

from viz.tabs.base import Tab
from viz.tabs.generate import page, routes
from viz.tabs.generate.panels import PANELS

TAB = Tab("generate", page.render, routes.attach, PANELS)
