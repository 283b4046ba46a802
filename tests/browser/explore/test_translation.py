"""The encoder-decoder in Explore: three maps, each with rows and columns of its own, and what the output attends to."""

import math
import re
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from playwright.sync_api import expect

import former
from former.tokens.characters import CharacterTokenizer
from tests.browser.pages import Exploring, agrees
from tests.ranked import check_largest, clear_largest

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring
TEXT, ANSWER = "4 July 1976", "1976-07-04"


@pytest.fixture(scope="module")
def weights() -> dict[str, torch.Tensor]:
    """Returns the weights (layers, h, t_query, t_key) of each stack, for the model's own answer."""
    bundle = former.load("dates")
    assert isinstance(bundle.tokenizer, CharacterTokenizer)
    source, target = bundle.tokenizer.encode(TEXT), bundle.tokenizer.encode_target(ANSWER)[:-1]
    names = [f"{stack}.weights" for stack in ("cross", "encoder", "decoder")]
    _, capture = former.run_with_capture(bundle.model, (torch.tensor([source]), torch.tensor([target])), names)
    return {name.removesuffix(".weights"): capture.stack(name)[:, 0] for name in names}


def strips(tab: Exploring) -> list[list[str]]:
    lists = tab.page.locator(".former-token-strip .tokens:visible").all()
    return [each.locator(".token").all_text_contents() for each in lists]


def test_where_each_character_of_the_answer_looks_is_seen_and_the_switch_shows_the_other_maps(tab, weights):
    tab.open(model="dates", text=TEXT)
    answer, date = ["<begin>", *ANSWER], ["<read>", *TEXT.replace(" ", "␣")]
    assert strips(tab) == [answer, date]
    layer, head = int(tab.link()["layer"]), int(tab.link()["head"])
    cross = weights["cross"][layer, head]
    tab.token(7).hover()
    tab.painted()
    strongest = clear_largest(cross[7], 1e-5)
    text = tab.page.locator(".former-token-strip .readout .to").inner_text()
    assert f"({strongest})" in text.split("%")[0]
    assert agrees(text.split(", “")[0].split(") ")[1], float(cross[7].max()))
    reading = tab.point(0.25, 0.7)
    exact = float(cross[int(reading["query"]), int(reading["key"])])
    assert float(reading["weight"]) == pytest.approx(exact, abs=5e-5)
    tab.page.locator(f".former-token-strip [data-key='{strongest}']").click()
    tab.settled()
    assert tab.link()["key"] == str(strongest)
    check_largest(int(tab.link()["token"]), cross[:, strongest], 1e-5)  # several have a weight of nearly 1
    expect(tab.page.get_by_role("radio", name="Rollout")).to_be_disabled()
    for name, labels in (("encoder", date), ("decoder", answer)):
        tab.page.get_by_label("Attention", exact=True).select_option(label=name)
        tab.settled()
        assert strips(tab) == [labels]
        expect(tab.page.locator(".former-statistics .panel")).to_be_visible()
    assert tab.link()["map"] == "2"
    expect(tab.page.locator(".former-prediction .answer")).to_contain_text(f"Its answer {ANSWER}")


def test_a_head_of_the_encoder_is_switched_off_and_what_it_would_answer_stands_beside_its_answer(tab):
    tab.open(model="dates", text=TEXT, map=1, layer=0, head=2)
    panel = tab.page.locator(".former-interventions .panel")
    panel.get_by_role("button", name="Switch off", exact=True).click()
    tab.wait("former.store.pass.header.edits.length === 1")
    tab.settled()
    assert tab.link()["edits"] == "encoder.0.2.off"
    expect(panel.locator(".edit-show")).to_have_text("encoder: Layer 0, head 2: off")
    bundle: Any = former.load("dates")
    bundle.model.get_parameter("encoder.blocks.0.attention.unifyheads.weight").data[:, 64:96] = 0
    edited = former.translate(bundle, TEXT)
    assert edited != ANSWER
    source, target = (
        torch.tensor([each]) for each in (bundle.tokenizer.encode(TEXT), bundle.tokenizer.encode_target(edited))
    )
    for logits in bundle.model(source, target[:, :-1])[0].detach():
        clear_largest(logits, 0.01)  # so that the app's processor chooses these too
    answer = tab.page.locator(".former-prediction .answer")
    expect(answer).to_contain_text(f"Its answer {ANSWER}")
    expect(answer).to_contain_text(f"Its answer with your changes {edited}")
    tab.page.reload()
    expect(answer).to_contain_text(edited)


def test_every_head_of_the_three_stacks_is_measured_and_each_map_shows_its_own(tab):
    tab.open(model="dates", text=TEXT)
    bundle = former.load("dates")
    assert isinstance(bundle.tokenizer, CharacterTokenizer)
    target = bundle.tokenizer.encode_target(ANSWER)[:-1]
    inputs = torch.tensor([bundle.tokenizer.encode(TEXT)]), torch.tensor([target])

    def bits(edits):
        out, _ = former.run_with_capture(bundle.model, inputs, (), edits=edits)
        return float(F.cross_entropy(out[0, :-1], inputs[1][0, 1:])) / math.log(2)

    worth = {
        (stack, layer, head): bits([replace(former.edits.ablate_head(layer, head), point=f"{stack}.out")]) - bits([])
        for stack, layer, head in product(("cross", "encoder", "decoder"), range(3), range(4))
    }
    tab.page.get_by_role("button", name="Measure every head").click()
    finding = tab.page.locator(".former-interventions .finding")
    stack, layer, head = list(worth)[clear_largest(torch.tensor(list(worth.values())).abs(), 6e-4)]
    of = {"cross": "cross-attention"}.get(stack, stack)
    expect(finding).to_contain_text(f"Of the 36 heads measured, layer {layer}, head {head} of the {of}", timeout=30_000)
    for number, name in enumerate(("cross", "encoder", "decoder")):
        tab.page.get_by_label("Attention", exact=True).select_option(index=number)
        tab.settled()
        for at in ((0, 1), (2, 3)):
            match = re.match(r".*: ([+−]\d+\.\d+) bits for the answer", tab.cell(*at).get_attribute("aria-label") or "")
            assert match
            assert float(match[1].replace("−", "-")) == pytest.approx(worth[(name, *at)], abs=0.0006)
    finding.get_by_role("button", name="Show it").click()
    tab.settled()
    result = tab.page.evaluate("[former.store.map.name, former.store.view.layer, former.store.view.head]")
    assert result == [stack, layer, head]


def test_a_place_that_is_pointed_at_is_let_go_where_another_map_comes(tab):
    tab.open(model="dates", text=TEXT, map=1)
    assert tab.point(0.7, 0.97)["query"] == "11", "the last of the date, which is longer than the answer"
    tab.page.get_by_label("Attention", exact=True).select_option(label="decoder")
    tab.settled()
    assert tab.page.evaluate("(former.store.hover?.query ?? 0) < former.store.map.queries.length")
    expect(tab.unfold("pair").locator(".sentence").first).to_contain_text("→")


def test_a_place_of_another_map_is_taken_by_the_limits_of_that_map(tab):
    tab.open(model="dates", text=TEXT, map=1)
    last = len(TEXT) - 1  # of the date, which is longer than the answer
    tab.page.evaluate("former.store.set({ map: 1 })")
    tab.settled()
    tab.page.evaluate("(last) => former.store.set({ map: 0, token: last, key: last })", last)
    tab.settled()
    assert tab.page.evaluate("[former.store.view.token, former.store.view.key]") == [last, last]
    tab.page.evaluate("former.store.set({ map: 1 })")
    tab.settled()
    view = {"tab": "explore", "model": "dates", "text": TEXT, "map": "0", "token": str(last)}
    tab.page.evaluate("view => former.page.follow(new URLSearchParams(view))", view)
    tab.settled()
    assert tab.page.evaluate("[former.store.view.token, former.store.notes.link.length]") == [last, 0]


def test_an_answer_that_is_typed_is_read_in_place_of_its_own(tab):
    tab.open(model="dates", text=f"{TEXT} → 1976-04-07")
    assert strips(tab)[0] == ["<begin>", *"1976-04-07"]
    expect(tab.page.locator(".former-prediction .answer")).to_contain_text(f"its own: {ANSWER}")
    tab.set("View", "Lines")
    expect(tab.page.get_by_role("application", name="The chosen head as lines.")).to_be_visible()
