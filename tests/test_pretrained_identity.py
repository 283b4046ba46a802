"""Which architecture a folder has, if its config.json does not say so, or its tensors have names of a wrapper."""

import pytest

from tests.test_pretrained_others import assert_same, change_config, rename
from tests.their_models import T, bert_config, gpt2_config, saved


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
}


@pytest.mark.parametrize("change", WRAPPERS.values(), ids=WRAPPERS.keys())
@pytest.mark.parametrize("model", [T.BertForMaskedLM, T.GPT2LMHeadModel])
def test_names_that_a_wrapper_changed_are_read(model, change, tmp_path):
    theirs = saved(model(gpt2_config() if model is T.GPT2LMHeadModel else bert_config()), tmp_path)
    rename(tmp_path, change)
    change_config(tmp_path, "model_type", "architectures")
    assert_same(tmp_path, theirs.base_model)
