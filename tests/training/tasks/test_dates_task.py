"""The task of dates: its batches, and its measures of quality."""

import datetime
import math
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import torch

import former
from former.tokens.words import PAD_ID
from former.training.__main__ import main
from former.training.loop import make_model
from former.training.measure.evaluate import Measure
from former.training.recipes import RECIPES
from former.training.tasks import dates, dates_task
from former.training.tasks.dates import all_forms, date_split, write
from former.training.tasks.dates_reader import read
from former.training.tasks.dates_task import POOL, TOKENIZER, DatesTask, answer_all, measure_quality
from tests.ranked import clear_largest

SETTINGS = ("dates-begun", "model.seq_length=64", "model.depth=1")


@pytest.fixture
def task(recipe):
    return DatesTask.open(recipe(*SETTINGS), Path(), unchecked=False)


def texts(rows):
    return [TOKENIZER.decode(row) for row in rows.tolist()]


def test_half_of_a_pools_batches_are_read_and_half_are_written(task):
    kinds = []
    for step in range(POOL):
        sources, targets = task.batch(step)
        first = {TOKENIZER.labels([i])[0] for i in sources[:, 0].tolist()}
        assert len(first) == 1
        kinds += first
        for source, target in zip(texts(sources), texts(targets), strict=True):
            plain = datetime.date.fromisoformat(target if first == {"<read>"} else source)
            assert date_split(plain) == "train"
            if first == {"<write>"}:
                assert read(target) == plain
    assert sorted(kinds) == ["<read>"] * (POOL // 2) + ["<write>"] * (POOL // 2)


def test_targets_begin_and_end_and_are_padded_behind(task):
    _, targets = task.batch(3)
    for row in targets.tolist():
        end = row.index(TOKENIZER.end)
        assert row[0] == TOKENIZER.begin
        assert set(row[end + 1 :]) <= {PAD_ID}


def test_a_batch_depends_on_seed_and_step_alone(task, recipe):
    same_seed, other = (DatesTask(recipe(*SETTINGS, f"seed={seed}")) for seed in (1, 2))
    for step in (9, 0, 17):
        assert all(torch.equal(a, b) for a, b in zip(task.batch(step), same_seed.batch(step), strict=True))
    sources = [set(texts(each.batch(step)[0])) for each, step in ((task, 0), (task, POOL), (other, 0))]
    assert sources[0] != sources[1] != sources[2] != sources[0]


def test_every_text_can_be_written_with_the_vocabulary_and_fits_the_model():
    longest = 0
    for form in all_forms():
        for date in (datetime.date(2026, 9, 23), datetime.date(2000, 5, 27)):
            text = write(date, form)
            assert TOKENIZER.decode(TOKENIZER.encode(text)) == text
            longest = max(longest, len(TOKENIZER.encode_target(text)) + 1)  # a typo may double a letter
    assert longest <= RECIPES["dates"].model.seq_length


def test_the_loss_is_the_mean_over_characters_that_are_no_padding(task):
    model = make_model(task.recipe).eval()
    sources, targets = task.batch(0)
    with torch.no_grad():
        logits = model(sources, targets[:, :-1]).log_softmax(-1)
        nats = [
            -logits[row, position, token]
            for row, tokens in enumerate(targets[:, 1:].tolist())
            for position, token in enumerate(tokens)
            if token != PAD_ID
        ]
        torch.testing.assert_close(task.loss(model, sources, targets), torch.stack(nats).mean())
    assert float(torch.stack(nats).mean()) == pytest.approx(math.log(TOKENIZER.num_tokens), abs=1e-4)  # all alike


def test_answers_stand_in_the_order_of_their_texts(task):
    torch.manual_seed(0)
    model = former.EncoderDecoder(task.recipe.model).eval()
    requests = ["3 May 2026", "2026-11-21", "the 21st of November, 2026", "1/1/00"]
    alone = [former.translate(former.Bundle(model, TOKENIZER, model.config), text) for text in requests]
    for text, answer in zip(requests, alone, strict=True):
        logits = model(torch.tensor([TOKENIZER.encode(text)]), torch.tensor([TOKENIZER.encode_target(answer)[:-1]]))
        for row in logits[0]:
            clear_largest(row, 1e-5)  # else a row of a batch may be rounded to another character
    assert answer_all(model, requests) == alone


def test_the_figures_count_what_is_right(monkeypatch):
    form = next(form for form in all_forms() if form.month == "September")
    requests = []

    def answer(_, given, temperature=0.0, top_p=None):
        requests.append((list(given), temperature, top_p))
        values = []
        for i, text in enumerate(given):
            if temperature:  # of a date the third sample of 20 is no date
                values.append(write(datetime.date.fromisoformat(text), form) if i // 10 != 2 or top_p else "soon")
            else:
                values.append(solutions[text] if i % 4 else "2026-01-01")
        return values

    solutions = {
        source: target
        for forms in ("train", "val")
        for source, target in dates.examples("read", 0, 0, 200, "val", forms)
    }
    monkeypatch.setattr(dates_task, "answer_all", answer)
    figures = measure_quality(cast(Any, None), "val", texts=200)
    assert figures["read_new_dates"] == figures["read_new_forms"] == 0.75
    assert figures["written_right"] == 0.95
    assert figures["nucleus_right"] == 1.0
    assert figures["fewest_forms"] == figures["nucleus_forms"] == 1
    assert figures["texts"] == 200
    assert [rules for _, *rules in requests] == [[1.0, None], [1.0, 0.95], [0.0, None], [0.0, None]]
    written, repeated, read_seen, read_new = (given for given, *_ in requests)
    assert written == repeated
    assert len(set(written)) == 10
    assert all(date_split(datetime.date.fromisoformat(text)) == "val" for text in written)
    assert not set(read_seen) & set(read_new)


def test_a_measure_that_dates_do_not_have_is_refused(task):
    model = make_model(task.recipe)
    bundle = former.Bundle(model, TOKENIZER, model.config)
    val = Measure(split="val")
    for measure in (replace(val, stride=4), replace(val, most=100), replace(val, precision="int8")):
        with pytest.raises(ValueError, match="dates do not support --stride"):
            DatesTask.evaluate(bundle, task.recipe, Path(), measure)


def test_a_run_is_trained_exported_and_evaluated_by_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(dates_task, "TEXTS", 40)
    monkeypatch.setattr(dates_task, "QUICK_TEXTS", 40)
    small = [
        "weights=",
        "steps=3",
        "batch=8",
        "warmup=1",
        "compile=false",
        "model.emb=16",
        "model.heads=2",
        "model.depth=1",
    ]
    run, to = str(tmp_path / "run"), str(tmp_path / "dates")
    assert main(["train", "dates", "--out", run, "--set", *small]) == 0
    assert main(["export", "dates", "--out", run, "--to", to]) == 0
    capsys.readouterr()
    assert main(["evaluate", to, "--record"]) == 0
    assert '"written_right": 0.0' in capsys.readouterr().out
    assert main(["heads", to]) == 0
    assert capsys.readouterr().out.split()[:3] == ["layer", "head", "year"]
    card = former.load(to).card
    assert card["data"]["file"] == "dates.py"
    assert card["command"].startswith("python -m former.training train dates --set")
    assert card["quality"][0]["command"] == f"python -m former.training evaluate {to} --split val"


def test_a_file_is_refused(tmp_path, capsys):
    path = tmp_path / "dates.txt"
    path.write_text("3 May 2026")
    assert main(["train", "dates", "--data", str(path), "--out", str(tmp_path / "run")]) == 2
    assert "--data does not apply to dates" in capsys.readouterr().err
