"""Heads during training: the slider shows each snapshot's own numbers in every view, and a link opens a step."""

import json

import numpy as np
import pytest
from playwright.sync_api import expect

import former
from former.checkpoints import CHECKPOINTS
from tests.browser.pages import Exploring
from tests.viz import plain

pytestmark = pytest.mark.browser
TAB = Exploring
NAME, TEXT = "tiny-induction", "qwerty asdf qwerty"
RECORD = json.loads((CHECKPOINTS / NAME / "curve.json").read_text(encoding="utf-8"))
SCORES = np.array(RECORD["heads"]["induction"])


def at(tab: Exploring, step: int) -> None:
    """Waits until a step is on the screen, in the maps and on the curve."""
    tab.unfold("forming")
    tab.page.locator(f".former-forming [data-panel=forming][data-at='{step}']").wait_for()
    tab.settled()


def weights(step: int, layer: int, head: int) -> np.ndarray:
    """Returns a head's weights (cells,), row by row, without the masked cells."""
    state = former.load(f"{NAME}/step-{step:06d}").model.state_dict()
    _, maps = plain.next_probs(state, list(TEXT.encode()), heads=4, gelu=True)
    return maps[layer][head].numpy()[np.tril_indices(len(TEXT))]


def shown(tab: Exploring) -> np.ndarray:
    return np.array(tab.page.evaluate("Array.from(former.store.exact.weights)"))


def test_the_slider_the_curve_and_a_link_bring_a_snapshot_to_every_view(tab, other):
    layer, head = (int(i) for i in divmod(int(SCORES[-1].argmax()), 4))
    tab.open(model=NAME, text=TEXT, layer=layer, head=head)
    at(tab, 2000)
    panel = tab.part("forming")
    panel.locator(".forming-chart .nsewdrag").wait_for()
    last = SCORES[-1, layer, head]
    expect(panel).to_contain_text(f"at step 2,000: copying score {last:.2f}; at the end {last:.2f}")
    before = tab.statistic("copying")
    panel.get_by_role("slider").fill(str(RECORD["steps"].index(400)))
    at(tab, 400)
    assert tab.link()["model"] == f"{NAME}/step-000400"
    assert (tab.link()["layer"], tab.link()["head"]) == (str(layer), str(head))
    np.testing.assert_allclose(shown(tab), weights(400, layer, head), atol=1e-4)
    assert tab.statistic("copying") != before
    index = RECORD["steps"].index(400)
    expect(panel).to_contain_text(f"at step 400: copying score {SCORES[index, layer, head]:.2f}")
    expect(panel).to_contain_text(f"{RECORD['copied_bits'][index]:.2f} bits per letter")
    chart = panel.locator(".chart")
    assert chart.evaluate("root => root.layout.shapes[0].x0") == 400
    drawn = chart.evaluate("root => root.data.map(({ y }) => [...y])")
    np.testing.assert_allclose(drawn[:2], [RECORD["bits_per_byte"], RECORD["copied_bits"]])
    np.testing.assert_allclose(drawn[2:], SCORES.reshape(len(SCORES), -1).T)

    panel.get_by_role("slider").dispatch_event("input")  # the step that is shown is chosen once more
    panel.get_by_role("button", name="Play").click()  # with reduced motion, a step
    at(tab, RECORD["steps"][index + 1])
    tab.edited(lambda: tab.page.get_by_role("button", name="Switch off", exact=True).click())
    assert tab.link()["model"] == f"{NAME}/step-{RECORD['steps'][index + 1]:06d}"
    panel.get_by_role("button", name="Show this moment").click()
    own = SCORES[:, layer, head]
    moment = RECORD["steps"][int((own >= last / 2).argmax())]
    at(tab, moment)
    assert tab.link()["model"] == f"{NAME}/step-{moment:06d}"
    assert tab.link()["edits"] == f"{layer}.{head}.off"

    linked = other()
    linked.page.goto(tab.page.url)
    at(linked, moment)
    assert linked.link() == tab.link()
    np.testing.assert_allclose(shown(linked), weights(moment, layer, head), atol=1e-4)
    expect(linked.page.get_by_role("combobox", name="Model", exact=True)).to_have_value(NAME)
    linked.choose_model("classifier")
    expect(linked.page.locator(".former-forming .panel")).to_be_hidden()
