"""The sections, in the order of the article."""

from importlib import import_module

import former
from viz.tabs.learn.section import Section

NAMES = (
    "self_attention",
    "films",
    "in_pytorch",
    "queries_keys_values",
    "scaling",
    "several_heads",
    "block",
    "classification",
    "positions",
    "generation",
    "recurrent",
    "key_value",
    "encoder_decoder",
    "gpt_2",
    "transformer_xl",
    "sparse",
    "going_big",
    "graphs",
    "train_now",
)
NEEDS = {"transformer_xl": "xl"}  # sections that stand only where this model is shipped
SECTIONS: tuple[Section, ...] = tuple(
    import_module(f"{__name__}.{name}").SECTION
    for name in NAMES
    if name not in NEEDS or NEEDS[name] in former.available()
)
