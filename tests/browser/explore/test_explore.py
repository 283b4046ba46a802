"""Tab Explore with the generator: every head, every number."""

import re
from functools import partial

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.pages import Exploring, agrees
from tests.browser.reference import Reference, Run, rollout, statistics
from tests.browser.written import number
from tests.ranked import clear_largest

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring
MODEL = partial(Reference, "generator")

TEXT = "The cat sat on the mat. The cat sat."
EXACT = 2e-5  # float32 in the app, float64 in the reference, five decimals where a number is rounded
SHARES = ("copying", "same", "previous", "self", "first")  # that a head of the generator can have

AROUND = """(canvas, [x, y]) => [[0, 0], [-1, -1], [1, -1], [-1, 1], [1, 1]].map(([right, down]) =>
    Array.from(canvas.getContext("2d").getImageData(
        x * canvas.width + right, y * canvas.height + down, 1, 1).data.slice(0, 3)))"""  # five pixels of a cell


@pytest.fixture(scope="module")
def run(model: Reference) -> Run:
    return model.run(model.ids(TEXT))


def places() -> list[tuple[float, float]]:
    """Returns points all over the head map, as fractions of its width and height."""
    return [(0.21 + 0.113 * i, 0.25 + 0.0537 * j) for j in range(14) for i in (0, 2, 4)]  # no multiple of a cell


def test_a_worked_example_is_on_the_screen_before_anything_is_typed(tab):
    tab.open()
    assert len(tab.tokens()) > 20
    expect(tab.page.locator(".former-overview").get_by_role("gridcell")).to_have_count(
        tab.page.evaluate("former.store.map.layers * former.store.map.heads")
    )
    box = tab.map.bounding_box()
    assert box
    assert box["y"] + box["height"] < 720, "the head map does not fit the first screen"


def test_an_example_is_taken_by_a_click(tab):
    tab.open(model="generator", text="abc")
    example = tab.page.get_by_role("group", name="Examples").get_by_role("button").nth(1)
    text = example.inner_text()
    example.click()
    tab.wait("(text) => former.store.pass.header.text === text", text)
    tab.settled()
    assert tab.page.get_by_role("textbox", name="Text", exact=True).input_value() == text
    assert len(tab.tokens()) == len(text.encode())


@pytest.mark.own_page
def test_a_click_on_a_thumbnail_shows_that_head_and_does_not_ask_python(tab, guard, run):
    tab.open(text=TEXT)
    before = len(guard.requests)
    tab.cell(2, 3).click()
    tab.settled()
    expect(tab.page.locator(".former-head-map").get_by_role("heading")).to_have_text("Layer 2, head 3")
    expect(tab.cell(2, 3)).to_have_attribute("aria-selected", "true")
    assert tab.link()["layer"] == "2"
    assert tab.link()["head"] == "3"
    requests = guard.requests[before:]
    assert len(requests) == 1
    assert re.fullmatch(r"GET /attention/\w+/self/2/3", requests[0])
    assert agrees(tab.statistic("self"), statistics(run.weights[2][3], list(TEXT.encode()))["self"])


@pytest.mark.own_page
def test_layer_head_token_scale_and_view_never_ask_python(tab, guard):
    tab.open(text=TEXT, layer=0, head=0)
    before = len(guard.requests)
    tab.page.get_by_role("button", name="Layer: one more").click()
    tab.page.get_by_role("button", name="Head: one more").click()
    tab.settled()
    tab.token(5).click()
    for group, choice in (
        ("Scale", "Per row"),
        ("Scale", "√"),
        ("Values", "Scores"),
        ("Values", "Weights"),
        ("Show", "Mean"),
        ("Show", "Rollout"),
        ("View", "Lines"),
    ):
        tab.set(group, choice)
    for _ in range(3):
        tab.page.keyboard.press("ArrowRight")
    requests = guard.requests[before:]
    assert requests, "the exact heads are fetched"
    assert all(re.fullmatch(r"GET /attention/\w+/self/\d+/(\d+|mean|rollout)", one) for one in requests), requests


def test_pointing_at_a_cell_reads_the_models_weight_and_score_for_that_pair(tab, run):
    tab.open(text=TEXT, layer=1, head=2)
    read = [reading for x, y in places() if "weight" in (reading := tab.point(x, y))]
    pairs = {(int(r["query"]), int(r["key"])): r for r in read if r["weight"] != "masked"}
    assert len(pairs) >= 5
    for (query, key), reading in pairs.items():
        assert float(reading["weight"]) == pytest.approx(float(run.weights[1][2, query, key]), abs=EXACT)
        assert float(reading["score"]) == pytest.approx(float(run.scores[1][2, query, key]), abs=1e-3)
    masked = [r for r in read if r["weight"] == "masked"]
    assert masked
    assert all(int(r["key"]) > int(r["query"]) for r in masked)


def test_the_words_beside_the_map_are_the_numbers_under_the_pointer(tab, run):
    tab.open(text=TEXT, layer=1, head=2)
    reading = tab.point(0.25, 0.8)
    query, key = int(reading["query"]), int(reading["key"])
    words = tab.page.locator(".former-head-map .readout").inner_text()
    match = re.search(r"“(.+)” \((\d+)\) → “(.+)” \((\d+)\): weight (.+), score", words)
    assert match, words
    assert (int(match[2]), int(match[4])) == (query, key)
    assert number(match[5]) == pytest.approx(float(run.weights[1][2, query, key]), rel=0.06, abs=EXACT)


def test_a_darker_cell_is_a_larger_weight(tab):
    tab.open(text=TEXT, layer=1, head=2, scale="root")
    observed = []
    for x, y in places():
        reading = tab.point(x, y)
        if "weight" not in reading or reading["weight"] == "masked":
            continue
        tab.page.mouse.move(0, 0)  # the crosshair goes
        tab.painted()
        pixels = tab.page.locator(".former-head-map canvas").first.evaluate(AROUND, [x, y])
        if len(set(map(tuple, pixels))) == 1:  # not on the line between two cells
            observed.append((float(reading["weight"]), sum(pixels[0])))
    assert len(observed) >= 5
    lightness = [light for _, light in sorted(observed)]
    assert lightness == sorted(lightness, reverse=True)


def test_the_scales_and_the_scores_paint_the_map_anew(tab):
    tab.open(text=TEXT, layer=1, head=2)
    picture = "canvas => canvas.toDataURL()"
    canvas = tab.page.locator(".former-head-map canvas").first
    result = {canvas.evaluate(picture)}
    for group, choice in (("Scale", "Per row"), ("Scale", "√"), ("Values", "Scores"), ("Show", "Mean")):
        tab.set(group, choice)
        now = canvas.evaluate(picture)
        assert now not in result, f"{choice} changed nothing"
        result.add(now)


@pytest.mark.parametrize("of", ["Mean", "Rollout"])
def test_mean_and_rollout_are_those_of_the_models_weights(tab, run, of):
    tab.open(text=TEXT, layer=2)
    tab.set("Show", of)
    expected = run.weights[2].mean(0) if of == "Mean" else rollout(run.weights[:3])
    read = [r for x, y in places() if "weight" in (r := tab.point(x, y)) and r["weight"] != "masked"]
    assert len(read) >= 5
    for reading in read:
        exact = float(expected[int(reading["query"]), int(reading["key"])])
        assert float(reading["weight"]) == pytest.approx(exact, abs=EXACT)
    for name in SHARES:
        assert agrees(tab.statistic(name), statistics(expected, list(TEXT.encode()))[name])


FAST = """async (choices) => {  // each [layer, head, ms until the next]: before and after it is painted
  for (const [layer, head, pause] of choices) {
    document.querySelector(`[role=gridcell][data-layer="${layer}"][data-head="${head}"]`).click();
    await new Promise((done) => setTimeout(done, pause));
  }
}"""


def test_heads_chosen_one_right_after_another_leave_the_last_one_s_numbers_everywhere(tab, run):
    tab.open(text=TEXT, layer=0, head=0)
    tab.page.evaluate(FAST, [[4, 7, 0], [0, 3, 30], [2, 5, 90], [3, 1, 70], [1, 2, 0]])
    tab.settled()
    exact = statistics(run.weights[1][2], list(TEXT.encode()))
    for name in SHARES:
        assert agrees(tab.statistic(name), exact[name])
    assert tab.lesson().startswith("Layer 1, head 2 ")
    assert (tab.link()["layer"], tab.link()["head"]) == ("1", "2")
    for selector in (".former-head-map h2", ".former-overview .readout", ".former-interventions .edit-target"):
        expect(tab.page.locator(selector)).to_contain_text("Layer 1, head 2")
    reading = tab.point(0.3, 0.8)
    weight = float(run.weights[1][2][int(reading["query"]), int(reading["key"])])
    assert float(reading["weight"]) == pytest.approx(weight, abs=EXACT)


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (0, 3), (1, 2), (4, 7)])
def test_the_statistics_and_their_sentence_are_those_of_the_models_weights(tab, run, layer, head):
    tab.open(text=TEXT, layer=layer, head=head)
    exact = statistics(run.weights[layer][head], list(TEXT.encode()))
    for name in SHARES:
        assert agrees(tab.statistic(name), exact[name]), (name, tab.statistic(name), exact[name])
    for name, digits in (("entropy", 2), ("distance", 1)):
        actual = float(tab.statistic(name).split(" ")[0])
        assert actual == pytest.approx(exact[name], abs=0.5 * 10**-digits + EXACT)
    sentence = tab.lesson()
    assert sentence.startswith(f"Layer {layer}, head {head} ")
    own, _, others = sentence.partition("All other tokens give ")
    numbers = re.findall(r"\d+(?:\.\d+)?\s?%", own.partition("Most attended")[0])
    assert all(any(agrees(n, exact[name]) for name in SHARES) for n in numbers), sentence
    if others:  # than those that occurred before: 6 of 11
        ids = list(TEXT.encode())
        rows = [i for i in range(len(ids)) if not any(ids[j] == ids[i] for j in range(i - 1))]
        weights = run.weights[layer][head]
        share = {
            "the first token.": weights[rows, 0].mean(),
            "the token itself.": weights[rows, rows].mean(),
            "the previous token.": weights[rows[1:], [i - 1 for i in rows[1:]]].mean(),
        }[others.partition(" of their attention to ")[2]]
        assert agrees(others.partition(" of their attention to ")[0], float(share))
    values = {"previous": "to the previous token", "first": "to the first token", "self": "to the token itself"}
    values |= {"same": "to the same token", "copying": "copies"}
    names = [name for name in values if name != "first"]
    strongest = names[clear_largest([exact[name] for name in names], 1e-4)]
    if exact[strongest] >= 0.3:
        assert values[strongest] in sentence
        assert numbers
    marks = [i for i, char in enumerate(TEXT) if char == "."]
    total = sum(exact[name] for name in (*SHARES, "offset")) + float(run.weights[layer][head][:, marks].sum(1).mean())
    overlap = tab.page.locator(".former-statistics").get_by_text("may add up to more than 100 %")
    expect(overlap).to_be_visible(visible=total > 1.005)


def test_the_page_opens_on_the_head_that_copies_and_says_so_with_the_runner_up(tab):
    tab.open(model="generator", text="The cat sat on the mat. The cat sat on the mat.")
    assert (tab.link()["layer"], tab.link()["head"]) == ("10", "7")
    assert "copies" in tab.lesson()
    assert re.search(r"All other tokens give \d+\s% of their attention to the first token", tab.lesson())
    readout = tab.page.locator(".former-overview .readout")
    expect(readout).to_have_text(re.compile(r"^Layer 10, head 7: copying \d+\s%, otherwise first token \d+\s%$"))
    tab.open()
    assert tab.link()["model"] == "gpt"
    assert "copies" in tab.lesson()


def test_another_model_opens_on_a_head_worth_seeing_and_a_link_s_head_stays(tab):
    tab.open(layer=0, head=0)
    assert (tab.link()["layer"], tab.link()["head"]) == ("0", "0")
    tab.choose_model("tiny-unmasked")
    assert "attends to the next token" in tab.lesson()
    selection = tab.link()
    tab.cell(1, 1).click()
    tab.type("Another text, and the same head.")
    assert (tab.link()["layer"], tab.link()["head"]) == ("1", "1"), "a new text leaves the head as it was"
    assert (selection["layer"], selection["head"]) == ("0", "2")


@pytest.mark.own_page
@pytest.mark.parametrize(("layer", "head", "edits", "factor"), [(4, 7, "", 1), (1, 2, "1.2.x3.0", 3)])
def test_a_query_s_output_is_the_sum_of_the_values_each_times_its_weight(tab, model, layer, head, edits, factor):
    tab.open(text=TEXT, layer=layer, head=head, edits=edits)
    tab.token(20).click()
    tab.painted()
    values, weights = model.run(model.ids(TEXT)).values[layer][head].numpy(), model.run(model.ids(TEXT)).weights
    exact = factor * (weights[layer][head, 20].numpy() @ values)
    total = tab.unfold("pair").locator("[data-total]")
    largest = clear_largest(np.abs(exact), 1e-4)
    assert int(total.get_attribute("data-at")) == largest
    tab.page.get_by_role("button", name="The next number").click()
    tab.painted()
    observed = int(total.get_attribute("data-at"))
    assert float(total.get_attribute("data-total")) == pytest.approx(exact[observed], abs=1e-4)
    words = total.inner_text()
    assert f"Number {observed + 1} of {len(exact)}" in words
    terms = re.findall(r"([\d.]+(?:\s×\s10⁻\S+)?) × (−?[\d.]+(?:\s×\s10⁻\S+)?) from “.+?” \((\d+)\)", words)
    assert len(terms) == 3
    for weight, value, key in terms:
        assert number(weight) == pytest.approx(float(weights[layer][head, 20, int(key)]), rel=1e-3, abs=EXACT)
        assert number(value) == pytest.approx(values[int(key), observed], rel=2e-3, abs=1e-3)
    assert float(tab.page.locator(".former-pair [data-error]").get_attribute("data-error")) < 1e-4


def test_pointing_at_a_token_says_where_it_looks_and_a_click_locks_it_until_escape(tab, run):
    tab.open(text=TEXT, layer=1, head=2)
    tab.token(20).hover()
    tab.painted()
    row = run.weights[1][2, 20]
    looks = tab.page.locator(".former-token-strip .readout .to").inner_text()
    message = re.findall(r"\((\d+)\) ((?:<\s)?[\d.]+\s%)", looks)
    assert message
    assert float(row[int(message[0][0])]) == pytest.approx(float(row.max()), abs=EXACT)
    assert all(agrees(text, float(row[int(i)])) for i, text in message), (message, row)
    tab.token(20).click()
    tab.token(3).hover()
    tab.painted()
    assert "(20)" in tab.strip()
    assert "locked" in tab.strip()
    assert tab.link()["token"] == "20"
    tab.page.keyboard.press("Escape")
    tab.painted()
    assert "locked" not in tab.strip()
    assert "token" not in tab.link()


def test_a_second_click_unlocks_a_token(tab):
    tab.open(text=TEXT)
    tab.token(4).click()
    assert tab.link()["token"] == "4"
    tab.token(4).click()
    assert "token" not in tab.link()


def test_a_click_on_the_map_locks_the_pair(tab):
    tab.open(text=TEXT)
    reading = tab.point(0.25, 0.8)
    tab.page.mouse.down()
    tab.page.mouse.up()
    assert tab.link()["token"] == reading["query"]
    tab.page.mouse.move(0, 0)
    tab.painted()
    assert tab.page.locator(".former-head-map .readout").get_attribute("data-query") == reading["query"]


def test_lines_join_each_token_to_its_strongest_up_to_the_stated_mass(tab, run):
    tab.open(text=TEXT, layer=1, head=2)
    tab.set("View", "Lines")
    canvas = tab.page.get_by_role("application", name=re.compile("as lines"))
    expect(canvas).to_be_visible()
    expect(tab.map).to_be_hidden()
    note = tab.page.locator(".former-lines .readout").inner_text()
    stated = re.search(
        r"until they carry (\d+)\s% of its attention, at most (\d+) lines\. In all, (\d+) lines carry (\d+)\s%", note
    )
    assert stated, note
    share, most, count, carried = (int(number) for number in stated.groups())
    lines, mass = 0, 0.0
    for row in run.weights[1][2]:
        own = 0.0
        for weight in row.sort(descending=True).values[: min(most, int((row > 0).sum()))].tolist():
            lines += 1
            own += weight
            if own >= share / 100:
                break
        mass += own / len(run.weights[1][2])
    assert count == pytest.approx(lines, abs=2)  # a sum within rounding of the stated mass may fall on either side
    assert carried / 100 == pytest.approx(mass, abs=0.01)
    colours = canvas.evaluate(
        "canvas => new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)"
        ".data.buffer)).size"
    )
    assert colours > 50, "nothing is drawn"


def test_a_panel_fills_the_window_and_escape_brings_it_back(tab):
    tab.open(text=TEXT)
    size = "((map) => map.clientWidth * map.clientHeight)(document.querySelector('.former-head-map canvas'))"
    area = tab.page.evaluate(size)
    tab.page.locator(".former-head-map").get_by_role("button", name=re.compile("^Maximise")).click()
    tab.wait(f"(area) => {size} > 1.5 * area", area)
    tab.page.keyboard.press("Escape")
    tab.wait(f"(area) => Math.abs({size} - area) < 0.01 * area", area)


def test_what_is_typed_last_is_what_is_shown(tab):
    tab.open(model="generator", text=TEXT)
    box = tab.page.get_by_role("textbox", name="Text", exact=True)
    box.fill("")
    box.press_sequentially("abc def ghi", delay=30)
    tab.wait("() => former.store.pass.header.text === 'abc def ghi'")
    tab.settled()
    assert tab.tokens() == [*"abc␣def␣ghi"]
    tab.page.wait_for_timeout(500)
    assert tab.tokens() == [*"abc␣def␣ghi"]


def test_more_than_the_context_is_cut_and_said_so(tab, model):
    context = model.config["seq_length"]
    tab.open(model="generator", text="abc")
    tab.type("word " * context)
    assert len(tab.tokens()) == context
    expect(tab.page.locator(".former-notices").last).to_contain_text(f"the first {context} are shown")
