"""Runs the numerical tests as other processors would compute them: python -m tests.machines [NAME ...], by default all
four.

The libraries that multiply are told to leave out instructions that this processor has, or to share their work among
more threads: each way sums in another order, and so rounds otherwise. Left out are tests of a server, a build or the
README's programs, which multiply nothing, and those in a browser, which take longest: --browser runs these alone.
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

OLDEST = {
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "MKL_CBWR": "COMPATIBLE",
    "NUMBA_CPU_NAME": "generic",
}
AVX2 = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_CBWR": "AVX2"}
ONE = {"OMP_NUM_THREADS": "1"}
# More threads than cores, which MKL would not have by itself; they sleep while they wait.
FOUR = {"OMP_NUM_THREADS": "4", "MKL_DYNAMIC": "FALSE", "OMP_WAIT_POLICY": "PASSIVE"}
MACHINES = {
    "oldest": OLDEST | ONE,
    "avx2": AVX2 | ONE,
    "avx2-threads": AVX2 | {"MKL_CBWR": "COMPATIBLE", "NUMBA_CPU_NAME": "generic"} | FOUR,
    "threads": FOUR,
}
LEFT_OUT = (
    *("browser", "bench", "viz/browser", "viz/server", "viz/shared", "viz/text", "viz/test_gradio_adapter.py"),
    *("test_app.py", "test_bench.py", "test_deploy.py", "test_imports.py", "test_layout.py", "test_package.py"),
    *("test_pretrained_refused.py", "test_readme.py", "test_subwords.py", "test_tokens.py"),
)

PROBE = """
import torch
from numba.core import config
capability = torch.backends.cpu.get_cpu_capability().lower()
print(f"ATEN_CPU_CAPABILITY={capability} OMP_NUM_THREADS={torch.get_num_threads()} NUMBA_CPU_NAME={config.CPU_NAME}")
torch.ones(2).to_mkldnn()  # has oneDNN print the instructions that it uses, as "isa:Intel SSE4.1"
"""


def environment(name: str) -> dict[str, str]:
    """Returns the environment variables that imitate a machine.

    Raises:
        SystemExit: a library does not do as it is told, such as on a processor without AVX2.
    """
    settings = os.environ | MACHINES[name]
    words, variables = [sys.executable, "-c", PROBE], settings | {"ONEDNN_VERBOSE": "1"}
    had = subprocess.run(words, env=variables, capture_output=True, text=True, check=True).stdout
    had = had.replace("isa:Intel ", "ONEDNN_MAX_CPU_ISA=").replace("SSE4.1", "SSE41")
    for variable, value in re.findall(r"([A-Z_]+)=(\S+)", had):
        if MACHINES[name].get(variable, value) != value:
            sys.exit(f"{name}: {variable} must be {MACHINES[name][variable]} to emulate it, and is {value} here")
    return settings


def main() -> None:
    """Runs the tests on each machine, and exits with 1 if they fail on any."""
    parser = argparse.ArgumentParser(prog="python -m tests.machines", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(MACHINES)}")
    parser.add_argument("--short", action="store_true", help="without the tests of training, which take longest")
    parser.add_argument("--browser", action="store_true", help="the tests in a browser, and no others")
    options = parser.parse_args()
    names = options.names or list(MACHINES)
    if unknown := set(names) - set(MACHINES):
        parser.error(f"NAME must be one of {', '.join(MACHINES)}, got {', '.join(sorted(unknown))}")
    left_out = (*LEFT_OUT, *(["training"] if options.short else []))
    chosen = ["tests/browser"] if options.browser else [f"--ignore=tests/{path}" for path in left_out]
    environments = [environment(name) for name in names]
    # All at once, each on its share of the cores: every process more would import the libraries once more.
    workers = ((os.cpu_count() or 1) + len(names) - 1) // len(names)
    words = [sys.executable, "-m", "pytest", "-n", str(workers), "--dist", "loadfile", *chosen]

    def tested(settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )

    failed = []
    with ThreadPoolExecutor(len(names)) as pool:
        for name, run in zip(names, pool.map(tested, environments), strict=True):
            print(f"{name}: {' '.join('='.join(pair) for pair in MACHINES[name].items())}\n{run.stdout}", flush=True)
            if run.returncode:
                failed.append(name)
    sys.exit(f"failed on {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
