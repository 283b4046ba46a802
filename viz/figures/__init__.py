"""Charts: functions from arrays and labels to a plotly Figure, in the page's colours, light or dark.

The page and notebooks use the same functions. They take numpy arrays, nested lists, or anything else that numpy can
read, such as a torch tensor on the CPU; they do not depend on models, torch or the page.

    weights = capture.get("weights", layer=0)[0]  # (h, t, t)
    viz.figures.attention(weights[2], tokens, mask=former.masks.causal(t)).show()

Labels are shown literally: a token's text is never interpreted as markup, a template or a formula.
"""

from viz.figures.bars import additions, bars, next_tokens, stacked
from viz.figures.curves import bits_by_seconds, mask_cost, similarity, training
from viz.figures.maps import attention, heads
from viz.figures.scans import plane, scan
from viz.figures.sizes import by_size, points
from viz.figures.words import cross_attention, logit_lens

__all__ = [
    "additions",
    "attention",
    "bars",
    "bits_by_seconds",
    "by_size",
    "cross_attention",
    "heads",
    "logit_lens",
    "mask_cost",
    "next_tokens",
    "plane",
    "points",
    "scan",
    "similarity",
    "stacked",
    "training",
]
