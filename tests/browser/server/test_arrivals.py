"""Models that are downloaded while the page is there, from a stand-in for Hugging Face's hub on this machine."""

import re

import pytest
import torch
from playwright.sync_api import expect

import former
from former import llama
from former.tokens import ByteTokenizer
from tests.browser.conftest import running, serve
from tests.browser.pages import Exploring
from tests.browser.preloaded import START_LIMIT
from tests.hub import hub

pytestmark = pytest.mark.browser
TAB = Exploring


@pytest.fixture(scope="module")
def hugging_face(tmp_path_factory):
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("repository")
    # 25 MB: the hub's client reports every 10 MB, and the second half waits.
    config = llama.config(num_tokens=256, seq_length=64, emb=512, heads=8, kv_heads=8, depth=2, ff_hidden=1365)
    former.pretrained.save(former.Bundle(former.Generator(config), ByteTokenizer(), config), folder)
    with hub({"someone/small-llama": folder}) as server:
        yield server


@pytest.fixture(scope="module")
def app(browser, hugging_face, tmp_path_factory):  # noqa: ARG001 - no browser, no app
    """Runs `python app.py someone/no-model someone/small-llama`."""
    settings = {"HF_ENDPOINT": hugging_face.address, "HF_HOME": str(tmp_path_factory.mktemp("cache"))}
    settings["HF_HUB_DOWNLOAD_TIMEOUT"] = str(START_LIMIT)
    with running(serve, tmp_path_factory, "someone/no-model", "someone/small-llama", **settings) as app:
        yield app


def test_the_page_is_there_while_a_model_is_downloaded_and_says_how_far_it_is(tab, hugging_face):
    limit = START_LIMIT * 1000  # ms
    tab.open(model="tiny-generator", text="The cat sat")
    lines = tab.page.locator(".former-arrivals p")
    expect(lines.nth(0)).to_contain_text("someone/no-model is not shown: it could not be downloaded", timeout=limit)
    expect(lines.nth(1)).to_have_text(re.compile(r"Downloading someone/small-llama: 1\d of \d+ MB"), timeout=limit)
    spoken = tab.page.locator(".former-arrivals [role=status]")
    expect(spoken).to_contain_text("Downloading someone/small-llama …")  # no number, which would be read out again
    title, line = tab.page.locator("h1").bounding_box(), lines.nth(0).bounding_box()
    assert title
    assert line
    assert title["y"] + title["height"] <= line["y"]
    hugging_face.release.set()
    expect(lines.nth(1)).to_contain_text("someone/small-llama has been downloaded.", timeout=limit)
    lines.nth(1).get_by_role("button", name="Reload").click()
    tab.settled()
    tab.choose_model("small-llama")
    assert tab.page.evaluate("former.store.pass.header.model") == "small-llama"
    assert tab.page.evaluate("former.store.pass.header.text") == "The cat sat"
    expect(tab.page.locator("link[href$='/page.css'], #former-paper")).to_have_count(2)  # its styles, laid out anew too
    tab.open(model="small-llama", text="The cat sat", lang="zh")
    expect(lines.nth(0)).to_have_text(re.compile(r"^无法显示 someone/no-model：无法从 Hugging Face 下载。[^A-Za-z]+$"))
