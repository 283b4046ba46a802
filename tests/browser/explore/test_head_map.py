"""The head map: it shows every label that fits, hatches masked cells, and scales the colours to the values."""

import itertools
from collections import Counter

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.pages import Exploring, presents
from viz.text import LANGUAGES

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring

TEXT = "The cat sat on the mat. The cat sat on the mat."  # 47 bytes
REVIEW = "I expected little, but this film was a wonderful surprise: funny, warm and beautifully played."
NOTED = """
window.written = [];
const fill = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
  if (!this.canvas.isConnected) window.written.push(text);  // on the sheet of what stands around a map
  return fill.call(this, text, ...rest);
};
"""

# The same with the place of each text on the sheet and the height of its type, in pixels of the screen.
PLACED = """
window.placed = [];
const fill = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  if (!this.canvas.isConnected) {
    const size = this.measureText(text);
    const [left, right, up, down] = ["Left", "Right", "Ascent", "Descent"].map((to) => size[`actualBoundingBox${to}`]);
    const at = this.getTransform();
    const ends = [[x - left, y - up], [x + right, y + down]].map(([x, y]) => at.transformPoint({ x, y }));
    const [[x0, x1], [y0, y1]] = ["x", "y"].map((axis) => ends.map((end) => end[axis]).sort((a, b) => a - b));
    const { width, height } = this.canvas;
    const type = parseFloat(this.font.match(/([\\d.]+)px/)[1]) * Math.hypot(at.a, at.b);
    window.placed.push({ text, box: [x0, y0, x1, y1], type, sheet: [width, height] });
  }
  return fill.call(this, text, x, y);
};
"""


def written(tab: Exploring) -> Counter[str]:
    """Returns the labels around the map, after a new layout."""
    tab.page.evaluate("window.written.length = 0")
    tab.page.set_viewport_size({"width": 1320, "height": 720})
    tab.wait("() => window.written.length > 0")
    tab.painted()
    return Counter(tab.page.evaluate("window.written"))


@pytest.mark.own_browser
def test_up_to_50_bytes_all_have_a_label_on_both_sides_and_whole_words_stand_over_them(tab):
    tab.page.add_init_script(NOTED)
    tab.open(text=TEXT)
    observed = written(tab)
    for label, count in Counter(tab.tokens()).items():
        assert observed[label] % (2 * count) == 0, label
        assert observed[label] > 0, label
    for word, count in Counter(TEXT.split()).items():
        assert observed[word] >= 2 * count, word


@pytest.mark.own_browser
def test_every_word_of_a_review_has_a_label(tab):
    tab.page.add_init_script(NOTED)
    tab.open(model="classifier", text=REVIEW)
    observed = written(tab)
    assert all(observed[name] >= 2 for name in tab.page.evaluate("former.axisLabels(former.store.map.queries)"))


def test_a_map_that_shows_nothing_from_0_to_1_offers_the_scale_per_row(tab):
    tab.open(model="classifier", text=REVIEW, layer=3, head=1)
    offer = tab.page.get_by_role("button", name="Scale each row")
    canvas = tab.page.locator(".former-head-map canvas")
    expect(offer).to_be_visible()
    faint = canvas.bounding_box()
    offer.click()
    assert tab.link()["scale"] == "row"
    expect(offer).to_be_hidden()
    assert canvas.bounding_box() == faint  # no change: otherwise the surroundings would be laid out and painted again
    tab.set("Scale", "0 to 1")
    expect(offer).to_be_visible()
    tab.goto(text=TEXT, layer=0, head=0)
    tab.settled()
    expect(offer).to_be_hidden()


def test_what_the_mask_hides_is_hatched(tab):
    tab.open(text=TEXT, layer=4, head=7)
    hidden = """(canvas) => {
      const [left, top, width, height] = canvas.dataset.frame.split(" ").map((side) => Number(side) * devicePixelRatio);
      const { data } = canvas.getContext("2d").getImageData(left + 0.7 * width, top + 0.1 * height, 24, 24);
      return [...new Uint32Array(data.buffer)];
    }"""
    inks = np.array(tab.page.locator(".former-head-map canvas").evaluate(hidden)).reshape(24, 24)
    assert all(len(set(line)) > 1 for line in (*inks, *inks.T)), "a plain ground looks like a weight of 0"
    assert np.mean(inks[1:, :-1] == inks[:-1, 1:]) > 0.9, (
        "the lines are not those between cells: they rise to the right"
    )
    tab.open(model="classifier", text=REVIEW)
    expect(tab.page.locator(".former-head-map .legend .masked").first).to_be_hidden()


# Chromium does not report an emulated change of resolution, so the test does.
REPORTED = """
window.resolutions = [];
const match = matchMedia;
window.matchMedia = (query) => {
  const list = match(query);
  if (query === `(resolution: ${devicePixelRatio}dppx)`) resolutions.push(list);
  return list;
};
"""


@pytest.mark.own_browser
def test_maps_are_as_sharp_as_the_screen_that_the_window_moves_to(tab, context):
    tab.page.add_init_script(REPORTED)
    tab.open(text=TEXT)
    canvases = [tab.page.locator(f".former-{part} canvas").first for part in ("head-map", "overview")]
    before = [canvas.evaluate("canvas => [canvas.width, canvas.height]") for canvas in canvases]
    screen = context.new_cdp_session(tab.page)
    size = {"width": 1280, "height": 720, "mobile": False}  # in CSS pixels: no other layout
    for ratio in (2, 3):
        screen.send("Emulation.setDeviceMetricsOverride", {**size, "deviceScaleFactor": ratio})
        tab.page.evaluate("resolutions.splice(0).forEach((list) => list.dispatchEvent(new Event('change')))")
        for canvas, (width, height) in zip(canvases, before, strict=True):
            expect(canvas).to_have_js_property("width", ratio * width)
            expect(canvas).to_have_js_property("height", ratio * height)


@pytest.mark.parametrize("model", ["xl", "dates"])
def test_a_map_of_other_keys_than_queries_fills_its_panel(tab, model):
    tab.open(model=model, text="March 3, 1989" if model == "dates" else TEXT * 4)
    canvas = tab.page.locator(".former-head-map canvas")
    _, _, width, height = (float(side) for side in canvas.get_attribute("data-frame").split())
    panel = canvas.evaluate("canvas => canvas.closest('.panel-body').getBoundingClientRect().toJSON()")
    assert width > 0.7 * panel["width"]
    assert height > 0.5 * panel["height"]


@pytest.mark.own_browser
@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_of_a_presented_map_of_nine_tokens_are_large_whole_and_apart(tab, language):
    tab.page.set_viewport_size({"width": 1920, "height": 1080})
    tab.page.add_init_script(PLACED)
    tab.goto(
        tab="explore",
        model="gpt",
        text="The cat sat on the mat because it was",
        lang=language,
        present=1,
        panel="head-map",
    )
    presents(tab.page, "head-map")
    tab.settled()
    tab.page.evaluate("window.placed.length = 0")
    tab.page.set_viewport_size({"width": 1900, "height": 1080})
    tab.wait("() => window.placed.length > 0")
    tab.painted()
    placed = tab.page.evaluate("window.placed")
    names = tab.page.evaluate("former.axisLabels(former.store.map.keys)")
    assert len(names) == 9
    count = Counter(each["text"] for each in placed)
    assert all(count[name] >= 2 * names.count(name) for name in names)
    for each in placed:
        left, top, right, bottom = each["box"]
        width, height = each["sheet"]
        assert min(left, top, width - right, height - bottom) >= -1, f"{each} is cut"
        assert each["type"] >= 22, each
    for one, other in itertools.combinations(placed, 2):
        (left, top, right, bottom), (x0, y0, x1, y1) = one["box"], other["box"]
        apart = max(x0 - right, left - x1, y0 - bottom, top - y1) >= 0
        assert apart, f"{one['text']} is over {other['text']}"
