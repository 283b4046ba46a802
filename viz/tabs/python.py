"""What the programs of tabs whose panels are not yet written by `viz.panels.writer` share."""

from viz.passes.loaded import Loaded

IMPORTS = """\
import torch

import former
from viz import figures
"""


def root(loaded: Loaded, layer: int) -> str:
    """What a layer's dot products of q and k are divided by, as code."""
    config = loaded.bundle.config
    divisor = config.divisor(layer)
    size = "q.shape[-1] ** 0.5" if config.scaled else "1"
    return size if divisor == 1 else f"({size} * {divisor:g})"
