"""A pass with several attention maps, each with its own rows and columns; all of them can be viewed."""

import gzip
import json
import re

import numpy as np
import pytest
import torch
from playwright.sync_api import Route, expect

from tests.browser.conftest import Guard
from tests.browser.pages import Exploring
from tests.viz.passes.answered import pack
from tests.viz.passes.test_payload import NO_RUN, random_map
from viz.passes import payload
from viz.passes.run import Pass

pytestmark = pytest.mark.browser
TAB = Exploring
SOURCE, TARGET = "the film", "der Film!"
MAPS = (
    random_map("encoder", SOURCE, SOURCE, torch.ones(8, 8, dtype=torch.bool)),
    random_map("decoder", TARGET, TARGET, torch.ones(9, 9, dtype=torch.bool).tril()),
    random_map("cross", TARGET, SOURCE, torch.ones(9, 8, dtype=torch.bool)),
)


def translated(route: Route) -> None:
    """Replaces the maps in a server's answer with those of an encoder-decoder."""
    body = route.fetch().body()
    header = json.loads(body[-4 - int.from_bytes(body[-4:], "little") : -4])
    header["maps"] = [each.describe() for each in MAPS]
    result = pack(Pass(header["key"], header, MAPS, NO_RUN))
    route.fulfill(body=gzip.decompress(result), content_type="application/octet-stream")


def one_head(route: Route) -> None:
    name, layer, head = route.request.url.split("/")[-3:]
    result = next(each for each in MAPS if each.name == name)
    route.fulfill(body=payload.pack_head(result, int(layer), int(head)), content_type="application/octet-stream")


@pytest.fixture
def translating(tab: Exploring, guard: Guard) -> Exploring:
    guard.allow("422.*/ask/writes/")  # of maps that the server does not know, where the panel is in view
    tab.page.route(re.compile(r"/attention/\w+$"), translated)
    tab.page.route(re.compile(r"/attention/\w+/[a-z]+/\d+/\d+$"), one_head)
    return tab.open(text=SOURCE)


def test_every_map_can_be_chosen_and_read_at_every_corner(translating):
    tab, page = translating, translating.page
    for which, made in enumerate(MAPS):
        page.get_by_role("combobox", name="Attention", exact=True).select_option(str(which))
        tab.cell(1, 2).click()
        page.wait_for_function("(name) => former.store.map.name === name && former.store.exact", arg=made.name)
        tab.painted()
        rows, columns = len(made.queries), len(made.keys)
        for query, key in ((0, 0), (rows - 1, columns - 1), (rows - 1, 0)):
            page.evaluate("(at) => former.store.point(at)", {"query": query, "key": key})
            tab.painted()
            result = page.locator(".former-head-map .readout").evaluate("(line) => ({ ...line.dataset })")
            assert (result["query"], result["key"]) == (str(query), str(key))
            assert float(result["weight"]) == pytest.approx(float(made.weights[1, 2, query, key]), rel=1e-6)
            score = float(made.q[1, 2, query] @ made.k[1, 2, key]) / np.sqrt(5)
            assert float(result["score"]) == pytest.approx(score, rel=1e-4)
    assert tab.link()["map"] == "2"


def test_where_a_pass_has_one_map_there_is_nothing_to_choose(tab):
    expect(tab.open(text=SOURCE).page.get_by_role("combobox", name="Attention", exact=True)).to_be_hidden()


def test_a_link_opens_the_map_it_names_and_lines_have_both_its_sides(translating):
    page = translating.page
    translating.open(text=SOURCE, map="2", view="lines", layer=0, head=0)
    assert page.evaluate("former.store.map.name") == "cross"
    expect(page.locator(".former-lines[data-lines]").first).to_be_visible()
    count = page.locator(".former-lines[data-lines]").first.get_attribute("data-lines")
    rows = MAPS[2].weights[0, 0]
    strongest = [sorted(row.tolist(), reverse=True) for row in rows]
    expected = sum(next((i + 1 for i in range(8) if sum(row[: i + 1]) >= 0.9), 8) for row in strongest)
    assert abs(int(count or 0) - expected) <= 1, "up to nine tenths of each row, of the weights as they were packed"


def test_a_picture_and_a_table_have_the_rows_and_columns_of_the_map(translating):
    page = translating.page
    page.get_by_role("combobox", name="Attention", exact=True).select_option("2")
    page.wait_for_function("former.store.exact")
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV", exact=True).click()
    lines = saved.value.path().read_text("utf-8-sig").splitlines()[1:]
    assert len(lines) == len(TARGET) * len(SOURCE)
    assert lines[-1].startswith(f'8,7,"{TARGET[-1]}","{SOURCE[-1]}",')
    size = page.evaluate("former.makePicture().then(({ width, height, map }) => [width, height, map.cell])")
    assert size[2] > 0
