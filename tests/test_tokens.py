"""Tokenizers: every text survives encoding and decoding, and every token has a label."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from former.tokens import PAD, UNK, ByteTokenizer, CharacterTokenizer, WordTokenizer, from_dict
from former.tokens.labels import byte_labels, join_labels

BYTES = ByteTokenizer()
CHARACTERS = CharacterTokenizer("0123456789 -abï", {"<back>": "0-00", "<forth>": ""})


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


def test_bytes_are_read_from_an_array_of_numbers_as_from_a_list():
    ids = BYTES.encode("naïve")
    assert BYTES.decode(np.array(ids)) == "naïve"  # pyright: ignore[reportArgumentType]
    assert BYTES.labels(np.array(ids)) == BYTES.labels(ids)  # pyright: ignore[reportArgumentType]


def test_labels_of_bytes_join_to_the_letters_that_people_see():
    for text in ("e\u0301", "👩\u200d👩\u200d👧", "❤️\u200d🔥", "น้ำ", "שלום"):
        assert join_labels(byte_labels(text.encode())) == text
    assert join_labels(["a", "U+200D"]) == "aU+200D"


def test_bytes_show_half_a_character_newline_and_space_as_what_they_are():
    euro = "€".encode()
    assert BYTES.labels(list(b"a \n" + euro + euro[:2])) == ["a", "␣", "⏎", "€", "‥", "‥", "xE2", "x82"]
    assert BYTES.labels(BYTES.encode("\t\x00\x7f\u202e")) == ["⇥", "x00", "x7F", "U+202E", "‥", "‥"]
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


@pytest.mark.parametrize("tokenizer", [BYTES, CHARACTERS, WordTokenizer.build(["naïve «quotes»"], 10)])
def test_a_tokenizer_comes_back_from_its_dictionary(tokenizer):
    reloaded = from_dict(tokenizer.to_dict())
    assert reloaded.to_dict() == tokenizer.to_dict()
    assert reloaded.encode("a naïve text") == tokenizer.encode("a naïve text")
    assert reloaded.num_tokens == tokenizer.num_tokens


def test_characters_stand_behind_the_task_whose_shape_the_text_has():
    assert CHARACTERS.labels(CHARACTERS.encode("3-21")) == ["<back>", "3", "-", "2", "1"]
    for text in ("3-2", "33-21", "a-bb", "", "3-21 ", "٣-٢١"):
        assert CHARACTERS.labels(CHARACTERS.encode(text))[0] == "<forth>"
    assert CharacterTokenizer("ab").encode("ab") == [4, 5]


def test_characters_to_write_stand_between_their_beginning_and_their_end():
    ids = CHARACTERS.encode_target("a é")
    assert (ids[0], ids[-1]) == (CHARACTERS.begin, CHARACTERS.end)
    assert CHARACTERS.labels(ids) == ["<begin>", "a", "␣", "<unk>", "<end>"]
    assert CHARACTERS.decode(ids) == "a \ufffd"


@given(st.text())
def test_every_text_of_characters_is_read_one_for_one_and_never_as_padding(text):
    ids = CHARACTERS.encode(text)
    assert len(ids) == len(text) + 1
    assert 0 not in ids
    assert CHARACTERS.decode(ids) == "".join(c if c in CHARACTERS.characters else "\ufffd" for c in text)


@pytest.mark.parametrize(
    ("characters", "tasks", "message"),
    [
        ("aba", {}, "must be distinct"),
        ("ab", {"<begin>": ""}, "must be distinct"),
        ("ab", {"a": ""}, "names of several characters"),
        ("ab", {"<x>": 3}, "must map the name of each task to a shape"),
        ("ab", ["<x>"], "must map the name of each task to a shape"),
    ],
)
def test_a_vocabulary_of_characters_that_does_not_fit_is_refused(characters, tasks, message):
    with pytest.raises(ValueError, match=message):
        from_dict({"kind": "characters", "characters": characters, "tasks": tasks})
