"""The fast twin compared with the readable model, for every shape of model and every kind of call."""

import copy
import functools
import pickle
import sys
import threading
from typing import Any, TypeVar

import pytest
import torch
from torch import nn

import former
from former import cpu
from former.cpu import packed
from former.cpu import step as step_module
from former.generate import KeyValueCache
from former.hooks import POINTS
from former.models import Generator
from tests.ranked import clear_largest

# Both compute in fp32 and add in another order, over rows of some hundred numbers near 1: errors of 1e-6 are usual,
# and a little over 1e-5 where each library has AVX2 alone. A layer norm keeps them from growing with depth.
TOLERANCE: dict[str, Any] = {"atol": 3e-5, "rtol": 1e-5}

onednn = pytest.mark.skipif(not packed.has_onednn(), reason="torch comes without oneDNN here")
compiled_step = pytest.mark.skipif(not cpu.step_available(), reason="no compiled step here")


M = TypeVar("M", bound=nn.Module)
SIZES: dict[str, Any] = {"num_tokens": 29, "emb": 12, "heads": 3, "depth": 3, "seq_length": 19}


def build(**options) -> Generator:
    """Builds a small model with no size a multiple of a vector's; norms and biases are random too."""
    torch.manual_seed(0)
    return add_noise(former.Generator(former.ModelConfig(**{**SIZES, **options})))


def bert(**options) -> former.Bert:
    """Builds a small Bert in the same way."""
    torch.manual_seed(0)
    return add_noise(former.Bert(former.BertConfig(**{**SIZES, **options})))


def add_noise(model: M) -> M:
    """Adds noise to all weights of a model, and returns it."""
    for parameter in model.eval().parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    return model


def tokens(b: int, t: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(0, 29, (b, t), generator=torch.Generator().manual_seed(seed))


def twin(model: Generator, weights: cpu.Precision = "fp32") -> cpu.FastGenerator:
    built = cpu.optimise(model, weights)
    assert isinstance(built, cpu.FastGenerator)
    return built


def refuse(*_, **__):
    raise AssertionError("the readable model was called")


LLAMA: dict[str, Any] = {
    **{"norm": "pre", "activation": "swiglu", "normalisation": "rms", "positions": "rotary"},
    **{"unify_bias": False, "ff_bias": False, "output_bias": False},
}
# Every pair of choices occurs together in at least one of them.
SHAPES: list[dict[str, Any]] = [
    {"norm": "post", "activation": "relu", "variant": "narrow", "positions": "learned"},
    {"norm": "pre", "activation": "gelu", "variant": "narrow", "positions": "learned", "mask": "local", "mask_size": 4},
    {"norm": "pre", "activation": "relu", "variant": "wide", "positions": "none", "attention_bias": True},
    {"norm": "post", "activation": "gelu", "variant": "wide", "positions": "sinusoidal", "tied": True},
    {"norm": "pre", "activation": "gelu_tanh", "positions": "learned", "attention_bias": True, "tied": True},
    {
        "norm": "post",
        "activation": "gelu_tanh",
        "positions": "none",
        "variant": "wide",
        "mask": "strided",
        "mask_size": 3,
    },
    {"norm": "post", "activation": "relu", "positions": "sinusoidal", "norm_eps": 0.1, "tied": True},
    {"norm": "pre", "activation": "gelu_tanh", "positions": "sinusoidal", "norm_eps": 0.1},
    {"norm": "pre", "activation": "relu", "attention_bias": True, "scaled_by_layer": True, "ff_hidden": 31},
    {**LLAMA, "kv_heads": 1, "rotary_scaling": (4.0, 1.0, 4.0, 8.0), "scaled_by_layer": True},
    {**LLAMA, "kv_heads": 2, "heads": 6, "size": 4, "qk_norm": True, "tied": True, "mask": "local", "mask_size": 4},
    {**LLAMA, "kv_heads": 2, "heads": 4, "size": 6, "qk_norm": True, "attention_bias": True, "ff_bias": True},
    {**LLAMA, "normalisation": "layer", "activation": "gelu", "parallel": True, "size": 8, "rotary_share": 0.25},
    {**LLAMA, "norm": "post", "kv_heads": 1, "positions": "learned", "activation": "relu", "variant": "wide"},
]


def name_of(shape: dict[str, Any]) -> str:
    return "-".join(map(str, shape.values()))


@pytest.fixture(scope="module", params=SHAPES, ids=name_of)
def pair(request):
    model = build(**request.param)
    return model, twin(model)


@pytest.fixture(params=[pytest.param(True, marks=onednn), False], ids=["oneDNN", "torch's own"])
def library(request, monkeypatch):
    """Makes every twin that the test builds multiply with this library, even if another is faster on this machine."""
    monkeypatch.setattr(packed, "prefers_onednn", lambda: request.param)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("shape", SHAPES, ids=name_of)
def test_fast_logits_and_maps_equal_the_readable_model(shape, monkeypatch):
    model = build(**shape)
    quick = twin(model)
    for b, t in [(1, 1), (2, 1), (1, 7), (3, 7), (1, 19), (2, 19)]:
        x = tokens(b, t)
        expected, seen = former.run_with_capture(model, x, POINTS)
        with monkeypatch.context() as forbidden:
            forbidden.setattr(Generator, "forward", refuse)
            logits, captured = former.run_with_capture(quick, x, POINTS)
        torch.testing.assert_close(logits, expected, **TOLERANCE)
        for point in POINTS:
            torch.testing.assert_close(captured.stack(point), seen.stack(point), **TOLERANCE)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("shape", [SHAPES[2], SHAPES[9]], ids=name_of)
def test_a_twin_computes_in_float32_whatever_torchs_default_is(shape):
    model = build(**shape)
    expected = [clear_largest(step.probs.log(), 1e-3) for step in former.generate(model, [1, 2, 3], 8, 0)]
    torch.set_default_dtype(torch.float64)
    try:
        assert [step.token for step in former.generate(twin(model), [1, 2, 3], 8, 0, capture=True)] == expected
    finally:
        torch.set_default_dtype(torch.float32)


def test_the_layers_of_what_a_twin_captured_are_stacked_without_a_copy(monkeypatch):
    monkeypatch.setattr(packed, "prefers_onednn", lambda: False)
    _, captured = former.run_with_capture(twin(build()), tokens(2, 9), POINTS, layers=[0, 2])
    for point in {*POINTS} - {"scores"}:
        assert captured.stack(point).data_ptr() == captured.get(point, 0).data_ptr(), point
        assert torch.equal(captured.stack(point)[1], captured.get(point, 2))


MASKS = {
    "none": former.masks.none(11),
    "local": former.masks.local(11, 3),
    "strided": former.masks.strided(11, 4),
    "fixed": former.masks.fixed(11, 4),
    "arbitrary": (torch.rand(11, 11, generator=torch.Generator().manual_seed(3)) < 0.4) | torch.eye(11).bool(),
    "one row for all": (torch.arange(11) % 3 == 0)[None],
    "a mask for each head": torch.stack([former.masks.local(11, n) for n in (1, 2, 5)]),
    "a mask for each sequence": torch.stack([former.masks.local(11, n) for n in (1, 4)])[:, None],
    "a query that sees nothing": former.masks.causal(11) & (torch.arange(11) != 4)[:, None],
    "a head that sees nothing": (torch.arange(3) != 1)[:, None, None].expand(3, 11, 11),
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS.keys())
def test_any_mask_gives_what_it_gives_the_readable_model(mask, monkeypatch):
    model = build()
    quick, x = twin(model), tokens(2, 11)
    expected, seen = former.run_with_capture(model, x, mask=mask)
    monkeypatch.setattr(Generator, "forward", refuse)
    logits, captured = former.run_with_capture(quick, x, mask=mask)
    torch.testing.assert_close(logits, expected, **TOLERANCE)
    torch.testing.assert_close(captured.stack("weights"), seen.stack("weights"), **TOLERANCE)
    torch.testing.assert_close(quick(x, mask), expected, **TOLERANCE)
    hidden = ~mask.expand(captured.get("weights", 0).shape)
    assert not captured.get("weights", 0)[hidden].any()


def test_layers_not_asked_for_do_not_disturb_those_that_are():
    model = build()
    quick, x = twin(model), tokens(2, 9)
    _, seen = former.run_with_capture(model, x)
    _, captured = former.run_with_capture(quick, x, layers=[1])
    torch.testing.assert_close(captured.get("weights", 1), seen.get("weights", 1), **TOLERANCE)
    with pytest.raises(KeyError):
        captured.get("weights", 0)


@compiled_step
@pytest.mark.parametrize("pair", [shape for shape in SHAPES if "mask" not in shape], ids=name_of, indirect=True)
def test_a_compiled_step_equals_the_readable_model_and_asks_nobody(pair, monkeypatch):
    model, quick = pair
    x, cache = tokens(1, 19), KeyValueCache(model.config)
    expected, seen = former.run_with_capture(model, x)
    model(x[:, :4], cache=cache)
    monkeypatch.setattr(Generator, "forward", refuse)
    monkeypatch.setattr(packed.PackedStack, "__call__", refuse)
    for t in range(4, 19):
        capture = former.Capture()
        logits = quick(x[:, t : t + 1], observer=capture, cache=cache)
        torch.testing.assert_close(logits[:, 0], expected[:, t], **TOLERANCE)
        row = seen.stack("weights")[..., t : t + 1, : t + 1]
        torch.testing.assert_close(capture.stack("weights"), row, **TOLERANCE)


@pytest.fixture
def shared(monkeypatch):
    """Treats every model as large, so that three threads share its steps; no size here is a multiple of three."""
    monkeypatch.setattr(step_module, "LARGE", 0)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@compiled_step
@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("weights", ["fp32", "int8"])
def test_a_step_that_threads_share_equals_the_one_of_a_single_thread(weights):
    model = build(**SHAPES[4], emb=20, heads=2)
    quick, x, written = twin(model, weights), tokens(1, 19), []
    for threads in (3, 1):
        torch.set_num_threads(threads)
        cache, capture = KeyValueCache(model.config), former.Capture()
        logits = [quick(x[:, t : t + 1], observer=capture, cache=cache) for t in range(19)]
        written.append((torch.cat(logits), capture.stack("weights")))
    assert quick._step is not None
    assert quick._step.large
    torch.testing.assert_close(*written)


@functools.lru_cache(200)
def readable(model: Generator, ids: tuple[int, ...]) -> tuple[torch.Tensor, former.Capture]:
    """Returns a pass of the readable model, which is the same with and without a cache."""
    return former.run_with_capture(model, torch.tensor([ids]))


@pytest.mark.parametrize("use_cache", [True, False])
@pytest.mark.parametrize("prompt", [[1], [5, 3, 8, 2, 11], list(range(25))], ids=["one", "some", "beyond the context"])
def test_fast_generation_equals_a_fresh_readable_pass_at_every_step(pair, prompt, use_cache, monkeypatch):
    model, quick = pair
    steps = former.generate(quick, prompt, 25, seed=4, capture=True, use_cache=use_cache)
    with monkeypatch.context() as forbidden:
        forbidden.setattr(Generator, "forward", refuse)
        steps = list(steps)
    assert steps[-1].start > 0  # the window has slid
    ids = list(prompt)
    for step in steps:
        logits, seen = readable(model, tuple(ids[step.start :]))
        torch.testing.assert_close(step.probs, logits[0, -1].softmax(-1), **TOLERANCE)
        for layer in range(model.config.depth):
            torch.testing.assert_close(step.weights[layer], seen.get("weights", layer)[0, :, -1], **TOLERANCE)
        ids.append(step.token)


def test_a_generation_may_mix_fast_and_readable_steps_on_one_cache():
    model = build()
    quick, x = twin(model), tokens(1, 17)
    cache = KeyValueCache(model.config)
    parts = [quick(x[:, :5], cache=cache), model(x[:, 5:6], cache=cache), quick(x[:, 6:7], cache=cache)]
    parts += [model(x[:, 7:12], cache=cache), quick(x[:, 12:15], cache=cache), quick(x[:, 15:16], cache=cache)]
    quick(x[:, :3])  # a call without the cache leaves it alone
    parts.append(quick(x[:, 16:], cache=cache))
    assert cache.length == 17
    torch.testing.assert_close(torch.cat(parts, 1), model(x), **TOLERANCE)


def test_a_cache_that_grows_keeps_what_it_holds(monkeypatch):
    monkeypatch.setattr(sys.modules["former.generate"], "ROWS", 2)  # the name former.generate is the function
    model = build(**SHAPES[-5])
    quick, x = twin(model), tokens(1, 17)
    expected = model(x).detach()
    for each in (model, quick):
        cache, first = KeyValueCache(model.config), former.Capture("k")
        parts = [each(x[:, :2], cache=cache, observer=first), each(x[:, 2:5], cache=cache)]
        parts += [each(x[:, i : i + 1], cache=cache) for i in range(5, 17)]
        torch.testing.assert_close(torch.cat(parts, 1), expected, **TOLERANCE)
        assert cache.keys.shape[3] == 19  # 2, 5, 10, and then the context, not 20
        assert first.get("k", 0).shape[2] == 2


def test_edits_and_observers_of_ones_own_are_honoured():
    model = build()
    quick, x = twin(model), tokens(2, 9)
    edits = [former.edits.ablate_head(0, 2), former.edits.set_weights(1, 0, torch.full((9, 9), 1 / 9))]
    expected, seen = former.run_with_capture(model, x, edits=edits)
    logits, captured = former.run_with_capture(quick, x, edits=edits)
    assert not torch.allclose(expected, model(x), atol=0.01)
    torch.testing.assert_close(logits, expected, **TOLERANCE)
    torch.testing.assert_close(captured.stack("weights"), seen.stack("weights"), **TOLERANCE)

    class Silence(former.Capture):
        def at(self, layer):  # noqa: ARG002
            return lambda point, tensor: tensor * 0 if point == "out" else None

    torch.testing.assert_close(quick(x, observer=Silence()), model(x, observer=Silence()), **TOLERANCE)
    for observer in (edits[0], Silence()):
        caches = KeyValueCache(model.config), KeyValueCache(model.config)
        for i in range(3):
            step = x[:1, i : i + 1]
            expected = model(step, observer=observer, cache=caches[0])
            torch.testing.assert_close(quick(step, observer=observer, cache=caches[1]), expected, **TOLERANCE)


def test_only_the_layers_that_someone_edits_are_left_to_the_readable_blocks(monkeypatch):
    model = build()
    quick, x = twin(model), tokens(2, 9)
    edit = former.edits.scale_head(1, 2, -2)
    expected = model(x, observer=edit).detach()
    for layer in (0, 2):
        monkeypatch.setattr(model.transformer.blocks[layer], "forward", refuse)
    torch.testing.assert_close(quick(x, observer=edit), expected, **TOLERANCE)
    assert not torch.allclose(quick(x), expected, atol=0.01)


@pytest.mark.parametrize("large", [False, True])
def test_many_threads_at_once_get_their_own_results(large, request):
    if large:
        request.getfixturevalue("shared")
    model = build(emb=48, seq_length=64)
    quick = twin(model)
    inputs = [tokens(1, 5 + 3 * i, seed=i) for i in range(16)]
    alone = [former.run_with_capture(model, x) for x in inputs]
    wrong, start = [], threading.Barrier(len(inputs))

    def write(i: int) -> list[int]:
        return [s.token for s in former.generate(quick, inputs[i][0].tolist(), 12, seed=i, capture=True)]

    written = [write(i) for i in range(len(inputs))]  # by the same kernels, so to the last bit

    def work(i: int) -> None:
        start.wait()
        for _ in range(6):
            logits, captured = former.run_with_capture(quick, inputs[i])
            same = torch.allclose(logits, alone[i][0], **TOLERANCE)
            same &= torch.allclose(captured.stack("weights"), alone[i][1].stack("weights"), **TOLERANCE)
            if not same or write(i) != written[i]:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@compiled_step
@pytest.mark.parametrize("shape", [SHAPES[0], SHAPES[4], SHAPES[-1]], ids=name_of)
def test_int8_is_the_rounded_model_in_every_way_of_calling_it(shape):
    model = build(**shape)
    quick, x = twin(model, "int8"), tokens(1, 13)
    assert quick.model is not model
    expected = quick.model(x)
    torch.testing.assert_close(quick(x), expected, **TOLERANCE)
    cache = KeyValueCache(model.config)
    by_step = torch.cat([quick(x[:, i : i + 1], cache=cache) for i in range(13)], 1)
    torch.testing.assert_close(by_step, expected, **TOLERANCE)


@compiled_step
def test_int8_stays_near_the_model_and_leaves_it_unchanged():
    torch.manual_seed(1)
    model = former.Generator(former.ModelConfig(emb=64, depth=4, seq_length=32)).eval()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    quick, x = twin(model, "int8"), torch.randint(0, 256, (4, 32))
    # A row's largest entry is 127 steps, so an entry is off by at most 1/254 of it, about 0.2% of the row's norm on
    # random weights; after 4 blocks of 4 products the logits are off by about 1% of their spread.
    off = (quick(x) - model(x)).std() / model(x).std()
    assert 0 < off < 0.03
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("copier", [copy.deepcopy, lambda quick: pickle.loads(pickle.dumps(quick))])
def test_a_twin_can_be_copied_and_pickled(copier):
    x = tokens(1, 7)
    for quick in (twin(build()), twin(build(), "int8"), cpu.optimise(bert())):
        assert torch.equal(copier(quick)(x), quick(x))
    copied = copier(quick := twin(build()))
    copied.model.toprobs.weight.data.zero_()
    assert quick.model.toprobs is not None
    assert quick.model.toprobs.weight.any(), "the copy has weights of its own"


def test_without_numba_a_step_is_a_whole_pass_over_one_token(monkeypatch):
    monkeypatch.setattr(step_module, "available", lambda: False)
    model = build()
    for weights in ("fp32", "int8"):
        quick = twin(model, weights)
        reference, x = quick.model, tokens(2, 9)
        expected, seen = former.run_with_capture(reference, x)
        logits, captured = former.run_with_capture(quick, x)
        torch.testing.assert_close(logits, expected, **TOLERANCE)
        torch.testing.assert_close(captured.stack("weights"), seen.stack("weights"), **TOLERANCE)
        ids = [1, 2]
        for step in former.generate(quick, ids, 40, seed=0):  # beyond the context
            probs = reference(torch.tensor([ids[step.start :]]))[0, -1].softmax(-1)
            torch.testing.assert_close(step.probs, probs, **TOLERANCE)
            ids.append(step.token)
        assert len(ids) == 42


def test_what_cannot_be_sped_up_is_given_back_as_it_is():
    double = build().double()
    assert cpu.optimise(double) is double
    for options in ({"variant": "chunked"}, {"positions": "relative"}, {"scaled": False}, {"unify": False}):
        unknown = build(**options)
        assert cpu.optimise(unknown) is unknown


def with_a_bias_on_q(block):
    block.attention.toqueries = nn.Linear(12, 12, bias=True)


def with_another_activation(block):
    block.ff[1] = nn.GELU(approximate="tanh")


def with_another_epsilon(block):
    block.norm2.eps = 0.5


def with_a_layer_of_ones_own(block):
    block.ff[2] = nn.Sequential(block.ff[2], nn.Tanh())


@pytest.mark.parametrize(
    "change", [with_a_bias_on_q, with_another_activation, with_another_epsilon, with_a_layer_of_ones_own]
)
def test_a_model_whose_modules_are_not_those_of_its_config_gets_no_twin(change):
    model = build(activation="gelu")
    assert cpu.optimise(model) is not model
    change(model.transformer.blocks[1])
    assert cpu.optimise(model) is model


def test_points_of_the_block_are_seen_as_the_readable_model_shows_them():
    model, x = build(), tokens(2, 9)
    names = ("resid_pre", "weights", "mlp_hidden", "resid_post")
    expected, seen = former.run_with_capture(model, x, names)
    logits, captured = former.run_with_capture(twin(model), x, names)
    torch.testing.assert_close(logits, expected, **TOLERANCE)
    for name in names:
        torch.testing.assert_close(captured.stack(name), seen.stack(name), **TOLERANCE)


def test_under_autocast_a_twin_gives_what_the_readable_model_does():
    for model in (build(), build(positions="rotary", norm="pre"), bert(), bert(words_head=False)):
        quick, x = cpu.optimise(model), tokens(2, 7) % 28 + 1
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            assert quick(x).equal(model(x))
            if isinstance(model, former.Bert):
                assert quick.encode(x).equal(model.encode(x))


def test_bad_input_gets_the_readable_model_s_error():
    model = build()
    quick, full = twin(model), KeyValueCache(model.config)
    quick(tokens(1, 19), cache=full)
    calls = [
        ((torch.tensor([[29]]),), {}),
        ((torch.tensor([[29]]),), {"cache": KeyValueCache(model.config)}),
        ((torch.tensor([[-1]]),), {"cache": KeyValueCache(model.config)}),
        ((torch.tensor([[1.0]]),), {"cache": KeyValueCache(model.config)}),
        ((tokens(1, 1),), {"cache": full}),
        ((tokens(1, 1),), {"cache": KeyValueCache(model.config, batch=2)}),
        ((tokens(2, 3),), {"cache": KeyValueCache(model.config)}),
        ((tokens(1, 20),), {}),
        ((tokens(1, 0),), {}),
        ((tokens(1, 3), torch.ones(3, 3)), {}),
        ((tokens(1, 3), torch.ones(4, 4).bool()), {}),
    ]
    for arguments, options in calls:
        with pytest.raises(ValueError) as expected:  # noqa: PT011
            model(*arguments, **options)
        with pytest.raises(ValueError) as given:  # noqa: PT011
            quick(*arguments, **options)
        assert str(given.value) == str(expected.value)
    with pytest.raises(ValueError, match="weights must be one of 'fp32', 'int8', got 'int4'"):
        cpu.optimise(model, "int4")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match=r"model\.eval\(\)"):
        cpu.optimise(build(dropout=0.1).train())


def test_texts_of_all_lengths_meet_few_numbers_of_rows(monkeypatch):
    """Each number of rows costs memory for good: oneDNN caches the code it generates for it."""
    monkeypatch.setattr(packed, "prefers_onednn", lambda: True)
    met = set()
    for t in range(1, 513):
        x = torch.rand(2, t, 3)
        padded = packed.rows(x)
        assert torch.equal(padded[: 2 * t], x.flatten(0, 1))
        assert not padded[2 * t :].any()
        assert len(padded) - 2 * t < max(8, 2 * t / 8)
        met.add(len(padded))
    assert len(met) <= 48  # 16 to 128 rows, then 8 for each doubling up to 1024: 40
    assert len(packed.rows(torch.rand(1, 1, 3))) == 1  # a step


BERTS: list[dict[str, Any]] = [
    {},
    {"activation": "relu", "variant": "wide", "attention_bias": False, "pad_token": None, "sentence_head": False},
    {"activation": "gelu_tanh", "words_head": False, "ff_hidden": 31},
]


@pytest.mark.parametrize("options", BERTS, ids=lambda options: "-".join(options) or "as published")
def test_a_bert_and_its_twin_give_the_same_under_padding_segments_and_masks(options, monkeypatch):
    model = bert(**options)
    quick = cpu.optimise(model)
    assert isinstance(quick, cpu.FastBert)
    x = tokens(2, 11) % 28 + 1
    x[1, 8:] = 0 if model.config.pad_token == 0 else 5
    segments = (torch.arange(11) > 4).long().expand(2, -1)
    if model.config.sentence_head:
        follows = model.next_sentence_logits(quick.encode(x, segments))
        torch.testing.assert_close(follows, model.next_sentence(x, segments), **TOLERANCE)
    for mask in (None, former.masks.local(11, 4)):
        expected, seen = former.run_with_capture(model, (x, segments), POINTS, mask=mask)
        with monkeypatch.context() as patched:
            patched.setattr(former.Bert, "forward", refuse)
            logits, captured = former.run_with_capture(quick, (x, segments), POINTS, mask=mask)
        torch.testing.assert_close(logits, expected, **TOLERANCE)
        for point in POINTS:
            torch.testing.assert_close(captured.stack(point), seen.stack(point), **TOLERANCE)


def test_an_edit_of_a_bert_reaches_its_twin():
    model = former.Bert(former.BertConfig(num_tokens=29, emb=12, heads=3, depth=3, seq_length=19)).eval()
    x = tokens(1, 11) % 28 + 1
    edit = former.edits.ablate_head(1, 2)
    expected, _ = former.run_with_capture(model, x, edits=[edit])
    given, _ = former.run_with_capture(cpu.optimise(model), x, edits=[edit])
    torch.testing.assert_close(given, expected, **TOLERANCE)
    assert not torch.allclose(given, cpu.optimise(model)(x))
