"""Tokenizers in the folders of others: BERT's and GPT-2's files, in any mixture, read as by `transformers`."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

import former
from former.tokens import BpeTokenizer, TokenBeyondModel, WordPieceTokenizer
from tests.test_pretrained_others import TEXT, assert_same
from tests.their_models import (
    BPE,
    PIECES,
    TEXTS,
    T,
    bert_config,
    gpt2_config,
    llama_config,
    neox_config,
    roberta_config,
    saved,
    settle,
)


def vocabulary(tokenizer: WordPieceTokenizer) -> str:
    return "".join(f"{piece}\n" for piece in tokenizer.labels(range(tokenizer.num_tokens)))


def older_files(folder: Path, text: str, **settings: Any) -> None:
    """Replaces tokenizer.json by the older vocab.txt."""
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_bytes(text.encode())
    if settings:
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))


@pytest.mark.parametrize("older", [False, True], ids=["tokenizer.json", "vocab.txt"])
@torch.no_grad()
def test_a_gpt2_on_berts_pieces_reads_a_text_after_cls_and_goes_on(older, tmp_path):
    theirs = saved(T.GPT2LMHeadModel(gpt2_config(vocab_size=120, bos_token_id=2, eos_token_id=3)), tmp_path)
    (tmp_path / "tokenizer.json").write_text(PIECES.to_dict()["definition"], encoding="utf-8")
    if older:
        older_files(tmp_path, vocabulary(PIECES))
        reference = T.BertTokenizer(str(tmp_path / "vocab.txt"))
    else:
        reference = T.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"))
    bundle = assert_same(tmp_path, theirs.transformer)
    tokenizer = bundle.tokenizer
    assert isinstance(tokenizer, WordPieceTokenizer)
    for text in (*TEXTS, "北京的cats"):
        assert [*tokenizer.encode(text), tokenizer.sep_token] == reference(text)["input_ids"]
    assert tokenizer.encode_pair("the", "cats")[0] == [*tokenizer.encode("the"), 3, *tokenizer.pieces("cats"), 3]
    run = bundle.run(TEXTS[0])
    assert run.ids == tokenizer.encode(TEXTS[0])[:40]
    former.save(bundle, tmp_path / "ours")
    assert former.load(tmp_path / "ours").tokenizer.encode(TEXT) == tokenizer.encode(TEXT)
    former.pretrained.save(bundle, tmp_path / "again")
    tokens = torch.tensor([tokenizer.encode(TEXT)[:40]])
    reloaded = T.AutoModelForCausalLM.from_pretrained(tmp_path / "again")
    torch.testing.assert_close(reloaded(tokens).logits, bundle.model(tokens), atol=1e-4, rtol=0)
    assert T.AutoTokenizer.from_pretrained(tmp_path / "again")(TEXT)["input_ids"][:-1] == tokenizer.encode(TEXT)


@pytest.mark.parametrize("older", [False, True], ids=["tokenizer.json", "vocab.txt"])
@pytest.mark.parametrize("gone", [("[MASK]",), ("[PAD]", "[MASK]")], ids=len)
@torch.no_grad()
def test_a_gpt2_on_berts_pieces_needs_no_mask_and_no_padding(gone, older, tmp_path):
    theirs = saved(T.GPT2LMHeadModel(gpt2_config(vocab_size=120)), tmp_path)
    older_files(tmp_path, "".join(f"{piece}\n" for piece in vocabulary(PIECES).split() if piece not in gone))
    pieces = WordPieceTokenizer.from_vocabulary((tmp_path / "vocab.txt").read_text().split(), closed=False)
    if not older:
        (tmp_path / "tokenizer.json").write_text(pieces.to_dict()["definition"], encoding="utf-8")
    bundle = assert_same(tmp_path, theirs.transformer)
    reference = T.BertTokenizer(str(tmp_path / "vocab.txt"))
    for text in (*TEXTS, "[PA] [MAS]"):
        assert [*bundle.tokenizer.encode(text), pieces.sep_token] == reference(text)["input_ids"]
    assert bundle.run(TEXT).tokens[0] == "[CLS]"
    former.save(bundle, tmp_path / "ours")
    assert former.load(tmp_path / "ours").tokenizer.encode(TEXT) == bundle.tokenizer.encode(TEXT)
    theirs = saved(T.BertModel(bert_config()), tmp_path / "bert")
    older_files(tmp_path / "bert", (tmp_path / "vocab.txt").read_text())
    with pytest.raises(former.CheckpointError, match=rf"pieces must have the tokens .*, got none for \['\{gone[0]}"):
        former.pretrained.load(tmp_path / "bert")


def test_a_tokenizer_that_finds_japanese_words_by_another_program_is_refused(tmp_path):
    saved(T.GPT2Model(gpt2_config()), tmp_path)
    settle(tmp_path, older=True, tokenizer_class="BertJapaneseTokenizer")
    (tmp_path / "merges.txt").unlink(missing_ok=True)
    (tmp_path / "vocab.txt").write_text(vocabulary(PIECES), encoding="utf-8")
    with pytest.raises(former.CheckpointError, match="BertJapaneseTokenizer finds words by MeCab"):
        former.pretrained.load(tmp_path)


@pytest.mark.parametrize("kind", ["BertTokenizer", "BertTokenizerFast", "DistilBertTokenizer"])
@pytest.mark.parametrize("where", ["tokenizer_config.json", "config.json"])
@pytest.mark.parametrize("model", ["gpt2", "llama"])
def test_of_two_tokenizers_the_settings_decide_which_is_read(model, where, kind, tmp_path):
    saved(T.GPT2Model(gpt2_config()) if model == "gpt2" else T.LlamaModel(llama_config()), tmp_path)
    settle(tmp_path, older=True)
    (tmp_path / "vocab.txt").write_text(vocabulary(PIECES), encoding="utf-8")
    plain = (tmp_path / where).read_text()

    def load(kind: str) -> Any:
        (tmp_path / where).write_text(json.dumps({**json.loads(plain), "tokenizer_class": kind}))
        return former.pretrained.load(tmp_path).tokenizer

    assert load("GPT2Tokenizer").encode(TEXT) == BPE.encode(TEXT)
    for merges in ("a b\n", ""):
        (tmp_path / "merges.txt").write_text(merges)
        (tmp_path / "vocab.json").write_text("{}")
        tokenizer = load(kind)
        theirs = T.AutoTokenizer.from_pretrained(tmp_path)
        for text in TEXTS:
            assert [*tokenizer.encode(text), tokenizer.sep_token] == theirs(text)["input_ids"]


@pytest.mark.parametrize("model", [T.BertForMaskedLM, T.GPT2LMHeadModel])
def test_only_a_text_with_a_token_beyond_the_embedding_is_refused(model, tmp_path):
    config: Any = gpt2_config() if model is T.GPT2LMHeadModel else bert_config(vocab_size=PIECES.num_tokens)
    theirs = saved(model(config), tmp_path)
    own = former.pretrained.load(tmp_path).tokenizer.encode(TEXT)
    reference = T.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"))
    reference.add_tokens(["<speaker>"])
    reference.save_pretrained(tmp_path)
    (tmp_path / "tokenizer_config.json").unlink()
    bundle = assert_same(tmp_path, theirs.base_model)
    assert bundle.tokenizer.encode(TEXT) == own
    assert bundle.tokenizer.num_tokens == bundle.config.num_tokens
    with pytest.raises(TokenBeyondModel, match="text must not use '<speaker>', which is not among") as refusal:
        bundle.tokenizer.encode("hello <speaker>")
    assert refusal.value.token == "<speaker>"
    former.save(bundle, tmp_path / "ours")
    assert former.load(tmp_path / "ours").tokenizer.encode(TEXT) == own


CASED = WordPieceTokenizer.train(["The Cat sat on the Mat. THE DOG did not. " * 5], 120, lower_case=False)


@torch.no_grad()
def test_a_vocabulary_with_capitals_keeps_them_unless_its_settings_say_otherwise(tmp_path):
    theirs = saved(T.BertForMaskedLM(bert_config(vocab_size=CASED.num_tokens)), tmp_path)
    older_files(tmp_path, vocabulary(CASED))
    text = "The Cat sat"
    tokenizer = assert_same(tmp_path, theirs.bert, text).tokenizer
    assert isinstance(tokenizer, WordPieceTokenizer)
    assert (
        tokenizer.encode(text) == T.BertTokenizer(str(tmp_path / "vocab.txt"), do_lower_case=False)(text)["input_ids"]
    )
    assert tokenizer.unk_token not in tokenizer.encode(text)
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": true}')
    assert former.pretrained.load(tmp_path).tokenizer.encode(text) == tokenizer.encode(text.lower())


UNCASED = {
    "90 pieces": vocabulary(WordPieceTokenizer.train(TEXTS, 90)),
    "few pieces": vocabulary(WordPieceTokenizer.train(["a cat " * 9], 20)),
    "Chinese": "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n北\n京\n",
}


@pytest.mark.parametrize("plain", UNCASED.values(), ids=UNCASED)
@pytest.mark.parametrize(
    ("added", "cased"),
    [
        # Lines in capitals, as people put in the place of unused pieces, do not make an uncased vocabulary cased.
        *((added, False) for added in ("", "X", "##X", "İ", "URL", "X\nURL", "[BOS]\n[EOS]\n<S>\n<T>")),
        *((added, True) for added in ("Cat\nMat\nThe", "É\nÀ\n##Ω")),  # and without single capital letters
    ],
    ids=repr,
)
def test_a_vocabulary_is_cased_if_a_share_of_its_pieces_has_capitals(added, cased, plain, tmp_path):
    pieces = f"{plain}{added}\n".replace("\n\n", "\n")
    saved(T.BertModel(bert_config(vocab_size=pieces.count("\n"))), tmp_path)
    older_files(tmp_path, pieces)
    theirs = T.BertTokenizer(str(tmp_path / "vocab.txt"), do_lower_case=not cased)
    ours = former.pretrained.load(tmp_path).tokenizer
    for text in ("The Cat", "THE MAT X İ é", "a URL"):
        assert ours.encode(text) == theirs(text)["input_ids"]
    assert cased or ours.encode("THE CAT") == ours.encode("the cat")


def test_a_vocabulary_with_a_byte_order_mark_and_lines_of_windows_is_read(tmp_path):
    theirs = saved(T.BertModel(bert_config()), tmp_path)
    older_files(tmp_path, "\ufeff" + vocabulary(PIECES).replace("\n", "\r\n") + "\r\n")
    assert assert_same(tmp_path, theirs).tokenizer.encode(TEXT) == PIECES.encode(TEXT)
    saved(T.GPT2Model(gpt2_config()), tmp_path / "gpt2")
    definition = json.loads(BPE.to_dict()["definition"])["model"]
    (tmp_path / "gpt2" / "tokenizer.json").unlink()
    merges = "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in definition["merges"])
    words = json.dumps({**definition["vocab"], "<|endoftext|>": 299})
    for name, text in (("merges.txt", merges), ("vocab.json", words)):
        (tmp_path / "gpt2" / name).write_bytes(f"\ufeff{text}".encode())
    tokenizer = former.pretrained.load(tmp_path / "gpt2").tokenizer
    assert isinstance(tokenizer, BpeTokenizer)
    assert tokenizer.encode(TEXT) == BPE.encode(TEXT)


def test_a_character_that_becomes_no_token_is_named():
    assert PIECES.dropped("the\u200b cat\ufe0f \x01 s\u0301\u200b at\n") == "\u200b\ufe0f\x01\u0301"
    assert PIECES.dropped("the cats é 北京 👍 𠀀 \ud800") == ""
    assert CASED.dropped("e\u0301") == ""  # accents stay: it is a piece, or [UNK]


SPACED: dict[str, Any] = {
    "GPT2Tokenizer": lambda: T.GPT2LMHeadModel(gpt2_config()),
    "RobertaTokenizer": lambda: T.RobertaForMaskedLM(roberta_config()),
    "GPTNeoXTokenizer": lambda: T.GPTNeoXForCausalLM(neox_config()),
    "PreTrainedTokenizerFast": lambda: T.GPTNeoXForCausalLM(neox_config()),  # ignores the setting
}


@pytest.mark.parametrize(
    ("kind", "older"), [*((kind, False) for kind in SPACED), ("GPT2Tokenizer", True), ("RobertaTokenizer", True)]
)
def test_a_space_before_a_text_is_as_the_tokenizers_settings_say_and_is_written_again(kind, older, tmp_path):
    saved(SPACED[kind](), tmp_path)
    settle(tmp_path, older, tokenizer_class=kind, add_prefix_space=True)
    theirs, bundle = T.AutoTokenizer.from_pretrained(tmp_path), former.pretrained.load(tmp_path)
    former.pretrained.save(bundle, tmp_path / "again")
    reloaded = T.AutoTokenizer.from_pretrained(tmp_path / "again")
    for text in ("The cats", " the cat", "é 北京\n x"):
        assert bundle.tokenizer.encode(text) == theirs(text)["input_ids"] == reloaded(text)["input_ids"]
