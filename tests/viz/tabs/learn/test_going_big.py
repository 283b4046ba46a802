"""Section "Going big": the bytes equal those of real tensors, and the measurements are the bench's."""

import json

import pytest
import torch

from former.training.measure import memory
from former.training.recipes import RECIPES
from viz.tabs.learn.sections import going_big
from viz.text import Refusal

VIEW = {"t": 50, "batch": 3, "heads": 2, "layers": 5, "bits": "32"}


@pytest.mark.parametrize(("bits", "dtype"), [("32", torch.float32), ("16", torch.float16)])
def test_a_layers_table_takes_what_such_a_tensor_takes(bits, dtype):
    counted = going_big.SECTION.questions["counted"].answer({}, VIEW | {"bits": bits})
    assert counted["table"] == torch.zeros(3, 2, 50, 50, dtype=dtype).nbytes
    assert counted["longer"] == 100 * counted["table"]


def test_the_articles_example_is_64_megabytes_and_has_room_for_46_layers():
    table = going_big.SECTION.questions["counted"].answer({}, going_big.ARTICLE)["table"]
    assert table == 64e6
    assert int(12e9 // (going_big.HELD * table)) == 46


def test_the_largest_sizes_are_counted_without_being_made():
    largest = going_big.SECTION.questions["counted"].answer({}, {**going_big.LIMITS, "bits": "32"})
    assert largest["table"] == 4 * 1024 * 64 * 100_000**2


def test_the_equation_keeps_the_tables_and_the_kernel_does_not():
    result = going_big.SECTION.questions["counted"].answer({}, VIEW | {"t": 300, "heads": 4})["kept"]
    tables = 4 * 300 * 300 * 4  # the weights of four heads, in bytes
    inputs = 3 * 4 * 300 * 64 * 4  # q, k and v
    assert result["equation"] >= inputs + tables
    assert result["kernel"] < 2 * inputs < result["equation"]


@pytest.mark.parametrize("wrong", [{"t": 0}, {"t": 100_001}, {"batch": "2"}, {"bits": "8"}, {"heads": True}])
def test_sizes_out_of_their_limits_are_refused(wrong):
    with pytest.raises(Refusal):
        going_big.SECTION.questions["counted"].answer({}, VIEW | wrong)


def test_what_was_measured_is_every_row_of_the_command_with_machine_and_date():
    record = json.loads(going_big.MEASURED.read_text(encoding="utf-8"))
    rows = [(row["precision"], row["accumulate"], row["checkpointing"]) for row in record["peaks"]]
    assert rows == memory.ROWS
    written = json.loads(memory.to_json(RECIPES["generator"], dict.fromkeys(memory.ROWS, 1.0)))
    assert record["model"] == written["model"]
    assert record["command"] == written["command"]
    assert record["machine"].keys() == written["machine"].keys()
    assert len(record["date"].split("-")) == 3
    peaks = [row["megabytes"] for row in record["peaks"]]
    assert max(peaks) == peaks[0] > 2 * peaks[-1] > 0
