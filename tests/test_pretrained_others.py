"""Folders made by others: without a head, with unknown heads, of odd sizes, with missing or additional files.

Each is built by `transformers` and compared with it: hidden states and logits to 1e-4, maps to 1e-5.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

import former
from former import cpu
from former.hooks import POINTS
from tests.ranked import check_greedy
from tests.their_models import (
    TEXTS,
    T,
    bert_config,
    gpt2_config,
    llama_config,
    neox_config,
    saved,
)

TEXT = TEXTS[0][:60]


@torch.no_grad()
def assert_same(folder: Path, body: Any, text: str = TEXT) -> former.Bundle:
    """Reads a folder and asserts that the last vectors and the maps of a text equal those of `body`, and that its fast
    twin gives the same."""
    bundle = former.pretrained.load(folder)
    tokens = torch.tensor([bundle.tokenizer.encode(text)[:40]])
    theirs = body(tokens, output_attentions=True)
    out, capture = former.run_with_capture(bundle.model, tokens, ("weights", "resid_post"))
    last = capture.get("resid_post", bundle.config.depth - 1)
    last = bundle.model.norm(last) if isinstance(bundle.model, former.Generator) else last
    torch.testing.assert_close(last, theirs.last_hidden_state, atol=1e-4, rtol=0)
    quick, seen = former.run_with_capture(cpu.optimise(bundle.model), tokens)
    torch.testing.assert_close(quick, out, atol=1e-4, rtol=0)
    for layer, weights in enumerate(theirs.attentions):
        torch.testing.assert_close(capture.get("weights", layer), weights, atol=1e-5, rtol=0)
        torch.testing.assert_close(seen.get("weights", layer), weights, atol=1e-5, rtol=0)
    return bundle


def change_config(folder: Path, *gone: str, **changes: Any) -> None:
    path = folder / "config.json"
    values = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps({name: value for name, value in values.items() if name not in gone}))


def rename(folder: Path, change: Any) -> None:
    path = folder / "model.safetensors"
    save_file({change(name): tensor for name, tensor in load_file(path).items()}, path)


# --- heads ------------------------------------------------------------------------------------------------------------


def test_a_bare_bert_gives_its_vectors_and_maps_and_says_what_it_cannot(tmp_path):
    theirs = saved(T.BertModel(bert_config()), tmp_path)
    bundle = assert_same(tmp_path, theirs)
    tokens = torch.tensor([bundle.tokenizer.encode(TEXT)])
    out, capture = former.run_with_capture(bundle.model, tokens)
    torch.testing.assert_close(out, theirs(tokens).last_hidden_state, atol=1e-4, rtol=0)
    rolled = former.analysis.rollout(capture.stack("weights")[:, 0])
    torch.testing.assert_close(rolled.sum(-1), torch.ones(len(rolled)))
    with pytest.raises(ValueError, match="no masked-word head"):
        former.logit_lens(bundle.model, tokens)
    assert "heads_left" not in bundle.card


BODIES: dict[str, tuple[Any, Any, list[str]]] = {  # none has an output layer for the next token
    "llama": (T.LlamaModel, llama_config(), []),
    "mistral with a window": (T.MistralModel, llama_config(T.MistralConfig, sliding_window=7), []),
    "qwen2": (T.Qwen2Model, llama_config(T.Qwen2Config), []),
    "qwen3": (T.Qwen3Model, llama_config(T.Qwen3Config, head_dim=8), []),
    "gpt_neox": (T.GPTNeoXModel, neox_config(), []),
    "a verdict of llama": (T.LlamaForSequenceClassification, llama_config(pad_token_id=0), ["score"]),
    "llama's token classification": (T.LlamaForTokenClassification, llama_config(), ["score"]),
    "llama's question answering": (T.LlamaForQuestionAnswering, llama_config(), ["qa_outputs"]),
    "a verdict of gpt_neox": (T.GPTNeoXForSequenceClassification, neox_config(pad_token_id=0), ["score"]),
}


@pytest.mark.parametrize(("kind", "config", "left"), BODIES.values(), ids=list(BODIES))
@torch.no_grad()
def test_a_body_without_an_output_layer_gives_its_vectors_and_maps_and_says_what_it_cannot(
    kind, config, left, tmp_path
):
    theirs = saved(kind(config), tmp_path)
    bundle = assert_same(tmp_path, theirs.base_model)
    assert bundle.card.get("heads_left", []) == left
    tokens = torch.tensor([bundle.tokenizer.encode(TEXT)[:40]])
    expected = theirs.base_model(tokens).last_hidden_state
    torch.testing.assert_close(bundle.model(tokens), expected, atol=1e-4, rtol=0)
    run = bundle.run(TEXT)
    torch.testing.assert_close(former.analysis.rollout(run).sum(-1), torch.ones(len(run.ids)))
    asked: list[Any] = [
        *(run.next_tokens, run.surprise, lambda: former.analysis.lens(run)),
        lambda: list(former.analysis.head_effects(run)),
        lambda: former.patching.heads(run, run, former.patching.probability(0)),
        lambda: former.analysis.rare_tokens(bundle.model, bundle.tokenizer),
        lambda: former.analysis.logit_lens(bundle.model, tokens),
        lambda: former.analysis.logit_parts(bundle.model, tokens),
        lambda: former.analysis.copying_score(bundle.model),
        lambda: former.analysis.ablation_effects(bundle.model, tokens),
        *(lambda model=model: former.generate(model, [1], 3) for model in (bundle.model, cpu.optimise(bundle.model))),
        lambda: former.beam_search(bundle.model, [1], 3),
    ]
    for question in asked:
        with pytest.raises(ValueError, match=r"(has no|have an) output layer"):
            question()
    former.save(bundle, tmp_path / "ours")
    assert former.load(tmp_path / "ours").config == bundle.config
    former.pretrained.save(bundle, tmp_path / "again")
    reloaded = T.AutoModel.from_pretrained(tmp_path / "again")
    assert type(reloaded) is type(theirs.base_model)
    torch.testing.assert_close(reloaded(tokens).last_hidden_state, expected, atol=1e-4, rtol=0)


def test_a_class_with_an_output_layer_whose_file_lacks_it_is_refused(tmp_path):
    saved(T.LlamaModel(llama_config()), tmp_path)
    change_config(tmp_path, architectures=["LlamaForCausalLM"])
    with pytest.raises(former.CheckpointError, match=r"lack 'lm_head\.weight', the output layer; save a model whose"):
        former.pretrained.load(tmp_path)


HEADS = {
    "question answering": (T.BertForQuestionAnswering, {}, ["qa_outputs"]),
    "token classification": (T.BertForTokenClassification, {"num_labels": 5}, ["classifier"]),
    "multiple choice": (T.BertForMultipleChoice, {}, ["classifier"]),
    "a score": (T.BertForSequenceClassification, {"num_labels": 1}, ["classifier"]),
    "many labels": (
        T.BertForSequenceClassification,
        {"num_labels": 3, "problem_type": "multi_label_classification"},
        ["classifier"],
    ),
    "a verdict of GPT-2": (T.GPT2ForSequenceClassification, {"pad_token_id": 0}, ["score"]),
    "GPT-2's token classification": (T.GPT2ForTokenClassification, {}, ["classifier"]),
    "GPT-2's question answering": (T.GPT2ForQuestionAnswering, {}, ["qa_outputs"]),
    "two heads of GPT-2": (T.GPT2DoubleHeadsModel, {}, ["multiple_choice_head"]),
}


@pytest.mark.parametrize(("model", "changes", "left"), HEADS.values(), ids=HEADS.keys())
def test_of_a_head_that_is_not_known_the_body_is_read_and_its_name_kept(model, changes, left, tmp_path):
    make = gpt2_config if issubclass(model, T.GPT2PreTrainedModel) else bert_config
    theirs = saved(model(make(**changes)), tmp_path)
    bundle = assert_same(tmp_path, theirs.base_model)
    assert bundle.card["heads_left"] == left
    assert isinstance(bundle.model, former.Generator | former.Bert)


def test_a_fine_tuned_bert_that_says_no_class_is_told_by_its_pooler(tmp_path):
    theirs = saved(T.BertForSequenceClassification(bert_config(num_labels=3)), tmp_path)
    change_config(tmp_path, "architectures")
    bundle = assert_same(tmp_path, theirs.bert)
    assert isinstance(bundle.model, former.BertClassifier)
    assert bundle.config.num_classes == 3
    theirs = saved(T.BertForTokenClassification(bert_config(num_labels=3)), tmp_path)
    change_config(tmp_path, "architectures")
    assert isinstance(assert_same(tmp_path, theirs.bert).model, former.Bert)


# --- sizes and scores -------------------------------------------------------------------------------------------------


def test_tinyberts_hidden_size_is_no_multiple_and_is_kept(tmp_path):
    shape = {"hidden_size": 312, "num_attention_heads": 12, "num_hidden_layers": 4, "intermediate_size": 1200}
    theirs = saved(T.BertForMaskedLM(bert_config(**shape)), tmp_path)
    bundle = assert_same(tmp_path, theirs.bert)
    tokens = torch.tensor([bundle.tokenizer.encode(TEXT)])
    torch.testing.assert_close(bundle.model(tokens), theirs(tokens).logits, atol=1e-4, rtol=0)
    former.save(bundle, tmp_path / "ours")
    assert former.load(tmp_path / "ours").config == bundle.config
    former.pretrained.save(bundle, tmp_path / "again")
    assert T.AutoConfig.from_pretrained(tmp_path / "again").intermediate_size == 1200


@torch.no_grad()
def test_scores_that_are_divided_by_the_layers_number_are(tmp_path):
    theirs = saved(
        T.GPT2LMHeadModel(gpt2_config(scale_attn_by_inverse_layer_idx=True, n_layer=4, n_inner=50)), tmp_path
    )
    bundle = assert_same(tmp_path, theirs.transformer)
    assert bundle.config.scaled_by_layer
    tokens = torch.tensor([bundle.tokenizer.encode(TEXT)[:40]])
    logits = theirs(tokens).logits
    torch.testing.assert_close(bundle.model(tokens), logits, atol=1e-4, rtol=0)
    torch.testing.assert_close(former.logit_lens(bundle.model, tokens)[-1], logits, atol=1e-4, rtol=0)
    steps = list(former.generate(cpu.optimise(bundle.model), tokens[0, :20], 12, temperature=0))
    ids = [step.token for step in steps]
    whole = bundle.model(torch.tensor([[*tokens[0, :20].tolist(), *ids[:-1]]]))[0, 19:]
    check_greedy(ids, whole, 1e-4)
    torch.testing.assert_close(torch.stack([step.probs for step in steps]), whole.softmax(-1), atol=1e-5, rtol=0)
    edit = former.edits.ablate_head(2, 1)
    out, seen = former.run_with_capture(cpu.optimise(bundle.model), tokens, POINTS, edits=[edit])
    expected, slow = former.run_with_capture(bundle.model, tokens, POINTS, edits=[edit])
    torch.testing.assert_close(out, expected, atol=1e-4, rtol=0)
    for point in POINTS:
        torch.testing.assert_close(seen.stack(point), slow.stack(point), atol=1e-4, rtol=0)
    former.pretrained.save(bundle, tmp_path / "again")
    reloaded = T.AutoModelForCausalLM.from_pretrained(tmp_path / "again")
    torch.testing.assert_close(reloaded(tokens).logits, logits, atol=1e-4, rtol=0)
