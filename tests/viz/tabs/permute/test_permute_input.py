"""Tab Word order without a browser: requests and refusals, the models it offers, the data it fetches."""

import gzip
import json

import pytest
import torch
from fastapi import FastAPI
from fastapi.testclient import TestClient

import former
from tests.viz.conftest import WORDS, spread
from tests.viz.tabs.permute.permuted import ASKED, IDS, ask
from viz.panels.routes import attach
from viz.passes.loaded import Loaded
from viz.tabs.base import site_of
from viz.tabs.permute import page, permuting, positions, routes
from viz.tabs.permute.panels import MOVED_ROWS, PANELS, VERDICTS
from viz.text import note
from viz.text.examples import PAIRS


@pytest.mark.parametrize(
    "order", ["", "0", "0.0.1", "0.1.2", "9.0.2.1.8.4.7.5.6", "3,0,2", "x", "٣.0.1", "0." * 500, "-1"]
)
def test_an_order_that_does_not_fit_leaves_the_words_as_typed_and_is_named(subject, order):
    made = ask(subject, order=order)
    assert made["order"] == list(range(len(IDS)))
    assert made["remarks"] == [note("misfit_order", count=len(IDS))]


@pytest.mark.parametrize(
    "changes",
    [
        {"text": ""},
        {"text": " \n"},
        {"text": 5},
        {"text": None},
        {"text": "x" * 5_000},
        {"order": None},
        {"order": [1, 0]},
        {"positions": "rotary"},
        {"positions": None},
        {"positions": ["none"]},
        {"mask": "local"},
        {"mask": True},
        {"output": "all"},
        {"output": {}},
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_message(subject, changes):
    with pytest.raises(ValueError, match=r"[a-z].*\."):
        ask(subject, MOVED_ROWS, **changes)


def test_a_long_text_is_cut_to_what_a_picture_can_show_and_says_so(subject):
    made = ask(subject, text="good film " * 20, order="typed")
    assert made["labels"] == ["good", "film"] * 12
    assert made["remarks"] == [note("many_words", kept=24, total=40)]
    assert len(ask(subject, MOVED_ROWS, text="good film " * 20, order="typed")["before"]) == 24


def test_words_out_of_the_vocabulary_keep_their_spelling_and_are_counted(subject):
    made = ask(subject, text="a <b>splendid</b> film", order="typed")
    assert "<unk> splendid" in made["labels"]
    unknown = sum(label.startswith("<unk>") for label in made["labels"])
    assert made["remarks"] == [note("unknown_words", count=unknown, total=len(made["labels"]))]


def test_each_kind_of_positions_shares_the_models_weights(subject, classifier):
    own = classifier.bundle.model
    assert subject.kinds == ["none", "learned", "sinusoidal"]
    assert permuting.with_positions(own, "learned") is own
    for model in (permuting.with_positions(own, kind) for kind in subject.kinds):
        assert not model.training
        for name, parameter in model.named_parameters():
            assert parameter.data_ptr() == own.get_parameter(name).data_ptr()


def test_a_model_without_learned_positions_has_none_to_switch_on(bag):
    alone = permuting.find({bag.name: bag})
    assert alone is not None
    assert alone.kinds == ["none", "sinusoidal"]
    assert ask(alone, VERDICTS)["names"] == ["small-bag"]
    with pytest.raises(ValueError, match=r"\."):
        ask(alone, positions="learned")


def made(words: list[str], seq_length: int) -> Loaded:
    """Builds a classifier without positions."""
    config = former.ModelConfig(
        num_tokens=len(words), emb=32, heads=4, depth=1, seq_length=seq_length, pad_token=0, positions="none"
    )
    bundle = former.Bundle(spread(former.Classifier(config)), former.tokens.WordTokenizer(words), config)
    return Loaded("other-bag", bundle, "weights")


def test_beside_a_model_of_shorter_texts_only_what_both_read_is_taken(classifier):
    beside = made(WORDS, 6)
    result = permuting.find({each.name: each for each in (classifier, beside)})
    assert result is not None
    answer = ask(result, order="5.4.3.2.1.0")
    assert answer["labels"] == ["not", "good", ",", "but", "the", "film"]
    assert answer["order"] == [5, 4, 3, 2, 1, 0]
    assert ask(result, VERDICTS)["names"] == ["small-classifier", "other-bag"]
    assert answer["remarks"] == [note("many_words", kept=6, total=9)]


@pytest.mark.parametrize("words", [[*WORDS[:2], *sorted(WORDS[2:], reverse=True)], WORDS[:-1]])
def test_a_model_of_other_words_is_not_set_beside(classifier, words):
    beside = made(words, 24)
    result = permuting.find({each.name: each for each in (classifier, beside)})
    assert result is not None
    assert result.bag is None
    assert ask(result, VERDICTS)["names"] == ["small-classifier"]


def test_without_a_classifier_the_tab_says_so(generator):
    assert permuting.find({generator.name: generator}) is None
    with pytest.raises(ValueError, match="classifier"):
        ask(None)
    view = page.first_view({}, [])
    assert view["pairs"] == []
    assert view["initial"]["order"] == "typed"


# --- the ready texts ---


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_ready_pair_holds_the_same_words_and_its_order_turns_one_into_the_other(one, other):
    split = former.tokens.WordTokenizer.split
    words = split(one)
    ids = [sorted(set(words)).index(word) for word in words]
    others = [sorted(set(words)).index(word) for word in split(other)]
    order = [int(position) for position in permuting.order_of(ids, others).split(".")]
    assert sorted(order) == list(range(len(words))) != order
    assert [words[position] for position in order] == split(other)
    assert len(words) <= permuting.MOST_WORDS


def test_a_repeated_word_stays_where_it_can():
    assert permuting.order_of([5, 7, 5, 9], [5, 9, 5, 7]) == "0.3.2.1"
    assert permuting.order_of([5, 7, 5], [7, 5, 5]) == "1.0.2"


# --- the routes ---


@pytest.fixture(scope="module")
def client(classifier, bag, generator) -> TestClient:
    server = FastAPI()
    site = site_of({each.name: each for each in (generator, bag, classifier)})
    routes.attach(server, site)
    attach(server, site.models, site.work, PANELS)
    return TestClient(server)


def test_the_route_answers_with_what_was_asked_and_refuses_nonsense(client, subject):
    answered = client.post("/ask/equivariance/errors", content=json.dumps(ASKED))
    assert answered.status_code == 200
    assert answered.json()["errors"] == pytest.approx(ask(subject)["errors"], abs=1e-5)
    for body in (b"", b"[]", b"{", b"{}", b'{"text": "' + b"x" * 70_000):
        refused = client.post("/ask/equivariance/errors", content=body)
        assert refused.status_code == 422
        assert refused.json()["error"]


def test_a_table_is_fetched_once_and_kept_and_an_unknown_one_is_not_there(client, classifier):
    table = positions.tables({classifier.name: classifier})[0]
    fetched = client.get(f"/positions/{table.key}")
    assert "immutable" in fetched.headers["cache-control"]
    assert fetched.content == gzip.decompress(table.body)
    assert client.get("/positions/other").status_code == 404


def test_a_question_about_a_table_packs_none(client, monkeypatch):
    monkeypatch.setattr(positions, "_table", None)
    for table in ("small-generator", "small-classifier", "sinusoidal"):
        view = {"table": table, "at": 1, "product": "dot"}
        assert client.post("/ask/position-maps/similarity", json=view).status_code == 200


def test_the_chart_of_a_table_is_the_cosine_of_position_0_with_each_other_up_to_twice_the_trained_length(
    client, classifier
):
    vectors = classifier.bundle.model.state_dict()["transformer.positions.embedding.weight"].double()
    view = {"table": classifier.name, "at": 0, "product": "cosine"}
    for figure in client.post("/ask/position-maps/curve", json=view).json()["chart"].values():
        line, mark = figure["data"]
        for position, drawn in enumerate(line["y"]):
            exact = torch.cosine_similarity(vectors[position], vectors[0], 0)
            assert drawn == pytest.approx(float(exact), abs=1e-3)
        assert line["x"] == list(range(24))
        assert (mark["x"], mark["y"]) == ([0], [line["y"][0]])
        assert figure["layout"]["xaxis"]["range"] == [0, 48]
