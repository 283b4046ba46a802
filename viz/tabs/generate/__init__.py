"""Tab Generate: watch a model write, one token at a time."""

from viz.tabs.base import Tab
from viz.tabs.generate import page, routes

TAB = Tab("generate", page.render, routes.attach, ("branches.js", "frames.js", "writing.js"))
