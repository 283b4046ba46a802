"""Pretrained shapes in our library and in `transformers`: time, memory, differences: `python -m
tests.bench.pretrained`.

GPT-2 (12 × 768, 50,257 tokens), BERT-base (12 × 768, 30,522 tokens) and SmolLM2-135M (30 × 576, 9 heads, 3 of keys,
49,152 tokens) with random weights, saved by `transformers` itself; and our own small ones, saved by
`former.pretrained`: the shipped `gpt` and `bert`. Each library loads the folder, makes passes over 64 tokens that keep
all maps, and those that write add 64 more greedily after their cache; each in a process of its own, so that each has
its own peak of memory, and in turns, so that all meet the same machine.
`transformers` attends by its eager way, which gives the maps, and writes by its fused one, which is faster. Returns 1
where a bar is missed, or logits differ by more than 1e-4 or a map by 1e-5. A trained model has large scores, where
single precision by itself costs more than that: what it costs `transformers` is measured against its own double
precision, and three times as much is allowed.

    python -m tests.bench.pretrained [--only gpt]
"""

from __future__ import annotations

import argparse
import json
import logging
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

TOKENS, PASSES, RUNS = 64, 15, 5
ROUNDS = 3  # in which the libraries take turns; the median of them counts
LIBRARIES = ("former", "former readable", "transformers")
INT8 = "former int8"  # besides, where it has a bar; it computes rounded weights, so its logits are not compared
BARS = {
    "gpt2": {"pass": 1.0, "token": 1.0, "reading": 0.5},
    "bert-base": {"pass": 1.0},
    "gpt": {"token": 2.5},
    "bert": {"pass": 1.0},
    "smollm2-135m": {"pass": 1.0, "token": 1.0, "reading": 0.5, "int8": 4.0},
}
"""Times as fast as transformers: a pass of these shapes is nearly all products of fp32, which are fast in both where
MKL is, and a token of the larger ones is the reading of their weights, from the same memory in both. "reading" is the
time that reading takes alone, as a share of a token's; "int8" is writing with weights of 8 bits."""
APART = {"logits": 1e-4, "maps": 1e-5}  # how far they may be
ROUNDINGS = 3  # or how many times as far as theirs from its own double precision


SMOLLM2: dict[str, Any] = {
    **{"hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30, "num_attention_heads": 9},
    **{"num_key_value_heads": 3, "vocab_size": 49152, "max_position_embeddings": 8192, "rms_norm_eps": 1e-5},
    **{"tie_word_embeddings": True, "rope_parameters": {"rope_type": "default", "rope_theta": 100_000.0}},
}


def main() -> int:
    """Measures, prints the results, and returns 1 if the two libraries differ."""
    parser = argparse.ArgumentParser(description="the shapes of GPT-2, BERT and SmolLM2 beside transformers")
    parser.add_argument("--only", choices=BARS, help="one shape (default: all)")
    parser.add_argument("--child", nargs=2, metavar=("LIBRARY", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(child(options.child[0], Path(options.child[1]))))
        return 0
    print(f"one pass over {TOKENS} tokens with all maps, {torch.get_num_threads()} threads, torch {torch.__version__}")
    results = [compared(shape) for shape in ([options.only] if options.only else BARS)]
    return 0 if all(results) else 1


def compared(shape: str) -> bool:
    """Measures one shape in all libraries, prints the results, and returns whether the bars are met."""
    with tempfile.TemporaryDirectory() as folder:
        make(shape, Path(folder))
        libraries = (*LIBRARIES, INT8) if "int8" in BARS[shape] else LIBRARIES
        rounds: dict[str, list[dict[str, float]]] = {library: [] for library in libraries}
        for _ in range(ROUNDS):
            for library in libraries:
                command = [sys.executable, "-m", "tests.bench.pretrained", "--child", library, folder]
                text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
                rounds[library].append(json.loads(text.splitlines()[-1]))
        outputs = {library: load_file(Path(folder) / f"{library}.out") for library in (*LIBRARIES, "exact")}
    figures = {
        library: {name: statistics.median(each[name] for each in runs) for name in runs[0]}
        for library, runs in rounds.items()
    }
    writes = "token" in BARS[shape]
    print(f"\n{shape:18}{'load s':>9}{'pass ms':>10}{'peak MB':>10}{'ms a token written' if writes else '':>20}")
    for library, measured in figures.items():
        token = f"{measured['token'] * 1e3:20.1f}" if writes else ""
        print(
            f"  {library:16}{measured['load']:9.2f}{measured['pass'] * 1e3:10.1f}{measured['peak'] / 1024:10.0f}{token}"
        )
    passed = True
    single, exact = outputs.pop("transformers"), outputs.pop("exact")
    rounding = apart(single, exact)
    for library, out in outputs.items():
        result = apart(out, single)
        passed &= all(result[name] <= max(bar, ROUNDINGS * rounding[name]) for name, bar in APART.items())
        report = (
            f"{name} {result[name]:.1e} (bar {bar:.0e}, rounding {rounding[name]:.1e})" for name, bar in APART.items()
        )
        print(f"  → {library} apart at most: {', '.join(report)}")
    for name, bar in BARS[shape].items():
        value, what = against(name, figures)
        print(f"  → {name}: {value:.2f}{what}  {'PASS' if value >= bar else 'FAIL'} (bar {bar})")
        passed &= value >= bar
    return passed


def against(name: str, figures: dict[str, dict[str, float]]) -> tuple[float, str]:
    """Returns the figure that a bar is for, and what it is a multiple or a share of."""
    if name == "reading":
        from tests.bench import limits  # noqa: PLC0415 - not in the processes whose memory is measured

        size, token = figures["former"]["weights"], figures["former"]["token"]
        least = limits.read_seconds(int(size), torch.get_num_threads())
        return least / token, f" of a token: {size / 1e6:.0f} MB of weights at {size / least / 1e9:.1f} GB/s"
    own, figure = (INT8, "token") if name == "int8" else ("former", name)
    return figures["transformers"][figure] / figures[own][figure], "×"


def apart(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> dict[str, float]:
    """Returns the largest difference of each output."""
    return {name: float((one[name].double() - other[name].double()).abs().max()) for name in APART}


def make(shape: str, folder: Path) -> None:
    """Creates a folder in Hugging Face's format: saved by `transformers` with random weights, or by
    `former.pretrained`."""
    import former  # noqa: PLC0415
    from former.tokens import BpeTokenizer, WordPieceTokenizer  # noqa: PLC0415

    quiet()
    torch.manual_seed(0)
    if shape in former.available():
        former.pretrained.save(former.load(shape), folder)
    else:
        import transformers  # noqa: PLC0415

        values: dict[str, tuple[Any, Any]] = {
            "gpt2": (transformers.GPT2LMHeadModel, transformers.GPT2Config()),
            "bert-base": (transformers.BertForMaskedLM, transformers.BertConfig()),
            "smollm2-135m": (transformers.LlamaForCausalLM, transformers.LlamaConfig(**SMOLLM2)),
        }
        kind, config = values[shape]
        kind(config).save_pretrained(folder)
        bert = shape == "bert-base"
        learned = WordPieceTokenizer.train(["a text"], 300) if bert else BpeTokenizer.train(["a text"], 300)
        (folder / "tokenizer.json").write_text(learned.to_dict()["definition"], encoding="utf-8")


def child(library: str, folder: Path) -> dict[str, float]:
    """Loads the folder, runs the model, and saves the outputs next to it."""
    quiet()
    vocabulary = json.loads((folder / "config.json").read_text(encoding="utf-8"))["vocab_size"]
    tokens = torch.randint(5, vocabulary, (1, TOKENS), generator=torch.Generator().manual_seed(0))
    start = time.perf_counter()
    run, write = theirs(folder, tokens) if library == "transformers" else ours(folder, tokens, library)
    weights = sum(path.stat().st_size for path in folder.glob("*.safetensors"))  # each stored once, in fp32
    measured = {"load": time.perf_counter() - start, "weights": weights}
    with torch.inference_mode():
        logits, maps = run()
        measured["pass"] = median_seconds(run, PASSES)
        measured["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in kB
        if write is not None:
            write()
            measured["token"] = median_seconds(write, RUNS) / TOKENS
    save_file({"logits": logits.clone(), "maps": maps}, folder / f"{library}.out")
    if library == "transformers":
        with torch.inference_mode():
            logits, maps = theirs(folder, tokens, torch.float64)[0]()
        save_file({"logits": logits.clone(), "maps": maps}, folder / "exact.out")
    return measured


def median_seconds(run: Callable[[], object], times: int) -> float:
    """Returns the median time of consecutive calls, in seconds."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def ours(folder: Path, tokens: torch.Tensor, library: str) -> tuple[Callable[[], Any], Callable[[], Any] | None]:
    """Returns a function that computes our model's logits and maps (layers, b, h, t, t), and one that generates, if it
    can."""
    import former  # noqa: PLC0415
    from former import cpu  # noqa: PLC0415

    readable = former.pretrained.load(folder).model
    model = readable if "readable" in library else cpu.optimise(readable, "int8" if library == INT8 else "fp32")

    def run() -> tuple[torch.Tensor, torch.Tensor]:
        logits, capture = former.run_with_capture(model, tokens)
        return logits, capture.stack("weights")

    def write() -> list[Any]:
        return list(former.generate(model, tokens[0], TOKENS, temperature=0.0))

    return run, write if isinstance(readable, former.Generator) else None


def theirs(
    folder: Path, tokens: torch.Tensor, dtype: torch.dtype = torch.float32
) -> tuple[Callable[[], Any], Callable[[], Any] | None]:
    """Returns the same two functions for the model of `transformers`."""
    import transformers  # noqa: PLC0415

    writes = "Bert" not in (folder / "config.json").read_text()
    kind: Any = transformers.AutoModelForCausalLM if writes else transformers.AutoModelForMaskedLM
    model = kind.from_pretrained(folder, attn_implementation="eager", dtype=dtype)

    def run() -> tuple[torch.Tensor, torch.Tensor]:
        out = model(tokens, output_attentions=True)
        return out.logits, torch.stack(out.attentions)

    def write() -> Any:
        model.set_attn_implementation("sdpa")
        return model.generate(tokens, max_new_tokens=TOKENS, min_new_tokens=TOKENS, do_sample=False, pad_token_id=0)

    return run, write if writes else None


def quiet() -> None:
    """Silences the libraries' warnings, so that only the figures are printed."""
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)


if __name__ == "__main__":
    sys.exit(main())
