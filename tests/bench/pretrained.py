"""Real weights' shapes beside `transformers`: time, memory, differences: `python -m tests.bench.pretrained`.

GPT-2 (12 × 768, 50,257 tokens) and BERT-base (12 × 768, 30,522 tokens) with random weights, saved by `transformers`
itself. Each library loads the folder and makes one pass over 64 tokens that keeps all 144 maps, in a process of its
own, so that each has its own peak of memory. Returns 1 where logits differ by more than 1e-4, or a map by 1e-5.
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
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

TOKENS, PASSES = 64, 15
LOGITS, MAPS = 1e-4, 1e-5  # how far apart they may be


def main() -> int:
    """Measures, prints, and returns 1 where the two libraries differ."""
    parser = argparse.ArgumentParser(description="GPT-2's and BERT's shapes beside transformers")
    parser.add_argument("--child", nargs=2, metavar=("LIBRARY", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(child(options.child[0], Path(options.child[1]))))
        return 0
    passed = True
    print(f"one pass over {TOKENS} tokens with all maps, {torch.get_num_threads()} threads, torch {torch.__version__}")
    for model_type in ("gpt2", "bert"):
        with tempfile.TemporaryDirectory() as folder:
            make(model_type, Path(folder))
            print(f"\n{model_type:14}{'load s':>9}{'pass ms':>10}{'peak MB':>10}")
            for library in ("former", "transformers"):
                command = [sys.executable, "-m", "tests.bench.pretrained", "--child", library, folder]
                said = subprocess.run(command, capture_output=True, check=True, text=True).stdout
                figures = json.loads(said.splitlines()[-1])
                print(
                    f"  {library:12}{figures['load']:9.2f}{figures['pass'] * 1e3:10.1f}{figures['peak'] / 1024:10.0f}"
                )
            ours, theirs = (load_file(Path(folder) / f"{library}.out") for library in ("former", "transformers"))
        logits, maps = (float((ours[name] - theirs[name]).abs().max()) for name in ("logits", "maps"))
        print(f"  → apart at most: logits {logits:.1e} (bar {LOGITS}), maps {maps:.1e} (bar {MAPS})")
        passed &= logits <= LOGITS and maps <= MAPS
    return 0 if passed else 1


def make(model_type: str, folder: Path) -> None:
    """A folder as `transformers` saves it, with random weights and a tokenizer."""
    import transformers  # noqa: PLC0415

    from former.tokens import BpeTokenizer, WordPieceTokenizer  # noqa: PLC0415

    quiet()
    torch.manual_seed(0)
    if model_type == "gpt2":
        model: Any = transformers.GPT2LMHeadModel(transformers.GPT2Config())
        tokenizer: Any = BpeTokenizer.train(["a text"], 300)
    else:
        model = transformers.BertForMaskedLM(transformers.BertConfig())
        tokenizer = WordPieceTokenizer.train(["a text"], 300)
    model.save_pretrained(folder)
    (folder / "tokenizer.json").write_text(tokenizer.to_dict()["definition"], encoding="utf-8")


def child(library: str, folder: Path) -> dict[str, float]:
    """Loads the folder and runs it; leaves what came out beside it."""
    quiet()
    tokens = torch.randint(5, 30_000, (1, TOKENS), generator=torch.Generator().manual_seed(0))
    start = time.perf_counter()
    run = (ours if library == "former" else theirs)(folder, tokens)
    loaded = time.perf_counter() - start
    with torch.inference_mode():
        logits, maps = run()
        seconds = []
        for _ in range(PASSES):
            start = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in kB
    save_file({"logits": logits.clone(), "maps": maps}, folder / f"{library}.out")
    return {"load": loaded, "pass": statistics.median(seconds), "peak": peak}


def ours(folder: Path, tokens: torch.Tensor) -> Any:
    """A pass of our model, as logits and all maps (layers, b, h, t, t)."""
    import former  # noqa: PLC0415

    model = former.pretrained.load(folder).model

    def run() -> tuple[torch.Tensor, torch.Tensor]:
        logits, capture = former.run_with_capture(model, tokens)
        return logits, capture.stack("weights")

    return run


def theirs(folder: Path, tokens: torch.Tensor) -> Any:
    """The same of theirs."""
    import transformers  # noqa: PLC0415

    gpt2 = "GPT2" in (folder / "config.json").read_text()
    kind: Any = transformers.AutoModelForCausalLM if gpt2 else transformers.AutoModelForMaskedLM
    model = kind.from_pretrained(folder, attn_implementation="eager")

    def run() -> tuple[torch.Tensor, torch.Tensor]:
        out = model(tokens, output_attentions=True)
        return out.logits, torch.stack(out.attentions)

    return run


def quiet() -> None:
    """No remarks of the libraries among the figures."""
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)


if __name__ == "__main__":
    sys.exit(main())
