"""Transformer-XL compared with the paper's formula in loops, and with one long pass."""

import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F

import former
from former import masks
from former.checkpoints import MODEL_KINDS
from former.transformer_xl import TransformerXL, TransformerXLConfig

SHAPE: dict[str, Any] = {"num_tokens": 11, "emb": 8, "heads": 2, "depth": 2, "seq_length": 4, "memory_length": 4}


def make(**changes):
    torch.manual_seed(0)
    model = TransformerXL(TransformerXLConfig(**{**SHAPE, **changes})).double().eval()
    for parameter in model.parameters():  # u, v, biases and norms too
        torch.nn.init.normal_(parameter, std=0.5)
    return model


def text(t, b=1, seed=1):
    return torch.randint(11, (b, t), generator=torch.Generator().manual_seed(seed))


def encoding(distance, emb):
    """Returns R_d of the paper: sines and cosines of the distance, here alternating."""
    angles = [distance / 10000 ** (i / emb) for i in range(0, emb, 2)]
    return torch.tensor([f(angle) for angle in angles for f in (math.sin, math.cos)], dtype=torch.float64)


def attention_by_loops(model, layer, h, memory):
    """Computes section 3.3 cell by cell; h (t, e) is the layer's input, memory (m, e) that of earlier tokens."""
    weights = model.state_dict()
    name = f"transformer.blocks.{layer}.attention."
    terms = f"transformer.positions.layers.{layer}."
    heads, size = model.config.heads, model.config.head_size
    everything = torch.cat((memory, h))
    out = torch.zeros(len(h), heads * size, dtype=torch.float64)
    for head in range(heads):
        rows = slice(head * size, (head + 1) * size)
        w_q, w_k, w_v = (weights[f"{name}{to}.weight"][rows] for to in ("toqueries", "tokeys", "tovalues"))
        w_r = weights[f"{terms}tokeys.weight"][rows]
        u, v = weights[f"{terms}content"][head, 0], weights[f"{terms}position"][head, 0]
        for i in range(len(h)):
            q = w_q @ h[i]
            scores = []
            for j in range(len(memory) + i + 1):
                k, r = w_k @ everything[j], w_r @ encoding(len(memory) + i - j, model.config.emb)
                scores.append((q @ k + q @ r + u @ k + v @ r) / math.sqrt(size))
            for j, weight in enumerate(torch.stack(scores).softmax(0)):
                out[i, rows] += weight * (w_v @ everything[j])
    return out @ weights[f"{name}unifyheads.weight"].T + weights[f"{name}unifyheads.bias"]


def model_by_loops(model, segments):
    """Runs a pre-norm model over the segments of one text; returns all logits."""
    weights, logits = model.state_dict(), []
    memories = [torch.zeros(0, model.config.emb, dtype=torch.float64)] * model.config.depth

    def norm(x, name):
        return F.layer_norm(x, x.shape[-1:], weights[f"{name}.weight"], weights[f"{name}.bias"])

    for tokens in segments:
        x = weights["transformer.token_embedding.weight"][tokens]
        for layer in range(model.config.depth):
            name, memory = f"transformer.blocks.{layer}.", memories[layer]
            memories[layer] = torch.cat((memory, x))[-model.config.memory_length :]
            x = x + attention_by_loops(model, layer, norm(x, f"{name}norm1"), norm(memory, f"{name}norm1"))
            hidden = norm(x, f"{name}norm2") @ weights[f"{name}ff.0.weight"].T + weights[f"{name}ff.0.bias"]
            x = x + hidden.relu() @ weights[f"{name}ff.2.weight"].T + weights[f"{name}ff.2.bias"]
        logits.append(norm(x, "norm") @ weights["toprobs.weight"].T + weights["toprobs.bias"])
    return torch.cat(logits)


def by_segments(model, tokens, lengths, **options):
    first, *others = tokens.split(lengths, 1)
    said, memory = model(first, **options)
    logits = [said]
    for segment in others:
        said, memory = model(segment, memory, **options)
        logits.append(said)
    return torch.cat(logits, 1), memory


def test_equals_the_papers_formula_in_plain_loops():
    model, tokens = make(norm="pre", memory_length=5), text(12)
    ours, _ = by_segments(model, tokens, [4, 4, 1, 3])
    loops = model_by_loops(model, tokens[0].split([4, 4, 1, 3]))
    torch.testing.assert_close(ours[0], loops, atol=1e-10, rtol=0)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("lengths", [[4, 4, 4], [5, 1, 6], [1] * 12])
def test_segments_with_a_full_memory_are_one_long_causal_pass(norm, lengths):
    model, tokens = make(norm=norm), text(12, b=3)
    whole, _ = model(tokens)
    ours, memory = by_segments(model, tokens, lengths, memory_length=12)
    torch.testing.assert_close(ours, whole, atol=1e-10, rtol=0)
    assert memory.shape == (2, 3, 12, 8)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_short_memory_is_a_long_pass_that_sees_so_far_and_no_further(norm):
    model, tokens = make(norm=norm, memory_length=3), text(12)
    query, key = torch.arange(12)[:, None], torch.arange(12)
    mask = (key <= query) & (key >= query // 4 * 4 - 3)  # from three tokens before the query's own segment
    whole, _ = model(tokens, mask=mask)
    ours, memory = by_segments(model, tokens, 4)
    torch.testing.assert_close(ours, whole, atol=1e-10, rtol=0)
    assert memory.shape == (2, 1, 3, 8)


def test_each_layer_reaches_one_memory_further_back():
    model, tokens = make(depth=3, memory_length=4), text(20)
    influence = former.analysis.influence(lambda x: by_segments(model, x, 4)[0], tokens)
    assert (influence[19, :4] == 0).all()  # three layers reach back three segments of four
    assert (influence[19, 4:] > 0).all()
    assert (influence.triu(1) == 0).all()


def test_no_gradient_flows_into_the_memory():
    model = make()
    _, memory = model(text(4))
    memory.requires_grad_()
    logits, following = model(text(4, seed=2), memory)
    logits.sum().backward()
    assert memory.grad is None
    assert not following.requires_grad
    # The maps to keys and values do learn from what they make of it.
    tokeys = dict(model.named_parameters())["transformer.blocks.0.attention.tokeys.weight"]
    hidden = masks.named("causal", 4, past=4) & (torch.arange(8) >= 4)
    seen, unseen = (
        torch.autograd.grad(model(text(4), memory, mask=mask)[0].sum(), tokeys)[0] for mask in (None, hidden)
    )
    assert not torch.allclose(seen, unseen)


def test_a_memory_of_nothing_is_none():
    model = make()
    _, memory = model(text(4), memory_length=0)
    assert memory.shape == (2, 1, 0, 8)
    assert torch.equal(model(text(3), memory)[0], model(text(3))[0])


def test_recomputing_gives_the_same_gradients():
    grads = []
    for recompute in (False, True):
        model = make()
        _, memory = model(text(4))
        model(text(4, seed=2), memory, recompute=recompute)[0].square().sum().backward()
        grads.append([parameter.grad for parameter in model.parameters()])
    for kept, recomputed in zip(*grads, strict=True):
        torch.testing.assert_close(recomputed, kept)


@pytest.mark.parametrize("capture", [True, False])
def test_looking_changes_nothing_and_rows_of_weights_reach_over_the_memory(capture):
    model = make()
    _, memory = model(text(4))
    observer = former.Capture(("weights", "k")) if capture else None
    said, _ = model(text(3, seed=2), memory, observer=observer)
    torch.testing.assert_close(said, model(text(3, seed=2), memory)[0], atol=1e-12, rtol=0)
    if observer:
        weights = observer.stack("weights")
        assert weights.shape == (2, 1, 2, 3, 7)
        torch.testing.assert_close(weights.sum(-1), torch.ones(2, 1, 2, 3, dtype=torch.float64))
        assert observer.get("k", 1).shape == (1, 2, 7, 4)


def test_run_with_capture_and_edits_reach_the_memory_that_is_kept():
    model = make()
    _, memory = model(text(4))
    (said, kept), capture = former.run_with_capture(model, (text(4, seed=2), memory), ("weights",))
    assert capture.stack("weights").shape == (2, 1, 2, 4, 8)
    edit = former.edits.ablate_head(0, 1)
    (edited, edited_memory), _ = former.run_with_capture(model, (text(4, seed=2), memory), ("weights",), edits=[edit])
    assert not torch.allclose(said, edited)
    assert torch.equal(kept[0], edited_memory[0])  # layer 0 reads values from before the edit
    assert not torch.allclose(kept[1], edited_memory[1])


def test_loads_as_it_was_saved(tmp_path):
    config = TransformerXLConfig(**{**SHAPE, "num_tokens": 256})
    assert MODEL_KINDS["TransformerXL"] == (TransformerXL, TransformerXLConfig)
    model = TransformerXL(config).eval()
    tokenizer = former.tokens.ByteTokenizer()
    former.save(former.Bundle(model, tokenizer, config), tmp_path, "bf16")
    loaded = former.load(tmp_path)
    assert loaded.config == config
    tokens = text(4)
    rounded = {name: tensor.bfloat16().float() for name, tensor in model.state_dict().items()}
    model.load_state_dict(rounded)
    assert torch.equal(loaded.model(tokens)[0], model(tokens)[0])


@pytest.mark.parametrize("length", [2, 9])
def test_writing_with_the_memory_is_reading_the_whole_text(length):
    model = make(memory_length=64)
    prompt = text(length)[0].tolist()
    steps = list(former.generate(model, prompt, 8, seed=3, capture=True))
    ids = [*prompt, *(step.token for step in steps)]
    logits, _ = model(torch.tensor([ids]))
    for at, step in enumerate(steps, start=length - 1):
        torch.testing.assert_close(step.probs, logits[0, at].softmax(-1), atol=1e-10, rtol=0)
        assert step.start == 0
        assert step.weights[1].shape == (2, at + 1)


def test_writing_past_the_memory_says_where_its_window_begins_and_needs_no_cache():
    model, prompt = make(), text(6)[0].tolist()
    steps = list(former.generate(model, prompt, 5, seed=3, capture=[1]))
    assert [step.start for step in steps] == [0, 0, 0, 4, 4]  # each segment sees the 4 tokens before it
    assert [step.weights[1].shape[1] for step in steps] == [6, 7, 8, 5, 6]
    uncached = list(former.generate(model, prompt, 5, seed=3, use_cache=False))
    assert [step.token for step in uncached] == [step.token for step in steps]


def test_what_is_written_next_depends_on_the_text_and_not_on_how_much_of_it_was_the_prompt():
    model, ids = make(), text(5)[0].tolist()
    for step in former.generate(model, ids, 9, temperature=0):
        (step_,) = former.generate(model, ids, 1, temperature=0)
        torch.testing.assert_close(step.probs, step_.probs, atol=1e-10, rtol=0)
        ids.append(step.token)


def test_what_does_not_fit_is_refused():
    model = make()
    with pytest.raises(ValueError, match=r"memory must have shape \(2, 1, m, 8\), got \(2, 3, 4, 8\)"):
        model(text(4), torch.zeros(2, 3, 4, 8))
    with pytest.raises(ValueError, match=r"memory_length must be None or a whole number of at least 0, got -1"):
        model(text(4), memory_length=-1)
    with pytest.raises(ValueError, match=r"memory_length must be a whole number of at least 1, got 0"):
        TransformerXLConfig(memory_length=0)
    with pytest.raises(ValueError, match=r"emb must be even .*, got 7"):
        TransformerXLConfig(emb=7, heads=1)
    with pytest.raises(ValueError, match=r"tokens must be in \[0, 11\)"):
        model(torch.tensor([[11]]))
