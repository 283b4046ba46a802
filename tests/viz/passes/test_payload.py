"""The packed pass: exact within its stated error, small, and identified by a key of its content."""

import base64
import gzip
import io
import json
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

import former
from former import masks
from tests.modules import evaluate
from tests.viz.passes.answered import SECRET, pack, run
from viz.passes import payload
from viz.passes.loaded import Loaded
from viz.passes.maps import Map
from viz.passes.run import FORMAT, Pass, digest, key_of
from viz.shared import InMemory
from viz.text import LANGUAGES, message

DECODE = """({ decodePass }, packed) => {
  const { header, maps } = decodePass(Uint8Array.fromBase64(packed).buffer);
  const ofHead = (map, i) => Array.from(map.approximate(Math.floor(i / map.heads), i % map.heads));
  const { byteOffset, byteLength } = maps.at(-1).cells;
  const weights = maps.map((map) => Array.from({ length: map.layers * map.heads }, (_, i) => ofHead(map, i)));
  return [header, weights, byteOffset + byteLength];
}"""
EXACT = """({ decodeExact }, [map, of, packed]) => {
  const parts = Object.entries(decodeExact(map, of, Uint8Array.fromBase64(packed).buffer));
  return Object.fromEntries(parts.map(([name, part]) => [name, name === "described" ? part : Array.from(part)]));
}"""
PASS = "tabs/explore/lib/pass.js"


def decode(packed: bytes) -> tuple[dict, list[np.ndarray]]:
    """Decodes a packed pass by the page's decoder: the header, and the weights of each map, (layers, h, t_query,
    t_key)."""
    body = gzip.decompress(packed)
    header, sent, end = evaluate(PASS, DECODE, base64.b64encode(body).decode())
    assert end == len(body) - 4 - int.from_bytes(body[-4:], "little"), "nothing is left over"
    return header, [scattered(each, cells) for each, cells in zip(header["maps"], sent, strict=True)]


def scattered(described: dict, cells: list) -> np.ndarray:
    """Puts the cells of a map into a matrix (layers, h, t_query, t_key), with 0 where none was sent."""
    sent = np.arange(len(described["keys"])) < np.array(described["lengths"])[:, None]
    weights = np.zeros((described["layers"], described["heads"], *sent.shape))
    weights[..., sent] = np.reshape(cells, (*weights.shape[:2], -1))
    return weights


def decode_exact(each: Map, of: str, packed: bytes) -> dict[str, Any]:
    """Decodes the exact values of a head ("head"), a "mean" or a "rollout" by the page's decoder."""
    described = {**each.describe(), "perHead": sum(each.lengths)}
    decoded = evaluate(PASS, EXACT, [described, of, base64.b64encode(packed).decode()])
    return {name: part if name == "described" else np.array(part) for name, part in decoded.items()}


def assert_within(weights: np.ndarray, true: np.ndarray) -> None:
    scale = true.max(axis=(-2, -1), keepdims=True)
    # √(w/s) is half a step of 255 off at most, so w by less than s/255, and near 0 by far less.
    assert (np.abs(weights - true) <= scale / 255 + 1e-7).all()
    assert (np.abs(weights - true) <= np.sqrt(true * scale) / 255 + scale / 255**2).all(), "small weights stay apart"


@pytest.mark.parametrize(("name", "text"), [("small-generator", "héllo, wörld ✓"), ("small-classifier", "a good film")])
def test_the_packed_pass_decodes_to_the_weights_within_the_stated_step(models, name, text):
    pass_ = run(models[name], text)
    header, (weights,) = decode(pack(pass_))
    assert header == json.loads(json.dumps(pass_.header))
    assert_within(weights, pass_.map("self").weights.numpy())


NO_RUN: Any = None  # nothing is asked of these passes


def random_map(name: str, queries: str, keys: str, mask: torch.Tensor) -> Map:
    torch.manual_seed(len(name))
    scores = torch.randn(2, 3, len(queries), len(keys)) * 2
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    q, k, v = (torch.randn(2, 3, len(labels), 5) for labels in (queries, keys, keys))
    values: Any = {
        "name": name,
        "weights": weights,
        "q": q,
        "k": k,
        "v": v,
        "out": weights @ v,
        "roots": (5**0.5, 5**0.5),
    }
    return Map(list(queries), list(keys), mask, **values)


def test_a_pass_may_have_several_maps_of_any_sizes_each_with_labels_and_a_mask_of_its_own():
    source, target = "the film", "der Film!"
    local = masks.named("local", len(target), 3)
    maps = (
        random_map("encoder", source, source, masks.none(len(source))),
        random_map("decoder", target, target, local),
        random_map("cross", target, source, torch.ones(len(target), len(source), dtype=torch.bool)),
    )
    result = Pass("key", {"text": source, "maps": [each.describe() for each in maps]}, maps, NO_RUN)
    header, decoded = decode(pack(result))
    assert [each["name"] for each in header["maps"]] == ["encoder", "decoder", "cross"]
    assert ("".join(header["maps"][2]["queries"]), "".join(header["maps"][2]["keys"])) == (target, source)
    assert header["maps"][1]["lengths"] == list(range(1, len(target) + 1)), "up to the last key that is seen"
    for each, weights in zip(maps, decoded, strict=True):
        assert_within(weights, each.weights.numpy())
    cross = decode_exact(maps[2], "head", payload.pack_head(maps[2], 1, 2))
    assert (cross["weights"].reshape(9, 8) == maps[2].weights[1, 2].numpy()).all()


def test_one_head_is_exact(generator):
    own = run(generator, "The cat sat.").map("self")
    t, s = 12, generator.bundle.config.head_size
    decoded = decode_exact(own, "head", payload.pack_head(own, 2, 3))
    for name, point in {"q": own.q, "k": own.k, "v": own.v, "out": own.out}.items():
        assert (decoded[name].reshape(t, s) == point[2, 3].numpy()).all()
    weights = own.weights[2, 3].numpy()
    assert (decoded["weights"] == weights[np.tri(t, dtype=bool)]).all()
    np.testing.assert_allclose(own.out[2, 3].numpy(), weights @ own.v[2, 3].numpy(), atol=1e-5)
    for layer, head in ((3, 0), (0, 4), (-1, 0)):
        with pytest.raises(IndexError, match="layer and head"):
            payload.pack_head(own, layer, head)


def test_scores_of_their_own_follow_the_weights_of_a_head():
    own = random_map("self", "abcd", "abcd", masks.causal(4))
    scores = torch.randn_like(own.weights)
    scored = replace(own, own_scores=scores)
    decoded = decode_exact(scored, "head", payload.pack_head(scored, 1, 2))
    for name, exact in {"weights": own.weights, "given": scores}.items():
        assert (decoded[name] == exact[1, 2].numpy()[np.tri(4, dtype=bool)]).all()


@pytest.mark.parametrize("mask", [masks.strided(9, 3), masks.causal(9), masks.none(9)])
def test_of_a_map_of_many_cells_each_four_are_sent_as_their_largest(monkeypatch, mask):
    monkeypatch.setattr("viz.passes.maps.WHOLE_CELLS", 10)
    own = random_map("self", "ninewords", "ninewords", mask)
    header = {"maps": [own.describe()]}
    _, (weights,) = decode(pack(Pass("key", header, (own,), NO_RUN)))
    padded = torch.nn.functional.pad(own.weights.flatten(0, 1), (0, 1, 0, 1))
    four = torch.nn.functional.max_pool2d(padded, 2).repeat_interleave(2, -1).repeat_interleave(2, -2)[:, :9, :9]
    sent = np.arange(9) < np.array(own.lengths)[:, None]
    assert own.pooled == 2
    assert_within(weights, four.view_as(own.weights).numpy() * sent)


MASKS = {
    "strided": masks.strided(9, 4),
    "fixed": masks.fixed(9, 4),
    "local": masks.local(9, 3),
    "all": masks.none(9),
    "padded": masks.none(9) & torch.tensor([1, 1, 0, 1, 1, 1, 1, 0, 0], dtype=torch.bool),
}


@pytest.mark.parametrize("name", MASKS)
def test_the_page_knows_which_pairs_have_no_weight_and_why(name):
    function = """({ decodePass }, packed) => {
      const [map] = decodePass(Uint8Array.fromBase64(packed).buffer).maps;
      const each = (ask) => map.queries.map((_, query) => map.keys.map((_, key) => ask(query, key)));
      const seen = map.queries.map((_, query) => map.keysSeen(query));
      return [map.hides, seen, each((q, k) => map.without(q, k)), each((q, k) => map.hidden(q, k))];
    }"""
    mask = MASKS[name]
    own = random_map("self", "ninewords", "ninewords", mask)
    packed = pack(Pass("key", {"maps": [own.describe()]}, (own,), NO_RUN))
    hides, seen, without, hidden = evaluate(PASS, function, base64.b64encode(gzip.decompress(packed)).decode())
    assert hides == (name != "all")
    assert seen == mask.sum(-1).tolist()
    for row, length, reasons, drawn in zip(mask.tolist(), own.lengths, without, hidden, strict=True):
        for key, (allowed, reason, masked) in enumerate(zip(row, reasons, drawn, strict=True)):
            why = "padding" if name == "padded" else "masked" if key >= length else "skipped"
            assert reason == (None if allowed else why)
            assert masked == (reason in ("padding", "masked"))


def test_a_layer_s_mean_and_its_rollout_are_exact(generator):
    each = run(generator, "The cat sat.").map("self")
    mask = np.tri(12, dtype=bool)
    mixed = [(each.weights[layer].double().mean(0) + torch.eye(12)) / 2 for layer in range(3)]
    mean = decode_exact(each, "mean", payload.pack_mean(each, 1, generator.bundle.tokenizer))
    np.testing.assert_allclose(mean["weights"], each.weights[1].double().mean(0).numpy()[mask], atol=1e-7)
    described = each.describe_view(each.weights[1].mean(0), generator.bundle.tokenizer)
    assert mean["described"] == json.loads(json.dumps(described))
    rollout = decode_exact(each, "rollout", payload.pack_rollout(each, 1))
    np.testing.assert_allclose(rollout["weights"], (mixed[1] @ mixed[0]).numpy()[mask], atol=1e-6)
    for pack_view in (payload.pack_mean, payload.pack_rollout):
        with pytest.raises(LookupError, match="layer"):
            pack_view(each, 3)
    cross = random_map("cross", "abc", "de", torch.ones(3, 2, dtype=torch.bool))
    with pytest.raises(LookupError, match="queries that are the keys"):
        payload.pack_rollout(cross, 0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_s_page_in_place_of_a_pass_is_an_answer_that_did_not_come(language):
    function = """({ decodePass }, page) => {
      try {
        return decodePass(new TextEncoder().encode(page).buffer);
      } catch ({ message, status }) {
        return [message, status];
      }
    }"""
    page = "<!doctype html><title>Please log in</title>"
    assert evaluate(PASS, function, page, language) == [message("offline", language), 0]


def test_the_arrays_hold_the_whole_pass_as_float32(generator):
    pass_ = run(generator, "naïve ☃")
    with np.load(io.BytesIO(payload.pack_arrays(pass_)), allow_pickle=False) as file:
        assert file["weights"].dtype == np.float32
        assert (file["weights"] == pass_.map("self").weights.numpy()).all()
        assert file["ids"].tolist() == list("naïve ☃".encode())
        assert file["labels"].tolist() == pass_.header["labels"]
        assert str(file["text"]) == "naïve ☃"
        assert str(file["model"]) == "small-generator"


def test_a_pass_of_12_layers_8_heads_and_256_tokens_is_at_most_1_1_mb_on_the_wire():
    torch.manual_seed(0)
    config = former.ModelConfig(num_tokens=256, emb=256, heads=8, depth=12, seq_length=256, norm="pre")
    # As it comes, without training: its weights are more even than any trained model's, which is the hard case.
    bundle = former.Bundle(former.Generator(config).eval(), former.tokens.ByteTokenizer(), config)
    text = "In 1879 Albert Einstein was born in Ulm, in the German Empire. " * 5
    pass_ = run(Loaded("large", bundle, "w"), text)
    assert pass_.header["tokens"] == 256
    assert len(pack(pass_)) <= 1_100_000


@pytest.mark.parametrize("change", [lambda packed: packed, lambda packed: packed[:-9], lambda _: b"", gzip.decompress])
def test_the_key_is_read_from_a_packed_pass_and_from_nothing_else(generator, change):
    pass_ = run(generator, "a")
    packed = pack(pass_)
    assert payload.key_in(change(packed)) == (pass_.key if change(packed) == packed else None)


def test_a_key_cannot_be_told_from_what_went_in(generator):
    here, there = (key_of(generator, "a", [], InMemory().secret) for _ in range(2))
    assert here != there, "each start of the server has keys of its own"
    assert here != digest(FORMAT, generator.fingerprint, generator.name, "a", [])


def test_a_key_names_everything_that_goes_in_and_nothing_else(generator, classifier):
    off = {"layer": 0, "head": 1, "do": "scale", "factor": 0.0}
    key = partial(key_of, secret=SECRET)
    keys = [
        key(generator, "a", []),
        key(generator, "b", []),
        key(classifier, "a", []),
        key(Loaded(generator.name, generator.bundle, "other weights"), "a", []),
        key(generator, "a", [off]),
        key(generator, "a", [off | {"factor": 2.0}]),
        key(generator, "a", [off, off]),
    ]
    assert len(set(keys)) == len(keys)
    assert key(generator, "a", [off]) == key(generator, "a", [dict(reversed(off.items()))])
    assert run(generator, "a", [off]).key == keys[4]
    assert pack(run(generator, "a")) == pack(run(generator, "a")), "the same key is the same bytes"
