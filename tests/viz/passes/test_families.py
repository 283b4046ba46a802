"""Llama, Pythia, RoBERTa and DistilBERT of `transformers` on the page: their maps, and the panels that show them."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.their_models import T, distilbert_config, llama_config, neox_config, roberta_config
from tests.viz.passes.answered import answered, run
from tests.viz.passes.test_others import opened, run_program
from viz.panels.panel import plain
from viz.passes import measures

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
    torch.testing.assert_close(run_program("overview", loaded, text, head=1)["weights"], expected, atol=1e-5, rtol=0)
    # The page computes scores from q and k by itself.
    scores = actual.q @ actual.k.transpose(-1, -2) / math.sqrt(actual.q.shape[-1])
    scores = scores.masked_fill(expected == 0, -math.inf)
    torch.testing.assert_close(scores.softmax(-1), expected, atol=1e-5, rtol=0)
    assert answered("lens/depths", loaded, pass_)
    assert list(measures.heads(pass_.run))


@torch.no_grad()
@pytest.mark.parametrize("make", [FAMILIES["llama"][0], FAMILIES["gpt_neox"][0]])
def test_a_turned_number_is_followed_to_its_file(make: Any, tmp_path: Path):
    loaded = opened(tmp_path, make())
    pass_ = run(loaded, "The cats sat on the mat")
    result = plain(run_program("trace", loaded, pass_.header["text"], part="k", at=1))
    turned, terms = result["turned"], result["terms"]
    value = turned["own"] * math.cos(turned["angle"]) + turned["sign"] * turned["other"] * math.sin(turned["angle"])
    assert value == pytest.approx(float(pass_.map("self").k[1, 2, 3, 1]), abs=1e-5)  # float32
    assert terms["value"] == pytest.approx(turned["own"], abs=1e-5)
    assert terms["tensor"] == "transformer.blocks.1.attention.tokeys.weight"
