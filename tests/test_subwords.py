"""Subword tokenizers: the same ids as `transformers`, even for difficult texts, and a label for each token."""

import json
import os
import subprocess
import sys
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given
from transformers import BertTokenizer, GPT2Tokenizer

from former.tokens import BpeTokenizer, WordPieceTokenizer, from_dict

HOSTILE = {
    "nothing": "",
    "spaces only": "   \n\t ",
    "plain": "The animal didn't cross the street, because it was too tired.",
    "emoji, joined and coloured": "👩‍👩‍👧‍👦 👍🏽 🏳️‍🌈 ok",
    "right to left": "שלום עולם مرحبا\u200f\u202eabc\u202c",
    "combining marks": "e\u0301 a\u030a\u0323\u0302\u0301 Z\u0351\u036b\u0343 \u0301",
    "composed and not": "\u00e9 e\u0301 \u1e9b\u0323 ﬁ Å Å",
    "NUL and controls": "a\x00b\x01\x1f\x7f\x85\u2028\u2029z\r\n",
    "Chinese, Japanese, Korean": "我爱北京天安门 日本語のテキスト 한국어 㐀𠀀",
    "a long word": "antidisestablishmentarianism" * 30,
    "long spaces": "a" + " " * 300 + "b" + "\n" * 50,
    "special tokens written out": "[CLS] [MASK][PAD] <|endoftext|>a <|endoftext|> [mask] [UNK]",
    "replacement and private": "\ufffd\ufffe\ue000\U0010ffff",
    "numbers and signs": "3.14159e-10 $1,000.00 ½ ² Ⅷ a_b --- '' “quoted” ’s 'S",
    "odd spaces": "a\u00a0b\u2003c\u3000d\u200be\ufefff",
    "cases": "İstanbul ISTANBUL ß ẞ ŉ ǆ Σίσυφος ΣΊΣΥΦΟΣ",
    "scripts": "हिन्दी ไทย ქართული አማርኛ ᚠᚢᚦ",
}
CORPUS = [*HOSTILE.values(), "the cat sat on the mat, and the cats were sitting there; it isn't theirs. " * 3] * 2
BPE = BpeTokenizer.train(CORPUS, 500)
UNCASED = WordPieceTokenizer.train(CORPUS, 400)
CASED = WordPieceTokenizer.train(CORPUS, 400, lower_case=False)
TEXTS = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())


def gpt2_of_transformers() -> GPT2Tokenizer:
    model = json.loads(BPE.to_dict()["definition"])["model"]
    vocabulary = {**model["vocab"], "<|endoftext|>": BPE.end_token}
    merges: Any = [tuple(pair) for pair in model["merges"]]
    return GPT2Tokenizer(vocab=vocabulary, merges=merges)


def bert_of_transformers(tokenizer: WordPieceTokenizer, lower_case: bool) -> BertTokenizer:
    vocabulary = json.loads(tokenizer.to_dict()["definition"])["model"]["vocab"]
    return BertTokenizer(vocab=vocabulary, do_lower_case=lower_case)


THEIR_BPE = gpt2_of_transformers()
THEIRS = [(UNCASED, bert_of_transformers(UNCASED, True)), (CASED, bert_of_transformers(CASED, False))]


@TEXTS
def test_bpe_reads_and_writes_as_transformers_does(text):
    ids = BPE.encode(text)
    assert ids == THEIR_BPE(text)["input_ids"]
    assert BPE.decode(ids) == THEIR_BPE.decode(ids) == text


@TEXTS
@pytest.mark.parametrize(("ours", "theirs"), THEIRS, ids=["uncased", "cased"])
def test_wordpiece_reads_and_writes_as_transformers_does(text, ours, theirs):
    ids = ours.encode(text)
    assert ids == theirs(text)["input_ids"]
    frame = {ours.cls_token, ours.sep_token, ours.pad_token}
    assert ours.decode(ids) == theirs.decode([i for i in ids if i not in frame])


@pytest.mark.parametrize(("ours", "theirs"), THEIRS, ids=["uncased", "cased"])
def test_two_texts_stand_in_two_segments_as_in_transformers(ours, theirs):
    ids, segments = ours.encode_pair("the cat's mat", "👍 and 北京")
    both = theirs("the cat's mat", "👍 and 北京")
    assert (ids, segments) == (both["input_ids"], both["token_type_ids"])


@given(st.text())
def test_any_text_has_the_same_ids_as_in_transformers(text):
    assert BPE.encode(text) == THEIR_BPE(text)["input_ids"]
    for ours, theirs in THEIRS:
        assert ours.encode(text) == theirs(text)["input_ids"]


@given(st.text())
def test_bpe_decodes_to_the_text_it_encodes(text):
    assert b"".join(BPE.bytes_of(i) for i in BPE.encode(text)) == text.encode("utf-8", errors="replace")
    assert BPE.decode(BPE.encode(text)) == text


@given(st.lists(st.integers(0, BPE.num_tokens - 1)))
def test_any_ids_can_be_decoded_and_labelled_one_for_one(ids):
    for tokenizer in (BPE, UNCASED):
        known = [i % tokenizer.num_tokens for i in ids]
        tokenizer.decode(known).encode("utf-8")
        labels = tokenizer.labels(known)
        assert len(labels) == len(known)
        assert all(label and label.isprintable() and " " not in label for label in labels)


@pytest.mark.parametrize("tokenizer", [BPE, UNCASED, CASED])
def test_a_lone_surrogate_is_read_as_a_question_mark(tokenizer):
    assert tokenizer.encode("a \ud800b") == tokenizer.encode("a ?b")


def test_labels_are_whole_words_with_their_space():
    assert BPE.labels(BPE.encode("the cat")) == ["the", "␣cat"]
    assert BPE.labels([BPE.num_tokens - 1]) == ["<|endoftext|>"]
    labels = ["[CLS]", "the", "mat", "##te", "##d", "[MASK]", "[SEP]"]
    assert UNCASED.labels(UNCASED.encode("The matted [MASK]")) == labels


def test_a_character_cut_between_tokens_stands_at_the_first():
    untrained = BpeTokenizer.train([], 257)  # bytes alone
    ids = untrained.encode("€ \n")
    assert untrained.labels(ids) == ["€", "‥", "‥", "␣", "⏎"]
    assert untrained.labels(ids[:2]) == ["xE2", "x82"]


def test_a_mark_sits_on_its_character_within_a_token_and_on_a_circle_alone():
    untrained = BpeTokenizer.train([], 257)
    assert untrained.labels(untrained.encode("e\u0301")) == ["e", "◌\u0301", "‥"]
    pieces = WordPieceTokenizer.train(["e\u0301 e\u0301"], 20, lower_case=False)
    assert pieces.labels(pieces.pieces("e\u0301")) == ["e\u0301"]


def test_the_same_texts_give_the_same_tokenizers_in_processes_that_hash_in_other_orders():
    code = f"""
from former.tokens import BpeTokenizer, WordPieceTokenizer
for made in BpeTokenizer.train({CORPUS!r}, 300), WordPieceTokenizer.train({CORPUS!r}, 120):
    print(ascii(made.to_dict()))"""
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"  # another than here
    environment = os.environ | {"PYTHONHASHSEED": seed}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True, text=True)
    assert run.stdout.splitlines() == [
        ascii(made.to_dict()) for made in (BpeTokenizer.train(CORPUS, 300), WordPieceTokenizer.train(CORPUS, 120))
    ]


def test_a_trained_vocabulary_has_the_size_asked_for():
    assert (BPE.num_tokens, UNCASED.num_tokens, CASED.num_tokens) == (500, 400, 400)
    assert BPE.end_token == 499
    assert WordPieceTokenizer.train(["abc abd"], 7).num_tokens <= 7


def test_a_word_with_a_character_outside_the_alphabet_is_unknown():
    tokenizer = WordPieceTokenizer.train(["aa ab ba b " * 10 + "ac"], 50, alphabet=2)
    assert tokenizer.labels(tokenizer.pieces("ab ac")) == ["ab", "[UNK]"]


@pytest.mark.parametrize("tokenizer", [BPE, UNCASED, CASED])
def test_a_tokenizer_comes_back_from_its_dictionary(tokenizer):
    reloaded = from_dict(json.loads(json.dumps(tokenizer.to_dict())))
    assert type(reloaded) is type(tokenizer)
    assert reloaded.to_dict() == tokenizer.to_dict()
    for text in HOSTILE.values():
        assert reloaded.encode(text) == tokenizer.encode(text)


def test_a_definition_that_cuts_and_pads_is_read_without():
    definition = json.loads(UNCASED.to_dict()["definition"])
    definition["truncation"] = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}
    definition["padding"] = {
        "strategy": {"Fixed": 9},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    reloaded = WordPieceTokenizer(json.dumps(definition))
    for text in HOSTILE.values():
        assert reloaded.encode(text) == UNCASED.encode(text)


@pytest.mark.parametrize("tokenizer", [BPE, UNCASED])
def test_a_model_may_have_more_tokens_than_its_tokenizer_names(tokenizer):
    more = type(tokenizer)(tokenizer.to_dict()["definition"], tokenizer.num_tokens + 2)
    assert more.num_tokens == tokenizer.num_tokens + 2
    last = tokenizer.num_tokens + 1
    assert more.labels([last]) == [f"[unused{last}]"]
    assert more.decode([last, *tokenizer.encode("the cat")]) == "the cat"
    assert from_dict(more.to_dict()).num_tokens == more.num_tokens


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: BpeTokenizer("{}"), "definition must be the text of a tokenizer.json"),
        (lambda: BpeTokenizer(UNCASED.to_dict()["definition"]), "definition must be byte-level BPE"),
        (lambda: WordPieceTokenizer(BPE.to_dict()["definition"]), "definition must be WordPiece"),
        (lambda: BpeTokenizer(BPE.to_dict()["definition"], 498), "at most the model's 498 tokens, got 499"),
        (lambda: WordPieceTokenizer(UNCASED.to_dict()["definition"], 9), "at most the model's 9 tokens, got 400"),
        (lambda: BpeTokenizer.from_vocabulary({"a": 0}, [("a", "b")]), "vocabulary and merges must fit"),
        (lambda: BpeTokenizer.from_vocabulary({"a": 0, "a b": 1}, []), "byte-level BPE, got the token 'a b'"),
        (lambda: WordPieceTokenizer.from_vocabulary(["[PAD]", "a", "a"]), "pieces must be distinct, got 'a'"),
        (lambda: WordPieceTokenizer.from_vocabulary(["[PAD]", "a"]), r"got none for \['\[UNK\]'"),
        (lambda: BpeTokenizer.train([], 256), "num_tokens must be at least 257, got 256"),
        (lambda: WordPieceTokenizer.train([], 6), "num_tokens must be at least 7, got 6"),
        (lambda: WordPieceTokenizer.train([], 7, alphabet=0), "alphabet must be at least 1, got 0"),
        (lambda: BPE.decode([500]), r"ids must be whole numbers in \[0, 500\), got 500"),
        (lambda: UNCASED.labels([-1]), r"ids must be whole numbers in \[0, 400\), got -1"),
        (lambda: from_dict({"kind": "bpe"}), "with a definition"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(build, message):
    with pytest.raises(ValueError, match=message):
        build()
