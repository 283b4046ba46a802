"""The speed of the library compared with others, in one run: `python -m tests.bench.library`.

The article's generator (12 blocks, embedding 256, 8 heads, context 256) with random weights. The peers stand twice:
as GPT-2 is defined, with its own GELU, which the bars mean; and with the article's ReLU, so with the same arithmetic.
One forward pass that keeps all 96 attention maps, and 255 bytes written after one. The ways take turns, each round
in another order, so that what the machine does meanwhile falls on all alike; medians are compared, and only as
ratios: to the peers, and to what this machine does at best (`limits`). A sample is dropped where the system took a core
away from it more often than it does on an idle machine (involuntary context switches); where that leaves fewer than
three, all stay and the line says so.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import logging
import os
import platform
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch

import former
from former import cpu
from tests.bench import limits

CONFIG = former.ModelConfig()
LENGTHS = (32, 64, 128, 256)
NEW = 255  # bytes written after one
SEED = 0

# Shares of what this machine can do at best, measured in the same run (`limits`), by the number of tokens: the
# products of a pass by torch.mm over the time of the pass, and the reading of the weights over the time of a step.
CAPTURE_SHARE = {64: 0.65, 256: 0.75}
WRITE_SHARE = 0.5
# Ratios of medians, how many times as fast as the peer: they differ from processor to processor.
CAPTURE, WRITE = 1.0, 2.5

Way = Callable[[], object]


class Sample(NamedTuple):
    """One measurement."""

    seconds: float
    contended: bool


def main() -> int:
    """Measures, prints the ratios, and returns 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description="former beside its peers")
    parser.add_argument("--rounds", type=int, default=40, help="of forward passes, at each length")
    parser.add_argument("--writing-rounds", type=int, default=7, help="of 255 bytes")
    options = parser.parse_args()
    gpt2, relu, lens = peers()
    torch.manual_seed(SEED)
    model = former.Generator(CONFIG).eval()
    quick, quick8 = cpu.optimise(model), cpu.optimise(model, "int8")
    print(setting())
    with torch.inference_mode():
        passed = forwards(model, quick, gpt2, relu, lens, options.rounds)
        passed &= writing(model, quick, quick8, gpt2, relu, options.writing_rounds)
    return 0 if passed else 1


def forwards(model: former.Generator, quick: Any, gpt2: Any, relu: Any, lens: Any, rounds: int) -> bool:
    """Measures one pass that captures all 96 maps, at each length."""
    passed = True
    for length in LENGTHS:
        x = torch.randint(0, CONFIG.num_tokens, (1, length))
        ways: dict[str, Way] = {
            "former, all maps": lambda x=x: former.run_with_capture(quick, x),
            "former readable, all maps": lambda x=x: former.run_with_capture(model, x),
            "former readable, no maps": lambda x=x: model(x),
            "transformers, all maps": lambda x=x: gpt2(x, output_attentions=True, use_cache=False),
            "transformers with ReLU, all maps": lambda x=x: relu(x, output_attentions=True, use_cache=False),
            "TransformerLens, all maps": lambda x=x: lens.run_with_cache(x, names_filter=is_map),
        }
        _, capture = former.run_with_capture(quick, x)
        expected = (CONFIG.depth, 1, CONFIG.heads, length, length)
        assert capture.stack("weights").shape == expected
        assert torch.stack(gpt2(x, output_attentions=True, use_cache=False).attentions).shape == expected
        assert sum(is_map(name) for name in lens.run_with_cache(x, names_filter=is_map)[1]) == CONFIG.depth
        print(f"\none pass over {length} tokens{'':14}{'ms':>9}{'×':>7}  samples")
        medians = report(measure(ways, rounds), "transformers, all maps", 1e3)
        peer = min(("transformers, all maps", "TransformerLens, all maps"), key=lambda name: medians[name])
        seconds = medians["former, all maps"]
        passed &= verdict(f"against {peer.split(',')[0]}", medians[peer] / seconds, CAPTURE)
        verdict("against transformers with ReLU", medians["transformers with ReLU, all maps"] / seconds, None)
        least, speed = limits.product_seconds(CONFIG, length)
        what = f"products by torch.mm, {least * 1e3:.2f} ms at {speed:.0f} GFLOP/s, as a share of the pass"
        passed &= verdict(what, least / seconds, CAPTURE_SHARE.get(length))
    return passed


def writing(model: former.Generator, quick: Any, quick8: Any, gpt2: Any, relu: Any, rounds: int) -> bool:
    """Measures generating 255 bytes after the first; our model records every layer's attention row."""
    prompt = torch.tensor([[1]])

    def ours(model: Any) -> Way:
        return lambda: sum(1 for _ in former.generate(model, [1], NEW, seed=SEED, capture=True))

    def without_cache() -> None:
        """Generates as nanoGPT does: a pass over the whole text for each token."""
        ids = prompt
        for _ in range(NEW):
            logits = model(ids[:, -CONFIG.seq_length :])[:, -1]
            ids = torch.cat((ids, torch.multinomial(logits.softmax(-1), 1)), 1)

    def transformers(peer: Any) -> None:
        out = peer.generate(prompt, do_sample=True, top_k=0, max_new_tokens=NEW, min_new_tokens=NEW, pad_token_id=0)
        assert out.shape == (1, NEW + 1)

    # Each at its fastest: transformers without maps on its fused attention.
    for peer in (gpt2, relu):
        peer.set_attn_implementation("sdpa")
    ways: dict[str, Way] = {
        "former, rows": ours(quick),
        "former int8, rows": ours(quick8),
        "former readable, rows": ours(model),
        "transformers, cache": lambda: transformers(gpt2),
        "transformers with ReLU, cache": lambda: transformers(relu),
        "no cache": without_cache,
    }
    print(f"\n{NEW} bytes after one{'':20}{'ms/byte':>9}{'×':>7}  samples")
    medians = report(measure(ways, rounds), "transformers, cache", 1e3 / NEW)
    fp32 = medians["former, rows"]
    passed = verdict("against transformers", medians["transformers, cache"] / fp32, WRITE)
    verdict("against transformers with ReLU", medians["transformers with ReLU, cache"] / fp32, None)
    verdict("int8 against transformers", medians["transformers, cache"] / medians["former int8, rows"], None)
    verdict("against no cache", medians["no cache"] / fp32, None)
    read = sum(parameter.nbytes for parameter in model.parameters())
    least = limits.read_seconds(read, 1)  # a model of this size is written by one thread
    what = f"{read / 1e6:.0f} MB of weights at {read / least / 1e9:.1f} GB/s as a share of a step"
    return verdict(what, least * NEW / fp32, WRITE_SHARE) and passed


def measure(ways: dict[str, Way], rounds: int) -> dict[str, list[Sample]]:
    """Runs every candidate once a round, each round in another order, after one warm-up round (two if there are many
    rounds)."""
    samples: dict[str, list[Sample]] = {name: [] for name in ways}
    names = list(ways)
    for turn in range(-2 if rounds > 10 else -1, rounds):
        at = turn % len(names)
        for name in names[at:] + names[:at]:
            switches, start = involuntary(), time.perf_counter()
            ways[name]()
            seconds = time.perf_counter() - start
            # An idle system still takes a core now and then: some ten times a second.
            contended = involuntary() - switches > 1 + 10 * seconds
            if turn >= 0:
                samples[name].append(Sample(seconds, contended))
    return samples


def involuntary() -> int:
    """Returns how often the system has taken a core away from this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def report(samples: dict[str, list[Sample]], base: str, unit: float) -> dict[str, float]:
    """Prints one line for each candidate; returns the medians in seconds."""
    medians, kept = {}, {}
    for name, all_samples in samples.items():
        quiet = [sample.seconds for sample in all_samples if not sample.contended]
        few = len(quiet) < 3
        medians[name] = statistics.median([sample.seconds for sample in all_samples] if few else quiet)
        kept[name] = f"{len(quiet)}/{len(all_samples)}" + (" too few, all taken" if few else "")
    for name, median in medians.items():
        print(f"  {name:36}{median * unit:9.3f}{medians[base] / median:7.2f}  {kept[name]}")
    return medians


def verdict(what: str, ratio: float, bar: float | None) -> bool:
    """Prints a ratio next to its bar; returns False if the bar is missed."""
    passed = bar is None or ratio >= bar
    text = "" if bar is None else f"  {'PASS' if passed else 'FAIL'} (bar {bar})"
    print(f"  → {what}: {ratio:.2f}{text}")
    return passed


def peers() -> tuple[Any, Any, Any]:
    """Builds GPT-2 of `transformers`, the same with ReLU, and TransformerLens's own model, all of the generator's
    size."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    warnings.filterwarnings("ignore")
    try:
        import transformers  # noqa: PLC0415
        from transformer_lens.config import TransformerBridgeConfig  # noqa: PLC0415
        from transformer_lens.model_bridge import TransformerBridge  # noqa: PLC0415
    except ImportError as error:
        sys.exit(f"the benchmark measures beside transformers and transformer-lens 4 (requirements-dev.txt): {error}")
    logging.disable(logging.WARNING)
    torch.manual_seed(SEED)

    def gpt2(activation: str) -> Any:
        config: Any = transformers.GPT2Config(
            vocab_size=CONFIG.num_tokens,
            n_layer=CONFIG.depth,
            n_embd=CONFIG.emb,
            n_head=CONFIG.heads,
            n_positions=CONFIG.seq_length,
            activation_function=activation,
            bos_token_id=None,
            eos_token_id=None,
        )
        config._attn_implementation = "eager"
        return transformers.GPT2LMHeadModel(config).eval()

    sizes = TransformerBridgeConfig(
        n_layers=CONFIG.depth,
        d_model=CONFIG.emb,
        n_heads=CONFIG.heads,
        d_head=CONFIG.head_size,
        d_mlp=CONFIG.ff_hidden_mult * CONFIG.emb,
        n_ctx=CONFIG.seq_length,
        d_vocab=CONFIG.num_tokens,
        act_fn="gelu_new",
        architecture="TransformerLensNative",
    )
    boot: Any = getattr(TransformerBridge, "boot_native")  # noqa: B009 -- it is attached at run time
    return gpt2("gelu_new"), gpt2("relu"), boot(sizes, device="cpu").eval()


def is_map(name: str) -> bool:
    """Returns whether TransformerLens caches attention weights under this name."""
    return name.endswith("hook_pattern")


def setting() -> str:
    """Describes the CPU, threads, versions and seed."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        cpu = next(
            (li.split(":")[1].strip() for li in info.read_text().splitlines() if li.startswith("model name")), cpu
        )
    versions = []
    for name in ("torch", "numpy", "numba", "transformers", "transformer-lens"):
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"no {name}")
    machine = f"{cpu}, {os.cpu_count()} cores, {torch.get_num_threads()} threads"
    return f"{machine}; Python {platform.python_version()}, {', '.join(versions)}; seed {SEED}"


if __name__ == "__main__":
    sys.exit(main())
