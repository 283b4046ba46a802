"""Section "Sets, images, graphs": a graph of units becomes the mask of a stack of blocks.

Nothing is trained: vectors and weights are random, with a fixed seed. Sizes: n units, e numbers of a unit's vector.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor, nn

import former
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.passes.loaded import Models
from viz.server.view import View, read_index, read_string, read_whole
from viz.tabs.learn.section import Section
from viz.text import Refusal

GRAPH = "8:0-1,0-2,1-2,2-3,3-4,4-5,4-6,5-6,6-7"  # number of units, and its edges
MOST_UNITS = 16  # units
MOST_CHARACTERS = 800  # characters of a graph
LAYERS = 4
EMB, HEADS = 8, 2
NAMES = "ABCDEFGHIJKLMNOP"
RENAMINGS = 1000  # different ones; 0 leaves the names as they are


@cache
def material() -> tuple[nn.ModuleList, Tensor]:
    """Returns LAYERS random blocks, and a random vector for each of MOST_UNITS units, (MOST_UNITS, e), in float64."""
    generator = torch.Generator().manual_seed(7)
    blocks = nn.ModuleList(former.TransformerBlock(EMB, HEADS, norm="pre") for _ in range(LAYERS)).double()
    for name, weight in blocks.named_parameters():
        if weight.dim() == 2:
            noise = torch.randn(weight.shape, generator=generator, dtype=torch.float64)
            weight.data = noise * 1.5 / weight.shape[1] ** 0.5
        elif name.endswith("bias"):
            weight.data.zero_()  # as initialised, they would differ from process to process
    x = torch.randn(MOST_UNITS, EMB, generator=generator, dtype=torch.float64)
    return blocks.requires_grad_(requires_grad=False), x


def mask_of(count: int, edges: list[tuple[int, int]]) -> Tensor:
    """Returns the mask of a graph of `count` units, bool (n, n): each unit attends to itself and its neighbours."""
    mask = torch.eye(count, dtype=torch.bool)
    for one, other in edges:
        mask[one, other] = mask[other, one] = True
    return mask


def run_blocks(x: Tensor, mask: Tensor, layers: int) -> Tensor:
    """Runs x (b, n, e) through the first `layers` of the section's random blocks, with a mask (n, n); returns
    (b, n, e)."""
    for block in material()[0][:layers]:
        x = block(x, mask)
    return x


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view and the limits of its inputs."""
    del models  # of which it needs none
    return {
        "graph": GRAPH,
        "most": MOST_UNITS,
        "longest": MOST_CHARACTERS,
        "layers": LAYERS,
        "names": NAMES,
        "renamings": RENAMINGS,
    }


def pass_graph(count: int, edges: list[tuple[int, int]], layers: int = 1, order: list[int] | None = None) -> Numbers:
    """Runs random vectors through random blocks with a graph's mask, and measures which outputs depend on which inputs.

    Args:
        count: n, of units.
        edges: pairs of units.
        layers: number of blocks to run.
        order: of the renamed units; None for no renaming.
    Returns:
        "mask" (n, n); "needs" (n, n): after how many layers output i can depend on input j, LAYERS + 1 where more are
        needed; "influence" (LAYERS, n, n): the measured change of output i by input j after 1, 2, … layers, and
        "shares" (n, n), this change after `layers` layers divided by the largest; "order" of the renamed units;
        "outputs" and "renamed", (n, e), before and after renaming; the largest difference between "renamed" and the
        outputs in the new order, if the edges are renamed too ("moved") and if they are not ("stayed"); "names" of the
        units.
    """
    mask, order = mask_of(count, edges), order or list(range(count))
    x = material()[1][None, :count]
    reach = former.masks.reach(mask, LAYERS)  # (LAYERS, n, n)
    influence = torch.stack(
        [former.analysis.influence(partial(run_blocks, mask=mask, layers=depth + 1), x) for depth in range(LAYERS)]
    )
    outputs = run_blocks(x, mask, layers)[0]
    renamed = run_blocks(x[:, order], mask[order][:, order], layers)[0]
    return {
        "mask": mask,
        "reach": reach,
        "needs": LAYERS + 1 - reach.long().sum(0),
        "influence": influence,
        "shares": influence[layers - 1] / influence[layers - 1].max(),
        "seen": reach[layers - 1],
        "order": order,
        "outputs": outputs,
        "renamed": renamed,
        "moved": float((renamed - outputs[order]).abs().max()),
        "stayed": former.analysis.equivariance_error(partial(run_blocks, mask=mask, layers=layers), x, order),
        "names": list(NAMES[:count]),
    }


def read_graph(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `pass_graph`.

    Raises:
        Refusal: an invalid graph, or a number out of range.
    """
    graph = read_string(view, "graph")
    if len(graph) > MOST_CHARACTERS or not re.fullmatch(r"\d{1,2}:(\d+-\d+(,\d+-\d+)*)?", graph):
        raise Refusal("bad_request")
    count, *ends = map(int, re.findall(r"\d+", graph))
    edges = sorted(set(zip(ends[::2], ends[1::2], strict=True)))
    if not 2 <= count <= MOST_UNITS or not all(one < other < count for one, other in edges):
        raise Refusal("bad_request")
    layers, renamed = read_whole(view, "layers", 1, LAYERS), read_index(view, "renamed", RENAMINGS)
    order = torch.randperm(count, generator=torch.Generator().manual_seed(renamed)) if renamed else torch.arange(count)
    return {"count": count, "edges": edges, "layers": layers, "order": order.tolist()}


MAP = Draw(figures.attention, Field("shares"), Field("names"), mask=Field("seen"))

SECTION = Section(
    name="graphs",
    article="Conclusion",
    equation=r"w_{ij} = \frac{m_{ij} \exp\left(q_i \cdot k_j / \sqrt{s}\right)}{\sum_j m_{ij}"
    r" \exp\left(q_i \cdot k_j / \sqrt{s}\right)} \qquad m_{ij} = 1 \text{ where there is an edge, else } 0",
    code=(mask_of, former.masks.reach, former.analysis.influence),
    questions={
        "passed": Question(
            pass_graph, read_graph, MAP, prints=("moved", "stayed"), unsent=("mask", "reach", "shares", "names", "seen")
        ),
    },
    props=props,
)
