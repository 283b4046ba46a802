"""A pinned pass next to another: the differences, compared with the reference, in links, on a phone and presented."""

import pytest
import torch
from playwright.sync_api import expect

import former
from tests.browser.pages import Exploring, agrees, presents, says
from tests.browser.reference import Reference
from tests.ranked import clear_largest
from viz.tabs.explore.map import maps
from viz.text.examples import CARRIED

pytestmark = pytest.mark.browser
TAB = Exploring
WAS, NOW = "The cat sat", "The dog ran"
MODEL = "tiny-generator"
PIXEL = """([query, key, size]) => {
  const canvas = document.querySelector("[data-part=change] canvas");
  const [left, top, width, height] = canvas.dataset.frame.split(" ").map(Number);
  const ratio = canvas.width / parseFloat(canvas.style.width);
  const at = [left + ((key + 0.5) * width) / size, top + ((query + 0.5) * height) / size]
    .map((x) => Math.round(x * ratio));
  return [...canvas.getContext("2d").getImageData(...at, 1, 1).data];
}"""
# Pixels by which the last label over a map extends beyond the picture, if labels are vertical.
LAST_ENDS = """(canvas) => {
  const [left, top, width] = canvas.dataset.frame.split(" ").map(Number);
  const labels = former.axisLabels(former.store.map.keys);
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `12px ${getComputedStyle(canvas).getPropertyValue("--f-font")}`;
  const pitch = width / labels.length;
  const long = Math.max(...labels.map((label) => pen.measureText(label).width));
  const last = pen.measureText(labels.at(-1)).width;
  const upright = long <= 2 * pitch && top < 45; // three levels of upright labels; turned ones need more
  return upright ? left + width + (last - pitch) / 2 - parseFloat(canvas.style.width) : 0;
}"""


# The rows of a picture that are marked: of `count` rows, those with a frame in the colour of marks.
MARKED = """(canvas, count) => {
  const [left, top, , height] = canvas.dataset.frame.split(" ").map(Number);
  const ratio = canvas.width / parseFloat(canvas.style.width);
  const pixel = (x, y) => canvas.getContext("2d").getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data;
  const hex = ([...data]) => `#${data.slice(0, 3).map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  return Array.from({ length: count }, (_, i) => i).filter(
    (i) => hex(pixel(left - 1, top + ((i + 0.5) * height) / count)) === former.variable("mark").toLowerCase());
}"""


def compared(tab: Exploring) -> None:
    """Waits until the newest answer is shown next to the pinned pass, both exactly (hidden parts are not painted)."""
    tab.part("beside").scroll_into_view_if_needed()
    tab.wait(
        "() => { const part = document.querySelector('.former-beside[data-rev]');"
        " return Number(part?.dataset.rev) === former.store.rev && part.dataset.shown.split('exact').length === 3; }"
    )
    tab.painted()


def findings(tab: Exploring) -> list[str]:
    return tab.part("beside").locator(".finding").all_inner_texts()


def change(tab: Exploring, query: int, key: int) -> float:
    """Returns the difference that the panel shows for a pair."""
    tab.page.evaluate("(at) => former.store.point(at)", {"query": query, "key": key})
    tab.painted()
    return float(tab.part("beside").locator(".readout").get_attribute("data-change") or "nan")


def test_the_next_text_and_the_next_edit_stand_beside_a_pinned_pass_with_what_differs(tab, other):
    reference = Reference(MODEL)
    was, now = (torch.stack(reference.run(list(text.encode())).weights) for text in (WAS, NOW))
    tab.open(model=MODEL, text=WAS, layer=1, head=2)
    panel = tab.part("beside")
    expect(panel).to_be_hidden()
    tab.page.get_by_role("button", name="Pin to compare").click()
    expect(panel).to_contain_text("Now change the text, the model or a head")
    tab.type(NOW)
    compared(tab)
    difference = now[1, 2] - was[1, 2]
    largest = divmod(clear_largest(difference.abs(), 2e-5), len(NOW))
    for query, key in [(10, 4), (3, 3), (10, 0), largest]:
        assert change(tab, query, key) == pytest.approx(float(difference[query, key]), abs=2e-5)
    tab.page.evaluate("former.store.point(null)")
    tab.painted()
    red, _, blue, _ = tab.page.evaluate(PIXEL, [*largest, len(NOW)])
    assert (blue > red) == bool(difference[largest] > 0), "blue is more than in the pinned pass, orange less"
    shares = (now - was).abs().sum(-1).mean(-1) / 2  # (layers, h)
    layer, head = divmod(clear_largest(shares, 2e-5), shares.shape[1])
    overall, own = findings(tab)
    assert f"Of {shares.numel()} heads, layer {layer}, head {head} changed the most" in overall
    assert agrees(overall.partition(": ")[2], float(shares.max()))
    assert agrees(own.partition(": ")[2], float(shares[1, 2]))
    for weights in (was, now):
        assert says(own, "{:.3f}", float(weights[1, 2][largest]))

    follower = other().open(model=MODEL, text="Another text")
    follower.page.evaluate("(link) => former.page.follow(new URLSearchParams(link))", tab.link())
    compared(follower)
    assert findings(follower) == [overall, own], "a follower in a room sees both"
    assert follower.link() == tab.link()
    follower.page.reload()
    compared(follower)
    assert findings(follower) == [overall, own], "so does who opens its link"
    panel.get_by_role("button", name="Unpin").click()
    expect(panel).to_be_hidden()
    assert not [name for name in tab.link() if name.startswith("pin")]

    tab.page.get_by_role("button", name="Pin to compare").click()
    tab.edited(tab.page.get_by_role("button", name="Switch off", exact=True).click)
    compared(tab)
    assert tab.link()["pin"] == MODEL
    assert "pin_text" not in tab.link()
    overall, own = findings(tab)
    assert "every weight is the same as in the pinned pass" in own, "a head's own weights stay when it is off"
    assert "attention of all 8 heads is the same" in overall, "it is of the last layer: nothing attends to what it adds"
    expect(panel.locator("[data-part=after]")).to_contain_text("with 1 change of heads")


def test_a_link_holds_both_texts_by_their_bytes_and_one_without_the_pinned_text_pins_nothing(tab):
    long = {"text": "a word " * 500, "pin_text": "another " * 450}
    tab.open(model=MODEL, pin=MODEL, **long)
    compared(tab)
    assert {name: tab.link()[name] for name in long} == long, "more than 4,000 characters together"
    longer = {"model": MODEL, "text": "短い" * 1500, "pin": MODEL, "pin_text": "長い" * 2000}
    tab.page.evaluate("(link) => former.page.follow(new URLSearchParams(link))", longer)
    tab.settled()
    link = tab.link()
    assert (link["left_out"], link["pin"]) == ("pin_text", MODEL)
    expect(tab.page.locator(".room-bar")).to_contain_text("Left out of this link: “pin_text”")
    tab.page.reload()
    tab.settled()
    expect(tab.page.locator(".room-bar")).to_contain_text("This link had no room for pin_text")
    assert tab.page.evaluate("former.store.pinned.asked") is None
    assert "pin" not in tab.link(), "the pass on screen is not taken for the pinned one"


def test_what_moved_in_each_head_is_exact_even_if_the_maps_of_all_heads_are_sent_at_half_their_size(tab):
    was = "The painter John Smith was born in Ulm. " * 6
    now = was.replace("Smith", "Brown")
    tab.open(model="generator", text=now, layer=3, head=2, pin="generator", pin_text=was)
    compared(tab)
    assert tab.page.evaluate("former.store.map.pooled") == 2
    pinned, run = map(former.load("generator").run, (was, now))
    shares = maps.compare_heads(pinned, run, "self", "self")["moved"]
    overall, own = findings(tab)
    assert agrees(overall.partition(": ")[2], float(shares.max()))
    assert agrees(own.partition(": ")[2], float(shares[3, 2]))


def test_maps_of_two_shapes_stand_beside_each_other_and_it_is_said_why_nothing_is_subtracted(tab):
    tab.page.set_viewport_size({"width": 390, "height": 844})
    tab.open(model="gpt", text=NOW, layer=4, head=1, pin=MODEL, pin_text=WAS, pin_head="1.3")
    panel = tab.part("beside")
    compared(tab)
    overall, own = findings(tab)
    assert "6 × 8" in overall
    assert "11 × 11" in own
    expect(panel.locator("[data-part=before]")).to_contain_text("Layer 1, head 3")
    expect(panel.locator("[data-part=after]")).to_contain_text("Layer 4, head 1")
    expect(panel.locator("[data-part=change]")).to_be_hidden()
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    tab.page.set_viewport_size({"width": 1920, "height": 1080})
    tab.page.evaluate("former.presenter.go('explore', 'beside')")
    presents(tab.page, "beside")
    tab.painted()
    assert tab.page.evaluate(
        "(() => { const { right, bottom } = document.querySelector('.presented .panel-foot').getBoundingClientRect();"
        " return right <= innerWidth && bottom <= innerHeight; })()"
    )


def test_in_a_pinned_text_of_another_length_a_token_is_pointed_at_and_marked_where_it_is_on_screen(tab):
    short, long = "The cat sat on the mat.", "The old cat sat on the mat."  # 7 and 8 tokens
    before = tab.part("beside").locator("[data-part=before] canvas")

    def point(row: int, column: int, count: int) -> dict | None:
        """Points at a cell of the pinned map; returns the pair that is then under the pointer on screen."""
        left, top, width, height = map(float, (before.get_attribute("data-frame") or "").split())
        x, y = left + (column + 0.5) * width / count, top + (row + 0.5) * height / count
        before.hover(position={"x": x, "y": y})
        tab.painted()
        return tab.page.evaluate("former.store.hover")

    tab.open(model="gpt", text=long, layer=4, head=1, pin="gpt", pin_text=short)
    compared(tab)
    assert tab.page.evaluate("[former.beside, former.store].map(({ pass }) => pass.maps[0].keys.length)") == [7, 8]
    assert point(4, 1, 7) == {"query": 5, "key": 2}, "at “on”, of “cat”, after another word"
    assert before.evaluate(MARKED, 7) == [4]
    tab.open(model="gpt", text=short, layer=4, head=1, pin="gpt", pin_text=long)
    compared(tab)
    assert point(7, 2, 8) == {"query": 6, "key": 1}
    assert before.evaluate(MARKED, 8) == [7]
    assert point(7, 1, 8) is None, "the text on screen has no “old”"


@pytest.mark.parametrize("width", [1280, 1366, 1440])
def test_the_last_label_over_a_map_is_not_cut(tab, width):
    tab.page.set_viewport_size({"width": width, "height": 768})
    pinned, text = CARRIED["piece"]["number"]  # its last token is longer than its cell
    tab.open(model="gpt", text=text, pin="gpt", pin_text=pinned)
    compared(tab)
    for canvas in tab.part("beside").locator(":is([data-part=before], [data-part=after]) canvas").all():
        assert canvas.evaluate(LAST_ENDS) <= 1, "px beyond the picture"
