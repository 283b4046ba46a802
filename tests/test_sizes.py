"""Numbers of parameters, compared with published numbers and with built models."""

import pytest
import torch
import transformers

import former
import former.checkpoints
from former import count_parameters


def published(config_class, model_class, **sizes):
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in model_class(config_class(**sizes)).parameters())


def test_the_largest_gpt2_has_one_and_a_half_billion():
    expected = published(transformers.GPT2Config, transformers.GPT2LMHeadModel, n_layer=48, n_embd=1600, n_head=25)
    assert count_parameters("gpt2", depth=48, emb=1600) == count_parameters("gpt2-xl") == expected == 1_557_611_200


def test_the_larger_bert_has_335_million():
    sizes = {"num_hidden_layers": 24, "hidden_size": 1024, "num_attention_heads": 16, "intermediate_size": 4096}
    expected = published(transformers.BertConfig, transformers.BertModel, **sizes)
    assert count_parameters("bert", depth=24, emb=1024, heads=16) == expected == 335_141_888
    assert count_parameters("bert-large") == expected


@pytest.mark.parametrize("variant", ["narrow", "wide", "chunked"])
def test_a_generator_is_counted_as_it_is_made(variant):
    model = former.Generator(former.ModelConfig(emb=32, heads=4, depth=2, variant=variant))
    result = sum(parameter.numel() for parameter in model.parameters())
    assert count_parameters("Generator", emb=32, heads=4, depth=2, variant=variant) == result


@pytest.mark.parametrize("kind", former.checkpoints.MODEL_KINDS)
def test_every_kind_that_is_saved_is_counted_at_its_defaults(kind):
    make, config = former.checkpoints.MODEL_KINDS[kind]
    sizes = {"emb": 32, "depth": 1} | ({"heads": 4} if hasattr(config, "heads") else {})
    assert count_parameters(kind, **sizes) == sum(x.numel() for x in make(config(**sizes)).parameters())


def test_what_has_no_count_is_refused():
    with pytest.raises(ValueError, match=r"kind must be one of .*got 'gpt3'"):
        count_parameters("gpt3")
    with pytest.raises(ValueError, match=r"changes must be one of 'emb', .*got 'layers'"):
        count_parameters("gpt2", layers=3)
    with pytest.raises(ValueError, match="emb must be a whole number of at least 1, got 'x'"):
        count_parameters("bert", emb="x")
    for emb in (100, 200):
        with pytest.raises(ValueError, match=f"emb must be a multiple of 64, unless heads is set too, got {emb}"):
            count_parameters("gpt2", emb=emb)
    with pytest.raises(ValueError, match="depth must be a whole number of at least 1"):
        count_parameters("gpt2", depth=0)
