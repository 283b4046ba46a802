"""Tab Learn: the frame that shows one section at a time; lib/learn.js creates a section when it is first opened."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import gradio as gr

from viz import browser
from viz.browser.language import label
from viz.tabs.base import Site
from viz.tabs.learn.section import Section
from viz.tabs.learn.sections import GROUP_OF, available_sections

HERE = Path(__file__).parent


def contents(sections: Iterable[Section]) -> list[dict[str, Any]]:
    """Returns, for every section, the data that the frame needs before the section is opened."""
    return [
        {
            "name": section.name,
            "equations": [f"$${each}$$" for each in equations(section)],
            "group": GROUP_OF[section.name],
            "article": section.article,
            "href": browser.article(section.article),
            "code": [f"{function.__module__}.{function.__qualname__}" for function in section.code],
        }
        for section in sections
    ]


def equations(section: Section) -> list[str]:
    """Returns a section's equations in TeX; words in them are replaced by labels, to show them in the visitor's
    language."""

    def placeholder(match: re.Match[str]) -> str:
        before, words, after = match.groups()
        key = "equation_" + re.sub(r"\W+", "_", words).strip("_")
        return rf"\text{{{before}{label(key)}{after}}}"

    whole = re.sub(r"\\text\{( *)([a-z][^{}]*?)( *)\}", placeholder, section.equation)
    return re.split(r"\s*\\qquad\s*", whole)


def render(site: Site, page: gr.Blocks) -> None:  # noqa: ARG001 - every tab is given its page
    """Lays out the tab on the page that is being built; `site` has the models."""
    sections = site.once(available_sections)
    first, *others = contents(sections)
    with_props = first | {"given": sections[0].props(site.models)}  # which most pages open with
    browser.lay_out(browser.part(HERE, "learn", {"sections": [with_props, *others]}))
