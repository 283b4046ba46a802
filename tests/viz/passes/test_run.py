"""One text through one model: every text gets an answer or a message."""

import json

import pytest
import torch

import former
from former.training.batches import last_words
from tests.modules import evaluate
from tests.viz import plain
from tests.viz.passes.answered import pack, run
from viz.passes import edits
from viz.passes.run import TEXT_LIMIT, tokenize
from viz.passes.store import PassStore
from viz.tabs.explore.answer import answer
from viz.text import Refusal, in_words

ODD = {
    "emoji": "👩‍👩‍👧 🎉 good film 🎬",
    "right to left": "فيلم جيد \u200f not \u202e bad",
    "control characters": "a\x00b\x07\x1b[31m\x7f film\r\n\t.",
    "markup": "<script>alert(1)</script><img src=x onerror=alert(1)> a film",
    "template": "${alert(1)} {{value}} {0} %s a film",
    "combining": "e\u0301\u0323 a\u20dd film",
    "half a character": "film \ud83d",
    "unknown words": "zxqv blorptious",
    "one letter": "a",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
@pytest.mark.parametrize("name", ["small-generator", "small-classifier"])
def test_odd_text_gets_an_answer_that_can_be_sent(models, name, text):
    passes = PassStore(models)
    message = answer(models, passes, {"model": name, "text": text})
    assert message["key"], message
    made, body = passes.get(message["key"])  # pyright: ignore[reportGeneralTypeIssues]
    assert body == pack(made)
    assert len(made.header["labels"]) == made.header["tokens"] == made.map("self").weights.shape[-1]
    json.dumps(made.header, allow_nan=False)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no text"),
        (" \n\t", "no text"),
        ("x" * 10_000, "10,000 characters; the limit is 4,000"),
        ("<br>", "could read as a word"),
        (None, "no text"),
    ],
)
def test_text_that_cannot_be_run_gets_a_message_and_no_pass(models, text, says):
    with pytest.raises(Refusal, match=says):
        answer(models, PassStore(models), {"model": "small-classifier", "text": text})


def test_text_beyond_the_context_is_cut_and_said_to_be(models):
    text = answer(models, PassStore(models), {"model": "small-generator", "text": "x" * TEXT_LIMIT})
    assert text["key"]
    assert "48 bytes at once. Your text has 4000" in in_words(text["notes"][0])


def test_a_review_beyond_the_context_is_read_at_its_end_as_in_training(models, classifier):
    context = classifier.bundle.config.seq_length
    text = "film " * 7 + "a Blorptious " * (context // 2)
    passes = PassStore(models)
    message = answer(models, passes, {"model": "small-classifier", "text": text})
    total = 7 + context // 2 * 2
    assert f"{context} words at once. Your text has {total}; the last {context}" in in_words(message["notes"][0])
    header = passes.get(message["key"])[0].header  # pyright: ignore[reportOptionalSubscript]
    typed = classifier.bundle.tokenizer.encode(text)
    assert header["ids"] == last_words(classifier.bundle.tokenizer, text, context) == typed[-context:]
    assert header["labels"][-2:] == ["a", "<unk> blorptious"]
    assert tokenize(classifier, text)[0] == typed[:context]


def test_unknown_words_are_counted_and_shown_as_typed(models, classifier):
    text = answer(models, PassStore(models), {"model": "small-classifier", "text": "a Blorptious film"})
    assert [in_words(note).startswith("1 of 3 words") for note in text["notes"]] == [True]
    assert tokenize(classifier, "a Blorptious film")[1] == ["a", "<unk> blorptious", "film"]
    assert tokenize(classifier, "👩\u200d👧 ภาษาไทย é")[1] == [
        f"<unk> {word}" for word in ("👩", "U+200D", "👧", "ภาษาไทย", "é")
    ]


WEIGHT = {"layer": 1, "head": 3, "do": "weight", "query": 5, "key": 2, "weight": 0.25, "renormalise": True}
NONSENSE = [
    "junk",
    7,
    [1],
    [{}],
    {"model": "small-generator", "list": []},
    [{"layer": 9, "head": 0, "do": "uniform"}],
    [{"layer": 0, "head": 9, "do": "uniform"}],
    [{"layer": True, "head": 0, "do": "uniform"}],
    [{"layer": 0.0, "head": 0, "do": "uniform"}],
    [{"layer": 0, "head": 0, "do": "explode"}],
    [{"layer": 0, "head": 0, "do": "scale"}],
    [{"layer": 0, "head": 0, "do": "scale", "factor": float("nan")}],
    [{"layer": 0, "head": 0, "do": "scale", "factor": 1e9}],
    [{"layer": 0, "head": 0, "do": "scale", "factor": 10**400}],
    [{"layer": 0, "head": 0, "do": "scale", "factor": True}],
    [{"layer": 0, "head": 0, "do": "scale", "factor": "0"}],
    [{"layer": 0, "head": 0, "do": "weight"}],
    [WEIGHT | {"head": None}],
    [WEIGHT | {"query": -1}],
    [WEIGHT | {"key": 48}],
    [WEIGHT | {"weight": 1.5}],
    [WEIGHT | {"weight": float("nan")}],
    [WEIGHT | {"weight": True}],
    [WEIGHT | {"renormalise": 1}],
]


@pytest.mark.parametrize("given", NONSENSE, ids=repr)
def test_edits_of_nonsense_are_refused_with_a_message(generator, given):
    with pytest.raises(Refusal, match="is not possible"):
        edits.read(given, generator.bundle.model)


def test_too_many_edits_are_refused_with_the_limit(generator):
    values = [{"layer": 0, "head": 0, "do": "uniform"}] * (edits.LIMIT + 1)
    with pytest.raises(Refusal, match=str(edits.LIMIT)):
        edits.read(values, generator.bundle.model)


def test_a_link_restores_its_edits_and_names_those_that_cannot_be_made(models):
    requests = {
        "model": "small-generator",
        "text": "The cat",
        "edits": "0.3.off,2.L.uniform,1.2.x-1.5,9.0.off,0.0.x,💥,1.1,1.3.w5_2_0.25,0.0.W3_0_1,1.L.w5_2_0,0.1.w5_2_1.5",
    }
    passes = PassStore(models)
    text = answer(models, passes, requests)
    restored = passes.get(text["key"])[0].header["edits"]  # pyright: ignore[reportOptionalSubscript]
    assert restored == [
        {"layer": 0, "head": 3, "do": "scale", "factor": 0.0},
        {"layer": 2, "head": None, "do": "uniform"},
        {"layer": 1, "head": 2, "do": "scale", "factor": -1.5},
        WEIGHT,
        WEIGHT | {"layer": 0, "head": 0, "query": 3, "key": 0, "weight": 1.0, "renormalise": False},
    ]
    assert "9.0.off,0.0.x,💥,1.1,1.L.w5_2_0,0.1.w5_2" in in_words(text["notes"][0])
    written = evaluate("tabs/explore/lib/pass.js", "({ editsInLink }, edits) => editsInLink(edits)", restored)
    assert written == "0.3.off,2.L.uniform,1.2.x-1.5,1.3.w5_2_0.25,0.0.W3_0_1", "the page writes them so"


def test_the_page_counts_a_text_s_characters_as_the_server_does():
    texts = ["", "abc", "naïve", "e\u0301", "👍🏽", "中文", "𝔘\n"]
    assert evaluate("tabs/explore/lib/pass.js", "({ lengthOf }, all) => all.map(lengthOf)", texts) == [*map(len, texts)]


@pytest.mark.parametrize("nonsense", ["x" * 5000, "0.0.x" + "9" * 400])
def test_edits_of_nonsense_in_a_link_are_named_and_no_error(models, nonsense):
    requests = {"model": "small-generator", "text": "The cat", "edits": nonsense}
    assert answer(models, PassStore(models), requests)["notes"]


def test_the_edits_of_a_link_beyond_the_limit_are_named(generator):
    values, refused = edits.from_link(",".join(["0.0.off"] * edits.LIMIT + ["1.1.off"]), generator.bundle.model)
    assert (len(values), refused) == (edits.LIMIT, ["1.1.off"])


def test_an_unexpected_error_is_no_invalid_edit_of_a_link(generator, monkeypatch):
    def fail(_: object) -> None:
        raise ValueError("unexpected")

    monkeypatch.setattr(edits, "points_of", fail)
    with pytest.raises(ValueError, match=r"^unexpected$"):
        edits.from_link("0.0.off", generator.bundle.model)


def test_edited_and_plain_outputs_are_those_of_the_weights_alone(generator):
    state, ids = generator.bundle.model.state_dict(), list(b"The cat sat")
    changes = [
        {"layer": 0, "head": 1, "do": "scale", "factor": 0.0},
        {"layer": 2, "head": 3, "do": "scale", "factor": -1.5},
    ]
    header = run(generator, "The cat sat", changes).header
    options = {"heads": 4, "gelu": True}
    before, _ = plain.next_probs(state, ids, **options)
    after, _ = plain.next_probs(state, ids, removed=[(0, 1)], scaled={(2, 3): -1.5}, **options)
    for said, probs in ((header["baseline"], before), (header["output"], after)):
        assert len(said["next"]) >= 10
        for candidate in said["next"]:
            assert candidate["prob"] == pytest.approx(float(probs[-1, candidate["id"]]), abs=2e-5)
        bits = [-float(probs[i, ids[i + 1]].log2()) for i in range(len(ids) - 1)]
        assert said["bits"][1:] == pytest.approx(bits, abs=2e-4)
        assert said["bitsPerToken"] == pytest.approx(sum(bits) / len(bits), abs=2e-4)
    named = [{candidate["id"] for candidate in header[which]["next"]} for which in ("baseline", "output")]
    assert named[0] == named[1]
    for probs in (before[-1], after[-1]):
        others = [float(prob) for i, prob in enumerate(probs) if i not in named[0]]
        assert max(others) <= float(probs.topk(10).values[-1]) + 2e-5, "one of the ten likeliest is left out"


def test_a_uniform_layer_looks_at_all_it_may_see_alike(generator, classifier):
    whole = [{"layer": 1, "head": None, "do": "uniform"}]
    causal = run(generator, "The cat", whole).map("self").weights[1]
    assert torch.equal(causal, (torch.ones(7, 7).tril() / torch.arange(1, 8)[:, None]).expand(4, 7, 7))
    assert torch.equal(run(classifier, "a good film", whole).map("self").weights[1], torch.full((4, 3, 3), 1 / 3))


@pytest.mark.parametrize("renormalise", [True, False])
def test_a_weight_that_is_set_stands_in_the_map_and_does_nothing_where_its_query_cannot_see_its_key(
    generator, renormalise
):
    plain, edit = run(generator, "The cat"), WEIGHT | {"renormalise": renormalise}
    pass_ = run(generator, "The cat", [edit])
    row, before = pass_.map("self").weights[1, 3, 5], plain.map("self").weights[1, 3, 5]
    others = torch.arange(7) != 2
    rest = before[others] * (0.75 / before[others].sum() if renormalise else 1)
    assert float(row[2]) == 0.25
    torch.testing.assert_close(row[others], rest)
    assert pass_.header["baseline"] == plain.header["output"]
    for hidden in ({"query": 2, "key": 5}, {"query": 40, "key": 2}):
        left = run(generator, "The cat", [edit | hidden])
        assert torch.equal(left.map("self").weights, plain.map("self").weights)


def test_how_far_each_query_sees_is_worked_out_once_a_pass(generator):
    pass_ = run(generator, "The cat").map("self")
    assert pass_.lengths is pass_.lengths


def test_a_generator_runs_on_its_fast_twin(generator, monkeypatch):
    def refuse(*_):
        raise AssertionError("the readable model was called")

    monkeypatch.setattr(former.Generator, "forward", refuse)
    assert run(generator, "The cat").header["output"]["next"]
    assert run(generator, "The cat", [{"layer": 0, "head": 1, "do": "scale", "factor": 2.0}]).header["baseline"]
