"""Collects the messages of a language, which are spread over the modules of its package."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages


def collect(package: str) -> dict[str, str]:
    """Returns the `MESSAGES` of all modules of a package and its subpackages."""
    messages: dict[str, str] = {}
    for module in walk_packages(import_module(package).__path__, f"{package}."):
        if not module.ispkg:
            messages |= import_module(module.name).MESSAGES
    return messages
