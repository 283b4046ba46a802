"""What the README shows is run as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_of_the_readme_runs(example):
    subprocess.run([sys.executable, "-c", example], cwd=ROOT, check=True, timeout=120)


def test_the_readme_names_only_make_targets_there_are():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    targets |= set(re.findall(r"^TRAIN := (.+)", makefile, re.MULTILINE)[0].split())
    # As code only: "make it uniform" is English.
    named = set(re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)`", README, re.MULTILINE))
    assert {name or other for name, other in named} <= targets
