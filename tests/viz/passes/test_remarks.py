"""The remarks on a text that a model cannot read."""

from typing import Any

import pytest
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers

import former
from former.tokens import BpeTokenizer, PieceTokenizer, Tokenizer, visible
from viz.passes.loaded import Loaded
from viz.passes.remarks import remarks
from viz.text import in_words, note


def said(name: str, text: str) -> list:
    bundle = former.load(name)
    return remarks(Loaded(name, bundle, ""), text, bundle.tokenizer.labels(bundle.tokenizer.encode(text)))


def test_a_text_without_a_known_word_is_said_to_be_unreadable():
    for name, text, token, words in (
        ("bert", "مرحبا بالعالم، هذا نص", "[UNK]", 4),
        ("bert", "我喜欢这部电影。", "[UNK]", 7),
        ("classifier", "我喜欢 这部 电影", "<unk>", 3),
    ):
        values = {"count": words, "total": words, "token": token, "unit": former.load(name).tokenizer.unit}
        assert said(name, text) == [note("unreadable", **values, learned="english")]


def test_a_text_of_one_unknown_word_is_described_in_the_singular():
    (only,) = said("classifier", "电影")
    assert "its only word is not in the vocabulary and becomes <unk>" in in_words(only)


@pytest.mark.parametrize("name", ["gpt", "generator"])
def test_a_text_of_single_bytes_is_said_to_be_hardly_readable(name):
    text = "我喜欢这部电影，它很好看。"
    tokens = len(former.load(name).tokenizer.encode(text))
    (only,) = said(name, text)
    assert (only["key"], only["values"]["total"], only["values"]["learned"]) == ("unreadable_bytes", tokens, "english")
    assert only["values"]["count"] >= 0.8 * tokens


def test_a_text_with_one_strange_word_is_readable():
    assert [each["key"] for each in said("bert", "The cat ☃ sat on a mat")] == ["blanks_foreign"]
    for name in ("gpt", "generator"):
        assert said(name, "The naïve cat 😀 sat on a mat") == []


def named(tokenizer: Tokenizer, text: str) -> list:
    """Returns the remarks on a text for a new model with this tokenizer."""
    config = former.ModelConfig(num_tokens=tokenizer.num_tokens, emb=4, heads=1, depth=1, seq_length=9)
    loaded = Loaded("drops", former.Bundle(former.Generator(config).eval(), tokenizer, config), "")
    return remarks(loaded, text, tokenizer.labels(tokenizer.encode(text)))


def test_characters_that_a_tokenizer_drops_are_named():
    definition = tokenizers.Tokenizer(models.BPE({"▁": 0, "a": 1, "b": 2}, []))  # without a token for the unknown
    definition.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer = PieceTokenizer(definition.to_str())
    assert named(tokenizer, "a ☃é b") == [note("dropped", characters=["☃", "é"], count=2)]
    assert named(tokenizer, "a b") == []
    definition.model = models.BPE({"<unk>": 0, "北": 1}, [], unk_token="<unk>", fuse_unk=True)
    assert PieceTokenizer(definition.to_str()).dropped("a北京☃") == "", "all others are <unk>"


def test_characters_that_byte_level_bpe_drops_are_named():
    definition: Any = tokenizers.Tokenizer.from_str(BpeTokenizer.train([""], 257).to_dict()["definition"])
    plain = BpeTokenizer(definition.to_str())
    rules = [normalizers.NFD(), normalizers.StripAccents(), normalizers.Replace("\u200b", "")]
    definition.normalizer = normalizers.Sequence(rules)
    strips = BpeTokenizer(definition.to_str())
    definition.normalizer = None
    split = pre_tokenizers.Split("~", "removed")
    definition.pre_tokenizer = pre_tokenizers.Sequence([split, definition.pre_tokenizer])
    splits = BpeTokenizer(definition.to_str())
    text = "the\u200b cat\u0301 ~\n"
    assert named(strips, text) == [note("dropped", characters=list(map(visible, "\u200b\u0301")), count=2)]
    assert named(splits, text) == [note("dropped", characters=["~"], count=1)]
    assert named(plain, text) == named(strips, "the café ☃") == []
