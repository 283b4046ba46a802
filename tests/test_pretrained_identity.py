"""Which architecture a folder has, if its config.json does not say so, or its tensors have names of a wrapper."""

import pytest

import former
from tests.test_pretrained_others import assert_same, change_config, rename
from tests.their_models import (
    T,
    bert_config,
    distilbert_config,
    gpt2_config,
    llama_config,
    neox_config,
    roberta_config,
    saved,
)


@pytest.mark.parametrize("gone", [("model_type",), ("model_type", "architectures")], ids=len)
@pytest.mark.parametrize("model", [T.BertModel, T.BertForMaskedLM, T.GPT2Model, T.GPT2LMHeadModel])
def test_without_a_model_type_its_classes_or_its_tensors_tell_what_it_is(model, gone, tmp_path):
    make = gpt2_config if issubclass(model, T.GPT2PreTrainedModel) else bert_config
    theirs = saved(model(make()), tmp_path)
    change_config(tmp_path, *gone)
    assert_same(tmp_path, theirs.base_model)


WRAPPERS = {
    "parallel": lambda name: f"module.{name}",
    "compiled": lambda name: f"_orig_mod.{name}",
    "both": lambda name: f"_orig_mod.module.{name}",
    "a part compiled": lambda name: name.replace("transformer.", "transformer._orig_mod.").replace(
        "bert.", "bert.module."
    ),
    "a field of a class": lambda name: f"model.{name}",
    "a field, parallel": lambda name: f"module.model.{name}",
    "PEFT's": lambda name: f"base_model.model.{name}",
    "a field of the bare model": lambda name: f"model.{name.removeprefix('model.')}",
}
WRAPPED = {
    **{kind.__name__: (kind, bert_config) for kind in (T.BertModel, T.BertForMaskedLM, T.BertForTokenClassification)},
    **{kind.__name__: (kind, gpt2_config) for kind in (T.GPT2Model, T.GPT2LMHeadModel)},
    **{kind.__name__: (kind, llama_config) for kind in (T.LlamaModel, T.LlamaForCausalLM)},
    "LlamaForCausalLM, tied": (T.LlamaForCausalLM, lambda: llama_config(tie_word_embeddings=True)),
    "GPTNeoXForCausalLM": (T.GPTNeoXForCausalLM, neox_config),
    "RobertaForMaskedLM": (T.RobertaForMaskedLM, roberta_config),
    "DistilBertModel": (T.DistilBertModel, distilbert_config),
}


@pytest.mark.parametrize("change", WRAPPERS.values(), ids=WRAPPERS.keys())
@pytest.mark.parametrize(("kind", "config"), WRAPPED.values(), ids=WRAPPED)
def test_names_that_a_wrapper_changed_are_read(kind, config, change, tmp_path):
    theirs = saved(kind(config()), tmp_path)
    plain = former.pretrained.load(tmp_path)
    rename(tmp_path, change)
    bundle = assert_same(tmp_path, theirs.base_model)
    assert bundle.card == plain.card
    assert bundle.config == plain.config


def test_names_of_an_unknown_wrapper_are_refused_with_the_cure(tmp_path):
    saved(T.BertModel(bert_config()), tmp_path)
    rename(tmp_path, lambda name: f"0.auto_model.{name}")
    with pytest.raises(former.CheckpointError) as refusal:
        former.pretrained.load(tmp_path)
    word = "embeddings.word_embeddings.weight"
    cure = f"lack {word!r}, but have '0.auto_model.{word}'; write the model that is inside with its own save_pretrained"
    assert str(refusal.value).endswith(cure)
