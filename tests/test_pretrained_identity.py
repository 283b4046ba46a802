"""Which architecture a folder has, if its config.json does not say so, or its tensors have names of a wrapper."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from safetensors.torch import load_file, save_file
from tokenizers import decoders, models, pre_tokenizers, processors

import former
from former.bert import BertClassifier
from tests.test_pretrained_others import assert_same, change_config, rename
from tests.their_models import (
    PIECES,
    T,
    bert_config,
    distilbert_config,
    gpt2_config,
    llama_config,
    neox_config,
    roberta_config,
    saved,
    settle,
)

BOTH = "model_type", "architectures"


def of_roberta(kind: Any = T.RobertaModel, **changes: Any) -> Any:
    return kind(roberta_config(**changes))


def of_llama(config: Any, kind: Any, **changes: Any) -> Any:
    return kind(llama_config(config, **changes))


TOLD: dict[str, Callable[[], Any]] = {
    **{kind.__name__: partial(kind, bert_config()) for kind in (T.BertModel, T.BertForMaskedLM, T.BertForPreTraining)},
    **{kind.__name__: partial(kind, gpt2_config()) for kind in (T.GPT2Model, T.GPT2LMHeadModel)},
    "BERT, 50 positions": lambda: T.BertModel(bert_config(max_position_embeddings=50)),
    "BERT without padding": lambda: T.BertModel(bert_config(pad_token_id=None)),
    "RoBERTa": of_roberta,
    "RoBERTa of two segments": lambda: of_roberta(type_vocab_size=2),
    "RoBERTa, masked": lambda: of_roberta(T.RobertaForMaskedLM),
    "RoBERTa, a verdict": lambda: of_roberta(T.RobertaForSequenceClassification, num_labels=3),
    "llama": lambda: of_llama(T.LlamaConfig, T.LlamaForCausalLM),
    "llama with biases": lambda: of_llama(T.LlamaConfig, T.LlamaModel, attention_bias=True, mlp_bias=True),
    "mistral": lambda: of_llama(T.MistralConfig, T.MistralForCausalLM, sliding_window=7),
    "qwen2": lambda: of_llama(T.Qwen2Config, T.Qwen2ForCausalLM, use_sliding_window=True, max_window_layers=0),
    "qwen3": lambda: of_llama(T.Qwen3Config, T.Qwen3Model, head_dim=8),
    "qwen3 with biases": lambda: of_llama(T.Qwen3Config, T.Qwen3ForCausalLM, attention_bias=True),
    "gpt_neox": lambda: T.GPTNeoXForCausalLM(neox_config()),
    "distilbert": lambda: T.DistilBertForMaskedLM(distilbert_config()),
}


@pytest.mark.parametrize("gone", [BOTH[:1], BOTH], ids=len)
@pytest.mark.parametrize("make", TOLD.values(), ids=TOLD)
def test_without_a_model_type_its_classes_or_its_tensors_tell_what_it_is(make, gone, tmp_path):
    theirs = saved(make(), tmp_path)
    change_config(tmp_path, *gone)
    assert_same(tmp_path, theirs.base_model)


def with_pieces(folder: Path) -> None:
    (folder / "tokenizer.json").write_text(PIECES.to_dict()["definition"], encoding="utf-8")


def with_unigrams(folder: Path) -> None:
    """Writes a SentencePiece tokenizer, such as XLM-RoBERTa's."""
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *(f"▁{letter}" for letter in "tcso"), *"heatsonm", "<mask>"]
    tokenizer: Any = tokenizers.Tokenizer(models.Unigram([(piece, -1.0) for piece in pieces], unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = [("<s>", 0), ("</s>", 2)]
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=special)
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    tokenizer.save(str(folder / "tokenizer.json"))


def with_older_files(folder: Path) -> None:
    settle(folder, older=True)


def without_padding(folder: Path) -> None:
    change_config(folder, "pad_token_id")


def with_untrained_row(folder: Path) -> None:
    """Sets the vector of the padding's position to zeros, as in every trained RoBERTa."""
    path = folder / "model.safetensors"
    weights = load_file(path)
    pad = json.loads((folder / "config.json").read_text())["pad_token_id"]
    weights["embeddings.position_embeddings.weight"][pad] = 0
    save_file(weights, path)


ROBERTAS: dict[str, tuple[dict[str, Any], list[Callable[[Path], None]]]] = {
    "a tokenizer of BERT's pieces": ({}, [with_pieces]),
    "XLM-RoBERTa": ({"kind": T.XLMRobertaModel}, [with_unigrams]),
    "of SentencePiece": ({"type_vocab_size": 2}, [with_unigrams]),
    "of vocab.json and merges.txt": ({"type_vocab_size": 2}, [with_older_files]),
    "no padding in config.json": ({}, [without_padding, with_pieces]),
    "zeros": ({"max_position_embeddings": 40, "type_vocab_size": 2}, [with_untrained_row, with_pieces]),
    "zeros of another padding": (
        {"max_position_embeddings": 40, "type_vocab_size": 2, "pad_token_id": 0},
        [with_untrained_row, with_pieces],
    ),
}


@pytest.mark.parametrize(("changes", "steps"), ROBERTAS.values(), ids=ROBERTAS)
def test_a_bare_roberta_is_told_from_bert_by_its_positions_padding_segments_and_tokenizer(changes, steps, tmp_path):
    theirs = saved(of_roberta(**changes), tmp_path)
    change_config(tmp_path, *BOTH)
    for step in steps:
        step(tmp_path)
    theirs = type(theirs).from_pretrained(tmp_path, config=theirs.config)  # with the zeros
    assert_same(tmp_path, theirs, "the cats sat")


UNCERTAIN: dict[str, tuple[Callable[[], Any], str]] = {
    **{
        f"a RoBERTa with {changes}": (lambda changes=changes: of_roberta(**changes), "'bert', 'roberta'")
        for changes in ({"max_position_embeddings": 40}, {"type_vocab_size": 2}, {"pad_token_id": 0})
    },
    "a BERT with padding 1": (lambda: T.BertModel(bert_config(pad_token_id=1)), "'bert', 'roberta'"),
    "a BERT of one segment": (lambda: T.BertModel(bert_config(type_vocab_size=1)), "'bert', 'roberta'"),
    **{
        kind: (partial(of_llama, config, model), "'llama', 'mistral', 'qwen2', 'qwen3'")
        for kind, config, model in (
            ("granite", T.GraniteConfig, T.GraniteForCausalLM),
            ("helium", T.HeliumConfig, T.HeliumForCausalLM),
            ("smollm3", partial(T.SmolLM3Config, pad_token_id=0), T.SmolLM3ForCausalLM),
            ("gemma", T.GemmaConfig, T.GemmaForCausalLM),
        )
    },
}


@pytest.mark.parametrize(("make", "choices"), UNCERTAIN.values(), ids=UNCERTAIN)
def test_what_may_be_of_two_architectures_is_refused_with_the_cure(make, choices, tmp_path):
    theirs = saved(make(), tmp_path)
    change_config(tmp_path, *BOTH)
    if isinstance(theirs, T.RobertaModel):
        with_pieces(tmp_path)
    with pytest.raises(former.CheckpointError) as refusal:
        former.pretrained.load(tmp_path)
    assert str(refusal.value).endswith(f'; put "model_type" into config.json, one of {choices}')
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("field", ["pretraining_tp", "scale_emb"])
def test_a_llama_without_its_own_field_or_with_one_of_others_is_not_certain(field, tmp_path):
    saved(of_llama(T.LlamaConfig, T.LlamaForCausalLM), tmp_path)
    change_config(tmp_path, *BOTH, *([field] if field == "pretraining_tp" else []), **{field: 12})
    with pytest.raises(former.CheckpointError, match=r'put "model_type" into config\.json, one of'):
        former.pretrained.load(tmp_path)


@pytest.mark.parametrize("gone", [(), BOTH[:1]], ids=len)
@pytest.mark.parametrize("name", ["SentenceTransformer", "JointBERT"])
@pytest.mark.parametrize("make", TOLD.values(), ids=TOLD)
def test_of_a_class_that_is_not_of_transformers_the_body_is_read(make, name, gone, tmp_path):
    theirs = saved(make(), tmp_path)
    change_config(tmp_path, *gone, architectures=[name])
    bundle = assert_same(tmp_path, theirs.base_model)
    assert not isinstance(bundle.model, BertClassifier)
    heads = {"classifier"} if "Classification" in type(theirs).__name__ else set()
    assert set(bundle.card.get("heads_left", [])) == heads


@pytest.mark.parametrize("name", ["ElectraModel", "XLMRobertaModel", "MegatronBertForMaskedLM"])
@pytest.mark.parametrize("gone", [(), BOTH[:1]], ids=len)
def test_a_class_of_another_architecture_is_refused_with_the_cure(gone, name, tmp_path):
    saved(T.BertModel(bert_config()), tmp_path)
    change_config(tmp_path, *gone, architectures=[name])
    cure = 'which may compute something else; put "BertModel" there if it has the same body'
    with pytest.raises(former.CheckpointError, match=f"classes of Bert, got '{name}', {cure}$"):
        former.pretrained.load(tmp_path)


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
    change_config(tmp_path, *BOTH)
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
