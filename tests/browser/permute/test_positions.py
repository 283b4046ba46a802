"""Tab Word order: the pictures of position vectors."""

import re

import pytest
import torch

from tests.browser.permute.pages import Outputs, Permuting
from tests.browser.written import number
from tests.encodings import encodings

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Permuting


def point(tab: Permuting, which: str, across: float, down: float) -> str:
    """Points at a place of a map, given as fractions of its sides; returns the text that appears."""
    canvas = tab.page.locator(f".former-position-maps canvas[data-map={which}]")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box
    inside = [float(side) for side in (canvas.get_attribute("data-frame") or "").split()]
    tab.page.mouse.move(box["x"] + inside[0] + across * inside[2], box["y"] + inside[1] + down * inside[3])
    tab.painted()
    return tab.page.locator(".former-position-maps .readout").inner_text()


def table_of(name: str) -> torch.Tensor:
    if name == "sinusoidal":
        return encodings(1024, 128)
    return Outputs(name).tensors["transformer.positions.embedding.weight"]


def off(tab: Permuting, vectors: torch.Tensor) -> float:
    """Returns the difference between the displayed number and the exact one."""
    readout = tab.page.locator(".former-position-maps .readout")
    match = re.search(r"Position (\d+), number (\d+): (.+)$", readout.inner_text())
    assert match
    value = float(readout.get_attribute("data-value") or "nan")
    assert number(match[3]) == pytest.approx(value, rel=1e-3 if abs(value) >= 1e-3 else 0.06)
    return abs(value - float(vectors[int(match[1]), int(match[2]) - 1]))


def test_the_numbers_of_the_vectors_are_as_precise_as_it_says(tab):
    tab.open(text="film")
    tab.choose_table("sinusoidal")
    vectors = table_of("sinusoidal")
    note = tab.page.locator(".former-position-maps .panel-foot").inner_text()
    match = re.search(r"within (.+) of the exact one", note)
    assert match
    stated = number(match[1])
    finest = float(vectors.abs().max()) / 32_767  # a 16-bit number's step
    assert finest / 2 * 0.95 <= stated <= finest / 2 * 1.11
    for down in (0.05, 0.27, 0.49, 0.73, 0.88, 0.999):
        for across in (0.01, 0.31, 0.62):
            point(tab, "vectors", across, down)
            assert off(tab, vectors) <= stated


@pytest.mark.parametrize("name", ["classifier", "generator", "sinusoidal"])
def test_a_number_of_a_positions_vector_and_how_alike_two_are_read_as_the_weights_have_them(tab, name):
    tab.open(text="film")
    tab.choose_table(name)
    vectors = table_of(name)
    match = re.search(r"Position (\d+), number (\d+): (.+)$", point(tab, "vectors", 0.31, 0.27))
    assert match
    assert number(match[3]) == pytest.approx(float(vectors[int(match[1]), int(match[2]) - 1]), rel=1e-3, abs=2e-5)
    match = re.search(r"Positions (\d+) and (\d+): cosine (.+)$", point(tab, "pairs", 0.7, 0.4))
    assert match
    a, b = vectors[int(match[1])], vectors[int(match[2])]
    assert number(match[3]) == pytest.approx(float(a @ b / (a.norm() * b.norm())), rel=1e-3, abs=1e-4)
    tab.page.locator(".former-position-maps [data-field=product] input[value=dot]").check(force=True)
    tab.painted()
    match = re.search(r"Positions (\d+) and (\d+): dot product (.+)$", point(tab, "pairs", 0.2, 0.6))
    assert match
    exact = float(vectors[int(match[1])] @ vectors[int(match[2])])
    assert number(match[3]) == pytest.approx(exact, rel=1e-3, abs=1e-3)


def test_learned_positions_end_with_the_trained_length_and_encodings_go_on(tab):
    tab.open(text="film")
    tab.choose_table("classifier")
    assert re.search(r"Position \d+ has no vector: the last trained position is 511\.", point(tab, "vectors", 0.5, 0.8))
    tab.choose_table("sinusoidal")
    match = re.search(r"Position (\d+), number (\d+): (.+)$", point(tab, "vectors", 0.5, 0.8))
    assert match
    assert int(match[1]) > 511
    assert number(match[3]) == pytest.approx(
        float(encodings(1024, 128)[int(match[1]), int(match[2]) - 1]), rel=6e-2, abs=6e-5
    )
    assert "was trained on, 512." in tab.page.locator(".former-position-maps .panel-foot").inner_text()


def test_a_click_chooses_a_position_and_keys_move_it_and_the_link_keeps_it(tab):
    tab.open(text="film", table="sinusoidal")
    tab.wait("() => document.querySelector('.former-position-maps[data-table]')")
    point(tab, "pairs", 0.5, 0.75)
    tab.page.mouse.down()
    tab.page.mouse.up()
    at = int(tab.link()["at"])
    assert at == pytest.approx(768, abs=6)
    tab.page.locator(".former-position-maps canvas[data-map=pairs]").focus()
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("PageDown")
    tab.page.mouse.move(0, 0)
    readout = tab.compared()
    assert tab.link()["at"] == str(at + 33)
    vectors = encodings(1024, 128)
    found = re.findall(r"([−\d.]+) at \+(\d+)", readout)
    assert found
    for value, step in found:
        other = vectors[at + 33 + int(step)]
        exact = float(vectors[at + 33] @ other / (vectors[at + 33].norm() * other.norm()))
        assert number(value) == pytest.approx(exact, abs=1e-3), "three decimals of the exact number"


@pytest.mark.own_page
def test_a_table_is_fetched_once(tab, guard):
    tab.open(text="film")
    for name in ("generator", "sinusoidal", "generator", "classifier"):
        tab.choose_table(name)
    fetched = [request for request in guard.requests if "/positions/" in request]
    charts = [request for request in guard.requests if request == "POST /ask/position-maps/curve"]
    assert len(fetched) == len(set(fetched)) == len(charts) == 3
