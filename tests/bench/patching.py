"""The speed of patching every head of GPT-2's shape at 64 tokens: `python -m tests.bench.patching`.

The plain loop makes one whole pass for each of the 144 heads, as a notebook would with an edit; TransformerLens does
the same, and is measured too where it is installed. Takes turns; returns 1 where the bar is missed.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

import former
from former import patching
from former.runs.carry import carry
from former.runs.run import Run

TOKENS, TURNS = 64, 2
BAR = 3.0  # times as fast as the plain loop


def main() -> int:
    """Measures, prints the times, and returns 1 if the bar is missed or the numbers differ."""
    torch.manual_seed(0)
    config = former.gpt2.config(num_tokens=50_257, seq_length=1_024, emb=768, heads=12, depth=12)
    bundle = former.Bundle(former.Generator(config).eval(), former.tokens.ByteTokenizer(), config)
    clean, corrupted = (bundle.run(letter * TOKENS) for letter in "ab")
    metric = patching.logit_difference(5, 6)

    def looped() -> Tensor:
        taken = clean.rerun(["out"])[1]
        edits = ((layer, head) for layer in range(config.depth) for head in range(config.heads))
        values = [one(carry(taken["out", layer], layer, "out", head, None)) for layer, head in edits]
        return torch.tensor(values).view(config.depth, config.heads)

    @torch.no_grad()
    def one(edit: Any) -> float:
        return float(metric.of(corrupted, corrupted.kind.call(bundle.model, corrupted.inputs, edit)))

    ways: dict[str, Callable[[], Tensor]] = {
        "patching.heads": lambda: patching.heads(clean, corrupted, metric),
        "a pass a head": looped,
    }
    if importlib.util.find_spec("transformer_lens"):
        ways["TransformerLens"] = their_way(clean, corrupted, config)
    seconds, results = {name: float("inf") for name in ways}, {}
    for _ in range(TURNS):
        for name, way in ways.items():
            began = time.perf_counter()
            results[name] = way()
            seconds[name] = min(seconds[name], time.perf_counter() - began)
    apart = float((results["patching.heads"] - results["a pass a head"]).abs().max())
    ratio = seconds["a pass a head"] / seconds["patching.heads"]
    print(
        f"144 heads of GPT-2's shape at {TOKENS} tokens, {torch.get_num_threads()} threads, torch {torch.__version__}"
    )
    for name, spent in seconds.items():
        print(f"  {name:16}{spent:8.2f} s")
    print(f"  apart at most {apart:.1e} (bar 1e-4)")
    print(f"  → {ratio:.2f}×  {'PASS' if ratio >= BAR else 'FAIL'} (bar {BAR})")
    return 0 if ratio >= BAR and apart < 1e-4 else 1


def their_way(clean: Run, corrupted: Run, config: Any) -> Callable[[], Tensor]:
    """Patches all heads' outputs with TransformerLens's own function, in a model of the same shape."""
    from transformer_lens import patching as theirs  # noqa: PLC0415
    from transformer_lens.config import TransformerBridgeConfig  # noqa: PLC0415
    from transformer_lens.model_bridge import TransformerBridge  # noqa: PLC0415

    sizes = TransformerBridgeConfig(
        n_layers=config.depth,
        d_model=config.emb,
        n_heads=config.heads,
        d_head=config.head_size,
        d_mlp=4 * config.emb,
        n_ctx=config.seq_length,
        d_vocab=config.num_tokens,
        act_fn="gelu_new",
        architecture="TransformerLensNative",
    )
    setattr(theirs, "tqdm", lambda steps, **_: steps)  # noqa: B010 - quietly; it exports no such name
    boot: Any = getattr(TransformerBridge, "boot_native")  # noqa: B009 -- it is attached at run time
    model = boot(sizes, device="cpu").eval()
    _, cache = model.run_with_cache(clean.inputs[0])

    def metric(logits: Tensor) -> Tensor:
        return logits[0, -1, 5] - logits[0, -1, 6]

    return lambda: theirs.get_act_patch_attn_head_out_all_pos(model, corrupted.inputs[0], cache, metric)


if __name__ == "__main__":
    raise SystemExit(main())
