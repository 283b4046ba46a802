"""One direction: app → viz → former."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = {"torch", "numpy", "safetensors", "numba", "former"}
LATE = {"huggingface_hub", "tokenizers"}  # imported where they are needed, and not before
TRAINING = LIBRARY | {"tqdm"}


def imported(path: Path) -> set[str]:
    """The full names a file imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def packages(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)}


def third_party(path: Path) -> set[str]:
    return packages(path) - set(sys.stdlib_module_names)


FORMER = sorted((ROOT / "former").rglob("*.py"))
VIZ = sorted((ROOT / "viz").rglob("*.py"))


@pytest.mark.parametrize("path", FORMER, ids=lambda path: str(path.relative_to(ROOT)))
def test_former_imports_only_the_library_and_what_it_stands_on(path):
    assert third_party(path) <= (TRAINING if "training" in path.parts else LIBRARY) | LATE
    if "training" not in path.parts:
        assert not any(name.startswith("former.training") for name in imported(path))


def test_former_is_imported_without_what_only_some_of_it_needs():
    code = "import former, sys; print(sorted({'huggingface_hub', 'tokenizers', 'gradio', 'plotly'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("path", VIZ, ids=lambda path: str(path.relative_to(ROOT)))
def test_viz_does_not_import_the_app(path):
    assert "app" not in third_party(path)


FIGURES = sorted((ROOT / "viz" / "figures").rglob("*.py"))


@pytest.mark.parametrize("path", [*FIGURES, ROOT / "viz" / "style.py"], ids=lambda path: path.name)
def test_the_figures_know_nothing_of_models_torch_or_the_page(path):
    assert third_party(path) <= {"numpy", "plotly", "viz"}
    ours = {name for name in imported(path) if name.split(".")[0] == "viz"}
    assert all(name in ("viz", "viz.style") or name.startswith(("viz.figures", "viz.style.")) for name in ours)


def test_nothing_is_unpickled():
    for path in [*FORMER, *VIZ, ROOT / "app.py"]:
        text = path.read_text(encoding="utf-8")
        assert not {"pickle", "cPickle", "dill", "joblib", "shelve", "marshal"} & packages(path), path
        assert "torch.load(" not in text, path
        assert "allow_pickle=True" not in text, path
