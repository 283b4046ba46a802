"""The page in the browser: its head, its look, and the parts that one points at.

`part(folder, "head_map")` is drawn by `head_map.js` of that folder and styled by `head_map.css` beside it. A script is
the body of a function `(element, trigger, props, watch)` that runs when its part comes on the page; all of them share
`window.former`, which the scripts of `lib/` here and of each tab's `lib/` make. Templates are empty: scripts build
their elements, and a visitor's text only ever becomes `textContent` or paint on a canvas. An event that a script
triggers, `trigger("edited")`, is wired in Python as `part.edited(...)`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import gradio as gr

from viz import style
from viz.browser import chart
from viz.gradio_adapter import component

if TYPE_CHECKING:
    from viz.panels import Panel
    from viz.tabs.base import Tab

ARTICLE = "https://peterbloem.nl/blog/transformers"

HERE = Path(__file__).parent
TABS = HERE.parent / "tabs"  # a folder for each
LIBRARY = (  # in this order
    *("messages.js", "numbers.js", "base.js", "colour.js"),
    *("address.js", "kept.js", "keys.js", "page.js"),  # what a link says, and what is in front
    *("settings.js", "lessons.js", "hint.js", "python.js", "panel.js", "ask.js"),  # what the views share
    *("demo.js", "fields.js", "heat_map.js", "chart.js", "follow.js", "player.js"),  # what several tabs draw
    *("fill.js", "presenter.js", "slides.js", "embed.js", "room.js"),  # in front of a class
)


def part(folder: Path, name: str, value: Any = None, **options: Any) -> gr.HTML:
    """A part of the page: `name`.js in `folder` draws it, `name`.css there styles it.

    Args:
        folder: of the tab.
        name: of its files.
        value: what its script reads as props.value, and watches.
        options: further arguments of gr.HTML.
    """
    script = (folder / f"{name}.js").read_text(encoding="utf-8")
    return component(script, value, ["former", f"former-{name.replace('_', '-')}"], **options)


def panel(record: Panel, value: Any = None, **options: Any) -> gr.HTML:
    """A panel, drawn by its script; arguments as of `part`."""
    return part(record.script.parent, record.script.stem, value, **options)


def class_bar() -> gr.HTML:
    """What a teacher needs, and how the page stands with its room and its server."""
    return part(HERE, "class_bar")


def lesson(tab: str, section: str) -> gr.HTML:
    """A tab's sentence, which its scripts give by former.lessons.tell(tab, sentence), and the link to the article.

    Args:
        tab: its name.
        section: the heading in the article that the tab is about.
    """
    return part(HERE, "lesson", {"tab": tab, "section": section, "href": article(section)})


def article(section: str) -> str:
    """The address of a heading in the article, by a text fragment: the browser scrolls to its words."""
    return f"{ARTICLE}#:~:text={quote(section)}"


def head(tabs: Sequence[Tab]) -> str:
    """For the page's head: the words, the colours, the scripts that all parts share, and what is styled outside
    Gradio's container: it keeps the styles of `css` to what is inside."""
    shared = {
        "style": style.BROWSER,
        "tabs": [tab.name for tab in tabs],
        "plotly": chart.SCRIPT,
        "panels": {panel.name: tab.name for tab in tabs for panel in tab.panels},
        "limits": {name: limit for tab in tabs for panel in tab.panels for name, limit in panel.limits.items()},
    }
    settings = json.dumps(shared, ensure_ascii=False).replace("<", "\\u003c")
    files = [HERE / "lib" / name for name in LIBRARY]
    files += [TABS / tab.name / "lib" / name for tab in tabs for name in tab.scripts]
    library = "\n".join(path.read_text(encoding="utf-8") for path in files)
    outside = (HERE / "lib" / "class.css").read_text(encoding="utf-8")
    return f"<script>window.former = {settings};\n{library}</script><style>{outside}</style>"


def css(tabs: Sequence[Tab]) -> str:
    """The look of the page: the palette, what all tabs share, each tab's own; in a folder, page.css comes first."""
    folders = [HERE, *(TABS / tab.name / folder for tab in tabs for folder in (".", "sections"))]
    files = [
        path for folder in folders for path in sorted(folder.glob("*.css"), key=lambda p: (p.stem != "page", p.stem))
    ]
    return style.css() + "\n".join(path.read_text(encoding="utf-8") for path in files)
