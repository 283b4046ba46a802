"""The best speed of this machine, measured in the same run, so that targets as shares of it hold on every machine.

Sizes: t tokens, e embedding, h heads, s size of one head.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import gradio as gr
import torch
from torch import Tensor

import former


def fastest(work: Callable[[], object], times: int = 15) -> float:
    """Returns the fastest of several calls in seconds, as if nothing else used the machine."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def products(config: former.ModelConfig, t: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Yields each kind of matrix product in a pass over t tokens: count, batch, rows, inner size, columns."""
    e, width, hidden = config.emb, config.heads * config.head_size, config.ff_hidden_mult * config.emb
    for inner, columns in ((e, 3 * width), (width, e), (e, hidden), (hidden, e)):
        yield config.depth, 1, t, inner, columns
    yield config.depth, config.heads, t, config.head_size, t  # q · k
    yield config.depth, config.heads, t, t, config.head_size  # weights · v
    yield 1, 1, t, e, config.num_tokens


def product_seconds(config: former.ModelConfig, t: int) -> tuple[float, float]:
    """Returns the seconds that a pass's products take by torch.mm (torch.bmm for heads), and their GFLOP a second.

    Each layer has a matrix of its own, as in a model, and the result is written into memory that is there.
    """
    seconds = operations = 0.0
    for count, pairs, rows, inner, columns in products(config, t):
        shape = (pairs,) if pairs > 1 else ()
        x, out = torch.rand(*shape, rows, inner), torch.empty(*shape, rows, columns)
        others = [torch.rand(*shape, inner, columns) for _ in range(count)]
        seconds += fastest(partial(_multiply, x, others, out))
        operations += 2.0 * count * pairs * rows * inner * columns
    return seconds, operations / seconds / 1e9


def _multiply(x: Tensor, others: list[Tensor], out: Tensor) -> None:
    for other in others:
        torch.mm(x, other, out=out) if x.dim() == 2 else torch.bmm(x, other, out=out)


def read_seconds(nbytes: int, threads: int) -> float:
    """Returns the shortest time, in seconds, to read this many bytes repeatedly with this many threads.

    As many bytes as the weights: what of them fits a cache stays there in both.
    """
    numbers = torch.rand(nbytes // 4)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        return min(fastest(numbers.sum), fastest(numbers.max), fastest(lambda: torch.dot(numbers, numbers)))
    finally:
        torch.set_num_threads(before)


def empty_page(port: int) -> None:
    """Serves a Gradio page with two tabs, a text box and an HTML element, until it is stopped."""
    with gr.Blocks(analytics_enabled=False) as page, gr.Tabs():
        with gr.Tab("One"):
            gr.Textbox(label="Text")
            gr.HTML("<p class='empty-part'>Nothing</p>")
        with gr.Tab("Two"):
            gr.Textbox(label="Other")
    page.launch(server_name="127.0.0.1", server_port=port, share=False, run_history=False, ssr_mode=False)


if __name__ == "__main__":
    import sys

    empty_page(int(sys.argv[1]))
