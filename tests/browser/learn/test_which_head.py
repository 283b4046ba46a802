"""Section "Which head does it?": both grids equal the library's, for the given pairs and for typed texts."""

from urllib.parse import parse_qs, urlsplit

import pytest
import torch
from playwright.sync_api import expect

import former
from former import edits, patching
from tests.browser.learn.pages import Learning
from tests.ranked import clear_largest
from viz.text import message
from viz.text.examples import CARRIED

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning
NAME = "which-head"


def shown(tab: Learning, way: str) -> torch.Tensor:
    rows = tab.section.locator(f"[data-way={way}] tbody tr").all()
    return torch.tensor(
        [[float(cell.get_attribute("data-share") or "nan") for cell in row.locator("td").all()] for row in rows]
    )


def linked(tab: Learning) -> dict[str, list[str]]:
    """Returns the view that the section's link into Explore opens."""
    return parse_qs(urlsplit(tab.section.locator(".open-in a").first.get_attribute("href") or "").query)


def test_what_is_lost_and_what_returns_are_the_library_s(tab):
    bundle = former.load("gpt")
    pinned, text = CARRIED["piece"]["number"]
    clean, corrupted = bundle.run(pinned), bundle.run(text)
    metric = patching.logit_difference("␣are", "␣is")
    tab.open(NAME)
    returned = patching.heads(clean, corrupted, metric, share=True)
    torch.testing.assert_close(shown(tab, "returned"), returned, atol=1e-4, rtol=0)  # a fast twin may answer
    layer, head = divmod(clear_largest(returned, 1e-4), returned.shape[1])
    off = metric(clean.with_edits(edits.scale_head(layer, head, 0)))
    lost = (metric(clean) - off) / (metric(clean) - metric(corrupted))
    assert float(shown(tab, "lost")[layer, head]) == pytest.approx(lost, abs=1e-4)
    expect(tab.section.locator("td.at")).to_have_count(2)
    assert tab.sentence().startswith(f"Carried into B, layer {layer}, head {head} brings back")
    assert {"text": [text], "layer": [str(layer)], "head": [str(head)]}.items() <= linked(tab).items()
    tab.section.get_by_role("button", name=message("learn_which_head_pair", pair="name")).click()
    tab.settled()
    assert tab.view()["pinned"] == CARRIED["piece"]["name"][0]
    assert tab.choose(message("head_name", layer=layer, head=head)).startswith("Yes.")


def test_another_pair_and_texts_of_different_lengths(tab, guard):
    guard.allow("422")
    tab.open(NAME)
    before = shown(tab, "returned")
    tab.section.get_by_role("button", name=message("learn_which_head_pair", pair="year")).click()
    tab.settled()
    assert not torch.equal(shown(tab, "returned"), before)
    assert tab.view()["pinned"] == CARRIED["piece"]["year"][0]
    tab.section.get_by_role("textbox").first.fill("The war")
    expect(tab.page.locator(".former-learn > .note")).to_have_text(
        message("learn_which_head_lengths", first=2, second=9)
    )
