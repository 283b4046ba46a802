"""The address bar holds the view of a tab, and says what it has no room for."""

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from tests.modules import evaluate
from viz.server.gateway import ADDRESS_LIMIT
from viz.text import LANGUAGES, in_words

LONGEST = 60_000  # bytes of an address
# A page's address, its history, and which tab a link opens: the one that it names, as first_tab.js has it.
PAGE = """
  const place = new URL("https://former.example/?lang=zh&room=blue&text=before");
  Object.defineProperty(globalThis, "location", { value: place, configurable: true });
  const go = (_state, _title, url) => (place.href = url);
  globalThis.history = { state: null, replaceState: go, pushState: go };
  globalThis.parent = globalThis; // it is in no frame
  globalThis.formerTabOf = (params) => params.get("tab") ?? "explore";
"""
VIEWS: dict[str, dict[str, Any]] = {  # tab → what a link of it can hold, the longest last
    "explore": {"model": "gpt", "layer": 2, "text": "短い" * 1900, "pin_text": "長い文" * 1300},
    "generate": {"model": "gpt", "text": "短い" * 2000, "written": "32.49." * 10_000},
    "mask": {"mask": "local", "size": 3, "text": "短い" * 1900, "long": "長い文" * 1300},
    "permute": {"positions": "learned", "text": "短い" * 1900, "order": "3.1.0.2." * 5000},
    "learn": {"section": "in-pytorch", "factor": 4, "text": "短い" * 5000},
}


def written(tab: str, view: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """Puts a view into the address bar by the page's code; returns the address, and what it has no room for."""
    function = """(address, [tab, view]) => {
      address.writeAddress(tab, view);
      return [location.href, address.leftOut];
    }"""
    return evaluate("browser/lib/address.js", function, [tab, view], page=PAGE)


@pytest.mark.parametrize("tab", VIEWS)
def test_a_view_is_written_beside_what_belongs_to_no_tab(tab):
    view = {"model": "gpt", "text": "a & b = “ü”", "layer": 0, "token": None, "edits": ""}
    address, left = written(tab, view)
    named = [] if tab == "explore" else [("tab", tab)]
    kept = [("model", "gpt"), ("text", "a & b = “ü”"), ("layer", "0")]
    assert parse_qsl(urlsplit(address).query) == [*named, *kept, ("room", "blue"), ("lang", "zh")]
    assert left is None


@pytest.mark.parametrize("tab", VIEWS)
def test_the_longest_value_is_left_out_of_an_address_that_has_no_room_for_it_and_named_with_its_bytes(tab):
    view = VIEWS[tab]
    *kept, longest = view
    address, left = written(tab, view)
    assert left
    assert len(address) <= LONGEST < ADDRESS_LIMIT, "the server reads it"
    link = dict(parse_qsl(urlsplit(address).query))
    assert {name: link[name] for name in kept} == {name: f"{view[name]}" for name in kept}
    assert (link["left_out"], longest in link) == (longest, False)
    assert left["view"] == {longest: view[longest]}, "the page still has it"
    size = len(urlencode({longest: view[longest]}))
    for language in LANGUAGES:
        said = in_words(left["note"], language)
        assert longest in said
        assert f"{size:,}" in said
        assert f"{LONGEST:,}" in said
