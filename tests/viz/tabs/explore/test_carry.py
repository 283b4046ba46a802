"""Patching one pass into another: the numbers equal the library's, bad input is refused, and the page's claims about
gpt hold."""

import math

import pytest
import torch

import former
from former import analysis, patching
from former.checkpoints import CHECKPOINTS
from viz.passes.loaded import Loaded
from viz.tabs.explore.change import carry
from viz.tabs.explore.inside import predictions
from viz.tabs.explore.panels import PANELS
from viz.tabs.explore.reading import read_carried
from viz.text import NothingToShow, Refusal
from viz.text.examples import CARRIED, EXAMPLES, MEASURED_IN


@pytest.fixture(scope="module")
def gpt(loaded_once):  # noqa: ARG001 - who shares it
    return former.load("gpt")


@pytest.fixture(scope="module")
def models(gpt):
    small = former.load("tiny-generator")
    return {
        "gpt": Loaded("gpt", gpt, "gpt", CHECKPOINTS / "gpt"),
        "tiny-generator": Loaded("tiny-generator", small, "tiny-generator", CHECKPOINTS / "tiny-generator"),
    }


def pair(bundle, name):
    pinned, text = CARRIED["piece"][name]
    return bundle.run(pinned), bundle.run(text)


def carried(bundle, name, part="heads"):
    pinned, run = pair(bundle, name)
    return carry.carry_parts(pinned, run, "self", part)["shares"]


def test_shares_and_predictions_are_those_of_the_library(gpt):
    pinned, run = pair(gpt, "number")
    result = carry.carry_parts(pinned, run, "self", "stream")
    metric = patching.logit_difference(result["answer"], result["rival"], result["at"])
    assert (result["before"], result["pinned"]) == pytest.approx((metric(run), metric(pinned)))
    torch.testing.assert_close(result["shares"], patching.stream(pinned, run, metric, share=True))
    one = carry.carry_one(pinned, run, "self", "stream", 2, 1)
    probs = pinned.patched_into(run, 2, point="resid_pre", tokens=[1]).result[0, -1].softmax(-1)
    ids = [gpt.tokenizer.labels(range(gpt.tokenizer.num_tokens)).index(name) for name in one["names"]]
    torch.testing.assert_close(one["probs"], probs[ids])
    assert one["probs"].tolist() == sorted(one["probs"].tolist(), reverse=True)


def test_of_a_translator_the_differing_character_is_looked_at():
    bundle = former.load("dates")
    pinned, run = bundle.run("4 July 1976"), bundle.run("5 July 1976")
    result = carry.carry_parts(pinned, run, "encoder", "stream")
    assert run.maps["cross"].queries[result["at"]] == "0"  # after 1976-07-0
    assert float(result["shares"][0, 1]) == pytest.approx(1, abs=1e-3)  # nothing but this token differs


def view(model, pinned, text, **more):
    values = {"model": model, "text": text, "edits": [], "map": "self", "part": "heads", **more}
    return values | {"beside": {"model": model, "text": pinned, "edits": []}}


TEXTS = "The house ", "The river "
LONG = {"model": "gpt", "text": TEXTS[0] * 120, "edits": []}


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"beside": None}, "nothing_pinned"),
        ({"beside": {"model": "tiny-generator", "text": "a", "edits": []}}, "carry_models"),
        ({"beside": {"model": "gpt", "text": "The", "edits": []}}, "carry_lengths"),
        ({"text": TEXTS[1] * 120, "beside": LONG, "part": "mlp"}, "carry_work"),
    ],
)
def test_what_cannot_be_carried_is_refused_in_words(models, changed, key):
    with pytest.raises(NothingToShow) as refused:
        read_carried(models, view("gpt", "The key to the house", "The key to the garden") | changed)
    assert refused.value.note["key"] == key


def test_texts_that_hide_different_words_are_refused():
    bert = former.load("bert")
    models = {"bert": Loaded("bert", bert, "bert", CHECKPOINTS / "bert")}
    pinned, text = "The capital of [France] is Paris.", "The capital of France is [Paris]."
    with pytest.raises(NothingToShow) as refused:
        read_carried(models, view("bert", pinned, text))
    assert refused.value.note["key"] == "carry_blanks"
    with pytest.raises(ValueError, match="both texts must hide the same tokens"):
        analysis.tell_apart(bert.run(pinned), bert.run(text))


def test_a_text_that_is_too_long_is_refused_with_the_length_that_is_not(models, gpt):
    def carried_at(tokens):
        pinned, text = (gpt.tokenizer.decode(gpt.tokenizer.encode(each * 200)[:tokens]) for each in TEXTS)
        return read_carried(models, view("gpt", pinned, text, part="stream"))

    with pytest.raises(NothingToShow) as refused:
        carried_at(256)
    values = refused.value.note["values"]
    assert values["tokens"] == 256
    assert carried_at(values["limit"])
    with pytest.raises(NothingToShow):
        carried_at(values["limit"] + 1)


@pytest.mark.parametrize(
    ("model", "texts"),
    [
        ("classifier", CARRIED["class"]["word"]),
        ("bert", CARRIED["blank"]["blank"]),
        ("bert-reviews", CARRIED["class"]["word"]),
        ("xl", CARRIED["memory"]["byte"]),
        ("sparse", CARRIED["pattern"]["byte"]),
        ("tiny-induction", CARRIED["letters"]["letters"]),
        ("dates", CARRIED["character"]["character"]),
    ],
)
def test_every_kind_s_own_pair_can_be_carried(model, texts):
    bundle = former.load(model)
    pinned, run = (bundle.run(text) for text in texts)
    result = carry.carry_parts(pinned, run, next(iter(run.maps)), "heads")
    assert result["shares"].shape == (bundle.config.depth, bundle.config.heads)
    assert result["shares"].isfinite().all()
    assert result["pinned"] > result["before"]


def test_of_two_classes_the_one_that_is_not_chosen_is_the_other():
    bundle = former.load("classifier")
    pinned, run = (bundle.run(text) for text in CARRIED["class"]["word"])
    chosen = [(0, None), (1, None), (None, 0), (None, 1)]
    assert [carry.compared(pinned, run, *each)[:2] for each in chosen] == [(0, 1), (1, 0), (1, 0), (0, 1)]


def test_two_classes_are_compared_by_their_names():
    run = former.load("classifier").run(CARRIED["class"]["word"][0])
    result = predictions.compare(run, 0, 1)
    assert result["tokens"] == ["negative", "positive"]
    torch.testing.assert_close(result["probabilities"], run.result[0].exp())


def test_invalid_choices_are_refused(models):
    for changed in ({"part": "all"}, {"answer": -1}, {"rival": 8_192}, {"answer": 3, "rival": 3}, {"answer": 1.0}):
        with pytest.raises(Refusal):
            read_carried(models, view("gpt", "The key to the house", "The key to the garden") | changed)


def test_two_runs_that_predict_the_same_have_nothing_to_carry(models):
    same = view("gpt", "The key", "The key")
    panel = next(panel for panel in PANELS if panel.name == "carry")
    with pytest.raises(NothingToShow) as refused:
        panel.questions["carried"].answer(models, same)
    assert refused.value.note["key"] == "carry_same"


def says(pair, what, value, least, most=math.inf):
    """Fails if the shipped model no longer shows what the page says of a pair.

    The margins allow for another processor, and for other weights from the same training; beyond them, measure the pair
    anew and rewrite its sentence in `carry_found`.
    """
    bounds = f"must be at least {least:g}" + (f" and at most {most:g}" if most < math.inf else "")
    assert least <= value <= most, f"carry_found, pair {pair}: {what} {bounds}, and is {value:.3f}"


def lead(shares, *heads):
    """Returns by how much each of these heads (layer, head) brings back more than any other."""
    others = shares.clone()
    for each in heads:
        others[each] = -math.inf
    return float(min(shares[each] for each in heads) - others.max())


def test_what_the_page_says_of_its_pairs_is_so(gpt):
    number, year, name, quote = (carried(gpt, each) for each in CARRIED["piece"])
    says("number", "the share of head 4.5", number[4, 5], 0.75, 1.25)
    says("number", "its lead", lead(number, (4, 5)), 0.5)
    before = carried(gpt, "number", "stream")
    says("number", "the share of the subject's vector before layer 4", before[4, 1], 0.8, 1.2)
    says("number", "the same before layer 5", before[5, 1], -0.2, 0.2)
    says("number", "the share of the last token's vector before layer 5", before[5, -1], 0.8, 1.2)
    says("year", "the share of head 5.3", year[5, 3], 0.5, 0.8)
    says("year", "its lead", lead(year, (5, 3)), 0.2)
    says("name", "the lead of heads 3.7 and 4.0", lead(name, (3, 7), (4, 0)), 0.15)
    says("name", "their least share", min(name[3, 7], name[4, 0]), 0.5, 1.0)
    looks = pair(gpt, "name")[0].weights
    says("name", "the mean weight of head 3.7 on the word before", looks[3, 7].diagonal(-1).mean(), 0.7)
    says("name", "the weight of head 4.0 on what followed", looks[4, 0][-1, 3], 0.2)
    says("quote", "the largest share", quote.max(), 0, 0.34)


def test_every_model_is_offered_a_pair_and_each_finding_belongs_to_one():
    assert CARRIED.keys() == EXAMPLES.keys()
    assert {name for pairs in CARRIED.values() for name in pairs} == MEASURED_IN.keys()


def test_what_the_page_says_of_the_pairs_of_other_kinds_is_so():
    def measured(kind, name, part="heads", map_=None):
        bundle = former.load(MEASURED_IN[name])
        pinned, run = (bundle.run(text) for text in CARRIED[kind][name])
        return carry.carry_parts(pinned, run, map_ or next(iter(run.maps)), part)["shares"]

    blank = measured("blank", "blank")
    for head in (0, 2):
        says("blank", f"the share of head 0.{head}", blank[0, head], 0.25, 0.5)
    says("blank", "their lead", lead(blank, (0, 0), (0, 2)), 0.05)
    byte = measured("byte", "byte")
    says("byte", "the share of head 10.5", byte[10, 5], 0.35, 0.65)
    says("byte", "its lead", lead(byte, (10, 5)), 0.1)
    stays = measured("byte", "byte", "stream")
    says("byte", "the share of each bracket's vector before layer 10", stays[10, [1, 15, 16]].min(), 0.3)
    says("byte", "that of the last vector there", stays[10, 21], 0, 0.5)
    says("byte", "that of the last vector before layer 11", stays[11, 21], 0.5)
    says("letters", "the largest share", measured("letters", "letters").max(), 0.3, 0.65)
    says("letters", "the share of its vector before layer 1", measured("letters", "letters", "stream")[1, 4], 0.8, 1.2)
    character = measured("character", "character", map_="encoder")
    says("character", "the share of head 0.2", character[0, 2], 0.9, 1.1)
    says("character", "its lead", lead(character, (0, 2)), 0.8)
    cross = measured("character", "character", map_="cross")
    says("character", "the largest share of cross-attention", cross.max(), 0, 0.33)
    word = measured("class", "word", "stream")
    says("word", "the least that the word's own vector keeps", word[1:, 1].min(), 0.5)
    says("word", "the most that it keeps", word[1:, 1].max(), 0, 0.8)
    says("word", "the share of the word before it", word[1:, 0].min(), 0.1)
    says("word", "the largest share of any other", word[1:, 2:].max(), -0.1, 0.1)
