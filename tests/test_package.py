"""`pip install .` installs `former` and `viz` with their data files and the shipped models."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import former

ROOT = Path(__file__).resolve().parent.parent
SOURCES = (
    *("former", "viz", "checkpoints", "pyproject.toml", "setup.py", "MANIFEST.in", "requirements.txt"),
    *("README.md", "LICENSE"),
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Builds the wheel offline, from a source archive of a copy of the tree.

    Large files of weights are empty in it: packing them, twice, would take most of the time.
    """
    folder = tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / "tree" / name, ignore=ignored, copy_function=without_large_weights)
        else:
            shutil.copy(ROOT / name, folder / "tree" / name)
    archive = "from setuptools import build_meta; build_meta.build_sdist('..')"
    subprocess.run([sys.executable, "-c", archive], cwd=folder / "tree", check=True, timeout=300, capture_output=True)
    pip("wheel", next(folder.glob("*.tar.gz")), "--no-build-isolation", "--wheel-dir", folder)
    return next(folder.glob("*.whl"))


def without_large_weights(source, target):
    if source.endswith(".safetensors") and os.path.getsize(source) > 1e6:
        Path(target).touch()
    else:
        shutil.copy2(source, target)


def pip(command, *arguments):
    words = [sys.executable, "-m", "pip", command, *map(str, arguments), "--no-deps", "--no-index", "--quiet"]
    subprocess.run(words, check=True, timeout=300)


def test_the_wheel_holds_all_code_scripts_styles_and_models_and_nothing_else(wheel):
    values = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    code = {
        path.relative_to(ROOT).as_posix()
        for package in ("former", "viz")
        for path in (ROOT / package).rglob("*")
        if path.suffix in (".py", ".js", ".css")
    }
    models = {
        f"former/shipped/{path.relative_to(ROOT / 'checkpoints').as_posix()}"
        for path in (ROOT / "checkpoints").rglob("*")
        if path.is_file()
    }
    assert values == code | models
    assert len(models) > len(former.available())


def test_the_wheel_needs_what_requirements_txt_names(wheel):
    archive = zipfile.ZipFile(wheel)
    metadata = archive.read(next(name for name in archive.namelist() if name.endswith("/METADATA"))).decode()
    lines = [line.split(" #")[0] for line in (ROOT / "requirements.txt").read_text().splitlines()]
    assert re.findall(r"Requires-Dist: ([^;\n]+)\n", metadata) == lines, "besides extras"
    assert "Requires-Python: >=3.10\n" in metadata, "no Python is refused for being newer than those tried"


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_a_version_is_limited_only_with_a_reason_next_to_it(name):
    lines = [line.partition(" #") for line in (ROOT / name).read_text().splitlines()]
    limited = {package: reason.strip() for package, _, reason in lines if re.search(r"<|==|~=", package)}
    assert all(limited.values()), limited


def test_what_is_installed_runs_outside_the_repository(wheel, tmp_path):
    pip("install", wheel, "--target", tmp_path / "site", "--no-compile")
    script = f"""
import sys
sys.path.insert(0, {str(tmp_path / "site")!r})
import former, viz, former.training.__main__
from viz import figures
from viz.browser import scripts
from viz.tabs import TABS
assert former.__file__.startswith({str(tmp_path)!r}), former.__file__
assert former.available() == {former.available()!r}, former.available()
bundle = former.load("tiny-generator")
print(bundle.tokenizer.decode([step.token for step in former.generate(bundle.model, [84], 20, seed=0)]))
assert ".former-learn" in scripts.styles()
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], cwd=tmp_path, check=True, timeout=120, capture_output=True, text=True
    )
    assert done.stdout.strip()
    assert (tmp_path / "site" / "bin" / "former-app").exists(), "which tests/test_readme.py runs"


@pytest.mark.parametrize(
    ("there", "chosen", "warned"),
    [
        ({"python3": "3.14", "python3.12": "3.12"}, "python3", False),
        ({"python3": "3.9", "python3.14": "3.14", "python3.11": "3.11"}, "python3.14", False),
        ({"python3": "3.15"}, "python3", True),
        ({"python3": "3.9"}, None, False),
    ],
)
def test_make_takes_the_first_python_that_is_new_enough_and_warns_of_one_that_was_not_tried(
    there, chosen, warned, tmp_path
):
    """Each Python is a script that prints a version, and creates no environment."""
    for name, version in there.items():
        script = tmp_path / name
        pretended = f"import sys; sys.version_info = (*map(int, '{version}'.split('.')), 0); exec(sys.argv[1])"
        script.write_text(f'#!/bin/sh\n[ "$1" = -c ] || exit 1\nexec {sys.executable} -c "{pretended}" "$2"\n')
        script.chmod(0o755)
    for tool in ("sh", "rm", "echo", "test"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or "")
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text())
    make = shutil.which("make") or pytest.skip("there is no make")
    environment = {"PATH": str(tmp_path)}
    run = subprocess.run(
        [make, ".venv/bin/python"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (f"{chosen} -m venv .venv" in run.stdout) == (chosen is not None)
    assert ("Python 3.10 or newer is needed" in run.stdout) == (chosen is None)
    assert ("newer than 3.14" in run.stdout) == warned
