"""A run on disk: each file is complete or absent."""

import json

import pytest
import torch

from former.training import optim, state
from former.training.init_weights import make_model


def test_a_state_comes_back_exactly(recipe, tmp_path):
    runs = []
    for seed in (1, 2):
        model = make_model(recipe("tiny-generator", f"seed={seed}"))
        optimisers = optim.make_optimisers(model, recipe())
        for parameter in model.parameters():
            parameter.grad = torch.randn_like(parameter)
        for optimiser in optimisers.values():
            optimiser.step()
        runs.append((model, optimisers))
    (model, optimisers), (other, others) = runs
    state.save_state(tmp_path / "state.safetensors", model, optimisers, {"step": 7})
    assert state.load_state(tmp_path / "state.safetensors", other, others) == {"step": 7}
    for name, weight in model.state_dict().items():
        assert torch.equal(other.state_dict()[name], weight)
    for kind, optimiser in optimisers.items():
        held, expected = (o.state_dict()["state"] for o in (others[kind], optimiser))
        assert held.keys() == expected.keys()
        for index, values in expected.items():
            assert held[index].keys() == values.keys()
            assert all(torch.equal(held[index][key], values[key]) for key in values)


@pytest.mark.parametrize("moment", ["save_file", "os.replace"])
def test_a_write_that_is_cut_short_leaves_the_old_file(moment, tmp_path, monkeypatch):
    path = tmp_path / "state.safetensors"
    state.write_tensors(path, {"x": torch.ones(3)}, {"step": 1})

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"former.training.state.{moment}", fail)
    with pytest.raises(KeyboardInterrupt):
        state.write_tensors(path, {"x": torch.zeros(3)}, {"step": 2})
    tensors, header = state.read_tensors(path)
    assert header == {"step": 1}
    assert torch.equal(tensors["x"], torch.ones(3))


def test_what_kills_leave_beside_a_file_does_not_add_up_and_is_no_snapshot(tmp_path, monkeypatch):
    path = tmp_path / "step-000001.safetensors"

    def killed(*_):
        raise KeyboardInterrupt

    for _ in range(2):
        with monkeypatch.context() as patch:
            patch.setattr("os.replace", killed)
            for write in (
                lambda: state.write_tensors(path, {"x": torch.ones(3)}, {}),
                lambda: state.write_json(path, {}),
            ):
                with pytest.raises(KeyboardInterrupt):
                    write()
    # One name, whichever process was killed.
    assert [left.name for left in tmp_path.iterdir()] == [".step-000001.safetensors.unfinished"]
    assert list(tmp_path.glob("*.safetensors")) == []
    state.write_tensors(path, {"x": torch.ones(3)}, {})
    assert list(tmp_path.iterdir()) == [path]


def test_a_log_drops_what_the_state_does_not_know_and_a_torn_line(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps({"step": step}) + "\n" for step in (10, 20, 30)) + '{"step": 4')
    state.Log(path, 20).write(step=25)
    assert [json.loads(line)["step"] for line in path.read_text().splitlines()] == [10, 20, 25]


def test_a_log_begins_anew_where_no_state_was_saved(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"step": 0}\n{"step": 1}\n')
    state.Log(path, 0)
    assert path.read_text() == ""


def test_nothing_in_training_unpickles():
    from pathlib import Path  # noqa: PLC0415

    for path in Path(state.__file__).parent.rglob("*.py"):
        content = path.read_text()
        assert "torch.load" not in content, path
        assert "import pickle" not in content, path
