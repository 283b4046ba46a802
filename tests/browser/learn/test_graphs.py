"""Section "Sets, images, graphs": edges are drawn by mouse and keyboard, and the displayed results are recomputed."""

import pytest
import torch
from playwright.sync_api import Locator, expect

from tests.browser.learn.pages import Learning
from viz.tabs.learn.sections import graphs

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning
SECTION = "graphs"


def unit(tab: Learning, name: str) -> Locator:
    return tab.section.locator(f".node[data-unit='{graphs.NAMES.index(name)}']")


def draw(tab: Learning, one: str, other: str) -> None:
    """Drags from one unit to another."""
    (x, y), (to_x, to_y) = (
        (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for box in (unit(tab, name).bounding_box() for name in (one, other))
        if box
    )
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    tab.page.mouse.move((x + to_x) / 2, (y + to_y) / 2)
    tab.page.mouse.move(to_x, to_y)
    tab.page.mouse.up()
    tab.settled()


def holds(tab: Learning) -> None:
    """Asserts that the units' classes and numbers match the distances in the graph, and the drawn edges match the
    view."""
    view = tab.view()
    count, listed = view["graph"].split(":")
    n, edges = int(count), [edge for edge in listed.split(",") if edge]
    step = torch.eye(n)
    for edge in edges:
        i, j = map(int, edge.split("-"))
        step[i, j] = step[j, i] = 1
    powers = [torch.linalg.matrix_power(step, layer) > 0 for layer in range(1, view["layers"] + 1)]
    need = torch.stack([~power for power in powers]).sum(0)[view["row"]] + 1
    elements = tab.section.locator(".node").all()
    assert len(elements) == n
    for i, node in enumerate(elements):
        kind = "chosen" if i == view["row"] else "reached" if need[i] <= view["layers"] else "beyond"
        expect(node).to_have_class(f"node {kind}")
        assert node.locator(".need").text_content() == (str(int(need[i])) if kind == "reached" else "")
    drawn = tab.section.locator(".edges path").evaluate_all("paths => paths.map((path) => path.dataset.edge)")
    assert drawn == edges


def test_the_layers_that_a_unit_needs_are_the_steps_in_the_graph(tab):
    tab.open(SECTION)
    holds(tab)
    assert tab.sentence() == "After 2 layers “A” can receive information from 3 of the other 7 units."
    tab.section.locator(".field-stepper").nth(1).get_by_role("button").last.click()
    tab.settled()
    holds(tab)


def test_edges_are_drawn_and_removed_by_dragging_and_by_keys(tab):
    tab.open(SECTION)
    draw(tab, "A", "H")
    assert tab.view()["graph"].endswith(",0-7")
    holds(tab)
    draw(tab, "H", "A")
    assert tab.view()["graph"] == graphs.GRAPH
    unit(tab, "F").focus()
    tab.page.keyboard.press("e")
    tab.settled()
    assert tab.view()["graph"].endswith(",0-5")
    tab.page.keyboard.press("Enter")
    assert tab.view()["row"] == 5
    holds(tab)


def test_a_click_looks_at_a_unit(tab):
    tab.open(SECTION)
    unit(tab, "G").click()
    tab.painted()
    assert tab.view()["row"] == 6
    holds(tab)


def test_units_that_go_take_their_edges_with_them(tab):
    tab.open(SECTION)
    field = tab.section.locator(".field-stepper input").first
    field.fill("4")
    field.press("Enter")
    tab.settled()
    assert tab.view()["graph"] == "4:0-1,0-2,1-2,2-3"
    holds(tab)


def test_what_the_map_shows_is_measured_on_the_blocks(tab):
    tab.open(SECTION)
    result = torch.tensor(tab.page.evaluate("former.learn.find('graphs').live.answers.passed.influence"))
    x = graphs.material()[1][None, :8]
    mask = graphs.SECTION.tensors({}, {"graph": graphs.GRAPH, "layers": 2, "renamed": 0})["mask"]
    changed = x.clone()
    changed[0, 3, 0] += 1  # one number: a norm would remove a constant added to all
    changes = (graphs.run_blocks(changed, mask, 2) - graphs.run_blocks(x, mask, 2))[0].abs().amax(-1)
    assert torch.equal(changes > 0, result[1][:, 3] > 0)
    canvas = tab.section.locator("canvas.heat-map")
    left, top, width, height = (float(side) for side in (canvas.get_attribute("data-frame") or "").split())
    canvas.hover(position={"x": left + 7.5 / 8 * width, "y": top + 0.5 / 8 * height})
    tab.painted()
    expect(tab.section.locator(".readout").first).to_have_text("Changing H leaves the output of A exactly the same.")


def test_renamed_outputs_move_along(tab):
    tab.open(SECTION)
    expect(tab.section.locator(".readout").last).to_contain_text("Rename the units")
    tab.section.get_by_role("button", name="Rename").click()
    tab.settled()
    result = tab.page.evaluate("former.learn.find('graphs').live.answers.passed")
    assert torch.allclose(torch.tensor(result["renamed"]), torch.tensor(result["outputs"])[result["order"]], atol=1e-9)
    labels = tab.section.locator("[data-strip=renamed] .labels span").all_text_contents()
    assert labels == [graphs.NAMES[i] for i in result["order"]] != sorted(labels)
    expect(tab.section.locator(".readout").last).to_contain_text("If the edges had not been renamed")


def test_the_tries_show_what_they_say(tab):
    tab.open(SECTION)
    tab.attempt("set")
    holds(tab)
    assert tab.sentence() == "After 1 layer “A” can receive information from 7 of the other 7 units."
    tab.open(SECTION, graph="8:0-1,0-2,0-3,1-2,1-3,2-3,4-5,4-6,4-7,5-6,5-7,6-7", layers=4)
    holds(tab)
    assert tab.sentence() == "After 4 layers “A” can receive information from 3 of the other 7 units."
    tab.attempt("picture")
    holds(tab)
    assert tab.section.locator(".edges path").count() == 42


def test_the_puzzle_is_solved_by_a_star(tab):
    tab.open(SECTION)
    expect(tab.section.locator(".puzzle")).not_to_have_class("puzzle solved")
    tab.open(SECTION, graph="8:" + ",".join(f"0-{i}" for i in range(1, 8)))
    expect(tab.section.locator(".puzzle")).to_have_class("puzzle solved")


def test_the_answer_is_measured(tab):
    tab.open(SECTION)
    assert tab.choose("4").startswith("Yes. Changing the last unit changes the output of the first by")
    expect(tab.section.locator(".check .said")).to_contain_text("by 0.0, 0.0, 0.0, ")


@pytest.mark.parametrize("graph", ["8:0-9", "99:", "<b>", "8:0-0"])
def test_nonsense_in_a_link_is_named_and_the_usual_is_shown(tab, graph):
    tab.open(SECTION, graph=graph)
    expect(tab.page.locator(".former-learn > .note")).to_contain_text(graph)
    assert tab.view()["graph"] == graphs.GRAPH
    holds(tab)


def test_pixels_and_characters_stand_in_one_set_and_every_character_reaches_every_pixel(tab):
    tab.open(SECTION)
    tab.attempt("both")
    holds(tab)
    expect(tab.section.locator(".node[data-kind=pixel]")).to_have_count(9)
    characters = tab.section.locator(".node[data-kind=character]")
    expect(characters.locator("text:not(.need)")).to_have_text(["c", "a", "t"])
    assert tab.sentence() == (
        "A picture and its caption in one set: after 1 layer “c” can receive information from 9 pixels and 1 other"
        " character."
    )
