"""RoBERTa and DistilBERT in Hugging Face's format: equal to `transformers`, with their heads and tokenizers."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

import former
from former import cpu
from former.bert import Bert, BertClassifier
from tests.their_models import TEXTS, T, distilbert_config, roberta_config, roberta_pieces, saved

LABELS = {"id2label": {0: "bad", 1: "fair", 2: "good"}, "label2id": {"bad": 0, "fair": 1, "good": 2}}
BODIES = {
    "roberta": (T.RobertaForMaskedLM, roberta_config, {}),
    "roberta with two segments": (T.RobertaForMaskedLM, roberta_config, {"type_vocab_size": 2}),
    "roberta, bare": (T.RobertaModel, roberta_config, {}),
    "distilbert": (T.DistilBertForMaskedLM, distilbert_config, {}),
    "distilbert, bare": (T.DistilBertModel, distilbert_config, {"sinusoidal_pos_embds": True}),
}
CLASSIFIERS = {
    "roberta": (T.RobertaForSequenceClassification, roberta_config),
    "distilbert": (T.DistilBertForSequenceClassification, distilbert_config),
}


def padded(config: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns two texts of which the second is shorter: the tokens, and which of them are real."""
    tokens = torch.randint(5, config.vocab_size, (2, 30), generator=torch.Generator().manual_seed(1))
    tokens[1, 20:] = config.pad_token_id
    return tokens, (tokens != config.pad_token_id).long()


@pytest.mark.parametrize(("kind", "config", "changes"), BODIES.values(), ids=BODIES)
@torch.no_grad()
def test_vectors_words_and_maps_are_those_of_transformers(kind, config, changes, tmp_path):
    theirs = saved(kind(config(**changes)), tmp_path)
    bundle = former.pretrained.load(tmp_path)
    tokens, real = padded(theirs.config)
    expected = theirs(tokens, attention_mask=real, output_attentions=True)
    assert isinstance(bundle.model, Bert)
    assert bundle.model.has_head == ("MaskedLM" in kind.__name__)
    for model in (bundle.model, cpu.optimise(bundle.model)):
        out, capture = former.run_with_capture(model, tokens)
        torch.testing.assert_close(out[real.bool()], expected[0][real.bool()], atol=1e-4, rtol=0)
        for layer, weights in enumerate(expected.attentions):
            rows, expected_rows = (maps.transpose(1, 2)[real.bool()] for maps in (capture["weights", layer], weights))
            torch.testing.assert_close(rows, expected_rows, atol=1e-5, rtol=0)


@pytest.mark.parametrize(("kind", "config"), CLASSIFIERS.values(), ids=CLASSIFIERS)
@torch.no_grad()
def test_a_classifier_gives_the_classes_of_transformers_by_their_names(kind, config, tmp_path):
    theirs = saved(kind(config(**LABELS)), tmp_path)
    bundle = former.pretrained.load(tmp_path)
    assert isinstance(bundle.model, BertClassifier)
    tokens, real = padded(theirs.config)
    expected = theirs(tokens, attention_mask=real).logits.log_softmax(-1)
    torch.testing.assert_close(bundle.model(tokens), expected, atol=1e-4, rtol=0)
    assert {name for name, _ in bundle.run("the cat").classes()} == {"bad", "fair", "good"}
    former.save(bundle, tmp_path / "ours")
    # float16 keeps 11 bits of a weight.
    torch.testing.assert_close(former.load(tmp_path / "ours").model(tokens), expected, atol=0.05, rtol=0)


def write_older(folder: Path) -> None:
    """Writes the tokenizer as vocab.json and merges.txt."""
    definition = json.loads(roberta_pieces().to_dict()["definition"])
    (folder / "vocab.json").write_text(json.dumps(definition["model"]["vocab"]))
    merges = "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in definition["model"]["merges"])
    (folder / "merges.txt").write_text(merges, encoding="utf-8")


@pytest.mark.parametrize("older", [False, True], ids=["tokenizer.json", "vocab.json and merges.txt"])
def test_robertas_tokenizer_reads_as_that_of_transformers(older, tmp_path):
    saved(T.RobertaForMaskedLM(roberta_config()), tmp_path)
    write_older(tmp_path)
    if older:
        (tmp_path / "tokenizer.json").unlink()
    ours: Any = former.pretrained.load(tmp_path).tokenizer
    theirs = T.RobertaTokenizer.from_pretrained(tmp_path)
    masked = [] if older else ["the <mask> sat"]  # from older files theirs keeps the space before the mask as a token
    for text in (*TEXTS, *masked, "é 北京 👍🏽\n"):
        assert ours.encode(text) == theirs(text)["input_ids"]
    assert [0, *ours.pieces("a cat"), *ours.between, *ours.pieces("sat"), 2] == theirs("a cat", "sat")["input_ids"]


@pytest.mark.parametrize(
    "strips", [{}, {"lstrip": True}, {"lstrip": True, "rstrip": True}, {"single_word": True}], ids=str
)
@pytest.mark.parametrize("place", ["mask_token", "added_tokens_decoder", "special_tokens_map"])
def test_older_files_decide_whether_the_mask_takes_the_spaces_around_it(strips, place, tmp_path):
    saved(T.RobertaForMaskedLM(roberta_config()), tmp_path)
    write_older(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    options = dict.fromkeys(("lstrip", "rstrip", "single_word", "normalized"), False) | strips
    mask = {"__type": "AddedToken", "content": "<mask>", **options}
    settings: dict[str, Any] = {"tokenizer_class": "RobertaTokenizer"}
    if place == "special_tokens_map":
        (tmp_path / "special_tokens_map.json").write_text(json.dumps({"mask_token": mask}))
        settings["mask_token"] = {**mask, "lstrip": not options["lstrip"]}  # the older file counts
    else:
        settings[place] = mask if place == "mask_token" else {"299": {"content": "<mask>", **options}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    ours: Any = former.pretrained.load(tmp_path).tokenizer
    theirs = T.RobertaTokenizer.from_pretrained(tmp_path)
    for text in ("the <mask> sat", "a<mask>b"):
        assert ours.encode(text) == theirs(text)["input_ids"]


@torch.no_grad()
def test_a_hidden_word_is_read_with_the_space_before_it(tmp_path):
    theirs = saved(T.RobertaForMaskedLM(roberta_config()), tmp_path)
    bundle = former.pretrained.load(tmp_path)
    tokenizer: Any = bundle.tokenizer
    run = bundle.run("The cats sat on [the] mat")
    hidden = tokenizer.pieces(" the")
    assert list(run.reading.blanks.values()) == hidden  # pyright: ignore[reportAttributeAccessIssue]
    expected = tokenizer.encode("The cats sat on" + "<mask>" * len(hidden) + " mat")
    assert run.ids == expected
    torch.testing.assert_close(run.output, theirs(torch.tensor([expected])).logits, atol=1e-4, rtol=0)
    assert bundle.run("The cats sat on [MASK] mat").ids.count(tokenizer.mask_token) == 1
    two = bundle.run("The cats sat. [SEP] It [is] ours.")
    assert two.ids.count(2) == 3


def test_a_roberta_whose_head_has_another_activation_than_its_blocks_is_refused(tmp_path):
    saved(T.RobertaForMaskedLM(roberta_config(hidden_act="relu")), tmp_path)
    with pytest.raises(former.CheckpointError, match="hidden_act must be 'gelu' with a masked-word head, got 'relu'"):
        former.pretrained.load(tmp_path)


WITHOUT = [  # what config.json lacks
    *((kind, roberta_config, ("model_type",)) for kind in (T.RobertaModel, T.RobertaForMaskedLM)),
    *(
        (kind, distilbert_config, ("model_type", "architectures"))
        for kind in (T.DistilBertModel, T.DistilBertForMaskedLM)
    ),
]
WHOLE_TEXT = (T.RobertaForSequenceClassification, T.DistilBertForSequenceClassification)
HEADS = [  # a class, its config and what config.json lacks
    *((kind, roberta_config, ()) for kind in (T.RobertaForTokenClassification, T.RobertaForQuestionAnswering)),
    *(
        (kind, distilbert_config, gone)
        for kind in (T.DistilBertForTokenClassification, T.DistilBertForQuestionAnswering)
        for gone in ((), ("architectures",), ("model_type", "architectures"))
    ),
]


def read_without(kind: Any, config: Any, gone: tuple[str, ...], folder: Path, **changes: Any) -> former.Bundle:
    """Saves a model, deletes fields of its config.json, and asserts that its last vectors are read as before."""
    theirs = saved(kind(config(**changes)), folder)
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({key: value for key, value in settings.items() if key not in gone}))
    bundle = former.pretrained.load(folder)
    tokens, _ = padded(theirs.config)
    body = theirs.base_model(tokens[:1])[0]
    _, capture = former.run_with_capture(bundle.model, tokens[:1], ["resid_post"])
    torch.testing.assert_close(capture.stack("resid_post")[-1], body, atol=1e-4, rtol=0)
    return bundle


@pytest.mark.parametrize(("kind", "config", "gone"), WITHOUT, ids=lambda value: getattr(value, "__name__", None))
@torch.no_grad()
def test_without_a_model_type_the_class_tells_them_from_bert_and_distilberts_tensors_do(kind, config, gone, tmp_path):
    assert read_without(kind, config, gone, tmp_path).model.has_head == ("MaskedLM" in kind.__name__)


@pytest.mark.parametrize(("kind", "config", "gone"), HEADS, ids=lambda value: getattr(value, "__name__", None))
@torch.no_grad()
def test_of_a_head_for_tokens_the_body_is_read_and_the_head_named(kind, config, gone, tmp_path):
    bundle = read_without(kind, config, gone, tmp_path, num_labels=2)
    assert type(bundle.model) is Bert
    assert bundle.card["heads_left"]


@pytest.mark.parametrize("kind", WHOLE_TEXT, ids=lambda kind: kind.__name__)
@torch.no_grad()
def test_a_classifier_that_says_no_class_is_told_by_its_layers(kind, tmp_path):
    config = roberta_config if "Roberta" in kind.__name__ else distilbert_config
    bundle = read_without(kind, config, ("architectures",), tmp_path, num_labels=3)
    assert isinstance(bundle.model, BertClassifier)
    assert bundle.config.num_classes == 3
