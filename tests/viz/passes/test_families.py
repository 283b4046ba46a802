"""Llama, Pythia, RoBERTa and DistilBERT of `transformers` on the page: their maps, and the panels that show them."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.their_models import T, distilbert_config, llama_config, neox_config, roberta_config
from tests.viz.passes.test_others import found, opened
from viz.passes import lens, measures, trace
from viz.passes.run import run
from viz.text import Refusal

LLAMA = llama_config(bos_token_id=1)
FAMILIES: dict[str, tuple[Any, str]] = {
    "llama": (lambda: T.LlamaForCausalLM(LLAMA), "The cats sat on the mat"),
    "gpt_neox": (lambda: T.GPTNeoXForCausalLM(neox_config()), "The cats sat on the mat"),
    "roberta": (lambda: T.RobertaForMaskedLM(roberta_config()), "The cats sat on [the] mat"),
    "distilbert": (lambda: T.DistilBertForMaskedLM(distilbert_config()), "The cats sat on the [mat]"),
    "classifier": (lambda: T.DistilBertForSequenceClassification(distilbert_config()), "The cats sat on the mat"),
}


@pytest.mark.parametrize(("make", "text"), FAMILIES.values(), ids=list(FAMILIES))
@torch.no_grad()
def test_a_model_of_another_family_is_shown_with_its_own_maps(make: Any, text: str, tmp_path: Path):
    model = make()
    loaded = opened(tmp_path, model)
    pass_ = run(loaded, text)
    expected = torch.cat(model(torch.tensor([pass_.header["ids"]]), output_attentions=True).attentions)
    actual = pass_.map("self")
    torch.testing.assert_close(actual.weights, expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(found("overview", loaded, text, head=1)["weights"], expected, atol=1e-5, rtol=0)
    # The page computes scores from q and k by itself.
    scores = actual.q @ actual.k.transpose(-1, -2) / math.sqrt(actual.q.shape[-1])
    scores = scores.masked_fill(expected == 0, -math.inf)
    torch.testing.assert_close(scores.softmax(-1), expected, atol=1e-5, rtol=0)
    assert lens.lens(loaded, pass_)
    assert list(measures.heads(loaded, pass_))


@torch.no_grad()
def test_the_trace_of_a_number_says_that_it_cannot_follow_turned_queries(tmp_path: Path):
    loaded = opened(tmp_path, T.LlamaForCausalLM(LLAMA))
    with pytest.raises((Refusal, ValueError)):
        trace.trace(loaded, run(loaded, "The cats sat on the mat"), "self", 1, 2, 5, 3)
