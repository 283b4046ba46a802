"""What tab Permute is about: the classifiers that it takes apart, and vectors of positions."""

from __future__ import annotations

from dataclasses import dataclass

from viz.passes.loaded import Models
from viz.tabs.permute import permuting, positions


@dataclass(frozen=True)
class Material:
    """What the tab is about."""

    subject: permuting.Subject | None
    tables: list[positions.Table]


def find(models: Models) -> Material:
    """The tab's classifiers, and its vectors of positions; once, for they take a while to pack."""
    subject = permuting.find(models)
    return Material(subject, positions.tables(models, subject))
