"""Tab Learn says: `frame` what all its sections say, and a module for each section."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

MESSAGES: dict[str, str] = {}
for _module in iter_modules(__path__):
    MESSAGES |= import_module(f"{__name__}.{_module.name}").MESSAGES
