"""Imports have one direction: app → viz → former."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from former.runs.kinds import KINDS

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = {"torch", "numpy", "safetensors", "numba", "former"}
LATE = {"huggingface_hub", "tokenizers"}  # imported where they are needed, and not before
TRAINING = LIBRARY | {"tqdm"}


def imported(path: Path) -> set[str]:
    """Returns the full names that a file imports, wherever in it."""
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


def test_former_imports_only_the_library_and_what_it_stands_on():
    assert FORMER
    for path in FORMER:
        assert third_party(path) <= (TRAINING if "training" in path.parts else LIBRARY) | LATE, path
        if "training" not in path.parts:
            assert not any(name.startswith("former.training") for name in imported(path)), path


def test_former_is_imported_and_loads_a_model_without_what_only_some_of_it_needs():
    code = """import former, sys
former.load("tiny-generator")
print(sorted({"huggingface_hub", "tokenizers", "gradio", "plotly", "torch._dynamo"} & set(sys.modules)))
import former.training.tasks  # as the page does, which shows their code
from former.training.compute import prepare  # as each command does, before it knows what it needs
prepare()
print("torch._dynamo" in sys.modules)"""
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["[]", "False"]


def modules_that(path: Path, known: set[str]) -> set[str]:
    """Returns the known modules that a file imports, types included; for `from a import b`, a.b if it is a module."""
    results = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            results |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            results |= {
                full if (full := f"{node.module}.{alias.name}") in known else node.module for alias in node.names
            }
    return results & known


def test_no_module_imports_itself_through_others():
    files = [*FORMER, *VIZ]
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in files}
    left = {name: modules_that(path, set(names)) - {name} for name, path in names.items()}
    while ends := [name for name, imports in left.items() if not imports & left.keys()]:
        for name in ends:
            del left[name]
    assert sorted(left) == []


def test_viz_does_not_ask_of_what_kind_a_model_is():
    """Except in assertions, which tell the type checker the type of a shipped model."""
    models = {model.__name__ for kind in KINDS for model in kind.models}
    assert {"Generator", "Bert"} <= models
    for path in VIZ:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        asserted = {part for node in ast.walk(tree) if isinstance(node, ast.Assert) for part in ast.walk(node)}
        for node in set(ast.walk(tree)) - asserted:
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
                named = {getattr(part, "attr", getattr(part, "id", "")) for part in ast.walk(node.args[1])}
                assert not named & {*models, *(f"{model}Config" for model in models)}, f"{path}: {ast.unparse(node)}"


def texts(tree: ast.AST) -> Iterator[str]:
    """The strings of a module that are not docstrings; an f-string with _ for each of its values."""
    nodes = set(ast.walk(tree))
    left_out = {node.value for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            left_out.update(node.values)
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "_" for part in node.values)
    yield from (
        node.value for node in nodes - left_out if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def is_program(text: str) -> bool:
    """Whether it is Python that imports something, or names something of the library."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except SyntaxError:
        return False
    return bool(re.search(r"\bformer\.", text)) or any(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes)


def test_the_text_of_a_program_is_written_in_one_place():
    written = {path for path in VIZ if any(map(is_program, texts(ast.parse(path.read_text(encoding="utf-8")))))}
    assert written == {ROOT / "viz" / "panels" / "writer.py"}


def test_viz_does_not_import_the_app():
    assert ROOT / "viz" / "app.py" in VIZ
    for path in VIZ:
        assert not {"app", "viz.app"} & imported(path), path


FIGURES = sorted((ROOT / "viz" / "figures").rglob("*.py"))


def test_the_figures_know_nothing_of_models_torch_or_the_page():
    assert FIGURES
    for path in [*FIGURES, ROOT / "viz" / "style.py"]:
        assert third_party(path) <= {"numpy", "plotly", "viz"}, path
        ours = {name for name in imported(path) if name.split(".")[0] == "viz"}
        wrong = [n for n in ours if n not in ("viz", "viz.style") and not n.startswith(("viz.figures", "viz.style."))]
        assert not wrong, path


def test_nothing_is_unpickled():
    for path in [*FORMER, *VIZ]:
        text = path.read_text(encoding="utf-8")
        assert not {"pickle", "cPickle", "dill", "joblib", "shelve", "marshal"} & packages(path), path
        assert "torch.load(" not in text, path
        assert "allow_pickle=True" not in text, path
