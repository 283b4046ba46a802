"""The page in the browser: its head, its look, and the parts that one points at.

`part(folder, "head_map")` is drawn by `head_map.js` of that folder and styled by `head_map.css` beside it. The script
is a module that exports `mount({ element, trigger, props, watch })`, called when its part comes on the page; it imports
what it needs of `lib/` here and of its tab's `lib/`, and what Python has to say to all of them from `lib/site.js`.
Templates are empty: scripts build their elements, and a visitor's text only ever becomes `textContent` or paint on a
canvas. An event that a script triggers, `trigger("edited")`, is named in `part(..., events=("edited",))` and wired in
Python as `part.edited(...)`.
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
from viz.gradio_adapter import component

if TYPE_CHECKING:
    from viz.panels import Panel
    from viz.tabs.base import Tab

ARTICLE = "https://peterbloem.nl/blog/transformers"

HERE = Path(__file__).parent
TABS = HERE.parent / "tabs"  # a folder for each
PAGE = HERE / "lib" / "page.js"  # which tab is in front


def part(folder: Path, name: str, value: Any = None, events: Sequence[str] = (), **options: Any) -> gr.HTML:
    """A part of the page: `name`.js in `folder` draws it, `name`.css there styles it.

    Args:
        folder: of the tab.
        name: of its files.
        value: what its script reads as props.value, and watches.
        events: that its script triggers.
        options: further arguments of gr.HTML.
    """
    path = json.dumps(scripts.name_of(folder / f"{name}.js"))
    given = "{ element, trigger, props, watch }"
    script = f"{scripts.imported(HERE / 'mount.js')}.then(({{ mount }}) => mount({path}, {given}));"
    script += "".join(f' // triggers "{event}"' for event in events)
    return component(script, value, ["former", f"former-{name.replace('_', '-')}"], **options)


def call(script: Path, does: str, arguments: str = "") -> str:
    """A function of JavaScript, for an event of Gradio's: `does` is an expression of what a script exports, `page`."""
    exports = does.partition(".")[0]
    return f"async ({arguments}) => {{ const {{ {exports} }} = await {scripts.imported(script)}; return {does}; }}"


def panel(record: Panel, value: Any = None, **options: Any) -> gr.HTML:
    """A panel, drawn by its script; arguments as of `part`."""
    return part(record.script.parent, record.script.stem, value, **options)


def class_bar() -> gr.HTML:
    """What a teacher needs, and how the page stands with its room and its server."""
    return part(HERE, "class_bar", events=("opened",))


def lesson(tab: str, section: str) -> gr.HTML:
    """A tab's sentence, which its scripts give by lessons.tell(tab, sentence), and the link to the article.

    Args:
        tab: its name.
        section: the heading in the article that the tab is about.
    """
    return part(HERE, "lesson", {"tab": tab, "section": section, "href": article(section)})


def article(section: str) -> str:
    """The address of a heading in the article, by a text fragment: the browser scrolls to its words."""
    return f"{ARTICLE}#:~:text={quote(section)}"


def head(tabs: Sequence[Tab]) -> str:
    """For the page's head: what Python has to say to the scripts, and what is styled outside Gradio's container: it
    keeps the styles of `css` to what is inside."""
    shared = {
        "style": style.BROWSER,
        "tabs": [tab.name for tab in tabs],
        "first": sorted({scripts.name_of(script) for tab in tabs for script in first(tab)}),
        "plotly": chart.SCRIPT,
        "panels": {panel.name: tab.name for tab in tabs for panel in tab.panels},
        "limits": {name: limit for tab in tabs for panel in tab.panels for name, limit in panel.limits.items()},
    }
    settings = json.dumps(shared, ensure_ascii=False).replace("<", "\\u003c")
    outside = (HERE / "lib" / "class.css").read_text(encoding="utf-8")
    return (
        f"<script>{ahead(tabs)}</script>"
        f'<script type="application/json" id="former-site">{settings}</script><style>{outside}</style>'
    )


def first(tab: Tab) -> list[Path]:
    """The scripts that draw what a tab opens with; of one that names none, all of its parts'."""
    return [HERE / "lesson.js", *(tab.scripts or sorted((TABS / tab.name).glob("*.js")))]


def ahead(tabs: Sequence[Tab]) -> str:
    """A script that has the browser fetch what the link's tab opens with before its parts ask for it, one after the
    other; `mount.js` lets the other parts wait."""
    names = {tab.name: scripts.needed([HERE / "mount.js", *first(tab)]) for tab in tabs}
    return f"""
    const names = {json.dumps(names)};
    for (const name of names[new URLSearchParams(location.search).get("tab")] ?? names[{json.dumps(tabs[0].name)}]) {{
      const link = document.createElement("link");
      Object.assign(link, {{ rel: "modulepreload", href: {scripts.ROOT} + {json.dumps(scripts.folder())} + name }});
      document.head.append(link);
    }}"""


def css(tabs: Sequence[Tab]) -> str:
    """The look of the page: the palette, what all tabs share, each tab's own; in a folder, page.css comes first."""
    folders = [HERE, *(TABS / tab.name / folder for tab in tabs for folder in (".", "sections"))]
    files = [
        path for folder in folders for path in sorted(folder.glob("*.css"), key=lambda p: (p.stem != "page", p.stem))
    ]
    return style.css() + "\n".join(path.read_text(encoding="utf-8") for path in files)
