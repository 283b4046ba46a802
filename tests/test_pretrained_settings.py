"""Settings in tokenizer_config.json and config.json, in all their forms: followed as by `transformers`, or refused."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

import former
from former.tokens import PieceTokenizer
from tests.test_pretrained_others import change_config
from tests.their_models import (
    T,
    bert_config,
    gpt2_config,
    llama_config,
    neox_config,
    roberta_config,
    saved,
    settle,
)

TEXTS = ("The Cats sat", "café É 北京 x", "the <mask> sat", "a <|endoftext|> b", " the cat")
BEGUN = {  # a post-processor that puts the end of text, 299, before a text
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
    "special_tokens": {"<|endoftext|>": {"id": "<|endoftext|>", "ids": [299], "tokens": ["<|endoftext|>"]}},
}


def assert_reads_as_theirs(folder: Path) -> Any:
    """Compares the ids of `TEXTS` with those of `transformers`; returns our bundle."""
    bundle, theirs = former.pretrained.load(folder), T.AutoTokenizer.from_pretrained(folder)
    for text in TEXTS:
        assert bundle.tokenizer.encode(text) == theirs(text)["input_ids"]
    return bundle


@pytest.mark.parametrize(
    "settings",
    [
        {"do_lower_case": False},
        {"strip_accents": False},
        {"do_lower_case": False, "strip_accents": True},
        {"tokenize_chinese_chars": False, "strip_accents": None},
    ],
)
def test_berts_settings_decide_over_its_definition(settings, tmp_path):
    saved(T.BertModel(bert_config()), tmp_path)
    settle(tmp_path, tokenizer_class="BertTokenizer", **settings)
    bundle = assert_reads_as_theirs(tmp_path)
    former.pretrained.save(bundle, tmp_path / "again")
    assert_reads_as_theirs(tmp_path / "again")


def test_a_setting_of_berts_that_is_neither_true_nor_false_is_refused(tmp_path):
    saved(T.BertModel(bert_config()), tmp_path)
    settle(tmp_path, do_lower_case="no")
    with pytest.raises(former.CheckpointError, match="do_lower_case must be true or false, got 'no'"):
        former.pretrained.load(tmp_path)


@pytest.mark.parametrize(
    ("older", "begun", "settings"),
    [
        (False, True, {}),
        (False, False, {"add_bos_token": True}),  # ignored beside a definition
        (True, False, {"add_bos_token": True}),
        (True, False, {"add_bos_token": True, "bos_token": {"__type": "AddedToken", "content": "<|endoftext|>"}}),
        (True, False, {"add_bos_token": False}),
    ],
)
@torch.no_grad()
def test_a_gpt2_reads_the_token_that_its_tokenizer_puts_before_a_text(older, begun, settings, tmp_path):
    theirs = saved(T.GPT2LMHeadModel(gpt2_config()), tmp_path)
    if begun:
        parts = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))
        (tmp_path / "tokenizer.json").write_text(json.dumps({**parts, "post_processor": BEGUN}), encoding="utf-8")
    settle(tmp_path, older, tokenizer_class="GPT2Tokenizer", **settings)
    bundle = assert_reads_as_theirs(tmp_path)
    run = bundle.run("the cats")
    before = begun or (older and settings["add_bos_token"])
    assert (run.ids[0] == 299) == before == isinstance(bundle.tokenizer, PieceTokenizer)
    assert bundle.tokenizer.end_token == 299
    torch.testing.assert_close(run.output, theirs(torch.tensor([run.ids])).logits, atol=1e-4, rtol=0)
    former.pretrained.save(bundle, tmp_path / "again")
    assert_reads_as_theirs(tmp_path / "again")


def test_a_first_token_that_the_vocabulary_lacks_is_refused(tmp_path):
    saved(T.GPT2LMHeadModel(gpt2_config()), tmp_path)
    settle(tmp_path, True, add_bos_token=True, bos_token="<begin>")
    with pytest.raises(former.CheckpointError, match="bos_token must be in the vocabulary, got '<begin>'"):
        former.pretrained.load(tmp_path)


def test_older_files_of_a_model_that_splits_texts_otherwise_than_gpt2_are_refused(tmp_path):
    saved(T.GPTNeoXForCausalLM(neox_config()), tmp_path)
    settle(tmp_path, True, tokenizer_class="GPTNeoXTokenizer")
    cure = "save_pretrained of its AutoTokenizer writes one"
    with pytest.raises(former.CheckpointError, match=rf"has no tokenizer\.json, .* differently; {cure}$"):
        former.pretrained.load(tmp_path)
    settle(tmp_path, tokenizer_class="GPT2Tokenizer")
    assert_reads_as_theirs(tmp_path)


def test_a_definition_that_is_a_list_is_refused(tmp_path):
    saved(T.RobertaForMaskedLM(roberta_config()), tmp_path)
    settle(tmp_path, add_prefix_space=True)
    (tmp_path / "tokenizer.json").write_text("[]")
    with pytest.raises(former.CheckpointError, match=r"tokenizer\.json must be of type dict, got list"):
        former.pretrained.load(tmp_path)


BOOLEANS: list[tuple[Any, Any, tuple[str, ...]]] = [  # a class, its config, and its fields that are true or false
    (T.GPT2Model, gpt2_config, ("scale_attn_by_inverse_layer_idx", "scale_attn_weights")),
    (T.GPT2Model, gpt2_config, ("tie_word_embeddings", "add_cross_attention")),
    (T.BertModel, bert_config, ("is_decoder", "add_cross_attention", "tie_word_embeddings")),
    (T.LlamaModel, llama_config, ("attention_bias", "mlp_bias", "tie_word_embeddings")),
    (T.Qwen3Model, lambda: llama_config(T.Qwen3Config), ("attention_bias", "use_sliding_window")),
    (T.GPTNeoXModel, neox_config, ("attention_bias", "use_parallel_residual", "tie_word_embeddings")),
]


@pytest.mark.parametrize(("kind", "config", "fields"), BOOLEANS, ids=lambda value: getattr(value, "__name__", None))
def test_a_field_that_is_neither_true_nor_false_is_refused_as_by_transformers(kind, config, fields, tmp_path):
    saved(kind(config()), tmp_path)
    whole = json.loads((tmp_path / "config.json").read_text())
    for field in fields:
        for value in (1, 0, "true", None):
            change_config(tmp_path, **{**whole, field: value})
            message = f"{field} must be (true or false|True|False), got {value!r}"
            with pytest.raises(former.CheckpointError, match=message):
                former.pretrained.load(tmp_path)
            with pytest.raises(Exception, match=field):
                T.AutoConfig.from_pretrained(tmp_path)


@pytest.mark.parametrize("value", [1, "true"])
@pytest.mark.parametrize("name", ["add_prefix_space", "add_bos_token", "lstrip"])
def test_a_setting_of_the_tokenizer_that_is_neither_true_nor_false_is_refused(name, value, tmp_path):
    saved(T.GPT2LMHeadModel(gpt2_config()), tmp_path)
    token = {"added_tokens_decoder": {"299": {"content": "<|endoftext|>", name: value}}}
    settle(tmp_path, True, tokenizer_class="GPT2Tokenizer", **(token if name == "lstrip" else {name: value}))
    with pytest.raises(former.CheckpointError, match=f"{name} must be true or false, got {value!r}"):
        former.pretrained.load(tmp_path)


LLAMA_3 = {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}


@pytest.mark.parametrize(
    "changes",
    [
        {"rope_parameters": {"type": "linear", "factor": 2.0}},
        {"rope_parameters": LLAMA_3},  # the old context is the new one if none is given
        {"rope_parameters": {**LLAMA_3, "original_max_position_embeddings": 10}},
        {"rope_parameters": {**LLAMA_3, "rope_theta": 500.0}, "original_max_position_embeddings": 16},
    ],
)
@torch.no_grad()
def test_scaled_frequencies_are_those_of_transformers(changes, tmp_path):
    saved(T.LlamaForCausalLM(llama_config()), tmp_path)
    tokens = torch.randint(300, (1, 40), generator=torch.Generator().manual_seed(0))
    unscaled = former.pretrained.load(tmp_path).model(tokens)
    change_config(tmp_path, **changes)
    theirs = T.AutoModelForCausalLM.from_pretrained(tmp_path).eval()
    ours = former.pretrained.load(tmp_path).model(tokens)
    torch.testing.assert_close(ours, theirs(tokens).logits, atol=1e-4, rtol=0)
    assert (ours - unscaled).abs().max() > 1e-3  # ten times the tolerance


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rope_scaling": "linear"}, "rope_scaling must be the fields of one scaling for all layers, got 'linear'"),
        (
            {"rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 500.0}}},
            "rope_parameters must be the fields of one scaling for all layers, got {'full_attention'",
        ),
        ({"rope_parameters": {"rope_type": "yarn", "factor": 2.0}}, "rope_type must be one of"),
        ({"rope_parameters": {"rope_type": "linear", "factor": "2"}}, "rotary_scaling must be None or factor"),
    ],
)
def test_a_scaling_that_is_not_known_is_refused(changes, message, tmp_path):
    saved(T.LlamaForCausalLM(llama_config()), tmp_path)
    change_config(tmp_path, **changes)
    with pytest.raises(former.CheckpointError, match=message):
        former.pretrained.load(tmp_path)


def test_a_window_that_begins_at_no_layer_is_refused(tmp_path):
    saved(T.Qwen2ForCausalLM(llama_config(T.Qwen2Config)), tmp_path)
    change_config(tmp_path, use_sliding_window=True, sliding_window=8, max_window_layers=None, layer_types=None)
    with pytest.raises(
        former.CheckpointError, match="max_window_layers must be a whole number with use_sliding_window"
    ):
        former.pretrained.load(tmp_path)
    change_config(tmp_path, use_sliding_window=False)
    assert former.pretrained.load(tmp_path).config.mask == "causal"


@pytest.mark.parametrize("older", [False, True], ids=["tokenizer.json", "vocab.json"])
@pytest.mark.parametrize("where", ["added_tokens.json", "added_tokens_decoder"])
def test_tokens_that_another_file_adds_are_read(where, older, tmp_path):
    saved(T.GPT2LMHeadModel(gpt2_config(vocab_size=302)), tmp_path)
    added = {"<|pad|>": 300, "<|user|>": 301}
    options = {"lstrip": False, "rstrip": False, "normalized": False, "single_word": False, "special": True}
    every = {"<|endoftext|>": 299, **added}
    decoder = {str(i): {"content": content, **options} for content, i in every.items()}
    in_file = where == "added_tokens.json"
    settle(tmp_path, older, tokenizer_class="GPT2Tokenizer", **({} if in_file else {where: decoder}))
    if in_file:
        (tmp_path / where).write_text(json.dumps(added))
    ours, theirs = former.pretrained.load(tmp_path).tokenizer, T.AutoTokenizer.from_pretrained(tmp_path)
    for text in ("The<|pad|>cat", "<|user|> sat", "a <|endoftext|> b"):
        assert ours.encode(text) == theirs(text)["input_ids"], text


def test_tokens_that_another_file_adds_to_berts_vocabulary_are_read(tmp_path):
    saved(T.BertModel(bert_config()), tmp_path)
    parts = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))
    pieces = sorted(parts["model"]["vocab"], key=parts["model"]["vocab"].get)
    (tmp_path / "tokenizer.json").unlink()
    (tmp_path / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
    (tmp_path / "added_tokens.json").write_text(json.dumps({"<x>": len(pieces)}))
    settle(tmp_path, tokenizer_class="BertTokenizer")
    ours, theirs = former.pretrained.load(tmp_path).tokenizer, T.AutoTokenizer.from_pretrained(tmp_path)
    for text in ("the cat", "the <x> cat"):
        assert ours.encode(text) == theirs(text)["input_ids"], text


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("added_tokens.json", '{"<x>": 1.5}'),
        ("tokenizer_config.json", '{"added_tokens_decoder": {"a": {"content": "<x>"}}}'),
        ("tokenizer_config.json", '{"added_tokens_decoder": {"300": "<x>"}}'),
    ],
)
def test_a_file_that_adds_no_tokens_is_refused(file, content, tmp_path):
    saved(T.GPT2LMHeadModel(gpt2_config()), tmp_path)
    (tmp_path / file).write_text(content)
    with pytest.raises(former.CheckpointError, match=file.partition(".")[0]):
        former.pretrained.load(tmp_path)


def test_a_model_that_is_replaced_leaves_no_tokens_behind(tmp_path):
    saved(T.GPT2LMHeadModel(gpt2_config()), tmp_path)
    bundle = former.pretrained.load(tmp_path)
    for name in ("added_tokens.json", "special_tokens_map.json", "vocab.json", "merges.txt", "generation_config.json"):
        (tmp_path / name).write_text("{}")
    former.pretrained.save(bundle, tmp_path)
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
