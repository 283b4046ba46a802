"""A user's own models: accepted sources, refusals before the start, and a real model's pass equal to that of
`transformers`."""

import gzip
import json
import math
from typing import Any

import numpy as np
import pytest
import torch
import transformers

import former
from former.tokens import BpeTokenizer
from tests.their_models import BPE, neox_config
from tests.viz.passes.answered import pack, run
from viz import app
from viz.panels.writer import program
from viz.passes import loaded as served
from viz.passes import maps, snapshots, sources
from viz.passes.snapshots import WithSnapshots
from viz.passes.store import PassStore
from viz.tabs import explore
from viz.tabs.explore.answer import answer
from viz.tabs.explore.corpus.forming import courses
from viz.text import in_words

TEXT = "The cats sat on the mat, and one of the cats was theirs."
SHAPE: dict[str, Any] = {"n_embd": 48, "n_head": 4, "n_layer": 3, "n_positions": 300}


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory):
    """Saves a GPT-2 of `transformers` with random weights."""
    torch.manual_seed(0)
    tokenizer = BpeTokenizer.train([TEXT * 3], 280)
    folder = tmp_path_factory.mktemp("own") / "small-gpt2"
    config = transformers.GPT2Config(vocab_size=280, initializer_range=0.3, **SHAPE)
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    (folder / "tokenizer.json").write_text(tokenizer.to_dict()["definition"], encoding="utf-8")
    return folder


def theirs(folder, ids):
    model = transformers.GPT2LMHeadModel.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        return model(torch.tensor([ids]), output_attentions=True)


def test_the_app_takes_a_folder_in_hugging_faces_format_and_shows_the_maps_of_transformers(gpt2, capsys):
    loaded = app.load_models([str(gpt2)])["small-gpt2"]
    assert "small-gpt2: 0.1 million parameters" in capsys.readouterr().out
    pass_ = run(loaded, TEXT)
    expected = theirs(gpt2, pass_.header["ids"])
    torch.testing.assert_close(pass_.map("self").weights, torch.cat(expected.attentions), atol=1e-5, rtol=0)
    probs = expected.logits[0, -1].softmax(-1)
    for said in pass_.header["output"]["next"]:
        assert said["prob"] == pytest.approx(float(probs[said["id"]]), abs=2e-5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scaled": False}, "holds a model without the scaling of scores"),
        ({"positions": "relative"}, "holds a Generator whose positions add to its scores"),
    ],
)
def test_a_model_whose_scores_are_not_q_k_over_the_root_is_refused(changes, message, tmp_path):
    model = former.Generator(former.ModelConfig(emb=16, heads=2, depth=1, seq_length=16, **changes))
    former.save(former.Bundle(model, former.tokens.ByteTokenizer(), model.config), tmp_path)
    with pytest.raises(sources.NotShown, match=message):
        sources.open_model(str(tmp_path))


def test_the_python_of_a_panel_loads_the_model_by_its_place(gpt2):
    loaded = sources.open_model(str(gpt2))
    view = {
        "model": loaded.name,
        "text": TEXT,
        "layer": 1,
        "head": 2,
        "query": 3,
        "key": 1,
        "of": "head",
        "scale": "linear",
    }
    space: dict = {}
    (panel,) = (each for each in explore.TAB.panels if each.name == "head-map")
    exec(program(panel, {loaded.name: loaded}, view), space)
    own = run(loaded, TEXT).map("self").weights
    torch.testing.assert_close(space["shown"]["cells"], own[1, 2], atol=1e-5, rtol=0)


def test_a_name_that_is_taken_leaves_the_place(gpt2):
    assert sources.open_model(str(gpt2), ["small-gpt2"]).name == str(gpt2)


def test_an_id_is_fetched_only_when_it_is_named(gpt2, monkeypatch, tmp_path):
    fetched = []
    monkeypatch.setattr(sources, "fetch", lambda name, _: fetched.append(name) or gpt2)
    former.save(former.load("tiny-generator"), tmp_path / "mine")
    assert sources.open_model(str(tmp_path / "mine")).name == "mine"
    assert fetched == []
    loaded = sources.open_model("someone/distilgpt2")
    assert fetched == ["someone/distilgpt2"]
    assert (loaded.name, loaded.source, loaded.theirs) == ("distilgpt2", "someone/distilgpt2", True)


def test_what_is_too_large_for_the_memory_is_refused_in_a_line_before_its_weights_are_read(gpt2, monkeypatch):
    monkeypatch.setattr(sources, "free_memory", lambda: 1_000_000)
    monkeypatch.setattr(former.pretrained, "load", lambda _: pytest.fail("it was read"))
    with pytest.raises(
        former.CheckpointError, match=r"0 million parameters, which take 0\.0 GB of memory here; 0\.0 GB"
    ) as said:
        sources.open_model(str(gpt2))
    assert "\n" not in str(said.value)


def test_the_parameters_are_counted_from_the_heads_of_the_files(gpt2):
    model = transformers.GPT2LMHeadModel.from_pretrained(gpt2)
    assert sum(math.prod(shape) for shape in sources.shapes(gpt2)) == sum(part.numel() for part in model.parameters())


@pytest.mark.parametrize("place", ["nowhere", "/nowhere/at/all", "."])
def test_a_place_without_a_model_is_refused_in_a_line(place):
    with pytest.raises(former.CheckpointError, match="no model") as said:
        sources.open_model(place)
    assert "\n" not in str(said.value)


def test_a_model_whose_maps_would_be_too_many_shows_fewer_tokens_and_says_so(gpt2, monkeypatch):
    monkeypatch.setattr(served, "CELLS", 12 * 20 * 20)
    loaded = sources.open_model(str(gpt2))
    assert sources.summary(loaded).endswith("shows 20 of its 300 tokens at once")
    passes = PassStore({loaded.name: loaded})
    text = answer({loaded.name: loaded}, passes, {"model": loaded.name, "text": TEXT * 5})
    made, _ = passes.get(text["key"])  # pyright: ignore[reportGeneralTypeIssues]
    assert made.header["tokens"] == 20
    assert f"shows 20 tokens at once. Your text has {made.header['total']}" in in_words(text["notes"][0])


@pytest.mark.parametrize("odd", [0, 1])
def test_a_large_map_is_sent_at_half_its_size_each_cell_the_largest_of_four(gpt2, odd, monkeypatch):
    loaded = sources.open_model(str(gpt2))
    tokenizer = loaded.bundle.tokenizer
    text = tokenizer.decode(tokenizer.encode(TEXT)[: 12 + odd])
    plain = len(pack(run(loaded, text)))
    monkeypatch.setattr(maps, "WHOLE_CELLS", 10)
    pass_ = run(loaded, text)
    body = pack(pass_)
    assert len(body) < plain
    header, scales, levels = unpacked(body)
    assert header["maps"][0]["pooled"] == 2
    weights, t = pass_.map("self").weights.numpy(), pass_.header["tokens"]
    half = math.ceil(t / 2)
    assert levels.shape[-1] == half * (half + 1) // 2, "a causal mask leaves half of the cells"
    cell = 0
    for query in range(half):
        for key in range(query + 1):
            four = weights[..., 2 * query : 2 * query + 2, 2 * key : 2 * key + 2].max((-1, -2))
            sent = scales * (levels[..., cell] / 255) ** 2
            assert (abs(sent - four) <= scales / 255 + 1e-7).all()
            cell += 1


def unpacked(body):
    """Returns the header, the scales and the cells (layers, h, ·) of a pass with one map."""
    body = gzip.decompress(body)
    end = len(body) - 4 - int.from_bytes(body[-4:], "little")
    header = json.loads(body[end:-4])
    layers, heads = (header["maps"][0][name] for name in ("layers", "heads"))
    scales = np.frombuffer(body, "<f4", layers * heads, 4).reshape(layers, heads)
    levels = np.frombuffer(body[4 + 4 * layers * heads : end], np.uint8).reshape(layers, heads, -1)
    return header, scales, levels


@pytest.fixture(scope="module")
def pythia(tmp_path_factory):
    """Saves a small GPT-NeoX with other random weights for each of three steps of a training."""
    folder = tmp_path_factory.mktemp("own") / "small-pythia"
    for seed, step in enumerate(("step0", "step512", "step1000")):
        torch.manual_seed(seed)
        transformers.GPTNeoXForCausalLM(neox_config(initializer_range=0.3)).save_pretrained(folder / step)
        (folder / step / "tokenizer.json").write_text(BPE.to_dict()["definition"], encoding="utf-8")
    return folder


@torch.no_grad()
def test_the_revisions_of_a_training_are_snapshots_with_the_maps_of_transformers(pythia):
    loaded = app.load_models([str(pythia)], ["step1000", "step0", "step512"])["small-pythia"]
    models = WithSnapshots({loaded.name: loaded})
    assert courses(models) == {"small-pythia": [0, 512, 1000]}
    for name, step in (("small-pythia", 1000), ("small-pythia/step-000512", 512), ("small-pythia/step-001000", 1000)):
        pass_ = run(models[name], "The cats sat on the mat")
        model = transformers.GPTNeoXForCausalLM.from_pretrained(pythia / f"step{step}", attn_implementation="eager")
        expected = model.eval()(torch.tensor([pass_.header["ids"]]), output_attentions=True)
        torch.testing.assert_close(pass_.map("self").weights, torch.cat(expected.attentions), atol=1e-5, rtol=0)
    assert models["small-pythia/step-000000"].fingerprint != models["small-pythia/step-000512"].fingerprint
    assert models["small-pythia/step-000512"].source == str(pythia / "step512")


def test_each_revision_of_a_repository_is_downloaded(pythia, monkeypatch):
    fetched = []
    monkeypatch.setattr(
        sources, "fetch", lambda name, _, revision: fetched.append((name, revision)) or pythia / revision
    )
    loaded = sources.open_revisions("someone/small-pythia", ["step0", "step512"])
    assert fetched == [("someone/small-pythia", "step0"), ("someone/small-pythia", "step512")]
    assert (loaded.name, snapshots.steps(loaded)) == ("small-pythia", [0, 512])
    assert sources.is_elsewhere("someone/small-pythia", ["step0"])


@pytest.mark.parametrize(
    ("revisions", "message"), [(["main"], "must end with the number of its step"), (["step7"], "no model")]
)
def test_a_revision_without_a_step_or_a_model_is_refused_in_a_line(revisions, message, pythia):
    with pytest.raises(former.CheckpointError, match=message) as said:
        sources.open_revisions(str(pythia), revisions)
    assert "\n" not in str(said.value)
