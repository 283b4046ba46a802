"""The sections, in the order of the article."""

from importlib import import_module

from viz.passes.loaded import Models
from viz.tabs.learn.section import Section

GROUPS = {
    "basics": ("self_attention", "films", "in_pytorch"),
    "tricks": ("queries_keys_values", "scaling", "several_heads", "which_head", "complete"),
    "building": ("block", "classification", "positions", "generation"),
    "reasons": ("recurrent", "key_value", "encoder_decoder"),
    "modern": ("bert", "gpt_2", "transformer_xl", "sparse", "going_big", "since"),
    "beyond": ("graphs", "train_now"),
}
GROUP_OF = {name.replace("_", "-"): group for group, names in GROUPS.items() for name in names}
SECTIONS: tuple[Section, ...] = tuple(
    import_module(f"{__name__}.{name}").SECTION for names in GROUPS.values() for name in names
)


def available_sections(models: Models) -> list[Section]:
    """Returns the sections of the article whose models the server has."""
    return [section for section in SECTIONS if section.available(models)]
