"""A Bert on the page compared with `transformers`, for the same weights and the same hidden words."""

import copy
import math
from typing import Any

import pytest
import torch
import transformers

from former.tokens import WordPieceTokenizer
from tests.viz.passes.answered import answered, measured, run
from viz.passes import measures, sources
from viz.passes.store import PassStore
from viz.tabs.explore.answer import answer
from viz.text import NothingToShow, Refusal, in_words

TEXT = "Paris is the [capital] of France. [SEP] It was un[believ]able [MASK] there."
OFF = [{"layer": 1, "head": 2, "do": "scale", "factor": 0.0}]
SHAPE: dict[str, Any] = {"hidden_size": 48, "num_attention_heads": 4, "num_hidden_layers": 3, "intermediate_size": 96}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Saves a model of `transformers` with random weights."""
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("bert") / "small-bert"
    tokenizer = WordPieceTokenizer.train(["paris is the capital of france. it was believed there, unable."] * 3, 120)
    config = transformers.BertConfig(vocab_size=120, max_position_embeddings=40, initializer_range=0.3, **SHAPE)
    transformers.BertForPreTraining(config).save_pretrained(folder)
    (folder / "tokenizer.json").write_text(tokenizer.to_dict()["definition"], encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def bert(folder):
    return sources.open_model(str(folder))


@pytest.fixture(scope="module")
def theirs(folder):
    return transformers.BertForPreTraining.from_pretrained(folder, attn_implementation="eager").eval()


def without_head(model, layer, head):
    """Returns the same model with one head ablated, by zeros in the matrix that reads it."""
    model = copy.deepcopy(model)
    size = SHAPE["hidden_size"] // SHAPE["num_attention_heads"]
    model.bert.encoder.layer[layer].attention.output.dense.weight.data[:, head * size : (head + 1) * size] = 0
    return model


@torch.no_grad()
def ran(model, header):
    """Returns the probabilities (t, num_tokens), the maps (layers, h, t, t), and the probability that the second text
    follows."""
    inputs = {"input_ids": torch.tensor([header["ids"]]), "token_type_ids": torch.tensor([header["segments"]])}
    out = model(**inputs, output_attentions=True)
    follows = float(out.seq_relationship_logits[0].softmax(-1)[0])
    return out.prediction_logits[0].softmax(-1), torch.cat(out.attentions), follows


def test_a_word_in_brackets_is_hidden_and_remembered_and_each_of_its_pieces_is_a_blank(bert):
    header = run(bert, TEXT).header
    words = {TEXT[word["from"] : word["to"]]: word for word in header["words"]}
    assert words["[capital]"]["hidden"]
    assert "".join(piece.removeprefix("##") for piece in words["[capital]"]["pieces"]) == "capital"
    assert not words["un"]["hidden"]
    assert words["[MASK]"]["pieces"] == ["[MASK]"]
    hidden = [i for word in header["words"] if word["hidden"] for i in word["tokens"]]
    assert hidden == [i for i, label in enumerate(header["labels"]) if label == "[MASK]"]
    assert [blank["token"] for blank in header["output"]["blanks"]] == hidden
    unknown = [blank["token"] for blank in header["output"]["blanks"] if blank["truth"] is None]
    assert unknown == words["[MASK]"]["tokens"]
    second = header["labels"].index("[SEP]") + 1
    assert header["segments"] == [0] * second + [1] * (header["tokens"] - second)


@pytest.mark.parametrize("edits", [[], OFF], ids=["plain", "a head off"])
def test_the_maps_the_candidates_and_the_verdict_are_those_of_transformers(bert, theirs, edits):
    pass_ = run(bert, TEXT, edits)
    model = without_head(theirs, 1, 2) if edits else theirs
    probs, maps, follows = ran(model, pass_.header)
    torch.testing.assert_close(pass_.map("self").weights, maps, atol=1e-5, rtol=0)
    assert pass_.header["output"]["follows"] == pytest.approx(follows, abs=2e-5)
    for blank in pass_.header["output"]["blanks"]:
        at = probs[blank["token"]]
        values = [(each["id"], each["prob"]) for each in blank["next"]]
        assert [prob for _, prob in values] == pytest.approx([float(at[i]) for i, _ in values], abs=2e-5)
        others = [float(prob) for i, prob in enumerate(at) if i not in dict(values)]
        assert max(others) <= float(at.topk(10).values[-1]) + 2e-5, "one of the ten likeliest is left out"
        if blank["truth"]:
            assert blank["truth"]["prob"] == pytest.approx(float(at[blank["truth"]["id"]]), abs=2e-5)
    if edits:
        plain = ran(theirs, pass_.header)
        assert pass_.header["baseline"]["follows"] == pytest.approx(plain[2], abs=2e-5)
        for blank in pass_.header["baseline"]["blanks"]:
            for each in blank["next"]:
                assert each["prob"] == pytest.approx(float(plain[0][blank["token"], each["id"]]), abs=2e-5)


def test_a_head_is_worth_the_bits_that_the_hidden_pieces_cost_without_it(bert, theirs):
    pass_ = run(bert, "Paris is the [capital] of [France].")
    targets = {blank["token"]: blank["truth"]["id"] for blank in pass_.header["output"]["blanks"]}

    def bits(model) -> float:
        probs, _, _ = ran(model, pass_.header)
        return sum(-math.log2(float(probs[i, target])) for i, target in targets.items()) / len(targets)

    for row in measures.heads(pass_.run):
        for head, effect in enumerate(row["effects"]):
            removed = bits(without_head(theirs, row["layer"], head))
            assert effect == pytest.approx(removed - bits(theirs), abs=1e-4)


def test_without_a_hidden_word_heads_are_worth_nothing_that_could_be_measured(bert):
    with pytest.raises(Refusal, match="Hide a word first"):
        measured("interventions/removed", bert, run(bert, "Paris is the capital."))


def test_the_lens_has_a_column_for_each_hidden_piece_and_ends_in_what_the_model_says(bert):
    pass_ = run(bert, TEXT, OFF)
    read = answered("lens/depths", bert, pass_)
    assert len(read["ids"]) == SHAPE["num_hidden_layers"] + 1
    for likeliest, blank in zip(read["probs"][-1], pass_.header["output"]["blanks"], strict=True):
        assert likeliest[0] == pytest.approx(blank["next"][0]["prob"], abs=2e-5)
    with pytest.raises(NothingToShow, match="Hide a word first"):
        answered("lens/depths", bert, run(bert, "Paris is the capital."))


@pytest.mark.parametrize(
    "text", ["the " * 60, "the [capital] " * 30, "it was there " * 9 + "[SEP]" + " of france" * 25]
)
def test_of_a_text_that_is_too_long_what_is_read_stands_between_cls_and_sep(bert, text):
    pass_ = run(bert, text)
    labels = pass_.header["labels"]
    assert len(labels) == bert.max_tokens == 40
    assert labels[0] == "[CLS]"
    assert labels[-1] == "[SEP]"
    assert labels.count("[SEP]") == 1 + ("[SEP]" in text)
    assert [i for word in pass_.header["words"] for i in word["tokens"]] == [
        i for i, label in enumerate(labels) if label not in ("[CLS]", "[SEP]")
    ]
    assert pass_.header["total"] > 40
    message = answer({"b": bert}, PassStore({bert.name: bert}), {"model": "b", "text": text})
    assert "40 tokens at once" in in_words(message["notes"][0])


@pytest.mark.parametrize(
    "text",
    ["[SEP]", "[SEP] the", "[CLS] [PAD]", "[]", "[[the]]", "[👩‍👩‍👧]", "\ud83d", "[the", "[MASK][MASK]", "[UNK]"],
)
def test_odd_brackets_are_read_as_well_as_they_can_be_or_refused(bert, text):
    try:
        header = run(bert, text).header
    except Refusal:
        assert text == "[SEP]"
    else:
        assert all(0 <= word["from"] < word["to"] <= len(text) for word in header["words"])


def test_a_fine_tuned_bert_gives_the_verdict_of_transformers(tmp_path, folder):
    torch.manual_seed(1)
    config = transformers.BertConfig(vocab_size=120, max_position_embeddings=40, initializer_range=0.3, **SHAPE)
    model = transformers.BertForSequenceClassification(config).eval()
    model.save_pretrained(tmp_path / "verdicts")
    (tmp_path / "verdicts" / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    loaded = sources.open_model(str(tmp_path / "verdicts"))
    pass_ = run(loaded, "of france " * 40)
    assert (pass_.header["labels"][0], pass_.header["labels"][-1]) == ("[CLS]", "[SEP]")
    expected = model(torch.tensor([pass_.header["ids"]])).logits[0].softmax(-1)
    assert pass_.header["output"]["probs"] == pytest.approx(expected.tolist(), abs=2e-5)
    assert len(list(measures.heads(pass_.run))) == SHAPE["num_hidden_layers"]
    first, *_, last = measures.each_word(pass_.run)
    assert "agreement" in last
    reached = torch.eye(len(pass_.header["ids"]))[0]  # the verdict is read from [CLS]
    for layer in pass_.map("self").weights.flip(0):
        reached = (reached @ layer.mean(0) + reached) / 2
    assert first["attention"] == pytest.approx(reached.tolist(), abs=2e-5)
    assert first["blank"] == "[UNK]"


def test_the_words_of_a_text_are_those_that_its_pieces_come_from():
    tokenizer = WordPieceTokenizer.train(["paris is unbelievable"], 60)
    text = "Unbelievable[MASK], é 👩 Paris!"
    result = tokenizer.words(text)
    assert [i for _, _, ids in result for i in ids] == tokenizer.pieces(text)
    assert [text[start:end] for start, end, _ in result] == ["Unbelievable", "[MASK]", ",", "é", "👩", "Paris", "!"]
