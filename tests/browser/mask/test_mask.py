"""Tab Mask: the switch, the pictures, texts and links, compared with the weights on disk."""

import json
import re
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.held import Held
from tests.browser.mask.pages import LONG, SIZE, TEXT, Masking, T
from tests.browser.reference import CHECKPOINTS, Reference
from tests.mask_rules import KINDS, allowed, cells, seen
from viz.text import message

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Masking
MODEL = partial(Reference, "generator")


@pytest.mark.parametrize("kind", ["none", "strided"])
def test_the_switch_lays_a_mask_on_every_layer_of_the_model(tab, model, kind):
    tab.open(layer=3, head=2)
    tab.set(KINDS[kind])
    run = model.run(model.ids(TEXT), seen=seen(kind, T, SIZE))
    scores, weights = run.scores[3][2], run.weights[3][2]
    masked, number = tab.square("stages", "masked"), 0
    for query, key in ((14, 3), (14, 12), (6, 4), (5, 20)):
        tab.point(masked, query, key, T)
        text = tab.reading()
        assert (int(text["query"]), int(text["key"])) == (query, key)
        assert float(text["score"]) == pytest.approx(float(scores[query, key]), abs=2e-3)
        if allowed(kind, query, key, SIZE):
            assert float(text["weight"]) == pytest.approx(float(weights[query, key]), abs=1e-3)
            number += 1
        else:
            assert text["weight"] == "masked"
    assert number
    count = cells(kind, T, SIZE)
    assert tab.cells() == f"{count} of {T * T} cells"
    assert f"{count} of {T * T}" in tab.lesson() if kind != "none" else "all 529 scores remain" in tab.lesson()
    assert tab.link().get("mask", "causal") == kind


@pytest.mark.own_page
def test_masked_cells_have_the_masked_colour_and_no_others(tab):
    tab.open(mask="strided")
    tab.page.evaluate("CanvasRenderingContext2D.prototype.stroke = () => {}")  # its lines lie over the colour
    tab.page.evaluate("former.masking.set({ row: 3 })")
    tab.painted()
    style = tab.page.evaluate("former.variable('masked')")
    grey = tuple(int(style[at : at + 2], 16) for at in (1, 3, 5))
    every = [(row, column) for row in range(T) for column in range(0, T, 3)]
    for name in ("masked", "weights"):
        for cell, colour in zip(every, tab.colours(tab.square("stages", name), every, T), strict=True):
            assert (colour == grey) != allowed("strided", *cell, SIZE), (name, cell)
    last = [(row, T - 1) for row in range(T)]
    assert grey not in tab.colours(tab.square("stages", "scores"), last, T)


@pytest.mark.parametrize("name", ["scores", "masked", "weights"])
def test_a_click_in_any_picture_chooses_the_row_and_marks_it_in_all(tab, name):
    tab.open(row=2)
    tab.page.mouse.click(*tab.point_of(tab.square("stages", name), 17, 6, T))
    tab.painted()
    assert tab.link()["row"] == "17"
    assert "“e” (17)" in tab.sentence()
    mark = tab.page.evaluate("former.variable('mark')")
    for other in ("scores", "masked", "weights"):
        canvas = tab.square("stages", other)
        left, top, width, height = (float(side) for side in (canvas.get_attribute("data-frame") or "").split())
        spot = [round(left + width * 0.4), round(top + 17 * height / T - 1)]
        pixel = canvas.evaluate("(node, [x, y]) => [...node.getContext('2d').getImageData(x, y, 1, 1).data]", spot)
        assert pixel[:3] == [int(mark[at : at + 2], 16) for at in (1, 3, 5)], other


def test_the_whole_tab_is_about_one_token_wherever_it_is_chosen(tab):
    tab.open()
    for token in ("“a” (5)", "“e” (17)", "“a” (9)"):
        if token.endswith("(17)"):
            tab.step("Row", 17)
        elif token.endswith("(9)"):
            tab.token(9).click()
        tab.painted()
        assert f"Changing {token} changes" in tab.lesson()
        assert f"{token} has a score with every token" in tab.sentence()


def test_the_arrow_keys_choose_row_and_step(tab):
    tab.open(row=5)
    tab.square("stages", "weights").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
        tab.page.keyboard.press(key)
    assert (tab.link()["row"], tab.link()["stage"]) == ("6", "2")
    tab.button("Next →").focus()
    tab.page.keyboard.press("ArrowRight")
    assert tab.link()["stage"] == "3"
    tab.step("Row", 22)
    assert tab.link()["row"] == "22"
    tab.page.get_by_role("button", name="Row: one less").click()
    assert tab.link()["row"] == "21"


def test_a_number_that_is_being_typed_outlives_what_is_painted_meanwhile(tab):
    tab.open(row=4)
    row = tab.page.get_by_role("spinbutton", name="Row", exact=True)
    row.fill("22")
    tab.follow(tab="mask", stage=3)
    expect(row).to_have_value("22")
    row.press("Enter")
    assert (tab.link()["row"], tab.link()["stage"]) == ("22", "3")
    row.fill("1e9")
    row.blur()
    expect(row).to_have_value("22")


def test_window_and_stride_change_the_count_and_stand_only_where_they_mean_something(tab):
    tab.open(model="tiny-generator")  # a small one: what each mask changes is measured anew
    expect(tab.page.get_by_role("spinbutton", name="window")).to_be_hidden()
    expect(tab.page.get_by_role("spinbutton", name="stride")).to_be_hidden()
    for kind, name in (("local", "window"), ("strided", "stride"), ("fixed", "stride")):
        tab.set(KINDS[kind])
        for size in (1, 8, 24):
            tab.step(name, size)
            assert tab.cells() == f"{cells(kind, T, size)} of 529 cells"
    assert tab.link()["size"] == "24"


def test_another_layer_head_and_model_are_shown_with_their_own_numbers(tab, model):
    tab.open(layer=0, head=0)
    tab.step("Layer", 5)
    tab.step("Head", 7)
    tab.point(tab.square("stages", "weights"), 20, 8, T)
    exact = model.run(model.ids(TEXT)).weights[5][7]
    assert float(tab.reading()["weight"]) == pytest.approx(float(exact[20, 8]), abs=1e-3)
    tab.page.get_by_role("combobox", name="Model", exact=True).select_option("tiny-generator")
    tab.settled()
    assert tab.link()["model"] == "tiny-generator"
    assert tab.page.evaluate("[former.masking.view.layer, former.masking.view.head]") == [1, 3]
    tab.point(tab.square("stages", "weights"), 20, 8, T)
    exact = Reference("tiny-generator").run(model.ids(TEXT)).weights[1][3]
    assert float(tab.reading()["weight"]) == pytest.approx(float(exact[20, 8]), abs=1e-3)


def test_only_models_that_were_trained_with_a_mask_can_be_chosen(tab):
    tab.open()
    options = tab.page.get_by_role("combobox", name="Model", exact=True).locator("option").all_inner_texts()
    cards = [json.loads(path.read_text(encoding="utf-8")) for path in CHECKPOINTS.glob("*/card.json")]
    assert options == sorted(card["name"] for card in cards if trained_with_a_mask(card) and divides_by_the_root(card))
    assert {"generator", "gpt", "tiny-generator"} <= set(options)
    assert {"classifier", "dates", "tiny-unmasked", "tiny-unscaled"} <= {card["name"] for card in cards} - set(options)


def trained_with_a_mask(card: dict[str, Any]) -> bool:
    """Returns what the model's card says; older cards say it only through their recipe."""
    recipe = card.get("recipe", {}).get("masked", True)
    return card["kind"] == "Generator" and card["config"].get("mask", "causal" if recipe else "none") == "causal"


def divides_by_the_root(card: dict[str, Any]) -> bool:
    """Returns whether its scores are q·k / √s, as the pictures say."""
    return card["config"].get("scaled", True)


def test_another_text_is_shown_everywhere(tab, model, guard):
    guard.allow("status of 422")  # of the empty text
    tab.open(row=20, token=20)
    box = tab.page.get_by_role("textbox", name=re.compile("^Text, up to 24"))
    box.fill("Hi Bob")
    tab.wait("() => former.masking.answers.stages?.text === 'Hi Bob'")
    tab.settled()
    assert tab.cells() == "21 of 36 cells"
    assert tab.link()["text"] == "Hi Bob"
    assert tab.page.evaluate("[former.masking.view.row, former.masking.view.token]") == [5, 5]
    tab.point(tab.square("stages", "weights"), 5, 3, 6)
    layer, head = (tab.page.evaluate(f"former.masking.view.{name}") for name in ("layer", "head"))
    exact = model.run(model.ids("Hi Bob")).weights[layer][head]
    assert float(tab.reading()["weight"]) == pytest.approx(float(exact[5, 3]), abs=1e-3)
    assert tab.pairs("causal") == [21] * 8  # of twelve layers
    note = tab.part("mask-controls").locator(".note")
    box.fill("A text that is longer than what is shown")
    expect(note).to_have_text("Your text has 40 tokens; the first 24 are shown.")
    box.fill("x" * 3000)
    expect(note).to_have_text("Your text has 3000 tokens; the first 24 are shown.")
    box.fill("x" * 10_000)
    expect(note).to_contain_text("This text has 10,000 characters; the limit is 4,000.")
    box.fill("")
    expect(note).to_contain_text("There is no text yet")
    box.fill("x")
    tab.wait("() => former.masking.answers.stages?.text === 'x'")
    tab.settled()
    assert tab.cells() == "1 of 1 cells"
    expect(note).to_be_empty()


def test_a_text_of_markup_stays_text(tab):
    evil = "<img src=x onerror=a()>"
    tab.open(text=evil, long=evil * 3)
    assert tab.page.locator(".former img").count() == 0
    assert "".join(tab.part("mask-proof").locator(".tokens .token > span").all_inner_texts()) == evil.replace(" ", "␣")
    read_there = tab.part("mask-consequence").locator("[data-model=tiny-generator] .read").inner_text()
    assert read_there.startswith("<img\u00a0")


def test_a_copied_link_restores_the_whole_view(tab):
    view = {"text": "abcabcabc", "model": "tiny-generator", "layer": 1, "head": 2, "mask": "fixed", "size": 3}
    view |= {"row": 7, "stage": 3, "token": 4, "long": LONG, "seed": 77}
    tab.open(**view)
    result = tab.page.evaluate("({ ...former.masking.view })")
    assert {name: result[name] for name in view} == view
    assert tab.cells() == f"{sum(allowed('fixed', i, j, 3) for i in range(9) for j in range(9))} of 81 cells"
    assert "(7)" not in tab.sentence()
    assert tab.sentence().startswith("The ")
    before = tab.sentence(), tab.moves("masked"), tab.bits("own", "tiny-unmasked")
    tab.page.reload()
    tab.settled()
    assert (tab.sentence(), tab.moves("masked"), tab.bits("own", "tiny-unmasked")) == before


def test_a_link_of_another_model_opens_on_a_head_that_it_has(tab):
    tab.open(model="tiny-generator")
    layer, head = tab.page.evaluate("[former.masking.view.layer, former.masking.view.head]")
    assert layer < 2
    assert head < 4
    assert "layer" not in tab.link()
    tab.page.goto(f"{tab.origin}/?model=tiny-generator&layer=1")  # a link of tab Explore
    tab.page.get_by_role("tab", name="Mask").click()
    tab.settled()
    assert tab.page.evaluate("former.masking.view.model") == "generator"
    assert tab.part("mask-stages").locator("h3").first.inner_text() == "Scores q·k / √32"


def test_a_link_that_asks_for_nonsense_says_so_and_shows_the_rest(tab):
    tab.open(mask="full", stage=99, head=5)
    for named in ("“full”", "“99”"):
        expect(tab.part("mask-controls").locator(".note")).to_contain_text(named)
    assert tab.page.evaluate("former.masking.view.head") == 5
    assert tab.cells() == "276 of 529 cells"


def test_the_pictures_the_steps_and_the_switch_are_above_the_fold(tab):
    tab.open()
    for spot in (tab.square("stages", "weights"), tab.button("Next →"), tab.page.get_by_role("radio", name="fixed")):
        box = spot.bounding_box()
        assert box
        assert box["y"] + box["height"] <= 720
    for spot in (tab.part("mask-stages").locator("table"), tab.part("mask-stages").locator(".costs")):
        box = spot.bounding_box()
        assert box
        assert box["y"] + box["height"] <= 720
    costs = tab.part("mask-stages").locator(".costs [data-line]").all()
    values = {cost.get_attribute("data-line"): int(cost.get_attribute("data-count") or -1) for cost in costs}
    assert values["none"] == T * T
    assert values["causal"] == T * (T + 1) // 2
    assert values["local"] == sum(allowed("local", row, column, SIZE) for row in range(T) for column in range(T))


def test_a_phone_shows_everything_without_scrolling_sideways(tab):
    tab.page.set_viewport_size({"width": 390, "height": 844})
    tab.open()
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    for name in ("scores", "masked", "weights"):
        box = tab.square("stages", name).bounding_box()
        assert box
        assert box["width"] > 300
        assert box["height"] > 200


@pytest.mark.own_page
def test_a_link_leaves_out_what_it_has_no_room_for_and_says_so_and_the_server_refuses_one_that_is_too_long(tab, guard):
    page, said = tab.page, tab.page.locator(".room-bar")
    tab.open(long="短い" * 300)
    text = "長い文章" * 975
    tab.follow(text=text, long="短い" * 1950)
    assert len(page.url) < 60_000
    assert {name: len(value) for name, value in tab.link().items()} == {"tab": 4, "long": 3900, "left_out": 4}
    expect(said).to_contain_text("Left out of this link: “text” (35,105 bytes in an address).")
    expect(said).to_contain_text("holds at most 60,000 bytes")
    page.get_by_text("Copy link", exact=True).click()
    expect(page.locator(".class-menu.link .sheet")).to_contain_text("Left out of this link: “text”")
    assert tab.page.evaluate("former.masking.view.text") == text, "the page still shows it"
    page.reload()
    tab.settled()
    expect(said).to_contain_text("This link had no room for text")
    assert page.evaluate("former.masking.view.long") == "短い" * 1950
    assert "left_out" not in tab.link(), "it holds the view that is shown now"
    guard.allow("status of 414")
    page.goto(f"{tab.origin}/?tab=mask&text={'x' * 62_000}")
    expect(page.get_by_role("paragraph").first).to_contain_text("62,015 bytes; the limit is 62,000")
    page.get_by_role("link", name="Open the page without it").click()
    expect(page.get_by_role("tab", name="Learn")).to_be_visible()


@pytest.mark.own_page
def test_the_view_of_a_link_says_that_it_is_computed_until_its_answer_arrives(tab):
    held = Held(tab.page, "**/ask/mask-stages/head")
    tab.goto(tab="mask", layer=3, head=2)
    line = tab.part("mask-stages").get_by_text(message("mask_waiting_first"))
    expect(line).to_be_visible()
    held.release()
    tab.settled()
    expect(line).to_be_hidden()
