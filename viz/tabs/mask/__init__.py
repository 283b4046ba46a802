"""Tab Mask: how a mask changes the scores, where it stops information, and how a model without a mask fails."""

from viz.tabs.base import Tab
from viz.tabs.mask import page
from viz.tabs.mask.panels import PANELS

TAB = Tab("mask", page.render, panels=PANELS)
