"""Tab Mask: the cost of a mask, dependence, reach, and a model without a mask, recomputed from the weights."""

import math
import re
from functools import partial

import pytest
import torch
from playwright.sync_api import expect

from tests.browser.mask.pages import LONG, SIZE, TEXT, Masking, T, read
from tests.browser.pages import Chart
from tests.browser.reference import Reference
from tests.mask_rules import KINDS, cells, in_row, seen
from tests.ranked import clear_draw

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Masking
MODEL = partial(Reference, "generator")


def test_the_chart_counts_every_mask_exactly_where_one_points(tab):
    tab.open(mask="strided", size=6)
    chart = Chart(tab, "mask-growth").shown()
    expect(tab.part("mask-growth").locator(".at").first).to_contain_text("23")
    here = tab.counts()
    assert here["own"] == cells("strided", T, 6)
    read_at = set()
    for part in (0.3, 0.62, 0.999):
        chart.point(part)
        t = int(tab.part("mask-growth").locator("[data-tokens]").get_attribute("data-tokens") or 0)
        read_at.add(t)
        sizes = {"strided": math.isqrt(t), "fixed": math.isqrt(t)}
        for line, count in tab.counts().items():
            kind = "strided" if line == "own" else line
            size = 6 if line == "own" else sizes.get(line, 6)
            assert count == sum(in_row(kind, i, t, size) for i in range(t)), (line, t)
        own = tab.counts()["own"]
        text = tab.part("mask-growth").locator(".saves").inner_text()
        assert text.startswith(f"strided 6: {own:,} of {t * t:,} cells, ")
        assert read(text.rsplit(", ", 1)[1].removesuffix("\u00a0%")) == pytest.approx(100 * own / t**2, rel=0.03)
    assert len(read_at) == 3
    assert 100_000 in read_at
    tab.page.mouse.move(1, 1)
    chart.root.focus()
    tab.page.keyboard.press("ArrowRight")
    tab.painted()
    assert int(tab.part("mask-growth").locator("[data-tokens]").get_attribute("data-tokens") or 0) == 26


def changes_of(model: Reference, kind: str, j: int) -> torch.Tensor:
    """Returns the largest change of each output's logits when byte j becomes the byte below it."""
    ids = model.ids(TEXT)
    other = [*ids[:j], ids[j] - 1, *ids[j + 1 :]]
    return (
        (model.run(other, seen=seen(kind, T, SIZE)).out - model.run(ids, seen=seen(kind, T, SIZE)).out).abs().amax(-1)
    )


def test_a_changed_token_moves_what_the_running_model_says_and_nothing_before_it(tab, model):
    tab.open()
    none = "nothing before it changes: the largest change there is 0."
    assert f"Changing “a” (5) changes outputs 5 to 22; {none}" in tab.moves("masked")
    before = changes_of(model, "none", 5)[:5]
    assert "changes every output; 5 of them come before it and change by up to" in tab.moves("unmasked")
    assert read(tab.moves("unmasked").rsplit("up to ", 1)[1].rstrip(".")) == pytest.approx(
        float(before.max()), rel=0.01
    )
    tab.token(9).click()
    tab.painted()
    assert tab.link()["token"] == "9"
    assert "Changing “a” (9) changes outputs 9 to 22; nothing before it changes" in tab.moves("masked")
    assert tab.lesson().startswith("The causal mask keeps 276 of 529 scores. Changing “a” (9) changes outputs 9 to 22,")
    with_mask, without = changes_of(model, "causal", 9), changes_of(model, "none", 9)
    for output in (12, 22, 3):
        tab.point(tab.square("proof", "unmasked"), output, 9, T)
        text = tab.part("mask-proof").locator(".readout").inner_text()
        match = re.search(rf"changes output “.” \({output}\) by (.*) with the mask, by (.*) without", text)
        assert match, text
        assert read(match[2]) == pytest.approx(float(without[output]), rel=0.01)
        if output < 9:
            assert match[1] == "exactly 0"
        else:
            assert read(match[1]) == pytest.approx(float(with_mask[output]), rel=0.01)


def test_pointing_at_a_token_looks_at_it_and_choosing_it_by_keyboard_keeps_it(tab):
    tab.open()
    tab.token(12).hover()
    tab.painted()
    assert "(12) changes outputs 12 to 22" in tab.moves("masked")
    assert "token" not in tab.link()
    tab.page.mouse.move(1, 1)
    tab.painted()
    assert "(5) changes outputs 5 to 22" in tab.moves("masked")
    tab.token(5).focus()
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("ArrowRight")
    assert tab.link()["token"] == "7"
    tab.square("proof", "masked").focus()
    tab.page.keyboard.press("End")
    tab.painted()
    assert "(22) changes output 22; nothing before it changes" in tab.moves("masked")
    tab.page.keyboard.press("Home")
    tab.painted()
    assert "(0) changes every output; nothing comes before it" in tab.moves("masked")


def test_reach_is_counted_for_all_masks_and_the_measured_model_stays_within(tab):
    tab.open(model="tiny-generator", mask="local", size=4, token=6)
    depth = Reference("tiny-generator").config["depth"]
    last_counts = {}
    for kind in KINDS:
        step = seen(kind, T, 4).double()
        reached, counts = torch.eye(T).double(), []
        for _ in range(depth):
            reached = ((step @ reached) > 0).double()
            counts.append(int(reached.sum()))
        assert tab.pairs(kind) == counts[:8]
        last_counts[kind] = counts[-1]
    text = tab.part("mask-reach").locator(".sentences").inner_text()
    assert "outputs 6 to 9 after layer 1; outputs 6 to 12 after layer 2" in text
    pairs = last_counts["local"]
    shows = f"a change shows in {pairs} of the {pairs} pairs within reach, and in 0 of the others."
    assert f"after its {depth} layers: {shows}" in text
    last = min(22, 6 + 3 * depth)
    assert f"(6) changes outputs 6 to {last}; nothing before it changes" in tab.moves("masked")
    tab.part("mask-reach").locator("tr[data-mask=fixed] td.cell").first.click()
    tab.settled()
    assert tab.link()["mask"] == "fixed"
    tab.part("mask-reach").get_by_role("button", name="causal").click()
    tab.settled()
    assert "mask" not in tab.link()


def bits(model: Reference, ids: list[int], masked: bool) -> torch.Tensor:
    t = len(ids) - 1
    logits = model.run(ids[:-1], seen=seen("causal" if masked else "none", t, SIZE)).out
    return -logits.log_softmax(-1)[torch.arange(t), torch.tensor(ids[1:])] / math.log(2)


def test_the_losses_with_and_without_a_mask_are_those_of_the_weights(tab, model):
    tab.open(long=LONG)
    ids = model.ids(LONG)
    for name, masked in (("tiny-generator", True), ("tiny-unmasked", False)):
        tiny = Reference(name)
        own = bits(tiny, ids, masked)
        value, text = tab.bits("own", name)
        assert value == pytest.approx(float(own.mean()), abs=2e-3)
        assert read(text) == pytest.approx(float(own.mean()), rel=0.02, abs=2e-3)
        alone = torch.stack([bits(tiny, ids[: i + 1], masked)[-1] for i in range(1, len(ids))])
        assert tab.bits("hidden", name)[0] == pytest.approx(float(alone.mean()), abs=5e-3)
    assert tab.bits("own", "tiny-unmasked")[0] < 0.5 < tab.bits("own", "tiny-generator")[0]
    assert tab.bits("hidden", "tiny-unmasked")[0] > 8
    for bar, masked in (("before", True), ("after", False)):
        value, text = tab.bits(bar)
        assert value == pytest.approx(float(bits(model, ids, masked).mean()), abs=2e-3)
        assert read(text) == pytest.approx(value, rel=0.01)
    more = tab.bits("after")[0] - tab.bits("before")[0]
    assert more > 0
    words = tab.part("mask-consequence").locator(".switched .told").inner_text()
    assert read(words.split("it needs ")[1].split(" more bits")[0]) == pytest.approx(more, rel=0.01)


@pytest.mark.parametrize(("name", "masked"), [("tiny-generator", True), ("tiny-unmasked", False)])
def test_pointing_at_a_byte_reads_its_bits_and_the_first_has_none(tab, name, masked):
    tab.open(long=LONG)
    tiny = Reference(name)
    exact = bits(tiny, tiny.ids(LONG), masked).tolist()
    spans = tab.part("mask-consequence").locator(f"[data-model={name}] .read [data-at]")
    first, *titles = spans.evaluate_all("spans => spans.map((span) => span.title)")
    assert first == ""
    for byte, title, expected in zip(LONG[1:], titles, exact, strict=True):
        match = re.fullmatch(r"“(.)”: (.*) bits", title)
        assert match, title
        assert match[1] == byte.replace(" ", "␣")
        assert read(match[2]) == pytest.approx(expected, rel=0.06, abs=2e-4)  # two digits


NOT_SEEN = r"the only one that it could not find in its input"
REST = {  # text → the sentence about the last byte, and about the others if they cost something too
    LONG: rf"Nearly all of its \1 bits per byte come from the last byte, {NOT_SEEN}: (.+) bits\.",
    "ééüüß": rf"The last byte, {NOT_SEEN}, costs (.+) bits; all the others together cost (.+)\.",
    "{[<^~}": rf"The last byte, {NOT_SEEN}, costs (.+) bits; all the others together cost (.+)\.",
}


@pytest.mark.parametrize("text", REST)
def test_the_sentence_of_the_model_that_copies_says_its_numbers(tab, text):
    tab.open(long=text)
    tiny, other = Reference("tiny-unmasked"), Reference("tiny-generator")
    ids = tiny.ids(text)
    own = bits(tiny, ids, masked=False)
    alone = torch.stack([bits(tiny, ids[: i + 1], masked=False)[-1] for i in range(1, len(ids))])
    words = tab.part("mask-consequence").locator("[data-model=tiny-unmasked] .told").inner_text()
    verb = "finds each next byte" if own[:-1].mean() < 0.5 else "has not learned to copy all of them"
    task = r".* needs (.+) bits per byte; tiny-generator needs (.+)\. .* it needs (.+); blind guessing needs 8\. "
    match = re.search(verb + task + REST[text], words)
    assert match, words
    expected = [own.mean(), bits(other, ids, masked=True).mean(), alone.mean(), own[-1], own[:-1].sum()]
    numbers = [read(number) for number in match.groups()]
    assert numbers == pytest.approx([float(number) for number in expected[: len(numbers)]], rel=0.06)


@pytest.mark.parametrize(("name", "kind"), [("tiny-generator", "causal"), ("tiny-unmasked", "none")])
def test_each_writes_what_its_weights_and_the_seed_give(tab, name, kind):
    tab.open(long=LONG, seed=4)
    tiny = Reference(name)
    ids, dice = tiny.ids(LONG), torch.Generator().manual_seed(4)
    for _ in range(60):
        logits = tiny.run(ids, seen=seen(kind, len(ids), SIZE)).out[-1]
        ids.append(clear_draw((logits / 0.7).softmax(-1).float(), dice, 1e-3))  # the model draws in float32
    written = tab.part("mask-consequence").locator(f"[data-model={name}] .written [data-at]").all_text_contents()
    assert len(written) == 60
    expected = bytes(ids[-60:]).decode("latin1")
    for shown, exact in zip(written, expected, strict=True):
        if exact.isalnum() and exact.isascii():
            assert shown == exact
        if exact == " ":
            assert shown == "\u00a0\u200b"
    tab.page.get_by_role("button", name="Another random seed").click()
    tab.settled()
    other = tab.part("mask-consequence").locator(f"[data-model={name}] .written [data-at]").all_text_contents()
    assert (other != written) == (tab.link().get("seed", "1") != "4")
