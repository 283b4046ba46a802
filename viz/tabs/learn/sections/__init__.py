"""The sections, in the order of the article."""

from importlib import import_module

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
    "going_big",
    "graphs",
)
SECTIONS: tuple[Section, ...] = tuple(import_module(f"{__name__}.{name}").SECTION for name in NAMES)
