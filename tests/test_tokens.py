"""Tokenizers: every text survives, every token can be shown."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from former.tokens import PAD, UNK, ByteTokenizer, WordTokenizer, from_dict

BYTES = ByteTokenizer()


@given(st.text())
def test_bytes_decode_to_the_text_they_encode(text):
    ids = BYTES.encode(text)
    assert ids == list(text.encode())
    assert BYTES.decode(ids) == text


@given(st.lists(st.integers(0, 255)))
def test_any_bytes_can_be_decoded_and_labelled_one_for_one(ids):
    BYTES.decode(ids).encode("utf-8")  # no half character is left
    labels = BYTES.labels(ids)
    assert len(labels) == len(ids)
    assert all(label and label.isprintable() and label != " " for label in labels)
    "".join(labels).encode("utf-8")


def test_bytes_show_half_a_character_newline_and_space_as_what_they_are():
    euro = "€".encode()
    assert BYTES.labels(list(b"a \n" + euro + euro[:2])) == ["a", "␣", "⏎", "€", "‥", "‥", "xE2", "x82"]
    assert BYTES.labels(BYTES.encode("\t\x00\x7f\u202e")) == ["⇥", "␀", "␡", "U+202E", "‥", "‥"]
    assert BYTES.decode(list(euro[:2])) == "\ufffd"


def test_a_lone_surrogate_is_read_as_a_question_mark():
    assert BYTES.encode("a\ud800") == list(b"a?")


def test_words_are_lower_cased_and_html_breaks_removed():
    text = "It's GREAT!<br /><br>Isn’t it?"
    assert WordTokenizer.split(text) == ["it's", "great", "!", "isn’t", "it", "?"]


def test_the_vocabulary_is_built_from_counts():
    tokenizer = WordTokenizer.build(["b b b a a c", "c d <br/> b"], num_tokens=5)
    assert tokenizer.words == (PAD, UNK, "b", "a", "c")
    assert tokenizer.encode("a B d") == [3, 2, 1]
    assert tokenizer.decode([3, 2, 1, 0, 0]) == "a b <unk>"
    assert tokenizer.labels([0, 4]) == [PAD, "c"]


@given(st.text())
def test_no_typed_text_becomes_padding(text):
    tokenizer = WordTokenizer.build(["pad the pad"], num_tokens=10)
    assert 0 not in tokenizer.encode(text + PAD)
    assert len(tokenizer.encode(text)) == len(WordTokenizer.split(text))


@pytest.mark.parametrize("tokenizer", [BYTES, WordTokenizer.build(["naïve «quotes»"], 10)])
def test_a_tokenizer_comes_back_from_its_dictionary(tokenizer):
    again = from_dict(tokenizer.to_dict())
    assert again.to_dict() == tokenizer.to_dict()
    assert again.encode("a naïve text") == tokenizer.encode("a naïve text")
    assert again.num_tokens == tokenizer.num_tokens
