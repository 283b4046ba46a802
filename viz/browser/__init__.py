"""The page in the browser: its head, its style, and its interactive parts.

`part(folder, "head_map")` is drawn by `head_map.js` and styled by `head_map.css` in that folder. The script is a module
that exports `mount({ element, trigger, props, watch })`, which is called when the part appears on the page. It imports
from `lib/` here and from its tab's `lib/`; `lib/site.js` has the data that Python gives to all scripts. Templates are
empty: scripts build their elements, and a visitor's text only becomes `textContent` or is drawn on a canvas. For an
event that a script triggers, such as `trigger("edited")`, call `part(..., events=("edited",))` and wire it in Python
with `part.edited(...)`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
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


def part(folder: Path, name: str, value: Any = None, events: Sequence[str] = (), **options: Any) -> gr.HTML:
    """Returns a part of the page, drawn by `name`.js and styled by `name`.css in `folder`.

    Args:
        folder: the tab's.
        name: name of the files.
        value: initial value, which the script reads as props.value and can watch.
        events: names of the events that the script triggers.
        options: further arguments of gr.HTML.
    """
    path = json.dumps(scripts.name_of(folder / f"{name}.js"))
    parameters = "{ element, trigger, props, watch }"
    script = f"{scripts.imported(HERE / 'mount.js')}.then(({{ mount }}) => mount({path}, {parameters}));"
    script += "".join(f' // triggers "{event}"' for event in events)
    return component(script, value, ["former", f"former-{name.replace('_', '-')}"], **options)


def call(script: Path, does: str, arguments: str = "") -> str:
    """Returns a JavaScript function for a Gradio event.

    Args:
        script: the script to import.
        does: an expression that begins with one of its exports, such as "page.tab".
        arguments: the function's parameters.
    """
    exports = does.partition(".")[0]
    return f"async ({arguments}) => {{ const {{ {exports} }} = await {scripts.imported(script)}; return {does}; }}"


def panel(record: Panel, value: Any = None, **options: Any) -> gr.HTML:
    """Returns a panel, drawn by its script. The other arguments are those of `part`."""
    return part(record.script.parent, record.script.stem, value, **options)


def class_bar() -> gr.HTML:
    """Returns the bar with the menu "In class" and messages about the room and the server."""
    return part(HERE, "class_bar", events=("opened",))


def arrivals() -> gr.HTML:
    """Returns the lines about models that are being downloaded (`viz.server.arrivals`)."""
    return part(HERE / "arrivals", "arrivals")


def lesson(tab: str, section: str) -> gr.HTML:
    """Returns the line at the top of a tab: a sentence, set by lessons.tell(tab, sentence), and a link.

    Args:
        tab: its name.
        section: the heading of the article that the link opens.
    """
    return part(HERE, "lesson", {"tab": tab, "section": section, "href": article(section)})


def article(section: str) -> str:
    """Returns the address of a heading in the article, with a text fragment, so that the browser scrolls to it."""
    return f"{ARTICLE}#:~:text={quote(section)}"


def opening(tabs: Sequence[Tab]) -> str:
    """Returns HTML for the page's head: data for the scripts, and the script that opens the link's tab."""
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
    script = (HERE / "head" / "opening.js").read_text(encoding="utf-8")
    return f'<script type="application/json" id="former-site">{settings}</script><script>{script}</script>'


def head(page: gr.Blocks) -> str:
    """Returns HTML for the page's head: what Gradio loads for it, and its styles, on the screen and on paper."""
    paper = scripts.PAPER.read_text(encoding="utf-8")
    ahead = (address.removeprefix("/") for address in preloads(types_of(page)))
    kinds = {"css": 'rel="preload" as="style"', "js": 'rel="modulepreload"'}
    return "".join(f'<link {kinds[address.rpartition(".")[2]]} crossorigin href="{address}">' for address in ahead) + (
        f'<link rel="stylesheet" href="{scripts.folder().removeprefix("/")}{scripts.STYLES}">'
        f'<style id="former-paper" media="print">{paper}</style>'
    )


def first(tab: Tab) -> list[Path]:
    """Returns the scripts that draw a tab's first view; by default, those of all its parts."""
    return [HERE / "lesson.js", *(tab.scripts or sorted((TABS / tab.name).glob("*.js")))]


def ahead(tab: Tab) -> list[str]:
    """Returns the addresses of the modules for a tab's first view, which the page fetches before it needs them.

    Otherwise the browser would discover them one after another. `mount.js` makes the other parts wait.
    """
    return [scripts.folder() + name for name in scripts.needed([HERE / "mount.js", *first(tab)])] + [*tab.modules]
