"""In half precision, what is computed from a prediction is as exact as from the same logits in float32."""

import copy
import math

import pytest
import torch

import former
from former import analysis, patching
from former.analysis import scan
from former.generate import KeyValueCache
from former.runs import Run
from former.sampling import next_token_probs

WIDE = former.load("gpt")
HALF = former.Bundle(copy.deepcopy(WIDE.model).bfloat16(), WIDE.tokenizer, WIDE.config)
TEXT = "The cat sat on the mat. The cat sat on the"
RUN = HALF.run(TEXT)
LOGITS = RUN.output[0].float()  # what the model itself returns, exactly


@pytest.mark.parametrize("rules", [{}, {"top_p": 0.9}, {"top_p": 0.99}, {"top_k": 50, "top_p": 0.95}, {"min_p": 0.01}])
def test_the_same_tokens_stay_with_the_same_probabilities(rules):
    assert torch.equal(next_token_probs(RUN.output[0, -1], **rules), next_token_probs(LOGITS[-1], **rules))


def test_probabilities_sum_to_one_in_a_step_and_in_a_run():
    step = next(former.generate(HALF.model, RUN.ids, 1, seed=0))
    with torch.no_grad():  # read by a cache, whose products are rounded elsewhere than those of a pass
        logits = HALF.model(RUN.inputs[0], cache=KeyValueCache(HALF.config, HALF.model.output_weight))[0, -1].float()
    torch.testing.assert_close(step.probs, logits.softmax(-1), atol=1e-6, rtol=0)
    assert float(step.probs.double().sum()) == pytest.approx(1, abs=1e-5)
    expected = LOGITS[-1].softmax(-1).topk(3).values.tolist()
    assert [p for _, p in RUN.next_tokens(3)] == pytest.approx(expected, abs=1e-7)


def test_a_beams_log_probability_is_the_sum_over_its_tokens():
    (beam,) = former.beam_search(HALF.model, RUN.ids, 12, beams=1)
    cache, log_prob, new = KeyValueCache(HALF.config, HALF.model.output_weight), 0.0, RUN.ids
    for token in beam.ids:  # token by token, as the search reads
        with torch.no_grad():
            log_prob += float(HALF.model(torch.tensor([new]), cache=cache)[0, -1].double().log_softmax(-1)[token])
        new = [token]
    assert beam.log_prob == pytest.approx(log_prob, abs=1e-4)


def test_metrics_and_depths_are_those_of_the_logits():
    log_probs = LOGITS[-1].log_softmax(-1)
    best, second = log_probs.topk(2).indices.tolist()
    assert patching.probability(best)(RUN) == pytest.approx(math.exp(log_probs[best]), abs=1e-7)
    difference = float(LOGITS[-1, best] - LOGITS[-1, second])
    assert patching.logit_difference(best, second)(RUN) == pytest.approx(difference, abs=1e-7)
    other = HALF.run("The dog sat on the mat. The dog sat on the")
    theirs = other.output[0, -1].double().log_softmax(-1)
    expected = float((theirs.exp() * (theirs - log_probs.double())).sum())
    assert patching.kl_to(other)(RUN) == pytest.approx(expected, abs=1e-5)
    sums = analysis.lens(RUN, len(log_probs))[0].double().exp().sum(-1)
    torch.testing.assert_close(sums, torch.ones_like(sums), atol=1e-5, rtol=0)


def test_a_heads_statistics_and_a_rollout_are_those_of_its_weights():
    exact = analysis.head_statistics(RUN.weights.double(), RUN.ids)
    for name, values in analysis.head_statistics(RUN.weights, RUN.ids).items():
        torch.testing.assert_close(values.double(), exact[name].double(), atol=1e-4, rtol=0)
    rolled, expected = analysis.rollout(RUN.weights), analysis.rollout(RUN.weights.double())
    torch.testing.assert_close(rolled.double(), expected, atol=1e-6, rtol=0)


def in_float16(model: former.Generator) -> Run:
    return former.Bundle(model.half(), WIDE.tokenizer, WIDE.config).run(TEXT)


def test_scores_whose_products_exceed_float16_are_those_of_the_model():
    model = copy.deepcopy(WIDE.model)
    for block in model.transformer.blocks:
        block.attention.toqueries.weight.data *= 20
        block.attention.tokeys.weight.data *= 20
    run = in_float16(model)
    _, capture = former.run_with_capture(run.model, run.inputs[0], ["scores"])
    torch.testing.assert_close(run.map.scores, capture.stack("scores")[:, 0], atol=0, rtol=1e-3)  # an ulp
    result = analysis.trace(run, 2, 0, 11, 0)
    assert abs(float(result["product"])) > 65_504
    assert float(result["score"]) == pytest.approx(float(capture["scores", 2][0, 0, 11, 0]), rel=1e-3)


def test_parts_of_a_stream_whose_squares_exceed_float16_add_up_to_the_logits():
    model = copy.deepcopy(WIDE.model)
    model.transformer.positions.embedding.weight.data[:, 3] += 4_000  # as GPT-2's largest numbers are
    exact = former.Bundle(copy.deepcopy(model), WIDE.tokenizer, WIDE.config).run(TEXT)
    run = in_float16(model)
    parts = analysis.logit_parts(run.model, run.inputs[0])
    total = sum(part.float().reshape(-1, WIDE.config.num_tokens).sum(0) for part in parts.values())
    torch.testing.assert_close(total, run.output[0, -1].float(), atol=0.1, rtol=0)  # of 26; 30 parts of 11 bits
    torch.testing.assert_close(analysis.head_adds(run).float(), analysis.head_adds(exact), atol=0.01, rtol=0)
    norm, expected = (analysis.trace(each, 2, 0, 5, 2)["input"]["norm"] for each in (run, exact))
    assert float(norm["deviation"]) == pytest.approx(float(expected["deviation"]), rel=1e-3)


def test_an_angle_is_that_by_which_the_model_turns():
    bundle = former.load("modern")
    model, theta, size = copy.deepcopy(bundle.model).bfloat16(), bundle.config.rotary_theta, bundle.config.head_size
    run = former.Bundle(model, bundle.tokenizer, bundle.config).run(TEXT * 6)
    last = len(run.ids) - 1
    for at in range(size // 2):
        turned = analysis.trace(run, 0, 0, last, 0, "q", at)["turned"]
        assert float(turned["angle"]) == pytest.approx(last * theta ** (-2 * at / size), rel=1e-5)


def test_rare_tokens_are_those_of_the_same_weights_in_float32_and_heads_can_be_scanned():
    exact = copy.deepcopy(HALF.model).float()
    assert analysis.rare_tokens(HALF.model, HALF.tokenizer).equal(analysis.rare_tokens(exact, HALF.tokenizer))
    torch.manual_seed(0)
    small = former.Generator(former.ModelConfig(emb=16, heads=2, depth=1, seq_length=8)).bfloat16().eval()
    result = scan.scan(small, torch.randint(256, (70, 8)))
    assert result.spread.dtype == torch.float32
    assert float(result.of("decided").max()) <= 1
    assert float(result.explained.max()) <= 1 + 1e-6  # a share, rounded in float32
