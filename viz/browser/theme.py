"""The theme of Gradio's controls; separate from `viz.style`, whose colours are used without gradio too."""

from __future__ import annotations

from gradio.themes import Base

from viz import style


def theme() -> Base:
    """Returns a theme for Gradio's controls in the page's colours, with system fonts."""
    pairs = {
        "body_background_fill": "page",
        "body_text_color": "text",
        "body_text_color_subdued": "quiet",
        "background_fill_primary": "panel",
        "background_fill_secondary": "page",
        "block_background_fill": "panel",
        "block_border_color": "line",
        "border_color_primary": "line",
        "block_label_text_color": "quiet",
        "block_title_text_color": "quiet",
        "input_background_fill": "panel",
        "input_border_color": "line",
        "input_border_color_focus": "accent",
        "button_secondary_background_fill": "panel",
        "button_secondary_border_color": "line",
        "button_secondary_text_color": "text",
        "link_text_color": "accent",
    }
    settings = {name: style.LIGHT[colour] for name, colour in pairs.items()}
    settings |= {f"{name}_dark": style.DARK[colour] for name, colour in pairs.items()}
    base = Base(font=[style.FONT], font_mono=[style.MONO], radius_size="sm", spacing_size="sm", text_size="md")
    return base.set(**settings, block_shadow="none", block_border_width="1px", block_label_text_weight="500")
