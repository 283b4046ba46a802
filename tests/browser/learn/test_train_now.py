"""Section "Train one now": a training can be watched and tested by hand, waits its turn, and ends with its page."""

import base64

import pytest
from playwright.sync_api import expect

from tests.browser.learn.pages import Learning

pytestmark = pytest.mark.browser
TAB = Learning
LONG = 300_000  # ms that a training may take on a busy machine, as the server allows


def reaches(tab: Learning, state: str, timeout: int = 60_000) -> None:
    """Waits until the section shows a state."""
    node = "former.learn.find('train-now').node.dataset"
    tab.page.wait_for_function(f"(state) => {node}.state === state", arg=state, timeout=timeout)
    tab.painted()


def press(tab: Learning, name: str) -> None:
    tab.section.get_by_role("button", name=name, exact=True).click()


def answers(tab: Learning, question: str) -> str:
    """Returns the model's answer to a question typed by hand."""
    tab.section.get_by_role("textbox").fill(question)
    element = tab.section.locator(".by-hand output")
    expect(element).to_contain_text(f"{question} =")
    return element.inner_text().partition("= ")[2]


def test_one_trains_the_others_watch_and_wait_and_then_the_model_is_tried_by_hand(tab, other, guard):
    guard.allow("422")
    tab.open("train-now")
    assert not answers(tab, "dog").endswith("Right.")
    maps = tab.section.locator(".heads button")
    expect(maps).to_have_count(8)
    watcher = other()  # is open before, and in line at once: a training lasts a few seconds
    watcher.open("train-now")
    with tab.page.expect_response("**/learn/train-now/train"):
        press(tab, "Train")
    press(watcher, "Train")
    reaches(watcher, "waiting")
    expect(watcher.section.locator(".course [role=status]")).to_contain_text("One training is before yours")
    press(watcher, "Leave the queue")
    reaches(tab, "running")
    reaches(watcher, "watching")
    assert watcher.choose("The same as any other").startswith("Yes.")  # a click is answered while one trains
    reaches(tab, "done", LONG)
    chart = tab.section.locator(".chart")
    chart.locator(".nsewdrag").wait_for()
    steps, losses = chart.evaluate("chart => [[...chart.data[0].x], [...chart.data[0].y]]")
    assert steps == list(range(10, steps[-1] + 1, 10))
    assert losses[-1] < 0.1 < losses[0]
    assert answers(tab, "cat") == "tac Right."
    read = tab.page.evaluate("former.learn.find('train-now').live.answers.read")
    cells, t = base64.b64decode(read["weights"]), len(read["labels"])
    assert read["labels"] == [*"_____cat=tac"]
    rows = [sum((cell / 255) ** 2 for cell in cells[at : at + t]) for at in range(0, len(cells), t)]
    assert rows == pytest.approx([1] * 8 * t, abs=0.02)
    maps.nth(5).click()
    assert (tab.view()["layer"], tab.view()["head"]) == (1, 1)
    expect(tab.section.locator(".caption")).to_have_text("Layer 1, head 1")
    tab.section.get_by_role("textbox").fill("<b>")
    expect(tab.page.locator(".former-learn > .note")).to_contain_text("Please type 1 to 8 letters")


def test_who_closes_the_page_stops_the_training(tab, other):
    tab.open("train-now")
    tab.attempt("sort")
    reaches(tab, "running")
    watcher = other()
    watcher.open("train-now")
    reaches(watcher, "watching")
    tab.page.close()
    reaches(watcher, "off")
