"""Tab Word order: words change places, and outputs move with them."""

import re
from functools import partial

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Guard
from tests.browser.permute.pages import LINKED, ORDER, TEXT, Outputs, Permuting, shuffled
from tests.browser.written import number
from tests.ranked import clear_largest
from viz.text import examples as words

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Permuting
MODEL = partial(Outputs, "classifier")

ROUNDING = 16 * 2**-23  # of the largest output


def asked(guard: Guard) -> int:
    """Returns how many requests the server has received."""
    return sum(request == "POST /ask/equivariance/errors" for request in guard.requests)


# --- the four errors ---


def test_the_tab_opens_on_moved_words_whose_outputs_only_moved(tab, model):
    tab.open()
    one, other = words.PAIRS[0]
    ids, order = model.split(one), tab.order()
    assert [model.split(one)[word] for word in order] == model.split(other)
    before = model.outputs(ids)
    for name, (error, mark) in tab.errors().items():
        assert "equal up to rounding" in mark
        assert error <= ROUNDING * float(before[name].abs().max())
    assert "equivariance" in tab.lesson()
    assert "invariance" in tab.lesson()
    assert tab.data("permutation")["order"] == ".".join(map(str, order))


@pytest.mark.parametrize(
    ("kind", "mask"), [("learned", "none"), ("sinusoidal", "none"), ("none", "causal"), ("learned", "causal")]
)
def test_each_switch_breaks_it_by_what_the_weights_give_and_says_so(tab, model, kind, mask):
    tab.open(text=TEXT, order=LINKED)
    alone = tab.errors()["block"][0]
    tab.switch("positions", kind)
    tab.switch("mask", mask)
    expected = model.errors(model.split(TEXT), ORDER, kind, mask == "causal")
    for name, (error, mark) in tab.errors().items():
        assert error == pytest.approx(expected[name], rel=6e-3)
        assert "differs" in mark
    numbers = re.search(r"rises from (.+?) to (.+?):", tab.sentence())
    assert numbers
    assert number(numbers[1]) == pytest.approx(alone, rel=1e-6)
    assert number(numbers[2]) == pytest.approx(expected["block"], rel=6e-3)
    assert "they also change, by" in tab.lesson()
    assert tab.link().get("positions", "none") == kind
    assert tab.link().get("mask", "none") == mask


def test_switching_back_makes_the_outputs_equal_again(tab):
    tab.open(text=TEXT, order=LINKED, positions="learned", mask="causal")
    tab.switch("positions", "none")
    tab.switch("mask", "none")
    assert all("equal up to rounding" in mark for _, mark in tab.errors().values())


def test_words_as_typed_have_nothing_to_compare_and_the_tab_says_so(tab):
    tab.open(text=TEXT, positions="learned")
    assert list(tab.errors().values()) == [(0.0, "no word has moved")] * 4
    assert "Drag a word" in tab.lesson()
    expect(tab.button("Restore order")).to_be_disabled()


def test_a_single_word_has_nothing_to_move_and_nobody_is_told_to_drag_it(tab):
    tab.open(text="wonderful")
    said = tab.page.locator(".former-word-order, .former-equivariance, .former-lesson[data-tab=permute]")
    for sentence in said.all_inner_texts():
        assert "A single word has only one order" in sentence
        assert not re.search("[Dd]rag", sentence)
    expect(tab.page.locator(".former-word-order .shuffle")).to_be_disabled()


# --- moving words ---


def test_a_word_of_more_letters_than_fit_keeps_its_number(tab):
    tab.open(text=f"The {'a' * 200} ends")
    chip, number = tab.chip(1).bounding_box(), tab.chip(1).locator("sub").bounding_box()
    assert number["x"] + number["width"] <= chip["x"] + chip["width"]


def drag_the_first_to_the_fourth(tab) -> tuple[float, float]:
    """Drags the first word to the end of the fourth, near their tops; returns the pointer's position, its button still
    down."""
    start, goal = tab.chip(0).bounding_box(), tab.chip(3).bounding_box()
    assert start
    assert goal
    x, y = goal["x"] + goal["width"] - 2, goal["y"] + 8
    tab.page.mouse.move(start["x"] + 5, start["y"] + 8)
    tab.page.mouse.down()
    tab.page.mouse.move(x, y, steps=12)
    tab.settled()
    return x, y


def test_a_dragged_word_moves_everything_live_and_stays_where_it_was_dropped(tab, guard, model):
    tab.open(text=TEXT)
    began = asked(guard)
    drag_the_first_to_the_fourth(tab)
    expected = [1, 2, 3, 0, *range(4, 11)]
    assert tab.order() == expected
    for part in ("permutation", "moved-rows"):
        assert tab.data(part)["order"] == ".".join(map(str, expected))
    assert 1 <= asked(guard) - began <= 3  # a question for each place it passed
    tab.page.mouse.up()
    assert tab.words()[3] == "i"
    assert tab.link()["order"] == ".".join(map(str, expected))
    tab.switch("positions", "learned")
    error = model.errors(model.split(TEXT), expected, "learned", False)["block"]
    assert tab.errors()["block"][0] == pytest.approx(error, rel=6e-3)


def test_a_word_in_hand_stays_where_it_is_when_the_page_shifts_under_the_pointer(tab):
    tab.open(text=TEXT)
    x, y = drag_the_first_to_the_fourth(tab)
    before = tab.order()
    assert before != sorted(before)
    for shift in ("19px", "-19px"):  # as by a line more above, or less
        tab.part("word-order").evaluate("(node, shift) => (node.style.marginTop = shift)", shift)
        tab.page.mouse.move(x - 1, y)
        tab.page.mouse.move(x, y)
        assert tab.order() == before
    tab.page.mouse.up()


def test_a_word_moves_by_touch(tab, guard):
    context = tab.page.context.browser.new_context(has_touch=True, viewport={"width": 1280, "height": 720})
    guard.watch(context)
    touched = Permuting(context.new_page(), guard.origin).open(text=TEXT)
    finger = context.new_cdp_session(touched.page)
    start, goal = touched.chip(5).bounding_box(), touched.chip(2).bounding_box()
    assert start
    assert goal
    places = [start["x"] + 8 + (goal["x"] + 2 - start["x"] - 8) * step / 10 for step in range(11)]
    for step, x in enumerate(places):
        kind = "touchMove" if step else "touchStart"
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": start["y"] + 8}]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    touched.settled()
    assert touched.order() == [0, 1, 5, 2, 3, 4, *range(6, 11)]
    context.close()


@pytest.mark.parametrize("key", ["Alt", "Shift"])
def test_a_word_moves_by_keys_and_keeps_the_focus(tab, key):
    tab.open(text=TEXT)
    tab.chip(0).focus()
    tab.page.keyboard.press("ArrowRight")
    expect(tab.chip(1)).to_be_focused()
    for _ in range(2):
        tab.page.keyboard.press(f"{key}+ArrowRight")
    tab.settled()
    assert tab.order() == [0, 2, 3, 1, *range(4, 11)]
    expect(tab.chip(1)).to_be_focused()
    tab.page.keyboard.press(f"{key}+ArrowLeft")
    tab.settled()
    assert tab.order() == [0, 2, 1, *range(3, 11)]
    label = tab.chip(1).get_attribute("aria-label")
    assert label is not None
    assert "position 3 of 11" in label
    assert "Alt or Shift with an arrow" in label


def test_a_word_that_is_picked_up_moves_with_the_arrows_until_dropped_and_escape_puts_it_back(tab):
    tab.open(text=TEXT, order=LINKED)
    tab.chip(0).focus()
    keyboard = tab.page.keyboard
    keyboard.press("Enter")
    expect(tab.chip(0)).to_have_attribute("aria-pressed", "true")
    keyboard.press("End")
    keyboard.press("ArrowLeft")
    tab.settled()
    assert tab.order().index(0) == 9
    keyboard.press("Escape")
    tab.settled()
    assert tab.order() == ORDER
    keyboard.press("Space")
    keyboard.press("Home")
    keyboard.press("Space")
    tab.settled()
    assert tab.order()[0] == 0
    expect(tab.chip(0)).to_have_attribute("aria-pressed", "false")
    keyboard.press("ArrowRight")
    assert tab.order()[0] == 0


def test_shuffling_gives_the_order_of_the_seed_and_again_that_of_the_next(tab):
    tab.open(text=TEXT)
    tab.press("Shuffle")
    assert tab.order() == shuffled(11, 1)
    tab.press("Shuffle")
    assert tab.order() == shuffled(11, 2)
    assert (tab.link()["seed"], tab.link()["order"]) == ("2", ".".join(map(str, shuffled(11, 2))))
    seed = tab.page.get_by_role("spinbutton", name="Seed", exact=True)
    expect(seed).to_have_value("2")
    seed.fill("777")
    tab.settled()
    assert tab.order() == shuffled(11, 777)
    seed.fill("-3")
    expect(seed).to_have_attribute("aria-invalid", "true")
    assert tab.order() == shuffled(11, 777)


def test_a_seed_that_is_typed_stays_even_if_it_gives_the_order_that_is_there(tab):
    tab.open(text="two words")
    tab.press("Shuffle")
    seed = tab.page.get_by_role("spinbutton", name="Seed", exact=True)
    seed.fill("7")
    tab.settled()
    assert (tab.link()["seed"], tab.order()) == ("7", [1, 0])


def test_restoring_the_order_puts_every_word_back(tab):
    tab.open(text=TEXT, order=LINKED)
    tab.press("Restore order")
    assert tab.order() == list(range(11))
    assert tab.words() == TEXT.lower().split()
    assert tab.link().get("order", "typed") == "typed"


# --- the picture ---


@pytest.mark.parametrize("output", ["basic", "layer", "block"])
def test_each_number_that_is_pointed_at_is_that_of_the_weights(tab, model, output):
    tab.open(text=TEXT, order=LINKED, output=output, positions="learned", part=2)
    before, after = (outputs[output] for outputs in model.both(model.split(TEXT), ORDER, "learned"))
    tab.page.locator(".former-moved-rows canvas").first.focus()
    readout = tab.page.locator(".former-moved-rows .readout")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"):
        tab.page.keyboard.press(key)
    tab.painted()
    word, column = ORDER[2], 64 + 1
    expected = [
        before[word, column],
        before[word, column],
        after[2, column],
        (after[2, column] - before[word, column]).abs(),
    ]
    match = re.search(
        r"number (\d+): f\(x\) (.+), P f\(x\) (.+), f\(Px\) (.+), difference (.+)\.$", readout.inner_text()
    )
    assert match
    assert int(match[1]) == column + 1
    numbers = [number(value) for value in match.groups()[1:]]
    assert numbers == pytest.approx(list(map(float, expected)), rel=2e-2, abs=2e-6)  # small ones show two digits
    assert readout.inner_text().startswith(f"“{TEXT.lower().split()[word]}” ({word + 1})")


def test_a_pointer_on_the_fourth_map_reads_the_word_that_stands_there(tab, model):
    tab.open(text=TEXT, order=LINKED, output="block", mask="causal")
    canvas = tab.page.locator(".former-moved-rows [data-map=difference] canvas")
    left, top, width, height = map(float, (canvas.get_attribute("data-frame") or "").split())
    canvas.hover(position={"x": left + width * 5.5 / 32, "y": top + height * 4.5 / 11})
    tab.painted()
    readout = tab.page.locator(".former-moved-rows .readout")
    data = readout.evaluate("(one) => ({...one.dataset})")
    assert (data["word"], data["column"]) == (str(ORDER[4]), "5")
    before, after = (outputs["block"] for outputs in model.both(model.split(TEXT), ORDER, causal=True))
    assert float(data["difference"]) == pytest.approx(
        float((after[4, 5] - before[ORDER[4], 5]).abs()), rel=1e-4, abs=1e-5
    )
    expect(tab.chip(ORDER[4])).to_have_class(re.compile(r"\bat\b"))


def test_the_difference_is_blank_where_the_rows_only_moved_and_not_where_order_counts(tab):
    tab.open(text=TEXT, order=LINKED)
    assert len(tab.colours(3)) == 1
    assert all(len(tab.colours(which)) > 30 for which in range(3))
    tab.page.locator(".former-moved-rows .panel-tools [data-field=scale] input[value=log]").check(force=True)
    tab.painted()
    assert len(tab.colours(3)) > 5  # rounding, on a scale of powers of ten
    assert tab.link()["scale"] == "log"
    tab.page.locator(".former-moved-rows .panel-tools [data-field=scale] input[value=same]").check(force=True)
    tab.switch("positions", "learned")
    assert len(tab.colours(3)) > 30


def test_the_largest_difference_is_named_with_its_place(tab, model):
    tab.open(text=TEXT, order=LINKED, output="layer", positions="sinusoidal")
    before, after = (outputs["layer"] for outputs in model.both(model.split(TEXT), ORDER, "sinusoidal"))
    apart = (after - before[ORDER]).abs()
    row, column = divmod(clear_largest(apart, 1e-5), apart.shape[1])
    text = tab.page.locator(".former-moved-rows .readout").inner_text()
    assert f"({ORDER[row] + 1}), number {column + 1}." in text
    assert number(text.split(": ")[1].split(", at")[0]) == pytest.approx(float(apart.max()), rel=6e-3)


def test_the_columns_shown_can_be_stepped_through_and_stand_in_the_link(tab):
    tab.open(text=TEXT, order=LINKED)
    more = tab.page.get_by_role("button", name="The next 32 numbers", exact=True)
    for first in (33, 65, 97):
        more.click()
        expect(tab.page.locator(".former-moved-rows .stepper")).to_contain_text(f"{first}–{first + 31} of 128")
    expect(more).to_be_disabled()
    assert tab.link()["part"] == "3"


def test_a_picture_that_fills_the_window_brings_its_controls(tab):
    tab.open(text=TEXT)
    panel = tab.page.locator(".former-moved-rows .panel")
    expect(panel.locator(".permute-bar")).to_be_hidden()
    panel.locator(".panel-maximise").click()
    panel.get_by_role("button", name="Shuffle", exact=True).click()
    tab.settled()
    panel.locator(".permute-bar [data-field=positions] input[value=learned]").check(force=True)
    panel.locator(".permute-bar [data-field=output] input[value=layer]").check(force=True)
    tab.settled()
    assert tab.data("moved-rows")["order"] == ".".join(map(str, shuffled(11, 1)))
    assert panel.locator("h2").inner_text() == "Multi-head layer"
    assert (tab.link()["positions"], tab.link()["output"]) == ("learned", "layer")


def test_the_whole_classifiers_log_probabilities_are_those_of_the_weights(tab, model):
    tab.open(text=TEXT, order=LINKED, output="classifier", mask="causal")
    before, after = (outputs["classifier"] for outputs in model.both(model.split(TEXT), ORDER, causal=True))
    text = tab.page.locator(".former-moved-rows .readout").inner_text()
    numbers = [number(value) for pair in re.findall(r"(−?[\d.]+) → (−?[\d.]+\d)", text) for value in pair]
    expected = [float(value) for pair in zip(before, after, strict=True) for value in pair]
    assert numbers == pytest.approx(expected, abs=2e-5)
