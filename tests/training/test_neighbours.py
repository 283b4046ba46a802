from dataclasses import replace

import pytest
import torch

from former import run_with_capture
from former.training.init_weights import make_model
from former.training.recipes import RECIPES


@pytest.mark.parametrize("name", ["bert-begun", "classifier"])
def test_the_heads_of_the_first_layer_begin_by_looking_at_the_tokens_around_each_place(name):
    model = make_model(replace(RECIPES[name], initial="neighbours")).eval()
    tokens = torch.randint(5, 8_192, (4, 64), generator=torch.Generator().manual_seed(1))
    _, capture = run_with_capture(model, tokens)
    weights = capture.get("weights", 0)  # (4, heads, 64, 64)
    for head, distance in enumerate((-1, 1, -2, 2)):
        on_it = weights[:, head].diagonal(distance, -2, -1)
        away = weights[:, head].diagonal(-distance, -2, -1)
        assert on_it.mean() > 0.5
        assert away.mean() < 0.05


@pytest.mark.parametrize("name", ["bert-begun", "classifier"])
def test_all_else_begins_as_without_it(name):
    recipe = replace(RECIPES[name], initial="neighbours")
    state = make_model(recipe).state_dict()
    plain = make_model(replace(recipe, initial="zeros")).state_dict()
    other = {name for name in state if not torch.equal(state[name], plain[name])}
    assert other == {
        "transformer.positions.embedding.weight",
        "transformer.blocks.0.attention.tokeys.weight",
        "transformer.blocks.0.attention.toqueries.weight",
    }


def test_another_kind_of_model_is_refused():
    with pytest.raises(ValueError, match="initial must be 'zeros' for a GRUModel, which is no transformer, got 'gpt2'"):
        make_model(replace(RECIPES["tiny-gru"], initial="gpt2"))
    with pytest.raises(ValueError, match="initial must be 'zeros' or 'gpt2' for a Generator, got 'neighbours'"):
        make_model(replace(RECIPES["gpt"], initial="neighbours", weights=""))
    with pytest.raises(ValueError, match="for a Classifier without learned positions, got 'neighbours'"):
        make_model(RECIPES["classifier"].with_settings(["initial=neighbours", "model.positions=sinusoidal"]))


@pytest.mark.parametrize("setting", ["model.kv_heads=2", "model.variant=wide", "model.size=16", "model.heads=128"])
def test_heads_of_other_sizes_or_with_keys_in_common_are_refused(setting):
    with pytest.raises(
        ValueError, match=r"needs narrow heads of the even size emb / heads, each with its own keys, got"
    ):
        make_model(RECIPES["classifier"].with_settings(["initial=neighbours", setting]))
