"""Heads over a corpus in Explore: the dots and a head's examples equal the stored file, read with numpy."""

import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect
from safetensors import safe_open
from safetensors.numpy import load_file

import former
from former.checkpoints import CHECKPOINTS
from tests.browser.pages import Exploring, agrees
from tests.ranked import clear_largest
from viz.text import message

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring
FILE = CHECKPOINTS / "gpt" / "scan" / "heads.safetensors"


def stored() -> dict:
    with safe_open(FILE, "numpy") as file:
        return load_file(FILE) | {"facts": json.loads(file.metadata()["facts"])}


def arrived(tab: Exploring, of: str) -> None:
    tab.unfold("scan")
    tab.page.locator(f".former-scan [data-panel=scan][data-of='{of}']").wait_for()
    tab.page.locator(".former-scan .scan-dots").scroll_into_view_if_needed()  # panels above may have grown meanwhile
    tab.page.locator(".former-scan .scan-dots .nsewdrag").wait_for()
    tab.painted()


def test_a_dot_opens_its_head_whose_measures_places_and_plane_are_the_stored_ones(tab):
    result = stored()
    measures = result["facts"]["measures"]
    tab.open(model="gpt", layer=2, head=5)
    arrived(tab, "gpt previous copying 2 5")
    tab.page.get_by_label("x-axis", exact=True).select_option("entropy")
    arrived(tab, "gpt entropy copying 2 5")
    assert tab.link()["scan_x"] == "entropy"
    chart = tab.page.locator(".former-scan .scan-dots .chart")
    drawn = chart.evaluate("root => root.data.map(({ x, y }) => [x, y])")
    means = [result["spread"][:, :, measures.index(name), 0] for name in ("entropy", "copying")]
    np.testing.assert_allclose(drawn[0], [each.ravel() for each in means], atol=1e-5)
    np.testing.assert_allclose(np.ravel(drawn[1]), [each[2, 5] for each in means], atol=1e-5)

    layer, head = divmod(clear_largest(means[1], 1e-5), means[1].shape[1])  # the best copying head has no neighbour
    box = chart.evaluate(
        """(root, [x, y]) => {
          const { left, top } = root.querySelector('.nsewdrag').getBoundingClientRect();
          const { xaxis, yaxis } = root._fullLayout;
          return [left + xaxis.l2p(x), top + yaxis.l2p(y)];
        }""",
        [float(each[layer, head]) for each in means],
    )
    tab.page.mouse.move(box[0] - 1, box[1])
    tab.page.mouse.move(*box)
    expect(tab.page.locator(".former-scan .scan-dots .hovertext")).to_contain_text(f"Layer {layer}, head {head}")
    tab.page.mouse.click(*box)
    arrived(tab, f"gpt entropy copying {layer} {head}")
    assert (tab.link()["layer"], tab.link()["head"]) == (str(layer), str(head))

    text = tab.page.locator(".former-scan [data-measure=copying] dd").inner_text()
    mean, _, low, _, high = result["spread"][layer, head, measures.index("copying")]
    parts = re.fullmatch(r"(.+), from (.+) to (.+) \((.+)\)", text)
    assert parts
    assert all(
        agrees(*each)
        for each in zip(parts.groups(), (mean, low, high, result["facts"]["even"]["copying"]), strict=True)
    )
    items = tab.page.locator(".former-scan .scan-places li")
    expect(items).to_have_count(70)
    labels = former.load("gpt").tokenizer.labels
    for i in (0, 19, 20, 69):
        stretch, position = (int(result[name][layer, head, i]) for name in ("examples", "places"))
        ids = result["tokens"][stretch].tolist()
        assert items.nth(i).locator(".query").text_content() == labels(ids)[position]
        largest = max(items.nth(i).locator(".token").evaluate_all("all => all.map(({ title }) => title)"), key=len)
        assert "of the attention" in largest
    plane = tab.page.locator(".former-scan .scan-plane .chart")
    plane.locator(".nsewdrag").wait_for()
    points = plane.evaluate("root => root.data.map(({ x, y }) => x.map((x, i) => [x, y[i]]))")
    np.testing.assert_allclose(points, result["plane"][layer, head].astype(float), atol=1e-6)


ASKED = re.compile(r"/ask/(lens|writes|trace|scan|reads|forming)/")  # what panels in folds ask for


def test_closed_folds_and_panels_that_do_not_apply_ask_nothing_and_these_are_named_in_one_line(tab, guard):
    def ask_nothing() -> None:
        for name in ("carry", "export"):
            tab.part(name).scroll_into_view_if_needed()
            tab.painted()
        assert not [asked for asked in guard.requests if ASKED.search(asked)]

    tab.open(model="gpt", text="abcabc")
    expect(tab.page.get_by_role("button", name=message("fold_corpus"), expanded=False)).to_be_visible()
    ask_nothing()
    tab.open(model="tiny-induction", text="abcabc", open="corpus")
    line = tab.part("absent")
    expect(line).to_contain_text("Not available for this model: ")
    expect(line).to_contain_text(message("scan"))
    assert "python" not in line.inner_text()
    expect(tab.page.locator(".former-fold .fold", has_text=message("fold_corpus"))).to_be_hidden()
    expect(tab.part("scan")).to_be_hidden()
    ask_nothing()
    tab.choose_model("gpt")
    expect(line).not_to_contain_text(message("scan"))
    expect(tab.part("scan")).to_be_visible()
