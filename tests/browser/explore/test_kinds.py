"""Models of every kind in Explore: a user's own GPT-2 and BERT compared with `transformers`."""

from typing import Any

import pytest
import torch
import transformers
from playwright.sync_api import expect

import former
from former.tokens import BpeTokenizer, WordPieceTokenizer
from tests.browser.conftest import running, serve
from tests.browser.learn.pages import Learning
from tests.browser.pages import Exploring, agrees, check_shares

pytestmark = pytest.mark.browser
TAB = Exploring
TEXT = "Paris is the [capital] of France, and Berlin is in Germany."


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Saves four models of `transformers` with random weights: a GPT-2, a bare BERT, one with as many heads as
    BERT-base, and a Llama without an output layer."""
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("own")
    pieces = WordPieceTokenizer.train([TEXT * 3], 150)
    shape: dict[str, Any] = {
        "hidden_size": 48,
        "num_attention_heads": 12,
        "num_hidden_layers": 12,
        "intermediate_size": 96,
    }
    config = transformers.BertConfig(vocab_size=150, max_position_embeddings=256, initializer_range=0.3, **shape)
    transformers.BertForPreTraining(config).save_pretrained(folder / "own-bert")
    (folder / "own-bert" / "tokenizer.json").write_text(pieces.to_dict()["definition"], encoding="utf-8")
    config = transformers.BertConfig(**{**config.to_dict(), "num_attention_heads": 4, "num_hidden_layers": 3})
    transformers.BertModel(config).save_pretrained(folder / "own-bare")
    (folder / "own-bare" / "tokenizer.json").write_text(pieces.to_dict()["definition"], encoding="utf-8")
    config = transformers.GPT2Config(
        vocab_size=280, n_embd=48, n_head=4, n_layer=3, n_positions=64, initializer_range=0.3
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(folder / "own-gpt2")
    config = transformers.LlamaConfig(
        vocab_size=280, hidden_size=48, intermediate_size=64, num_attention_heads=4, num_hidden_layers=3
    )
    transformers.LlamaModel(config).save_pretrained(folder / "own-body")
    learned = BpeTokenizer.train([TEXT * 3], 280).to_dict()["definition"]
    for name in ("own-gpt2", "own-body"):
        (folder / name / "tokenizer.json").write_text(learned, encoding="utf-8")
    torch.manual_seed(0)
    shape = {"num_tokens": 256, "emb": 24, "heads": 3, "depth": 2}
    config = former.TransformerXLConfig(**shape, seq_length=16, memory_length=12)
    for name, model in (
        ("own-xl", former.TransformerXL(config)),
        ("own-sparse", former.Generator(former.ModelConfig(**shape, seq_length=64, mask="strided", mask_size=5))),
    ):
        former.save(former.Bundle(model, former.tokens.ByteTokenizer(), model.config), folder / name)
    return folder


@pytest.fixture(scope="module")
def app(browser, folders, tmp_path_factory):  # noqa: ARG001 - no browser, no app
    """Runs `python app.py` with a user's own models."""
    with running(serve, tmp_path_factory, *map(str, sorted(folders.iterdir()))) as app:
        yield app


def test_a_gpt2_of_ones_own_shows_the_maps_of_transformers(tab, folders):
    tab.open(model="own-gpt2", text="Paris is the capital of France.", layer=1, head=2, view="map")
    ids = tab.page.evaluate("former.store.pass.header.ids")
    model = transformers.GPT2LMHeadModel.from_pretrained(folders / "own-gpt2", attn_implementation="eager")
    maps = model(torch.tensor([ids]), output_attentions=True).attentions
    reading = tab.point(0.5, 0.9)
    exact = float(maps[1][0, 2, int(reading["query"]), int(reading["key"])])
    assert float(reading["weight"]) == pytest.approx(exact, abs=5e-5)


def check_weight(tab, kind, folder, down):
    """Asserts that the map of layer 1, head 2 shows, at a point in its middle column, the weight in `transformers`."""
    ids = tab.page.evaluate("former.store.pass.header.ids")
    model = kind.from_pretrained(folder, attn_implementation="eager").eval()
    maps = torch.cat(model(torch.tensor([ids]), output_attentions=True).attentions).detach()
    reading = tab.point(0.5, down)
    exact = float(maps[1, 2, int(reading["query"]), int(reading["key"])])
    assert float(reading["weight"]) == pytest.approx(exact, abs=5e-5)


def test_a_bare_bert_is_looked_at_and_says_that_it_predicts_nothing(tab, folders):
    tab.open(model="own-bare", text=TEXT, layer=1, head=2, view="map")
    check_weight(tab, transformers.BertModel, folders / "own-bare", 0.7)
    tab.cell(2, 3).click()
    tab.token(3).click()
    expect(tab.unfold("pair")).to_contain_text("The softmax over 15 keys")
    tab.set("Show", "Rollout")
    tab.set("View", "Lines")
    tab.settled()
    panels = {one.get_attribute("data-panel") for one in tab.page.locator(".former .panel:visible").all()}
    assert {"overview", "lines", "statistics", "pair", "token-strip", "trace", "interventions", "export"} <= panels
    assert not panels & {"prediction", "blanks", "surprise", "words"}
    expect(tab.part("absent")).to_contain_text("Fill in the blanks")
    expect(tab.part("absent")).to_contain_text("no output layer that predicts words")
    tab.set("Show", "Head")
    tab.page.get_by_role("button", name="Switch off", exact=True).click()
    tab.wait("former.store.pass.header.edits.length === 1")
    tab.settled()
    measure = tab.part("interventions").get_by_text("Measure every head", exact=True)
    expect(measure).to_be_hidden()  # no effect of a head can be measured
    tab.open(model="own-gpt2", text=TEXT)
    expect(measure).to_be_visible()


def test_a_body_without_an_output_layer_is_looked_at_and_says_that_it_predicts_nothing(tab, folders):
    tab.open(model="own-body", text=TEXT, layer=1, head=2, view="map")
    check_weight(tab, transformers.LlamaModel, folders / "own-body", 0.9)
    expect(tab.page.locator("[data-panel=prediction]")).to_contain_text("no output layer that predicts words")
    tab.page.get_by_role("button", name="Switch off", exact=True).click()
    tab.wait("former.store.pass.header.edits.length === 1")
    tab.unfold("trace")
    panels = {one.get_attribute("data-panel") for one in tab.page.locator(".former .panel:visible").all()}
    assert {"overview", "statistics", "pair", "token-strip", "trace", "interventions", "export"} <= panels
    assert not panels & {"surprise", "words", "blanks", "lens", "writes", "carry"}
    expect(tab.part("absent")).to_contain_text("Prediction after each layer")


def test_a_word_that_is_pressed_is_hidden_and_what_fills_it_is_what_transformers_says_with_and_without_a_head(
    tab, folders
):
    tab.open(model="own-bert", text=TEXT, layer=0, head=1)
    model = transformers.BertForPreTraining.from_pretrained(folders / "own-bert", attn_implementation="eager").eval()
    pieces = WordPieceTokenizer((folders / "own-bert" / "tokenizer.json").read_text(), 150)
    panel = tab.page.locator(".former-blanks .panel")

    def said(blank: int) -> dict[str, str]:
        rows = panel.locator(".blank").nth(blank).locator(".row").all()
        return {row.locator(".label").inner_text(): row.locator(".number").inner_text() for row in rows}

    panel.get_by_role("button", name="Hide “France”", exact=True).click()
    tab.wait("former.store.pass.header.text.includes('[France]')")
    tab.settled()
    assert tab.link()["text"] == TEXT.replace("France", "[France]")
    header = tab.page.evaluate("former.store.pass.header")
    ids = torch.tensor([header["ids"]])
    out = model(ids, output_attentions=True)
    hidden = [i for i, label in enumerate(header["labels"]) if label == "[MASK]"]
    expect(panel.locator(".blank")).to_have_count(len(hidden))
    for blank, position in enumerate(hidden):
        probs = out.prediction_logits[0, position].softmax(-1)
        exact = dict(zip(pieces.labels(range(len(probs))), probs.tolist(), strict=True))
        check_shares(list((result := said(blank)).items()), exact)
        assert len(result) == 10
    reading = tab.point(0.5, 0.7)
    exact = float(out.attentions[0][0, 1, int(reading["query"]), int(reading["key"])])
    assert float(reading["weight"]) == pytest.approx(exact, abs=5e-5)
    tab.page.get_by_role("button", name="Switch off", exact=True).click()
    tab.wait("former.store.pass.header.edits.length === 1")
    tab.settled()
    model.get_parameter("bert.encoder.layer.0.attention.output.dense.weight").data[:, 4:8] = 0
    after = model(ids).prediction_logits[0, hidden[0]].softmax(-1)
    label, prob = (
        header["output"]["blanks"][0]["next"][0]["label"],
        float(after[header["output"]["blanks"][0]["next"][0]["id"]]),
    )
    assert agrees(said(0)[label].split("→")[-1].strip(), prob)
    expect(tab.page.locator(".former-surprise .panel")).to_be_hidden()
    expect(tab.page.locator(".former-prediction .panel")).to_be_hidden()
    panel.get_by_role("button", name="Show “France”", exact=True).click()
    tab.wait("!former.store.pass.header.text.includes('[France]')")
    tab.type("Paris is the capital. [SEP] It is in France.")
    expect(panel.locator(".blanks-verdict")).to_contain_text("follow")


def test_learn_s_section_on_bert_hides_fills_in_and_judges_as_the_model_that_is_shipped_does(page, guard):
    bundle = former.load("bert")
    model: Any = bundle.model
    tokenizer: Any = bundle.tokenizer
    tab = Learning(page, guard.origin).open("bert", text="Paris is the <b>capital</b> of France.")
    section = tab.section
    section.get_by_role("button", name="Hide “capital”", exact=True).click()
    tab.wait("document.querySelector('.former-learn-bert [aria-pressed=true]')")
    tab.settled()
    assert tab.link()["text"] == "Paris is the <b>[capital]</b> of France."
    expect(section.locator(".in-words b, .in-words script")).to_have_count(0)  # what was typed stays text
    labels = section.locator(".in-words .reads .piece").all_inner_texts()
    assert (labels[0], labels[-1]) == ("[CLS]", "[SEP]")
    pieces = len(tokenizer.pieces("capital"))
    ids = tokenizer.encode("Paris is the <b>" + " [MASK]" * pieces + "</b> of France.")
    assert labels == tokenizer.labels(ids)
    with torch.inference_mode():
        probs = model(torch.tensor([ids]))[0].softmax(-1)
    blanks = section.locator(".blank")
    expect(blanks).to_have_count(pieces)
    likely = probs[ids.index(tokenizer.mask_token)].tolist()
    values = [
        (row.locator(".label").inner_text(), row.locator(".number").inner_text())
        for row in blanks.first.locator(".row").all()
    ]
    check_shares(values[:10], dict(zip(tokenizer.labels(range(len(likely))), likely, strict=True)))
    assert len(values) >= 10
    section.get_by_label("Text", exact=True).first.fill("a [film] ☃\u200b")
    expect(section.locator(".in-words .remarks")).to_have_text(
        "The tokenizer drops U+200B: the model does not see it."
        " The model’s vocabulary lacks “☃”: it reads [UNK] instead of it."
    )
    assert tab.choose("On either side").startswith("Yes. Hiding the token before the blank as well")
    tab.attempt("other")
    ids, segments = (torch.tensor([each]) for each in tokenizer.encode_pair(tab.view()["first"], tab.view()["second"]))
    with torch.inference_mode():
        follows = float(model.next_sentence(ids, segments)[0].softmax(-1)[0])
    element = section.locator(".in-texts .row .number")
    assert all(agrees(text, prob) for text, prob in zip(element.all_inner_texts(), (follows, 1 - follows), strict=True))
    _, capture = former.run_with_capture(model, (ids, segments), "weights")
    looks = capture.get("weights", model.config.depth - 1)[0, :, 0].mean(0)
    title = section.locator(".in-texts .piece").nth(2).get_attribute("title") or ""
    assert agrees(title.split("gives it ")[1], float(looks[2]))
    tab.attempt("figures")
    figures = section.locator(".in-figures")
    quality = next(figure for figure in bundle.card["quality"] if "masked_accuracy" in figure)
    for name in ("masked_accuracy", "next_sentence_other", "next_sentence_same"):
        assert agrees(figures.locator(f"[data-row={name}] td").nth(1).inner_text(), quality[name])


def test_a_pass_of_twelve_by_twelve_heads_over_256_tokens_is_small_and_its_head_is_exact(tab, folders):
    text = "in the capital " * 120
    tab.open(model="own-bert", text=text, layer=3, head=5)
    header = tab.page.evaluate("former.store.pass.header")
    assert (header["tokens"], header["maps"][0]["pooled"]) == (256, 2)
    body = tab.page.request.get(f"{tab.origin}/attention/{header['key']}", headers={"Accept-Encoding": "gzip"})
    assert int(body.headers["content-length"]) <= 1_600_000
    model = transformers.BertForPreTraining.from_pretrained(folders / "own-bert", attn_implementation="eager").eval()
    weights = model(torch.tensor([header["ids"]]), output_attentions=True).attentions[3][0, 5].detach()
    result = torch.tensor(tab.page.evaluate("[...former.store.exact.weights]")).view(256, 256)
    torch.testing.assert_close(result, weights, atol=1e-5, rtol=0)


def test_a_memory_stands_left_of_its_segment_and_what_a_pattern_leaves_out_has_a_colour_and_no_number(tab, folders):
    text = "The cat sat on the mat."  # its second segment has 7 bytes, and 12 before it are the memory
    tab.open(model="own-xl", text=text, layer=1, head=2)
    strips = tab.page.locator(".former-token-strip .tokens:visible").all()
    assert [len(strip.locator(".token").all()) for strip in strips] == [7, 19]
    expect(tab.part("notices")).to_contain_text("The 12 before it are its memory")
    bundle = former.load(folders / "own-xl")
    ids = torch.tensor([list(text.encode())])
    _, memory = bundle.model(ids[:, :16])
    _, capture = former.run_with_capture(bundle.model, (ids[:, 16:], memory), ("weights", "scores"))
    reading = tab.point(0.3, 0.7)
    query, key = int(reading["query"]), int(reading["key"])
    assert float(reading["weight"]) == pytest.approx(float(capture.get("weights", 1)[0, 2, query, key]), abs=5e-4)
    assert float(reading["score"]) == pytest.approx(float(capture.get("scores", 1)[0, 2, query, key]), abs=5e-3)
    tab.choose_model("own-sparse")
    allowed = former.masks.strided(len(text), 5)
    readings = [at for x in range(10, 36, 2) if "query" in (at := tab.point(x / 40, 0.9))]
    reading = next(each for each in readings if not allowed[int(each["query"]), int(each["key"])])
    assert reading["weight"] == "skipped"
    expect(tab.page.locator(".former-head-map .legend")).to_contain_text("never computed")


def test_padding_within_a_text_is_shown_as_masked(tab):
    tab.open(model="bert", text="The cat [PAD] sat on the mat. [PAD]")
    padding = [i for i, label in enumerate(tab.page.evaluate("former.store.map.keys")) if label == "[PAD]"]
    assert len(padding) == 2
    expect(tab.page.locator(".former-blanks").get_by_role("button", name="Hide “[PAD]”").first).to_be_disabled()
    whys = tab.page.evaluate("(keys) => keys.map((key) => former.store.map.without(0, key))", padding)
    assert whys == ["padding", "padding"]
    keys = tab.page.evaluate("former.store.map.keys.length")
    reading = tab.point((padding[0] + 0.5) / keys, 0.3)
    assert reading["weight"] == "padding"
    legend = tab.page.locator(".former-head-map .legend")
    expect(legend.get_by_text("masked")).to_be_visible()
    expect(legend.get_by_text("never computed")).to_be_hidden()
    expect(tab.page.locator(".former-head-map .readout")).to_contain_text("this key is padding")
