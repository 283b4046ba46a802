"""Section "Sets, images, graphs": units with edges between them, which become the mask of a stack of blocks.

Nothing is trained: vectors and weights are random, always the same. Sizes: n units, e numbers of a unit's vector.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

import former
from viz.passes.loaded import Models
from viz.server.view import View, read_index
from viz.tabs.learn.section import Section
from viz.tabs.python import IMPORTS
from viz.text import Refusal

GRAPH = "8:0-1,0-2,1-2,2-3,3-4,4-5,4-6,5-6,6-7"  # number of units, and its edges
MOST = 16  # units
LONGEST = 800  # characters of a graph
LAYERS = 4
EMB, HEADS = 8, 2
NAMES = "ABCDEFGHIJKLMNOP"
RENAMINGS = 1000  # different ones; 0 leaves the names as they are


@cache
def material() -> tuple[nn.ModuleList, Tensor]:
    """LAYERS blocks, and a vector for each of MOST units, (MOST, e): random, in float64."""
    generator = torch.Generator().manual_seed(7)
    blocks = nn.ModuleList(former.TransformerBlock(EMB, HEADS, norm="pre") for _ in range(LAYERS)).double()
    for weight in blocks.parameters():
        if weight.dim() == 2:
            noise = torch.randn(weight.shape, generator=generator, dtype=torch.float64)
            weight.data = noise * 1.5 / weight.shape[1] ** 0.5
    x = torch.randn(MOST, EMB, generator=generator, dtype=torch.float64)
    return blocks.requires_grad_(requires_grad=False), x


def mask_of(count: int, edges: list[tuple[int, int]]) -> Tensor:
    """Each unit sees itself and those it has an edge to: bool (n, n)."""
    mask = torch.eye(count, dtype=torch.bool)
    for one, other in edges:
        mask[one, other] = mask[other, one] = True
    return mask


def through(x: Tensor, mask: Tensor, layers: int) -> Tensor:
    """x (b, n, e) through the first blocks, each under the mask (n, n): (b, n, e)."""
    for block in material()[0][:layers]:
        x = block(x, mask)
    return x


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with, and its limits."""
    del models  # of which it needs none
    return {"graph": GRAPH, "most": MOST, "longest": LONGEST, "layers": LAYERS, "names": NAMES, "renamings": RENAMINGS}


def read(view: View) -> tuple[Tensor, int, Tensor]:
    """The mask of a view, bool (n, n), the number of layers, and the order in which the units are renamed, (n,).

    Raises:
        Refusal: a graph that is none, or a number out of its range.
    """
    graph = view.get("graph")
    if not isinstance(graph, str) or len(graph) > LONGEST or not re.fullmatch(r"\d{1,2}:(\d+-\d+(,\d+-\d+)*)?", graph):
        raise Refusal("bad_request")
    count, listed = graph.split(":")
    n = int(count)
    edges = [(int(one), int(other)) for one, other in re.findall(r"(\d+)-(\d+)", listed)]
    if not 2 <= n <= MOST or not all(one < other < n for one, other in edges):
        raise Refusal("bad_request")
    layers, renamed = read_index(view, "layers", LAYERS + 1), read_index(view, "renamed", RENAMINGS)
    if layers < 1:
        raise Refusal("bad_request")
    order = torch.randperm(n, generator=torch.Generator().manual_seed(renamed)) if renamed else torch.arange(n)
    return mask_of(n, edges), layers, order


def passed(models: Models, view: View) -> dict[str, Any]:
    """What a graph lets through.

    Args:
        models: of which it needs none.
        view: "graph", "layers", "renamed".
    Returns:
        "needs", n × n: after how many layers output i can depend on input j, LAYERS + 1 where more are needed;
        "influence", LAYERS × n × n: by how much it does, measured; "order": of the renamed units; "outputs" and
        "renamed", n × e; "moved" and "stayed": how far the renamed outputs are from the outputs in the new order, with
        the edges renamed along and with the edges left where they were.
    Raises:
        Refusal: a view that is none.
    """
    del models
    mask, layers, order = read(view)
    x = material()[1][None, : len(mask)]
    reached = former.masks.reach(mask, LAYERS)  # (LAYERS, n, n)
    influence = [
        former.analysis.influence(lambda x, depth=depth: through(x, mask, depth), x) for depth in range(1, LAYERS + 1)
    ]
    outputs = through(x, mask, layers)[0]
    renamed = through(x[:, order], mask[order][:, order], layers)[0]
    stayed = former.analysis.equivariance_error(lambda x: through(x, mask, layers), x, order)
    return {
        "needs": (LAYERS + 1 - reached.long().sum(0)).tolist(),
        "influence": torch.stack(influence).tolist(),
        "order": order.tolist(),
        "outputs": outputs.tolist(),
        "renamed": renamed.tolist(),
        "moved": float((renamed - outputs[order]).abs().max()),
        "stayed": stayed,
    }


def values(models: Models, view: View) -> dict[str, Tensor]:
    """The tensors of a view: the mask, and what passes under it."""
    del models
    mask, layers, order = read(view)
    x = material()[1][None, : len(mask)]
    reach = former.masks.reach(mask, LAYERS)
    return {
        "mask": mask.double(),
        "reach": reach.double(),
        "order": order[None].double(),
        "y": through(x, mask, layers),
    }


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    del models
    mask, layers, order = read(view)
    edges = mask.triu(1).nonzero().tolist()
    return (
        f"from functools import partial\n\n{IMPORTS}"
        "from viz.tabs.learn.sections import graphs  # its random blocks and vectors\n\n"
        f"edges = {edges!r}\n"
        f"mask = torch.eye({len(mask)})\n"
        "for one, other in edges:\n"
        "    mask[one, other] = mask[other, one] = 1\n"
        f"reach = former.masks.reach(mask.bool(), {LAYERS}).double()  # (layers, n, n)\n\n"
        "blocks, vectors = graphs.material()\n"
        "mask, x = mask.double(), vectors[None, : len(mask)]  # (1, n, e)\n"
        "y = graphs.through(x, mask.bool(), "
        f"{layers})\n"
        f"order = torch.tensor({[order.tolist()]!r}).double()\n"
        "p = order[0].long()\n"
        "renamed = graphs.through(x[:, p], mask.bool()[p][:, p], "
        f"{layers})  # y[:, p], to rounding\n"
        f"f = partial(graphs.through, mask=mask.bool(), layers={layers})\n"
        "influence = former.analysis.influence(f, x)  # (n, n)\n"
        f'figure = figures.attention(influence / influence.max(), list("{NAMES[: len(mask)]}"))\n'
    )


SECTION = Section(
    name="graphs",
    article="Conclusion",
    equation=r"w_{ij} = \frac{m_{ij} \exp\left(q_i \cdot k_j / \sqrt{s}\right)}{\sum_j m_{ij}"
    r" \exp\left(q_i \cdot k_j / \sqrt{s}\right)} \qquad m_{ij} = 1 \text{ where there is an edge, else } 0",
    code=(mask_of, former.masks.reach, former.analysis.influence),
    values=values,
    python=python,
    opening=opening,
    answers={"passed": passed},
)
