"""Section "Why it works": the dot products are multiplied again."""

import numpy as np
import pytest

from tests.browser.pages_learn import Learning
from viz.tabs.learn.sections.films import PEOPLE

pytestmark = pytest.mark.browser
TAB = Learning


def test_by_hand_every_dot_product_is_the_sum_of_its_features_products(tab):
    tab.open("films")
    tab.section.locator("input[data-at='0 0']").fill("-0.5")
    tab.settled()
    pairs = [[float(x) for x in pair.split(",")] for pair in tab.view()["features"].split(";")]
    assert pairs[0][0] == -0.5
    expected = [[a * c + b * d for c, d in pairs[3:]] for a, b in pairs[:3]]
    assert np.allclose(tab.data("scores"), expected)
    assert np.allclose(tab.numbers("Dot products"), expected, atol=0.006)
    best = int(np.argmax(expected[0]))
    title = tab.section.locator("table.numbers thead th").nth(best).inner_text()
    assert tab.sentence().startswith(f"{PEOPLE[0]}’s largest dot product is with “{title}”")
