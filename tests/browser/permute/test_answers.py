"""Tab Word order: the small numbers next to the large ones, and the page without a server."""

import json
import re
from functools import partial

import pytest
from playwright.sync_api import Route, expect

from tests.browser.permute.pages import LINKED, ORDER, TEXT, Outputs, Permuting
from tests.browser.written import number
from viz.text import message, note

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Permuting
MODEL = partial(Outputs, "classifier")


# --- the small numbers ---


def test_beside_each_error_stand_the_largest_output_and_what_rounding_makes_of_it(tab, model):
    tab.open(text=TEXT, order=LINKED)
    outputs = model.outputs(model.split(TEXT))
    for name in tab.errors():
        size = float(outputs[name].abs().max())
        assert tab.beside(name) == pytest.approx([size, 16 * 2**-23 * size], rel=0.06)


def test_beside_an_error_that_a_switch_made_stands_the_one_before(tab, model):
    tab.open(text=TEXT, order=LINKED)
    alone = {name: error for name, (error, _) in tab.errors().items()}
    tab.switch("positions", "learned")
    outputs = model.outputs(model.split(TEXT), "learned")
    for name in tab.errors():
        size, limit, plain = tab.beside(name)
        assert size == pytest.approx(float(outputs[name].abs().max()), rel=6e-3)
        assert limit == pytest.approx(16 * 2**-23 * size, rel=0.06)
        assert plain == alone[name]


def test_how_far_a_verdict_moves_is_said_in_points(tab, model):
    tab.open(text=TEXT, order=LINKED)
    before, after = (outputs["classifier"].exp() for outputs in model.both(model.split(TEXT), ORDER, "learned"))
    match = re.fullmatch(r"Changes by (.+) percentage points\.", tab.verdicts()["classifier"]["moved"])
    assert match
    moved = 100 * float((after - before).abs().max())
    assert number(match[1]) == pytest.approx(moved, abs=0.051 if moved >= 0.1 else 5.1e-5)


def test_no_small_number_is_cut_off(tab):
    tab.open(positions="learned", mask="causal")
    small = tab.page.locator(".former-equivariance .output .more").all()
    assert len(small) == 4
    for each in small:
        assert "was" in each.inner_text()
        assert each.evaluate("part => part.scrollWidth <= part.clientWidth")
        assert each.evaluate("part => part.scrollHeight <= part.clientHeight")
    panel = tab.page.locator(".former-equivariance .panel").bounding_box()
    assert panel
    box = tab.page.locator(".former-equivariance .sentence").bounding_box()
    assert box
    assert box["y"] + box["height"] <= panel["y"] + panel["height"]


# --- no answer ---


def test_without_an_answer_the_numbers_and_the_sentences_stay_those_of_the_last(tab, guard):
    guard.allow("ERR_FAILED")
    tab.open(text=TEXT, order=LINKED)
    before = (tab.errors(), tab.sentence(), tab.lesson())
    tab.page.route("**/ask/equivariance/errors", lambda route: route.abort())
    tab.switch("positions", "learned")
    tab.switch("mask", "causal")
    expect(tab.page.locator(".former-permute-controls .message.error")).to_contain_text("did not answer")
    assert (tab.errors(), tab.sentence(), tab.lesson()) == before
    tab.page.unroute("**/ask/equivariance/errors")
    tab.switch("mask", "none")
    assert tab.message() == ""
    assert tab.sentence().startswith("With learned positions, ")


class Busy:
    """A server that is busy for some requests, and then answers."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.asked = 0

    def __call__(self, route: Route) -> None:
        self.asked += 1
        if self.asked > self.times:
            return route.continue_()
        return route.fulfill(
            status=503, body=json.dumps({"error": note("busy_measuring")}), content_type="application/json"
        )


def test_a_busy_server_is_asked_once_more_before_anything_is_said(tab, guard):
    guard.allow("503")
    tab.open(text=TEXT, order=LINKED)
    busy = Busy(1)
    tab.page.route("**/ask/equivariance/errors", busy)
    tab.page.evaluate(
        """() => {
          window.said = [];
          const { permuting } = former;
          permuting.subscribe(document.body, () => permuting.message && said.push(permuting.message.text));
        }"""
    )
    tab.switch("positions", "learned")
    assert busy.asked == 2
    assert tab.page.evaluate("said") == []
    assert "differs" in tab.errors()["block"][1]


def test_a_server_that_stays_busy_is_asked_four_times_and_its_message_shown(tab, guard):
    guard.allow("503")
    tab.open(text=TEXT, order=LINKED)
    busy = Busy(10)
    tab.page.route("**/ask/equivariance/errors", busy)
    tab.page.evaluate("former.PAUSE.first = former.PAUSE.most = 300")  # ms; else some seconds
    tab.switch("positions", "learned")
    assert tab.message() == message("busy_measuring")
    assert busy.asked == 4


def test_the_complaint_about_a_link_goes_with_the_next_that_asks_nothing(tab):
    tab.open(text=TEXT, positions="rotary")
    assert "rotary" in tab.message()
    tab.page.evaluate("(view) => former.followers.permute(new URLSearchParams(view))", {"text": TEXT})
    tab.painted()
    assert tab.message() == ""


@pytest.mark.own_page  # one that has fetched no table yet
def test_the_complaint_about_a_table_goes_as_it_is_fetched(tab, guard):
    guard.allow("ERR_FAILED")
    tab.open(text="film", table="sinusoidal")
    tab.choose_table("sinusoidal")
    tab.page.route("**/positions/*", lambda route: route.abort())
    tab.page.get_by_role("combobox", name="Position vectors", exact=True).select_option("classifier")
    expect(tab.page.locator(".former-permute-controls .message.error")).to_contain_text("did not answer")
    tab.page.unroute("**/positions/*")
    tab.choose_table("sinusoidal")
    tab.choose_table("classifier")
    expect(tab.page.locator(".former-permute-controls .message")).to_have_text("")
