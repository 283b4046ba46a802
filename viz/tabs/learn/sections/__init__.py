"""The sections, in the order of the article."""

from importlib import import_module

from viz.passes.loaded import Models
from viz.tabs.learn.section import Section

NAMES = (
    "self_attention",
    "films",
    "in_pytorch",
    "queries_keys_values",
    "scaling",
    "several_heads",
    "which_head",
    "complete",
    "block",
    "classification",
    "positions",
    "generation",
    "recurrent",
    "key_value",
    "encoder_decoder",
    "bert",
    "gpt_2",
    "transformer_xl",
    "sparse",
    "going_big",
    "graphs",
    "train_now",
)
SECTIONS: tuple[Section, ...] = tuple(import_module(f"{__name__}.{name}").SECTION for name in NAMES)


def standing(models: Models) -> list[Section]:
    """Returns the sections whose models are available."""
    return [section for section in SECTIONS if section.stands(models)]
