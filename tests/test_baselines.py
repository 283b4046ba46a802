"""The recurrent and the convolutional model: their outputs depend on the right inputs, and equal torch's own cells in a
loop."""

from dataclasses import replace
from typing import Any

import pytest
import torch
import torch.nn.functional as F

import former
from former.baselines import ConvConfig, ConvModel, GRUConfig, GRUModel
from former.checkpoints import MODEL_KINDS

GRU = GRUConfig(num_tokens=11, emb=12, depth=2, seq_length=8)
CONV = ConvConfig(num_tokens=11, emb=12, depth=3, seq_length=8)


def make(config) -> Any:
    torch.manual_seed(0)
    model = GRUModel(config) if isinstance(config, GRUConfig) else ConvModel(config)
    return model.double().eval()


def text(t, b=1):
    return torch.randint(11, (b, t), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("config", [GRU, CONV], ids=["recurrent", "convolutional"])
def test_tokens_of_any_whole_dtype_are_read_alike(config):
    model, tokens = make(config), text(7)
    assert torch.equal(model(tokens.to(torch.uint8)), model(tokens))
    assert torch.equal(model.steps(tokens.to(torch.uint8)), model.steps(tokens))


def test_the_recurrent_model_is_its_cells_one_token_after_another():
    model, tokens = make(GRU), text(7, b=2)
    weights = model.state_dict()
    states = [torch.zeros(2, 12, dtype=torch.float64)] * 2
    for at in range(7):
        x = weights["token_embedding.weight"][tokens[:, at]]
        for layer in range(2):
            w_i, w_h, b_i, b_h = (
                weights[f"gru.{name}_l{layer}"] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            )
            from_x, from_h = (x @ w_i.T + b_i).chunk(3, 1), (states[layer] @ w_h.T + b_h).chunk(3, 1)
            reset, update = (from_x[0] + from_h[0]).sigmoid(), (from_x[1] + from_h[1]).sigmoid()
            new = (from_x[2] + reset * from_h[2]).tanh()
            x = states[layer] = (1 - update) * new + update * states[layer]
        logits = x @ weights["toprobs.weight"].T + weights["toprobs.bias"]
        torch.testing.assert_close(model(tokens)[:, at], logits, atol=1e-12, rtol=0)


def test_the_convolutional_model_is_its_sums_one_token_after_another():
    model, tokens = make(CONV), text(9)
    weights = model.state_dict()

    def norm(x, name):
        return F.layer_norm(x, (12,), weights[f"{name}.weight"], weights[f"{name}.bias"])

    x = weights["token_embedding.weight"][tokens[0]]
    for layer, apart in enumerate((1, 2, 4)):
        read, y = norm(x, f"norms.{layer}"), x.clone()
        for at in range(9):
            both = weights[f"convolutions.{layer}.bias"].clone()
            for tap in range(3):
                position = at - (2 - tap) * apart
                if position >= 0:
                    both += weights[f"convolutions.{layer}.weight"][:, :, tap] @ read[position]
            y[at] += both[:12] * both[12:].sigmoid()
        x = y
    logits = norm(x, "norm") @ weights["toprobs.weight"].T + weights["toprobs.bias"]
    torch.testing.assert_close(model(tokens)[0], logits, atol=1e-12, rtol=0)


def test_the_recurrent_model_depends_on_all_that_came_before_and_on_nothing_later():
    influence = former.analysis.influence(make(GRU), text(10))
    assert (influence.triu(1) == 0).all()
    assert (influence[torch.ones(10, 10).tril().bool()] > 0).all()


@pytest.mark.parametrize(
    ("kernel", "dilation", "depth", "field"), [(3, 2, 3, 15), (2, 1, 3, 4), (1, 2, 2, 1), (2, 3, 2, 5), (5, 2, 1, 5)]
)
def test_the_convolutional_model_depends_on_its_receptive_field_exactly(kernel, dilation, depth, field):
    config = ConvConfig(num_tokens=11, emb=12, depth=depth, seq_length=8, kernel=kernel, dilation=dilation)
    assert config.receptive_field == field
    influence = former.analysis.influence(make(config), text(20))
    back = torch.arange(20)[:, None] - torch.arange(20)
    assert (influence[(back < 0) | (back >= field)] == 0).all()
    if dilation <= kernel:  # else there are gaps between what the layers read
        assert (influence[(back >= 0) & (back < field)] > 0).all()
    assert (influence[back == field - 1] > 0).all()


@pytest.mark.parametrize("config", [GRU, CONV], ids=["gru", "conv"])
@pytest.mark.parametrize("use_cache", [True, False])
def test_writing_is_reading_the_whole_text(config, use_cache):
    model, prompt = make(config), text(11)[0].tolist()
    steps = list(former.generate(model, prompt, 12, seed=3, use_cache=use_cache))
    ids = [*prompt, *(step.token for step in steps)]
    logits = model(torch.tensor([ids]))
    for at, step in enumerate(steps, start=10):
        torch.testing.assert_close(step.probs, logits[0, at].softmax(-1), atol=1e-10, rtol=0)
        assert (step.start, step.weights) == (0, {})


@pytest.mark.parametrize("config", [GRU, CONV], ids=["gru", "conv"])
def test_loads_as_it_was_saved(config, tmp_path):
    config = type(config).from_dict({**config.to_dict(), "num_tokens": 256})
    model = make(config).float()
    assert MODEL_KINDS[type(model).__name__] == (type(model), type(config))
    former.save(former.Bundle(model, former.tokens.ByteTokenizer(), config), tmp_path, "bf16")
    loaded = former.load(tmp_path)
    assert loaded.config == config
    model.load_state_dict({name: tensor.bfloat16().float() for name, tensor in model.state_dict().items()})
    assert torch.equal(loaded.model(text(9)), model(text(9)))


@pytest.mark.parametrize("config", [GRU, CONV], ids=["gru", "conv"])
def test_learns_a_text_that_repeats(config):
    model = make(config).train()
    tokens = torch.tensor([[1, 4, 2, 8, 5, 7] * 3])
    optimiser = torch.optim.Adam(model.parameters(), lr=0.03)
    for _ in range(60):
        loss = F.cross_entropy(model(tokens[:, :-1])[0], tokens[0, 1:])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert (model(tokens[:, :-1])[0].argmax(-1) == tokens[0, 1:]).all()


@pytest.mark.parametrize("config", [GRU, CONV], ids=["gru", "conv"])
def test_what_does_not_fit_is_refused(config):
    model = make(config)
    with pytest.raises(ValueError, match=r"tokens must be in \[0, 11\), got 0 to 11"):
        model(torch.tensor([[0, 11]]))
    with pytest.raises(ValueError, match=r"tokens must be whole numbers \(b, t\)"):
        model(torch.zeros(1, 3))
    with pytest.raises(ValueError, match=r"depth must be a whole number of at least 1, got 0"):
        type(config)(depth=0)
    with pytest.raises(ValueError, match=r"dropout must be in \[0, 1\), got 1"):
        type(config)(dropout=1)
    with pytest.raises(ValueError, match="names must be among"):
        former.run_with_capture(model, text(3))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_with_all_its_cells_at_work_the_recurrent_model_has_each_token_s_value_in_time(depth):
    model, tokens = make(replace(GRU, depth=depth)), text(6, b=2)
    after = model.steps(tokens)  # (b, steps, t, e)
    assert after.shape == (2, 6 + depth - 1, 6, 12)
    whole = model.gru(model.token_embedding(tokens))[0]
    for at in range(6):
        torch.testing.assert_close(
            after[:, at + depth - 1 :, at], whole[:, None, at].expand_as(after[:, at + depth - 1 :, at])
        )
        if at + depth > 1:
            assert not torch.allclose(after[:, at + depth - 2, at], whole[:, at])


def test_the_convolutional_model_s_steps_are_its_layers():
    model, tokens = make(CONV), text(9)
    after = model.steps(tokens)
    assert after.shape == (1, 3, 9, 12)
    torch.testing.assert_close(model.toprobs(model.norm(after[:, -1])), model(tokens))


def test_steps_to_reach_are_counted_from_one_and_are_0_where_there_are_none():
    gru, tokens = make(GRU), text(5)
    steps = former.analysis.steps_to_reach(gru.steps, tokens)
    assert steps.tolist() == [[i - j + 2 if j <= i else 0 for j in range(5)] for i in range(5)]
    conv = make(CONV)
    back = torch.arange(12)[:, None] - torch.arange(12)
    expected = torch.where(back < 3, 1, torch.where(back < 7, 2, 3)) * ((back >= 0) & (back < 15))
    assert former.analysis.steps_to_reach(conv.steps, text(12)).equal(expected)
