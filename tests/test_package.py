"""`pip install .` gives `former` and `viz`, with what they read beside their code and the shipped models."""

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
    """The wheel, built from a source archive of a copy of the tree, and from nothing of the network.

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
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
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
    assert held == code | models
    assert len(models) > len(former.available())


def test_the_wheel_needs_what_requirements_txt_names(wheel):
    archive = zipfile.ZipFile(wheel)
    metadata = archive.read(next(name for name in archive.namelist() if name.endswith("/METADATA"))).decode()
    needed = {line.split()[0].split("<")[0].split(">")[0] for line in re.findall(r"Requires-Dist: (.+)", metadata)}
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    assert needed == {re.split(r"[<>=]", line)[0] for line in lines if line and not line.startswith("#")}


def test_what_is_installed_runs_outside_the_repository(wheel, tmp_path):
    pip("install", wheel, "--target", tmp_path / "site", "--no-compile")
    script = f"""
import sys
sys.path.insert(0, {str(tmp_path / "site")!r})
import former, viz, former.training.__main__
from viz import browser, figures
from viz.tabs import TABS
assert former.__file__.startswith({str(tmp_path)!r}), former.__file__
assert former.available() == {former.available()!r}, former.available()
bundle = former.load("tiny-generator")
print(bundle.tokenizer.decode([step.token for step in former.generate(bundle.model, [84], 20, seed=0)]))
assert browser.css(TABS)
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], cwd=tmp_path, check=True, timeout=120, capture_output=True, text=True
    )
    assert done.stdout.strip()
