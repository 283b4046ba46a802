"""Generating token by token: the cache compared with fresh passes, the window, the sampling rules."""

import sys
from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings

import former
from former import cpu
from former.generate import KeyValueCache, Window, next_token_probs
from former.hooks import at_points

CONFIG = former.ModelConfig(num_tokens=20, emb=16, heads=4, depth=3, seq_length=12)
CONTEXT = CONFIG.seq_length


@pytest.fixture(scope="module", params=["learned", "sinusoidal", "none"])
def model(request):
    torch.manual_seed(0)
    return former.Generator(former.ModelConfig(**{**CONFIG.to_dict(), "positions": request.param})).double().eval()


@settings(max_examples=15)  # of 30 steps each
@given(prompt=st.lists(st.integers(0, 19), min_size=1, max_size=30), seed=st.integers(0, 2**31))
def test_cached_generation_equals_a_fresh_forward_at_every_step(model, prompt, seed):
    ids = list(prompt)
    for step in former.generate(model, prompt, 30, seed=seed, capture=True):
        window = ids[step.start :]
        assert 1 <= len(window) <= CONTEXT
        logits, capture = former.run_with_capture(model, torch.tensor([window]))
        torch.testing.assert_close(step.probs, logits[0, -1].softmax(-1), atol=1e-12, rtol=0)
        for layer in range(CONFIG.depth):
            torch.testing.assert_close(step.weights[layer], capture.get("weights", layer)[0, :, -1], atol=1e-12, rtol=0)
        ids.append(step.token)
    assert len(ids) == len(prompt) + 30


def test_the_window_slides_in_jumps_of_half_the_context(model):
    starts = [step.start for step in former.generate(model, [1], 30, seed=0)]
    assert starts == [0] * 12 + [7] * 7 + [14] * 7 + [21] * 4
    assert next(former.generate(model, list(range(20)), 1)).start == 20 - CONTEXT


@pytest.mark.parametrize("prompt", [[3, 1, 4], list(range(20))])
def test_without_the_mask_each_token_is_drawn_from_a_fresh_pass_over_the_last_of_the_text(model, prompt):
    ids, dice = list(prompt), torch.Generator().manual_seed(6)
    unmasked = former.Generator(replace(model.config, mask="none")).double().eval()
    unmasked.load_state_dict(model.state_dict())
    for step in former.generate(unmasked, prompt, 20, seed=6, capture=[0]):
        observed = torch.tensor([ids[-CONTEXT:]])
        mask = torch.ones(observed.shape[1], observed.shape[1]).bool()
        with torch.no_grad():
            probs = model(observed, mask=mask)[0, -1].softmax(-1)
        torch.testing.assert_close(step.probs, probs, atol=1e-12, rtol=0)  # the hooked pass against the plain one
        assert step.token == int(torch.multinomial(probs, 1, generator=dice))
        assert step.start == len(ids) - observed.shape[1]
        assert step.weights[0].shape == (4, observed.shape[1])
        ids.append(step.token)


@pytest.mark.parametrize("rules", [{}, {"temperature": 0.5}, {"temperature": 0}, {"top_k": 3, "top_p": 0.9}])
def test_the_same_seed_gives_the_same_text_with_and_without_cache_and_capture(model, rules: dict[str, Any]):
    def text(**how: Any):
        return [step.token for step in former.generate(model, [3, 1, 4], 40, seed=7, **rules, **how)]

    reference = text(use_cache=False)
    assert text() == text(capture=True) == text(capture=[1]) == text(use_cache=False, capture=True) == reference


EDITS = [former.edits.ablate_head(0, 1), former.edits.scale_head(2, 3, -3.0)]


@pytest.mark.parametrize("use_cache", [True, False])
def test_writing_under_edits_gives_at_every_step_what_a_fresh_pass_under_them_gives(model, use_cache):
    ids = [3, 1, 4]
    for step in former.generate(model, ids, 20, seed=1, capture=[2], use_cache=use_cache, edits=EDITS):
        window = torch.tensor([ids[step.start :]])
        logits, capture = former.run_with_capture(model, window, edits=EDITS)
        torch.testing.assert_close(step.probs, logits[0, -1].softmax(-1), atol=1e-12, rtol=0)
        torch.testing.assert_close(step.weights[2], capture["weights", 2][0, :, -1], atol=1e-12, rtol=0)
        assert (step.probs - model(window)[0, -1].softmax(-1)).abs().max() > 1e-4
        ids.append(step.token)


def test_an_edit_that_the_model_cannot_have_is_refused_before_a_token_is_written(model):
    with pytest.raises(ValueError, match=r"layer must be in \[0, 3\) for this model, got 3"):
        former.generate(model, [1], 5, edits=[former.edits.ablate_head(3, 0)])
    with pytest.raises(ValueError, match="names must be among"):
        former.generate(model, [1], 5, edits=[former.edits.ablate_head(0, 0, stack="cross")])


def test_another_seed_gives_another_text_and_no_seed_a_fresh_one(model):
    texts = [tuple(step.token for step in former.generate(model, [3], 40, seed=seed)) for seed in (1, 2, None, None)]
    assert len(set(texts)) == 4


def test_generating_leaves_the_global_random_state_alone(model):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    list(former.generate(model, [3], 5, seed=1))
    list(former.generate(model, [3], 5))
    assert torch.rand(1) == expected


def test_two_generations_in_turn_do_not_disturb_each_other(model):
    alone = [[step.token for step in former.generate(model, [p], 30, seed=p)] for p in (1, 2)]
    pairs = zip(former.generate(model, [1], 30, seed=1), former.generate(model, [2], 30, seed=2), strict=True)
    assert [list(tokens) for tokens in zip(*((a.token, b.token) for a, b in pairs), strict=True)] == alone


@pytest.mark.parametrize(
    ("capture", "layers"),
    [(None, []), (False, []), (True, [0, 1, 2]), ([1], [1]), ([2, 0], [0, 2])],
)
def test_a_step_holds_the_attention_rows_of_the_layers_asked_for(model, capture, layers):
    steps = list(former.generate(model, [1, 2], 3, capture=capture))
    for t, step in enumerate(steps, start=2):
        assert sorted(step.weights) == layers
        for row in step.weights.values():
            assert row.shape == (4, t)
            torch.testing.assert_close(row.sum(-1), torch.ones(4, dtype=torch.float64))


@given(
    st.lists(st.integers(-800, 800).map(lambda i: i / 100), min_size=2, max_size=12),  # equal, or distinguished
    st.floats(0.05, 4),
    st.none() | st.integers(1, 15),
    st.none() | st.floats(0.01, 1),
)
def test_sampling_rules_equal_their_definition(logits, temperature, top_k, top_p):
    logits = torch.tensor(logits, dtype=torch.float64)
    probs = next_token_probs(logits, temperature, top_k, top_p)
    expected = torch.exp(logits / temperature) / torch.exp(logits / temperature).sum()
    if top_k is not None:
        threshold = sorted(expected.tolist(), reverse=True)[min(top_k, len(expected)) - 1]
        expected = torch.where(expected >= threshold - 1e-15, expected, 0.0)
        expected = expected / expected.sum()
    if top_p is not None:
        mass, kept = 0.0, []
        for i in sorted(range(len(expected)), key=lambda i: -float(expected[i])):
            if mass >= top_p - 1e-9:
                break
            kept.append(i)
            mass += float(expected[i])
        near_the_edge = abs(mass - top_p) < 1e-6  # either side is right within rounding
        if near_the_edge:
            return
        expected = torch.where(torch.isin(torch.arange(len(expected)), torch.tensor(kept)), expected, 0.0)
        expected = expected / expected.sum()
    # Tokens alike at the edge of the top p may be exchanged: the sorted distributions are what must agree.
    torch.testing.assert_close(probs.sort().values, expected.sort().values, atol=1e-9, rtol=0)
    assert abs(float(probs.sum()) - 1) < 1e-12


def test_temperature_0_is_greedy_and_a_tiny_one_nearly_so():
    logits = torch.tensor([0.0, 3.0, 2.9])
    assert next_token_probs(logits, 0).tolist() == [0, 1, 0]
    for dtype in (torch.float16, torch.float32, torch.float64):
        for temperature in (1e-30, 1e-50, 5e-324):
            assert next_token_probs(logits.to(dtype), temperature).tolist() == [0, 1, 0]


@given(st.permutations([0.0, 1.0, 2.0, 3.0, 4.0]), st.integers(1, 5), st.sampled_from(["top_k", "top_p"]))
def test_the_tokens_that_stay_are_the_likeliest_each_with_its_share(logits, count, rule):
    logits = torch.tensor(logits, dtype=torch.float64)
    mass = logits.softmax(-1).sort(descending=True).values[:count].sum()
    rules: dict[str, Any] = {"top_k": count} if rule == "top_k" else {"top_p": float(mass) - 1e-9}
    stays = logits >= 5 - count
    expected = torch.where(stays, logits.softmax(-1), 0.0) / mass
    torch.testing.assert_close(next_token_probs(logits, **rules), expected, atol=1e-9, rtol=0)


def test_top_p_1_keeps_every_token_and_a_tiny_one_the_likeliest():
    logits = torch.tensor([20.0, 3.0, 2.9, 1.0, -1.0])  # in float32 the likeliest have all of the mass
    assert torch.equal(next_token_probs(logits, top_p=1.0), next_token_probs(logits))
    assert next_token_probs(logits / 10, top_p=1e-50).tolist() == [1, 0, 0, 0, 0]


@pytest.mark.parametrize("twin", [False, True], ids=["readable", "fast"])
def test_captured_keys_and_values_stay_as_they_were_when_the_window_jumps(twin):
    model = former.Generator(CONFIG).eval()
    window = Window(cpu.optimise(model) if twin else model, 1)
    captures = [former.Capture(("k", "v")) for _ in range(CONTEXT + 2)]
    copies = []
    with torch.inference_mode():
        for n, capture in enumerate(captures, start=1):
            window.read(list(range(n)), capture)
            copies.append([capture.stack(name) for name in ("k", "v")])  # new tensors
    assert window.start > 0
    for capture, (k, v) in zip(captures, copies, strict=True):
        assert torch.equal(capture.stack("k"), k)
        assert torch.equal(capture.stack("v"), v)


def test_tokens_are_drawn_with_the_frequencies_of_their_distribution():
    torch.manual_seed(0)
    model = former.Generator(former.ModelConfig(num_tokens=4, emb=8, heads=1, depth=1, seq_length=1)).eval()
    expected = next_token_probs(model(torch.tensor([[2]]))[0, -1], temperature=0.7)
    counts = torch.zeros(4)
    for seed in range(2000):
        counts[next(former.generate(model, [2], 1, temperature=0.7, seed=seed)).token] += 1
    # Five standard deviations of a frequency over 2,000 draws are at most 0.056.
    torch.testing.assert_close(counts / 2000, expected.detach(), atol=0.056, rtol=0)


RULES: list[dict[str, Any]] = [{}, {"temperature": 0}, {"top_k": 1}]


def test_probs_are_the_whole_distribution_whatever_the_rules(model):
    steps = [next(former.generate(model, [1], 1, **rules)) for rules in RULES]
    for step in steps:
        torch.testing.assert_close(step.probs, model(torch.tensor([[1]]))[0, -1].softmax(-1).detach())


def test_no_tokens_asked_for_is_an_empty_continuation(model):
    assert list(former.generate(model, [1], 0)) == []


@given(st.integers(1, 80), st.integers(0, 80), st.integers(1, 20))
def test_a_text_taken_up_in_the_middle_has_the_window_it_would_have_had(prompt, written, context):
    config = former.ModelConfig(num_tokens=4, emb=2, heads=1, depth=1, seq_length=context)
    model = former.Generator(config).eval()
    steps = list(former.generate(model, [0] * prompt, written + 1, seed=0))
    window = Window(model, prompt)
    with torch.inference_mode():
        window.read([0] * (prompt + written))
    assert window.start == steps[-1].start


@pytest.mark.parametrize("grown", [False, True])
def test_a_cache_that_was_made_or_has_grown_in_inference_mode_can_be_used_outside(grown, monkeypatch):
    monkeypatch.setattr(sys.modules[KeyValueCache.__module__], "ROWS", 4)  # so that a text of 7 tokens makes it grow
    model = former.Generator(former.ModelConfig(num_tokens=9, emb=8, heads=2, depth=2, seq_length=16)).eval()
    tokens = torch.tensor([[1, 2, 3, 4, 5, 6, 7]])
    cache = KeyValueCache(model.config)
    with torch.inference_mode():
        cache = cache if grown else KeyValueCache(model.config)
        model(tokens[:, :6], cache=cache)
    with torch.no_grad():
        # The cache computes other products than a pass, in float32.
        torch.testing.assert_close(model(tokens[:, 6:], cache=cache), model(tokens)[:, 6:], atol=1e-5, rtol=0)


def test_gradients_flow_into_a_cache_s_new_tokens_and_not_into_the_stored_ones(model):
    ids, past = torch.tensor([[3, 1, 4, 1, 5, 9]]), 4

    class Stopped:  # in a whole pass, keys and values of the first tokens without gradient
        def at(self, layer: int):  # noqa: ARG002
            return at_points(("k", "v"), lambda _, x: torch.cat((x[:, :, :past].detach(), x[:, :, past:]), 2))

    cache = KeyValueCache(model.config, model.transformer.token_embedding.weight)
    model(ids[:, :past], cache=cache)
    logits = model(ids[:, past:], cache=cache), model(ids, observer=Stopped())[:, past:]
    weights = list(model.transformer.parameters())
    for ours, theirs in zip(*(torch.autograd.grad(each.square().sum(), weights) for each in logits), strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=0)
    assert not cache.keys.requires_grad
    assert not cache.values.requires_grad
