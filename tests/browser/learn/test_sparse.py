"""Section "Sparse": cells and reach are counted again; times and memory are the recorded ones."""

import json

import pytest
from playwright.sync_api import expect

from former.checkpoints import CHECKPOINTS
from tests.browser.learn.pages import Learning
from tests.mask_rules import cells, seen

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning


def test_a_pattern_reaches_more_with_every_layer_until_all_pairs_are_joined(tab):
    tab.open("sparse", t=16, size=4, kind="local")
    mask = seen("local", 16, 4).float()
    reached, shares = mask, []
    for _ in range(5):
        shares.append(float((reached > 0).sum()) / (16 * 17 / 2))
        reached = mask @ reached
    values = [float(cell.get_attribute("data-share") or 0) for cell in tab.section.locator(".reached td").all()]
    assert values == pytest.approx(shares)
    assert tab.sentence().startswith(f"{cells('local', 16, 4)} of 136 cells are computed. After 2 layers ")
    assert tab.sentence().endswith("after 5 layers every token can depend on every earlier one.")
    tab.page.evaluate("former.learn.find('sparse').live.set({ step: 4 })")
    tab.settled()
    assert tab.sentence().endswith(
        "After 5 layers 100\xa0% of all pairs are connected: every token can depend on every earlier one."
    )
    tab.page.evaluate("former.learn.find('sparse').live.set({ step: 1 })")
    tab.settled()
    canvas = tab.section.locator(".map canvas")
    left, top, width, height = map(float, (canvas.get_attribute("data-frame") or "").split())
    at = lambda row, column: {"x": left + (column + 0.5) * width / 16, "y": top + (row + 0.5) * height / 16}  # noqa: E731
    canvas.hover(position=at(15, 12))
    expect(tab.section.locator(".told")).to_have_text("Output 15 sees input 12: the pattern has this cell.")
    canvas.hover(position=at(15, 9))
    expect(tab.section.locator(".told")).to_have_text("Output 15 can depend on input 9 after 2 layers.")
    canvas.hover(position=at(3, 9))
    expect(tab.section.locator(".told")).to_have_text("Input 9 comes after output 3, which never sees it.")
    tab.page.evaluate("former.learn.find('sparse').live.set({ kind: 'fixed' })")  # a try would take the opening size
    tab.settled()
    assert tab.choose("Two").startswith("Yes. The fixed pattern of stride 4 over 16 tokens")


def test_time_and_memory_beside_dense_are_those_that_were_measured(tab):
    tab.open("sparse")
    tab.attempt("time")
    record = json.loads((CHECKPOINTS / "family" / "sparse.json").read_text(encoding="utf-8"))
    for show, name in (("time", "milliseconds"), ("memory", "megabytes")):
        tab.section.get_by_role("radio", name=show).check()
        chart = tab.section.locator(".charted:visible .chart")
        chart.locator(".nsewdrag").wait_for()
        lines = chart.evaluate("chart => chart.data.map(({ y }) => [...y])")
        ways = [record["ways"][way][name] for way in ("strided", "fixed", "fused, causal")]
        assert lines == [way[-len(lines[0]) :] for way in ways]
        actual = tab.section.locator(".charted:visible [data-way=equation] td").all()
        values = [cell.get_attribute("data-value") for cell in actual]
        expected = record["ways"]["equation"][name]
        assert [value and float(value) for value in values] == expected
        for said in (record["date"], record["machine"]["cpu"], record["command"]):
            expect(tab.section.locator(".charted:visible")).to_contain_text(said)


def test_the_pattern_is_among_the_numbers_of_the_code(tab):
    tab.open("sparse", t=8, size=3, kind="local")
    assert tab.tensors()["mask"] == seen("local", 8, 3).float().tolist()
