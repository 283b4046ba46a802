"""The chart of what the shipped models are worth for their time: every dot is a card's own two numbers."""

import json

import pytest

from former.checkpoints import CHECKPOINTS
from viz.figures import cards


def dots():
    trace = next(trace for trace in cards.chart(cards.read(CHECKPOINTS)).data if trace.name == "models")
    names = [name.partition(" (")[0] for name in trace.text]
    return {name: (x, y) for name, x, y in zip(names, trace.x, trace.y, strict=True)}


def test_every_model_that_is_measured_in_bits_and_reads_no_answer_has_a_dot():
    shown = dots()
    for path in CHECKPOINTS.rglob("card.json"):
        card, name = json.loads(path.read_text()), path.parent.relative_to(CHECKPOINTS).as_posix()
        measured = [
            each["bits_per_byte"]
            for each in card.get("quality", ())
            if each.get("split") == "val" and "bits_per_byte" in each
        ]
        if "/step-" in name or name == "tiny-unmasked" or not measured:
            assert name not in shown
        else:
            assert shown[name] == (card.get("processor_seconds") or card["seconds"], measured[0])
    assert {"gpt", "xl", "tiny-gru", "family/tiny-generator"} <= set(shown)


def test_the_command_writes_a_page_and_refuses_a_folder_without_models(tmp_path, capsys):
    cards.main([str(tmp_path / "chart.html"), "--models", str(CHECKPOINTS)])
    assert "bits per byte" in (tmp_path / "chart.html").read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        cards.main([str(tmp_path / "chart.html"), "--models", str(tmp_path)])
    assert "there are none" in capsys.readouterr().err
