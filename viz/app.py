"""The app: load the models, build the page from its tabs, attach the plain routes, launch.

    python app.py [FOLDER-OR-ID ...]      former-app [FOLDER-OR-ID ...], if it is installed
    python app.py ID --revisions step0,step512,step1000

Each argument names a model of your own, which is shown next to the shipped ones: the folder of a checkpoint that
`former.save` wrote or of a run of `python -m former.training`; a folder in Hugging Face's format (GPT-2, BERT, Llama
and others: `former.pretrained.ARCHITECTURES`); or the id of such a repository, which is downloaded while the page is
already there with the other models. With --revisions, a slider in tab Explore shows the model at these steps of its
training, each a revision of the repository (or a folder inside FOLDER). On a Space, which takes no arguments, the
environment variable FORMER_MODELS lists the models, separated by spaces.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import threading
import time
from collections.abc import Sequence

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")  # before gradio is imported: nothing leaves the machine
os.environ.setdefault("GOMP_SPINCOUNT", "2000")  # before torch is: idle threads give way to busy neighbours

import gradio as gr
import torch
from starlette.middleware import Middleware

import former
from former.checkpoints import CHECKPOINTS
from viz import api, browser, shared
from viz.browser import chart, language
from viz.browser.language import label
from viz.browser.scripts import Scripts
from viz.browser.theme import theme
from viz.gradio_adapter import (
    api_button,
    put_into_head,
    read_long_addresses,
    rest_queue,
    routes_before_gradio,
    run_when_selected,
    select_tab_on,
    show_layout_of,
)
from viz.panels import routes as panels
from viz.passes import sources
from viz.passes.loaded import Loaded
from viz.server import room_routes
from viz.server.arrivals import Arrivals
from viz.server.gateway import Endpoint, Gateway
from viz.tabs import TABS
from viz.tabs.base import Site, site_of
from viz.text import message

TRIM_EVERY = 60  # seconds
NONE = Arrivals()


def load_models(places: list[str], revisions: Sequence[str] = ()) -> dict[str, Loaded]:
    """Opens the shipped models that can be shown, and the models at `places`: names, folders or ids for
    `sources.open_model` or, with `revisions`, for `sources.open_revisions`.

    Raises:
        former.CheckpointError: a source has no model that can be shown.
    """
    models: dict[str, Loaded] = {}
    for name in former.available():
        with contextlib.suppress(sources.NotShown):
            models[name] = sources.open_model(name)
    for source in places:
        own = sources.open_revisions(source, revisions, models) if revisions else sources.open_model(source, models)
        print(sources.summary(own), flush=True)
        models[own.name] = own
    return dict(
        sorted(models.items(), key=lambda item: (item[1].kind.says == "class", item[0] != "generator", item[0]))
    )


def build(site: Site, arrivals: Arrivals) -> tuple[gr.Blocks, dict[int, Endpoint]]:
    """Builds the page and the API's endpoints; returns the page and the result of `viz.api.attach`. The page opens on
    the tab that the visitor's link names."""
    with gr.Blocks(title=message("title"), analytics_enabled=False) as page:
        bar = browser.class_bar()
        gr.HTML(
            f"<h1>{label('title')}</h1><p>{label('subtitle')}</p>",
            elem_classes="page-title",
            apply_default_css=False,
        )
        if arrivals.expected:
            browser.arrivals()
        with gr.Tabs(selected=TABS[0].name) as tabs:
            for tab in TABS:
                with gr.Tab(label(f"tab_{tab.name}"), id=tab.name) as shown:
                    tab.render(site, page)
                run_when_selected(shown, browser.call(browser.PAGE, f"page.show('{tab.name}')"))
        select_tab_on(page.load, tabs, browser.call(browser.PAGE, "page.tab"))
        select_tab_on(bar.opened, tabs, browser.call(browser.PAGE, "page.asked"))
        api_button(label("api_button"))
        endpoints = api.attach(site)
    return page, endpoints


def fill_head(page: gr.Blocks) -> None:
    """Adds the language, the styles and the scripts' data to the HTML head, because the page needs them before Gradio's
    script runs."""
    put_into_head(language.head(page) + browser.head(page) + browser.first_tab_script(TABS))


def serve(site: Site, arrivals: Arrivals = NONE) -> gr.Blocks:
    """Starts the server with the page, its routes and its API, and the downloads `arrivals`; returns the page."""
    page, endpoints = build(site, arrivals)
    page.queue(max_size=100, api_open=False)
    rest_queue(page)
    fill_head(page)
    server, _, _ = page.launch(
        theme=theme(),
        prevent_thread_lock=True,
        share=False,
        run_history=False,
        ssr_mode=False,
        enable_monitoring=False,
        max_file_size="1mb",
        strict_cors=True,
        state_session_capacity=100,  # 0.2 MB each; everything in them can be computed again
        max_threads=200,
        app_kwargs={
            "middleware": [Middleware(Scripts), Middleware(Gateway, lambda: site.shared.secret, endpoints)],
        },
        footer_links=["api"],
    )
    read_long_addresses(page)
    with routes_before_gradio(server):
        room_routes.attach(server, site.shared)  # asked most often
        arrivals.attach(server)
        chart.attach(server)
        language.attach(server)
        for tab in TABS:
            tab.routes(server, site)
        every = [panel for tab in TABS for panel in tab.panels]
        panels.attach(server, site.models, site.work, every, site.passes.run_of)
    return page


def renew(page: gr.Blocks, site: Site, arrivals: Arrivals) -> None:
    """Lays out the page again with the models that were downloaded since; visitors who load it from now on get them."""
    fresh, _ = build(site, arrivals)
    show_layout_of(fresh, page)
    fill_head(page)


def return_freed_memory() -> None:
    """Configures glibc to return freed memory to the system, and not to have a memory pool for every thread.

    By default its pools fragment: after 360 passes by 16 threads the process held 1.1 GB more than before, of which the
    store of passes had 0.25. The result of a pass, all layers in one tensor, is large and gets a mapping of its own.
    Temporary tensors are smaller and still come from the pools; with mappings a pass took half as long again.

    What is free between two allocations in use is returned once every TRIM_EVERY seconds: after 300 passes of varied
    lengths the process held 1,585 MB, after 1,100 passes 1,697, and after one trim 1,535.
    """

    def trim() -> None:
        while True:
            time.sleep(TRIM_EVERY)
            libc.malloc_trim(0)

    with contextlib.suppress(OSError, AttributeError):  # another C library
        libc = ctypes.CDLL(None)
        for option, value in ((-3, 4 << 20), (-8, 2)):  # MMAP_THRESHOLD in bytes, ARENA_MAX
            libc.mallopt(option, value)
        threading.Thread(target=trim, name="trim", daemon=True).start()


def leave_cores_free() -> None:
    """Lets each pass use half of the cores, unless OMP_NUM_THREADS is set.

    The threads of a matrix product wait for one another. If the browser or another visitor's pass needs a core too,
    each of a pass's hundreds of products waits for the slowest thread. On two cores shared with the browser, a text of
    64 tokens through GPT-2's shape was on the screen after 0.6 s with two threads, and after 0.3 s with one; with both
    cores free, the second thread saved 0.05 s.
    """
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(max(1, torch.get_num_threads() // 2))


def main() -> None:
    """Serves the page until it is stopped."""
    parser = argparse.ArgumentParser(description="Look into every head of a trained transformer, in the browser.")
    parser.add_argument(
        "places",
        nargs="*",
        metavar="FOLDER-OR-ID",
        help="your own model: a checkpoint, a training run, or GPT-2, BERT or Llama in Hugging Face's format;"
        " default: the models that FORMER_MODELS lists",
    )
    parser.add_argument(
        "--revisions",
        default="",
        metavar="NAME,NAME",
        help="steps of the training of a single model, such as step0,step512,step1000: revisions of its repository",
    )
    options = parser.parse_args()
    places = options.places or os.environ.get("FORMER_MODELS", "").split()
    revisions = [name for name in options.revisions.split(",") if name]
    if revisions and len(places) != 1:
        parser.error(f"--revisions must be those of a single model, got {len(places)}")
    elsewhere = [source for source in places if sources.is_elsewhere(source, revisions)]
    try:
        replicas = shared.connect(os.environ.get("FORMER_REDIS", ""))
        models = load_models([source for source in places if source not in elsewhere], revisions)
    except (former.CheckpointError, shared.Unreachable) as error:
        parser.error(str(error))
    if not models:
        parser.error(f"there is no model in {CHECKPOINTS}; name a folder that holds one")
    return_freed_memory()
    leave_cores_free()
    torch.set_flush_denormal(True)  # denormals slow a softmax twofold
    for loaded in models.values():
        if loaded.opened:  # a user's own model: its twin is built now, before anyone waits for it
            _ = loaded.fast
    site, arrivals = site_of(models, replicas), Arrivals(elsewhere, revisions)
    page = serve(site, arrivals)
    arrivals.start(models, lambda: renew(page, site, arrivals))
    page.block_thread()


if __name__ == "__main__":
    main()
