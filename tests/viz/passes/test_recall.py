"""A model with a memory and one with a sparse mask: the page's data compared with plain loops."""

import json
import math

import numpy as np
import pytest
import torch

import former
from former.hooks import Capture, Chain
from tests.viz.conftest import spread
from tests.viz.passes.answered import answered, pack, run
from viz.passes import edits as changes
from viz.passes import measures, payload
from viz.passes.loaded import Loaded
from viz.passes.store import PassStore
from viz.tabs.explore.answer import answer
from viz.text import in_words
from viz.text.examples import EXAMPLES

SEGMENT, MEMORY = 10, 8
TEXT = "The cat sat on the mat."  # 23 bytes: the third segment has 3
OFF = {"layer": 1, "head": 2, "do": "scale", "factor": 0.0}
UNIFORM = {"layer": 0, "head": None, "do": "uniform"}


@pytest.fixture(scope="module")
def xl() -> Loaded:
    torch.manual_seed(1)
    config = former.TransformerXLConfig(
        num_tokens=256, emb=24, heads=3, depth=3, seq_length=SEGMENT, memory_length=MEMORY, norm="pre"
    )
    model = spread(former.TransformerXL(config))
    return Loaded("small-xl", former.Bundle(model, former.tokens.ByteTokenizer(), config), "weights")


@pytest.fixture(scope="module")
def sparse() -> Loaded:
    torch.manual_seed(2)
    config = former.ModelConfig(num_tokens=256, emb=24, heads=3, depth=2, seq_length=64, mask="strided", mask_size=5)
    model = spread(former.Generator(config))
    return Loaded("small-sparse", former.Bundle(model, former.tokens.ByteTokenizer(), config), "weights")


def segments(model, text, edits=()):
    """Reads the text with the model alone: the logits of all tokens, and the captured last segment."""
    ids, memory, said, capture = torch.tensor([list(text.encode())]), None, [], None
    for part in ids.split(SEGMENT, 1):
        capture = Capture(("weights", "scores"))
        observer = Chain((*edits, capture))
        logits, memory = model(part, memory, observer=observer)
        said.append(logits)
    return torch.cat(said, 1)[0], capture


def test_the_bytes_of_a_pass_include_its_memory(xl):
    pass_ = run(xl, TEXT)
    _, memory = pass_.run.inputs
    assert pass_.nbytes >= sum(each.nbytes for each in pass_.maps) + memory.untyped_storage().nbytes()


@pytest.mark.parametrize("text", ["The cat.", TEXT, TEXT * 5], ids=["one segment", "three", "many"])
@pytest.mark.parametrize("off", [False, True], ids=["plain", "a head off"])
def test_the_last_segment_is_shown_with_its_memory_as_its_own_columns(xl, text, off):
    pass_ = run(xl, text, [OFF] if off else [])
    observers = [former.edits.ablate_head(1, 2)] if off else []
    logits, capture = segments(xl.bundle.model, text, observers)
    assert capture is not None
    t = (len(text) - 1) % SEGMENT + 1
    memory = min(MEMORY, len(text) - t)
    each = pass_.map("self")
    assert ("".join(each.queries), "".join(each.keys)) == tuple(
        text.replace(" ", "␣")[-count:] for count in (t, t + memory)
    )
    torch.testing.assert_close(each.weights, capture.stack("weights")[:, 0])
    assert each.lengths == [memory + i + 1 for i in range(t)]
    log_probs = logits.log_softmax(-1)
    ids = list(text.encode())
    bits = [-float(log_probs[i - 1, ids[i]]) / math.log(2) if i else None for i in range(len(ids))][-t:]
    assert pass_.header["output"]["bits"] == [None if bit is None else pytest.approx(bit, abs=2e-5) for bit in bits]
    best = pass_.header["output"]["next"][0]
    assert best["prob"] == pytest.approx(float(log_probs[-1].exp().max()), abs=2e-5)
    assert (pass_.header["memory"], pass_.header["total"]) == (memory, len(text))
    described = pass_.header["maps"][0]
    if memory:
        share = each.weights[..., :memory].sum(-1).mean(-1)
        torch.testing.assert_close(torch.tensor(described["memory"]["head"]), share, atol=2e-5, rtol=0)


def test_a_head_s_scores_come_with_it_since_distances_have_a_part_in_them(xl):
    pass_ = run(xl, TEXT)
    each = pass_.map("self")
    values = np.frombuffer(payload.pack_head(each, 2, 1), "<f4")
    cells = sum(each.lengths)
    weights, scores = values[-2 * cells : -cells], values[-cells:]
    at = 0
    for query, length in enumerate(each.lengths):
        row = torch.tensor(scores[at : at + length])
        np.testing.assert_allclose(row.softmax(0), weights[at : at + length], atol=1e-6)
        product = each.q[2, 1, query] @ each.k[2, 1, :length].T / math.sqrt(8)
        assert not torch.allclose(product, row, atol=1e-3), "q·k / √s is not all of it"
        at += length


def test_uniform_is_uniform_over_the_memory_too(xl):
    each = run(xl, TEXT, [UNIFORM]).map("self")
    for query, length in enumerate(each.lengths):
        torch.testing.assert_close(each.weights[0, :, query, :length], torch.full((3, length), 1 / length))


def test_heads_and_depths_of_the_last_segment_are_measured_with_its_memory(xl):
    pass_ = run(xl, TEXT * 2)
    tokens, memory = pass_.run.inputs

    def bits(observer) -> float:
        logits, _ = xl.bundle.model(tokens, memory, observer=observer)
        probs = logits[0, :-1].softmax(-1)
        return float(-probs.gather(1, tokens[0, 1:, None]).log2().mean())

    for row in measures.heads(pass_.run):
        for head, effect in enumerate(row["effects"]):
            removed = bits(former.edits.ablate_head(row["layer"], head))
            assert effect == pytest.approx(removed - bits(None), abs=2e-5)
    read = answered("lens/depths", xl, pass_)
    assert [len(row) for row in read["ids"]] == [pass_.header["tokens"]] * 4
    assert read["probs"][-1][-1][0] == pytest.approx(pass_.header["output"]["next"][0]["prob"], abs=2e-5)


def test_the_page_says_that_the_last_segment_is_shown(xl):
    passes = PassStore({xl.name: xl})
    text = answer({xl.name: xl}, passes, {"model": xl.name, "text": TEXT})["notes"]
    assert "You see the last segment: 3 of 23 bytes. The 8 before it are its memory" in in_words(text[0])
    assert answer({xl.name: xl}, passes, {"model": xl.name, "text": "The cat."})["notes"] == []


def test_the_pairs_that_a_pattern_leaves_out_are_told_of_and_have_no_weight(sparse):
    pass_ = run(sparse, TEXT)
    each = pass_.map("self")
    header = json.loads(json.dumps(pass_.header))
    edges = header["maps"][0]["skipped"]
    for query in range(len(TEXT)):
        left = {
            key for start, end in zip(edges[query][::2], edges[query][1::2], strict=True) for key in range(start, end)
        }
        observed = {key for key in range(query + 1) if query - key < 5 or (query - key) % 5 == 0}
        assert left == set(range(query + 1)) - observed
        assert all(float(each.weights[:, :, query, key].abs().max()) == 0 for key in left)
    assert len(pack(pass_)) < 20_000


@pytest.mark.skipif("sparse" not in former.available(), reason="sparse is not shipped here")
def test_what_the_shipped_sparse_model_opens_with_is_long_enough_to_show_what_it_leaves_out():
    loaded = Loaded("sparse", former.load("sparse"), "weights")
    for text in EXAMPLES[loaded.examples]:
        t = len(text)
        assert loaded.bundle.config.mask_size < t <= loaded.max_tokens
        edges = run(loaded, text).header["maps"][0]["skipped"]
        left = sum(end - start for row in edges for start, end in zip(row[::2], row[1::2], strict=True))
        assert left == t * (t + 1) // 2 - int(former.masks.strided(t, loaded.bundle.config.mask_size).sum())
        assert left > 0.1 * t * (t + 1) // 2


def test_a_model_without_a_pattern_has_none(xl, generator):
    for loaded in (xl, generator):
        assert run(loaded, TEXT).header["maps"][0]["skipped"] is None


@pytest.mark.parametrize("edit", [OFF, UNIFORM])
def test_edits_of_a_link_are_read_for_these_kinds_too(xl, edit):
    assert changes.read([edit], xl.bundle.model) == [edit]
