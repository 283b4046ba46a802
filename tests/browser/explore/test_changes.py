"""Tab Explore: the prediction, how edits of heads change it, and the effect of each head."""

import math
import re
from functools import partial
from itertools import pairwise

import pytest
import torch
from playwright.sync_api import Page, expect

import former
from tests.browser.conftest import Guard
from tests.browser.pages import Exploring, agrees, check_shares, stands_still
from tests.browser.reference import Reference
from tests.browser.written import number
from tests.ranked import clear_largest
from viz.text import message

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
MODEL = partial(Reference, "generator")

TEXT = "The cat sat on the mat. The cat sat."
LABELS = {32: "␣", 10: "⏎"}


@pytest.fixture
def tab(page: Page, guard: Guard) -> Exploring:
    return Exploring(page, guard.origin).open(text=TEXT, layer=0, head=0)


def bits_per_byte(tab: Exploring) -> list[float]:
    """Returns the number under the prediction, or the numbers before and after the edits."""
    words = tab.page.locator(".former-prediction .total .number").inner_text()
    return [float(number) for number in re.findall(r"\d+\.\d+", words)]


def test_the_next_byte_probabilities_are_those_of_the_weights(tab, model):
    probs = model.run(model.ids(TEXT)).out[-1].softmax(-1)
    rows = tab.page.locator(".former-prediction .row")
    assert rows.count() >= 8
    values = [
        (rows.nth(i).locator(".label").inner_text(), rows.nth(i).locator(".number").inner_text()) for i in range(5)
    ]
    check_shares(values, {LABELS.get(token, chr(token)): float(prob) for token, prob in enumerate(probs)})


def test_the_surprise_of_each_byte_and_of_the_whole_are_those_of_the_weights(tab, model):
    bits = model.surprise(model.ids(TEXT))
    status = tab.page.locator(".former-surprise .surprise-status")
    status.scroll_into_view_if_needed()
    stands_still(status)  # panels that came into view on the way move it as they fill
    for i in (1, 4, 9, 20, len(TEXT) - 1):
        tab.page.locator(f".former-surprise .token[data-token='{i}']").hover()
        tab.painted()
        match = re.search(r"\((\d+)\): (\d+\.\d+) bits", status.inner_text())
        assert match, status.inner_text()
        assert int(match[1]) == i
        assert float(match[2]) == pytest.approx(float(bits[i - 1]), abs=0.0051)
    total = tab.page.locator(".former-surprise .panel-tools .number").inner_text()
    assert float(total.split(" ")[0]) == pytest.approx(float(bits.mean()), abs=0.00055)
    assert bits_per_byte(tab) == [pytest.approx(float(bits.mean()), abs=0.00055)]


def test_a_more_surprising_byte_is_darker(tab, model):
    bits = model.surprise(model.ids(TEXT)).tolist()
    inks = tab.page.locator(".former-surprise .token").evaluate_all(
        "spans => spans.slice(1).map((span) => getComputedStyle(span).backgroundColor)"
    )
    light = [sum(map(int, re.findall(r"\d+", ink)[:3])) for ink in inks]
    ordered = [ink for _, ink in sorted(zip(bits, light, strict=True), reverse=True)]
    assert len(set(light)) > 5
    assert all(a <= b + 3 for a, b in pairwise(ordered)), "darker is not more surprising"


def test_ctrl_z_takes_back_the_last_change_of_a_head_and_not_the_text(tab):
    tab.edited(lambda: tab.page.get_by_role("button", name="Switch off").click())
    assert len(bits_per_byte(tab)) == 2
    tab.edited(lambda: tab.page.keyboard.press("Control+z"))
    assert len(bits_per_byte(tab)) == 1
    expect(tab.page.get_by_role("textbox", name="Text", exact=True)).to_have_value(TEXT)


def test_a_head_switched_off_shows_the_prediction_before_and_after(tab, model):
    ids = model.ids(TEXT)
    tab.edited(lambda: tab.page.get_by_role("button", name="Switch off").click())
    without = {(0, 0): 0.0}
    before, after = (float(model.surprise(ids, factors).mean()) for factors in (None, without))
    assert bits_per_byte(tab) == [pytest.approx(before, abs=0.00055), pytest.approx(after, abs=0.00055)]
    probs = model.run(ids, without).out[-1].softmax(-1)
    element = tab.page.locator(".former-prediction .row.chosen")
    token = clear_largest(probs, 1e-4)
    assert element.locator(".label").inner_text() == LABELS.get(token, chr(token))
    assert agrees(element.locator(".number").inner_text().split("→")[-1].strip(), float(probs.max()))
    assert tab.link()["edits"] == "0.0.off"
    expect(tab.cell(0, 0)).to_have_class("off")
    expect(tab.cell(0, 0)).to_have_attribute("aria-label", re.compile(r"^Layer 0, head 0: switched off"))
    expect(tab.page.locator(".former-head-map h2")).to_have_text("Layer 0, head 0, switched off")
    assert tab.lesson().endswith("You have switched it off.")
    tab.edited(lambda: tab.page.get_by_role("button", name="As trained").click())
    assert bits_per_byte(tab) == [pytest.approx(before, abs=0.00055)]
    assert "edits" not in tab.link()
    expect(tab.cell(0, 0)).not_to_have_class("off")


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 768), (390, 844)])
def test_the_chosen_head_is_switched_off_and_on_again_on_the_first_screen(tab, width, height):
    tab.page.set_viewport_size({"width": width, "height": height})
    off = tab.page.get_by_role("button", name=message("control_off_hint"))
    expect(off).to_be_in_viewport(ratio=1)
    tab.edited(off.click)
    assert tab.link()["edits"] == "0.0.off"
    expect(off).to_have_attribute("aria-pressed", "true")
    tab.edited(off.click)
    assert "edits" not in tab.link()
    expect(off).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 768), (390, 844)])
def test_changes_stand_directly_under_the_maps_and_in_sight_of_a_laptop_and_a_projector(tab, width, height):
    tab.page.set_viewport_size({"width": width, "height": height})
    tab.painted()
    maps, changes = (tab.part(name).bounding_box() for name in ("head-map", "interventions"))
    assert 0 <= changes["y"] - maps["y"] - maps["height"] <= 20
    if width > 800:
        expect(tab.part("interventions").get_by_role("button", name="Switch off")).to_be_in_viewport()


def test_a_head_can_be_scaled_by_keyboard(tab, model):
    slider = tab.page.get_by_role("slider", name="Scale its output")
    slider.focus()

    def five_more() -> None:
        for _ in range(5):
            slider.press("ArrowRight")

    tab.edited(five_more)
    tab.wait("() => former.store.pass.header.edits[0]?.factor === 1.5")
    tab.settled()
    after = float(model.surprise(model.ids(TEXT), {(0, 0): 1.5}).mean())
    assert bits_per_byte(tab)[-1] == pytest.approx(after, abs=0.00055)


@pytest.mark.own_page
def test_a_whole_layer_can_be_switched_off(tab, model):
    tab.page.get_by_role("checkbox", name="the whole layer").check()
    tab.edited(lambda: tab.page.get_by_role("button", name="Switch off").click())
    without = {(0, head): 0.0 for head in range(model.config["heads"])}
    assert bits_per_byte(tab)[-1] == pytest.approx(float(model.surprise(model.ids(TEXT), without).mean()), abs=0.00055)
    off = tab.page.get_by_role("button", name=message("control_off_hint"))
    expect(off).to_have_attribute("aria-pressed", "true")
    expect(off).to_be_disabled()  # one head of a layer that is off is not switched on alone


def test_a_line_under_the_text_lists_the_changes_and_undoes_each_where_it_was_made_and_where_it_is_presented(tab):
    line = tab.part("changes")
    expect(line).to_be_hidden()
    tab.open(text=TEXT, edits="0.1.off,1.L.uniform")
    expect(line).to_contain_text("2 changes:")
    expect(line.get_by_role("listitem")).to_have_text(["Layer 0, head 1: off✕", "Layer 1, all heads: uniform✕"])
    line.get_by_role("button", name="Layer 0, head 1: off", exact=True).click()
    assert tab.link()["head"] == "1"
    tab.edited(lambda: line.get_by_role("button", name="Undo: Layer 1, all heads: uniform").click())
    assert tab.link()["edits"] == "0.1.off"
    tab.page.keyboard.press("p")
    expect(line).to_contain_text("1 change:")
    tab.edited(lambda: line.get_by_role("button", name="Undo: Layer 0, head 1: off").click())
    expect(line).to_be_hidden()
    tab.page.keyboard.press("Escape")
    assert "edits" not in tab.link()


def test_a_change_in_the_list_shows_its_head_even_if_a_mean_is_shown(tab):
    tab.open(text=TEXT, edits="0.1.off", layer=1, of="mean")
    tab.part("changes").get_by_role("button", name="Layer 0, head 1: off", exact=True).click()
    expect(tab.page.locator(".former-head-map h2")).to_have_text("Layer 0, head 1, switched off")


def test_the_button_off_says_when_no_further_change_has_room_in_a_link(tab):
    tab.open(text=TEXT, edits=",".join(f"{layer}.{head}.off" for layer in range(4) for head in range(8)), layer=4)
    off = tab.page.get_by_role("button", name=message("control_off_hint"))
    expect(off).to_be_disabled()
    expect(off).to_have_attribute("title", message("edits_many", limit=32))
    tab.cell(3, 7).click()
    expect(off).to_be_enabled()  # to switch on again
    expect(off).to_have_attribute("title", message("control_off_hint"))


def test_the_focus_stays_in_the_list_of_changes_and_a_lock_stays_while_another_tab_is_in_front(tab):
    line = tab.part("changes")
    tab.open(text=TEXT, edits="0.1.off,1.L.uniform", token=3)
    undo = line.get_by_role("button", name="Undo: Layer 0, head 1: off")
    undo.focus()
    tab.edited(lambda: undo.press("Enter"))
    expect(line.get_by_role("button").last).to_be_focused()
    tab.page.evaluate("former.page.open('mask')")
    tab.wait("former.page.tab === 'mask'")
    tab.page.keyboard.press("Escape")
    tab.page.evaluate("former.page.open('explore')")
    tab.wait("former.page.tab === 'explore'")
    assert tab.page.evaluate("former.store.view.token") == 3


def test_one_weight_is_set_its_row_shares_what_is_left_or_is_kept_and_it_is_taken_back(tab, model):
    bundle = former.load("generator")
    tokens = torch.tensor([model.ids(TEXT)])
    tab.page.evaluate("former.store.set({ layer: 1, head: 2, token: 34, key: 20 })")
    tab.settled()
    part = tab.part("interventions")
    slider = part.get_by_role("slider", name=re.compile(r"^Weight “.+” \(34\) → “.+” \(20\)$"))
    _, capture = former.run_with_capture(bundle.model, tokens)
    assert float(slider.input_value()) == pytest.approx(float(capture.get("weights", 1)[0, 2, 34, 20]), abs=0.0051)

    def after(renormalise: bool) -> list:
        edit = former.edits.set_weight(1, 2, 34, 20, 1.0, renormalise=renormalise)
        out = [former.run_with_capture(bundle.model, tokens, edits=edits)[0] for edits in ([], [edit])]
        losses = [torch.nn.functional.cross_entropy(each[0, :-1], tokens[0, 1:]) / math.log(2) for each in out]
        return [pytest.approx(float(loss), abs=0.00055) for loss in losses]

    slider.focus()
    tab.edited(lambda: slider.press("End"))
    assert bits_per_byte(tab) == after(True)
    assert tab.link()["edits"] == "1.2.w34_20_1"
    assert tab.page.evaluate("former.rowOf(former.shownNow(), 34)[20]") == 1
    expect(tab.unfold("pair").locator(".sum").first).to_contain_text("You have set weights of this row")
    tab.edited(lambda: part.get_by_role("checkbox", name="shares what remains").uncheck())
    assert bits_per_byte(tab) == after(False)
    assert tab.link()["edits"] == "1.2.W34_20_1"
    expect(part.get_by_role("button", name="34 → 20 set to 1, the rest of its row unchanged")).to_have_count(2)
    tab.edited(lambda: part.get_by_role("button", name="Use computed weight").click())
    assert len(bits_per_byte(tab)) == 1
    assert "edits" not in tab.link()


def test_a_weight_that_a_sparse_pattern_leaves_out_cannot_be_set(tab):
    text = TEXT * 5
    allowed = former.load("sparse").run(text).maps["self"].allowed
    query, key = (allowed.long().diff(dim=1) > 0).nonzero()[-1].tolist()  # the next key is seen, this one is not
    tab.open(model="sparse", text=text, layer=1, head=2, token=query, key=key)
    name = re.compile(rf"^Weight “.+” \({query}\) → “.+” \({key}\)$")
    expect(tab.part("interventions").get_by_role("slider", name=name)).to_be_disabled()
    tab.page.evaluate("([token, key]) => former.store.set({ token, key })", [query, key + 1])
    name = re.compile(rf"^Weight “.+” \({query}\) → “.+” \({key + 1}\)$")
    expect(tab.part("interventions").get_by_role("slider", name=name)).to_be_enabled()


def test_a_uniform_head_looks_at_every_token_it_may_see_alike(tab):
    tab.edited(lambda: tab.page.get_by_role("button", name="Make uniform").click())
    read = [tab.point(x, 0.5) for x in (0.2, 0.3, 0.4, 0.5, 0.6)]
    observed = [(int(r["query"]), float(r["weight"])) for r in read if r.get("weight", "masked") != "masked"]
    assert observed
    for query, weight in observed:
        assert weight == pytest.approx(1 / (query + 1), abs=1e-5)
    tab.point(0.2, 0.5)
    element = tab.unfold("pair").locator(".sum").first  # of the score; the other is of the output
    expect(element).to_contain_text("You have replaced this head’s weights")
    expect(element).not_to_contain_text("Softmax")


@pytest.mark.own_page
def test_measuring_every_head_paints_the_overview_with_what_each_is_worth(tab, model):
    tab.page.get_by_role("button", name="Measure every head").click()
    finding = tab.page.locator(".former-interventions .finding")
    expect(finding).to_contain_text("heads measured", timeout=60_000)
    layers, heads = model.config["depth"], model.config["heads"]
    expect(finding).to_contain_text(f"{layers * heads} heads measured")
    borders = (
        tab.page.locator(".former-overview")
        .get_by_role("gridcell")
        .evaluate_all("cells => cells.map((cell) => cell.style.getPropertyValue('--effect'))")
    )
    assert len(borders) == layers * heads
    assert all(border.startswith("rgb") for border in borders)
    assert len(set(borders)) > 3
    ids = model.ids(TEXT)
    whole = float(model.surprise(ids).mean())
    for layer, head in ((0, 0), (2, 3), (layers - 1, heads - 1)):
        exact = float(model.surprise(ids, {(layer, head): 0.0}).mean()) - whole
        words = tab.cell(layer, head).get_attribute("aria-label") or ""
        match = re.search(r"([+−]\d+\.\d+) bits", words)
        assert match, words
        assert number(match[1].replace("+", "")) == pytest.approx(exact, abs=0.0006)
    named = re.search(r"layer (\d+), head (\d+)", finding.inner_text())
    assert named
    effect = float(model.surprise(ids, {(int(named[1]), int(named[2])): 0.0}).mean()) - whole
    stated = re.search(r"the text costs (\S+(?:\s×\s10⁻\S+)?) (more|fewer) bits per byte", finding.inner_text())
    assert stated
    assert math.copysign(number(stated[1]), 1 if stated[2] == "more" else -1) == pytest.approx(effect, rel=0.01)
    tab.page.get_by_role("button", name="Show it").click()
    tab.settled()
    assert (tab.link().get("layer", "0"), tab.link().get("head", "0")) == named.groups()


def test_measuring_every_head_leaves_out_the_heads_that_are_off_and_says_so(tab, model):
    tab.open(text=TEXT, edits="0.1.off,1.L.off")
    tab.page.get_by_role("button", name="Measure every head").click()
    finding = tab.page.locator(".former-interventions .finding")
    heads, off = model.config["depth"] * model.config["heads"], 1 + model.config["heads"]
    expect(finding).to_contain_text(f"Of the {heads - off} heads measured")
    expect(finding).to_contain_text(message("effects_off", off=off))
    expect(tab.cell(1, 2)).to_have_attribute("aria-label", re.compile(r"^Layer 1, head 2: switched off"))


def test_a_link_holds_the_changes(page, tab):
    tab.edited(lambda: tab.page.get_by_role("button", name="Switch off").click())
    other = Exploring(page.context.new_page(), tab.origin)
    other.page.goto(page.url)
    other.settled()
    assert bits_per_byte(other) == bits_per_byte(tab)
    assert len(bits_per_byte(other)) == 2
