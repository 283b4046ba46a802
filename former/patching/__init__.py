"""Activation patching: replaces a part of a corrupted run by that of a clean run, and measures what this restores.

Two texts with the same number of tokens differ in one detail, and so do the predictions. If a part of the clean run,
such as a head's output, restores the clean prediction in the corrupted run, then this part carries the information
about the detail (Vig et al. 2020; Meng et al. 2022; Wang et al. 2022).

    bundle = former.load("gpt")
    clean, corrupted = bundle.run("Berlin is the capital of"), bundle.run("Madrid is the capital of")
    metric = former.patching.logit_difference(" Germany", " Spain")
    former.patching.heads(clean, corrupted, metric, share=True)  # (layers, h): 0 as corrupted, 1 as clean

All functions take two runs of one model, of any kind, and keep the edits of the corrupted run. In a model with several
stacks, `stack` is one of `former.hooks.STACKS`.
"""

from former.patching.metrics import Metric, index_of, kl_to, logit_difference, probability
from former.patching.patches import POINTS, attention, attribution, heads, heads_by_token, path, stream

__all__ = [
    "POINTS",
    "Metric",
    "attention",
    "attribution",
    "heads",
    "heads_by_token",
    "index_of",
    "kl_to",
    "logit_difference",
    "path",
    "probability",
    "stream",
]
