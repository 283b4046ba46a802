"""The encoder-decoder: equal to torch.nn.Transformer and to its own decoding without a cache; its hooks work."""

import dataclasses
from typing import Any

import pytest
import torch
from torch import nn

import former
from former import edits, masks
from former.encoder_decoder import EncoderDecoder, EncoderDecoderConfig, translate, write
from former.generate import KeyValueCache
from former.hooks import STACKS, run_with_capture
from former.tokens import CharacterTokenizer

PAD = 0


def make(seed=0, **changes) -> Any:
    settings: dict[str, Any] = {
        "num_tokens": 20,
        "seq_length": 12,
        "emb": 16,
        "heads": 4,
        "depth": 2,
        "pad_token": PAD,
        **changes,
    }
    torch.manual_seed(seed)
    return EncoderDecoder(EncoderDecoderConfig(**settings)).eval()


def pair(b=3, t_source=7, t_target=5, seed=1):
    random = torch.Generator().manual_seed(seed)
    sizes = ((b, t_source), (b, t_target))
    return tuple(torch.randint(1, 20, size, generator=random) for size in sizes)


def padded_pair():
    source, target = pair()
    source[1, 4:] = PAD
    source[2, 2:] = PAD
    return source, target


@torch.no_grad()
def copy_attention(ours, theirs):
    theirs.in_proj_weight.copy_(torch.cat([ours.toqueries.weight, ours.tokeys.weight, ours.tovalues.weight]))
    theirs.in_proj_bias.copy_(torch.cat([ours.toqueries.bias, ours.tokeys.bias, ours.tovalues.bias]))
    theirs.out_proj.load_state_dict(ours.unifyheads.state_dict())


def torch_twin(model):
    """Returns a torch.nn.Transformer with the model's weights."""
    config = model.config
    twin: Any = nn.Transformer(
        config.emb,
        config.heads,
        config.depth,
        config.depth,
        config.ff_hidden_mult * config.emb,
        dropout=0.0,
        activation=config.activation,
        norm_first=config.norm == "pre",
        batch_first=True,
    ).eval()
    if config.norm == "pre":
        twin.encoder.norm.load_state_dict(model.encoder_norm.state_dict())
        twin.decoder.norm.load_state_dict(model.norm.state_dict())
    else:  # torch puts one norm more after a post-norm stack, the paper and former do not
        twin.encoder.norm = twin.decoder.norm = None
    for ours, theirs in zip(model.encoder.blocks, twin.encoder.layers, strict=True):
        copy_attention(ours.attention, theirs.self_attn)
        parts = ((ours.norm1, theirs.norm1), (ours.norm2, theirs.norm2))
        for mine, other in (*parts, (ours.ff[0], theirs.linear1), (ours.ff[2], theirs.linear2)):
            other.load_state_dict(mine.state_dict())
    for ours, theirs in zip(model.decoder.blocks, twin.decoder.layers, strict=True):
        copy_attention(ours.attention, theirs.self_attn)
        copy_attention(ours.cross, theirs.multihead_attn)
        parts = ((ours.norm1, theirs.norm1), (ours.cross_norm, theirs.norm2), (ours.norm2, theirs.norm3))
        for mine, other in (*parts, (ours.ff[0], theirs.linear1), (ours.ff[2], theirs.linear2)):
            other.load_state_dict(mine.state_dict())
    return twin


def randomise(model):
    """Replaces biases and norms, which start at 0 and 1, so that errors in them show."""
    random = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape, generator=random))
    return model


@pytest.mark.filterwarnings("ignore:.*nested.tensor")  # torch's warning about its own fast path
@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@torch.no_grad()
def test_equals_torch_nn_transformer_with_its_weights_copied_in(norm, activation):
    model = randomise(make(norm=norm, activation=activation, attention_bias=True)).double()
    twin = torch_twin(model).double()
    source, target = padded_pair()
    embedded = [
        stack.token_embedding(tokens) + stack.positions(torch.arange(tokens.shape[1]))
        for stack, tokens in ((model.encoder, source), (model.decoder, target))
    ]
    hidden = twin(
        *embedded,
        tgt_mask=nn.Transformer.generate_square_subsequent_mask(5, dtype=torch.float64),
        src_key_padding_mask=source == PAD,
        memory_key_padding_mask=source == PAD,
    )
    # In float64 only the order of sums differs.
    torch.testing.assert_close(model(source, target), model.toprobs(hidden), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("variant", ["narrow", "wide", "chunked"])
@torch.no_grad()
def test_cross_attention_equals_a_plain_loop_over_queries_and_keys(variant):
    model = randomise(make(variant=variant)).double()
    source, target = padded_pair()
    _, capture = run_with_capture(model, (source, target), ("cross.q", "cross.k", "cross.v", "cross.out"))
    for layer in range(2):
        q, k, v, out = (capture.get(f"cross.{point}", layer) for point in ("q", "k", "v", "out"))
        b, h, t, s = q.shape
        assert k.shape == (b, h, 7, s)
        for row in range(b):
            keys = [j for j in range(7) if source[row, j] != PAD]
            for head in range(h):
                for i in range(t):
                    scores = torch.stack([q[row, head, i] @ k[row, head, j] / s**0.5 for j in keys])
                    expected = scores.softmax(0) @ v[row, head, keys]
                    torch.testing.assert_close(out[row, head, i], expected, rtol=1e-9, atol=1e-9)


@torch.no_grad()
def test_padding_changes_nothing():
    model = make()
    source, target = pair(b=1)
    longer = torch.cat((source, torch.full((1, 4), PAD)), dim=1)
    # Another number of keys, another order of sums in float32.
    torch.testing.assert_close(model(longer, target), model(source, target), rtol=1e-5, atol=1e-5)
    beside = torch.cat((longer, pair(b=1, t_source=11, seed=2)[0]))
    torch.testing.assert_close(model(beside, target.expand(2, -1))[:1], model(source, target), rtol=1e-5, atol=1e-5)


@torch.no_grad()
def test_changing_a_later_target_token_leaves_earlier_logits_unchanged_and_every_source_token_counts():
    model = make()
    source, target = pair()
    before = model(source, target)
    changed = target.clone()
    changed[:, 3] = target[:, 3] % 19 + 1
    after = model(source, changed)
    assert torch.equal(after[:, :3], before[:, :3])
    assert not torch.equal(after[:, 3], before[:, 3])
    for position in range(source.shape[1]):
        changed = source.clone()
        changed[:, position] = source[:, position] % 19 + 1
        assert float((model(changed, target) - before).abs().amax((1, 2)).min()) > 1e-4


@pytest.mark.parametrize("positions", ["none", "learned", "sinusoidal", "relative"])
@torch.no_grad()
def test_decoding_with_a_cache_and_keys_made_once_gives_the_logits_of_the_whole_pass(positions):
    model = make(positions=positions)
    source, target = padded_pair()
    whole = model(source, target)
    real, memory = model.real(source), model.encode(source)
    cache = KeyValueCache(model.config, memory, batch=3)
    keys = model.keys_and_values(memory)
    steps = [model.decode(token, keys, real, cache=cache) for token in target.split(1, dim=1)]
    torch.testing.assert_close(torch.cat(steps, dim=1), whole, rtol=1e-5, atol=1e-5)


def test_writing_makes_the_keys_of_the_memory_once(monkeypatch):
    model = make()
    calls = []
    for block in model.decoder.blocks:
        made = block.cross.keys_and_values
        monkeypatch.setattr(block.cross, "keys_and_values", lambda x, made=made: calls.append(len(x)) or made(x))
    assert len(write(model, pair()[0], begin=1, end=2)) == 3
    assert calls == [3, 3]  # once a layer


# Where two ways of computing must choose the same tokens, both are in float64: of random weights the likeliest two are
# further apart than it rounds.


@torch.no_grad()
def test_greedy_writing_takes_the_likeliest_token_each_time_up_to_the_end():
    model = make(seed=3).double()
    for source in pair(b=6)[0].split(1):
        expected, end = [], 7
        while len(expected) < 12:
            target = torch.tensor([[1, *expected]])[:, :12]
            token = int(model(source, target)[0, -1].argmax())
            if token == end:
                break
            expected.append(token)
        assert write(model, source, begin=1, end=end) == [expected]


def test_a_batch_is_written_as_its_sources_one_by_one():
    model = make(seed=3).double()
    source, _ = padded_pair()
    alone = [write(model, row[row != PAD][None], begin=1, end=7)[0] for row in source]
    assert write(model, source, begin=1, end=7) == alone


def test_sampling_depends_on_the_seed_alone_and_follows_the_models_probabilities():
    model = make()
    source = pair(b=1)[0]
    assert write(model, source, 1, 2, 1.0, seed=4) == write(model, source, 1, 2, 1.0, seed=4)
    many = write(model, source.expand(4_000, -1), 1, 2, 1.0, seed=0, max_new_tokens=1)
    counts = torch.bincount(torch.tensor([answer[0] if answer else 2 for answer in many]), minlength=20)
    with torch.no_grad():
        probs = model(source, torch.tensor([[1]]))[0, -1].softmax(-1)
    # 5 standard deviations of a share in 4,000 draws
    assert ((counts / 4_000 - probs).abs() < 5 * (probs * (1 - probs) / 4_000).sqrt() + 1e-9).all()


def test_temperature_0_and_top_k_1_are_greedy():
    model = make()
    source, _ = pair()
    assert write(model, source, 1, 2, 1.0, top_k=1) == write(model, source, 1, 2)


# Looking in, and changing


@torch.no_grad()
def test_every_stack_is_seen_at_every_point_under_its_own_name():
    model = make()
    source, target = pair()
    names = [f"{stack}.{point}" for stack, points in STACKS.items() for point in points]
    logits, capture = run_with_capture(model, (source, target), names)
    # With and without an observer, attention is computed in two ways that round differently.
    torch.testing.assert_close(logits, model(source, target), rtol=1e-5, atol=1e-5)
    assert capture.stack("encoder.weights").shape == (2, 3, 4, 7, 7)
    assert capture.stack("decoder.weights").shape == (2, 3, 4, 5, 5)
    assert capture.stack("cross.weights").shape == (2, 3, 4, 5, 7)
    assert capture.stack("encoder.resid_post").shape == (2, 3, 7, 16)
    assert capture.stack("decoder.mlp_hidden").shape == (2, 3, 5, 64)
    for stack in STACKS:
        sums = capture.stack(f"{stack}.weights").sum(-1)
        torch.testing.assert_close(sums, torch.ones_like(sums))
    assert not capture.stack("decoder.weights").triu(1).any()
    last = model.encoder_norm(capture.get("encoder.resid_post", 1))
    torch.testing.assert_close(last, model.encode(source), rtol=1e-5, atol=1e-5)


@torch.no_grad()
def test_nobody_looks_at_padding_in_the_source():
    source, target = padded_pair()
    _, capture = run_with_capture(make(), (source, target), ("encoder.weights", "cross.weights"))
    for name in ("encoder.weights", "cross.weights"):
        assert not capture.stack(name)[:, 1, ..., 4:].any()
        assert not capture.stack(name)[:, 2, ..., 2:].any()


@torch.no_grad()
def test_only_the_stack_that_is_looked_at_leaves_the_fast_kernel(monkeypatch):
    fast = []
    kernel = torch.nn.functional.scaled_dot_product_attention
    monkeypatch.setattr(
        torch.nn.functional, "scaled_dot_product_attention", lambda *a, **k: fast.append(1) or kernel(*a, **k)
    )
    run_with_capture(make(), pair(), "cross.weights", layers=[1])
    assert len(fast) == 2 + 2 + 1  # encoder, decoder's own, and cross-attention of layer 0


@torch.no_grad()
def test_in_a_pre_norm_decoder_resid_mid_and_mlp_out_add_up_to_resid_post():
    names = ("decoder.resid_mid", "decoder.mlp_out", "decoder.resid_post")
    _, capture = run_with_capture(make(norm="pre"), pair(), names)
    mid, out, post = (capture.stack(name) for name in names)
    torch.testing.assert_close(mid + out, post)


@pytest.mark.parametrize("stack", list(STACKS))
@torch.no_grad()
def test_an_edit_at_a_scoped_point_changes_that_stack_and_no_other(stack):
    model = make()
    inputs = pair()
    names = [f"{each}.out" for each in STACKS]
    plain_logits, plain = run_with_capture(model, inputs, names)
    logits, changed = run_with_capture(model, inputs, names, edits=[edits.ablate_head(0, 1, stack=stack)])
    assert not torch.equal(logits, plain_logits)
    off, head = changed.get(f"{stack}.out", 0), torch.arange(4) == 1
    assert not off[:, head].any()
    assert off[:, ~head].any()
    before = {"encoder": [], "decoder": ["encoder"], "cross": ["encoder", "decoder"]}[stack]
    for each in before:  # what comes earlier in the pass stays as it was
        assert torch.equal(changed.get(f"{each}.out", 0), plain.get(f"{each}.out", 0))


@torch.no_grad()
def test_without_cross_attention_the_source_does_not_count():
    model = make()
    source, target = pair()
    other = pair(seed=9)[0]
    off = [edits.Edit(layer, "cross.out", torch.zeros_like) for layer in range(2)]
    logits = [run_with_capture(model, (each, target), (), edits=off)[0] for each in (source, other)]
    assert torch.equal(*logits)


@torch.no_grad()
def test_a_mask_replaces_the_decoders_causal_one():
    model = make()
    source, target = pair()
    _, capture = run_with_capture(model, (source, target), "decoder.weights", mask=masks.none(5))
    assert capture.stack("decoder.weights").triu(1).any()


def test_a_point_without_its_stack_is_refused():
    with pytest.raises(ValueError, match="names must be among"):
        run_with_capture(make(), pair(), "weights")


@torch.no_grad()
def test_the_logit_lens_reads_the_decoder_and_ends_in_the_models_own_logits():
    model = make(norm="pre")
    inputs = pair()
    lens = former.logit_lens(model, inputs)
    assert lens.shape == (3, 3, 5, 20)
    torch.testing.assert_close(lens[-1], model(*inputs), rtol=1e-5, atol=1e-5)
    _, capture = run_with_capture(model, inputs, "decoder.resid_post")
    torch.testing.assert_close(lens[1], model.unembed(capture.get("decoder.resid_post", 0)), rtol=1e-5, atol=1e-5)


# On disk, and from text to text


@pytest.fixture
def bundle():
    tokenizer = CharacterTokenizer("0123456789abc-", {"<write>": "000-0", "<read>": ""})
    model = make(num_tokens=tokenizer.num_tokens, norm="pre")
    return former.Bundle(model, tokenizer, model.config)


def test_saving_and_loading_keeps_the_model_and_its_tokenizer(bundle, tmp_path):
    former.save(bundle, tmp_path)
    reloaded = former.load(tmp_path)
    assert isinstance(reloaded.model, EncoderDecoder)
    assert reloaded.config == bundle.config
    assert reloaded.tokenizer.to_dict() == bundle.tokenizer.to_dict()
    for (name, ours), (_, theirs) in zip(
        bundle.model.state_dict().items(), reloaded.model.state_dict().items(), strict=True
    ):
        assert torch.equal(ours.half().float(), theirs), name


def test_a_text_is_translated_as_its_tokens_are(bundle):
    source = torch.tensor([bundle.tokenizer.encode("12c")])
    ids = write(bundle.model, source, 2, 3)[0]
    assert translate(bundle, "12c") == bundle.tokenizer.decode(ids)
    assert translate(bundle, "12c", temperature=1.0, seed=1) == translate(bundle, "12c", temperature=1.0, seed=1)
    assert former.translate is translate


def test_the_config_survives_its_dictionary():
    config = make().config
    assert EncoderDecoderConfig.from_dict(config.to_dict()) == config
    assert dataclasses.replace(config, pad_token=None).pad_token is None


# Invalid arguments


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_tokens": 0}, "num_tokens must be"),
        ({"seq_length": 0}, "seq_length must be"),
        ({"positions": "guessed"}, "positions must be one of"),
        ({"positions": "sinusoidal", "emb": 15, "heads": 3}, "emb must be even"),
        ({"pad_token": 20}, "pad_token must be"),
        ({"depth": 0}, "depth must be"),
    ],
)
def test_a_config_out_of_range_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        make(**changes)


def test_inputs_that_do_not_fit_are_refused(bundle):
    model = make()
    source, target = pair()
    with pytest.raises(ValueError, match="batches of one size, got 3 and 2"):
        model(source, target[:2])
    with pytest.raises(ValueError, match="source must hold a token that is not padding in every sequence"):
        model(torch.zeros_like(source), target)
    with pytest.raises(ValueError, match="context of 12 tokens, got 13"):
        model(torch.ones(1, 13, dtype=torch.long), target[:1])
    with pytest.raises(ValueError, match="context of 12 tokens, got 13"):
        translate(bundle, "a" * 12)
    for empty in ("", " "):
        with pytest.raises(ValueError, match="text must hold at least one token"):
            translate(bundle, empty)
    keys = model.keys_and_values(model.encode(source))
    with pytest.raises(ValueError, match=f"each of {len(keys)} layers, got {len(keys) - 1} of them"):
        model.decode(target, keys[1:])
    with pytest.raises(ValueError, match="max_new_tokens must be in"):
        write(model, source, 1, 2, max_new_tokens=13)
    with pytest.raises(ValueError, match="temperature must be"):
        write(model, source, 1, 2, -1.0)
    with pytest.raises(ValueError, match="seed must be"):
        write(model, source, 1, 2, seed=2**64)
    generator = former.Generator(former.ModelConfig(emb=16, heads=2, depth=1))
    with pytest.raises(ValueError, match="must hold an EncoderDecoder, got Generator"):
        translate(former.Bundle(generator, former.tokens.ByteTokenizer(), generator.config), "text")
