"""Tab Mask: what a mask does to the scores, what it keeps from flowing, and what a model without one is worth."""

from viz.tabs.base import Tab
from viz.tabs.mask import page
from viz.tabs.mask.panels import PANELS

TAB = Tab("mask", page.render, panels=PANELS)
