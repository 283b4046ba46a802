"""Initialisation and optimisers."""

import math
from itertools import pairwise

import pytest
import torch

from former.training import optim
from former.training.init_weights import make_model
from former.training.recipes import RECIPES, Recipe


def test_the_learning_rate_warms_up_stays_and_falls_to_zero():
    recipe = RECIPES["generator"].with_settings(["steps=1000", "warmup=100", "decay=0.4"])
    shares = [optim.learning_rate(step, recipe) for step in range(1001)]
    assert shares[0] == pytest.approx(0.01)
    assert shares[99:600] == [1.0] * 501
    assert all(a > b for a, b in pairwise(shares[600:]))
    assert shares[1000] == 0.0


def test_before_the_decay_the_learning_rate_does_not_depend_on_the_number_of_steps():
    short, long = (RECIPES["generator"].with_settings([f"steps={steps}"]) for steps in (1000, 9000))
    for step in range(optim.decay_start(short)):
        assert optim.learning_rate(step, short) == optim.learning_rate(step, long)


def test_muon_moves_block_matrices_and_adam_all_else(recipe):
    model = make_model(recipe())
    optimisers = optim.make_optimisers(model, recipe())
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    moved = {kind: {names[id(p)] for g in o.param_groups for p in g["params"]} for kind, o in optimisers.items()}
    assert moved["muon"] | moved["adam"] == set(names.values())
    assert not moved["muon"] & moved["adam"]
    assert moved["muon"] == {n for n, p in model.named_parameters() if ".blocks." in n and p.dim() == 2}
    decayed = [g["weight_decay"] for g in optimisers["adam"].param_groups]
    assert decayed[1] == 0.0  # biases and norms


def newton_schulz(matrix):
    """Brings the singular values close to 1 with the polynomial of Jordan's post, in float64."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = matrix / matrix.norm()
    for _ in range(5):
        square = x @ x.T
        x = a * x + (b * square + c * square @ square) @ x
    return x


@pytest.mark.parametrize(
    ("precision", "atol"),
    [("bf16", 4e-3), ("fp32", 2e-6)],  # five steps, of 8 bits or of 24, on directions of about 0.2 an entry
)
@pytest.mark.parametrize("part", [0, 2])  # of the feedforward part: (4e, e) and (e, 4e)
def test_a_step_moves_a_matrix_by_its_momentum_made_orthogonal_scaled_by_its_shape_and_decays_it(
    precision, atol, part, recipe
):
    """Computed from the equations alone; without momentum, √(rows/columns) or decay the result would differ."""
    settings = recipe("tiny-generator", "weight_decay=0.5", "muon_lr=0.1", f"precision={precision}")
    model = make_model(settings)
    optimisers = optim.make_optimisers(model, settings)
    weight = model.transformer.blocks[0].ff[part].weight
    scale = math.sqrt(max(1, weight.shape[0] / weight.shape[1]))
    expected, momentum = weight.detach().double(), torch.zeros_like(weight).double()
    random = torch.Generator().manual_seed(0)
    for share in (1.0, 0.5, 0.25):
        gradient = torch.randn(weight.shape, generator=random)
        weight.grad = gradient.clone()
        optim.set_learning_rate(optimisers.values(), share)
        optimisers["muon"].step()
        momentum = 0.95 * momentum + 0.05 * gradient.double()
        direction = newton_schulz(0.95 * momentum + 0.05 * gradient.double())  # Nesterov's form
        expected = (1 - 0.1 * share * 0.5) * expected - 0.1 * share * scale * direction
        torch.testing.assert_close(weight.grad, gradient, rtol=0, atol=0)
    torch.testing.assert_close(weight.double(), expected, rtol=0, atol=atol)


def test_the_weights_of_step_0_depend_on_the_seed_alone_and_predict_all_bytes_alike(recipe):
    first, same_seed, other = (make_model(recipe("tiny-generator", f"seed={seed}")) for seed in (1, 1, 2))
    for name, weight in first.state_dict().items():
        assert torch.equal(same_seed.state_dict()[name], weight)
    key = "transformer.token_embedding.weight"
    assert not torch.equal(other.state_dict()[key], first.state_dict()[key])
    log_probs = first(torch.tensor([[1, 2, 3]])).log_softmax(-1)
    torch.testing.assert_close(log_probs, torch.full_like(log_probs, -math.log(256)))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("steps=0", "steps must be a whole number of at least 1"),
        ("accumulate=3", "accumulate must divide batch"),
        ("segments=0", "segments must be a whole number of at least 1"),
        ("segments=4", "segments needs kind 'TransformerXL', which carries a memory, got 'Generator'"),
        ("hard=2", r"hard must be in \[0, 1\]"),
        ("precision=fp8", "precision must be one of"),
        ("decay=2", r"decay must be in \[0, 1\]"),
        ("word_dropout=-1", r"word_dropout must be in \[0, 1\]"),
        ("lr=1", "setting must be one of"),
        ("model.emb=10", "heads must divide emb"),
        ("model.mask=no", "mask must be one of 'none', 'causal'"),
        ("masked=false", "setting must be one of"),
        ("compile=0", "compile must be true or false, got 0"),
        ("checkpointing=FALSE", "checkpointing must be true or false"),
        ("decay=abc", "decay must be a number, got 'abc'"),
        ("decay=true", "decay must be a number, got True"),
        ("snapshots=5", "snapshots must be a list of whole numbers, got 5"),
        ("snapshots=[0.5]", "snapshots must be a list of whole numbers"),
        ("model.dropout=x", r"model\.dropout must be a number, got 'x'"),
        ("model.pad_token=x", r"model\.pad_token must be a whole number or null"),
        ("clip=x", "clip must be a number, got 'x'"),
        ("clip=-1", "clip must be a number above 0, got -1"),
        ("muon_lr=fast", "muon_lr must be a number, got 'fast'"),
        ("adam_lr=Infinity", "adam_lr must be a number above 0, got inf"),
        ("weight_decay=-1", "weight_decay must be a number of at least 0"),
        ("seed=1.5", "seed must be a whole number, got 1.5"),
        ("seed=-1", "seed must be a number of at least 0"),
        ("weights=3", "weights must be a text, got 3"),
    ],
)
def test_settings_out_of_range_are_refused(setting, message):
    with pytest.raises(ValueError, match=message):
        RECIPES["generator"].with_settings([setting])


@pytest.mark.parametrize(("text", "value"), [("False", False), ("false", False), ("True", True), ("true", True)])
def test_true_and_false_may_be_written_as_in_json_or_in_python(text, value):
    recipe = RECIPES["tiny-generator"].with_settings([f"{name}={text}" for name in ("compile", "checkpointing")])
    assert (recipe.compile, recipe.checkpointing) == (value, value)


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_a_recipe_survives_json(name):
    import json  # noqa: PLC0415

    assert Recipe.from_dict(json.loads(json.dumps(RECIPES[name].to_dict()))) == RECIPES[name]
