"""The encoder-decoder in Explore: three maps, each with rows and columns of its own, and where the answer looks."""

import pytest
import torch
from playwright.sync_api import expect

import former
from former.tokens.characters import CharacterTokenizer
from tests.browser.pages import Exploring, agrees

pytestmark = pytest.mark.browser
TAB = Exploring
TEXT, ANSWER = "4 July 1976", "1976-07-04"


@pytest.fixture(scope="module")
def weights() -> dict[str, torch.Tensor]:
    """(layers, h, t_query, t_key) of each stack, of the model's own answer."""
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
    strongest = int(cross[7].argmax())
    said = tab.page.locator(".former-token-strip .readout .to").inner_text()
    assert f"({strongest})" in said.split("%")[0]
    assert agrees(said.split(", “")[0].split(") ")[1], float(cross[7].max()))
    reading = tab.point(0.5, 0.7)
    exact = float(cross[int(reading["query"]), int(reading["key"])])
    assert float(reading["weight"]) == pytest.approx(exact, abs=5e-5)
    tab.page.locator(f".former-token-strip [data-key='{strongest}']").click()
    tab.settled()
    assert tab.link()["key"] == str(strongest)
    assert int(tab.link()["token"]) == int(cross[:, strongest].argmax())
    expect(tab.page.get_by_role("radio", name="Rollout")).to_be_disabled()
    for name, labels in (("encoder", date), ("decoder", answer)):
        tab.page.get_by_label("Attention", exact=True).select_option(label=name)
        tab.settled()
        assert strips(tab) == [labels]
        expect(tab.page.locator(".former-statistics .panel")).to_be_visible()
    assert tab.link()["map"] == "2"
    expect(tab.page.locator(".former-prediction .answer")).to_contain_text(f"It answers {ANSWER}")


def test_a_head_of_the_encoder_is_switched_off_and_what_it_would_answer_stands_beside_its_answer(tab):
    tab.open(model="dates", text=TEXT, map=1, layer=0, head=2)
    panel = tab.page.locator(".former-interventions .panel")
    panel.get_by_role("button", name="Switch off", exact=True).click()
    tab.wait("former.store.pass.header.edits.length === 1")
    tab.settled()
    assert tab.link()["edits"] == "encoder.0.2.off"
    expect(panel.locator(".edit-show")).to_have_text("encoder: Layer 0, head 2: off")
    bundle = former.load("dates")
    bundle.model.get_parameter("encoder.blocks.0.attention.unifyheads.weight").data[:, 64:96] = 0
    edited = former.translate(bundle, TEXT)
    assert edited != ANSWER
    answer = tab.page.locator(".former-prediction .answer")
    expect(answer).to_contain_text(f"It answers {ANSWER}")
    expect(answer).to_contain_text(f"With what you changed it would answer {edited}")
    expect(panel.get_by_role("button", name="Measure every head")).to_be_hidden()
    tab.page.reload()
    expect(answer).to_contain_text(edited)


def test_an_answer_that_is_typed_is_read_in_place_of_its_own(tab):
    tab.open(model="dates", text=f"{TEXT} → 1976-04-07")
    assert strips(tab)[0] == ["<begin>", *"1976-04-07"]
    expect(tab.page.locator(".former-prediction .answer")).to_contain_text(f"its own: {ANSWER}")
    tab.set("As", "Lines")
    expect(tab.page.get_by_role("application", name="The chosen head as lines.")).to_be_visible()
