"""Section "Sparse": cells and reach are counted again in plain loops; the record is the bench's."""

import json
from typing import Any

import pytest

from tests.bench import sparse as bench
from tests.mask_rules import allowed
from viz.tabs.learn.sections import sparse
from viz.text import Refusal

VIEW = {"kind": "strided", "t": 20, "size": 4}


def patterned(view: dict[str, Any]) -> dict[str, Any]:
    return sparse.SECTION.questions["patterned"].answer({}, view)


def steps(kind: str, t: int, size: int) -> list[list[int]]:
    """Returns after how many layers an output can depend on an input, following the pattern's cells layer by layer."""
    needs = [[0] * t for _ in range(t)]
    for output in range(t):
        seen, layer = {output}, 0
        while layer < sparse.LAYERS:
            layer += 1
            seen |= {key for query in seen for key in range(t) if allowed(kind, query, key, size)}
            for key in seen:
                needs[output][key] = needs[output][key] or layer
        needs[output] = [need or sparse.LAYERS + 1 for need in needs[output]]
    return needs


@pytest.mark.parametrize("kind", sparse.sparse.PATTERNS)
def test_what_is_reached_after_each_layer_follows_the_cells_of_the_pattern(kind):
    result = patterned(VIEW | {"kind": kind})
    needs = steps(kind, 20, 4)
    assert result["needs"] == needs
    assert result["cells"] == sum(allowed(kind, i, j, 4) for i in range(20) for j in range(20))
    assert result["causal"] == 210
    for layer, share in enumerate(result["reached"], 1):
        assert share == pytest.approx(sum(need <= layer for row in needs for need in row) / 210)
    assert result["error"] < 1e-5


def test_with_a_stride_of_the_square_root_two_layers_join_all_and_near_keys_alone_do_not():
    assert patterned(VIEW | {"t": 36, "size": 6})["reached"][1] == 1
    assert patterned(VIEW | {"t": 36, "size": 6, "kind": "fixed"})["reached"][1] == 1
    assert patterned(VIEW | {"t": 36, "size": 6, "kind": "local"})["reached"][1] < 1


def test_time_and_memory_are_those_of_the_bench_with_machine_and_date():
    record = json.loads(sparse.MEASURED.read_text(encoding="utf-8"))
    written = bench.record((64, 128), rounds=1)
    assert record.keys() == written.keys()
    assert record["command"] == written["command"]
    assert record["machine"].keys() == written["machine"].keys()
    assert record["lengths"][-1] == sparse.LONG == bench.LENGTHS[-1]
    assert record["ways"].keys() == written["ways"].keys()
    for name in sparse.CHARTED:
        assert None not in record["ways"][name]["milliseconds"]
    strided, dense = (record["ways"][name] for name in ("strided", "fused, causal"))
    assert dense["milliseconds"][-1] > 2 * strided["milliseconds"][-1]  # of many, room for any machine


@pytest.mark.parametrize("wrong", [{"t": 1}, {"t": 65}, {"size": 0}, {"size": 33}, {"kind": "none"}])
def test_a_pattern_out_of_its_limits_is_refused(wrong):
    with pytest.raises(Refusal):
        patterned(VIEW | wrong)
