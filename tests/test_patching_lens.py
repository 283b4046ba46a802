"""Activation patching equals TransformerLens's own patching functions, in a model with the same weights."""

from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

import former
from former import patching
from former.runs import Run
from former.tokens import ByteTokenizer

CLEAN, CORRUPTED = "the cat sat on", "the dog ran in"
ANSWER, RIVAL = ord(" "), ord("g")
NAMES = {  # theirs → ours; a linear map has weights of the same layout in both
    "embed": "transformer.token_embedding",
    "pos_embed": "transformer.positions.embedding",
    ".ln1": ".norm1",
    ".ln2": ".norm2",
    ".attn.q": ".attention.toqueries",
    ".attn.k": ".attention.tokeys",
    ".attn.v": ".attention.tovalues",
    ".attn.o": ".attention.unifyheads",
    ".mlp.in": ".ff.0",
    ".mlp.out": ".ff.2",
    "ln_final": "norm",
}


class Case(NamedTuple):
    """The same two passes in both libraries."""

    clean: Run
    corrupted: Run
    model: Any  # TransformerLens's
    tokens: Tensor  # of the corrupted text, (1, t)
    cache: Any  # of the clean pass


def our_name(name: str) -> str:
    module, _, kind = name.rpartition(".")
    if module.startswith("blocks."):
        module = "transformer." + next(module.removesuffix(a) + b for a, b in NAMES.items() if module.endswith(a))
    return f"{NAMES.get(module, module)}.{kind}"


@pytest.fixture(scope="module")
def case() -> Case:
    pytest.importorskip("transformer_lens", reason="needs transformer-lens, of requirements-dev.txt")
    from transformer_lens.config import TransformerBridgeConfig  # noqa: PLC0415
    from transformer_lens.model_bridge import TransformerBridge  # noqa: PLC0415

    config = former.gpt2.config(num_tokens=256, seq_length=16, emb=32, heads=4, depth=3, dropout=0.0)
    ours = former.Generator(config).double().eval()
    random = torch.Generator().manual_seed(0)
    for name, parameter in ours.named_parameters():  # large enough that every head matters
        parameter.data.normal_(float("norm" in name and name.endswith("weight")), 0.3, generator=random)
    sizes = TransformerBridgeConfig(
        n_layers=3,
        d_model=32,
        n_heads=4,
        d_head=8,
        d_mlp=128,
        n_ctx=16,
        d_vocab=256,
        act_fn="gelu_new",
        architecture="TransformerLensNative",
    )
    boot: Any = getattr(TransformerBridge, "boot_native")  # noqa: B009 -- it is attached at run time
    theirs = boot(sizes, device="cpu").double().eval()
    weights = ours.state_dict() | {"unembed.weight": ours.transformer.token_embedding.weight.data}
    weights["unembed.bias"] = torch.zeros(256, dtype=torch.float64)
    theirs.load_state_dict({name: weights[our_name(name)] for name in theirs.state_dict()})
    bundle = former.Bundle(ours, ByteTokenizer(), config)
    clean, corrupted = bundle.run(CLEAN), bundle.run(CORRUPTED)
    _, cache = theirs.run_with_cache(clean.inputs[0])
    torch.testing.assert_close(theirs(corrupted.inputs[0]), corrupted.output)
    return Case(clean, corrupted, theirs, corrupted.inputs[0], cache)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("attn_head_out_all_pos", patching.heads),
        ("attn_head_out_by_pos", lambda *runs: patching.heads_by_token(*runs).transpose(1, 2)),
        ("attn_head_pattern_all_pos", patching.attention),
        ("resid_pre", lambda *runs: patching.stream(*runs, point="resid_pre")),
        # Not resid_mid: TransformerLens 4 hooks what ln2 reads, so the residual connection stays unpatched.
        ("attn_out", lambda *runs: patching.stream(*runs, point="attention")),
        ("mlp_out", lambda *runs: patching.stream(*runs, point="mlp_out")),
    ],
)
def test_patching_equals_transformer_lens(case, theirs, ours, monkeypatch):
    from transformer_lens import patching as lens  # noqa: PLC0415

    monkeypatch.setattr(lens, "tqdm", lambda steps, **_: steps)  # no progress bars
    metric = patching.logit_difference(ANSWER, RIVAL)
    expected = getattr(lens, f"get_act_patch_{theirs}")(
        case.model, case.tokens, case.cache, lambda logits: logits[0, -1, ANSWER] - logits[0, -1, RIVAL]
    )
    result = ours(case.clean, case.corrupted, metric)
    assert result.std() > 0.01  # the patches differ
    # float64 on both sides, but TransformerLens computes some steps in float32
    torch.testing.assert_close(result, torch.as_tensor(expected).to(result), atol=1e-4, rtol=0)
