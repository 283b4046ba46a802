"""The models in checkpoints/ load exactly and perform as their cards say, on text and reviews written here."""

import json
import math
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch.nn import functional

import former
from former import masks
from former.checkpoints import CHECKPOINTS
from former.training.batches import last_words
from former.training.data import CORPORA
from former.training.init_weights import make_model
from former.training.measure import evaluate, heads
from former.training.recipes import RECIPES
from former.training.tasks import dates_task
from former.training.tasks.dates_reader import read

TEXT = (
    "The river rises in the hills north of the town and flows south for about forty miles before it reaches the sea. "
    "In the nineteenth century it was used to carry coal and timber to the harbour, and several mills were built along "
    "its banks. The railway, which was opened in 1862, took most of this trade away, and the last of the mills was "
    "closed after the Second World War. Today the valley is known for its birds, and it is a popular place for walking."
)
REVIEWS = [
    ("What a wonderful film. The acting is superb, the story moved me, and I loved every minute of it.", 1),
    ("One of the best movies I have seen in years: funny, warm, beautifully shot and brilliantly played.", 1),
    ("A great little picture, well written and perfectly cast. Highly recommended, do not miss it!", 1),
    ("An excellent drama. I was amazed by how touching and how true the performances are.", 1),
    ("A terrible waste of time. The plot is stupid, the acting is awful and the jokes are not funny.", 0),
    ("This is the worst movie I have ever seen: boring, badly written, and so poorly made.", 0),
    ("Dull and pointless. I was bored after ten minutes and the ending is ridiculous. Avoid it.", 0),
    ("A complete mess, with horrible dialogue and a lame script. I want my money back.", 0),
]
IN_TRAINING = {
    *("generator-begun", "generator-grown", "generator-third"),
    *("generator-fourth", "generator-fifth", "generator-sixth"),
    *("xl-begun", "xl-longer"),
    "sparse-begun",
    *("dates-begun", "dates-longer", "dates-hard"),
    *("gpt-begun", "gpt-longer", "gpt-third", "gpt-fourth", "gpt-fifth", "gpt-sixth"),
    "sparse-dense",
    "modern-begun",
    "bert-begun",
    "bert-films",
}  # nothing below measures them before they are shipped
SHIPPED = sorted(set(RECIPES) & set(former.available()))
FAMILY = sorted(name for name in RECIPES if name.startswith("tiny-") and RECIPES[name].steps == 500)
_GATE = {"activation", "ff_hidden"}  # a gated feed-forward of two thirds the size has as many parameters
SEVERAL = {"tiny-swiglu": _GATE, "tiny-modern": {"positions", "normalisation", "kv_heads", *_GATE}}
SNAPSHOTS = [path.parent.relative_to(CHECKPOINTS).as_posix() for path in sorted(CHECKPOINTS.glob("*/*/card.json"))]


def bits(name, masked=True):
    bundle = former.load(name)
    model = former.Generator(replace(bundle.config, mask="causal" if masked else "none")).eval()
    model.load_state_dict(bundle.model.state_dict())
    text = torch.tensor(bundle.tokenizer.encode(TEXT), dtype=torch.uint8)
    context = bundle.config.seq_length
    stride = context // 2 if masked else context
    # From the 129th byte: what comes first is guessed from little.
    return evaluate.bits_per_byte(model, text, 128, 384, context=context, stride=stride)


def test_every_recipe_is_shipped_but_those_whose_training_goes_on():
    assert set(RECIPES) - set(former.available()) <= IN_TRAINING


def test_what_is_shipped_is_small_enough_for_plain_git():
    files = [path for path in CHECKPOINTS.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 110e6
    assert max(path.stat().st_size for path in files) < 10e6


@pytest.mark.parametrize("name", [*SHIPPED, *SNAPSHOTS])
def test_loading_gives_exactly_the_numbers_in_the_files(name):
    model = former.load(name).model
    values = {}
    for file in (CHECKPOINTS / name).glob("*.safetensors"):
        values |= load_file(file)
    values = {key.replace("transformer.norm.", "norm."): weight for key, weight in values.items()}  # its older name
    assert {key.removesuffix(".scale") for key in values} == model.state_dict().keys()
    for key, weight in model.state_dict().items():
        assert torch.equal(weight, values[key].float() * values.get(f"{key}.scale", 1)), key


@pytest.mark.parametrize("name", SHIPPED)
def test_a_card_says_where_the_model_comes_from_and_what_it_is_worth(name):
    card = former.load(name).card
    for field in ("description", "data", "command", "recipe", "step", "seconds", "machine", "seed"):
        assert card[field], field
    assert card["recipe"]["name"] == card["name"] == name
    assert card["machine"]["cpu"]
    splits = {figure["split"] for figure in card["quality"]}
    assert splits >= {"val"}
    argument = CORPORA[RECIPES[name].corpus].argument
    for figure in card["quality"]:
        assert figure["command"].startswith(f"python -m former.training evaluate {name}{argument} --split ")
    assert not re.search(r"/(root|home|work|tmp)/", json.dumps({**card, "tokenizer": None}))


def rows_of_models():
    """Yields the rows of the tables of figures in checkpoints/README.md, as cells by the names of their columns."""
    header: list[str] = []
    for line in (CHECKPOINTS / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip(" `") for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if {"name", "parameters", "val", "test"} <= set(header) and cells and (CHECKPOINTS / cells[0]).is_dir():
            yield dict(zip(header, cells, strict=True))
        header = header if cells and header else cells


def test_the_tables_of_the_readme_have_the_figures_of_the_cards():
    rows = list(rows_of_models())
    assert {row["name"] for row in rows} == {*SHIPPED, "family/tiny-generator"}
    for row in rows:
        bundle = former.load(row["name"])
        assert row["parameters"] == f"{sum(parameter.numel() for parameter in bundle.model.parameters()):,}"
        for measured in bundle.card["quality"]:
            values = [value for value in measured.values() if isinstance(value, float)]
            shown = {text for value in values for text in (f"{value:.4f}", f"{100 * value:.2f} %")}
            assert shown >= set(row[measured["split"]].split(", ")), row["name"]
        if "processor seconds" in row:
            assert row["processor seconds"] == str(bundle.card["processor_seconds"])


def test_a_model_called_the_same_in_the_table_follows_one_of_its_size_tokens_and_data():
    rows = [row for row in rows_of_models() if "description" in row]
    pairs = [pair for pair in pairwise(rows) if pair[1]["description"].startswith("the same")]
    assert pairs
    for pair in pairs:
        before, after = (former.load(row["name"]) for row in pair)
        for field in ("emb", "heads", "depth", "seq_length", "num_tokens"):
            assert getattr(before.config, field) == getattr(after.config, field), pair[1]
        assert before.card["data"]["corpus"] == after.card["data"]["corpus"], pair[1]


def quality(name, split, figure):
    return next(held[figure] for held in former.load(name).card["quality"] if held["split"] == split)


@pytest.mark.parametrize(("name", "limit"), [("generator", 2.3), ("tiny-generator", 3.0)])
def test_a_generator_predicts_plain_english_about_as_its_card_says(name, limit):
    figure = bits(name)
    assert 1.0 < figure < limit
    # 256 bytes of another text: within what articles differ among themselves
    assert figure == pytest.approx(quality(name, "val", "bits_per_byte"), abs=0.6)


def test_sparse_predicts_plain_english_by_its_own_pattern_and_is_no_worse_than_its_dense_twin():
    bundle = former.load("sparse")
    assert bundle.model.pattern() == masks.Pattern("strided", 128)
    text = torch.tensor(bundle.tokenizer.encode(TEXT), dtype=torch.uint8)
    figure = evaluate.bits_per_byte(bundle.model, text, 128, 384, context=2_048, stride=1_024)
    windows = quality("sparse", "val", "windows")  # both twins on the same ones
    assert figure == pytest.approx(windows["by_256"][0], abs=0.6)
    assert windows["bits_per_byte"] <= windows["bits_per_byte_of_the_dense_twin"] + 0.03


def test_the_memory_of_xl_makes_what_follows_its_first_segment_cheaper_as_its_card_says():
    tokens, model = torch.tensor([list(TEXT.encode())]), former.load("xl").model
    costs = {}
    for length in (0, 128):
        memory, nats = None, []
        for first in range(0, tokens.shape[1] - 1, 128):
            targets = tokens[0, first + 1 : first + 129]
            with torch.inference_mode():
                logits, memory = model(tokens[:, first : first + len(targets)], memory, memory_length=length)
            nats.append(functional.cross_entropy(logits[0], targets, reduction="none"))
        costs[length] = float(torch.cat(nats)[128:].mean()) / math.log(2)
    card = {name: quality("xl", "val", name) for name in ("memory_0", "memory_128", "memory_512")}
    late = {name: quality("xl", "val", f"late_{name}") for name in ("memory_0", "memory_128")}
    gain = card["memory_0"] - card["memory_128"]
    assert gain >= 0.15
    assert costs[0] - costs[128] == pytest.approx(gain, abs=0.05)
    assert late["memory_0"] - late["memory_128"] >= 0.03
    assert card["memory_128"] - card["memory_512"] >= 0.01


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("She was born in New [MASK] City.", "york"),
        ("He was elected president of the United [MASK].", "states"),
        ("It is one [MASK] the largest cities in the world.", "of"),
        ("The album was [MASK] in 2005 and reached number one.", "released"),
    ],
)
def test_bert_fills_in_what_the_words_around_a_place_say(text, word):
    bundle = former.load("bert")
    tokenizer: Any = bundle.tokenizer
    ids = tokenizer.encode(text)
    message = bundle.model(torch.tensor([ids]))[0, ids.index(tokenizer.mask_token)].softmax(-1)
    first, second = message.topk(2).values.tolist()
    assert first - second > 0.1, "no rounding decides between them"
    assert tokenizer.decode([int(message.argmax())]) == word


def test_gpt_predicts_plain_english_in_pieces_of_words_about_as_its_card_says():
    bundle = former.load("gpt")
    pieces = torch.tensor(bundle.tokenizer.encode(TEXT))
    assert len(TEXT) / len(pieces) > 3  # pieces of words, not letters
    first = len(bundle.tokenizer.encode(TEXT[:128]))
    figure = evaluate.bits_per_byte(bundle.model, pieces, first, len(pieces), context=256, stride=128)
    figure *= (len(pieces) - first) / len(bundle.tokenizer.decode(pieces[first:].tolist()))
    assert figure == pytest.approx(quality("gpt", "val", "bits_per_byte"), abs=0.6)
    assert quality("gpt", "val", "bits_per_byte") < quality("gpt", "val", "bits_per_byte_in_256_bytes") < 2.3


def test_bert_fills_in_plain_english_better_than_by_always_saying_the_commonest_piece():
    bundle = former.load("bert")
    tokenizer: Any = bundle.tokenizer
    ids = torch.tensor(tokenizer.encode(TEXT))
    places = torch.arange(1, len(ids) - 1, 3)
    rows = torch.arange(len(places))
    hidden = ids.repeat(len(places), 1)
    hidden[rows, places] = tokenizer.mask_token  # every third piece in its turn
    with torch.inference_mode():
        text = bundle.model(hidden).argmax(-1)[rows, places]
    true = ids[places]
    commonest = float((true == true.mode().values).float().mean())
    assert float((text == true).float().mean()) > max(2 * commonest, quality("bert", "val", "commonest"))
    assert quality("bert", "val", "masked_accuracy") > 4 * quality("bert", "val", "commonest")


@pytest.mark.parametrize("name", ["classifier", "classifier-bag", "bert-reviews"])
def test_a_classifier_knows_plain_praise_from_plain_blame(name):
    bundle = former.load(name)
    reviews = [(last_words(bundle.tokenizer, text, 512), label) for text, label in REVIEWS]
    assert evaluate.accuracy(bundle.model, reviews, limit=512) == 1.0
    assert quality(name, "test", "accuracy") >= 0.88


def test_the_bag_gives_the_same_answer_for_any_order_of_the_words_and_the_classifier_does_not():
    for name in ("classifier", "classifier-bag"):
        bundle = former.load(name)
        ids = torch.tensor([bundle.tokenizer.encode(REVIEWS[0][0])])
        order = torch.randperm(ids.shape[1], generator=torch.Generator().manual_seed(0))
        with torch.inference_mode():
            change = float((bundle.model(ids[:, order]) - bundle.model(ids)).abs().max())
        assert change < 1e-4 if name == "classifier-bag" else change > 1e-3


def test_the_unmasked_model_reads_the_answer_off_its_input_and_is_lost_without_it():
    assert former.load("tiny-unmasked").config.mask == "none"
    assert bits("tiny-unmasked", masked=False) < 0.2
    assert bits("tiny-unmasked", masked=True) > 4


def snapshots_of(name):
    return [each for each in SNAPSHOTS if each.startswith(f"{name}/")]


def test_the_tiny_generator_learns_from_snapshot_to_snapshot():
    snapshots = [*snapshots_of("tiny-generator"), "tiny-generator"]
    assert len(snapshots) >= 10
    steps = [former.load(name).card["step"] for name in snapshots]
    assert steps == sorted(steps)
    assert steps[0] == 0
    assert bits(snapshots[0]) == pytest.approx(8.0, abs=1e-3)
    figures = [bits(name) for name in snapshots]
    assert figures[0] > figures[2] > figures[5] > figures[-1]


def test_the_tiny_generator_has_a_previous_token_head():
    bundle = former.load("tiny-generator")
    ids = torch.tensor([bundle.tokenizer.encode(TEXT)[:200]])
    _, capture = former.run_with_capture(bundle.model, ids)
    statistics = former.analysis.head_statistics(capture.stack("weights"))
    assert float(statistics["previous"].max()) > 0.5


@pytest.mark.parametrize("name", ["generator", "tiny-generator"])
def test_a_generator_reads_only_what_came_before(name):
    bundle = former.load(name)
    ids = torch.tensor([bundle.tokenizer.encode(TEXT)[:64]])
    changed = ids.clone()
    changed[0, 40:] = 65
    with torch.inference_mode():
        before, after = bundle.model(ids), bundle.model(changed)
        mask = bundle.model(ids, mask=masks.none(64))
    torch.testing.assert_close(after[:, :40], before[:, :40])
    assert not torch.allclose(mask[:, :40], before[:, :40])


def induction(name):
    return float(heads.head_scores(former.load(name).model)["induction"].max())


def test_an_induction_head_forms_within_a_few_snapshots_and_in_the_control_none_does():
    assert induction("tiny-induction") >= 0.5
    names = [*snapshots_of("tiny-induction"), "tiny-induction"]
    scores = {former.load(name).card["step"]: induction(name) for name in names}
    assert max(score for step, score in scores.items() if step <= 920) < 0.1
    assert min(score for step, score in scores.items() if step >= 1_120) >= 0.5
    assert len(scores) >= 20
    assert set(range(800, 1_241, 40)) <= scores.keys()
    assert induction("tiny-generator") < 0.05


def flat(recipe):
    value = recipe.to_dict()
    return {**value.pop("model"), **value}


@pytest.mark.parametrize("name", [name for name in FAMILY if RECIPES[name].kind == "Generator"])
def test_each_of_the_family_is_the_tiny_generator_with_one_thing_changed(name):
    ours, plain = flat(RECIPES[name]), flat(RECIPES["tiny-generator"])
    apart = {"name", "description", "steps", "validate_every", "snapshots"}
    changed = {field for field in ours.keys() - apart if ours[field] != plain[field]}
    assert changed == SEVERAL.get(name, changed)
    assert len(changed) == 1 or name in SEVERAL


@pytest.mark.parametrize("name", ["tiny-gru", "tiny-conv", "tiny-swiglu"])
def test_a_baseline_or_a_gate_has_as_many_parameters_as_the_tiny_generator(name):
    counts = [sum(p.numel() for p in make_model(RECIPES[each]).parameters()) for each in (name, "tiny-generator")]
    assert counts[0] == pytest.approx(counts[1], rel=0.02)


def test_dates_are_read_and_written_about_as_the_card_says():
    figures = dates_task.measure_quality(former.load("dates").model, "test", texts=200)
    for name, least in (
        *(("read_new_dates", 0.995), ("read_new_forms", 0.995)),
        *(("written_right", 0.99), ("nucleus_right", 0.999)),
    ):
        # of 200 texts, a share of 0.99 leaves 2 wrong on average, and more than 5 hardly ever
        assert figures[name] >= quality("dates", "test", name) - 0.015
        assert quality("dates", "test", name) >= least
    for name in ("fewest_forms", "nucleus_forms"):
        assert figures[name] >= 5
        assert quality("dates", "test", name) >= 5


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("21 November 2026", "2026-11-21"),
        ("Saturday, the 21st of November, 2026", "2026-11-21"),
        ("Nov. 21st, 2026", "2026-11-21"),
        ("21/11/2026", "2026-11-21"),
        ("3.4.26", "2026-04-03"),
        ("Febuary 29th 2000", "2000-02-29"),
    ],
)
def test_dates_of_all_kinds_are_read(text, plain):
    bundle: Any = former.load("dates")
    source, target = bundle.tokenizer.encode(text), bundle.tokenizer.encode_target(plain)
    two = bundle.model(torch.tensor([source]), torch.tensor([target[:-1]]))[0].topk(2).values
    assert (two[:, 0] - two[:, 1]).min() > 1, "in logits: no rounding decides between two characters"
    assert former.translate(bundle, text) == plain


@pytest.mark.parametrize("plain", ["2026-11-21", "2026-04-03", "2000-02-29"])
def test_a_date_is_written_in_many_ways_and_nearly_always_right(plain):
    bundle = former.load("dates")
    written = [former.translate(bundle, plain, temperature=1.0, seed=seed) for seed in range(12)]
    right = [text for text in written if str(read(text)) == plain]
    assert len(right) >= 10  # one in 100 samples is wrong, by the card: more than two in 12, once in 5,000
    assert len(set(right)) >= 5


def test_the_cross_attention_of_dates_looks_at_the_digit_that_is_written():
    scores = heads.year_scores(former.load("dates").model, texts=100)["year"]
    assert float(scores.max()) > 0.5
