"""Llama, Mistral, Qwen and Pythia in Hugging Face's format: equal to `transformers`, generation included."""

import json
from typing import Any

import pytest
import tokenizers
import torch
from safetensors.torch import load_file, save_file
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

import former
from former import cpu
from former.hooks import POINTS
from former.tokens import BpeTokenizer, PieceTokenizer
from tests.test_pretrained_others import change_config
from tests.their_models import TEXTS, T, llama_config, neox_config, saved

LLAMA3 = {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "rope_theta": 500.0}
SHAPES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "llama": (T.LlamaConfig, T.LlamaForCausalLM, {}),
    "llama, tied, one head of keys": (
        *(T.LlamaConfig, T.LlamaForCausalLM),
        {"tie_word_embeddings": True, "num_key_value_heads": 1, "rms_norm_eps": 1e-3},
    ),
    "llama 3, with biases": (
        *(T.LlamaConfig, T.LlamaForCausalLM),
        {
            "rope_parameters": {**LLAMA3, "original_max_position_embeddings": 16},
            **{"attention_bias": True, "mlp_bias": True, "num_key_value_heads": 4},
        },
    ),
    "llama, linear scaling, larger heads": (
        *(T.LlamaConfig, T.LlamaForCausalLM),
        {"rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 300.0}, "head_dim": 10},
    ),
    "mistral with a window": (T.MistralConfig, T.MistralForCausalLM, {"sliding_window": 7}),
    "mistral without": (T.MistralConfig, T.MistralForCausalLM, {"sliding_window": None, "head_dim": 8}),
    "qwen2": (T.Qwen2Config, T.Qwen2ForCausalLM, {"tie_word_embeddings": True}),
    "qwen2 with a window": (
        *(T.Qwen2Config, T.Qwen2ForCausalLM),
        {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 0},
    ),
    "qwen3": (T.Qwen3Config, T.Qwen3ForCausalLM, {"head_dim": 8, "tie_word_embeddings": True}),
    "gpt_neox": (neox_config, T.GPTNeoXForCausalLM, {}),
    "gpt_neox, one after the other, tied": (
        *(neox_config, T.GPTNeoXForCausalLM),
        {
            "use_parallel_residual": False,
            "tie_word_embeddings": True,
            "attention_bias": False,
            "hidden_act": "gelu_new",
        },
    ),
    "qwen3 with biases": (T.Qwen3Config, T.Qwen3ForCausalLM, {"attention_bias": True, "num_attention_heads": 6}),
}


def ids(b: int = 2, length: int = 30) -> torch.Tensor:
    return torch.randint(5, 299, (b, length), generator=torch.Generator().manual_seed(1))


@pytest.fixture(params=SHAPES.values(), ids=list(SHAPES))
def pair(request, tmp_path) -> tuple[Any, former.Bundle]:
    """Returns the model of `transformers`, and ours, read from its folder."""
    config, kind, changes = request.param
    values = config(**changes) if config is neox_config else llama_config(config, **changes)
    theirs = saved(kind(values), tmp_path)
    return theirs, former.pretrained.load(tmp_path)


@torch.no_grad()
def test_the_logits_and_maps_are_those_of_transformers_and_so_are_the_twins(pair):
    theirs, bundle = pair
    expected = theirs(ids(), output_attentions=True)
    for model in (bundle.model, cpu.optimise(bundle.model)):
        logits, capture = former.run_with_capture(model, ids(), POINTS)
        torch.testing.assert_close(logits, expected.logits, atol=1e-4, rtol=0)
        torch.testing.assert_close(model(ids()), expected.logits, atol=1e-4, rtol=0)
        for layer, weights in enumerate(expected.attentions):
            torch.testing.assert_close(capture["weights", layer], weights, atol=1e-5, rtol=0)


@torch.no_grad()
def test_writing_greedily_gives_the_tokens_of_transformers(pair):
    """Compares up to the first tie: where the two best logits differ by less than the two models may, rounding
    decides."""
    theirs, bundle = pair
    prompt = ids(1, 5)
    expected = theirs.generate(
        prompt, max_new_tokens=24, min_new_tokens=24, do_sample=False, pad_token_id=0, use_cache=False
    )[0, 5:]
    logits = theirs(torch.cat((prompt, expected[None]), 1)).logits[0, 4:-1]
    best, second = logits.topk(2).values.T
    close = (best - second < 2e-4).nonzero()  # twice the tolerance of the logits
    sure = int(close[0]) if len(close) else 24
    assert sure >= 5
    for model in (bundle.model, cpu.optimise(bundle.model)):
        steps = former.generate(model, prompt[0], sure, temperature=0)
        assert [step.token for step in steps] == expected[:sure].tolist()


@torch.no_grad()
def test_the_fields_and_buffers_of_older_files_are_read(tmp_path):
    rope = {**LLAMA3, "original_max_position_embeddings": 16}
    theirs = saved(T.LlamaForCausalLM(llama_config(rope_parameters=rope)), tmp_path)
    scaling = {name: value for name, value in rope.items() if name != "rope_theta"}
    change_config(tmp_path, "rope_parameters", rope_theta=500.0, rope_scaling=scaling)
    weights = load_file(tmp_path / "model.safetensors")
    buffers = {f"model.layers.{i}.self_attn.rotary_emb.inv_freq": torch.ones(3) for i in range(3)}
    save_file(weights | buffers, tmp_path / "model.safetensors")
    torch.testing.assert_close(former.pretrained.load(tmp_path).model(ids()), theirs(ids()).logits, atol=1e-4, rtol=0)


FOREIGN: dict[str, tuple[Any, Any, dict[str, Any]]] = {  # fields of other classes, which these two do not read
    "a window in llama": (T.LlamaConfig, T.LlamaForCausalLM, {"sliding_window": 5}),
    "a switch of the window": (T.MistralConfig, T.MistralForCausalLM, {"use_sliding_window": False}),
    "the first layer with a window": (T.MistralConfig, T.MistralForCausalLM, {"max_window_layers": 3}),
    "a bias of the feed-forward": (T.MistralConfig, T.MistralForCausalLM, {"mlp_bias": True}),
    "kinds of layers": (T.MistralConfig, T.MistralForCausalLM, {"layer_types": ["full_attention"] * 3}),
}


@pytest.mark.parametrize(("config", "kind", "changes"), FOREIGN.values(), ids=FOREIGN)
@torch.no_grad()
def test_a_field_that_transformers_ignores_changes_nothing(config, kind, changes, tmp_path):
    saved(kind(llama_config(config, sliding_window=5)), tmp_path)
    change_config(tmp_path, **changes)
    expected = kind.from_pretrained(tmp_path)(ids()).logits
    torch.testing.assert_close(former.pretrained.load(tmp_path).model(ids()), expected, atol=1e-4, rtol=0)


REFUSED = {
    "a scaling unknown here": ({"rope_parameters": {"rope_type": "yarn"}}, "rope_type must be one of 'default'"),
    "another activation": ({"hidden_act": "gelu"}, "hidden_act must be 'silu', got 'gelu'"),
    "groups of unequal sizes": ({"num_key_value_heads": 3}, "kv_heads must divide heads"),
    "a scaling of no number": (
        {"rope_parameters": {"rope_type": "linear", "factor": "2"}},
        "rotary_scaling must be None or factor",
    ),
    "a factor that is missing": ({"rope_parameters": {"rope_type": "linear"}}, "rotary_scaling must be None or factor"),
    "a part of each head turned": ({"partial_rotary_factor": 0.5}, "partial_rotary_factor must be 1.0, got 0.5"),
    "layers of two kinds": (
        {"model_type": "qwen2", "use_sliding_window": True, "max_window_layers": 1, "sliding_window": 4},
        "layer_types must be all alike",
    ),
}


@pytest.mark.parametrize(("changes", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_known_here_is_refused_in_one_line(changes, message, tmp_path):
    saved(T.LlamaForCausalLM(llama_config(tie_word_embeddings=True)), tmp_path)
    change_config(tmp_path, "architectures", **changes)
    with pytest.raises(former.CheckpointError) as refusal:
        former.pretrained.load(tmp_path)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


# --- tokenizers -------------------------------------------------------------------------------------------------------


def llama2() -> tokenizers.Tokenizer:
    """Builds a SentencePiece tokenizer like Llama 2's: ▁ for a space, bytes for unknown pieces, <s> at the
    beginning."""
    words = ["▁t", "h", "he", "▁the", "▁c", "at", "▁cat", "s", "▁", "t", "c", "a", "e"]
    vocabulary = {piece: i for i, piece in enumerate(["<unk>", "<s>", "</s>"])}
    vocabulary |= {f"<0x{byte:02X}>": 3 + byte for byte in range(256)}
    vocabulary |= {word: 259 + i for i, word in enumerate(words)}
    merges = [("▁", "t"), ("h", "e"), ("▁t", "he"), ("▁", "c"), ("a", "t"), ("▁c", "at")]
    tokenizer: Any = tokenizers.Tokenizer(
        models.BPE(vocabulary, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    return tokenizer


def llama3() -> tokenizers.Tokenizer:
    """Builds a byte-level tokenizer like Llama 3's and Qwen's: split by a pattern, with a token at the beginning."""
    tokenizer: Any = tokenizers.Tokenizer.from_str(BpeTokenizer.train(TEXTS, 300).to_dict()["definition"])
    pattern = tokenizers.Regex(r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(pattern, "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    template = processors.TemplateProcessing(single="<|endoftext|> $A", special_tokens=[("<|endoftext|>", 299)])
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), template])
    return tokenizer


@pytest.mark.parametrize("make", [llama2, llama3])
def test_any_tokenizer_reads_and_writes_as_that_of_transformers(make, tmp_path):
    tokenizer = make()
    config = llama_config(vocab_size=tokenizer.get_vocab_size())
    saved(T.LlamaForCausalLM(config), tmp_path)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))
    theirs = T.AutoTokenizer.from_pretrained(tmp_path)
    bundle = former.pretrained.load(tmp_path)
    ours: Any = bundle.tokenizer
    assert isinstance(ours, PieceTokenizer)
    for text in (*TEXTS, "the cats", "é 北京 👍🏽\n", "cat</s>", " the  cat "):
        read = ours.encode(text)
        assert read == theirs(text)["input_ids"]
        assert len(ours.labels(read)) == len(read)
        assert ours.decode(read) == theirs.decode(read, skip_special_tokens=True) or "</s>" in text
        assert b"".join(map(ours.bytes_of, read)).decode().strip() == text.strip()
    assert bundle.run("the cats").tokens[0] == theirs.convert_ids_to_tokens(ours.before)[0]
    former.save(bundle, tmp_path / "ours")
    assert former.load(tmp_path / "ours").tokenizer.encode("the cats") == ours.encode("the cats")


def test_the_labels_of_sentencepiece_show_spaces_and_bytes():
    tokenizer = PieceTokenizer(llama2().to_str())
    assert tokenizer.labels(tokenizer.encode("the cats é")) == ["<s>", "␣the", "␣cat", "s", "␣", "é", "‥"]
