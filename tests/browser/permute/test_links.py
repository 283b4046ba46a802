"""Tab Word order: the verdicts in both orders, the text, the link, and the page."""

import re
from functools import partial

import pytest
from playwright.sync_api import expect

from tests.browser.permute.pages import LINKED, TEXT, Outputs, Permuting, shuffled
from tests.ranked import clear_largest
from viz.text import examples as words

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Permuting
MODEL = partial(Outputs, "classifier")


@pytest.fixture(scope="module")
def bag() -> Outputs:
    return Outputs("classifier-bag")


# --- the verdicts ---


def test_a_review_is_there_to_shuffle(tab, model, bag):
    tab.open()
    tab.page.get_by_role("button", name=words.REVIEW, exact=True).click()
    tab.settled()
    tab.press("Shuffle")
    ids = model.split(words.REVIEW)
    order = shuffled(len(ids), 1)
    assert tab.order() == order
    for name, reference, kind in (("classifier", model, "learned"), ("classifier-bag", bag, "none")):
        exact = [outputs["classifier"].exp()[1] for outputs in reference.both(ids, order, kind)]
        assert tab.verdicts()[name]["prob"] == pytest.approx([float(prob) for prob in exact], abs=1e-5)  # float32


def test_a_ready_pair_is_judged_in_both_orders_by_both_models(tab, model, bag):
    tab.open(text="film")
    one, other = words.PAIRS[0]
    tab.page.get_by_role("button", name=one, exact=True).click()
    tab.settled()
    ids, others = model.split(one), model.split(other)
    for name, reference, kind in (("classifier", model, "learned"), ("classifier-bag", bag, "none")):
        shown = tab.verdicts()[name]
        exact = [reference.outputs(text, kind)["classifier"].exp() for text in (ids, others)]
        assert shown["prob"] == pytest.approx([float(probs[1]) for probs in exact], abs=1e-5)  # float32
        assert shown["verdict"] == [("negative", "positive")[clear_largest(probs, 1e-5)] for probs in exact]
        assert [text.split() for text in shown["words"]] == [
            re.findall(r"\w+|[^\w\s]", text.lower()) for text in (one, other)
        ]
    without = tab.verdicts()["classifier-bag"]
    assert without["prob"][0] == pytest.approx(without["prob"][1], abs=1.5e-6)
    assert "No change" in without["moved"]
    sentence = tab.page.locator(".former-verdicts .sentence").inner_text()
    assert "cannot distinguish the two orders" in sentence


def test_the_two_words_are_told_apart_on_the_page(tab):
    tab.open()
    page = tab.page.locator(".former-verdicts .panel-foot").inner_text()
    assert "Equivariance: when the inputs move, the outputs move with them." in page
    assert "Invariance: the output does not change at all." in page


# --- text and link ---


def test_typing_another_text_begins_in_its_own_order(tab, model):
    tab.open(text=TEXT, order=LINKED)
    tab.type("a good film, not a bad one")
    assert tab.words() == ["a", "good", "film", ",", "not", "a", "bad", "one"]
    assert tab.order() == list(range(8))
    prob = model.outputs(model.split("a good film, not a bad one"), "learned")["classifier"].exp()[1]
    assert tab.verdicts()["classifier"]["prob"][0] == pytest.approx(float(prob), abs=1e-5)


def test_markup_that_is_typed_stays_text(tab):
    tab.open(text="<img src=x onerror=alert(1)> ${former} good", output="layer")
    assert tab.page.locator(".former-word-order img, .former-verdicts img").count() == 0
    assert "<unk> onerror" in tab.words()
    tab.type("<b>qwxyz</b>")
    assert tab.page.locator(".former-word-order .chip b").count() == 0
    assert "not in the model" in tab.message()


def test_a_text_that_cannot_be_run_is_refused_in_words_and_the_last_answer_stays(tab, guard):
    guard.allow("422")
    tab.open(text=TEXT)
    tab.page.get_by_role("textbox", name="Text", exact=True).fill("  ")
    expect(tab.page.locator(".former-permute-controls .message.error")).to_contain_text("no text")
    assert len(tab.words()) == 11
    tab.type("good film")
    assert tab.words() == ["good", "film"]
    assert tab.message() == ""


def test_a_long_text_is_cut_and_says_so(tab):
    tab.open(text="good film " * 15)
    assert len(tab.words()) == 24
    assert "the first 24" in tab.message()


def shown(tab: Permuting) -> dict:
    """Returns what is on the screen, as a visitor would describe it."""
    return {
        "order": tab.order(),
        "words": tab.words(),
        "errors": tab.errors(),
        "verdicts": tab.verdicts(),
        "switches": tab.page.locator("input[type=radio]:checked").evaluate_all("all => all.map((one) => one.value)"),
        "text": tab.page.get_by_role("textbox", name="Text", exact=True).input_value(),
        "seed": tab.page.get_by_role("spinbutton", name="Seed", exact=True).input_value(),
        "picture": tab.page.locator(".former-moved-rows .readout").inner_text(),
        "title": tab.page.locator(".former-moved-rows h2").inner_text(),
        "positions": tab.compared(),
    }


def test_a_copied_link_opens_the_same_view(tab, guard):
    tab.open()
    tab.type(TEXT)
    tab.press("Shuffle")
    tab.press("Shuffle")
    tab.switch("positions", "sinusoidal")
    tab.switch("mask", "causal")
    tab.show("layer")
    tab.page.get_by_role("button", name="The next 32 numbers", exact=True).click()
    tab.choose_table("generator")
    tab.page.mouse.move(0, 0)
    tab.painted()
    other = Permuting(tab.page.context.new_page(), guard.origin)
    other.page.goto(tab.address())
    other.settled()
    other.wait("() => document.querySelector('.former-position-maps[data-table]')?.dataset.table === 'generator'")
    assert shown(other) == shown(tab)
    assert other.link() == tab.link()


def test_the_first_view_restored_and_reloaded_stays_in_its_order(tab):
    tab.open()
    tab.press("Restore order")
    tab.page.reload()
    tab.settled()
    assert tab.order() == list(range(len(tab.words())))


def test_an_open_page_takes_up_a_link(tab):
    tab.open(positions="learned")
    view = {"text": TEXT, "order": LINKED, "mask": "causal", "output": "basic", "seed": "9"}
    tab.page.evaluate("(view) => former.followers.permute(new URLSearchParams(view))", view)
    tab.settled()
    assert ".".join(map(str, tab.order())) == LINKED
    assert tab.page.locator(".former-moved-rows h2").inner_text() == "Basic self-attention"
    assert tab.link() == {"tab": "permute", **view}


@pytest.mark.parametrize("order", ["0.0.1", "x", "5.4.3.2.1.0"])
def test_an_order_in_a_link_that_does_not_fit_is_named_and_left_out(tab, order):
    tab.open(text=TEXT, order=order)
    assert tab.order() == list(range(11))
    assert "does not fit this text’s 11 words" in tab.message()
    tab.press("Shuffle")
    assert tab.message() == ""


def test_nonsense_in_a_link_is_named(tab):
    tab.open(text=TEXT, positions="rotary")
    assert "rotary" in tab.message()
    assert tab.link().get("positions", "none") == "none"


# --- the page ---


def test_words_matrix_errors_difference_and_verdicts_are_above_the_fold(tab):
    tab.open()
    panels = [f".former-{name} .panel" for name in ("word-order", "permutation", "equivariance", "moved-rows")]
    for selector in [*panels, ".former-verdicts .cards"]:
        box = tab.page.locator(selector).bounding_box()
        assert box
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 720


def test_nothing_runs_out_of_a_narrow_page(tab):
    tab.page.set_viewport_size({"width": 390, "height": 800})
    tab.open(text=TEXT, order=LINKED)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    for name in ("word-order", "permutation", "equivariance", "moved-rows", "verdicts", "position-maps"):
        box = tab.page.locator(f".former-{name} .panel").bounding_box()
        assert box
        assert box["x"] + box["width"] <= 391
