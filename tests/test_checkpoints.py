"""Saving and loading: exact and sharded; a damaged file is refused."""

import hashlib
import json
import pickle
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import former
from former import checkpoints, cpu, tokens

CONFIG = former.ModelConfig(num_tokens=256, emb=16, heads=4, depth=2, seq_length=16, norm="pre")


@pytest.fixture
def bundle():
    torch.manual_seed(0)
    return former.Bundle(former.Generator(CONFIG).eval(), former.tokens.ByteTokenizer(), CONFIG, {"seed": 0})


@pytest.fixture
def folder(bundle, tmp_path):
    former.save(bundle, tmp_path / "model")
    return tmp_path / "model"


def test_a_card_that_is_not_json_is_refused_and_leaves_the_saved_model(bundle, folder):
    with pytest.raises(ValueError, match=r"card must hold plain JSON values only, got others: .* type Tensor"):
        former.save(replace(bundle, card={"loss": torch.ones(1)}), folder)
    assert former.load(folder).card["seed"] == 0


@pytest.mark.parametrize(("dtype", "torch_dtype"), [("f16", torch.float16), ("bf16", torch.bfloat16)])
def test_loading_gives_exactly_the_rounded_weights(bundle, tmp_path, dtype, torch_dtype):
    former.save(bundle, tmp_path, dtype)
    loaded = former.load(tmp_path)
    state = loaded.model.state_dict()
    assert state.keys() == bundle.model.state_dict().keys()
    for name, tensor in bundle.model.state_dict().items():
        assert torch.equal(state[name], tensor.to(torch_dtype).float())
    assert load_file(tmp_path / "model.safetensors")["toprobs.weight"].dtype == torch_dtype
    assert loaded.config == bundle.model.config == replace(CONFIG, mask="causal")
    assert loaded.card["seed"] == 0
    assert not loaded.model.training
    former.save(loaded, tmp_path / "again", dtype)
    reloaded = former.load(tmp_path / "again").model.state_dict()
    assert all(torch.equal(reloaded[name], state[name]) for name in state)


def test_8_bits_round_each_row_of_a_matrix_to_multiples_of_a_scale(bundle, tmp_path):
    former.save(bundle, tmp_path, "int8")
    state = former.load(tmp_path).model.state_dict()
    for name, tensor in bundle.model.state_dict().items():
        if tensor.dim() < 2:
            assert torch.equal(state[name], tensor.half().float())
            continue
        for row, ours in zip(tensor, state[name], strict=True):
            scale = row.abs().max() / 127
            # Half a step away at most, and 2⁻²⁰ of the largest entry for the product's own rounding.
            assert (row - ours).abs().max() <= scale * (0.5 + 127 * 2**-20)
            steps = ours / scale
            torch.testing.assert_close(steps, steps.round(), atol=1e-4, rtol=0)
    assert load_file(tmp_path / "model.safetensors")["toprobs.weight"].dtype == torch.int8
    former.save(former.load(tmp_path), tmp_path / "again", "int8")
    again = former.load(tmp_path / "again").model.state_dict()
    # The scale of a row is computed anew from its largest entry, 127 · scale, which is rounded to float32.
    assert all(torch.allclose(again[name], state[name], rtol=1e-6, atol=0) for name in state)


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
@pytest.mark.parametrize("dtype", ["f16", "int8"])
def test_weights_that_are_not_finite_are_refused_in_every_dtype(bundle, tmp_path, dtype, value):
    bundle.model.toprobs.weight.data[0, 0] = value
    with pytest.raises(ValueError, match=f"finite numbers within the range of {dtype}, got others in toprobs.weight"):
        former.save(bundle, tmp_path, dtype)


def test_8_bit_weights_without_their_scales_are_refused(bundle, tmp_path):
    former.save(bundle, tmp_path, "int8")
    path = tmp_path / "model.safetensors"
    save_file({name: tensor for name, tensor in load_file(path).items() if name != "toprobs.weight.scale"}, path)
    edit_card(tmp_path, files=facts_of(path))
    with pytest.raises(former.CheckpointError, match=r"hold nothing as 'toprobs.weight.scale', the card implies torch"):
        former.load(tmp_path)


def test_a_classifier_comes_back_with_its_words(tmp_path):
    words = former.tokens.WordTokenizer.build(["a fine film"], 10)
    config = former.ModelConfig(
        num_tokens=5, emb=8, heads=2, depth=1, seq_length=8, pad_token=0, positions="sinusoidal"
    )
    model = former.Classifier(config).eval()
    former.save(former.Bundle(model, words, config), tmp_path)
    loaded = former.load(str(tmp_path))
    tokens = torch.tensor([loaded.tokenizer.encode("a fine, fine film")])
    torch.testing.assert_close(loaded.model(tokens), model(tokens), atol=1e-2, rtol=0)  # f16 rounding
    assert loaded.tokenizer.to_dict() == words.to_dict()


@pytest.fixture
def pieces(tmp_path):
    """Saves a model with a tokenizer of word pieces."""
    tokenizer = former.tokens.BpeTokenizer.train(["a text of words, and of the same words"], 280)
    config = former.ModelConfig(num_tokens=tokenizer.num_tokens + 3, emb=8, heads=2, depth=1, seq_length=8)
    tokenizer = former.tokens.BpeTokenizer(tokenizer.to_dict()["definition"], config.num_tokens)
    former.save(former.Bundle(former.Generator(config).eval(), tokenizer, config), tmp_path / "pieces")
    return tmp_path / "pieces", tokenizer


def test_a_long_tokenizer_stands_beside_the_card(pieces):
    folder, tokenizer = pieces
    card = json.loads((folder / "card.json").read_text())
    assert card["tokenizer"] == {"kind": "bpe", "num_tokens": tokenizer.num_tokens, "file": "tokenizer.json"}
    assert former.load(folder).tokenizer.to_dict() == tokenizer.to_dict()


def test_a_tokenizer_that_is_missing_or_altered_is_refused(pieces):
    folder, _ = pieces
    path = folder / "tokenizer.json"
    path.write_text(path.read_text().replace("<|endoftext|>", "<|end-of-text|>"))
    with pytest.raises(former.CheckpointError, match=r"tokenizer.json does not have the card's checksum"):
        former.load(folder)
    path.unlink()
    with pytest.raises(former.CheckpointError, match=r"tokenizer.json is missing; the card lists it"):
        former.load(folder)
    path.write_bytes(b"{}")
    files = json.loads((folder / "card.json").read_text())["files"]
    edit_card(folder, files=files | facts_of(path))
    with pytest.raises(former.CheckpointError, match=r"is not a valid model card: .*text of a tokenizer.json"):
        former.load(folder)


def test_a_tokenizer_of_another_kind_leaves_no_file_of_the_one_before(pieces, bundle):
    folder, _ = pieces
    former.save(bundle, folder)
    assert not (folder / "tokenizer.json").exists()
    former.load(folder)


@pytest.mark.parametrize("version", [None, 1, 7])
def test_a_card_of_a_version_that_is_not_known_here_is_refused(folder, version):
    edit_card(folder, version=version)
    with pytest.raises(former.CheckpointError, match=f"version must be a whole number from 2 to 6, got {version}"):
        former.load(folder)


def test_saving_over_a_model_removes_its_files_and_no_others(bundle, tmp_path, monkeypatch):
    monkeypatch.setattr("former.checkpoints.files.SHARD_BYTES", 6_000)
    former.save(bundle, tmp_path)
    foreign = [tmp_path / "model_of_mine.safetensors", tmp_path / "model-of-another-tool.safetensors"]
    for path in foreign:
        path.write_bytes(b"not ours")
    monkeypatch.undo()
    former.save(bundle, tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"card.json", "model.safetensors", *(path.name for path in foreign)}


def test_a_bundle_prints_what_it_holds_in_one_line(bundle):
    text = repr(replace(bundle, card={"name": "mine"}))
    parameters = sum(parameter.numel() for parameter in bundle.model.parameters())
    assert text.startswith(f"<Bundle 'mine': Generator of {parameters:,} parameters, ModelConfig(emb=16, heads=4")
    assert "tensor" not in text


def test_weights_above_a_shards_size_are_cut_in_the_standard_form(bundle, tmp_path, monkeypatch):
    monkeypatch.setattr("former.checkpoints.files.SHARD_BYTES", 6_000)
    former.save(bundle, tmp_path)
    files = sorted(path.name for path in tmp_path.glob("*.safetensors"))
    assert len(files) > 2
    assert files[0] == f"model-00001-of-{len(files):05}.safetensors"
    largest = max(tensor.nbytes // 2 for tensor in bundle.model.state_dict().values())  # f16
    assert all((tmp_path / file).stat().st_size < max(6_000, largest) + 2_000 for file in files)  # 2 kB of header
    index = json.loads((tmp_path / "model.safetensors.index.json").read_text())
    assert index["weight_map"].keys() == bundle.model.state_dict().keys()
    assert all(name in load_file(tmp_path / file) for name, file in index["weight_map"].items())
    former.load(tmp_path)
    monkeypatch.undo()
    former.save(bundle, tmp_path)  # and no shard of before is left
    assert [path.name for path in tmp_path.glob("*.safetensors")] == ["model.safetensors"]


def test_a_truncated_file_is_refused_by_name(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(
        former.CheckpointError,
        match=r"model\.safetensors does not have the card's checksum.* \(\d+ bytes, the card says \d+\)",
    ):
        former.load(folder)


def test_an_altered_file_is_refused_by_name(folder):
    path = folder / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(former.CheckpointError, match=r"model\.safetensors does not have the card's checksum"):
        former.load(folder)


def test_a_missing_file_is_refused_by_name(folder):
    (folder / "model.safetensors").unlink()
    with pytest.raises(former.CheckpointError, match=r"model\.safetensors is missing"):
        former.load(folder)


def edit_card(folder, **changes):
    card = json.loads((folder / "card.json").read_text())
    card.update(changes)
    (folder / "card.json").write_text(json.dumps(card))


def facts_of(path):
    return {path.name: {"bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}}


def test_weights_that_do_not_match_the_config_are_refused_by_tensor(folder):
    edit_card(folder, config={**CONFIG.to_dict(), "seq_length": 17})
    with pytest.raises(
        former.CheckpointError, match=r"hold .*\(16, 16\) as '.*positions\.embedding\.weight'.*implies .*\(17, 16\)"
    ):
        former.load(folder)
    edit_card(folder, config={**CONFIG.to_dict(), "depth": 3})
    with pytest.raises(former.CheckpointError, match=r"hold nothing as 'transformer\.blocks\.2\."):
        former.load(folder)
    edit_card(folder, config={**CONFIG.to_dict(), "depth": 10**9})  # more than one could wait for
    with pytest.raises(former.CheckpointError, match="fewer than its depth"):
        former.load(folder)
    edit_card(folder, config={**CONFIG.to_dict(), "depth": 1})
    with pytest.raises(former.CheckpointError, match=r"as 'transformer\.blocks\.1\..*the card implies nothing"):
        former.load(folder)


WITHOUT_POOLER = former.BertConfig(num_tokens=256, pooler=False, sentence_head=False)


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "Oracle"},
        {"kind": "BertClassifier", "version": 3, "config": WITHOUT_POOLER.to_dict()},
        {"config": {**CONFIG.to_dict(), "wings": 2}},
        {"config": {**CONFIG.to_dict(), "emb": "16"}},
        *(
            {"config": {key: value for key, value in CONFIG.to_dict().items() if key != field}}
            for field in CONFIG.to_dict()
        ),
        {"dtype": "f32"},
        {"dtype": None},
        {"tokenizer": {"kind": "words", "words": ["a"]}},
        {"tokenizer": {"kind": "words", "words": ["<pad>", "<unk>", "a"]}},
        {"config": {**CONFIG.to_dict(), "seq_length": 10**18}},
        {"config": {**CONFIG.to_dict(), "seq_length": 10**30}},
        {"files": 3},
        {"files": {"model.safetensors": "abc"}},
        {"files": {"model.safetensors": None}},
        {"files": [[1, {}]]},
    ],
)
def test_a_card_that_describes_no_model_is_refused_by_name(folder, changes):
    edit_card(folder, **changes)
    with pytest.raises(former.CheckpointError, match=r"card\.json is not a valid model card") as refusal:
        former.load(folder)
    assert "\n" not in str(refusal.value)
    assert "frame #" not in str(refusal.value)  # of torch's own code


@pytest.mark.parametrize("text", ['{"kind": ', "[" * 100_000], ids=["cut short", "without end"])
def test_a_card_that_is_no_json_is_refused_by_name(folder, text):
    (folder / "card.json").write_text(text)
    with pytest.raises(former.CheckpointError, match=r"card\.json is not a valid model card"):
        former.load(folder)


def test_a_card_cannot_name_a_file_elsewhere(folder):
    edit_card(folder, files={"../model.safetensors": {}})
    with pytest.raises(former.CheckpointError, match=r"must be plain file names, got '\.\./model\.safetensors'"):
        former.load(folder)


def test_a_pickle_in_the_place_of_weights_is_refused_and_never_run(folder, tmp_path):
    class Bomb:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    path = folder / "model.safetensors"
    path.write_bytes(pickle.dumps(Bomb()))
    edit_card(folder, files=facts_of(path))
    with pytest.raises(former.CheckpointError, match="is not a safetensors file"):
        former.load(folder)
    assert not (tmp_path / "ran").exists()


def test_a_tensor_no_config_has_is_refused(folder):
    path = folder / "model.safetensors"
    save_file({**load_file(path), "extra": torch.zeros(1)}, path)
    edit_card(folder, files=facts_of(path))
    with pytest.raises(former.CheckpointError, match=r"float32 \(1,\) as 'extra', the card implies nothing"):
        former.load(folder)


@pytest.mark.parametrize("name", former.available())
def test_every_shipped_card_names_every_field_of_its_config(name):
    card = json.loads((checkpoints.CHECKPOINTS / name / "card.json").read_text(encoding="utf-8"))
    known = {each.name: each.metadata.get("since", 0) for each in fields(checkpoints.MODEL_KINDS[card["kind"]][1])}
    assert {name for name, since in known.items() if since <= card["version"]} <= card["config"].keys() <= set(known)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda bias: bias.float(),
            r"hold torch\.float32 \(256,\) as 'toprobs\.bias', the card implies torch\.float16",
        ),
        (
            lambda bias: bias.bfloat16(),
            r"hold torch\.bfloat16 \(256,\) as 'toprobs\.bias', the card implies torch\.float16",
        ),
        (lambda bias: bias / 0, r"must be finite numbers, got others in 'toprobs\.bias'"),
        (lambda bias: bias * torch.nan, r"must be finite numbers, got others in 'toprobs\.bias'"),
    ],
)
def test_weights_of_another_dtype_or_that_are_not_finite_are_refused_by_tensor(folder, change, message):
    path = folder / "model.safetensors"
    state = load_file(path)
    save_file({**state, "toprobs.bias": change(state["toprobs.bias"])}, path)
    edit_card(folder, files=facts_of(path))
    with pytest.raises(former.CheckpointError, match=r"card\.json " + message):
        former.load(folder)


def test_what_cannot_be_written_exactly_enough_is_refused(bundle, tmp_path):
    with torch.no_grad():
        bundle.model.toprobs.bias[0] = 1e6  # beyond float16
    with pytest.raises(ValueError, match=r"finite numbers within the range of f16.*toprobs\.bias"):
        former.save(bundle, tmp_path)
    former.save(bundle, tmp_path, dtype="bf16")


def test_a_folder_and_a_shipped_model_of_one_name_do_not_hide_each_other(bundle, tmp_path, monkeypatch):
    former.save(bundle, tmp_path / "tiny-generator")
    shipped = checkpoints.CHECKPOINTS / "tiny-generator"
    assert former.load("tiny-generator").config.emb == 64
    monkeypatch.chdir(tmp_path)
    with pytest.raises(former.CheckpointError, match=r"a shipped model and a folder here; use '\./tiny-generator' or"):
        former.load("tiny-generator")
    for own in ("./tiny-generator", tmp_path / "tiny-generator"):
        assert former.load(own).config == bundle.model.config
    assert former.load(shipped).config.emb == 64
    assert former.load("tiny-generator/step-000050").config.emb == 64
    monkeypatch.chdir(checkpoints.CHECKPOINTS)
    assert former.load("tiny-generator").config.emb == 64


@pytest.mark.parametrize("name", ["nonsense", "x" * 5000, "a\0b"])
def test_an_unknown_name_is_refused_with_the_names_there_are(name):
    with pytest.raises(former.CheckpointError, match=r"no model '.*': neither one of \["):
        former.load(name)


def test_a_model_that_cannot_be_written_leaves_the_one_in_the_folder(tmp_path):
    half = np.float32(0.5)
    theirs: Any = {"emb": np.int64(4), "rotary_theta": np.float32(9), "dropout": half, "norm_eps": half}
    config = former.ModelConfig(num_tokens=3, seq_length=4, heads=2, depth=1, **theirs)
    words = tokens.WordTokenizer(["<pad>", "<unk>", "a"])
    former.save(former.Bundle(former.Generator(config), words, config), tmp_path)
    before = former.load(tmp_path)
    read = before.config
    assert (read.emb, read.rotary_theta, read.dropout, read.norm_eps) == (4, 9, 0.5, 0.5), "numpy has numbers too"
    for broken, message in (
        (replace(before, tokenizer=tokens.WordTokenizer(["<pad>", "<unk>", "\ud800"])), "tokenizer must hold"),
        (replace(before, card={"note": "\ud800"}), "card must hold"),
        (replace(before, model=cpu.optimise(before.model)), "bundle must hold one of"),
    ):
        with pytest.raises(ValueError, match=message):
            former.save(broken, tmp_path)
        assert former.load(tmp_path).tokenizer.to_dict() == words.to_dict()


def test_a_card_may_say_anything(tmp_path):
    bundle = former.load("classifier")
    former.save(replace(bundle, card={"note": "%words%"}), tmp_path)
    assert former.load(tmp_path).card["note"] == "%words%"
