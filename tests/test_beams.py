"""Beam search and the samplers compared with those of `transformers`."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
from transformers.generation import logits_process as theirs

import former
from former import cpu
from former.sampling import next_token_probs, penalise
from tests.their_models import T, gpt2_config, llama_config, saved

SHAPE: dict[str, Any] = {"num_tokens": 4, "emb": 8, "heads": 2, "depth": 1, "seq_length": 8}
MODELS = {
    "gpt2": lambda: T.GPT2LMHeadModel(gpt2_config()),
    "llama": lambda: T.LlamaForCausalLM(llama_config()),
}


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("length_penalty", [1.0, 0.0, 2.0])
@pytest.mark.parametrize("ends", [False, True], ids=["without an end", "with an end"])
@torch.no_grad()
def test_beams_are_those_of_transformers(make, length_penalty, ends, tmp_path):
    model = saved(make(), tmp_path)
    bundle = former.pretrained.load(tmp_path)
    prompt = torch.tensor([[5, 60, 7]])
    end = int(model(prompt).logits[0, -1].topk(8).indices[-1]) if ends else None  # likely, so that some beams end
    options: dict[str, Any] = {"num_beams": 4, "num_return_sequences": 4, "length_penalty": length_penalty}
    options |= {"max_new_tokens": 9, "do_sample": False, "pad_token_id": 0, "eos_token_id": end}
    model.generation_config.eos_token_id = end
    expected = model.generate(prompt, **options, output_scores=True, return_dict_in_generate=True)
    for ours in (bundle.model, cpu.optimise(bundle.model)):
        result = former.beam_search(ours, prompt[0], 9, 4, length_penalty=length_penalty, end=end)
        scores = torch.tensor([beam.score for beam in result])
        torch.testing.assert_close(scores, expected.sequences_scores, atol=1e-4, rtol=1e-4)
        for beam, sequence in zip(result, expected.sequences[:, 3:].tolist(), strict=True):
            gap = min(abs(beam.score - other.score) for other in result if other is not beam)
            assert beam.ids == sequence[: len(beam.ids)] or gap < 1e-4  # rounding orders beams as likely as each other


@pytest.mark.parametrize("edits", [[], [former.edits.ablate_head(0, 1)]], ids=["as trained", "edited"])
@torch.no_grad()
def test_as_many_beams_as_there_are_texts_find_the_likeliest_one(edits):
    torch.manual_seed(0)
    model = former.Generator(former.ModelConfig(**SHAPE)).double().eval()
    texts = [list(text) for text in itertools.product(range(4), repeat=3)]
    tokens = torch.tensor([[1, *text] for text in texts])
    log_probs = former.run_with_capture(model, tokens, (), edits=edits)[0].log_softmax(-1)
    totals = log_probs[:, :3].gather(2, torch.tensor(texts)[..., None]).sum((1, 2)).sort(descending=True)
    result = former.beam_search(model, [1], 3, 64, length_penalty=0.0, edits=edits)
    assert [beam.log_prob for beam in result] == pytest.approx(totals.values.tolist(), abs=1e-10)
    assert [beam.ids for beam in result] == [texts[i] for i in totals.indices]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], 7), "prompt and continuation must fit the context of 8 tokens, got 2 and 7"),
        (([], 2), "prompt_ids must hold at least one token"),
        (([1], 0), "max_new_tokens must be a whole number of at least 1"),
        (([1], 2, 0), "beams must be a whole number of at least 1"),
    ],
)
def test_what_beams_cannot_search_is_refused(arguments, message):
    model = former.Generator(former.ModelConfig(**SHAPE))
    with pytest.raises(ValueError, match=message):
        former.beam_search(model, *arguments)
    with pytest.raises(ValueError, match="end must be None or a whole number in"):
        former.beam_search(model, [1], 2, end=4)
    with pytest.raises(ValueError, match="length_penalty must be in \\[-10, 10\\], got nan"):
        former.beam_search(model, [1], 2, length_penalty=math.nan)
    with pytest.raises(ValueError, match="edits must be of whole heads"):
        former.beam_search(model, [1], 2, edits=[former.edits.set_weight(0, 0, 0, 0, 1)])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: former.Generator(former.ModelConfig(**SHAPE, mask="none")), "causal Generator, got another Generator"),
        (lambda: former.TransformerXL(former.TransformerXLConfig(**SHAPE)), "got another TransformerXL"),
        (lambda: former.Classifier(former.ModelConfig(**SHAPE)), "for each next token, got Classifier"),
        (lambda: former.Bert(former.BertConfig(**SHAPE)), "for each next token, got Bert"),
        (lambda: former.load("tiny-generator"), "for each next token, got Bundle; of a Bundle pass its model"),
    ],
)
def test_a_model_that_does_not_continue_a_text_by_a_cache_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        former.beam_search(make(), [1], 2)


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_prediction_that_is_not_a_number_is_refused_not_drawn_from(value, temperature):
    model = former.Generator(former.ModelConfig(**SHAPE)).eval()
    dict(model.named_parameters())["toprobs.bias"].data[2] = value
    with pytest.raises(ValueError, match=f"logits must have a finite maximum, to predict a token, got {value}"):
        list(former.generate(model, [1], 2, temperature=temperature))
    with pytest.raises(ValueError, match="logits must have a finite maximum"):
        former.beam_search(model, [1], 2)


def test_a_seed_and_a_penalty_of_numpy_give_what_the_same_numbers_of_python_do():
    model = former.Generator(former.ModelConfig(**SHAPE)).eval()
    seeds: list[Any] = [3, np.int64(3)]
    texts = [[step.token for step in former.generate(model, [1], 7, seed=seed)] for seed in seeds]
    assert texts[0] == texts[1]
    penalties: list[Any] = [-3, np.int64(-3)]
    first, second = (former.beam_search(model, [1], 7, length_penalty=penalty) for penalty in penalties)
    assert first == second


# --- samplers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("min_p", [None, 0.0, 0.05, 0.5, 1.0])
@pytest.mark.parametrize(("top_k", "top_p"), [(None, None), (5, None), (None, 0.7), (9, 0.9)])
@pytest.mark.parametrize("penalty", [1.0, 1.3, 0.8])
def test_the_rules_are_the_processors_of_transformers_in_their_order(temperature, min_p, top_k, top_p, penalty):
    logits = 3 * torch.randn(50, generator=torch.Generator().manual_seed(0)).double()
    ids: Any = torch.tensor([[3, 7, 7, 20, 41]])
    processors = [theirs.RepetitionPenaltyLogitsProcessor(penalty), theirs.TemperatureLogitsWarper(temperature)]
    processors += [] if top_k is None else [theirs.TopKLogitsWarper(top_k)]
    processors += [] if top_p is None else [theirs.TopPLogitsWarper(top_p)]
    processors += [] if min_p is None else [theirs.MinPLogitsWarper(min_p)]
    expected = theirs.LogitsProcessorList(processors)(ids, logits[None])[0].softmax(-1)
    result = next_token_probs(penalise(logits, ids[0].tolist(), penalty), temperature, top_k, top_p, min_p)
    torch.testing.assert_close(result, expected, atol=1e-12, rtol=0)


@torch.no_grad()
def test_writing_with_a_penalty_takes_the_tokens_of_transformers(tmp_path):
    model = saved(T.LlamaForCausalLM(llama_config()), tmp_path)
    bundle = former.pretrained.load(tmp_path)
    prompt = torch.tensor([[5, 60, 7]])
    options: dict[str, Any] = {"max_new_tokens": 20, "do_sample": False, "pad_token_id": 0, "repetition_penalty": 1.5}
    expected = model.generate(prompt, **options, output_scores=True, return_dict_in_generate=True)
    best = torch.cat(expected.scores).topk(2).values
    close = (best[:, 0] - best[:, 1] < 2e-4).nonzero()  # twice the tolerance of the logits
    sure = int(close[0]) if len(close) else 20
    assert sure >= 5
    values = [step.token for step in former.generate(bundle.model, prompt[0], sure, 0, repetition_penalty=1.5)]
    assert values == expected.sequences[0, 3 : 3 + sure].tolist()
    assert values != [step.token for step in former.generate(bundle.model, prompt[0], sure, 0)]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"min_p": -0.1}, "min_p must be None or in"),
        ({"min_p": 1.5}, "min_p must be None or in"),
        ({"repetition_penalty": 0.0}, "repetition_penalty must be a finite number above 0"),
        ({"repetition_penalty": math.inf}, "repetition_penalty must be a finite number above 0"),
    ],
)
def test_rules_out_of_range_are_refused_at_the_call(rules, message):
    model = former.Generator(former.ModelConfig(**SHAPE))
    with pytest.raises(ValueError, match=message):
        former.generate(model, [1], 2, **rules)


@pytest.mark.parametrize("beams", [1, 2])
def test_a_model_whose_only_token_is_the_end_ends_at_once(beams):
    model = former.Generator(former.ModelConfig(num_tokens=1, emb=8, heads=2, depth=1, seq_length=8)).eval()
    (best,) = former.beam_search(model, [0], 3, beams, end=0)
    assert (best.ids, best.log_prob) == ([0], 0)
