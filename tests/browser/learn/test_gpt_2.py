"""Section "GPT-2": pieces and bits are the model's own, figures are the cards', and sizes are counted again."""

import pytest
import torch
from playwright.sync_api import expect

import former
from tests.browser.learn.pages import Learning
from tests.browser.pages import says

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning
TEXT = "<b>Größe</b> and 数学"


def test_a_text_is_shown_in_pieces_with_what_each_costs_and_before_any_merge_in_bytes(tab):
    tab.open("gpt-2", text=TEXT)
    bundle = former.load("gpt")
    ids = bundle.tokenizer.encode(TEXT)
    chips = tab.section.locator(".pieces .piece")
    expect(chips).to_have_text(bundle.tokenizer.labels(ids))
    with torch.inference_mode():
        probs = bundle.model(torch.tensor([ids]))[0].softmax(-1)
    for i in range(1, len(ids)):
        bits = -float(probs[i - 1, ids[i]].log2())
        assert f"number {ids[i]} of the vocabulary" in (title := chips.nth(i).get_attribute("title") or "")
        assert says(title, ", {:.1f} bits", bits)
    tab.section.get_by_role("slider", name="Merges").press("Home")
    expect(chips).to_have_count(len(TEXT.encode()))
    expect(tab.section.locator(".counted")).to_have_text(
        f"{len(TEXT.encode())} bytes in {len(TEXT.encode())} tokens: 1.00 bytes each"
    )


def test_pieces_stand_beside_bytes_by_their_cards_and_a_size_of_ones_own_beside_the_published(tab):
    tab.open("gpt-2")
    tab.attempt("bits")
    gpt, generator = (former.load(name).card for name in ("gpt", "generator"))
    expect(tab.section.locator("[data-row=bits] td")).to_have_text(
        [f"{card['quality'][0]['bits_per_byte']:.4f}" for card in (gpt, generator)]
    )
    equal = gpt["quality"][0]["bits_per_byte_in_256_bytes"]
    expect(tab.section.locator("[data-row=equal] td").first).to_have_text(f"{equal:.4f}")
    took = [sum(each["seconds"] for each in (card, *card.get("earlier", ()))) for card in (gpt, generator)]
    sooner = "It was trained for less time, so it also wins at equal time."
    ending = sooner if took[0] <= took[1] else "This says nothing about equal time."
    expect(tab.section.locator(".winner")).to_have_text(f"At equal context “gpt” needs fewer bits. {ending}")
    assert tab.choose("“gpt” still needs fewer").startswith(f"Yes. With a context of 256 bytes “gpt” needs {equal:.4f}")
    tab.section.get_by_role("radio", name="sizes").check()
    tab.section.get_by_role("spinbutton", name="Blocks").fill("3")
    tab.section.get_by_role("spinbutton", name="Blocks").press("Enter")
    own = tab.section.locator("[data-size=own] td")
    counted = former.count_parameters("gpt2", depth=3, emb=512)
    expect(own.nth(6)).to_have_text(f"{counted:,}")
    expect(tab.section.locator("[data-size=gpt2-xl] td").nth(6)).to_have_text("1,557,611,200")
    expect(tab.section.locator("[data-size=gpt2-xl] td").last).to_have_text("0.93")
    assert f"{counted:,} parameters" in tab.sentence()
