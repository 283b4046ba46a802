"""The commands and programs of the README run as they are written there."""

import contextlib
import os
import re
import runpy
import shlex
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

import former
from former.tokens import BpeTokenizer
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


def test_the_readme_has_examples():
    assert EXAMPLES


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


def test_three_lines_of_the_readme_make_a_model_from_a_text_file_and_show_it_in_the_app(tmp_path):
    block = next(found for found in re.findall(r"```\n(.*?)```", README, re.DOTALL) if "--name" in found)
    train, sample, show = map(shlex.split, block.splitlines())
    (tmp_path / "notes.txt").write_text("".join(f"Line {i}: {i * i} is the square of {i}.\n" for i in range(600)))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quick = "--device cpu --set compile=false steps=10 validate_every=10 model.emb=16 model.seq_length=64"
    for python, option, *words in ([*train, *shlex.split(quick)], sample):
        assert (python, option) == (".venv/bin/python", "-m")
        process = FORKS.Process(target=run_module, args=(words, tmp_path))
        process.start()
        process.join(120)
        assert process.exitcode == 0
    assert "|" in (tmp_path / "printed.txt").read_text()
    python, file, *folders = show
    assert (python, file) == (".venv/bin/python", "app.py")
    command = [sys.executable, str(ROOT / file), *folders]
    environment = os.environ | {"GRADIO_SERVER_PORT": str(port)}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=tmp_path, env=environment) as app:
        try:
            assert "my-notes" in page_of(app, f"http://127.0.0.1:{port}/")
        finally:
            app.terminate()


def run_module(words, folder):
    """Runs `python -m` with these arguments in a folder; writes the output to a file there."""
    os.chdir(folder)
    os.dup2(os.open("printed.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), sys.stdout.fileno())
    sys.argv[:] = words
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)


def page_of(app, address):
    """Returns the first page, as soon as the app responds."""
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        assert app.poll() is None, "the app ended"
        with contextlib.suppress(OSError), urllib.request.urlopen(address) as answer:
            return answer.read().decode()
        time.sleep(0.2)
    raise AssertionError("the app did not answer")
