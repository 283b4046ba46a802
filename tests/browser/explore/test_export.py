"""The exports: a picture, a page that works offline, the numbers."""

import csv
import io
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

import former
from tests.browser.conftest import Guard
from tests.browser.pages import Exploring
from tests.browser.reference import Reference, Run, rollout

pytestmark = [pytest.mark.browser, pytest.mark.one_page]

TEXT = 'He said: "<b>=1, 2</b>" & left.'


@pytest.fixture(scope="module")
def run() -> Run:
    model = Reference("generator")
    return model.run(model.ids(TEXT))


@pytest.fixture
def tab(page: Page, guard: Guard) -> Exploring:
    return Exploring(page, guard.origin).open(text=TEXT, layer=1, head=2)


def export(tab: Exploring, kind: str, folder: Path) -> Path:
    """Presses a button of the export panel; returns the downloaded file."""
    with tab.page.expect_download() as coming:
        tab.page.get_by_role("button", name=kind, exact=True).click()
    path = folder / coming.value.suggested_filename
    coming.value.save_as(path)
    assert path.suffix == f".{kind.lower()}"
    assert path.name.startswith(tab.page.evaluate("former.store.pass.header.model"))
    return path


@pytest.mark.parametrize("view", ["Map", "Lines"])
def test_the_png_is_a_picture_with_something_on_it(tab, tmp_path, view):
    tab.set("View", view)
    picture = Image.open(export(tab, "PNG", tmp_path))
    assert picture.format == "PNG"
    assert min(picture.size) > 300
    colours = picture.convert("RGB").getcolors(1 << 24)
    assert colours
    assert len(colours) > 50


@pytest.mark.parametrize("view", ["Map", "Lines"])
def test_the_svg_parses_and_names_every_token(tab, tmp_path, view):
    tab.set("View", view)
    root = ET.parse(export(tab, "SVG", tmp_path)).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    words = ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert all(token in words for token in tab.tokens())
    assert any("layer 1, head 2" in said for said in words)
    assert not [node for node in root.iter() if node.tag.endswith(("}b", "}script", "}foreignObject"))]


@pytest.mark.parametrize("view", ["Map", "Lines"])
def test_scripts_of_the_world_stand_in_the_svg_in_their_own_direction(tab, tmp_path, view):
    tab.set("View", view)
    tab.type("שלום 1 مر 你好 น้ำ 👍🏽")
    root = ET.parse(export(tab, "SVG", tmp_path)).getroot()
    words = ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
    for letter in "שלוםمر":
        assert any(word.startswith(f"\u2068{letter}") and word.endswith("\u2069") for word in words)
    assert {"你", "好", "น", "◌้", "👍", "🏽"} <= {word.strip("\u2068\u2069₁₂₃") for word in words}
    assert "Noto Sans CJK SC" in (root.get("font-family") or "")


@pytest.mark.parametrize(("text", "rotated"), [("שלום 你好", False), ("שלום 你好 \u200d", True)])
def test_the_names_of_columns_in_the_svg_are_upright_where_all_fit_into_their_cells(tab, tmp_path, text, rotated):
    tab.type(text)
    root = ET.parse(export(tab, "SVG", tmp_path)).getroot()
    named = {
        "".join(node.itertext()).strip("\u2068\u2069"): node for node in root.iter("{http://www.w3.org/2000/svg}text")
    }
    for token in tab.tokens():  # of a row and a column with the same name, the column's is later
        assert ("rotate" in named[token].get("transform", "")) == rotated


def test_the_svg_draws_the_lines_that_are_on_the_screen_and_its_whole_title(tab, tmp_path):
    tab.set("View", "Lines")
    root = ET.parse(export(tab, "SVG", tmp_path)).getroot()
    paths = list(root.iter("{http://www.w3.org/2000/svg}path"))
    assert len(paths) == int(tab.page.locator(".former-lines [data-lines]").first.get_attribute("data-lines") or 0) > 0
    ends = "(async () => { const { svg, width } = await former.makePicture(); document.body.append(svg);"
    ends += " const box = svg.querySelector('text').getBBox(); svg.remove(); return width - box.x - box.width; })()"
    assert tab.page.evaluate(ends) >= 0


@pytest.mark.own_page
def test_the_html_works_offline_without_a_request_and_shows_the_models_numbers(tab, guard, context, tmp_path, run):
    path = export(tab, "HTML", tmp_path)
    guard.allow(f"left the origin: {path.as_uri()}$")  # the file itself
    guard.allow("ERR_INTERNET_DISCONNECTED")  # of the app's own page, which asks for its server now and then
    page = context.new_page()
    page.set_viewport_size({"width": 1280, "height": 1400})
    context.set_offline(True)
    page.goto(path.as_uri())
    assert page.locator("pre").inner_text() == TEXT
    assert page.locator("b").count() == 0
    box = page.locator("svg").bounding_box()
    assert box
    results = set()
    for x in (0.3, 0.4, 0.5):
        page.mouse.move(box["x"] + x * box["width"], box["y"] + 0.85 * box["height"])
        results.add(page.locator("#under").inner_text())
    values = [line.rpartition(": ") for line in results if "→" in line]
    assert values
    for pair, _, weight in values:
        query, key = (int(label.rpartition("(")[2].partition(")")[0]) for label in pair.split(" → "))
        assert float(weight) == pytest.approx(float(run.weights[1][2, query, key]), abs=2e-5)


@pytest.mark.own_page
@pytest.mark.parametrize(
    ("model", "text", "why"),
    [
        ("bert", "The cat [PAD] sat. [PAD]", "masked: this key is padding"),
        ("sparse", TEXT * 5, "never computed: the pattern leaves this pair out"),
    ],
)
def test_a_pair_without_a_weight_is_hatched_in_the_svg_where_it_is_on_the_page_and_has_no_number_in_the_html(
    tab, guard, context, tmp_path, model, text, why
):
    tab.open(model=model, text=text, layer=1, head=2)
    allowed = former.load(model).run(text).maps["self"].allowed
    pair = next((query, key) for query, key in (~allowed).nonzero().tolist() if key < query)
    inside = """async () => {
      const { svg, map: { cell } } = await former.makePicture();
      const area = svg.querySelector("[fill='url(#hatch)']").getAttribute("d");
      const path = new Path2D(area), pen = document.createElement("canvas").getContext("2d");
      const { map } = former.store;
      return map.queries.flatMap((_, query) => map.keys.map((_, key) =>
        [pen.isPointInPath(path, (key + 0.5) * cell, (query + 0.5) * cell), map.hidden(query, key)]));
    }"""
    cells = tab.page.evaluate(inside)
    assert {drawn for drawn, _ in cells} == {True, False}
    assert all(drawn == hidden for drawn, hidden in cells)
    path = export(tab, "HTML", tmp_path)
    guard.allow(f"left the origin: {path.as_uri()}$")  # the file itself
    page = context.new_page()
    page.set_viewport_size({"width": 1280, "height": 1400})
    page.goto(path.as_uri())
    corner = "svg => [svg.getBoundingClientRect(), svg.viewBox.baseVal.width, JSON.parse(data.textContent).map]"
    box, width, map_ = page.locator("svg").evaluate(corner)
    x, y = (map_[side] + (at + 0.5) * map_["cell"] for side, at in zip("xy", reversed(pair), strict=True))
    page.mouse.move(box["x"] + x * box["width"] / width, box["y"] + y * box["width"] / width)
    expect(page.locator("#under")).to_contain_text(f"({pair[0]}) → ")
    expect(page.locator("#under")).to_contain_text(why)


def test_the_csv_holds_the_models_weights_and_the_tokens(tab, tmp_path, run):
    content = export(tab, "CSV", tmp_path).read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(content)))
    t = len(TEXT)
    assert len(rows) == t * (t + 1) // 2
    # A spreadsheet would run a cell that begins like a formula.
    tokens = [f"'{token}" if token in "=+-@" else token for token in tab.tokens()]
    assert "'=" in tokens
    for row in rows:
        query, key = int(row["query"]), int(row["key"])
        assert (row["query_token"], row["key_token"]) == (tokens[query], tokens[key])
        assert float(row["weight"]) == pytest.approx(float(run.weights[1][2, query, key]), abs=2e-5)


def test_the_csv_leaves_out_the_pairs_that_a_sparse_pattern_leaves_out(tab, tmp_path):
    text = TEXT * 5
    tab.open(model="sparse", text=text, layer=1, head=2)
    content = export(tab, "CSV", tmp_path).read_text(encoding="utf-8-sig")
    pairs = [[int(row["query"]), int(row["key"])] for row in csv.DictReader(io.StringIO(content))]
    assert pairs == former.load("sparse").run(text).maps["self"].allowed.nonzero().tolist()
    assert len(pairs) < len(text) * (len(text) + 1) // 2


@pytest.mark.parametrize("of", ["Mean", "Rollout"])
def test_the_csv_of_a_mean_and_a_rollout_is_exact(tab, tmp_path, run, of):
    tab.set("Show", of)
    exact = run.weights[1].mean(0) if of == "Mean" else rollout(run.weights[:2])
    content = export(tab, "CSV", tmp_path).read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(content)))
    assert len(rows) == len(TEXT) * (len(TEXT) + 1) // 2
    for row in rows:
        assert float(row["weight"]) == pytest.approx(float(exact[int(row["query"]), int(row["key"])]), abs=2e-6)


def test_the_npz_holds_every_head_of_the_model(tab, tmp_path, run):
    with np.load(export(tab, "NPZ", tmp_path), allow_pickle=False) as arrays:
        exact = np.stack([weights.numpy() for weights in run.weights])
        np.testing.assert_allclose(arrays["weights"], exact, atol=2e-5)
        assert arrays["ids"].tolist() == list(TEXT.encode())
        assert str(arrays["text"]) == TEXT
        assert arrays["labels"].tolist() == tab.tokens()
