"""The page in the browser: its head, its style, and its interactive parts.

`part(folder, "head_map")` is drawn by `head_map.js` and styled by `head_map.css` in that folder; `lay_out` puts parts
on the page. The script is a module that exports `mount({ element, trigger, props })`, which is called when the part
appears on the page. It imports from `lib/` here and from its tab's `lib/`; `lib/site.js` has the data that Python gives
to all scripts. Scripts build their elements, and a visitor's text only becomes `textContent` or is drawn on a canvas.
For an event that a script triggers, such as `trigger("edited")`, call `placed = lay_out(..., events=("edited",))` and
wire it in Python with `placed.edited(...)`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import quote

import gradio as gr

from viz import style
from viz.browser import chart, scripts
from viz.gradio_adapter import component, katex, preloads, types_of

if TYPE_CHECKING:
    from viz.panels import Panel
    from viz.tabs.base import Tab

ARTICLE = "https://peterbloem.nl/blog/transformers"

HERE = Path(__file__).parent
TABS = HERE.parent / "tabs"  # one folder for each tab
PAGE = HERE / "lib" / "page.js"  # handles the selected tab


class Part(TypedDict, total=False):
    """A part of the page, or a row or column of such parts, as mount.js reads it."""

    script: str  # the path below viz of the script that draws the part
    name: str  # its CSS class
    value: Any
    parts: list[Part]  # of a row or column
    classes: str
    style: str


def part(folder: Path, name: str, value: Any = None) -> Part:
    """Returns a part of the page, drawn by `name`.js and styled by `name`.css in `folder`; the script reads `value` as
    props.value."""
    return {
        "script": scripts.name_of(folder / f"{name}.js"),
        "name": f"former-{name.replace('_', '-')}",
        "value": value,
    }


def row(*parts: Part, classes: str = "") -> Part:
    """Returns a row of parts, from left to right, with the CSS classes `classes`."""
    return {"parts": list(parts), "classes": f"row {classes}"}


def column(*parts: Part, classes: str = "", share: int = 1) -> Part:
    """Returns a column of parts, from top to bottom; `share` is its part of the row's width, compared with the other
    columns'."""
    return {"parts": list(parts), "classes": f"column {classes}", "style": f"flex-grow: {share}"}


def lay_out(*parts: Part, events: Sequence[str] = ()) -> gr.HTML:
    """Lays out parts on the page, as a single Gradio component, because every component delays the first paint by 3 ms.

    Args:
        parts: from top to bottom.
        events: names of the events that their scripts trigger.
    """
    script = f"{scripts.imported(HERE / 'mount.js')}.then(({{ layOut }}) => layOut({{ element, trigger, props }}));"
    script += "".join(f' // triggers "{event}"' for event in events)
    return component(script, parts, ["former"])


def call(script: Path, does: str) -> str:
    """Returns a JavaScript function, as text for a Gradio event: it imports a script and evaluates an expression.

    Args:
        script: the script to import.
        does: the expression; it begins with one of the script's exports, such as "page.tab".
    """
    exports = does.partition(".")[0]
    return f"async () => {{ const {{ {exports} }} = await {scripts.imported(script)}; return {does}; }}"


def panel(record: Panel, value: Any = None) -> Part:
    """Returns the part that draws a panel by its script, which reads `value` as props.value."""
    return part(record.script.parent, record.script.stem, value)


def class_bar() -> gr.HTML:
    """Adds the bar with the menu "In class" and the messages about the room and the server."""
    return lay_out(part(HERE, "class_bar"), events=("opened",))


def arrivals() -> gr.HTML:
    """Adds the lines that show which models are being downloaded (`viz.server.arrivals`)."""
    return lay_out(part(HERE / "arrivals", "arrivals"))


def lesson(tab: str, section: str) -> Part:
    """Returns the line at the top of a tab: a sentence, which lessons.show(tab, sentence) sets, and a link to the
    article.

    Args:
        tab: the tab's name.
        section: the heading of the article that the link opens.
    """
    return part(HERE, "lesson", {"tab": tab, "section": section, "href": article(section)})


def article(section: str) -> str:
    """Returns the address of a heading in the article, with a text fragment, so that the browser scrolls to it."""
    return f"{ARTICLE}#:~:text={quote(section)}"


def first_tab_script(tabs: Sequence[Tab]) -> str:
    """Returns HTML for the page's head: data for the scripts, and the script that opens the tab named in the visitor's
    link."""
    shared = {
        "style": style.BROWSER,
        "tabs": [tab.name for tab in tabs],
        "first": sorted({scripts.name_of(script) for tab in tabs for script in first(tab)}),
        "ahead": {tab.name: ahead(tab) for tab in tabs},
        "plotly": chart.SCRIPT,
        "katex": katex(),
        "panels": {panel.name: tab.name for tab in tabs for panel in tab.panels},
        "limits": {name: limit for tab in tabs for panel in tab.panels for name, limit in panel.limits.items()},
    }
    settings = json.dumps(shared, ensure_ascii=False).replace("<", "\\u003c")
    script = (HERE / "head" / "first_tab.js").read_text(encoding="utf-8")
    return f'<script type="application/json" id="former-site">{settings}</script><script>{script}</script>'


def head(page: gr.Blocks) -> str:
    """Returns HTML for the page's head: early requests for the files that Gradio will load, and the styles for screen
    and paper."""
    paper = scripts.PAPER.read_text(encoding="utf-8")
    ahead = (address.removeprefix("/") for address in preloads(types_of(page)))
    kinds = {"css": 'rel="preload" as="style"', "js": 'rel="modulepreload"'}
    return "".join(f'<link {kinds[address.rpartition(".")[2]]} crossorigin href="{address}">' for address in ahead) + (
        f'<link rel="stylesheet" href="{scripts.folder().removeprefix("/")}{scripts.STYLES}">'
        f'<style id="former-paper" media="print">{paper}</style>'
    )


def first(tab: Tab) -> list[Path]:
    """Returns the scripts that draw a tab's first view; unless the tab names them, the scripts of all its parts."""
    return [HERE / "lesson.js", *(tab.scripts or sorted((TABS / tab.name).glob("*.js")))]


def ahead(tab: Tab) -> list[str]:
    """Returns the addresses of the modules for a tab's first view, which the page fetches before it needs them.

    Otherwise the browser would discover them one after another. `mount.js` makes the other parts wait.
    """
    return [scripts.folder() + name for name in scripts.needed([HERE / "mount.js", *first(tab)])] + [*tab.modules]
