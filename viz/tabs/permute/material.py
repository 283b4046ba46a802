"""The models of tab Word order: its classifiers, and vectors of positions."""

from __future__ import annotations

from dataclasses import dataclass

from viz.passes.loaded import Models
from viz.tabs.permute import permuting, positions


@dataclass(frozen=True)
class Material:
    """The classifiers and the position vectors that tab Word order shows."""

    subject: permuting.Subject | None
    tables: list[positions.Table]


def find(models: Models) -> Material:
    """Finds the tab's classifiers and packs its position vectors; cached, because packing is slow."""
    subject = permuting.find(models)
    return Material(subject, positions.tables(models, subject))
