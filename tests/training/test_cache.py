"""The cache of tokens that are slow to compute."""

import torch

import former
from former.training import cache


def test_a_cached_corpus_is_the_one_that_was_made_and_other_facts_make_it_again(tmp_path):
    tokenizer = former.tokens.ByteTokenizer()
    result = tokenizer, {"x": torch.arange(3)}
    for folder in (None, tmp_path, tmp_path):
        held, tensors = cache.load_or_make(folder, {"a": 1}, lambda: result)
        assert (held.to_dict(), tensors["x"].tolist()) == (tokenizer.to_dict(), [0, 1, 2])
    assert cache.load_or_make(tmp_path, {"a": 2}, lambda: (tokenizer, {"x": torch.ones(1)}))[1]["x"].tolist() == [1]
