"""Reads a tokenizer in Hugging Face's format, from tokenizer.json or older files, and returns settings to write.

BERT has pieces of words, GPT-2 runs of bytes; but some GPT-2 models, such as Chinese ones, use BERT's pieces.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from former import tokens
from former.checkpoints.files import TOKENIZER, CheckpointError
from former.checks import is_whole, require_instance
from former.pretrained.added import SETTINGS, parts_of, settings_of, with_added
from former.pretrained.files import boolean, read_json, read_text
from former.tokens import Tokenizer
from former.tokens.labels import BYTES

VOCABULARY, MERGES, PIECES = "vocab.json", "merges.txt", "vocab.txt"
SPECIAL = "special_tokens_map.json"  # older than the settings in tokenizer_config.json
OF_PIECES = ("BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer")  # classes that read a vocab.txt
JAPANESE = "BertJapaneseTokenizer"  # its vocab.txt is of pieces of words that another program finds
GENERIC = ("PreTrainedTokenizerFast", "TokenizersBackend")  # two names of one class, which ignores these settings:
NORMALIZER = {
    "do_lower_case": "lowercase",
    "strip_accents": "strip_accents",
    "tokenize_chinese_chars": "handle_chinese_chars",
}
"""Settings of BERT's tokenizer → their names in tokenizer.json."""


def read_pieces(folder: Path, num_tokens: int, closed: bool = True) -> Tokenizer:
    """Reads BERT's tokenizer, for a model with `num_tokens` tokens; `closed` says whether texts end with `[SEP]`."""
    if (folder / TOKENIZER).exists():
        return tokens.WordPieceTokenizer(_normalized(folder, _read(folder)), num_tokens, closed)
    if not (folder / PIECES).exists():
        raise _missing(folder, PIECES)
    if _class_of(folder) == JAPANESE:
        raise CheckpointError(
            f"{folder}: a {JAPANESE} finds words by MeCab or other programs, which cannot be done here"
        )
    pieces = read_text(folder / PIECES).rstrip("\n").split("\n")
    values = _normalizer_settings(folder)
    bare = tokens.WordPieceTokenizer.from_vocabulary(
        pieces,
        values.get("do_lower_case", not has_capitals(pieces)),
        values.get("strip_accents"),
        values.get("tokenize_chinese_chars", True),
        closed,
    )
    return tokens.WordPieceTokenizer(with_added(folder, definition(bare)), num_tokens, closed)


def read_bytes(folder: Path, num_tokens: int) -> Tokenizer:
    """Reads GPT-2's tokenizer, for a model with `num_tokens` tokens; or BERT's tokenizer, if the folder has one."""
    if holds_pieces(folder):
        return read_pieces(folder, num_tokens, closed=False)
    if (folder / TOKENIZER).exists():
        return _bytewise(_spaced(folder, _read(folder)), num_tokens)
    if not (folder / VOCABULARY).exists() or not (folder / MERGES).exists():
        raise _missing(folder, f"{VOCABULARY} and {MERGES}")
    merges = []
    for line in read_text(folder / MERGES).split("\n"):
        if line and not line.startswith("#version"):
            first, space, second = line.partition(" ")
            if not space or " " in second:
                raise CheckpointError(f"{folder / MERGES} must have two tokens on each line, got {line!r}")
            merges.append((first, second))
    bare = with_added(folder, definition(tokens.BpeTokenizer.from_vocabulary(read_json(folder / VOCABULARY), merges)))
    return _bytewise(_begun(folder, _spaced(folder, bare)), num_tokens)


def _bytewise(text: str, num_tokens: int) -> Tokenizer:
    """Returns the tokenizer of a definition of GPT-2's kind, and as a `PieceTokenizer` if it puts tokens around a
    text."""
    tokenizer = tokens.BpeTokenizer(text, num_tokens)
    if (json.loads(text).get("post_processor") or {"type": "ByteLevel"})["type"] == "ByteLevel":
        return tokenizer
    around = tokens.PieceTokenizer(text, num_tokens, tokenizer.end_token)
    return around if around.before or around.after else tokenizer


def _begun(folder: Path, text: str) -> str:
    """Returns a definition, made of older files, that puts a token before a text if tokenizer_config.json says so;
    beside a tokenizer.json `transformers` ignores that."""
    values = settings_of(folder)
    if values.get("add_bos_token") is None or not boolean(values, "add_bos_token", False):
        return text
    begin = values.get("bos_token", "<|endoftext|>")
    begin, parts = begin["content"] if isinstance(begin, dict) else begin, json.loads(text)
    ids = {token["content"]: token["id"] for token in parts["added_tokens"]} | parts["model"]["vocab"]
    if begin not in ids:
        raise CheckpointError(f"{folder / SETTINGS}: bos_token must be in the vocabulary, got {begin!r}")
    special = {"id": begin, "ids": [ids[begin]], "tokens": [begin]}
    piece, first, second = (
        {"SpecialToken": {"id": begin, "type_id": 0}},
        *({"Sequence": {"id": x, "type_id": 0}} for x in "AB"),
    )
    parts["post_processor"] = {
        **{"type": "TemplateProcessing", "single": [piece, first], "pair": [piece, first, piece, second]},
        "special_tokens": {begin: special},
    }
    return json.dumps(parts)


def read_any(folder: Path, num_tokens: int) -> Tokenizer:
    """Reads a tokenizer of any kind, with the end token that config.json names; one like GPT-2's becomes a
    `BpeTokenizer`."""
    pieces = holds_pieces(folder)
    if pieces or not (folder / TOKENIZER).exists():
        if not pieces and (folder / MERGES).exists() and _class_of(folder) != "GPT2Tokenizer":
            cure = "save_pretrained of its AutoTokenizer writes one"
            raise CheckpointError(f"{folder} has no {TOKENIZER}, without which it may split texts differently; {cure}")
        return read_bytes(folder, num_tokens)
    definition = _spaced(folder, _read(folder))
    end: Any = read_json(folder / "config.json").get("eos_token_id")
    end = end[0] if isinstance(end, list) and end else end  # the others end a turn of a chat
    end = end if is_whole(end) and 0 <= end < num_tokens else None
    tokenizer = tokens.PieceTokenizer(definition, num_tokens, end)
    if not tokenizer.before and not tokenizer.after:
        with contextlib.suppress(ValueError):
            bytewise = tokens.BpeTokenizer(definition, num_tokens)
            return bytewise if end in (None, bytewise.end_token) else tokenizer
    return tokenizer


def read_roberta(folder: Path, num_tokens: int) -> Tokenizer:
    """Reads RoBERTa's tokenizer: GPT-2's, with `<s>` and `</s>` around a text."""
    if holds_pieces(folder):
        return read_pieces(folder, num_tokens)
    if (folder / TOKENIZER).exists():
        return tokens.PieceTokenizer(_spaced(folder, _read(folder)), num_tokens)
    bare = read_bytes(folder, num_tokens).to_dict()["definition"]
    return tokens.PieceTokenizer.around(bare, num_tokens, **_mask_options(folder))


def _mask_options(folder: Path) -> dict[str, bool]:
    """Returns the options of `<mask>` that the settings give; none if they do not describe the token."""
    values, older = settings_of(folder), settings_of(folder, SPECIAL)
    require_instance("added_tokens_decoder", added := values.get("added_tokens_decoder", {}), dict)
    for token in (*added.values(), older.get("mask_token"), values.get("mask_token")):  # as in `transformers`
        if isinstance(token, dict) and token.get("content") == "<mask>":
            return {name: boolean(token, name, False) for name in ("single_word", "lstrip", "rstrip")}
    return {}


def _read(folder: Path) -> str:
    """Returns the definition in tokenizer.json, with the tokens that other files add."""
    return with_added(folder, read_text(folder / TOKENIZER))


def _spaced(folder: Path, text: str) -> str:
    """Returns a definition that puts a space before a text, or does not, where tokenizer_config.json decides that; in
    `transformers` it does for every class but the generic one."""
    values = settings_of(folder)
    if values.get("add_prefix_space") is None or values.get("tokenizer_class") in GENERIC:
        return text
    space = boolean(values, "add_prefix_space", False)
    parts = parts_of(text)
    if (parts.get("pre_tokenizer") or {}).get("type") == "ByteLevel":
        parts["pre_tokenizer"]["add_prefix_space"] = space
    return json.dumps(parts)


def _normalizer_settings(folder: Path) -> dict[str, Any]:
    """Returns those of `NORMALIZER` that tokenizer_config.json has."""
    values = {name: value for name, value in settings_of(folder).items() if name in NORMALIZER}
    for name, value in values.items():
        if (name, value) != ("strip_accents", None):
            boolean(values, name, False)
    return values


def _normalized(folder: Path, text: str) -> str:
    """Returns a definition of BERT's kind with what tokenizer_config.json decides, as in `transformers`."""
    values = _normalizer_settings(folder)
    if not values or settings_of(folder).get("tokenizer_class") in GENERIC:
        return text
    parts = parts_of(text)
    if (parts.get("normalizer") or {}).get("type") != "BertNormalizer":
        return text
    parts["normalizer"] |= {NORMALIZER[name]: value for name, value in values.items()}
    return json.dumps(parts)


def holds_pieces(folder: Path) -> bool:
    """Returns whether a folder's tokenizer is BERT's: tokenizer.json says so; or else there is a vocab.txt, and the
    settings name its class, or the other files are missing."""
    if (folder / TOKENIZER).exists():
        return re.search(r'"type"\s*:\s*"WordPiece"', read_text(folder / TOKENIZER)) is not None
    return (folder / PIECES).exists() and (_class_of(folder) in OF_PIECES or not (folder / MERGES).exists())


def _class_of(folder: Path) -> str:
    """Returns the class of a tokenizer, without "Fast", that tokenizer_config.json or else config.json names."""
    named = (settings_of(folder, name).get("tokenizer_class") for name in (SETTINGS, "config.json"))
    return str(next(filter(None, named), "")).removesuffix("Fast")


def has_capitals(pieces: Iterable[str]) -> bool:
    """Returns whether a vocabulary keeps capitals: more than two of its pieces, and one in fifty of those with letters
    that have a case, contain some.

    An uncased vocabulary may have a few: that of bert-base-chinese 8 in 3,985. Special tokens such as `[CLS]` and `<S>`
    do not count.
    """
    words = [piece for piece in pieces if not re.fullmatch(r"\[.+\]|<.+>", piece)]
    capitals = sum(word != word.lower() for word in words)
    return capitals > max(2, sum(word.lower() != word.upper() for word in words) / 50)


def settings_of_pieces(tokenizer: Tokenizer) -> dict[str, Any]:
    """Returns the contents of BERT's tokenizer_config.json, for a tokenizer of its kind.

    Raises:
        ValueError: another kind of tokenizer.
    """
    if not isinstance(tokenizer, tokens.WordPieceTokenizer):
        raise ValueError(f"tokenizer must be a WordPieceTokenizer, like BERT's, got {type(tokenizer).__name__}")
    normalizer = json.loads(tokenizer.to_dict()["definition"])["normalizer"] or {}
    return {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": normalizer.get("lowercase", True),
        "strip_accents": normalizer.get("strip_accents"),
        "tokenize_chinese_chars": normalizer.get("handle_chinese_chars", True),
    }


def settings_of_bytes(tokenizer: Tokenizer) -> dict[str, Any]:
    """Returns the contents of tokenizer_config.json for a tokenizer of GPT-2's kind, or of BERT's.

    Raises:
        ValueError: another kind of tokenizer.
    """
    if isinstance(tokenizer, tokens.WordPieceTokenizer | tokens.ByteTokenizer | tokens.PieceTokenizer):
        return settings_of_any(tokenizer)
    if not isinstance(tokenizer, tokens.BpeTokenizer):
        raise ValueError(f"tokenizer must be a BpeTokenizer, like GPT-2's, got {type(tokenizer).__name__}")
    end = None if tokenizer.end_token is None else "<|endoftext|>"
    special = dict.fromkeys(("bos_token", "eos_token", "unk_token"), end)
    split = json.loads(definition(tokenizer))["pre_tokenizer"] or {}
    space = split.get("add_prefix_space", False)
    return {"tokenizer_class": "GPT2Tokenizer", "add_prefix_space": space, **special}


def settings_of_any(tokenizer: Tokenizer) -> dict[str, Any]:
    """Returns the contents of tokenizer_config.json for a tokenizer that tokenizer.json defines completely, or for
    BERT's.

    Raises:
        ValueError: a tokenizer without such a definition.
    """
    if isinstance(tokenizer, tokens.WordPieceTokenizer):
        return settings_of_pieces(tokenizer)
    added = {token["id"]: token["content"] for token in json.loads(definition(tokenizer))["added_tokens"]}
    known = set(added.values())
    special = {
        **{"bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>"},
        **{"unk_token": "<unk>", "pad_token": "<pad>", "mask_token": "<mask>"},
    }
    if "<|endoftext|>" in known:
        special = {"eos_token": "<|endoftext|>"}
    if (end := getattr(tokenizer, "end_token", None)) in added:
        special["eos_token"] = added[end]
    named = {role: token for role, token in special.items() if token in known}
    return {"tokenizer_class": "PreTrainedTokenizerFast", **named}


def special_ids(tokenizer: Tokenizer) -> dict[str, int | None]:
    """Returns the ids that config.json gives for the beginning and the end of a text; None without one."""
    before = getattr(tokenizer, "before", None)
    return {"bos_token_id": before[0] if before else None, "eos_token_id": getattr(tokenizer, "end_token", None)}


def definition(tokenizer: Tokenizer) -> str:
    """Returns the text of a tokenizer.json; a byte tokenizer is expressed as byte-level BPE without merges.

    Raises:
        ValueError: a tokenizer that the format cannot express.
    """
    if isinstance(tokenizer, tokens.ByteTokenizer):
        tokenizer = tokens.BpeTokenizer.from_vocabulary(BYTES, [])
    if "definition" not in tokenizer.to_dict():
        raise ValueError(f"tokenizer must be of bytes or pieces of words, got {type(tokenizer).__name__}")
    return tokenizer.to_dict()["definition"]


def _missing(folder: Path, older: str) -> CheckpointError:
    cure = "copy the model's own into it"
    return CheckpointError(f"{folder} has no tokenizer: neither {TOKENIZER} nor {older}; {cure}")
