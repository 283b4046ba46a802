"""Evaluation: every byte counts once, and models with known answers get the known figures."""

import hashlib
import json
import math
import shlex

import pytest
import torch

import former
from former import checkpoints, cpu
from former.checkpoints.files import write_card
from former.training.__main__ import main, parse
from former.training.commands import recipe_of_command
from former.training.export import data_facts, export, make_bundle, train_command
from former.training.measure import evaluate
from former.training.measure.curve import snapshots
from former.training.recipes import RECIPES
from former.training.tasks import TASKS


def text_of(length):
    return torch.randint(256, (length,), generator=torch.Generator().manual_seed(0)).to(torch.uint8)


@pytest.mark.parametrize("stride", [1, 3, 16])
@pytest.mark.parametrize("part", [(0, 100), (0, 5), (30, 100), (50, 51)])
def test_every_byte_is_predicted_once_from_the_bytes_before_it(stride, part):
    """A model that gives the next byte of a known text the probability p(position) must have that position's cost."""
    text = torch.arange(100).to(torch.uint8)  # a byte determines its own position

    def model(tokens, **_):
        logits = torch.zeros(*tokens.shape, 256)
        following = (tokens + 1).clamp(max=255)[..., None]
        return logits.scatter(-1, following, (tokens[..., None] % 7).float())

    begin, end = part
    got = evaluate.bits_per_byte(model, text, begin, end, context=16, stride=stride, batch=4)
    nats = [math.log(255 + math.exp((i - 1) % 7)) - (i - 1) % 7 for i in range(max(begin, 1), end)]
    expected = (sum(nats) / math.log(2) + (8 if begin == 0 else 0)) / (end - begin)
    assert got == pytest.approx(expected, abs=1e-6)


def test_every_prediction_has_at_least_context_less_stride_bytes_before_it():
    observed = {}
    for inputs, targets in evaluate._strided(torch.arange(200).to(torch.uint8), 100, 200, 16, 4, 3):
        for row, counted in zip(inputs, targets, strict=True):
            for offset, target in enumerate(counted.tolist()):
                assert target not in observed
                observed[target] = len(row) - len(counted) + offset + 1
    assert sorted(observed) == list(range(100, 200))
    assert set(observed.values()) == {13, 14, 15, 16}


def test_knowing_nothing_costs_8_bits():
    figure = evaluate.bits_per_byte(
        lambda tokens, **_: torch.zeros(*tokens.shape, 256), text_of(300), 0, 300, context=32, stride=16
    )
    assert figure == pytest.approx(8.0, abs=1e-6)


def test_without_the_mask_a_model_may_read_the_answer():
    def reads_ahead(tokens):
        following = tokens.roll(-1, 1)[..., None]
        return torch.zeros(*tokens.shape, 256).scatter(-1, following, 50.0)

    figure = evaluate.bits_per_byte(reads_ahead, text_of(400), 100, 400, context=100, stride=100)
    assert figure < 0.01 * 75  # except the last byte of each window, which is no input
    assert figure > 0.1


@pytest.mark.parametrize(("part", "stride"), [((0, 0), 4), ((10, 101), 4), ((0, 50), 0), ((0, 50), 17)])
def test_a_part_or_stride_out_of_range_is_refused(part, stride):
    with pytest.raises(ValueError, match="must"):
        evaluate.bits_per_byte(lambda tokens, **_: tokens, text_of(100), *part, context=16, stride=stride)


def test_accuracy_counts_every_review_once():
    reviews = [([1] * length, length % 2) for length in range(1, 50)]

    def longer_than_24(tokens):
        says = (tokens != 0).sum(1) % 2
        wrong = (tokens != 0).sum(1) > 40
        return torch.nn.functional.one_hot(torch.where(wrong, 1 - says, says), 2).float()

    assert evaluate.accuracy(longer_than_24, reviews, limit=64, batch=4) == pytest.approx(40 / 49)


SETTINGS = ["compile=false", "steps=20", "batch=8", "model.emb=16", "model.heads=2", "model.seq_length=32"]


def test_a_run_is_exported_evaluated_and_sampled(text_file, tmp_path, capsys):
    data = ["--data", str(text_file), "--unchecked"]
    run, folder = tmp_path / "run", tmp_path / "tiny"
    settings = ["--set", *SETTINGS, "validate_every=10", "snapshots=[0,10,20]"]
    assert main(["train", "tiny-generator", *data, "--out", str(run), *settings]) == 0
    assert export(run, folder) == [
        folder,
        folder / "step-000000",
        folder / "step-000010",
    ]  # the last: the model
    bundle = former.load(folder)
    assert [each.card["step"] for each in snapshots(str(folder))] == [0, 10, 20]
    exact = make_bundle(run, run / "best.safetensors").model
    for name, weight in exact.state_dict().items():
        assert torch.equal(bundle.model.state_dict()[name], weight.half().float())
    assert bundle.card["command"].startswith("python -m former.training train tiny-generator --data DATA --set ")
    assert former.load(folder / "step-000010").card["step"] == 10
    former.save(bundle, folder / "step-000015")  # of a run before
    assert export(run, folder, replace=True) == [folder, folder / "step-000000", folder / "step-000010"]
    assert not (folder / "step-000015").exists()
    assert 0 <= former.load(folder / "step-000010").card["processor_seconds"] <= bundle.card["processor_seconds"]
    capsys.readouterr()
    assert main(["evaluate", str(folder), *data, "--split", "test", "--record"]) == 0
    printed = capsys.readouterr().out
    recorded = former.load(folder).card["quality"]
    assert len(recorded) == 1
    assert recorded[0]["stride"] == 16
    assert f'"bits_per_byte": {recorded[0]["bits_per_byte"]}' in printed
    assert main(["sample", str(folder), "--prompt", "Line 1", "--length", "20"]) == 0
    assert capsys.readouterr().out.startswith("Line 1|")


@pytest.mark.parametrize(
    "settings",
    [
        [],
        ["compile=False", "model.mask=none", "checkpointing=true"],
        ["snapshots=[]", "model.pad_token=null"],
        ["snapshots=[0, 10]", "precision=fp32", "weights=", "decay=0.25", "model.norm=post", "model.pad_token=3"],
    ],
)
def test_the_command_in_a_card_gives_the_same_recipe(settings):
    for name, plain in RECIPES.items():
        held = plain.model.to_dict()  # each kind of model has settings of its own
        its = [each for each in settings if not each.startswith("model.") or each[6:].partition("=")[0] in held]
        recipe = plain.with_settings(its)
        words = shlex.split(train_command(recipe))
        assert words[:3] == ["python", "-m", "former.training"], name
        assert recipe_of_command(parse(words[3:])) == recipe, name


def test_the_command_of_a_recipe_as_it_stands_has_no_settings():
    assert train_command(RECIPES["generator"]) == "python -m former.training train generator --data DATA"


def test_the_card_of_a_model_of_ones_own_corpus_claims_no_known_one(text_file, tmp_path):
    run, folder = tmp_path / "run", tmp_path / "tiny"
    words = ["train", "tiny-generator", "--data", str(text_file), "--unchecked", "--out", str(run), "--set"]
    assert main([*words, *SETTINGS, "validate_every=20", "snapshots=[]"]) == 0
    export(run, folder)
    card = former.load(folder).card
    assert card["data"] == {
        "corpus": "the user's own file, not a known corpus (--unchecked)",
        "file": "text.txt",
        "sha256": hashlib.sha256(text_file.read_bytes()).hexdigest(),
    }
    assert card["command"].endswith(" --unchecked")
    assert "wiki" not in json.dumps(card["data"])


def test_the_card_of_a_known_corpus_names_it_and_the_file():
    facts = data_facts(RECIPES["classifier"], {"file": "imdb.jsonl.xz", "sha256": "abc", "unchecked": False})
    assert facts["corpus"].startswith("Large Movie Review Dataset")
    assert facts["license"]
    assert (facts["file"], facts["sha256"]) == ("imdb.jsonl.xz", "abc")


def test_an_export_keeps_what_the_card_tells_of_earlier_trainings_if_it_began_with_the_same(text_file, tmp_path):
    first, second, folder = tmp_path / "first", tmp_path / "second", tmp_path / "tiny"
    words = ["train", "tiny-generator", "--data", str(text_file), "--unchecked", "--set", *SETTINGS, "snapshots=[]"]
    assert main([*words, "--out", str(first)]) == 0
    assert main([*words, f"weights={first}", "--out", str(second)]) == 0
    export(second, folder)
    earlier = [{"name": "first", "steps": 20, "seconds": 1, "processor_seconds": 1}]
    write_card(folder, former.load(folder).card | {"earlier": earlier})
    export(second, folder, replace=True)
    assert former.load(folder).card["earlier"] == earlier
    export(first, folder, replace=True)
    assert "earlier" not in former.load(folder).card


def test_exporting_a_run_that_is_not_there_says_so(tmp_path, capsys):
    assert main(["export", "generator", "--out", str(tmp_path), "--to", str(tmp_path / "to")]) == 2
    assert "--out must be the folder of a run" in capsys.readouterr().err


def test_a_part_of_a_split_is_measured_with_the_weights_of_the_int8_twin(text_file, tmp_path, capsys):
    data = ["--data", str(text_file), "--unchecked"]
    run, folder = tmp_path / "run", tmp_path / "tiny"
    settings = [*SETTINGS, "steps=60", "validate_every=60", "snapshots=[]"]
    assert main(["train", "tiny-generator", *data, "--out", str(run), "--set", *settings]) == 0
    export(run, folder)
    capsys.readouterr()
    assert main(["evaluate", str(folder), *data, "--precision", "int8", "--bytes", "300"]) == 0
    figure = json.loads(capsys.readouterr().out)
    assert figure["bytes"] == 300
    assert figure["command"].endswith("--precision int8 --bytes 300")
    content = text_file.read_bytes()
    begin = len(content) * 9 // 10
    text, model = torch.frombuffer(bytearray(content), dtype=torch.uint8), former.load(folder).model
    assert isinstance(model, former.Generator)
    expected, exact = (
        evaluate.bits_per_byte(one, text, begin, begin + 300, context=32, stride=16)
        for one in (cpu.optimise(model, "int8"), model)
    )
    assert figure["bits_per_byte"] == pytest.approx(expected, abs=6e-5)
    assert expected != exact


@pytest.fixture
def own(tmp_path):
    """Saves a user's model in bf16 in a folder."""
    former.save(former.load("tiny-generator"), tmp_path / "own", dtype="bf16")
    return tmp_path / "own"


def held(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_recording_changes_the_quality_in_the_card_and_no_weights(own, text_file):
    before = held(own)
    assert main(["evaluate", str(own), "--data", str(text_file), "--unchecked", "--record"]) == 0
    after = held(own)
    assert after.keys() == before.keys()
    assert [name for name in before if after[name] != before[name]] == ["card.json"]
    old, new = (json.loads(files["card.json"]) for files in (before, after))
    assert {key for key in old if old[key] != new[key]} == {"quality"}
    assert sorted(figure["split"] for figure in new["quality"]) == ["test", "val"]


def test_a_figure_is_recorded_where_the_model_was_loaded_from(own, tmp_path, text_file, monkeypatch):
    shipped = tmp_path / "checkpoints"
    shipped.mkdir()
    monkeypatch.setattr(checkpoints, "CHECKPOINTS", shipped)
    monkeypatch.chdir(tmp_path)
    before = held(own)
    assert main(["evaluate", "own", "--data", str(text_file), "--unchecked", "--record"]) == 0
    assert held(own)["card.json"] != before["card.json"]
    assert list(shipped.iterdir()) == []


def test_the_figure_of_a_part_is_not_recorded(own, text_file, capsys):
    before = held(own)
    words = ["evaluate", str(own), "--data", str(text_file), "--unchecked", "--record", "--bytes", "50"]
    assert main(words) == 2
    assert "--record excludes --bytes" in capsys.readouterr().err
    assert held(own) == before


@pytest.mark.parametrize("threads", ["0", "-1"])
def test_no_threads_are_refused_in_one_line(threads, capsys):
    assert main(["--threads", threads, "heads", "tiny-generator"]) == 2
    assert f"--threads must be a whole number of at least 1, got {threads}" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--stride", "--bytes"])
def test_a_stride_or_a_part_of_0_is_refused(option, own, text_file, capsys):
    assert main(["evaluate", str(own), "--data", str(text_file), "--unchecked", option, "0"]) == 2
    assert "must" in capsys.readouterr().err


def test_int8_is_refused_where_it_would_be_another_measure(reviews_file, text_file, monkeypatch):
    measure = evaluate.Measure(split="val", precision="int8", unchecked=True)
    cases = (
        ("classifier", reviews_file, True, "reviews do not support --stride, --bytes or --precision int8"),
        ("bert", text_file, True, "hidden words do not support --stride or --precision int8"),
        ("tiny-generator", text_file, False, "'int8' needs a generator"),
        ("tiny-unscaled", text_file, True, "'int8' needs a generator"),  # no twin knows its shape
    )
    for name, path, numba, said in cases:
        monkeypatch.setattr(cpu, "step_available", lambda numba=numba: numba)
        with pytest.raises(ValueError, match=said):
            TASKS[RECIPES[name].task].evaluate(former.load(name), RECIPES[name], path, measure)


def test_accuracy_over_no_reviews_is_refused():
    with pytest.raises(ValueError, match="reviews must be at least one, got none"):
        evaluate.accuracy(lambda tokens: tokens, [], limit=64)


def test_a_classifier_writes_nothing(capsys):
    assert main(["sample", "classifier"]) == 2
    assert "must hold a Generator, got Classifier" in capsys.readouterr().err
