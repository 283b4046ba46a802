"""The tokens that hardly occur in a training text, found from the weights."""

import gc
import weakref

import torch

import former
from former.analysis import rare_tokens


def test_bytes_that_no_text_contains_are_rare_and_letters_are_not():
    for name in ("generator", "gpt"):
        bundle = former.load(name)
        rare = rare_tokens(bundle.model, bundle.tokenizer)
        labels = [bundle.tokenizer.labels([i])[0] for i in range(len(rare))]
        of = dict(zip(labels, rare.tolist(), strict=True))
        assert all(of[f"x{byte:02X}"] for byte in (0x00, 0x1F, 0x7F, 0xC0, 0xC1, *range(0xF5, 0x100)))
        common = {letter: of[letter] for letter in "etaoinshrdlu,.␣⏎"}
        assert not any(common.values()), common
        assert rare.float().mean() < 0.5
    assert f"{int(rare.sum())} are rare" in (rare_tokens.__doc__ or "")  # of gpt; no cosine is within 3e-4 of `LEAST`


def test_a_token_is_rare_if_its_output_vector_is_as_those_of_bytes_without_a_text():
    torch.manual_seed(0)
    tokenizer = former.tokens.ByteTokenizer()
    config = former.ModelConfig(num_tokens=256, emb=64, heads=4, depth=1, seq_length=8)
    model = former.Generator(config)
    unused = [0xC0, 0xC1, *range(0xF5, 0x100)]
    weight = model.output_weight if model.toprobs is None else model.toprobs.weight
    weight.data[[*unused, 65]] = 5.0 + 0.1 * torch.randn(len(unused) + 1, 64)
    rare = rare_tokens(model, tokenizer)
    control = [i for i in range(256) if (i < 32 and i not in (9, 10)) or i == 127]
    assert sorted(rare.nonzero().flatten().tolist()) == sorted({*unused, *control, 65})


def test_rare_tokens_are_those_of_the_weights_as_they_are_now_and_keep_no_model():
    config = former.ModelConfig(num_tokens=256, emb=64, heads=4, depth=1, seq_length=8)
    model, tokenizer = former.Generator(config), former.tokens.ByteTokenizer()
    before = rare_tokens(model, tokenizer)
    with torch.no_grad():
        model.output_weight[65] = model.output_weight[[0xC0, 0xC1, *range(0xF5, 0x100)]].mean(0)
    assert rare_tokens(model, tokenizer)[65]
    assert not before[65]
    seen = weakref.ref(model)
    del model
    gc.collect()
    assert seen() is None


def test_of_a_tokenizer_of_words_no_token_is_rare():
    bundle = former.load("dates")
    assert not rare_tokens(bundle.model, bundle.tokenizer).any()
