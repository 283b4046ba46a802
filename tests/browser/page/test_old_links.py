"""Links in slides, notes and other pages keep opening the views that they describe."""

from typing import Any
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import expect

from tests.browser.learn.pages import Learning
from tests.browser.mask.pages import Masking
from tests.browser.pages import Exploring, Writing
from tests.browser.permute.pages import Permuting
from viz.tabs import TABS

pytestmark = pytest.mark.browser
PANELS = {tab.name: {panel.name for panel in tab.panels} for tab in TABS}
LINKS = {  # spelled as in an address; initial values are left out, as an address leaves them out
    "explore": (  # the first tab once, so that these name none
        "model=gpt&text=Paris+is+the+capital+of&layer=3&head=6",
        "model=tiny-generator&text=abcabc&layer=1&head=3&token=4&key=1",
        "model=generator&text=The+cat+sat+on+the+mat.&layer=2&head=1&of=mean&scale=root",
        "model=tiny-generator&text=The+cat&layer=1&of=rollout&scale=row",
        "model=tiny-generator&text=abc+abc&head=1&show=scores",
        "model=tiny-generator&text=abcdefgh&head=2&view=lines&token=5",
        "model=tiny-generator&text=abcabc&edits=0.1.off,1.L.uniform,1.2.x-1.5,0.3.w4_2_0.8,1.0.W3_1_0.5",
        "model=classifier&text=a+good+film&layer=1&head=1",
        "model=classifier-bag&text=Not+a+bad+film&edits=0.0.off",
        "model=bert&text=Paris+is+the+%5Bcapital%5D+of+France.+%5BSEP%5D+It+is+%5BMASK%5D.&layer=1&head=2",
        "model=bert-reviews&text=Not+a+bad+film&layer=1",
        "model=dates&text=4+July+1976&head=1&token=3",
        "model=dates&text=4+July+1976+%E2%86%92+1976-04-07&map=2&edits=cross.0.1.off,decoder.1.L.uniform",
        "model=xl&text=The+cat+sat+on+the+mat.+&layer=1&head=2",
        "model=sparse&text=The+cat+sat+on+the+mat.&layer=1&head=1",
        "model=tiny-induction&text=abcabcabc&layer=1&scan_x=entropy&scan_y=distance",
        "model=tiny-induction%2Fstep-000400&text=abcabcabc&layer=1&head=1",
        "model=tiny-generator&text=abcabc&pin=tiny-unmasked&pin_text=abcabd&pin_edits=0.1.off&pin_head=1.2",
    ),
    "generate": (
        "tab=generate&model=tiny-generator&text=In&written=32.49&seed=3",
        "tab=generate&model=generator&text=The+capital+of&written=32.80&temperature=0&top_k=7&top_p=0.9",
        "tab=generate&model=gpt&text=The+capital&written=300.301&layer=1&head=2&of=head&scale=linear&pace=30",
        "tab=generate&model=xl&text=The+cat&length=30",
    ),
    "mask": (
        "tab=mask&model=gpt&text=abc+abc&mask=strided&size=4&layer=1&head=2",
        "tab=mask&model=tiny-generator&text=abcdefghij&mask=local&size=3&row=4&stage=2&scale=root",
        "tab=mask&model=gpt&mask=none&token=3&long=Paris+is+the+capital+of+France.&seed=7",
    ),
    "permute": (
        "tab=permute&text=not+a+bad+film&order=3.1.0.2&seed=4",
        "tab=permute&text=not+a+bad+film&positions=learned&mask=causal&output=layer&part=2&scale=log",
        "tab=permute&text=film&table=sinusoidal&at=30&product=dot",
    ),
    "learn": (
        "tab=learn&section=self-attention&row=3",
        "tab=learn&section=films&show=words&word=good",
        "tab=learn&section=in-pytorch&factor=4",
        "tab=learn&section=queries-keys-values&show=head&part=v",
        "tab=learn&section=scaling&show=trained",
        "tab=learn&section=several-heads&heads=1&positions=off",
        "tab=learn&section=block&show=gradient&seed=3",
        "tab=learn&section=classification&text=a+fine+film",
        "tab=learn&section=positions&show=length",
        "tab=learn&section=generation&seed=2",
        "tab=learn&section=key-value&asker=keys&row=1",
        "tab=learn&section=encoder-decoder&text=4+July+1976&layer=0&head=1",
        "tab=learn&section=bert&show=texts",
        "tab=learn&section=gpt-2&depth=6&heads=4",
        "tab=learn&section=transformer-xl&memory=off",
        "tab=learn&section=sparse&kind=fixed&size=4",
        "tab=learn&section=going-big&bits=16",
        "tab=learn&section=since&show=norm&added=2",
        "tab=learn&section=graphs&layers=3&row=2",
        "tab=learn&section=train-now&task=copy",
    ),
}
KINDS: dict[str, Any] = {
    "explore": Exploring,
    "generate": Writing,
    "mask": Masking,
    "permute": Permuting,
    "learn": Learning,
}
ERRORS = ".notice.error, .message.error, .status.error, .note.error"


@pytest.mark.parametrize("name", LINKS)
def test_old_links_open_the_views_that_they_name_in_panels_of_the_registry(page, guard, name):
    tab, problems = KINDS[name](page, guard.origin), {}
    for link in LINKS[name]:
        request = dict(parse_qsl(link))
        tab.open(**request) if isinstance(tab, Exploring) else tab.visit(
            **request
        )  # one page takes up all but the first
        tab.wait("name => window.former?.page?.tab === name", name)
        tab.rested() if isinstance(tab, Writing) else tab.settled()
        lost = request.items() - {("tab", TABS[0].name)} - tab.link().items()
        errors = page.locator(ERRORS).locator("visible=true").all_inner_texts()
        if lost or errors:
            problems[link] = lost, errors
    assert problems == {}
    panels = {each.get_attribute("data-panel") for each in page.locator(".former .panel:visible").all()}
    assert panels
    assert panels <= PANELS[name] | {"learn"}


@pytest.mark.parametrize(
    ("link", "panel"),
    [
        ("model=gpt&text=abc&scan_x=entropy&scan_y=distance", "scan"),
        ("model=gpt&text=abc&panel=writes", "writes"),
        ("model=tiny-induction/step-000400&text=abcabc", "forming"),
    ],
)
def test_an_old_link_to_a_panel_in_a_fold_opens_the_fold_and_scrolls_to_it(page, guard, link, panel):
    tab = Exploring(page, guard.origin).open(**dict(parse_qsl(link)))
    expect(tab.part(panel).locator("h2")).to_be_in_viewport()
    assert tab.link()["open"]
