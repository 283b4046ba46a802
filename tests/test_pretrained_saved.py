"""`pretrained.save` of models like Llama, Pythia, RoBERTa and DistilBERT: opened by `transformers`, with equal results.

The weights are written in float32 and read back exactly; logits differ by rounding alone, hence 1e-4.
"""

from pathlib import Path
from typing import Any

import pytest
import torch

import former
from former import cpu, llama
from former.tokens import ByteTokenizer, WordTokenizer
from tests.test_pretrained_llama import SHAPES, ids, llama2, llama3
from tests.test_pretrained_roberta import BODIES, CLASSIFIERS, LABELS, padded
from tests.their_models import TEXTS, T, distilbert_config, llama_config, neox_config, saved

SMALL: dict[str, Any] = {"emb": 24, "heads": 4, "kv_heads": 2, "depth": 2, "seq_length": 80, "ff_hidden": 40}


def saved_again(folder: Path, kind: Any) -> tuple[former.Bundle, Any]:
    """Reads a folder by ours and writes it; returns ours and what `transformers` reads, as a class `kind` and without
    missing or unexpected weights."""
    bundle = former.pretrained.load(folder)
    former.pretrained.save(bundle, folder / "again")
    theirs, loading = kind.from_pretrained(folder / "again", output_loading_info=True)
    assert not any(loading.values()), loading
    assert theirs.config.architectures == [kind.__name__]
    assert_same_state(former.pretrained.load(folder / "again"), bundle)
    return bundle, theirs


def assert_same_state(reloaded: former.Bundle, bundle: former.Bundle) -> None:
    state = bundle.model.state_dict()
    assert reloaded.config == bundle.config
    assert reloaded.model.state_dict().keys() == state.keys()
    assert all(torch.equal(tensor, state[name]) for name, tensor in reloaded.model.state_dict().items())


@pytest.mark.parametrize(("config", "kind", "changes"), SHAPES.values(), ids=SHAPES)
@torch.no_grad()
def test_a_generator_is_written_as_the_class_that_it_was_read_from(config, kind, changes, tmp_path):
    values = config(**changes) if config is neox_config else llama_config(config, **changes)
    expected = saved(kind(values), tmp_path)(ids()).logits
    if changes.get("sliding_window", 7) is None:  # a Mistral without a window computes what a Llama does
        kind = T.LlamaForCausalLM
    bundle, theirs = saved_again(tmp_path, kind)
    torch.testing.assert_close(theirs(ids()).logits, expected, atol=1e-4, rtol=0)
    tokenizer = T.AutoTokenizer.from_pretrained(tmp_path / "again")
    for text in (*TEXTS, "a <|endoftext|> b"):
        assert tokenizer(text)["input_ids"] == bundle.tokenizer.encode(text)


@pytest.mark.parametrize(("kind", "config", "changes"), BODIES.values(), ids=BODIES)
@torch.no_grad()
def test_a_bert_by_another_name_is_written_as_the_class_that_it_was_read_from(kind, config, changes, tmp_path):
    theirs = saved(kind(config(**changes)), tmp_path)
    tokens, real = padded(theirs.config)
    expected = theirs(tokens, attention_mask=real)[0]
    bundle, reloaded = saved_again(tmp_path, kind)
    torch.testing.assert_close(
        reloaded(tokens, attention_mask=real)[0][real.bool()], expected[real.bool()], atol=1e-4, rtol=0
    )
    tokenizer = T.AutoTokenizer.from_pretrained(tmp_path / "again")
    for text in (*TEXTS, f"the {tokenizer.mask_token} sat"):
        assert tokenizer(text)["input_ids"] == bundle.tokenizer.encode(text)


@pytest.mark.parametrize(("kind", "config"), CLASSIFIERS.values(), ids=CLASSIFIERS)
@torch.no_grad()
def test_a_classifier_keeps_its_classes(kind, config, tmp_path):
    theirs = saved(kind(config(**LABELS)), tmp_path)
    tokens, real = padded(theirs.config)
    _, reloaded = saved_again(tmp_path, kind)
    torch.testing.assert_close(
        reloaded(tokens, attention_mask=real).logits, theirs(tokens, attention_mask=real).logits, atol=1e-4, rtol=0
    )
    assert reloaded.config.id2label == LABELS["id2label"]


@torch.no_grad()
def test_a_tokenizer_with_a_pattern_and_a_first_token_of_its_own_is_kept(tmp_path):
    saved(T.LlamaForCausalLM(llama_config()), tmp_path)
    llama3().save(str(tmp_path / "tokenizer.json"))
    bundle, theirs = saved_again(tmp_path, T.LlamaForCausalLM)
    assert theirs.config.bos_token_id == 299
    tokenizer = T.AutoTokenizer.from_pretrained(tmp_path / "again")
    for text in (*TEXTS, "12345 cats"):
        assert tokenizer(text)["input_ids"] == bundle.tokenizer.encode(text)


@pytest.mark.parametrize(("make", "eos", "end"), [(llama2, 2, 2), (llama3, [299, 7], 299), (llama3, 7, 7)])
@torch.no_grad()
def test_transformers_stops_at_the_end_of_text_of_a_model_that_was_written_again(make, eos, end, tmp_path):
    tokenizer = make()
    config = llama_config(vocab_size=tokenizer.get_vocab_size(), eos_token_id=eos, tie_word_embeddings=False)
    saved(T.LlamaForCausalLM(config), tmp_path)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    bundle, theirs = saved_again(tmp_path, T.LlamaForCausalLM)
    assert getattr(bundle.tokenizer, "end_token", None) == end
    former.save(bundle, tmp_path / "card")
    assert getattr(former.load(tmp_path / "card").tokenizer, "end_token", None) == end
    prompt = ids(1, 5) % 250
    theirs.lm_head.weight.zero_()  # all logits are equal but for the end's, so it is written next or never
    theirs.lm_head.weight[end] = torch.sign(theirs.model(prompt).last_hidden_state[0, -1])
    written = theirs.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=8, do_sample=False)[0, 5:]
    assert written.tolist() == [end]


OWN: dict[str, tuple[dict[str, Any], str]] = {
    "llama's shape": ({"dropout": 0.1}, "LlamaForCausalLM"),
    "not tied, frequencies scaled": ({"tied": False, "rotary_scaling": (4.0, 1.0, 4.0, 16.0)}, "LlamaForCausalLM"),
    "a window": ({"mask": "local", "mask_size": 9}, "MistralForCausalLM"),
    "biases of queries, keys and values": ({"attention_bias": True}, "Qwen2ForCausalLM"),
    "these and a window": ({"attention_bias": True, "mask": "local", "mask_size": 9}, "Qwen2ForCausalLM"),
    "normed queries and keys": ({"qk_norm": True, "size": 10}, "Qwen3ForCausalLM"),
}


@pytest.mark.parametrize(("changes", "name"), OWN.values(), ids=OWN)
@torch.no_grad()
def test_our_model_on_bytes_opens_in_transformers(changes, name, tmp_path):
    torch.manual_seed(0)
    config = llama.config(**{**SMALL, "num_tokens": 256, **changes})
    bundle = former.Bundle(former.Generator(config).eval(), ByteTokenizer(), config)
    former.pretrained.save(bundle, tmp_path)
    theirs = T.AutoModelForCausalLM.from_pretrained(tmp_path)
    assert type(theirs).__name__ == name
    text = "\x00 Ünï 北京 👍🏽\n"
    tokens = torch.tensor([T.AutoTokenizer.from_pretrained(tmp_path)(text)["input_ids"]])
    assert tokens[0].tolist() == list(text.encode())
    torch.testing.assert_close(theirs(tokens).logits, bundle.model(tokens), atol=1e-4, rtol=0)
    reloaded = former.pretrained.load(tmp_path)
    assert reloaded.tokenizer.encode(text) == list(text.encode())
    torch.testing.assert_close(reloaded.model(tokens), bundle.model(tokens), atol=1e-5, rtol=0)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "an output layer with a bias": ({"tied": False, "output_bias": True}, "in llama output_bias must be False"),
    "a feed-forward without a gate": ({"activation": "gelu"}, "in llama activation must be 'swiglu', got 'gelu'"),
    "norms of layers, heads of keys": (
        {"normalisation": "layer", "activation": "gelu", "ff_bias": True},
        "in gpt_neox kv_heads must be 4, got 2",
    ),
    "a part of each head turned": ({"rotary_share": 0.5, "size": 8}, "partial_rotary_factor must be 1.0, got 0.5"),
    "another mask": ({"mask": "strided", "mask_size": 3}, "mask must be 'causal', got 'strided'"),
}


@pytest.mark.parametrize(("changes", "message"), REFUSED.values(), ids=REFUSED)
def test_a_shape_that_transformers_lacks_is_refused_in_one_line(changes, message, tmp_path):
    config = llama.config(**{**SMALL, "num_tokens": 256, **changes})
    with pytest.raises(ValueError, match=message) as refusal:
        former.pretrained.save(former.Bundle(former.Generator(config), ByteTokenizer(), config), tmp_path)
    assert "\n" not in str(refusal.value)
    assert not list(tmp_path.iterdir())


def test_a_fast_twin_is_refused_by_its_name(tmp_path):
    config = llama.config(**{**SMALL, "num_tokens": 256})
    twin = cpu.optimise(former.Generator(config).eval())
    if not isinstance(twin, former.Generator):  # only where this machine has a fast way
        with pytest.raises(ValueError, match="bundle must hold a Generator, Bert or BertClassifier, got FastGenerator"):
            former.pretrained.save(former.Bundle(twin, ByteTokenizer(), config), tmp_path)
        assert not list(tmp_path.iterdir())


def test_a_tokenizer_of_words_and_segments_that_distilbert_lacks_are_refused(tmp_path):
    words = WordTokenizer.build(["the cat sat"], 20)
    config = llama.config(**{**SMALL, "num_tokens": words.num_tokens})
    with pytest.raises(ValueError, match="tokenizer must be of bytes or pieces of words, got WordTokenizer"):
        former.pretrained.save(former.Bundle(former.Generator(config), words, config), tmp_path / "again")
    saved(T.DistilBertModel(distilbert_config()), tmp_path)
    bundle = former.pretrained.load(tmp_path)
    bundle.model.segment_embedding.weight.data.fill_(1.0)
    with pytest.raises(ValueError, match=r"segment_embedding.weight must be zeros, which distilbert does not have"):
        former.pretrained.save(bundle, tmp_path / "again")
    assert not (tmp_path / "again").exists()
