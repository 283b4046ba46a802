"""Tracing a number: each step equals the file's tensors in plain torch."""

import math
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

import former
from former.analysis.trace import PARTS
from former.checkpoints import CHECKPOINTS
from tests.viz.passes.answered import answered, run
from viz.passes import trace
from viz.passes.loaded import Loaded
from viz.passes.run import Pass
from viz.passes.sources import NotShown, open_model
from viz.text import NothingToShow, Refusal

EDIT = [{"layer": 0, "head": 1, "do": "scale", "factor": -2.0}]


@pytest.fixture(scope="module")
def dates() -> Loaded:
    return Loaded("dates", former.load("dates"), "")


def close(number: float):
    return pytest.approx(number, abs=2e-5)


def traced(loaded: Loaded, made: Pass, *indices: Any) -> dict[str, Any]:
    """Answers the page's question about a number of a pass."""
    names = ("map", "layer", "head", "query", "key", "part", "at")
    return answered("trace/traced", loaded, made, **dict(zip(names, indices, strict=False)))


def holds(loaded: Loaded, made: Pass, name: str, layer: int, head: int, query: int, key: int, part: str, at: int):
    """Checks every step of one trace; returns the trace."""
    result = traced(loaded, made, name, layer, head, query, key, part, at)
    state, each = loaded.bundle.model.state_dict(), made.map(name)
    scores = each.q[layer, head, query] @ each.k[layer, head].T / math.sqrt(each.q.shape[-1])
    weights = scores.masked_fill(~each.allowed[query], -math.inf).softmax(-1)
    assert math.exp(result["score"] - result["most"]) / result["total"] == close(float(weights[key]))
    assert result["weight"] == close(float(each.weights[layer, head, query, key]))
    assert result["product"] / result["root"] == close(result["score"])
    terms = result["terms"]
    row = state[terms["tensor"]][terms["row"], terms["column"] : terms["column"] + len(terms["inputs"])]
    assert terms["weights"] == pytest.approx(row.tolist(), abs=1e-6)
    total = sum(w * x for w, x in zip(terms["weights"], terms["inputs"], strict=True)) + (terms["bias"] or 0)
    assert result[part][at] == close(terms["value"]) == close(total)
    if part == "adds":
        assert terms["inputs"] == result["out"]
        return result
    source = result["input"]
    assert terms["inputs"][source["column"]] == close(source["value"])
    products = [abs(w * x) for w, x in zip(terms["weights"], terms["inputs"], strict=True)]
    assert products[source["column"]] == max(products)
    embedded = source["embedded"]
    begun = source["embedding"] + source["position"]
    if embedded:
        assert begun + embedded["segment"] == close(embedded["whole"])
        entry = embedded["segment_place"]
        assert entry["row"] == made.header.get("segments", [0] * 99)[source["row"]]
        assert embedded["segment"] == close(float(state[entry["tensor"]][entry["row"], source["column"]]))
        norms(embedded, state, source["column"])
        begun = embedded["value"]
    assert begun + sum(source["blocks"]) + (source["attention"] or 0) == close(source["whole"])
    assert source["embedding"] == close(
        float(state[source["embedding_place"]["tensor"]][source["token"], source["column"]])
    )
    entry = source["position_place"]
    assert source["position"] == close(float(state[entry["tensor"]][source["row"], source["column"]]))
    if source["norm"]:
        norms(source, state, source["column"])
    else:
        assert source["value"] == source["whole"]
    return result


def norms(made: dict, state: dict, column: int):
    """Applies the "norm" to a "whole" number, which gives a "value"."""
    norm = made["norm"]
    assert norm["gain"] == close(float(state[norm["tensor"]][column]))
    assert (made["whole"] - norm["mean"]) / norm["deviation"] * norm["gain"] + norm["bias"] == close(made["value"])


@pytest.mark.parametrize("edits", [[], EDIT], ids=["as it is", "edited"])
@pytest.mark.parametrize("layer", [0, 2])
@pytest.mark.parametrize(("part", "at"), [("q", 3), ("k", 0), ("v", 7), ("adds", 30)])
def test_each_step_of_a_generators_number_holds(generator, edits, layer, part, at):
    pass_ = run(generator, "The cat sat", edits)
    result = holds(generator, pass_, "self", layer, 1, 6, 2, part, at)
    tokens = torch.tensor([pass_.header["ids"]])
    observers = [former.edits.scale_head(0, 1, -2.0)] if edits else []
    _, capture = former.run_with_capture(generator.bundle.model, tokens, ["resid_pre"], edits=observers)
    r = capture.get("resid_pre", layer)[0, 2 if part in "kv" else 6]
    if part == "adds":
        assert result["stream"] == close(float(r[30]))
    else:
        assert result["input"]["whole"] == close(float(r[result["input"]["column"]]))
        x = generator.bundle.model.transformer.blocks[layer].norm1(r)
        assert result["terms"]["inputs"] == pytest.approx(x.tolist(), abs=2e-5)


@pytest.mark.parametrize(("part", "at"), [("q", 3), ("k", 0), ("v", 7), ("adds", 30)])
@pytest.mark.parametrize("name", ["cross", "encoder", "decoder"])
def test_each_step_of_an_encoder_decoders_number_holds(dates, name, part, at):
    pass_ = run(dates, "4 July 1976")
    result = holds(dates, pass_, name, 1, 2, 5, 3, part, at)
    answer = name == "decoder" or (name == "cross" and part == "q")
    if part != "adds":
        ids = pass_.header["answer"]["ids"] if answer else pass_.header["ids"]
        assert result["input"]["token"] == ids[5 if part == "q" else 3]
    assert result["files"][result["terms"]["tensor"]].startswith("dates/")


@pytest.mark.parametrize(("part", "at"), [("q", 3), ("k", 0), ("v", 7), ("adds", 30)])
@pytest.mark.parametrize("name", ["bert", "bert-reviews"])
def test_each_step_of_a_berts_number_holds_down_to_its_three_embeddings(name, part, at):
    loaded = Loaded(name, former.load(name), "")
    text = "A dull film. [SEP] Nobody [laughed]." if loaded.kind.says == "blank" else "A dull film. Nobody laughed."
    pass_ = run(loaded, text)
    for layer in (0, 2):
        result = holds(loaded, pass_, "self", layer, 1, 9, 2, part, at)
    if part == "adds":
        return
    ids, segments = torch.tensor([pass_.header["ids"]]), torch.tensor([pass_.header.get("segments", [0] * 99)])
    x = loaded.bundle.model.embed(ids, segments[:, : ids.shape[1]])[0][0, result["input"]["row"]]
    assert result["input"]["embedded"]["value"] == close(x[result["input"]["column"]].item())


def test_of_several_files_that_is_named_which_holds_the_tensor():
    loaded = Loaded("gpt", former.load("gpt"), "gpt", CHECKPOINTS / "gpt")
    for file in sorted((CHECKPOINTS / "gpt").glob("*.safetensors")):
        for tensor in load_file(file):
            assert trace.place_of(loaded, tensor) == {"file": f"gpt/{file.name}", "tensor": tensor}


@pytest.mark.parametrize("name", former.available())
def test_the_file_of_a_shipped_model_holds_every_tensor_that_is_named(name):
    try:
        loaded = open_model(name)
    except NotShown:
        pytest.skip("it is not shown")
    if not trace.follows(loaded):
        pytest.skip("its numbers are not followed")
    pass_ = run(loaded, "4 July 1976" if loaded.kind.name == "translator" else "a film")
    assert loaded.folder
    held = {tensor for path in loaded.folder.glob("*.safetensors") for tensor in load_file(path)}
    for each in pass_.maps:
        query, key = each.allowed.nonzero()[-1].tolist()
        for part in PARTS:
            result = traced(loaded, pass_, each.name, 0, each.weights.shape[1] - 1, query, key, part)
            assert result["files"] or (part == "adds" and not loaded.bundle.config.unify), part
            for tensor, files in result["files"].items():
                paths = [loaded.folder / file for file in files.removeprefix(f"{name}/").split(" + ")]
                assert any(tensor in load_file(path) for path in paths), (part, files, tensor)
                assert (tensor in result["rounded"]) == (f"{tensor}.scale" in held)


def test_a_number_that_is_not_there_is_refused_and_a_hidden_pair_is_told_why(generator):
    pass_ = run(generator, "The cat sat")
    for indices in (
        ("self", 3, 0, 3, 2, "q", 0),
        ("self", 0, 0, 11, 2, "q", 0),
        ("self", 0, 0, 3, 2, "scores", 0),
        ("self", 0, 0, 3, 2, "q", 8),
        ("self", 0, 0, 3, 2, "adds", 32),
    ):
        with pytest.raises(Refusal) as refused:
            traced(generator, pass_, *indices)
        assert refused.value.note["key"] == "bad_request"
    with pytest.raises(NothingToShow, match="mask hides"):
        traced(generator, pass_, "self", 0, 0, 2, 3)
