"""The app: load the models, build the page from its tabs, attach the plain routes, launch.

    python app.py [FOLDER ...]

Each FOLDER is a checkpoint that `former.save` wrote: one's own trained model, beside the shipped ones.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
from functools import partial
from pathlib import Path

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")  # before gradio is imported: nothing leaves the machine
os.environ.setdefault("GOMP_SPINCOUNT", "2000")  # before torch is: idle threads give way to busy neighbours

import gradio as gr
import torch

import former
from viz import components, questions, rooms, routes, style, text
from viz.components import part
from viz.passes import Loaded, Models, digest
from viz.store import PassStore
from viz.tabs import explore, generate, mask, permute


def load_models(folders: list[str]) -> dict[str, Loaded]:
    """The shipped models, and those in `folders` under the folder's name; generators first.

    Raises:
        former.CheckpointError: a folder that holds no model.
    """
    models = {}
    for place in [*former.available(), *folders]:
        name = Path(place).name
        bundle = former.load(place)
        models[name] = Loaded(name, bundle, digest(bundle.card["files"]))
    return dict(sorted(models.items(), key=lambda item: (item[1].is_classifier, item[0] != "generator", item[0])))


def build(models: Models, passes: PassStore, writers: generate.Writers, moved: permute.Material) -> gr.Blocks:
    """The page: its tabs, and the one of the link open."""
    with gr.Blocks(title=text.TITLE, analytics_enabled=False) as page:
        part("class_bar")
        gr.HTML(f"<h1>{text.TITLE}</h1><p>{text.SUBTITLE}</p>", elem_classes="page-title", apply_default_css=False)
        layouts = {
            "explore": partial(explore.render, models, passes, page),
            "generate": partial(generate.render, writers),
            "mask": partial(mask.render, models),
            "permute": partial(permute.render, moved),
        }
        with gr.Tabs(selected="explore") as tabs:
            for name, label in text.TABS.items():
                with gr.Tab(label, id=name) as tab:
                    layouts[name]()
                tab.select(None, js=f"() => former.store.showTab('{name}')")
        page.load(None, None, tabs, js="() => ({ __type__: 'update', selected: former.store.view.tab })")
    return page


def return_freed_memory() -> None:
    """Tells glibc to hand back to the system what a pass leaves, and not to keep a pool for every thread.

    Else its pools fill up with holes: after 360 passes by 16 threads the process held 1.1 GB more than before them, of
    which the store had 0.25; with this, 0.3, and no more with every further pass. A pass takes some 5 % longer so.
    """
    with contextlib.suppress(OSError, AttributeError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        for option, value in ((-3, 128 << 10), (-8, 2)):  # MMAP_THRESHOLD in bytes, ARENA_MAX
            mallopt(option, value)


def main() -> None:
    """Serves the page until it is stopped."""
    parser = argparse.ArgumentParser(description="Look into every head of a trained transformer, in the browser.")
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="your own checkpoint, as former.save wrote it")
    models = load_models(parser.parse_args().folders)
    if not models:
        parser.error("there is no model in checkpoints/; name a folder that holds one")
    return_freed_memory()
    torch.set_flush_denormal(True)  # denormals slow a softmax twofold
    passes = PassStore(models)
    writers = generate.Writers(models)
    moved = permute.find(models)
    page = build(models, passes, writers, moved).queue(max_size=100, api_open=False)
    server, _, _ = page.launch(
        theme=style.theme(),
        css=components.css(),
        head=components.head(),
        prevent_thread_lock=True,
        share=False,
        run_history=False,
        ssr_mode=False,
        enable_monitoring=False,
        max_file_size="1mb",
        strict_cors=True,
        state_session_capacity=100,  # 0.2 MB each, and nothing in them that is not made anew
        max_threads=200,
        footer_links=[],
    )
    routes.attach(server, models, passes)
    generate.attach(server, writers)
    rooms.attach(server, rooms.Rooms())
    asked = questions.Questions()  # the demonstrations share the machine, and so a bound
    mask.attach(server, models, asked)
    permute.attach(server, moved, asked)
    page.block_thread()


if __name__ == "__main__":
    main()
