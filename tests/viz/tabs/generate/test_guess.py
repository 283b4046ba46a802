"""The game of tab Generate: bits of the player and of the model, and what is shown when."""

import math

import pytest
import torch

import former
from viz.passes.loaded import Loaded
from viz.tabs.generate.guess import LEAST_TOKENS, MOST_CHARACTERS, OPTIONS, ROUNDS, guess_tokens, places_of, read_game
from viz.text import Refusal

CONFIG = former.ModelConfig(num_tokens=256, emb=16, heads=2, depth=2, seq_length=24)
TEXT = "Müde bin ich, geh zu"  # the second character is two bytes
EVEN = [1 / OPTIONS] * OPTIONS


@pytest.fixture(scope="module")
def bundle() -> former.Bundle:
    torch.manual_seed(0)
    return former.Bundle(former.Generator(CONFIG).double().eval(), former.tokens.ByteTokenizer(), CONFIG)


def test_both_pay_minus_log2_of_the_probability_that_they_gave_the_token_that_came(bundle):
    belief = [0.3, *[0.05] * 7, 0.35]
    result = guess_tokens(bundle, TEXT, [belief] * ROUNDS)
    ids = list(TEXT.encode())
    for i, position in enumerate(places_of(len(ids))):
        probs = bundle.model(torch.tensor([ids[:position]]))[0, -1].softmax(-1).tolist()
        best = sorted(range(256), key=lambda token: -probs[token])[: OPTIONS - 1]
        labels = {bundle.tokenizer.labels([token])[0]: token for token in best}
        assert result["options"][i] == [*sorted(labels), ""]
        others = 1 - sum(probs[token] for token in best)
        actual = [*(probs[labels[label]] for label in sorted(labels)), others]
        assert result["probs"][i].tolist() == pytest.approx(actual, abs=1e-6)  # returned in float32
        token = ids[position]
        right = sorted(labels).index(bundle.tokenizer.labels([token])[0]) if token in best else OPTIONS - 1
        assert result["right"][i] == right
        own = belief[right] if token in best else belief[right] * probs[token] / others
        assert float(result["own"][i]) == pytest.approx(-math.log2(own), abs=1e-4)
        assert float(result["model"][i]) == pytest.approx(-math.log2(probs[token]), abs=1e-4)
    assert result["totals"].tolist() == pytest.approx(
        [float(result[name].sum()) for name in ("own", "model")], abs=1e-3
    )


def test_who_believes_what_the_model_does_pays_what_the_model_pays(bundle):
    probs = guess_tokens(bundle, TEXT * 3, [EVEN] * ROUNDS)["probs"].double()  # beyond the context, which slides
    result = guess_tokens(bundle, TEXT * 3, (probs / probs.sum(-1, keepdim=True)).tolist())
    torch.testing.assert_close(result["own"], result["model"], atol=1e-4, rtol=0)  # probs came in float32


@pytest.mark.parametrize("count", [0, 1, 4, ROUNDS])
def test_no_more_of_the_text_is_told_than_up_to_the_next_guess(bundle, count):
    result, ids = guess_tokens(bundle, TEXT, [EVEN] * count), TEXT.encode()
    places = [*places_of(len(ids)), len(ids)]
    assert "".join(result["parts"]) == ids[: places[count]].decode(errors="ignore")
    assert result["parts"][1::2] == [chr(ids[position]) for position in places[:count]]
    assert len(result["options"]) == min(count + 1, ROUNDS)
    assert len(result["right"]) == len(result["own"]) == len(result["model"]) == count


@pytest.mark.parametrize("count", range(LEAST_TOKENS, 60))
def test_the_guessed_tokens_are_as_many_as_the_rounds_and_the_last_is_the_text_s(count):
    places = places_of(count)
    assert len(set(places)) == ROUNDS
    assert places == sorted(places)
    assert places[0] >= 1
    assert places[-1] == count - 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"game_text": "x" * (LEAST_TOKENS - 1)},
        {"game_text": "x" * (MOST_CHARACTERS + 1)},
        {"game_text": 7},
        {"model": "other"},
    ]
    + [{"beliefs": beliefs} for beliefs in (None, {}, [1], [EVEN[1:]], [EVEN] * (ROUNDS + 1), [[1, *[0] * 8]])]
    + [{"beliefs": [[first, *EVEN[1:]]]} for first in (0.5, True, "1", math.nan, math.inf, -1)],
    ids=str,
)
def test_what_is_no_game_is_refused(bundle, wrong):
    models = {"small": Loaded("small", bundle, "")}
    view = {"model": "small", "game_text": TEXT, "beliefs": [EVEN, [0.92, *[0.01] * 8]]}
    assert read_game(models, view)["beliefs"] == view["beliefs"]
    with pytest.raises(Refusal):
        read_game(models, view | wrong)
