"""The page's scripts as the server sends them, and their dependencies."""

import gzip
import re

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from viz import gradio_adapter
from viz.browser import ahead, scripts
from viz.tabs import TABS

SCRIPT, STYLE, FONT = (next(gradio_adapter.ASSETS.glob(f"*.{kind}")).name for kind in ("js", "css", "woff2"))


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(Starlette(middleware=[Middleware(scripts.Scripts)]))


def imports_of(name: str) -> list[str]:
    """Returns the scripts that a script imports directly."""
    return [
        scripts.name_of((scripts.VIZ / name).parent.joinpath(other.decode()).resolve())
        for other in scripts.IMPORT.findall(scripts.sources()[name])
    ]


def test_a_script_comes_as_it_stands_in_its_file_and_may_be_kept(client):
    answer = client.get(f"{scripts.folder()}browser/lib/base.js")
    assert answer.content == (scripts.VIZ / "browser" / "lib" / "base.js").read_bytes()
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]


def test_nothing_but_scripts_of_this_version_comes(client):
    for path in ("browser/__init__.py", "browser/page.css", "../former/__init__.py", "browser/lib/none.js", ""):
        assert client.get(scripts.folder() + path).status_code == 404, path
    older = client.get("/web/000000000000/browser/lib/base.js")
    assert older.status_code == 404
    assert older.headers["cache-control"] == "no-store"


def test_scripts_are_only_read(client):
    for path in (f"{scripts.folder()}browser/lib/base.js", f"/assets/{SCRIPT}"):
        assert client.head(path).status_code == 200
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            assert client.request(method, path).status_code == 404, method  # here there is no Gradio behind it


def test_gradio_s_own_scripts_and_styles_come_from_memory_as_they_stand_in_its_package(client):
    for name in (SCRIPT, STYLE):
        answer = client.get(f"/assets/{name}")
        assert answer.content == (gradio_adapter.ASSETS / name).read_bytes()
        assert "immutable" in answer.headers["cache-control"]


def test_what_else_is_asked_for_among_gradio_s_is_left_to_gradio(client):
    for name in (FONT, "none.js", "..%2Findex.html", "..%2F..%2Fsupport.js", ""):
        assert client.get(f"/assets/{name}").status_code == 404, name  # here there is no Gradio behind it
    for encodings in ("br", "gzip;q=0", "br, gzip; q=0.0", "identity;q=1,gzip;q=0.000,br", "x-gzip2", "zstd;q=0"):
        answer = client.get(f"/assets/{SCRIPT}", headers={"Accept-Encoding": encodings})
        assert answer.status_code == 404, encodings
    for encodings in ("gzip", "br, gzip;q=0.1", "gzip;q=0.01, br;q=0", "deflate,gzip ,br"):
        answer = client.get(f"/assets/{SCRIPT}", headers={"Accept-Encoding": encodings})
        assert answer.headers["content-encoding"] == "gzip", encodings
        assert answer.headers["vary"] == "Accept-Encoding"
    known = scripts.asset.cache_info().currsize
    for name in ("x" * 300, "a/" * 9_000, "y.js"):
        assert client.get(f"/assets/{name}").status_code == 404
    assert scripts.asset.cache_info().currsize == known, "what nobody has is not remembered"


def test_a_script_imports_what_there_is_and_none_of_them_in_a_circle():
    names = scripts.sources().keys()
    before: dict[str, set[str]] = {}  # what each script needs, directly or not

    def needs(name: str, above: tuple[str, ...]) -> set[str]:
        assert name not in above, f"a circle: {' → '.join((*above, name))}"
        if name not in before:
            own = imports_of(name)
            assert names >= set(own), name
            before[name] = set(own).union(*(needs(other, (*above, name)) for other in own))
        return before[name]

    for name in names:
        lines = re.findall(rb'"\.[^"]*\.js";$', scripts.sources()[name], re.MULTILINE)
        assert len(imports_of(name)) == len(lines), name
        assert set(scripts.needed([scripts.VIZ / name])) == needs(name, ()) | {name}
    assert len(before) > 100


def test_no_line_of_a_script_is_longer_than_those_of_python():
    long = [
        name
        for name, source in scripts.sources().items()
        for line in source.decode().split("\n")
        if len(line) > 120 and name != scripts.STYLES
    ]
    assert not long


def test_the_packing_loses_nothing():
    for name, source in scripts.sources().items():
        assert gzip.decompress(scripts.packed(name)) == source


def test_the_scripts_of_the_tab_that_a_link_opens_are_named_ahead_and_those_of_no_other():
    for tab in TABS:
        folders = {name.split("/")[4] for name in ahead(tab) if "/tabs/" in name}
        assert tab.name in folders
        assert folders <= {tab.name, "explore"}  # whose shared scripts others import
