"""The commands and programs of the README run as they are written there."""

import contextlib
import functools
import json
import os
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import former
from former.tokens import BpeTokenizer, ByteTokenizer, WordPieceTokenizer
from former.training import state
from tests.browser.conftest import assert_no_traceback, free_port, serve, stop
from tests.hub import hub
from tests.training.processes import FORKS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = [  # those of the API are run by tests/viz/test_api.py
    example for example in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "gradio_client" not in example
]


# In a process that has imported torch an example begins as in a new one: the library is not imported yet.
ANEW = """import sys
for name in [*sys.modules]:
    if name.partition(".")[0] in ("former", "viz", "tests"):
        del sys.modules[name]
"""


BLOCKS = [text.splitlines() for language, text in re.findall(r"```(\w*)\n(.*?)```", README, re.DOTALL) if not language]
RUN = ("make app", "-m venv", "former-app", "--name", "torchrun", "distilgpt2", "make space")  # by tests below
API = "curl"  # by tests/viz/test_api.py


def block(word):
    """Returns the command lines of the block that contains a word."""
    (matching,) = [lines for lines in BLOCKS if any(word in line for line in lines)]
    return [line for line in matching if line]


def test_every_example_and_every_block_of_commands_is_run():
    assert EXAMPLES
    assert sorted(map(block, (*RUN, API))) == sorted([line for line in lines if line] for lines in BLOCKS)


def code_and_links(text):
    """Returns the code without comments, the words set as code, and the links except those to the other language."""
    blocks = re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)
    links = [link for link in re.findall(r"\]\((.+?)\)", text) if not link.startswith("README")]
    return [re.sub(r" *#.*", "", block) for block in blocks], sorted(re.findall(r"`[^`\n]+`", text)), links


def test_the_chinese_readme_has_the_same_code_pictures_and_links():
    assert code_and_links((ROOT / "README.zh.md").read_text(encoding="utf-8")) == code_and_links(README)


def small_gpt2(folder):
    """Returns a folder with a small model like distilgpt2, so that no test uses the Hub."""
    tokenizer = BpeTokenizer.train([README], 300)
    config = former.gpt2.config(num_tokens=300, seq_length=64, emb=24, heads=12, depth=6)
    former.pretrained.save(former.Bundle(former.Generator(config), tokenizer, config), folder)
    return str(folder)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_of_the_readme_runs(example, tmp_path):
    if '"distilgpt2"' in example:
        example = example.replace('"distilgpt2"', repr(small_gpt2(tmp_path / "distilgpt2")))
    process = FORKS.Process(target=exec, args=(ANEW + example, {"__name__": "__main__"}))
    process.start()
    process.join(120)
    assert process.exitcode == 0


def test_the_readme_names_only_make_targets_there_are():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    targets |= set(re.findall(r"^TRAIN := (.+)", makefile, re.MULTILINE)[0].split())
    # As code only: "make it uniform" is English.
    named = set(re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)`", README, re.MULTILINE))
    assert {name or other for name, other in named} <= targets


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """Returns a folder with the repository's files, in which .venv is the environment that runs the tests."""
    folder = tmp_path_factory.mktemp("checkout")
    for path in ROOT.iterdir():
        if path.name not in (".git", ".venv", "runs"):
            (folder / path.name).symlink_to(path)
    (folder / ".venv").mkdir()
    for path in Path(sys.prefix).iterdir():
        if path.name in ("bin", "include", "lib", "lib64", "pyvenv.cfg"):
            (folder / ".venv" / path.name).symlink_to(path)
    return folder


# Nothing is downloaded: pip finds that everything is installed, and builds with what there is. One process runs tests,
# those that a test names, whatever variables the `make` that runs these tests was given.
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_DEPS": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
OFFLINE |= {"PIP_COMPILE": "0", "PYTEST_XDIST_AUTO_NUM_WORKERS": "0", "MAKEFLAGS": ""}


def run(command, folder, **settings):
    """Runs a command line of the README in a folder, to its end."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, **OFFLINE, "PATH": path, **settings}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


@contextlib.contextmanager
def serving(command, folder, **settings):
    """Runs a command line of the README that starts the app; yields a function that waits until the page names a
    text."""
    port, log = free_port(), folder / "app.log"
    settings = {**os.environ, **OFFLINE, "GRADIO_SERVER_PORT": str(port), **settings}
    with (
        log.open("wb") as out,
        subprocess.Popen(
            command, shell=True, cwd=folder, env=settings, stdout=out, stderr=out, start_new_session=True
        ) as app,
    ):
        try:
            yield functools.partial(page_with, app, f"http://127.0.0.1:{port}/")
        finally:
            os.killpg(app.pid, signal.SIGTERM)
            print(log.read_text(errors="replace"))  # shown if the test fails
    assert_no_traceback(log)


@contextlib.contextmanager
def forked(command, folder, **settings):
    """Like `serving`, but in a process that has imported the libraries: the test of `make app` has one of its own."""
    python, program, *words = shlex.split(command, comments=True)
    assert python == ".venv/bin/python"
    port = free_port()
    log = folder / "app.log"
    app = serve(port, log, *words, program=(program,), cwd=folder, **settings)
    try:
        yield functools.partial(page_with, app, f"http://127.0.0.1:{port}/")
    finally:
        stop(app)
    assert_no_traceback(log)


def page_with(app, address, text):
    """Returns when the first page contains a text."""
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        assert app.poll() is None, "the app ended"
        with contextlib.suppress(OSError), urllib.request.urlopen(address) as answer:
            if text in answer.read().decode():
                return
        time.sleep(0.2)
    raise AssertionError(f"the page did not show {text}")


def test_make_opens_the_app_and_runs_the_tests(checkout):
    app, test = (line.partition("#")[0].strip() for line in block("make app"))
    with serving(app, checkout) as wait_for:
        wait_for("generator")
    assert "passed" in run(test, checkout, PYTEST_ADDOPTS="-v tests/test_layout.py -p no:cacheprovider")


def test_the_same_works_without_make(checkout, tmp_path):
    environment, install, app, install_tests, test = block("-m venv")
    run(f"{environment} && test -x .venv/bin/pip", tmp_path)  # in a folder of its own
    run(install, checkout)
    run(install_tests, checkout)
    made = run("make --dry-run app test", checkout).splitlines()
    for line in (app, test):
        assert [each for each in made if each.startswith(line)], "it is what the test above runs"


def test_the_installed_app_starts_from_any_folder(tmp_path):
    tree, site = tmp_path / "tree", tmp_path / "site"
    for name in ("former", "viz"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "requirements.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    shutil.copytree(ROOT / "checkpoints" / "tiny-generator", tree / "checkpoints" / "tiny-generator")
    install, app = block("former-app")
    run(install, tree, PIP_TARGET=str(site))
    (tmp_path / "elsewhere").mkdir()
    settings = {"PATH": f"{site}/bin:{os.environ['PATH']}", "PYTHONPATH": str(site)}
    with serving(app, tmp_path / "elsewhere", **settings) as wait_for:
        wait_for("tiny-generator")


def test_three_lines_of_the_readme_make_a_model_from_a_text_file_and_show_it_in_the_app(tmp_path):
    train, sample, show = block("--name")
    (tmp_path / "notes.txt").write_text("".join(f"Line {i}: {i * i} is the square of {i}.\n" for i in range(600)))
    quick = "--device cpu --set compile=false steps=10 validate_every=10 model.emb=16 model.seq_length=64"
    for line in (f"{train} {quick}", sample):
        python, option, *words = shlex.split(line)
        assert (python, option) == (".venv/bin/python", "-m")
        process = FORKS.Process(target=run_module, args=(words, tmp_path))
        process.start()
        process.join(120)
        assert process.exitcode == 0
    assert "|" in (tmp_path / "printed.txt").read_text()
    (tmp_path / "app.py").symlink_to(ROOT / "app.py")
    with forked(show, tmp_path) as wait_for:
        wait_for("my-notes")


def test_torchrun_trains_in_two_processes_and_on_two_machines(checkout, tmp_path):
    """The two machines are this one, with one process each."""
    port = free_port()
    (tmp_path / ".venv").symlink_to(checkout / ".venv")
    (tmp_path / "wiki.txt").write_text("".join(f"Line {i}: {i * i} is the square of {i}.\n" for i in range(9_000)))
    options = "--device cpu --data wiki.txt --unchecked --set compile=false precision=fp32 accumulate=1 batch=2 steps=2"
    small = f"{options} validate_every=2 model.depth=1 model.emb=16 model.heads=2 model.seq_length=32"
    settings = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    one, two = block("torchrun")
    run(f"{one} --out one {small}", tmp_path, **settings)
    for given, here in (
        ("--master-addr 10.0.0.1", f"--master-addr 127.0.0.1 --master-port {port}"),
        ("-node 4", "-node 1"),
    ):
        assert given in two
        two = two.replace(given, here)
    second = two.replace("--node-rank 0", "--node-rank 1")
    assert second != two
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda line: run(f"{line} --out two {small}", tmp_path, **settings), (two, second)))
    for out in ("one", "two"):
        header = state.read_tensors(tmp_path / out / "state.safetensors")[1]
        assert (header["step"], header["machine"]["processes"]) == (2, 2)


def test_the_app_shows_models_of_the_hub_and_of_a_folder(tmp_path):
    small_gpt2(tmp_path / "my-own-gpt2")
    pieces = WordPieceTokenizer.train([README.lower()], 300)
    config = former.BertConfig(num_tokens=pieces.num_tokens, emb=16, heads=2, depth=1, seq_length=32)
    former.pretrained.save(former.Bundle(former.Bert(config), pieces, config), tmp_path / "bert")
    shape = former.llama.config(num_tokens=256, seq_length=32, emb=16, heads=2, kv_heads=1, depth=1, ff_hidden=40)
    former.pretrained.save(former.Bundle(former.Generator(shape), ByteTokenizer(), shape), tmp_path / "llama")
    named = {
        "distilbert/distilgpt2": "my-own-gpt2",
        "google-bert/bert-base-uncased": "bert",
        "HuggingFaceTB/SmolLM2-135M": "llama",
        "EleutherAI/pythia-14m": "llama",  # whichever revision is asked for
    }
    (tmp_path / "app.py").symlink_to(ROOT / "app.py")
    with hub({name: tmp_path / folder for name, folder in named.items()}) as server:
        server.release.set()
        there = {"HF_ENDPOINT": server.address, "HF_HOME": str(tmp_path / "cache")}
        for line in block("distilgpt2"):
            with forked(line, tmp_path, **there) as wait_for:
                for name in shlex.split(line.partition(" --")[0])[2:]:
                    wait_for(f'"{name.rpartition("/")[2]}"')


def test_a_space_is_made_by_two_lines(checkout, tmp_path):
    login, space = (line.partition("#")[0].strip() for line in block("make space"))
    (more,) = re.findall(r"`(make space [^`]*MODELS=[^`]*)`", README.replace("\n", " "))
    with hub({}) as server:
        there = {"HF_ENDPOINT": server.address, "HF_HOME": str(tmp_path)}
        run(f"{login} --token hf_{34 * 'x'}", tmp_path, **there)
        assert f"{server.address}/spaces/user/name" in run(space, checkout, **there)
        assert "/api/spaces/user/name/variables" not in server.posted
        sent = [json.loads(line)["value"] for line in server.posted["/api/spaces/user/name/commit/main"].splitlines()]
        assert {"app.py", "README.md", "viz/app.py"} <= {each.get("path") for each in sent}
        run(more, checkout, **there)
        variable = json.loads(server.posted["/api/spaces/user/name/variables"])
        assert (variable["key"], variable["value"]) == ("FORMER_MODELS", "distilgpt2 HuggingFaceTB/SmolLM2-135M")


def run_module(words, folder):
    """Runs `python -m` with these arguments in a folder; writes the output to a file there."""
    os.chdir(folder)
    os.dup2(os.open("printed.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), sys.stdout.fileno())
    sys.argv[:] = words
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)
