"""The parts of the page that one points at: each with its behaviour in a .js and its look in a .css beside this file.

`part("head_map")` is drawn by `head_map.js` and styled by `head_map.css`. A script is the body of a function
`(element, trigger, props, watch)` that runs when its part comes on the page; all of them share `window.former`
(`lib/`), where the attention store is. Templates are empty: scripts build their elements, and a visitor's text only
ever becomes `textContent` or paint on a canvas. An event that a script triggers, `trigger("edited")`, is wired in
Python as `part.edited(...)`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import gradio as gr

from viz import style, text

HERE = Path(__file__).parent
LIBRARY = (  # in this order
    *("base.js", "colour.js", "address.js", "pass.js", "store.js", "lessons.js"),
    *("panel.js", "labels.js", "shown.js", "paint.js", "axes.js", "habit.js"),  # what the views share
    *("ask.js", "picture.js"),  # measurements and export
    *("branches.js", "frames.js", "writing.js"),  # tab Generate
    "demo.js",  # tabs Mask and Permute
    *("fields.js", "square.js", "chart.js", "masking.js", "steps.js"),  # tab Mask
    *("permuting.js", "curve.js"),  # tab Permute
    *("presenter.js", "room.js"),  # in front of a class
)


def part(name: str, value: Any = None, **options: Any) -> gr.HTML:
    """A part of the page: `name`.js beside this file draws it, `name`.css styles it.

    Not a subclass of gr.HTML: for each of those Gradio writes a .pyi file into the source tree.

    Args:
        name: of its files.
        value: what its script reads as props.value, and watches.
        options: further arguments of gr.HTML.
    """
    return gr.HTML(
        value=value,
        html_template="",
        js_on_load=(HERE / f"{name}.js").read_text(encoding="utf-8"),
        apply_default_css=False,
        elem_classes=["former", f"former-{name.replace('_', '-')}"],
        **options,
    )


def lesson(tab: str) -> gr.HTML:
    """A tab's sentence, which its scripts give by former.lessons.tell(tab, sentence), and the link to the article."""
    section = text.SECTIONS[tab]
    href = f"{text.ARTICLE}#:~:text={quote(section)}"  # a text fragment: the browser scrolls to the heading's words
    return part("lesson", {"tab": tab, "section": section, "href": href})


def head() -> str:
    """For the page's head: the words, the colours, the library that all components share, and what is styled outside
    Gradio's container: it keeps the styles of `css` to what is inside."""
    shared = {"text": text.BROWSER, "style": style.BROWSER, "tabs": list(text.TABS)}
    settings = json.dumps(shared, ensure_ascii=False).replace("<", "\\u003c")
    library = "\n".join((HERE / "lib" / name).read_text(encoding="utf-8") for name in LIBRARY)
    outside = (HERE / "lib" / "class.css").read_text(encoding="utf-8")
    return f"<script>window.former = {settings};\n{library}</script><style>{outside}</style>"


def css() -> str:
    """The look of the page: the palette, then every component's own."""
    files = [HERE / "page.css", *sorted(path for path in HERE.glob("*.css") if path.name != "page.css")]
    return style.css() + "\n".join(path.read_text(encoding="utf-8") for path in files)
