"""The English words: a module for each tab, a package for Learn, one each for what several or parts of them say."""

from viz.text.collect import collect

MESSAGES = collect(__name__)
