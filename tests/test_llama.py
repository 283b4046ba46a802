"""Llama's parts equal plain loops, and work with everything that observes or edits a model."""

import cmath
import math
from typing import Any

import pytest
import torch
from torch import Tensor

import former
from former import llama, patching
from former.analysis import circuits
from former.config import shapes_only
from former.edits import Edit
from former.generate import KeyValueCache
from former.hooks import BLOCK_POINTS, POINTS

SMALL: dict[str, Any] = {"num_tokens": 256, "seq_length": 24, "emb": 12, "heads": 4, "kv_heads": 2, "depth": 3}
SMALL |= {"ff_hidden": 20, "size": 6}
SHAPES: list[dict[str, Any]] = [
    {},
    {"kv_heads": 1, "tied": False, "attention_bias": True, "rotary_theta": 100.0},
    {"kv_heads": None, "qk_norm": True, "rotary_scaling": (4.0, 1.0, 4.0, 64.0), "unify_bias": True},
    {"norm": "post", "kv_heads": 1, "ff_bias": True},
    {"parallel": True, "normalisation": "layer", "activation": "gelu", "ff_bias": True, "rotary_share": 0.7},
    {"variant": "wide", "size": None, "mask": "local", "mask_size": 5},
    {"positions": "learned", "kv_heads": 1},
]
EXACT: dict[str, Any] = {"atol": 1e-10, "rtol": 0}  # float64, sums in another order


@pytest.fixture(params=SHAPES, ids=lambda shape: "-".join(shape) or "Llama")
def model(request) -> former.Generator:
    torch.manual_seed(0)
    model = former.Generator(llama.config(**{**SMALL, **request.param})).double().eval()
    for parameter in model.parameters():  # gains as made are all 1, and so all alike
        parameter.data += 0.3 * torch.randn_like(parameter)
    return model


def tokens(b: int, t: int) -> Tensor:
    return torch.randint(256, (b, t), generator=torch.Generator().manual_seed(t))


# --- a plain loop -----------------------------------------------------------------------------------------------------


def normed(norm: Any, x: Tensor) -> Tensor:
    """Normalises one vector with Python's own numbers."""
    if isinstance(norm, torch.nn.Identity):
        return x
    values = x.tolist()
    mean = sum(values) / len(values) if isinstance(norm, torch.nn.LayerNorm) else 0.0
    root = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values) + (norm.eps or 0.0))
    y = torch.tensor([(value - mean) / root for value in values], dtype=x.dtype) * norm.weight
    return y + norm.bias if isinstance(norm, torch.nn.LayerNorm) else y


def turned(config: former.ModelConfig, x: Tensor, position: int) -> Tensor:
    """Rotates a query or key of one head: pairs of numbers as complex numbers, times e^(i·angle)."""
    if config.positions != "rotary":
        return x
    r, y = int(len(x) * config.rotary_share), x.tolist()
    for i in range(r // 2):
        frequency = config.rotary_theta ** (-2 * i / r)
        if config.rotary_scaling is not None:
            factor, low, high, context = config.rotary_scaling
            turns = context * frequency / (2 * math.pi)  # in the old context
            if turns < low:
                frequency /= factor
            elif turns <= high:
                share = (turns - low) / (high - low)
                frequency = share * frequency + (1 - share) * frequency / factor
        point = complex(y[i], y[i + r // 2]) * cmath.exp(1j * position * frequency)
        y[i], y[i + r // 2] = point.real, point.imag
    return torch.tensor(y, dtype=x.dtype)


def fed(ff: Any, x: Tensor) -> Tensor:
    first, activation, second = ff
    if isinstance(first, torch.nn.Linear):
        return second(activation(first(x)))
    gate, up = first.gate(x), first.up(x)
    return second(torch.stack([g / (1 + torch.exp(-g)) * u for g, u in zip(gate, up, strict=True)]))


def attended(config: former.ModelConfig, attention: Any, xs: list[Tensor]) -> list[Tensor]:
    """Sums over the heads for each token, one query and one head at a time."""
    s, group = config.head_size, config.heads // config.key_heads
    window = config.mask_size or len(xs)
    q, k, v = ([part(x).split(s) for x in xs] for part in (attention.toqueries, attention.tokeys, attention.tovalues))
    result = []
    for i in range(len(xs)):
        heads = []
        for head in range(config.heads):
            query = turned(config, normed(attention.norm_q, q[i][head]), i)
            observed = range(max(0, i - window + 1), i + 1)
            keys = [turned(config, normed(attention.norm_k, k[j][head // group]), j) for j in observed]
            powers = [math.exp(float(query @ key) / math.sqrt(s)) for key in keys]
            total = sum(powers)
            heads.append(sum(power / total * v[j][head // group] for j, power in zip(observed, powers, strict=True)))
        result.append(attention.unifyheads(torch.cat(heads)))
    return result


@torch.no_grad()
def plain(model: Any, ids: list[int]) -> Tensor:
    """Returns the logits (t, num_tokens) of one text, token by token."""
    config, stack = model.config, model.transformer
    xs = [stack.token_embedding.weight[i] for i in ids]
    if config.positions == "learned":
        xs = [x + stack.positions.embedding.weight[i] for i, x in enumerate(xs)]
    for block in stack.blocks:
        if config.norm == "post":
            xs = [normed(block.norm1, x + y) for x, y in zip(xs, attended(config, block.attention, xs), strict=True)]
            xs = [normed(block.norm2, x + fed(block.ff, x)) for x in xs]
            continue
        added = attended(config, block.attention, [normed(block.norm1, x) for x in xs])
        mids = [x + y for x, y in zip(xs, added, strict=True)]
        read = xs if config.parallel else mids
        xs = [mid + fed(block.ff, normed(block.norm2, x)) for mid, x in zip(mids, read, strict=True)]
    return torch.stack([model.output_weight @ normed(model.norm, x) for x in xs])


def test_the_model_equals_a_plain_loop(model):
    ids = tokens(1, 11)
    torch.testing.assert_close(model(ids)[0], plain(model, ids[0].tolist()), **EXACT)


# --- what the stack does with it --------------------------------------------------------------------------------------


def test_token_by_token_with_a_cache_of_the_shared_keys_is_the_whole_pass(model):
    ids = tokens(2, 13)
    cache = KeyValueCache(model.config, model.output_weight, batch=2)
    assert cache.keys.shape[2] == (model.config.kv_heads or 4)
    pieces = [model(ids[:, start:end], cache=cache) for start, end in ((0, 5), (5, 6), (6, 7), (7, 13))]
    torch.testing.assert_close(torch.cat(pieces, 1), model(ids), **EXACT)


def test_writing_beyond_the_context_is_the_same_with_a_cache_and_without(model):
    written = [
        [step.token for step in former.generate(model, [1, 2, 3], 40, seed=0, use_cache=on)] for on in (True, False)
    ]
    assert written[0] == written[1]


def test_captured_queries_and_keys_give_the_scores_of_every_head(model):
    logits, seen = former.run_with_capture(model, tokens(1, 9), [*POINTS, *BLOCK_POINTS])
    torch.testing.assert_close(logits, model(tokens(1, 9)), **EXACT)
    q, k, v, scores, weights, out = (seen.stack(point) for point in POINTS)
    assert q.shape == k.shape == v.shape == out.shape
    expected = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).masked_fill(scores == -math.inf, -math.inf)
    torch.testing.assert_close(scores, expected, **EXACT)
    torch.testing.assert_close(weights @ v, out, **EXACT)
    hidden = model.config.ff_size
    assert seen.get("mlp_hidden", 0).shape == (1, 9, hidden)


def test_without_its_keys_a_head_is_as_if_its_queries_were_zero(model):
    """An edit of one head's keys does not change the other heads of its group."""
    zero = [Edit(1, point, lambda x: torch.cat((x[:, :2] * 0, x[:, 2:]), 1)) for point in ("q", "k")]
    by_q, by_k = (model(tokens(1, 9), observer=edit) for edit in zero)
    torch.testing.assert_close(by_q, by_k, **EXACT)
    assert not torch.allclose(by_q, model(tokens(1, 9)))


def test_the_lens_ends_in_the_logits_and_the_parts_add_up_to_them(model):
    ids = tokens(1, 9)
    lens = former.logit_lens(model, ids)
    torch.testing.assert_close(lens[-1], model(ids), **EXACT)
    if model.config.norm == "post":
        return
    parts = former.logit_parts(model, ids)
    assert parts["heads"].shape[:2] == (3, 4)
    total = sum(part.reshape(-1, 256).sum(0) for part in parts.values())
    torch.testing.assert_close(total, model(ids)[0, -1], **EXACT)


def test_patching_a_head_is_an_edit_of_its_output(model):
    bundle = former.Bundle(model, former.tokens.ByteTokenizer(), model.config)
    clean, corrupted = bundle.run("a cat sat"), bundle.run("a dog ran")
    result = patching.heads(clean, corrupted, patching.logit_difference(1, 0))
    out = clean.rerun(["out"])[1]
    for layer, head in ((0, 0), (1, 3), (2, 2)):

        def put(x: Tensor, layer=layer, head=head) -> Tensor:
            return torch.cat((x[:, :head], out["out", layer][:, head : head + 1], x[:, head + 1 :]), 1)

        logits = model(torch.tensor([corrupted.ids]), observer=Edit(layer, "out", put))[0, -1]
        torch.testing.assert_close(result[layer, head], logits[1] - logits[0], **EXACT)


def test_the_maps_of_the_heads_are_those_that_they_compute_by(model):
    """A single token attends only to itself, so a layer's heads act as a matrix; biases belong to no map."""
    block = model.transformer.blocks[1]
    attention, x = block.attention, torch.randn(12, dtype=torch.float64)
    for part in (attention.toqueries, attention.tokeys, attention.tovalues, attention.unifyheads, block.norm1):
        if getattr(part, "bias", None) is not None:
            part.bias.data.zero_()
    maps = circuits.head_maps(block)
    assert maps.q.shape == maps.k.shape == maps.v.shape
    read = block.norm1(x) if block.pre_norm else x
    unscaled = x if isinstance(block.norm1, torch.nn.RMSNorm) or not block.pre_norm else x - x.mean()
    length = (read / block.norm1.weight / unscaled).mean() if block.pre_norm else 1.0
    wrote = sum(out @ v @ x for out, v in zip(maps.out, maps.v, strict=True)) * length
    torch.testing.assert_close(wrote, attention(read[None, None])[0, 0], **EXACT)


def test_a_saved_model_is_loaded_with_every_new_field(model, tmp_path):
    bundle = former.Bundle(model.float(), former.tokens.ByteTokenizer(), model.config)
    former.save(bundle, tmp_path)
    reloaded = former.load(tmp_path)
    assert reloaded.config == model.config
    # float16 keeps 11 bits of a weight.
    torch.testing.assert_close(reloaded.model(tokens(1, 9)), model(tokens(1, 9)), atol=0.1, rtol=0.01)


PUBLISHED = {
    "smollm2-135m": 134_515_008,
    "smollm2-360m": 361_821_120,
    "tinyllama-1.1b": 1_100_048_384,
    "llama-3.2-1b": 1_235_814_400,
    "qwen2-0.5b": 494_032_768,
    "qwen3-0.6b": 596_049_920,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_sizes_have_their_numbers_of_parameters(name):
    with shapes_only():
        model = former.Generator(llama.config(**{"tied": True, **llama.SIZES[name]}))
    assert sum(parameter.numel() for parameter in model.parameters()) == PUBLISHED[name]
