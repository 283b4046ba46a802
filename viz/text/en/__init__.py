"""The English messages: a module for each tab, a package for Learn, and modules for what several tabs or parts of one
share."""

from viz.text.collect import collect

MESSAGES = collect(__name__)
