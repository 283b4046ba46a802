"""Section "GPT-2": pieces are merged as in byte-pair encoding, figures are the cards', sizes are counted."""

import json
import math

import pytest
import torch

import former
from viz.tabs.learn.sections import gpt_2
from viz.text import Refusal

TEXT = "Größe, naïve café and the transformers"
VIEW = {"text": TEXT, "level": 3, "depth": 2, "heads": 1}
PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]


def merged(word: str, merges: list[list[str]]) -> list[str]:
    """Splits a word into pieces by the plain rule: of all neighbouring pairs, the one learned first is merged, again
    and again. Bytes are written as in GPT-2's vocabulary."""
    others = [byte for byte in range(256) if byte not in PRINTABLE]
    letters = {byte: chr(byte) for byte in PRINTABLE} | {byte: chr(0x100 + i) for i, byte in enumerate(others)}
    order = {tuple(pair): i for i, pair in enumerate(merges)}
    parts = [letters[byte] for byte in word.encode()]
    while known := [(order[pair], i) for i in range(len(parts) - 1) if (pair := (parts[i], parts[i + 1])) in order]:
        _, i = min(known)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return parts


@pytest.mark.parametrize("level", range(7))
def test_pieces_after_so_many_merges_are_those_of_the_plain_rule(level):
    definition = json.loads(former.load("gpt").tokenizer.to_dict()["definition"])
    merges = definition["model"]["merges"][: gpt_2.levels()[level]]
    words = ["Größe", ",", " naïve", " café", " and", " the", " transformers"]
    expected = [definition["model"]["vocab"][piece] for word in words for piece in merged(word, merges)]
    result = gpt_2.SECTION.questions["pieces"].answer({}, VIEW | {"level": level})
    assert result["ids"] == expected
    assert sum(result["bytes"]) == len(TEXT.encode())


def test_with_all_merges_the_pieces_are_gpt_s_own_and_without_any_they_are_the_bytes():
    assert gpt_2.SECTION.questions["pieces"].answer({}, VIEW | {"level": 6})["ids"] == former.load(
        "gpt"
    ).tokenizer.encode(TEXT)
    assert gpt_2.SECTION.questions["pieces"].answer({}, VIEW | {"level": 0})["bytes"] == [1] * len(TEXT.encode())


def test_both_models_are_scored_on_the_same_bytes():
    result = gpt_2.SECTION.questions["scored"].answer({}, VIEW)
    gpt, generator = former.load("gpt"), former.load("generator")
    ids, read = gpt.tokenizer.encode(TEXT), list(TEXT.encode())
    skipped = len(read) - result["bytes"]
    assert bytes(read[:skipped]).decode() == gpt.tokenizer.decode(ids[:1])
    totals = {}
    for name, bundle, tokens, first in (("gpt", gpt, ids, 1), ("generator", generator, read, skipped)):
        with torch.inference_mode():
            probs = bundle.model(torch.tensor([tokens]))[0].softmax(-1)
        totals[name] = -sum(math.log2(probs[i - 1, tokens[i]]) for i in range(first, len(tokens)))
    for name, total in totals.items():
        assert result[name] == pytest.approx(total / result["bytes"], rel=1e-4)


def test_the_figures_are_the_cards_and_the_time_is_that_of_all_trainings():
    gpt, generator = gpt_2.props({})["worth"]
    card = former.load("gpt").card
    assert gpt["bits"] == card["quality"][0]["bits_per_byte"]
    assert gpt["equal"] == card["quality"][0]["bits_per_byte_in_256_bytes"]
    assert gpt["seconds"] == card["seconds"] + sum(run["seconds"] for run in card["earlier"])
    assert generator["bits"] == generator["equal"] == former.load("generator").card["quality"][0]["bits_per_byte"]
    assert generator["bytes"] == (7000 * 16 + 8000 * 16 + (4400 + 900 + 3000 + 3100 + 4400) * 32) * 256
    assert generator["runs"] == 7


def test_the_published_sizes_are_counted_and_their_parts_add_up():
    sizes = {size["name"]: size for size in gpt_2.props({})["sizes"]}
    assert sizes["gpt2"]["total"] == 124_439_808  # as Hugging Face counts them too
    assert sizes["gpt2-xl"]["total"] == 1_557_611_200
    for size in sizes.values():
        e, depth = size["emb"], size["depth"]
        block = 12 * e * e + 13 * e
        assert size["parts"] == {"tokens": 50257 * e, "positions": 1024 * e, "blocks": depth * block, "norm": 2 * e}
        assert sum(size["parts"].values()) == size["total"]


@pytest.mark.parametrize("wrong", [{"text": "a"}, {"text": ""}, {"level": 7}])
def test_what_cannot_be_read_is_refused(wrong):
    with pytest.raises(Refusal):
        gpt_2.SECTION.questions["pieces"].answer({}, VIEW | wrong)


@pytest.mark.parametrize("wrong", [{"depth": 0}, {"depth": 97}, {"heads": 65}])
def test_a_size_out_of_its_limits_is_refused(wrong):
    with pytest.raises(Refusal):
        gpt_2.SECTION.questions["sized"].answer({}, VIEW | wrong)
