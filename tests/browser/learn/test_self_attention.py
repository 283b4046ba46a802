"""Section "Self-attention": the page computes for dragged arrows what former.basic_self_attention computes."""

import pytest
import torch
from playwright.sync_api import expect

import former
from tests.browser.learn.pages import Learning

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning


def exact(tab: Learning) -> tuple[list[str], torch.Tensor, torch.Tensor, torch.Tensor]:
    """Returns the view's words and, computed by `former`, their dot products, weights and outputs."""
    view = tab.view()
    words = view["words"].split()
    pairs = [[float(number) for number in pair.split(",")] for pair in view["vectors"].split(";")]
    own = {word: pairs[i] for i, word in enumerate(dict.fromkeys(words))}
    x = torch.tensor([[own[word] for word in words]], dtype=torch.float64)
    y, weights = former.basic_self_attention(x)
    return words, (x @ x.mT)[0], weights[0], y[0]


def holds(tab: Learning) -> None:
    """Asserts that every number on the screen is `former`'s."""
    words, products, weights, y = exact(tab)
    assert tab.numbers("Dot products") == pytest.approx(products.numpy(), abs=0.00501)
    assert tab.numbers("Weights w") == pytest.approx(weights.numpy(), abs=0.00501)
    assert tab.data("y") == pytest.approx(y.numpy(), abs=1e-6)
    row = min(tab.view()["row"], len(words) - 1)
    total = [f"{value:.2f}".replace("-", "−") for value in y[row].tolist()]
    expect(tab.section.locator(".sum")).to_contain_text(f"({total[0]}, {total[1]})")


def test_what_to_try_is_above_the_fold_of_a_small_laptop(tab):
    tab.open("self-attention")
    tab.page.evaluate("scrollTo(0, 0)")
    box = tab.section.locator(".tries").bounding_box()
    assert box
    assert box["y"] + box["height"] <= 720


def test_the_numbers_of_the_worked_example_are_those_of_former(tab):
    tab.open()
    holds(tab)
    assert tab.sentence().startswith("“walks” attends most to itself: 58\u00a0%")


def test_a_dragged_arrow_moves_its_words_and_all_numbers_follow(tab):
    tab.open()
    before = tab.view()["vectors"]
    tab.drag("word0", 60, -40)
    after = tab.view()["vectors"]
    assert after != before
    assert after.split(";")[1:] == before.split(";")[1:]
    holds(tab)
    words, _, _, y = exact(tab)
    assert [i for i, word in enumerate(words) if word == "the"] == [0, 4]
    assert torch.equal(y[0], y[4]), "equal words share an arrow"
    assert tab.link()["vectors"] == after


def test_the_numbers_follow_while_one_drags_before_one_lets_go(tab):
    tab.open()
    box = tab.grip("word1").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    before = tab.data("y")
    tab.page.mouse.move(x - 50, y + 30)
    tab.painted()
    assert tab.data("y") != before
    assert "vectors" not in tab.link()
    tab.page.mouse.up()
    tab.painted()
    holds(tab)


def test_keys_within_one_frame_each_move_the_arrow(tab):
    tab.open()
    tab.grip("word1").evaluate(
        """(tip) => {
          const press = (key) => tip.dispatchEvent(new KeyboardEvent("keydown", { key }));
          ["ArrowRight", "ArrowRight", "ArrowUp"].forEach(press);
        }"""
    )
    assert tab.view()["vectors"].split(";")[1] == "1.7,0.9"


def test_an_arrow_is_moved_by_the_keys_and_no_farther_than_the_plane(tab):
    tab.open()
    tab.grip("word1").focus()
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("Shift+ArrowUp")
    assert tab.view()["vectors"].split(";")[1] == "1.6,1.3"
    for _ in range(10):
        tab.page.keyboard.press("Shift+ArrowUp")
    assert tab.view()["vectors"].split(";")[1] == "1.6,2.5"
    holds(tab)


def test_a_finger_drags_an_arrow_and_does_not_scroll_the_page(tab):
    tab.open()
    assert tab.grip("word1").evaluate("grip => getComputedStyle(grip).touchAction") == "none"
    box = tab.grip("word1").bounding_box()
    assert box
    at = {"x": box["x"] + 15, "y": box["y"] + 15}
    session = tab.page.context.new_cdp_session(tab.page)
    for kind, by in (("touchStart", 0), ("touchMove", -20), ("touchMove", -40), ("touchEnd", None)):
        points = [] if by is None else [{"x": at["x"] + by, "y": at["y"]}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    tab.painted()
    assert float(tab.view()["vectors"].split(";")[1].split(",")[0]) < 1.3
    holds(tab)


def test_other_words_take_over_the_arrows_and_too_many_are_refused(tab):
    tab.open()
    field = tab.section.get_by_role("textbox", name="Words")
    field.fill("mary gave roses to susan")
    field.press("Enter")
    tab.painted()
    assert tab.section.locator(".plane .grip").count() == 5
    holds(tab)
    field.fill("one two three four five six seven")
    field.press("Enter")
    expect(tab.page.locator(".former-learn > .note")).to_contain_text("Up to 6 words")
    assert tab.view()["words"] == "mary gave roses to susan"


def test_markup_in_words_stays_text(tab):
    markup = "<img/src=x/onerror=window.hacked=1> ${window.hacked=1} {{x}}"
    tab.open(words=markup)
    assert tab.page.evaluate("window.hacked") is None
    assert tab.section.locator(".plane .arrow.word text").all_text_contents() == markup.split()
    holds(tab)


@pytest.mark.parametrize("asked", [{"vectors": "1,2"}, {"vectors": "9,9;0,0;0,0;0,0;0,0;0,0"}, {"words": "a " * 20}])
def test_nonsense_in_a_link_is_named_and_the_usual_is_shown(tab, asked):
    tab.open(**{"tab": "learn", **asked})
    expect(tab.page.locator(".former-learn > .note")).to_contain_text(next(iter(asked.values()))[:10].strip())
    holds(tab)


def test_a_link_puts_the_arrows_where_it_says(tab):
    tab.open(**{"tab": "learn", "vectors": "1,0;0,1;-1,0;0,-1;1,1;2,2"})
    assert tab.view()["vectors"] == "1,0;0,1;-1,0;0,-1;1,1;2,2"
    holds(tab)


def test_the_tries_show_what_they_say(tab):
    tab.open()
    tab.attempt("square")
    words, products, weights, _ = exact(tab)
    walks, cat = words.index("walks"), words.index("cat")
    assert float(products[walks, cat]) == pytest.approx(0, abs=1e-9)
    assert float(weights[walks, cat]) > 0.02, "a dot product of 0 is not a weight of 0"
    tab.attempt("short")
    assert float(exact(tab)[2].max()) < 0.18
    tab.attempt("long")
    holds(tab)


def test_the_puzzle_is_solved_by_a_longer_arrow_and_not_by_moving_the_word(tab):
    tab.open()
    puzzle = tab.section.locator(".puzzle")
    expect(puzzle).not_to_have_class("puzzle solved")
    tab.grip("word1").focus()
    for _ in range(2):
        tab.page.keyboard.press("Shift+ArrowUp")
    _, _, weights, _ = exact(tab)
    assert float(weights[2, 1]) > float(weights[2, 2])
    expect(puzzle).to_have_class("puzzle solved")
    tab.grip("word2").focus()
    tab.page.keyboard.press("ArrowDown")
    expect(puzzle).not_to_have_class("puzzle solved")


def test_the_answer_is_measured_on_the_arrows_as_they_are(tab):
    tab.open()
    assert tab.choose("Almost the same for every word").startswith("Yes. The dot products shrink a hundredfold")


def test_the_tensors_under_the_code_are_those_of_the_view(tab):
    tab.open(row=1)
    tab.drag("word2", 30, 30)
    _, products, weights, y = exact(tab)
    actual = tab.tensors()
    assert actual["x @ x.transpose(-2, -1)"] == pytest.approx(products.numpy(), abs=6e-4)
    assert actual["weights"] == pytest.approx(weights.numpy(), abs=6e-4)
    assert actual["weights @ x"] == pytest.approx(y.numpy(), abs=6e-4)
    tab.grip("word2").press("ArrowDown")
    expect(tab.section.locator(".tensors figure")).to_have_count(0)


STRUCK = """() => [...document.querySelectorAll("[data-section=self-attention] .arrow")].flatMap((arrow, _, all) => {
  const { x, y, width, height } = arrow.querySelector("text").getBBox();
  const points = all.flatMap((other) => {
    const shaft = other.querySelector(".shaft");
    const long = shaft.getTotalLength();
    return Array.from({ length: 101 }, (_, i) => shaft.getPointAtLength((long * i) / 100));
  });
  const struck = width && points.some((at) => at.x > x && at.x < x + width && at.y > y + 3 && at.y < y + height - 3);
  return struck ? [arrow.textContent] : [];
})"""


@pytest.mark.parametrize("long", [False, True])
def test_no_arrow_strikes_through_a_word(tab, long):
    tab.open("self-attention")
    if long:
        tab.attempt("long")
    assert tab.page.evaluate(STRUCK) == []
