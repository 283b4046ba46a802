""" "What the head writes" in Explore: the tokens it raises, and the logit as a sum, recomputed in torch."""

import re

import pytest
import torch
from playwright.sync_api import expect

import former
from tests.browser.pages import Exploring, agrees, presents, says
from tests.ranked import check_largest, check_order, clear_largest

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring
TEXT = "The cat sat on the mat. The cat sat on the"


def written(tab: Exploring) -> dict[str, str]:
    """Waits until the panel shows the current head and token; returns its token, sum and logit."""
    tab.unfold("writes")
    tab.wait(  # what comes late above it moves it out of view
        """() => {
            document.querySelector(".former-writes .panel").scrollIntoView({ block: "center" });
            return Number(document.querySelector(".former-writes[data-rev]")?.dataset.rev) === former.store.rev
                && !document.querySelector(".former-writes.late");
        }"""
    )
    return tab.page.locator(".former-writes .panel").evaluate("section => ({ ...section.dataset })")


def test_a_heads_tokens_are_those_of_its_output_and_all_parts_add_up_to_the_logit(tab):
    bundle = former.load("gpt")
    model, ids = bundle.model, bundle.tokenizer.encode(TEXT)
    logits, capture = former.run_with_capture(model, torch.tensor([ids]), ["out", "resid_post"])
    x, out = capture.get("resid_post", 5)[0, 4], capture.get("out", 3)[0, 1, 4]
    unify = model.transformer.blocks[3].attention.unifyheads.weight[:, 32:64]  # of head 1, s = 32
    part = unify @ out
    normed = model.norm.weight * (part - part.mean()) / (x.var(correction=0) + model.norm.eps).sqrt()
    added = (model.output_weight @ normed).detach()
    added -= added.mean()
    rare = former.analysis.rare_tokens(model, bundle.tokenizer)
    tab.open(model="gpt", text=TEXT, layer=3, head=1, token=4)
    actual = written(tab)
    assert int(actual["token"]) == ids[5]
    assert float(actual["sum"]) == pytest.approx(float(logits[0, 4, ids[5]]), abs=1e-3)
    expect(tab.page.locator(".former-writes .writes-at")).to_have_text(re.compile("^Layer 3, head 1, at “.+” \\(4\\)$"))
    raised, lowered = (tab.page.locator(".former-writes section ol").nth(i) for i in (1, 2))
    for rows, largest in ((raised, True), (lowered, False)):
        named = rows.locator("[data-id]").evaluate_all("all => all.map((one) => Number(one.dataset.id))")
        numbers = [float(text.replace("−", "-")) for text in rows.locator(".number").all_inner_texts()]
        assert len(named) == 10
        sign = 1 if largest else -1
        usual = (sign * added).masked_fill(rare, -torch.inf)
        check_order(named, [sign * number for number in numbers], usual, 0.0051)  # two decimals are shown
    looks = tab.page.locator(".former-writes section ol").nth(0).locator(".number").first.inner_text()
    _, weights = former.run_with_capture(model, torch.tensor([ids]), ["weights"])
    assert agrees(looks, float(weights.get("weights", 3)[0, 1, 4].max()))

    raised.locator("[data-id]").first.click()  # another token is taken apart
    best = clear_largest(added.masked_fill(rare, -torch.inf), 1e-3)
    tab.wait("(id) => document.querySelector('.former-writes .panel').dataset.token === String(id)", best)
    assert float(written(tab)["sum"]) == pytest.approx(float(logits[0, 4, best]), abs=1e-3)
    cell = tab.page.locator(".former-writes td.at")
    assert float(cell.inner_text().replace("−", "-")) == pytest.approx(float(added[best]), abs=0.0051)
    without, _ = former.run_with_capture(model, torch.tensor([ids]), (), edits=[former.edits.ablate_head(3, 1)])
    text = tab.page.locator(".former-writes .writes-told").inner_text()
    assert says(text, "Without the head it is {:.3f}", float(without[0, 4, best]))


def test_it_opens_where_the_head_adds_most_and_goes_to_where_any_head_does(tab):
    run = former.load("gpt").run(TEXT)
    adds = former.analysis.head_adds(run)
    tab.open(model="gpt", text=TEXT, layer=2, head=0)
    written(tab)
    panel = tab.part("writes")
    token = re.search(r"\((\d+)\)$", panel.locator(".writes-at").inner_text())
    assert token
    check_largest(int(token[1]), adds[2, 0], 1e-3)  # a fast twin answers the page
    expect(panel.locator(".panel-foot")).to_contain_text("No token is chosen")
    panel.get_by_role("button", name=re.compile("^Largest of all heads")).click()
    chosen = tab.page.evaluate("(({ layer, head, token }) => [layer, head, token])(former.store.view)")
    assert float(adds[tuple(chosen)]) == pytest.approx(float(adds.max()), abs=1e-3)
    written(tab)
    tab.page.evaluate("former.store.set({ layer: 5, head: 3, token: 9 })")
    written(tab)
    ids = panel.locator("section ol").nth(1).locator("[data-id]")
    rare = former.analysis.rare_tokens(run.model, run.source.tokenizer)
    listed = "all => all.map(one => Number(one.dataset.id))"
    assert not rare[ids.evaluate_all(listed)].any()
    panel.get_by_role("checkbox").check()
    written(tab)
    largest = former.analysis.head_writes(run, 5, 3, 9).added.topk(10).indices
    assert rare[ids.evaluate_all(listed)].any() == rare[largest].any()


def test_the_table_names_its_sides_and_a_probability_that_stays_is_written_once(tab):
    tab.open(model="gpt", text="The cat sat on the mat because it was tired.", layer=3, head=7)
    written(tab)
    panel = tab.part("writes")
    expect(panel.locator("table thead th").first).to_have_text("layer\u00a0↓ head\u00a0→")
    expect(panel.locator(".writes-told")).to_contain_text(re.compile("and the probability .+ in both cases:"))


def test_of_a_mean_and_of_an_encoder_it_says_why_there_is_nothing_and_a_phone_has_room(tab):
    tab.page.set_viewport_size({"width": 390, "height": 844})
    tab.open(model="dates", text="4 July 1976", of="mean", layer=1, map=0, present=1, panel="writes")
    presents(tab.page, "writes")
    expect(tab.page.locator(".former-writes .panel-foot")).to_contain_text("choose a head")
    tab.page.evaluate("former.store.set({ of: 'head', map: 1 })")
    expect(tab.page.locator(".former-writes .panel-foot")).to_contain_text("The encoder’s heads do not write into")
    tab.page.evaluate("former.store.set({ map: 0 })")
    written(tab)
    expect(tab.page.locator(".former-writes caption")).to_be_visible()
    tab.page.keyboard.press("Escape")
    tab.painted()
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
