"""Section "Sets, images, graphs" on the server: the effect of an edge, and of renaming units."""

import pytest
import torch

from viz.tabs.learn.sections import graphs
from viz.text import Refusal

VIEW = {"graph": graphs.GRAPH, "layers": 2, "renamed": 5}


def distances(graph: str) -> list[list[float]]:
    """Returns the edges on the shortest path between two units, by Floyd and Warshall."""
    count, listed = graph.split(":")
    n = int(count)
    steps = [[0 if i == j else float("inf") for j in range(n)] for i in range(n)]
    for edge in filter(None, listed.split(",")):
        i, j = map(int, edge.split("-"))
        steps[i][j] = steps[j][i] = 1
    for via in range(n):
        for i in range(n):
            for j in range(n):
                steps[i][j] = min(steps[i][j], steps[i][via] + steps[via][j])
    return steps


@pytest.mark.parametrize("graph", [graphs.GRAPH, "5:0-1,1-2,2-3,3-4", "6:0-1,2-3", "3:"])
def test_a_unit_is_reached_after_as_many_layers_as_there_are_edges_between(graph):
    needs = graphs.SECTION.questions["passed"].answer({}, VIEW | {"graph": graph})["needs"]
    for row, steps in zip(needs, distances(graph), strict=True):
        assert row == [min(max(step, 1), graphs.LAYERS + 1) for step in steps]


@pytest.mark.parametrize("graph", [graphs.GRAPH, "5:0-1,1-2,2-3,3-4", "6:0-1,2-3"])
def test_an_output_moves_with_just_the_inputs_that_reach_it(graph):
    result = graphs.SECTION.questions["passed"].answer({}, VIEW | {"graph": graph})
    needs = torch.tensor(result["needs"])
    for layer, influence in enumerate(result["influence"], 1):
        assert torch.equal(torch.tensor(influence) > 0, needs <= layer)


def test_blocks_and_vectors_are_the_same_in_every_process():
    first, x = graphs.material()
    graphs.material.cache_clear()
    torch.manual_seed(3)  # the global generator begins anywhere
    second, y = graphs.material()
    assert torch.equal(x, y)
    for one, other in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(one, other)


def test_outputs_move_with_renamed_units_only_if_their_edges_do():
    result = graphs.SECTION.questions["passed"].answer({}, VIEW)
    assert result["order"] != sorted(result["order"])
    outputs, renamed = torch.tensor(result["outputs"]), torch.tensor(result["renamed"])
    torch.testing.assert_close(renamed, outputs[result["order"]])
    assert result["moved"] < 1e-12
    assert result["stayed"] > 1e-3


def test_in_a_set_there_are_no_edges_to_rename():
    everyone = "5:" + ",".join(f"{i}-{j}" for i in range(5) for j in range(i + 1, 5))
    result = graphs.SECTION.questions["passed"].answer({}, VIEW | {"graph": everyone})
    assert max(result["moved"], result["stayed"]) < 1e-12


def test_units_as_they_are_keep_their_places():
    result = graphs.SECTION.questions["passed"].answer({}, VIEW | {"renamed": 0})
    assert result["order"] == list(range(8))
    assert result["outputs"] == result["renamed"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"graph": "1:"},
        {"graph": "17:"},
        {"graph": "4:0-4"},
        {"graph": "4:1-0"},
        {"graph": "4:1-1"},
        {"graph": "4:0-1,"},
        {"graph": "4"},
        {"graph": "4:" + "0-1," * 300 + "0-1"},
        {"layers": 0},
        {"layers": 5},
        {"renamed": 1000},
        {"renamed": -1},
    ],
)
def test_a_graph_or_a_number_out_of_its_limits_is_refused(wrong):
    with pytest.raises(Refusal):
        graphs.SECTION.questions["passed"].answer({}, VIEW | wrong)
