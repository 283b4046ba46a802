"""The record of a tab, and the objects that all tabs share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import gradio as gr
from fastapi import FastAPI

from viz.panels import Panel
from viz.passes.loaded import Loaded, Models
from viz.passes.snapshots import WithSnapshots
from viz.passes.store import PassStore
from viz.server.work import Work
from viz.shared import InMemory
from viz.shared.protocol import Shared
from viz.text import Note, note
from viz.text.en import MESSAGES

T = TypeVar("T")


@dataclass(frozen=True)
class Site:
    """The objects that all tabs share: the models, the queue of work, and the storage of results."""

    models: Models
    passes: PassStore
    work: Work
    shared: Shared  # with the app's other replicas
    _made: dict[Any, Any] = field(default_factory=dict, repr=False)

    def once(self, make: Callable[[Models], T]) -> T:
        """Returns make(models), computed once and cached: a tab's page and its routes both need it."""
        if make not in self._made:
            self._made[make] = make(self.models)
        return self._made[make]


def site_of(models: Models, shared: Shared | None = None) -> Site:
    """Creates the `Site` of these models; without `shared`, for a single process."""
    models, shared = WithSnapshots(models), InMemory() if shared is None else shared
    return Site(models, PassStore(models, shared), Work(), shared)


def about(loaded: Loaded) -> Note | str:
    """Describes a model in a few words: for a shipped model in the page's own words, else in its card's, else in those
    of its kind."""
    ours = f"model_{loaded.name.replace('-', '_')}"
    if ours in MESSAGES and not loaded.opened:  # a folder may have any name, that of another message too
        return note(ours)
    return loaded.bundle.card.get("description") or note("model_kind", kind=loaded.variant)


GROUPS = ("writes", "classifies", "fills", "translates", "reads", "experiment")  # of models, in the menu's order
GROUP_OF = {"classifier": "classifies", "masked": "fills", "translator": "translates", "bare": "reads"}


def menu(models: Models) -> list[tuple[str, list[dict[str, Any]]]]:
    """Returns the menu of models: each group with the name and a description of its models."""
    groups: dict[str, list[dict[str, Any]]] = {name: [] for name in GROUPS}
    for name, loaded in models.items():
        group = "experiment" if name.startswith("tiny-") else GROUP_OF.get(loaded.variant, "writes")
        groups[group].append({"name": name, "about": about(loaded)})
    return [(name, entries) for name, entries in groups.items() if entries]


class Tab(NamedTuple):
    """A tab of the page; its files are in viz/tabs/{name}, its label in viz/text as tab_{name}."""

    name: str  # as written in a link
    render: Callable[[Site, gr.Blocks], None]  # lays it out within the page
    routes: Callable[[FastAPI, Site], None] = lambda server, site: None  # adds its own to the server  # noqa: ARG005
    panels: tuple[Panel, ...] = ()
    scripts: tuple[Path, ...] = ()  # that draw its first view: they come first
    modules: tuple[str, ...] = ()  # addresses of other modules and styles for that
