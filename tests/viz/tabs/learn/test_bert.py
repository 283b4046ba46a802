"""Section "BERT": its predictions are those of the model, and its figures those of the cards."""

from dataclasses import replace

import pytest
import torch
from fastapi import FastAPI
from fastapi.testclient import TestClient

import former
from viz.passes.loaded import Loaded
from viz.tabs.base import site_of
from viz.tabs.learn import page, routes
from viz.tabs.learn.sections import available_sections
from viz.tabs.learn.sections import bert as section
from viz.text import Refusal

TEXT = "paris is the [capital] of france. it was not a bad [film]."


@torch.no_grad()
def plainly(bert, ids, segments):
    """Returns the probabilities (t, num_tokens), the last block's weights (h, t, t), and the probability that the
    second text follows."""
    tokens, segments = torch.tensor([ids]), torch.tensor([segments])
    logits, capture = former.run_with_capture(bert.bundle.model, (tokens, segments), "weights")
    follows = bert.bundle.model.next_sentence(tokens, segments)[0].softmax(-1)
    return logits[0].softmax(-1), capture.get("weights", 1)[0], float(follows[0])


def test_a_hidden_word_is_filled_in_as_the_model_does_it(bert):
    result = section.SECTION.questions["filled"].answer({"bert": bert}, {"text": TEXT})
    tokenizer = bert.bundle.tokenizer
    ids = tokenizer.encode("paris is the capital of france. it was not a bad film.")
    hidden = [i for word in result["words"] if word["hidden"] for i in word["tokens"]]
    ids = [tokenizer.mask_token if i in hidden else token for i, token in enumerate(ids)]
    assert result["labels"] == tokenizer.labels(ids)
    probs, weights, _ = plainly(bert, ids, [0] * len(ids))
    assert [blank["token"] for blank in result["output"]["blanks"]] == hidden
    for blank in result["output"]["blanks"]:
        said, exact = [each["prob"] for each in blank["next"]], probs[blank["token"]]
        assert said == pytest.approx(exact.topk(10).values.tolist(), abs=2e-5)
        assert said == pytest.approx([float(exact[each["id"]]) for each in blank["next"]], abs=2e-5)
    assert result["looks"] == pytest.approx(weights[:, 0].mean(0).tolist(), abs=2e-5)


def test_the_verdict_on_two_texts_is_read_off_cls(bert):
    first, second = "paris is the capital of france.", "it was not a bad film."
    result = section.SECTION.questions["judged"].answer({"bert": bert}, {"first": first, "second": second})
    ids, segments = bert.bundle.tokenizer.encode_pair(first, second)
    _, weights, follows = plainly(bert, ids, segments)
    assert result["segments"] == segments
    assert result["output"]["follows"] == pytest.approx(follows, abs=2e-5)
    assert result["looks"] == pytest.approx(weights[:, 0].mean(0).tolist(), abs=2e-5)


def test_a_blank_is_moved_from_both_sides_and_under_a_causal_mask_from_before_alone(bert, monkeypatch):
    tokenizer, view = bert.bundle.tokenizer, {"text": "paris is [the] capital"}
    result = section.SECTION.questions["sides"].answer({"bert": bert}, view)
    ids = tokenizer.encode("paris is the capital")
    index = ids.index(tokenizer.encode("the")[1])
    ids[index] = tokenizer.mask_token
    changes = {}
    for side, at in (("before", index - 1), ("after", index + 1)):
        other = [tokenizer.mask_token if i == at else token for i, token in enumerate(ids)]
        there, here = (plainly(bert, each, [0] * len(ids))[0][index] for each in (other, ids))
        changes[side] = float((there - here).abs().max())
    assert result == pytest.approx(changes, abs=1e-5)
    assert min(changes.values()) > 1e-4
    model = bert.bundle.model
    forward = type(model).forward

    def causally(self, tokens, segments):
        return forward(self, tokens, segments, former.masks.causal(tokens.shape[1]))

    monkeypatch.setattr(type(model), "forward", causally)
    result = section.SECTION.questions["sides"].answer({"bert": bert}, view)
    assert result["before"] > 1e-4
    assert result["after"] == 0


@pytest.mark.parametrize("text", ["[paris] is", "paris is", "[paris] [is]", "paris [is] [SEP] the"])
def test_a_blank_that_has_no_piece_on_both_sides_is_refused(bert, text):
    with pytest.raises(Refusal, match="on both sides"):
        section.SECTION.questions["sides"].answer({"bert": bert}, {"text": text})


@pytest.mark.parametrize("wrong", [{"first": ""}, {"second": None}, {"first": "a" * 5000}])
def test_texts_that_are_none_are_refused(bert, wrong):
    with pytest.raises(Refusal):
        section.SECTION.questions["judged"].answer({"bert": bert}, {"first": "paris", "second": "is"} | wrong)


def with_card(loaded: Loaded, name: str, **card) -> Loaded:
    return replace(loaded, name=name, bundle=replace(loaded.bundle, card=card))


def test_the_ablation_is_read_from_the_card_and_both_models_differ_only_in_the_mask():
    actual = section.masks(former.load("bert"))
    assert actual is not None
    assert [row["name"] for row in actual["rows"]] == ["further", "causal"]
    further, causal = (row["accuracy"] for row in actual["rows"])
    assert further > 1.5 * causal
    controls = former.load("bert").card["controls"]
    plain, masked = (each["commands"][0].split(" --set ")[1] for each in controls)
    assert plain.replace("causal=false", "causal=true") == masked


def test_the_figures_are_the_cards_own_and_what_a_card_does_not_hold_is_left_out(bert, classifier):
    assert section.props({"bert": bert})["measured"] == bert.bundle.card["quality"][0]
    assert section.props({"bert": bert})["tuned"] is None
    assert section.props({"b": with_card(bert, "b")})["measured"] is None
    quality = [{"split": split, "accuracy": right, "command": split} for split, right in (("val", 0.8), ("test", 0.79))]
    alone = with_card(classifier, "bert-reviews", quality=quality)
    result = section.props({"bert": bert, alone.name: alone})["tuned"]
    assert (result["split"], result["command"], result["rows"]) == (
        "test",
        "test",
        [{"name": "pretrained", "accuracy": 0.79}],
    )
    controls = [
        {"name": "not_pretrained", "split": "test", "accuracy": 0.7},
        {"name": "causal", "split": "test", "accuracy": 0.75},
        {"name": "causal", "split": "val", "accuracy": 0.76},
    ]
    beside = with_card(classifier, "bert-reviews", quality=quality, controls=controls)
    rows = section.props({"bert": bert, beside.name: beside})["tuned"]["rows"]
    assert [tuple(row.values()) for row in rows] == [("pretrained", 0.79), ("not_pretrained", 0.7), ("causal", 0.75)]


def test_the_section_stands_where_a_model_fills_in_words_and_the_shipped_one_goes_first(models, bert):
    def named(models):
        return [each.name for each in available_sections(models)]

    assert "bert" not in named(models)
    assert named(models | {"own": with_card(bert, "own")}) == named(models | {"bert": bert})
    names = [each["name"] for each in page.contents(available_sections(models | {"bert": bert}))]
    assert names[names.index("bert") - 1 : names.index("bert") + 2] == ["encoder-decoder", "bert", "gpt-2"]
    own = with_card(bert, "own")
    assert section.props({"own": own})["model"] == "own"
    assert section.props({"own": own, "bert": bert})["model"] == "bert"
    for served, status in ((models, 404), (models | {"bert": bert}, 200)):
        server = FastAPI()
        routes.attach(server, site_of(served))
        assert TestClient(server).get("/learn/bert.json").status_code == status
