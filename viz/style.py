"""Defines colours (light and dark), fonts, sizes, and the direction of right-to-left labels, for the page and for
figures.

Every colour on the page is a CSS variable named here; the scales that paint attention are lists of stops, for the
canvas. Both scales rise steadily in lightness, so they read in grey and with any colour vision.
"""

from __future__ import annotations

import re
from typing import Any

# For scripts that the fonts before them lack, in everything that shows text: elements, canvases, charts and exports.
# Emoji fonts come last, since they have digits too. The browser falls back to any other font of the system.
_SCRIPTS = (
    '"PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Thai",'
    ' {}, "Apple Color Emoji", "Segoe UI Emoji", "Noto Color Emoji"'
)
FONT = (
    'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", '
    + _SCRIPTS.format("sans-serif")
)
MONO = 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", "Liberation Mono", Menlo, ' + _SCRIPTS.format(
    "monospace"
)

LIGHT = {
    "page": "#f6f7f9",
    "panel": "#ffffff",
    "line": "#dfe3e8",
    "text": "#18202b",
    "quiet": "#5a6675",  # 5.6:1 on the panel
    "accent": "#1f4fb2",
    "accent-soft": "#e6edfb",
    "mark": "#b83c09",  # the selected, the locked
    "mark-soft": "#fdebdf",
    "masked": "#e4e7ec",
    "skipped": "#d9c9a3",  # never computed: a pattern leaves it out
    "good": "#146c4b",
    "warn": "#8a5a00",
    "error": "#b42318",
    "laser": "#e0112b",
}
DARK = {
    "page": "#0e1218",
    "panel": "#171d26",
    "line": "#2c3542",
    "text": "#e8edf4",
    "quiet": "#9fadbe",
    "accent": "#8ab4ff",
    "accent-soft": "#1f2e4a",
    "mark": "#ffa657",
    "mark-soft": "#3a2a1a",
    "masked": "#2b323d",
    "skipped": "#4d4026",
    "good": "#56d4a2",
    "warn": "#e3b341",
    "error": "#ff8f85",
    "laser": "#ff3b4e",
}

# Stops of a scale, evenly spaced: weights from none to all; scores from below zero, over zero, to above.
SCALES = {
    "light": {
        "weights": ["#ffffff", "#d6e4f7", "#9cc0ec", "#5593d8", "#2463b5", "#123a83", "#071a4a"],
        "scores": ["#7a3300", "#c8660f", "#f2b277", "#fbfbfa", "#97bfe6", "#2f74bd", "#0b3263"],
    },
    "dark": {
        "weights": ["#10151d", "#1c3357", "#23568f", "#3180bd", "#5fafd8", "#a5d8ea", "#f4fbff"],
        "scores": ["#ffd9a8", "#f29a3c", "#8a4d12", "#161b23", "#1f5288", "#5ba4e0", "#cfe8ff"],
    },
}

BROWSER: dict[str, Any] = {  # what scripts read as former.style
    "scales": SCALES,
    "colours": {"light": LIGHT, "dark": DARK},
    "font": FONT,
}


def css() -> str:
    """Returns the CSS variables that the page's style sheets use: --f-page, --f-text, ..."""

    def block(selector: str, colours: dict[str, str]) -> str:
        return selector + "{" + "".join(f"--f-{name}:{value};" for name, value in colours.items()) + "}"

    scheme = ":root:has(> .dark){color-scheme:dark;}"  # of the browser's own scrollbars, sliders and boxes
    return f":root{{--f-font:{FONT};--f-mono:{MONO};}}\n{block(':root', LIGHT)}\n{block('.dark', DARK)}\n{scheme}\n"


# A right-to-left script; or an emoji's skin tone alone, which browsers would join to the quote before it.
_APART = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|^[\U0001f3fb-\U0001f3ff]")


def isolate(label: str) -> str:
    """Isolates a label that is written from right to left, so that it does not change the direction of the text around
    it.

    `browser/lib/base.js` does the same.
    """
    return f"\u2068{label}\u2069" if _APART.search(label) and "\u2068" not in label else label
