"""The routes of tab Mask: POST of what a function of `masking` or `consequence` asks for."""

from __future__ import annotations

from functools import partial

from fastapi import FastAPI

from viz.server import work
from viz.tabs.base import Site
from viz.tabs.mask import consequence, masking


def attach(server: FastAPI, site: Site) -> None:
    """Adds them to the server that serves the page."""
    models = site.models
    work.attach(
        server,
        site.work,
        {
            "/mask": partial(masking.stages, models),
            "/mask/growth": partial(masking.cost, models),
            "/mask/proof": partial(masking.proof, models),
            "/mask/unmasked": partial(masking.unmasked, models),
            "/mask/consequence": partial(consequence.consequence, models),
        },
    )
