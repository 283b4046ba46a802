"""GPT-2 and BERT in Hugging Face's format: equal to `transformers`, both ways."""

import json
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

import former
from former import gpt2
from former.bert import Bert, BertClassifier, BertConfig
from former.tokens import WordPieceTokenizer
from tests.their_models import BPE, EAGER, PIECES, TEXTS, T, bert_config, gpt2_config, saved


def ids(config: Any, length: int = 30) -> torch.Tensor:
    return torch.randint(5, config.vocab_size, (2, length), generator=torch.Generator().manual_seed(1))


def assert_same_maps(capture: former.Capture, theirs: Any) -> None:
    for layer, weights in enumerate(theirs):
        assert (capture.get("weights", layer) - weights).abs().max() <= 1e-5


GPT2S = {
    "small": {},
    "one head, one layer": {"n_head": 1, "n_layer": 1},
    "wide hidden": {"n_inner": 48},
    "another activation": {"activation_function": "relu", "layer_norm_epsilon": 1e-3},
    "the tanh gelu by its second name": {"activation_function": "gelu_pytorch_tanh"},
    "the tanh gelu by its third name": {"activation_function": "gelu_fast"},
    "distilgpt2's shape": {"n_embd": 768, "n_layer": 6, "n_head": 12},
}


@pytest.mark.parametrize("changes", GPT2S.values(), ids=GPT2S.keys())
@torch.no_grad()
def test_gpt2_gives_the_logits_and_maps_of_transformers(changes, tmp_path):
    theirs = saved(T.GPT2LMHeadModel(gpt2_config(**changes)), tmp_path)
    bundle = former.pretrained.load(tmp_path)
    tokens = ids(theirs.config)
    expected = theirs(tokens, output_attentions=True)
    logits, capture = former.run_with_capture(bundle.model, tokens)
    assert isinstance(bundle.model, former.Generator)
    assert (logits - expected.logits).abs().max() <= 1e-4
    assert (bundle.model(tokens) - expected.logits).abs().max() <= 1e-4
    assert_same_maps(capture, expected.attentions)


BERTS = {
    "small": {},
    "one head, one layer": {"num_attention_heads": 1, "num_hidden_layers": 1},
    "three segments, no padding": {"type_vocab_size": 3, "pad_token_id": None},
    "another activation": {"hidden_act": "gelu_new", "layer_norm_eps": 1e-6, "intermediate_size": 48},
}


def test_two_texts_that_are_too_long_are_cut_as_by_transformers(tmp_path):
    saved(T.BertModel(bert_config()), tmp_path)
    bundle, theirs = former.pretrained.load(tmp_path), T.AutoTokenizer.from_pretrained(tmp_path)
    for first, second in ((6, 5), (6, 6), (5, 6), (9, 2), (2, 9)):
        texts = "the " * first, "cat " * second
        for limit in range(5, 15):
            expected = theirs(*texts, truncation="longest_first", max_length=limit)["input_ids"]
            assert bundle.run("[SEP]".join(texts), limit=limit).ids == expected


@pytest.mark.parametrize("changes", BERTS.values(), ids=BERTS.keys())
@torch.no_grad()
def test_bert_gives_the_logits_and_maps_of_transformers(changes, tmp_path):
    theirs = saved(T.BertForPreTraining(bert_config(**changes)), tmp_path)
    bundle = former.pretrained.load(tmp_path)
    tokens = ids(theirs.config)
    segments = (torch.arange(30) > 12).long().expand(2, -1)
    attention = torch.ones_like(tokens)
    if theirs.config.pad_token_id is not None:
        tokens[1, 20:], attention[1, 20:] = 0, 0
    expected = theirs(tokens, token_type_ids=segments, attention_mask=attention, output_attentions=True)
    logits, capture = former.run_with_capture(bundle.model, (tokens, segments))
    assert isinstance(bundle.model, Bert)
    assert (logits - expected.prediction_logits)[attention.bool()].abs().max() <= 1e-4
    assert (bundle.model.next_sentence(tokens, segments) - expected.seq_relationship_logits).abs().max() <= 1e-4
    assert_same_maps(capture, expected.attentions)
    assert torch.equal(bundle.model(tokens), bundle.model(tokens, torch.zeros_like(tokens)))


@torch.no_grad()
def test_the_published_shape_of_gpt2_gives_the_logits_and_maps_of_transformers(tmp_path):
    theirs = saved(T.GPT2LMHeadModel(T.GPT2Config(**EAGER)), tmp_path, max_shard_size="200MB")
    assert (tmp_path / "model.safetensors.index.json").exists()
    bundle = former.pretrained.load(tmp_path)
    assert bundle.config == gpt2.config()
    tokens = ids(theirs.config, 64)[:1]
    expected = theirs(tokens, output_attentions=True)
    logits, capture = former.run_with_capture(bundle.model, tokens)
    assert (logits - expected.logits).abs().max() <= 1e-4
    assert_same_maps(capture, expected.attentions)


@torch.no_grad()
def test_the_published_shape_of_bert_gives_the_logits_and_maps_of_transformers(tmp_path):
    theirs = saved(T.BertForPreTraining(T.BertConfig(**EAGER)), tmp_path)
    bundle = former.pretrained.load(tmp_path)
    assert bundle.config == BertConfig()
    tokens = ids(theirs.config, 64)[:1]
    expected = theirs(tokens, output_attentions=True)
    logits, capture = former.run_with_capture(bundle.model, tokens)
    assert (logits - expected.prediction_logits).abs().max() <= 1e-4
    assert_same_maps(capture, expected.attentions)


@torch.no_grad()
def test_gpt2_without_its_prefix_and_with_the_buffers_of_old_files_is_the_same(tmp_path):
    theirs = saved(T.GPT2Model(gpt2_config()), tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    assert "wte.weight" in weights
    mask = torch.ones(40, 40).tril().bool()[None, None]
    buffers = {f"h.{i}.attn.bias": mask.clone() for i in range(3)} | {"h.0.attn.masked_bias": torch.tensor(-1e4)}
    output_layer = {"lm_head.weight": weights["wte.weight"].clone()}
    save_file(weights | buffers | output_layer, tmp_path / "model.safetensors")
    tokens = ids(theirs.config)
    expected = theirs(tokens).last_hidden_state @ theirs.wte.weight.T
    assert (former.pretrained.load(tmp_path).model(tokens) - expected).abs().max() <= 1e-4


@torch.no_grad()
def test_bert_keeps_the_heads_that_its_file_has_and_says_which_it_lacks(tmp_path):
    tokens = ids(bert_config())
    masked = saved(T.BertForMaskedLM(bert_config()), tmp_path / "masked")
    ours = former.pretrained.load(tmp_path / "masked").model
    assert (ours(tokens) - masked(tokens).logits).abs().max() <= 1e-4
    with pytest.raises(ValueError, match="no next-sentence head"):
        ours.next_sentence(tokens, torch.zeros_like(tokens))
    bare = saved(T.BertModel(bert_config()), tmp_path / "bare")
    ours = former.pretrained.load(tmp_path / "bare").model
    assert (ours.encode(tokens) - bare(tokens).last_hidden_state).abs().max() <= 1e-4
    assert (ours.pool(ours.encode(tokens)) - bare(tokens).pooler_output).abs().max() <= 1e-4
    assert torch.equal(ours(tokens), ours.encode(tokens))


@torch.no_grad()
def test_the_names_of_the_first_bert_files_are_read(tmp_path):
    theirs = saved(T.BertForPreTraining(bert_config()), tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    old = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): tensor
        for name, tensor in weights.items()
    }
    old["bert.embeddings.position_ids"] = torch.arange(40)[None]
    old["cls.predictions.decoder.weight"] = old["bert.embeddings.word_embeddings.weight"].clone()
    old["cls.predictions.decoder.bias"] = old.pop("cls.predictions.bias")
    save_file(old, tmp_path / "model.safetensors")
    tokens = ids(theirs.config)
    assert (former.pretrained.load(tmp_path).model(tokens) - theirs(tokens).prediction_logits).abs().max() <= 1e-4


@torch.no_grad()
def test_a_fine_tuned_bert_is_a_classifier_with_the_names_of_its_classes(tmp_path):
    labels = {"id2label": {0: "bad", 1: "fair", 2: "good"}, "label2id": {"bad": 0, "fair": 1, "good": 2}}
    theirs = saved(T.BertForSequenceClassification(bert_config(**labels)), tmp_path)
    bundle = former.pretrained.load(tmp_path)
    tokens = ids(theirs.config)
    assert isinstance(bundle.model, BertClassifier)
    assert bundle.card["classes"] == ["bad", "fair", "good"]
    assert (bundle.model(tokens) - theirs(tokens).logits.log_softmax(-1)).abs().max() <= 1e-4
    former.pretrained.save(bundle, tmp_path / "again")
    reloaded = T.AutoModelForSequenceClassification.from_pretrained(tmp_path / "again")
    assert reloaded.config.id2label == labels["id2label"]
    assert (bundle.model(tokens) - reloaded(tokens).logits.log_softmax(-1)).abs().max() <= 1e-4


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_read_as_float32(dtype, tmp_path):
    theirs = saved(T.GPT2LMHeadModel(gpt2_config()).to(dtype), tmp_path)
    state = former.pretrained.load(tmp_path).model.state_dict()
    assert {tensor.dtype for tensor in state.values()} == {torch.float32}
    assert torch.equal(state["transformer.token_embedding.weight"], theirs.transformer.wte.weight.detach().float())


@torch.no_grad()
def test_our_gpt2_opens_in_transformers(tmp_path):
    torch.manual_seed(0)
    config = gpt2.config(num_tokens=300, seq_length=40, emb=24, heads=4, depth=3, ff_hidden_mult=2)
    bundle = former.Bundle(gpt2.initialize(former.Generator(config)).eval(), BPE, config)
    former.pretrained.save(bundle, tmp_path)
    theirs = T.AutoModelForCausalLM.from_pretrained(tmp_path)
    tokenizer = T.AutoTokenizer.from_pretrained(tmp_path)
    for text in (*TEXTS, "a <|endoftext|> b", "\x00 \u202e 𠀀"):
        assert tokenizer(text)["input_ids"] == BPE.encode(text)
    tokens = torch.tensor([BPE.encode(TEXTS[0])[:40]])
    assert (theirs(tokens).logits - bundle.model(tokens)).abs().max() <= 1e-4
    reloaded = former.pretrained.load(tmp_path)
    assert torch.equal(reloaded.model(tokens), bundle.model(tokens))
    assert reloaded.tokenizer.to_dict() == BPE.to_dict()


@pytest.mark.parametrize(
    ("parts", "theirs"),
    [
        ({}, T.BertForPreTraining),
        ({"sentence_head": False, "pooler": False}, T.BertForMaskedLM),
        ({"words_head": False}, T.BertForNextSentencePrediction),
        ({"words_head": False, "sentence_head": False}, T.BertModel),
    ],
)
@torch.no_grad()
def test_our_bert_opens_in_transformers(parts, theirs, tmp_path):
    torch.manual_seed(0)
    config = BertConfig(num_tokens=120, seq_length=40, emb=24, heads=4, depth=3, **parts)
    bundle = former.Bundle(Bert(config).eval(), PIECES, config)
    former.pretrained.save(bundle, tmp_path)
    model, loading = theirs.from_pretrained(tmp_path, output_loading_info=True)
    assert model.config.architectures == [theirs.__name__]
    assert not any(loading.values()), loading
    tokenizer = T.AutoTokenizer.from_pretrained(tmp_path)
    for text in (*TEXTS, "[MASK] a", "\x00 \u202e 𠀀 É"):
        assert tokenizer(text)["input_ids"] == PIECES.encode(text)
    tokens = torch.tensor([PIECES.encode(TEXTS[0])[:40]])
    expected = model(tokens, output_hidden_states=True).hidden_states[-1]
    assert (expected - bundle.model.encode(tokens)).abs().max() <= 1e-4
    state = former.pretrained.load(tmp_path).model.state_dict()
    assert all(torch.equal(state[name], tensor) for name, tensor in bundle.model.state_dict().items())


def test_the_tokenizer_is_read_from_its_older_files(tmp_path):
    saved(T.GPT2LMHeadModel(gpt2_config()), tmp_path / "gpt2")
    (tmp_path / "gpt2" / "tokenizer.json").unlink()
    model = json.loads(BPE.to_dict()["definition"])["model"]
    vocabulary = {**model["vocab"], "<|endoftext|>": 299}
    (tmp_path / "gpt2" / "vocab.json").write_text(json.dumps(vocabulary))
    merges = "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in model["merges"])
    (tmp_path / "gpt2" / "merges.txt").write_text(merges, encoding="utf-8")
    tokenizer = former.pretrained.load(tmp_path / "gpt2").tokenizer
    for text in (*TEXTS, "a <|endoftext|> b"):
        assert tokenizer.encode(text) == BPE.encode(text)
    saved(T.BertModel(bert_config()), tmp_path / "bert")
    (tmp_path / "bert" / "tokenizer.json").unlink()
    pieces = PIECES.labels(range(PIECES.num_tokens))
    (tmp_path / "bert" / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    uncased = former.pretrained.load(tmp_path / "bert").tokenizer
    assert uncased.encode("The CATS é") == PIECES.encode("The CATS é")
    (tmp_path / "bert" / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    cased = former.pretrained.load(tmp_path / "bert").tokenizer
    assert isinstance(cased, WordPieceTokenizer)
    assert cased.encode("CATS") == [cased.cls_token, cased.unk_token, cased.sep_token]


@torch.no_grad()
def test_a_model_with_more_tokens_than_its_tokenizer_is_read(tmp_path):
    theirs = saved(T.GPT2LMHeadModel(gpt2_config(vocab_size=304)), tmp_path)
    bundle = former.pretrained.load(tmp_path)
    tokens = ids(theirs.config)
    assert (bundle.model(tokens) - theirs(tokens).logits).abs().max() <= 1e-4
    assert bundle.tokenizer.labels([303]) == ["[unused303]"]
