"""Small corpora and recipes with which a whole training takes seconds."""

import json

import pytest

from former.training.recipes import RECIPES

TINY = [
    "compile=false",
    "steps=24",
    "batch=8",
    "warmup=4",
    "validate_every=8",
    "save_every=4",
    "snapshots=[]",
    "model.emb=16",
    "model.heads=2",
    "model.seq_length=32",
]


@pytest.fixture
def recipe():
    """Returns a tiny text recipe in fp32; `recipe(name, setting, ...)` changes it."""

    def make(name="tiny-generator", *settings):
        return RECIPES[name].with_settings([*TINY, "precision=fp32", *settings])

    return make


@pytest.fixture
def text_file(tmp_path):
    """Writes some 20 kB of made-up text."""
    path = tmp_path / "text.txt"
    path.write_text("".join(f"Line {i}: {i * i} is the square of {i}.\n" for i in range(600)))
    return path


@pytest.fixture
def reviews_file(tmp_path):
    """Writes made-up reviews of different lengths: 48 for training, 16 for each other split."""
    path = tmp_path / "reviews.jsonl"
    rows = [
        {"split": split, "label": i % 2, "text": ("bad dull film", "good warm film")[i % 2] + " the" * (i % 7) + "!"}
        for split, count in (("train", 48), ("val", 16), ("test", 16))
        for i in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
