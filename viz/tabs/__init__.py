"""The tabs, in their order; the first is the one that a link without a view opens."""

from viz.tabs import explore, generate, learn, mask, permute
from viz.tabs.base import Tab

TABS: tuple[Tab, ...] = (learn.TAB, explore.TAB, generate.TAB, mask.TAB, permute.TAB)
