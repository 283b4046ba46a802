"""The chart of the shipped models: every dot has the two numbers of a card."""

import json
import re
from typing import Any

import numpy as np
import pytest

from former.checkpoints import CHECKPOINTS
from viz.figures import cards


def models_of(figure: Any) -> Any:
    return next(trace for trace in figure.data if trace.name == "models")


def dots():
    trace = models_of(cards.chart(cards.read(CHECKPOINTS)))
    names = [name.partition(" (")[0] for name in trace.text]
    return {name: (x, y) for name, x, y in zip(names, trace.x, trace.y, strict=True)}


def test_every_model_that_is_measured_in_bits_and_reads_no_answer_has_a_dot():
    actual = dots()
    for path in CHECKPOINTS.rglob("card.json"):
        card, name = json.loads(path.read_text()), path.parent.relative_to(CHECKPOINTS).as_posix()
        measured = [
            each["bits_per_byte"]
            for each in card.get("quality", ())
            if each.get("split") == "val" and "bits_per_byte" in each
        ]
        if "/step-" in name or name == "tiny-unmasked" or not measured:
            assert name not in actual
        else:
            assert actual[name] == (card.get("processor_seconds") or card["seconds"], measured[0])
    assert {"gpt", "xl", "tiny-gru", "family/tiny-generator"} <= set(actual)


def test_the_picture_of_the_chart_is_of_the_cards_as_they_are():
    svg = (CHECKPOINTS.parent / "assets" / "bits-by-seconds.svg").read_text(encoding="utf-8")
    points = re.findall(r'class="point" transform="translate\(([\d.]+),([\d.]+)\)"', svg)
    models = models_of(cards.chart(cards.read(CHECKPOINTS)))
    for numbers, pixels in zip((np.log10(models.x), models.y), np.array(points, float).T, strict=True):
        line = np.polyval(np.polyfit(numbers, pixels, 1), numbers)
        assert np.abs(line - pixels).max() < 0.05  # coordinates in the file have two decimals


CARDS = [
    {"name": "a", "mask": "causal", "seconds": 90, "machine": {"cpu": "x"}, "quality": [
        {"split": "val", "bits_per_byte": 2.5}, {"split": "test", "bits_per_byte": 2.6}]},
    {"name": "b", "config": {"mask": "causal"}, "seconds": 7, "processor_seconds": 3, "machine": {"gpu": "H200"},
     "quality": [{"split": "val", "bits_per_byte": 2.1}]},
    {"name": "c", "seconds": 70, "processor_seconds": 40, "quality": [{"split": "val", "bits_per_byte": 2.4}]},
    {"name": "older", "mask": "none", "seconds": 7, "quality": [{"split": "val", "bits_per_byte": 0.1}]},
    {"name": "unmasked", "config": {"mask": "none"}, "seconds": 7, "quality": [{"split": "val", "bits_per_byte": 0.1}]},
    {"name": "judge", "mask": "none", "seconds": 7, "quality": [{"split": "val", "accuracy": 0.9}]},
    {"name": "unmeasured", "seconds": 7},
]  # fmt: skip


def test_the_models_of_a_folder_stand_where_their_cards_say(tmp_path):
    for card in CARDS:
        (tmp_path / card["name"]).mkdir()
        (tmp_path / card["name"] / "card.json").write_text(json.dumps(card))
    models = models_of(cards.chart(cards.read(tmp_path)))
    values = list(zip(models.x, models.y, models.text, strict=True))
    assert values == [(90, 2.5, "a (clock)"), (7, 2.1, "b (H200)"), (40, 2.4, "c")]
    assert list(models_of(cards.chart(CARDS, "test")).y) == [2.6]
    out = tmp_path / "chart.html"
    cards.main([str(out), "--models", str(tmp_path)])
    assert "b (H200)" in out.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="must hold models"):
        cards.read(tmp_path / "a")
    with pytest.raises(ValueError, match="none of them does"):
        cards.chart(CARDS, "train")
