"""Composition, copying and induction, compared with explicit matrices and loops."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import former
from former import analysis
from former.analysis.circuits import head_maps, repeated_sequences

CONFIG = former.ModelConfig(num_tokens=40, seq_length=24, emb=12, heads=3, depth=3, norm="pre")
CHANGES: list[dict[str, Any]] = [{}, {"norm": "post"}, {"variant": "wide"}, {"variant": "chunked"}]


@pytest.fixture(params=CHANGES, ids=str)
def model(request) -> former.Generator:
    torch.manual_seed(0)
    model = former.Generator(replace(CONFIG, **request.param)).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    return model


@torch.no_grad()
def test_the_maps_of_a_head_give_what_it_reads_and_writes(model):
    block, x = model.transformer.blocks[1], torch.randn(1, 5, 12, dtype=torch.float64)
    maps = head_maps(block)
    shifts = [x - x.mean(-1, keepdim=True), torch.zeros_like(x)]  # that have no mean: as the norm centres them
    read = [shift * block.norm1.weight if block.pre_norm else shift for shift in shifts]
    for name in ("toqueries", "tokeys", "tovalues"):
        linear, mine = getattr(block.attention, name), getattr(maps, name[2])
        expected = (linear(read[0]) - linear(read[1])).unflatten(-1, (3, -1)).transpose(1, 2)[0]  # (h, t, s)
        torch.testing.assert_close(shifts[0][0] @ mine.transpose(1, 2), expected)
    out = torch.randn(1, 3, 5, block.attention.size, dtype=torch.float64)
    joined = block.attention.unifyheads(out.transpose(1, 2).flatten(2)) - block.attention.unifyheads.bias
    torch.testing.assert_close((out[0] @ maps.out.transpose(1, 2)).sum(0)[None], joined)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_a_model_of_low_precision_has_the_circuits_of_the_same_weights_in_float64(dtype):
    torch.manual_seed(0)
    low = former.Generator(replace(CONFIG, attention_bias=True)).to(dtype).eval()
    with torch.no_grad():
        for name, parameter in low.named_parameters():
            if name.endswith("bias"):  # some of Qwen's are above 100
                parameter.fill_(100.0)
    exact = copy.deepcopy(low).double()
    # float64 rounds biases of 100 to 1e-14, and the scores are roots of sums, exact to its root at worst.
    for kind in ("q", "k", "v"):
        torch.testing.assert_close(
            analysis.composition(low, kind), analysis.composition(exact, kind), atol=1e-7, rtol=0
        )
    torch.testing.assert_close(analysis.copying_score(low), analysis.copying_score(exact), atol=1e-7, rtol=0)


@pytest.mark.parametrize("kind", ["q", "k", "v"])
def test_composition_is_that_of_the_matrices_written_out(model, kind):
    result = analysis.composition(model, kind)
    layers = [head_maps(block) for block in model.transformer.blocks]
    norm = torch.linalg.matrix_norm
    for later, reader in enumerate(layers):
        for head in range(3):
            asked, held, value, out = (part[head] for part in (reader.q, reader.k, reader.v, reader.out))
            reads = {"q": held.T @ asked, "k": asked.T @ held, "v": out @ value}[kind]
            for earlier, writer in enumerate(layers):
                for other in range(3):
                    wrote = writer.out[other] @ writer.v[other]
                    expected = norm(reads @ wrote) / (norm(reads) * norm(wrote)) if earlier < later else 0.0
                    assert float(result[later, head, earlier, other]) == pytest.approx(float(expected), abs=1e-10)


def test_copying_is_that_of_the_eigenvalues_of_the_whole_circuit(model):
    result = analysis.copying_score(model)
    with torch.no_grad():
        unembed = model.output_weight if model.toprobs is None else model.toprobs.weight
        if isinstance(model.norm, torch.nn.LayerNorm):
            centre = torch.eye(12, dtype=torch.float64) - 1 / 12
            unembed = unembed @ torch.diag(model.norm.weight) @ centre
        for layer, block in enumerate(model.transformer.blocks):
            maps = head_maps(block)
            for head in range(3):
                circuit = unembed @ maps.out[head] @ maps.v[head] @ model.transformer.token_embedding.weight.T
                values = torch.linalg.eigvals(circuit)  # (num_tokens,)
                assert float(result[layer, head]) == pytest.approx(
                    float(values.sum().real / values.abs().sum()), abs=1e-8
                )


def test_a_head_made_to_copy_scores_1_and_one_made_to_suppress_minus_1():
    torch.manual_seed(0)
    model = former.Generator(replace(CONFIG, norm="post", tied=True)).double().eval()
    attention: Any = next(iter(model.transformer.blocks)).attention
    with torch.no_grad():
        attention.unifyheads.weight.copy_(attention.tovalues.weight.T)
        attention.unifyheads.weight[:, 4:8] *= -1
    result = analysis.copying_score(model)[0]
    assert result.tolist()[:2] == pytest.approx([1, -1], abs=1e-9)


def test_induction_is_the_weight_on_what_followed_the_first_time(model):
    result = analysis.induction_score(model, seed=4, length=8, repeats=2)
    tokens = repeated_sequences(8, 2, 4, range(40))
    assert torch.equal(tokens[:, :8], tokens[:, 8:])
    weights = former.run_with_capture(model, tokens)[1].stack("weights")
    for layer in range(3):
        for head in range(3):
            observed = [float(weights[layer, b, head, 8 + i, i + 1]) for b in range(2) for i in range(8)]
            assert float(result[layer, head]) == pytest.approx(sum(observed) / 16)


def test_gpt_has_heads_of_induction_and_a_model_of_random_weights_has_none():
    trained = analysis.induction_score(former.load("gpt").model, length=32, repeats=4)
    assert float(trained.max()) > 0.3
    torch.manual_seed(0)
    begun = former.Generator(former.load("gpt").config).eval()
    assert float(analysis.induction_score(begun, length=32, repeats=4).max()) < 0.1


def test_what_has_no_such_circuits_is_refused(bundles):
    with pytest.raises(ValueError, match="kind must be q, k or v"):
        analysis.composition(bundles["causal"].model, "out")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="model must be of one stack, got EncoderDecoder"):
        analysis.composition(bundles["translator"].model, "q")
    with pytest.raises(ValueError, match="model must be a Generator, got Bert"):
        analysis.copying_score(bundles["masked"].model)


def test_a_head_that_passes_nothing_on_scores_0():
    config = former.ModelConfig(num_tokens=20, emb=16, heads=4, depth=2, seq_length=8, norm="pre")
    model = former.Generator(config).eval()
    blocks: Any = model.transformer.blocks
    with torch.no_grad():
        for block in blocks:
            block.attention.unifyheads.weight[:, :4] = 0  # what the first head writes
    assert (analysis.copying_score(model)[:, 0] == 0).all()
    assert analysis.copying_score(model).isfinite().all()
    for kind in ("q", "k", "v"):
        composed = analysis.composition(model, kind)
        assert composed.isfinite().all(), kind
        assert (composed[1, :, 0, 0] == 0).all(), kind


def test_numbers_and_ids_of_numpy_and_torch_draw_the_tokens_of_the_same_numbers_of_python():
    torch.manual_seed(0)
    model = former.Generator(CONFIG).eval()
    plain = analysis.induction_score(model, 3, length=4, repeats=2, ids=[1, 2, 5])
    arrays: list[Any] = [np.array([1, 2, 5]), torch.tensor([1, 2, 5])]
    for ids in arrays:
        numpy: Any = np.int64(3)
        assert analysis.induction_score(model, numpy, length=4, repeats=2, ids=ids).equal(plain)
