"""Patching one pass into another: the numbers equal the library's, bad input is refused, and the page's claims about
gpt hold."""

import pytest
import torch

import former
from former import patching
from former.checkpoints import CHECKPOINTS
from viz.passes.loaded import Loaded
from viz.tabs.explore.change import carry
from viz.tabs.explore.panels import PANELS
from viz.tabs.explore.reading import read_carried
from viz.text import NothingToShow, Refusal
from viz.text.examples import CARRIED, EXAMPLES, FOUND


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


LONG = {"model": "gpt", "text": "The house " * 120, "edits": []}


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"beside": None}, "nothing_pinned"),
        ({"beside": {"model": "tiny-generator", "text": "a", "edits": []}}, "carry_models"),
        ({"beside": {"model": "gpt", "text": "The", "edits": []}}, "carry_lengths"),
        ({"text": "The river " * 120, "beside": LONG, "part": "mlp"}, "carry_work"),
    ],
)
def test_what_cannot_be_carried_is_refused_in_words(models, changed, key):
    with pytest.raises(NothingToShow) as refused:
        read_carried(models, view("gpt", "The key to the house", "The key to the garden") | changed)
    assert refused.value.note["key"] == key


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


def test_what_the_page_says_of_its_pairs_is_so(gpt):
    """Claims are checked with margins: other weights from the same training, or another processor, change the second
    digit."""
    number, year, name, quote = (carried(gpt, each) for each in CARRIED["piece"])
    most = [each.flatten().topk(2) for each in (number, year, name)]
    assert most[0].indices[0] == 4 * 8 + 5
    assert most[0].values.tolist() == pytest.approx([0.98, 0.05], abs=0.2)
    assert most[1].indices[0] == 5 * 8 + 3
    assert float(most[1].values[0]) == pytest.approx(0.55, abs=0.15)
    assert sorted(most[2].indices.tolist()) == [3 * 8 + 7, 4 * 8]
    assert float(most[2].values[1]) > 0.3
    assert quote.max() < 0.34
    before = carried(gpt, "number", "stream")
    moved = [float(before[layer, token]) for layer, token in ((4, 1), (5, 1), (5, -1))]
    assert moved == pytest.approx([1, 0, 1], abs=0.2)
    looks = pair(gpt, "name")[1].weights
    assert looks[3, 7].diagonal(-1).mean() > 0.5  # one token back


def test_every_model_is_offered_a_pair_and_each_finding_belongs_to_one():
    assert CARRIED.keys() == EXAMPLES.keys()
    assert {name for pairs in CARRIED.values() for name in pairs} == FOUND.keys()


def test_what_the_page_says_of_the_pairs_of_other_kinds_is_so():
    """Claims are checked with margins, as for `gpt`."""

    def measured(kind, name, part="heads", map_=None):
        bundle = former.load(FOUND[name])
        pinned, run = (bundle.run(text) for text in CARRIED[kind][name])
        return carry.carry_parts(pinned, run, map_ or next(iter(run.maps)), part)["shares"]

    def first(shares):
        values, places = shares.flatten().topk(2)
        return divmod(int(places[0]), shares.shape[1]), float(values[0]), float(values[1])

    place, best, second = first(measured("blank", "blank"))
    assert place == (0, 2)
    assert best == pytest.approx(0.75, abs=0.2)
    assert second < 0.3
    place, best, second = first(measured("byte", "byte"))
    assert place == (10, 5)
    assert best == pytest.approx(0.5, abs=0.15)
    stays = measured("byte", "byte", "stream")
    assert stays[10, [1, 15, 16]].min() > 0.3
    assert stays[10, 21] < 0.5 < stays[11, 21]
    letters = measured("letters", "letters")
    assert letters.max() < 0.65
    assert float(measured("letters", "letters", "stream")[1, 4]) == pytest.approx(1, abs=0.2)
    place, best, second = first(measured("character", "character", map_="encoder"))
    assert place == (0, 2)
    assert best == pytest.approx(1, abs=0.1)
    assert second < 0.2
    assert measured("character", "character", map_="cross").max() < 0.33
    words = measured("class", "word", "stream")
    assert words[1].argmax() == 6  # "story"
    assert float(words[1, 6]) == pytest.approx(0.5, abs=0.15)
    assert words[1, 1] < 0.25
