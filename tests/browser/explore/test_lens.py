"""The logit lens in Explore: every cell compared with the output layer on the captured residual stream."""

import re

import pytest
import torch
from playwright.sync_api import expect

import former
from tests.browser.pages import Exploring, check_shares, presents
from tests.ranked import check_largest

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring
TEXT = "The cat sat on the mat."


@pytest.fixture(scope="module")
def probs() -> torch.Tensor:
    """Returns the lens's probabilities (depth + 1, t, num_tokens) for the generator with one head ablated."""
    bundle = former.load("generator")
    tokens, edit = torch.tensor([bundle.tokenizer.encode(TEXT)]), former.edits.ablate_head(1, 2)
    _, capture = former.run_with_capture(bundle.model, tokens, ["resid_pre", "resid_post"], edits=[edit])
    streams = torch.cat((capture.get("resid_pre", 0)[None], capture.stack("resid_post")))[:, 0]
    return bundle.model.unembed(streams).softmax(-1).detach()


def opened(tab: Exploring, **parameters) -> Exploring:
    tab.open(text=TEXT, edits="1.2.off", **parameters)
    tab.unfold("lens")
    tab.wait("() => Number(document.querySelector('.former-lens[data-rev]')?.dataset.rev) === former.store.rev")
    return tab


def best(tab: Exploring) -> list[tuple[str, str]]:
    rows = tab.page.locator(".former-lens .lens-best li").all()
    return [(row.locator(".label").inner_text(), row.locator(".number").inner_text()) for row in rows]


def test_every_cell_says_the_likeliest_token_and_the_ten_best_are_named_where_one_points(tab, probs):
    opened(tab, layer=3)
    labels = former.tokens.ByteTokenizer().labels
    cells = tab.page.evaluate(
        "[...document.querySelectorAll('.former-lens tbody tr')].map((row) => "
        "[...row.querySelectorAll('td')].map((cell) => [cell.textContent, cell.className.includes('right')]))"
    )
    ids = {label: i for i in range(256) for label in labels([i])}
    actual = [*TEXT.encode()[1:], None]
    assert len(cells) == len(probs)
    for row, distributions in zip(cells, probs, strict=True):
        for (label, right), distribution, follows in zip(row, distributions, actual, strict=True):
            check_largest(ids[label], distribution, 2e-5)  # float32 on both sides
            assert right == (ids[label] == follows)
    tab.page.locator(".former-lens td[data-row='5'][data-column='6']").hover()
    tab.painted()
    check_shares(text := best(tab), {label: float(probs[5, 6, i]) for label, i in ids.items()})
    assert len(text) == 10
    expect(tab.page.locator(".former-lens .lens-at")).to_have_text(re.compile(r"^After layer 4, at “.+” \(6\)$"))


def test_a_click_or_enter_makes_a_cell_the_layer_and_token_that_are_looked_at(tab):
    opened(tab)
    tab.page.locator(".former-lens td[data-row='5'][data-column='6']").click()
    tab.settled()
    assert {name: tab.link()[name] for name in ("layer", "token")} == {"layer": "4", "token": "6"}
    for key in ("ArrowUp", "ArrowRight", "Enter"):
        tab.page.keyboard.press(key)
    tab.settled()
    assert {name: tab.link()[name] for name in ("layer", "token")} == {"layer": "3", "token": "7"}
    tab.page.mouse.move(0, 0)
    tab.token(2).click()
    tab.painted()
    expect(tab.page.locator(".former-lens td.at")).to_have_attribute("data-column", "2")


def test_it_is_presented_as_other_panels_and_scrolls_within_itself_on_a_phone(tab):
    tab.page.set_viewport_size({"width": 390, "height": 844})
    opened(tab, present=1, panel="lens")
    presents(tab.page, "lens")
    tab.page.keyboard.press("Escape")
    tab.painted()
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    sheet = tab.page.locator(".former-lens .lens-part:not([hidden]) .lens-sheet")
    assert sheet.evaluate("sheet => sheet.scrollWidth > sheet.clientWidth && sheet.clientWidth < 390")


def test_presented_on_a_laptop_a_sentence_of_twelve_tokens_is_seen_to_its_end(tab):
    tab.open(model="gpt", text="The cat sat on the mat because it was tired.")
    tab.wait("Boolean(former.presenter)")
    tab.page.evaluate("former.presenter.go('explore', 'lens')")
    presents(tab.page, "lens")
    sheet = tab.page.locator(".former-lens .lens-part:not([hidden]) .lens-sheet")
    expect(sheet.locator("thead th")).to_have_count(13)
    assert sheet.evaluate("sheet => sheet.scrollWidth <= sheet.clientWidth")


def test_a_verdict_has_one_column(tab):
    tab.open(model="classifier", text="A dull, lazy film.")
    tab.unfold("lens")
    tab.wait("() => Number(document.querySelector('.former-lens[data-rev]')?.dataset.rev) === former.store.rev")
    model = former.load("classifier")
    lens = former.logit_lens(model.model, torch.tensor([model.tokenizer.encode("A dull, lazy film.")]))[:, 0].exp()
    texts = tab.page.locator(".former-lens tbody td").all_text_contents()
    for name, row in zip(texts, lens, strict=True):
        check_largest(("negative", "positive").index(name), row, 2e-5)
