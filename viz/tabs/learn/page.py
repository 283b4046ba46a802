"""Tab Learn: the frame that shows one section at a time; lib/learn.js creates a section when it is first opened."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from viz import browser
from viz.browser.language import label
from viz.tabs.base import Site
from viz.tabs.learn.section import Section
from viz.tabs.learn.sections import GROUP_OF, standing

part = partial(browser.part, Path(__file__).parent)


def contents(sections: Iterable[Section]) -> list[dict[str, Any]]:
    """Returns the data of every section that the frame needs before it is opened."""
    return [
        {
            "name": section.name,
            "group": GROUP_OF[section.name],
            "article": section.article,
            "href": browser.article(section.article),
            "code": [f"{function.__module__}.{function.__qualname__}" for function in section.code],
        }
        for section in sections
    ]


def equation(section: Section) -> str:
    """Returns the equation of a section with its words as labels."""

    def said(match: re.Match[str]) -> str:
        before, words, after = match.groups()
        key = "equation_" + re.sub(r"\W+", "_", words).strip("_")
        return rf"\text{{{before}{label(key)}{after}}}"

    return re.sub(r"\\text\{( *)([a-z][^{}]*?)( *)\}", said, section.equation)


def render(site: Site, page: gr.Blocks) -> None:  # noqa: ARG001 - every tab is given its page
    """Lays out the tab."""
    sections = site.once(standing)
    first, *others = contents(sections)
    part("learn", [first | {"given": sections[0].opening(site.models)}, *others])  # which most pages open with
    # Invisible: Gradio's KaTeX renders the equations here, and the frame copies them.
    gr.Markdown("\n\n".join(f"$${equation(section)}$$" for section in sections), elem_classes="learn-equations")
