"""Models from other people's folders on the page: what each panel shows, or its message if it has nothing to show."""

import json
import math
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
import torch

import former
from tests.their_models import BPE, PIECES, TEXTS, T, bert_config, gpt2_config, llama_config, neox_config, saved
from tests.viz.passes.answered import answered, measured, run
from viz import app
from viz.panels.writer import program
from viz.passes import sources
from viz.passes.loaded import Loaded, filler, writers
from viz.passes.run import Pass
from viz.passes.store import PassStore
from viz.server.http import refusal_of
from viz.tabs import explore
from viz.tabs.base import about
from viz.tabs.explore.answer import answer
from viz.tabs.generate import next_token, stream
from viz.tabs.learn.sections import bert
from viz.tabs.mask import masking
from viz.tabs.mask import panels as mask_panels
from viz.text import Refusal, in_words, note

TEXT = "The cats sat on the [mat] [SEP] one was theirs"
PANELS = {panel.name: panel for panel in explore.TAB.panels}
VIEW: dict[str, Any] = {"layer": 1, "head": 2, "of": "head", "scale": "linear", "query": 5, "key": 3, "map": "self"}


def opened(folder: Path, model: Any) -> Loaded:
    saved(model, folder)
    return sources.open_model(str(folder))


def inputs(made: Pass) -> dict[str, torch.Tensor]:
    """Returns a pass's inputs for a BERT of theirs."""
    names = {"input_ids": "ids", "token_type_ids": "segments"}
    return {theirs: torch.tensor([made.header[ours]]) for theirs, ours in names.items()}


def notes(loaded: Loaded, text: str) -> list[str]:
    """Returns the notes that Explore shows above the maps of a text."""
    models = {loaded.name: loaded}
    view = {"model": loaded.name, "text": text}
    try:
        return [in_words(each) for each in answer(models, PassStore(models), view)["notes"]]
    except ValueError as raised:
        return [in_words(refusal_of(raised).note)]


def run_program(panel: str, loaded: Loaded, text: str, **changes: Any) -> dict[str, Any]:
    """Runs a panel's program; returns its result."""
    space: dict[str, Any] = {}
    view = {**VIEW, "model": loaded.name, "text": text, **changes}
    exec(program(PANELS[panel], {loaded.name: loaded}, view), space)
    (name,) = PANELS[panel].questions
    return space[name]


@torch.no_grad()
def test_a_bare_bert_shows_its_maps_and_says_that_it_predicts_nothing(tmp_path):
    model = T.BertModel(bert_config())
    loaded = opened(tmp_path, model)
    pass_ = run(loaded, TEXT)
    inputs = {
        "input_ids": torch.tensor([pass_.header["ids"]]),
        "token_type_ids": torch.tensor([pass_.header["segments"]]),
    }
    expected = torch.cat(model(**inputs, output_attentions=True).attentions)
    torch.testing.assert_close(pass_.map("self").weights, expected, atol=1e-5, rtol=0)
    assert pass_.header["output"] == {"blanks": None, "follows": None, "pairs": False}
    torch.testing.assert_close(run_program("overview", loaded, TEXT)["weights"], expected, atol=1e-5, rtol=0)
    assert run_program("trace", loaded, TEXT)["divisor"] == 1
    asks = [lambda: answered("lens/depths", loaded, pass_), lambda: measured("interventions/removed", loaded, pass_)]
    asks += [lambda panel=panel: run_program(panel, loaded, TEXT) for panel in ("blanks", "lens", "interventions")]
    for ask in asks:
        with pytest.raises(Refusal, match="no output layer that predicts words"):
            ask()
    assert about(loaded) == note("model_kind", kind="bare")
    assert filler({loaded.name: loaded}) is None


BODIES: dict[str, Any] = {
    "llama": (T.LlamaModel, llama_config(bos_token_id=1)),
    "qwen2": (T.Qwen2Model, llama_config(T.Qwen2Config)),
    "gpt_neox": (T.GPTNeoXModel, neox_config()),
}


@pytest.mark.parametrize(("kind", "config"), BODIES.values(), ids=list(BODIES))
@torch.no_grad()
def test_a_body_without_an_output_layer_shows_its_maps_and_says_that_it_predicts_nothing(kind, config, tmp_path):
    text, model = "The cats sat on the mat", kind(config)
    loaded = opened(tmp_path, model)
    pass_ = run(loaded, text)
    expected = torch.cat(model(torch.tensor([pass_.header["ids"]]), output_attentions=True).attentions)
    torch.testing.assert_close(pass_.map("self").weights, expected, atol=1e-5, rtol=0)
    assert (pass_.header["output"], pass_.header["writes"]) == ({}, [])
    assert run_program("pair", loaded, text)["weight"] == pytest.approx(float(expected[1, 2, 5, 3]), abs=1e-5)
    asks = [lambda: answered("lens/depths", loaded, pass_), lambda: measured("interventions/removed", loaded, pass_)]
    panels = ("prediction", "lens", "interventions", "surprise")
    asks += [lambda panel=panel: run_program(panel, loaded, text) for panel in panels]
    for ask in asks:
        with pytest.raises(Refusal, match="no output layer that predicts words"):
            ask()
    with pytest.raises(Refusal):
        run_program("writes", loaded, text)
    assert about(loaded) == note("model_kind", kind="bare")
    assert not writers({loaded.name: loaded})


def test_a_bert_that_only_says_what_follows_says_so_of_two_texts(tmp_path):
    model = T.BertForNextSentencePrediction(bert_config())
    loaded = opened(tmp_path, model)
    pass_ = run(loaded, TEXT)
    follows = float(model(**inputs(pass_)).logits[0].softmax(-1)[0].detach())
    assert pass_.header["output"] == {"blanks": None, "follows": pytest.approx(follows, abs=2e-4), "pairs": True}


@pytest.mark.parametrize(
    ("model", "names", "also"),
    [
        (T.BertForQuestionAnswering(bert_config()), "qa_outputs", "You see the model without it."),
        (
            T.GPT2ForSequenceClassification(gpt2_config(pad_token_id=0)),
            "score",
            "The next token is predicted with",
        ),
    ],
    ids=["BERT", "GPT-2"],
)
def test_a_head_that_is_left_is_named_in_the_terminal_and_on_the_page(model, names, also, tmp_path, capsys):
    folder = tmp_path / "theirs"
    saved(model, folder)
    loaded = app.load_models([str(folder)])["theirs"]
    assert capsys.readouterr().out.endswith(f"; shown without its output head ({names})\n")
    expected = f"also contains {names}, an output layer that cannot be shown here. {also}"
    assert any(expected in said for said in notes(loaded, TEXT))


@torch.no_grad()
def test_scores_that_are_divided_by_layer_are_so_on_every_panel(tmp_path):
    loaded = opened(tmp_path, T.GPT2LMHeadModel(gpt2_config(scale_attn_by_inverse_layer_idx=True)))
    pass_ = run(loaded, TEXT)
    each = pass_.map("self")
    assert pass_.header["maps"][0]["divisors"] == (1.0, 2.0, 3.0)
    root = 2 * math.sqrt(each.q.shape[-1])
    scores = each.q[1, 2] @ each.k[1, 2].T / root
    weights = scores.masked_fill(~each.allowed, -math.inf).softmax(-1)
    torch.testing.assert_close(each.weights[1, 2], weights, atol=1e-5, rtol=0)
    traced = run_program("trace", loaded, TEXT)
    assert (traced["root"], traced["divisor"]) == (pytest.approx(root), 2.0)
    assert float((traced["score"] - traced["most"]).exp() / traced["total"]) == pytest.approx(
        float(weights[5, 3]), abs=2e-5
    )
    actual = run_program("head-map", loaded, TEXT, show="scores")["cells"]
    torch.testing.assert_close(actual, scores.masked_fill(~each.allowed, -math.inf), atol=1e-5, rtol=0)
    assert run_program("pair", loaded, TEXT)["score"] == pytest.approx(float(scores[5, 3]), abs=1e-5)
    assert float(traced["weight"]) == pytest.approx(float(weights[5, 3]), abs=1e-5)
    stages = masking.run_head(loaded.bundle, TEXT, 1, 2, "causal")
    read = len(stages["labels"])
    torch.testing.assert_close(stages["weights"], weights[:read, :read], atol=1e-5, rtol=0)
    mask = stages["scores"].masked_fill(~stages["allowed"], -math.inf)
    torch.testing.assert_close(mask.softmax(-1), stages["weights"], atol=1e-5, rtol=0)


@torch.no_grad()
def test_a_gpt2_on_berts_pieces_is_read_after_cls_up_to_what_fits(tmp_path):
    model = T.GPT2LMHeadModel(gpt2_config(vocab_size=120))
    saved(model, tmp_path)
    (tmp_path / "tokenizer.json").write_text(PIECES.to_dict()["definition"], encoding="utf-8")
    loaded = sources.open_model(str(tmp_path))
    pass_ = run(loaded, TEXTS[0])
    labels = pass_.header["labels"]
    assert (labels[0], len(labels)) == ("[CLS]", 40)
    assert "[SEP]" not in labels
    expected = model(torch.tensor([pass_.header["ids"]]), output_attentions=True)
    torch.testing.assert_close(pass_.map("self").weights, torch.cat(expected.attentions), atol=1e-5, rtol=0)
    torch.testing.assert_close(
        run_program("overview", loaded, TEXTS[0])["weights"], pass_.map("self").weights, atol=1e-5, rtol=0
    )


CHINESE = former.tokens.WordPieceTokenizer.from_vocabulary(
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"北京很大，。", "hello", "play", "##ing"], closed=False
)


def on_pieces(folder: Path) -> tuple[Loaded, Any]:
    """Builds a GPT-2 on Chinese characters and English word pieces, like nearly every Chinese GPT-2."""
    model = saved(T.GPT2LMHeadModel(gpt2_config(vocab_size=CHINESE.num_tokens, bos_token_id=2, eos_token_id=3)), folder)
    (folder / "tokenizer.json").write_text(CHINESE.to_dict()["definition"], encoding="utf-8")
    return sources.open_model(str(folder)), model


def written_frames(loaded: Loaded, **asked: Any) -> list[dict[str, Any]]:
    """Returns the headers of the frames that tab Generate receives."""
    order = stream.read_order(loaded, {"seed": 1, **asked})
    raw = zlib.decompress(b"".join(stream.frames(loaded.fast, loaded.bundle.tokenizer, order)), 31)
    headers = []
    while raw:
        header, cells = struct.unpack_from("<II", raw)
        headers.append(json.loads(raw[8 : 8 + header]))
        raw = raw[8 + header + cells :]
    return headers


@torch.no_grad()
def test_a_gpt2_on_pieces_writes_a_text_with_spaces_between_words_and_none_in_chinese(tmp_path):
    loaded, model = on_pieces(tmp_path)
    ids = CHINESE.encode("北京很大，hello playing 北。")
    given = ids[4:]
    frames = written_frames(loaded, text="北京很", given=given)
    assert [frame["token"] for frame in frames] == [None, *given]
    for at, frame in enumerate(frames):
        expected = model(torch.tensor([ids[: 4 + at]])).logits[0, -1].softmax(-1)
        candidates = {i: prob for i, _, prob, *_ in frame["candidates"]}
        assert candidates == pytest.approx({i: float(expected[i]) for i in candidates}, abs=1e-4)
    labels: list[str] = []
    for frame in frames:
        labels = [*labels[: len(labels) + (frame["token"] is not None) - len(frame["labels"])], *frame["labels"]]
    assert labels == ["[CLS]", *"北京很大，", "␣hello", "␣play", "ing", "␣北", "。"]
    assert bytes.fromhex("".join(frames[-1]["bytes"])).decode() == " playing 北。"
    assert next_token.decode(loaded.bundle.tokenizer, ids) == ("北京很大， hello playing 北。", "")


def test_what_a_model_does_not_see_of_a_text_is_named_in_every_tab_that_reads_one(tmp_path):
    loaded, _ = on_pieces(tmp_path)
    lacks = "The model’s vocabulary lacks “猫”, “cat”: it reads [UNK] instead of them."
    drops = "The tokenizer drops U+200B: the model does not see it."
    for text, expected in (("北京很大。", []), ("猫很大\u200b，猫 cat", [drops, lacks])):
        assert notes(loaded, text) == expected
        for frame in written_frames(loaded, text=text, length=2):
            assert [in_words(each) for each in frame["remarks"]] == expected
        view = {"model": loaded.name, "text": text, "mask": "causal", "size": 1}
        answer = mask_panels.describe_head({loaded.name: loaded}, view)
        assert [in_words(each) for each in answer["remarks"]] == expected


def test_what_the_tokenizer_drops_and_what_the_model_has_no_vector_for_is_named(tmp_path):
    loaded = opened(tmp_path, T.BertForMaskedLM(bert_config(vocab_size=PIECES.num_tokens)))
    assert notes(loaded, "the cats") == []
    expected = ["The tokenizer drops U+200B, \ufffd: the model does not see them."]
    assert notes(loaded, "the\u200b cats\ufffd") == expected
    views = {"filled": {"text": "the\u200b cats\ufffd"}, "judged": {"first": "the\u200b", "second": "cats\ufffd"}}
    for name, view in views.items():
        answer = bert.SECTION.questions[name].answer({loaded.name: loaded}, view)
        assert [in_words(each) for each in answer["remarks"]] == expected
    saved(T.GPT2LMHeadModel(gpt2_config()), tmp_path / "gpt2")
    definition = json.loads(BPE.to_dict()["definition"])
    definition["added_tokens"].append({**definition["added_tokens"][0], "id": 300, "content": "<speaker>"})
    (tmp_path / "gpt2" / "tokenizer.json").write_text(json.dumps(definition), encoding="utf-8")
    loaded = sources.open_model(str(tmp_path / "gpt2"))
    assert notes(loaded, "the cats") == []
    assert "no vector for “<speaker>”" in notes(loaded, "the <speaker>")[0]
