"""Section "Going big": every step of the calculation is recomputed; the bars show the recorded measurements."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.learn.pages import Learning
from viz.tabs.learn.sections.going_big import MEASURED

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning


def steps(tab: Learning) -> dict[str, float]:
    """Returns the unrounded numbers of the calculation."""
    rows = tab.section.locator("tr:has([data-value])").all()
    return {
        row.get_attribute("data-row") or "": float(row.locator("td").get_attribute("data-value") or "") for row in rows
    }


def test_the_articles_example_is_reckoned_step_by_step(tab):
    tab.open("going-big")
    result = steps(tab)
    assert result["table"] == 1000 * 1000 * 4
    assert result["batch"] == 16 * result["table"]
    assert result["layer"] == 4 * result["batch"] == 256e6
    assert result["fits"] == 12e9 // 256e6
    expect(tab.section.locator("[data-row=batch]")).to_contain_text("64 MB")
    expect(tab.section.locator(".source").first).to_contain_text(
        "By its own numbers 46 layers fit; with eight heads, 5"
    )
    assert tab.sentence() == "1,000 words: 256 MB of dot products per layer. At ten times the length: 25.6 GB."


def test_other_sizes_are_multiplied_too_and_a_size_goes_no_farther_than_its_limit(tab):
    tab.open("going-big", t=2048, batch=3, heads=12, layers=24, bits="16")
    result = steps(tab)
    layer = 2048 * 2048 * 2 * 3 * 12 * 4
    assert (result["layer"], result["layers"]) == (layer, 24 * layer)
    field = tab.section.get_by_role("spinbutton", name="Words t")
    field.fill("9999999")
    field.press("Enter")
    tab.settled()
    assert tab.view()["t"] == 100_000
    assert steps(tab)["layer"] == 100_000**2 * 2 * 3 * 12 * 4


def test_twice_as_long_is_four_times_as_much_and_half_precision_half(tab):
    tab.open("going-big")
    tab.attempt("long")
    assert steps(tab)["layer"] == 4 * 256e6
    tab.attempt("half")
    assert steps(tab)["layer"] == 256e6 / 2
    result = steps(tab)
    assert result["equation"] > 2 * result["kernel"]
    assert tab.choose("A hundred times as much").startswith("Yes. The scores of a layer grow from 32 MB to 3.2 GB")


def test_the_bars_are_what_was_measured_and_say_where_and_when(tab):
    tab.open("going-big")
    record = json.loads(MEASURED.read_text(encoding="utf-8"))
    tab.wait("() => document.querySelector('.former-learn-going-big .chart')?.data")
    x, y = tab.section.locator(".chart").evaluate("chart => [[...chart.data[0].x], [...chart.data[0].y]]")
    assert x == [row["megabytes"] for row in record["peaks"]]
    assert y[0] == "32 bits"
    assert y[-1] == "16 bits, 4 parts, recomputed"
    source = tab.section.locator(".source").last
    for said in (record["date"], record["machine"]["cpu"], record["command"]):
        expect(source).to_contain_text(said)
