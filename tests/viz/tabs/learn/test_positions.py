"""Section "Positions": the four terms equal a plain recomputation, and the losses are the command's."""

import json
import math
from typing import Any

import numpy as np
import pytest
import torch

import former
from former.training.measure import by_position
from viz.passes.loaded import Loaded
from viz.tabs.learn import score_terms
from viz.tabs.learn.sections import positions
from viz.text import Refusal

VIEW = {"show": "score", "text": "The cat sat on the mat.", "order": "1.0.2", "head": 2, "at": 9, "key": None}


@pytest.fixture(scope="module")
def shipped() -> dict[str, Loaded]:
    return {name: Loaded(name, former.load(name), name) for name in ("tiny-generator", "classifier", "classifier-bag")}


def ask(question: str, models: dict[str, Loaded], view: dict[str, Any]) -> dict[str, Any]:
    return positions.SECTION.questions[question].answer(models, view)


def by_numpy(model, ids: list[int], head: int) -> np.ndarray:
    """Computes the four terms (4, t, t) of a head of the first layer from the weights, number by number, in float64."""
    state = {name: tensor.double().numpy() for name, tensor in model.state_dict().items()}
    token, vectors = state["transformer.token_embedding.weight"][ids], state["transformer.positions.embedding.weight"]
    first = "transformer.blocks.0."
    s = model.config.head_size
    maps = [state[f"{first}attention.{name}.weight"][head * s : (head + 1) * s] for name in ("toqueries", "tokeys")]
    gain, shift = state[f"{first}norm1.weight"], state[f"{first}norm1.bias"]
    values = []
    for i in range(len(ids)):
        x = token[i] + vectors[i]
        spread = math.sqrt(((x - x.mean()) ** 2).mean() + 1e-5)
        own = (token[i] - token[i].mean()) / spread * gain + shift
        other = (vectors[i] - vectors[i].mean()) / spread * gain
        values.append([[matrix @ part for part in (own, other)] for matrix in maps])
    pairs = [(a, b) for a in range(2) for b in range(2)]
    t = range(len(ids))
    return np.array([[[values[i][0][a] @ values[j][1][b] / math.sqrt(s) for j in t] for i in t] for a, b in pairs])


def test_the_four_terms_are_those_of_numpy_and_add_up_to_the_models_scores(shipped):
    result = ask("scored", shipped, VIEW)
    model = shipped["tiny-generator"].bundle.model
    exact = by_numpy(model, list(VIEW["text"].encode()), 2)[:, 9, :10]
    for name, row in zip(score_terms.TERMS, exact, strict=True):
        assert result[name] == pytest.approx(row, abs=2e-5)
    assert result["scores"] == pytest.approx(exact.sum(0), abs=2e-5)
    assert result["error"] < 1e-5
    powers = np.exp(exact.sum(0) - exact.sum(0).max())
    assert result["weights"] == pytest.approx(powers / powers.sum(), abs=2e-5)


@pytest.mark.parametrize(
    "changes", [{"norm": "post"}, {"attention_bias": True}, {"scaled": False}, {"variant": "wide"}]
)
def test_the_terms_add_up_in_every_kind_of_block(changes):
    torch.manual_seed(0)
    config = former.ModelConfig(emb=16, heads=2, depth=1, seq_length=12, num_tokens=256, **{"norm": "pre"} | changes)
    bundle = former.Bundle(former.Generator(config).eval(), former.tokens.ByteTokenizer(), config)
    for parameter in bundle.model.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    result = ask("scored", {"own": Loaded("own", bundle, "own")}, VIEW | {"text": "a cat", "head": 1})
    assert result["error"] < 1e-5
    assert max(map(abs, result["position_position"])) > 1e-3


def test_without_positions_all_but_one_term_are_zero():
    bundle = former.load("tiny-no-positions")
    result = ask("scored", {"bag": Loaded("bag", bundle, "bag")}, VIEW)
    assert result["token_token"] == pytest.approx(result["scores"], abs=1e-5)
    assert not any(result["token_position"] + result["position_token"] + result["position_position"])


def test_the_verdict_moves_with_the_order_only_where_there_are_positions(shipped):
    opened = positions.props(shipped)
    result = ask("verdicts", shipped, opened)
    words = [result["labels"][i] for i in result["order"]]
    assert " ".join(words) == "this film is not wonderful but bad ."
    for name, probs in zip(result["names"], result["probs"], strict=True):
        bundle = former.load(name)
        with torch.no_grad():
            exact = [bundle.model(torch.tensor([bundle.tokenizer.encode(text)]))[0].exp().tolist() for text in (
                positions.TEXT, positions.REORDERED)]  # fmt: skip
        assert probs == [pytest.approx(each, abs=1e-5) for each in exact]
    assert result["same"] == [False, True]


def test_the_heads_to_open_go_by_position_and_by_token(shipped):
    opened = positions.props(shipped)
    terms = by_numpy(shipped["tiny-generator"].bundle.model, list(positions.TEXT.encode()), opened["byPosition"])
    mask = np.tri(terms.shape[1], dtype=bool)
    spread = [term[mask].var() for term in terms]
    assert spread[3] == max(spread)
    terms = by_numpy(shipped["tiny-generator"].bundle.model, list(positions.TEXT.encode()), opened["byToken"])
    assert terms[3][mask].var() < spread[3]


def test_what_was_measured_is_of_the_command_with_machine_and_date():
    record = json.loads(positions.MEASURED.read_text(encoding="utf-8"))
    kinds = {model["positions"]: model for model in record["models"]}
    assert kinds.keys() == {"learned", "sinusoidal", "none"}
    values = {model["name"]: (former.load(model["name"]), torch.zeros(record["length"])) for model in record["models"]}
    sizes = {name: record[name] for name in ("split", "length", "windows", "width")}
    written = json.loads(by_position.to_json(values, **sizes))
    assert record["command"] == written["command"]
    assert record["machine"].keys() == written["machine"].keys()
    assert len(record["date"].split("-")) == 3
    for model, repeated in zip(record["models"], written["models"], strict=True):
        assert {**model, "bits": None} == {**repeated, "bits": None}
        limit = model["trained"] if model["positions"] == "learned" else record["length"]
        assert len(model["bits"]) == limit / record["width"]
        assert all(1 < bits < 16 for bits in model["bits"])
    first = record["models"][0]["trained"] // record["width"]  # figures within what was trained
    sines, none = (kinds[kind]["bits"] for kind in ("sinusoidal", "none"))
    assert min(sines[first + 1 :]) > max(sines[1:first]) + 0.5, "beyond it sines are lost"
    assert max(none[first:]) - min(none[first:]) < 0.1, "and a model without positions is not"


@pytest.mark.parametrize(
    "wrong", [{"text": " "}, {"at": positions.MOST_TOKENS}, {"head": 4}, {"head": True}, {"text": None}, {"at": -1}]
)
def test_a_view_of_the_score_that_is_none_is_refused(shipped, wrong):
    with pytest.raises(Refusal):
        ask("scored", shipped, VIEW | wrong)
