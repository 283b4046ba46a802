"""Loss by position: each figure is that of the model's prediction at that position, and learned positions end."""

import json
import math
from dataclasses import replace

import pytest
import torch

import former
from former.training.__main__ import main
from former.training.measure import by_position


def generator(positions: str) -> former.Generator:
    torch.manual_seed(0)
    config = former.ModelConfig(emb=16, heads=2, depth=1, seq_length=8, num_tokens=256, positions=positions)
    return former.Generator(replace(config)).eval()


TEXT = torch.randint(256, (100,), generator=torch.Generator().manual_seed(1)).to(torch.uint8)


@pytest.mark.parametrize(("positions", "t"), [("learned", 8), ("sinusoidal", 20), ("none", 20)])
def test_the_bits_at_a_place_are_those_of_the_byte_after_it_in_each_window(positions, t):
    model = generator(positions)
    result = by_position.bits_by_position(model, TEXT, 10, 90, length=20, windows=3, batch=2)
    expected = torch.zeros(t)
    for start in (10, 39, 69):  # the first, the middle and the last that fit
        for i in range(t):
            with torch.no_grad():
                logits = model(TEXT[None, start : start + i + 1].long())[0, -1]
            expected[i] -= logits.log_softmax(-1)[int(TEXT[start + i + 1])] / math.log(2) / 3
    assert result.tolist() == pytest.approx(expected.tolist(), abs=1e-4)


def test_a_part_shorter_than_a_window_is_refused():
    with pytest.raises(ValueError, match="more than 20 bytes, got 10 and 30"):
        by_position.bits_by_position(generator("none"), TEXT, 10, 30, length=20, windows=1)


def test_the_command_prints_a_table_and_writes_a_record(tmp_path, capsys):
    text, file = tmp_path / "text.txt", tmp_path / "record.json"
    text.write_text("A line of text, and another. " * 2000)
    sizes = ["--length", "300", "--windows", "2", "--width", "100"]
    names = ["tiny-generator", "tiny-sinusoidal"]
    assert main(["positions", *names, "--data", str(text), "--unchecked", *sizes, "--file", str(file)]) == 0
    message = capsys.readouterr().out
    assert all(name in message for name in names)
    record = json.loads(file.read_text())
    assert [(model["name"], model["trained"], len(model["bits"])) for model in record["models"]] == [
        ("tiny-generator", 256, 2),
        ("tiny-sinusoidal", 256, 3),
    ]
    for name in ("classifier", "gpt"):
        assert main(["positions", name, "--data", str(text), "--unchecked"]) == 2
        assert f"NAME must be a generator of bytes, got '{name}'" in capsys.readouterr().err
    assert main(["positions", names[0], "--width", "0", "--data", str(text), "--unchecked"]) == 2
