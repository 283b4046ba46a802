"""The initial weights of a run: another model's, unchanged or with new blocks."""

from dataclasses import replace

import pytest
import torch

import former
from former.training.init_weights import make_model
from former.training.recipes import RECIPES


@pytest.fixture
def shallow(recipe, tmp_path):
    """Saves a generator of 2 blocks whose biases and norms differ from their initial values; returns the folder."""
    model = make_model(recipe())
    random = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=random) * 0.1)
    bundle = former.Bundle(model.eval(), former.tokens.ByteTokenizer(), model.config)
    former.save(bundle, tmp_path / "shallow")
    return tmp_path / "shallow"


@pytest.mark.parametrize(("depth", "initial"), [(2, "zeros"), (4, "zeros"), (6, "zeros"), (4, "gpt2")])
def test_a_model_grown_from_a_shallower_one_computes_the_same(shallow, recipe, depth, initial):
    settings = (f"weights={shallow}", f"model.depth={depth}", f"initial={initial}")
    grown = make_model(recipe("tiny-generator", *settings)).eval()
    tokens = torch.randint(256, (3, 32), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        assert torch.equal(grown(tokens), former.load(shallow).model(tokens))
    assert len(grown.transformer.blocks) == depth


def test_the_terms_of_distance_go_with_their_blocks(recipe, tmp_path):
    sizes = ("model.depth=2", "model.memory_length=32")
    model, random = make_model(recipe("xl", "weights=", *sizes)).eval(), torch.Generator().manual_seed(3)
    for parameter in model.parameters():
        parameter.data += torch.randn(parameter.shape, generator=random) * 0.1
    former.save(former.Bundle(model, former.tokens.ByteTokenizer(), model.config), tmp_path / "xl")
    model = former.load(tmp_path / "xl").model
    grown = make_model(recipe("xl", f"weights={tmp_path / 'xl'}", *sizes[1:], "model.depth=4")).eval()
    tokens = torch.randint(256, (3, 32), generator=random)
    with torch.no_grad():
        assert torch.equal(grown(tokens)[0], model(tokens)[0])


def test_every_new_block_of_a_grown_model_learns(shallow, recipe):
    grown = make_model(recipe("tiny-generator", f"weights={shallow}", "model.depth=4"))
    tokens = torch.randint(256, (3, 32), generator=torch.Generator().manual_seed(0))
    grown(tokens).square().mean().backward()
    for block in grown.transformer.blocks:
        for last in (block.attention.unifyheads.weight, block.ff[-1].weight):
            assert last.grad.abs().max() > 0


def test_positions_that_are_missing_begin_as_the_second_half_of_those_that_are_there(shallow, recipe):
    long = make_model(recipe("tiny-generator", f"weights={shallow}", "model.seq_length=75")).eval()
    short = former.load(shallow).model
    held, own = (model.transformer.positions.embedding.weight for model in (long, short))
    assert len(own) == 32
    for position in range(75):
        assert torch.equal(held[position], own[position if position < 32 else 16 + position % 16]), position
    tokens = torch.randint(256, (3, 32), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        assert torch.equal(long(tokens), short(tokens))


def test_a_transformer_xl_begins_with_a_generator_s_weights_and_has_terms_of_distance_of_its_own(shallow, recipe):
    settings = (f"weights={shallow}", "model.depth=2", "model.seq_length=8", "segments=2")
    begun, held = make_model(recipe("xl", *settings)).state_dict(), former.load(shallow).model.state_dict()
    terms = {name for name in begun if name.startswith("transformer.positions.")}
    assert held.keys() - begun.keys() == {"transformer.positions.embedding.weight"}
    assert begun.keys() - held.keys() == terms
    for name in begun.keys() - terms:
        assert torch.equal(begun[name], held[name]), name
    drawn = make_model(recipe("xl", "weights=", *settings[1:])).state_dict()
    for name in terms:
        assert torch.equal(begun[name], drawn[name]), name


def test_a_shipped_model_is_grown_by_its_name():
    deep = RECIPES["tiny-generator"].with_settings(["weights=tiny-generator", "model.depth=4"])
    tokens = torch.tensor([list(b"The river rises in the hills north of the town")])
    with torch.no_grad():
        assert torch.equal(make_model(deep)(tokens), former.load("tiny-generator").model(tokens))


@pytest.mark.parametrize("setting", ["model.depth=3", "model.depth=1"])
def test_a_depth_that_is_no_multiple_is_refused(setting, shallow, recipe):
    with pytest.raises(ValueError, match=r"model\.depth must be that of .*shallow', 2, or.* a multiple"):
        make_model(recipe("tiny-generator", f"weights={shallow}", setting))


def test_a_post_norm_model_is_not_grown(recipe, tmp_path):
    model = make_model(recipe("tiny-generator", "model.norm=post"))
    former.save(former.Bundle(model, former.tokens.ByteTokenizer(), model.config), tmp_path / "post")
    with pytest.raises(ValueError, match="or, in a pre-norm model with unified heads, a multiple"):
        make_model(recipe("tiny-generator", "model.norm=post", f"weights={tmp_path / 'post'}", "model.depth=4"))


@pytest.mark.parametrize("settings", [["model.emb=64"], ["model.positions=learned", "model.seq_length=256"]])
def test_a_model_that_the_weights_it_begins_with_do_not_fit_is_refused(settings):
    with pytest.raises(ValueError, match="must have the shape of 'classifier'"):
        make_model(RECIPES["classifier-bag"].with_settings(["weights=classifier", *settings]))


def test_a_model_without_positions_begins_with_all_the_rest_of_one_that_has_them():
    bag = make_model(RECIPES["classifier-bag"].with_settings(["weights=classifier"]))
    classifier = former.load("classifier").model.state_dict()
    for name, weight in bag.state_dict().items():
        assert torch.equal(weight, classifier[name]), name
    assert replace(RECIPES["classifier"].model, positions="none") == RECIPES["classifier-bag"].model
