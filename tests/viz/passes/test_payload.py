"""The packed pass: exact within its stated error, small, and identified by a key of its content."""

import gzip
import io
import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch

import former
from former import masks
from viz.passes import payload
from viz.passes.loaded import Loaded
from viz.passes.maps import Map
from viz.passes.run import SECRET, Pass, digest, key_of, run


def decode(body: bytes) -> tuple[dict, list[np.ndarray]]:
    """Decodes the format stated in viz/passes/payload.py as the browser does: the header, and the weights of each map,
    (layers, h, t_query, t_key)."""
    body = gzip.decompress(body)
    assert body[:4] == b"FMR4"
    end = len(body) - 4 - int.from_bytes(body[-4:], "little")
    header, at = json.loads(body[end:-4]), 4
    sizes = [(each["layers"], each["heads"], len(each["queries"]), len(each["keys"])) for each in header["maps"]]
    cell, made = at + 4 * sum(layers * heads for layers, heads, *_ in sizes), []
    for each, (layers, heads, down, across) in zip(header["maps"], sizes, strict=True):
        scales = np.frombuffer(body, "<f4", layers * heads, at).reshape(layers, heads, 1)
        count = layers * heads * sum(each["lengths"])
        levels = np.frombuffer(body, np.uint8, count, cell).reshape(layers, heads, -1)
        at, cell = at + 4 * layers * heads, cell + count
        weights = np.zeros((layers, heads, down, across))
        sent = [(query, key) for query in range(down) for key in range(each["lengths"][query])]
        for i, (query, key) in enumerate(sent):
            weights[:, :, query, key] = (scales * (levels / 255.0) ** 2)[..., i]
        made.append(weights)
    assert cell == end, "nothing is left over"
    return header, made


def assert_within(weights: np.ndarray, true: np.ndarray) -> None:
    scale = true.max(axis=(-2, -1), keepdims=True)
    # √(w/s) is half a step of 255 off at most, so w by less than s/255, and near 0 by far less.
    assert (np.abs(weights - true) <= scale / 255 + 1e-7).all()
    assert (np.abs(weights - true) <= np.sqrt(true * scale) / 255 + scale / 255**2).all(), "small weights stay apart"


@pytest.mark.parametrize(("name", "text"), [("small-generator", "héllo, wörld ✓"), ("small-classifier", "a good film")])
def test_the_packed_pass_decodes_to_the_weights_within_the_stated_step(models, name, text):
    pass_ = run(models[name], text)
    header, (weights,) = decode(payload.pack(pass_))
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
    header, decoded = decode(payload.pack(result))
    assert [each["name"] for each in header["maps"]] == ["encoder", "decoder", "cross"]
    assert ("".join(header["maps"][2]["queries"]), "".join(header["maps"][2]["keys"])) == (target, source)
    assert header["maps"][1]["lengths"] == list(range(1, len(target) + 1)), "up to the last key that is seen"
    for each, weights in zip(maps, decoded, strict=True):
        assert_within(weights, each.weights.numpy())
    cross = np.frombuffer(payload.pack_head(result.map("cross"), 1, 2), "<f4")
    assert (cross[-9 * 8 :].reshape(9, 8) == maps[2].weights[1, 2].numpy()).all()


def test_one_head_is_exact(generator):
    pass_ = run(generator, "The cat sat.")
    t, s = 12, generator.bundle.config.head_size
    values = np.frombuffer(payload.pack_head(pass_.map("self"), 2, 3), "<f4")
    own = pass_.map("self")
    for part, point in zip(values[: 4 * t * s].reshape(4, t, s), (own.q, own.k, own.v, own.out), strict=True):
        assert (part == point[2, 3].numpy()).all()
    weights = own.weights[2, 3].numpy()
    assert (values[4 * t * s :] == weights[np.tri(t, dtype=bool)]).all()
    np.testing.assert_allclose(own.out[2, 3].numpy(), weights @ own.v[2, 3].numpy(), atol=1e-5)
    for layer, head in ((3, 0), (0, 4), (-1, 0)):
        with pytest.raises(IndexError, match="layer and head"):
            payload.pack_head(pass_.map("self"), layer, head)


def test_a_layer_s_mean_and_its_rollout_are_exact(generator):
    each = run(generator, "The cat sat.").map("self")
    mask = np.tri(12, dtype=bool)
    mixed = [(each.weights[layer].double().mean(0) + torch.eye(12)) / 2 for layer in range(3)]
    packed = payload.pack_mean(each, 1, generator.bundle.tokenizer)
    mean = np.frombuffer(packed, "<f4", mask.sum())
    np.testing.assert_allclose(mean, each.weights[1].double().mean(0).numpy()[mask], atol=1e-7)
    assert json.loads(packed[mean.nbytes :]) == each.describe_view(each.weights[1].mean(0), generator.bundle.tokenizer)
    rollout = np.frombuffer(payload.pack_rollout(each, 1), "<f4", mask.sum())
    np.testing.assert_allclose(rollout, (mixed[1] @ mixed[0]).numpy()[mask], atol=1e-6)
    for pack in (payload.pack_mean, payload.pack_rollout):
        with pytest.raises(LookupError, match="layer"):
            pack(each, 3)
    cross = random_map("cross", "abc", "de", torch.ones(3, 2, dtype=torch.bool))
    with pytest.raises(LookupError, match="queries that are the keys"):
        payload.pack_rollout(cross, 0)


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
    assert len(payload.pack(pass_)) <= 1_100_000


@pytest.mark.parametrize("change", [lambda packed: packed, lambda packed: packed[:-9], lambda _: b"", gzip.decompress])
def test_the_key_is_read_from_a_packed_pass_and_from_nothing_else(generator, change):
    pass_ = run(generator, "a")
    packed = payload.pack(pass_)
    assert payload.key_in(change(packed)) == (pass_.key if change(packed) == packed else None)


def test_a_key_cannot_be_told_from_what_went_in(generator):
    code = "from viz.passes.run import digest, SECRET; print(SECRET.hex(), digest('a', secret=SECRET))"
    started = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()
    here = [SECRET.hex(), digest("a", secret=SECRET)]
    assert not set(started) & set(here), "each start of the server has keys of its own"
    assert key_of(generator, "a") != digest(generator.fingerprint, generator.name, "a", [])


def test_a_key_names_everything_that_goes_in_and_nothing_else(generator, classifier):
    off = {"layer": 0, "head": 1, "do": "scale", "factor": 0.0}
    keys = [
        key_of(generator, "a"),
        key_of(generator, "b"),
        key_of(classifier, "a"),
        key_of(Loaded(generator.name, generator.bundle, "other weights"), "a"),
        key_of(generator, "a", [off]),
        key_of(generator, "a", [off | {"factor": 2.0}]),
        key_of(generator, "a", [off, off]),
    ]
    assert len(set(keys)) == len(keys)
    assert key_of(generator, "a", [off]) == key_of(generator, "a", [dict(reversed(off.items()))])
    assert run(generator, "a", [off]).key == keys[4]
    assert payload.pack(run(generator, "a")) == payload.pack(run(generator, "a")), "the same key is the same bytes"
