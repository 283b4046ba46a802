"""Tab Mask: what a mask does to the scores, what it keeps from flowing, and what a model without one is worth."""

from viz.tabs.base import Tab
from viz.tabs.mask import page, python, routes

TAB = Tab("mask", page.render, routes.attach, ("masking.js", "steps.js"), python.PANELS)
