"""Tab Word order: move words, and see which outputs only move with them."""

from viz.tabs.base import Tab
from viz.tabs.permute import page, routes
from viz.tabs.permute.panels import PANELS

TAB = Tab("permute", page.render, routes.attach, PANELS)
