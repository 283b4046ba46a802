"""A Space gets the files it needs, unchanged; errors are one line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from huggingface_hub.utils import filter_repo_objects
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from viz import app
from viz.server.space import ROOT, files, upload

FRONT_MATTER = dict(re.findall(r"^(\w+): \"?([^\"\n]+)\"?$", (ROOT / "README.md").read_text().split("---")[1], re.M))


class Api:
    """Records the requests to the Hub."""

    def create_repo(self, name: str, **options: object) -> str:
        self.made = (name, options)
        return f"address of {name}"

    def add_space_variable(self, space: str, name: str, value: str) -> None:
        self.variable = (space, name, value)

    def upload_folder(self, *, folder_path: str, **options: object) -> None:
        folder = Path(folder_path)
        self.sent = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        self.options = options


def test_a_space_gets_what_the_app_is_made_of_as_it_lies_here():
    api = Api()
    assert upload("user/former", api) == "address of user/former"
    assert api.made == ("user/former", {"repo_type": "space", "space_sdk": "gradio", "exist_ok": True})
    assert {"app.py", "README.md", "requirements.txt", "former/__init__.py", "viz/browser/lib/base.js"} <= set(api.sent)
    assert {"checkpoints/generator/card.json", "assets/explore-light.png"} <= set(api.sent)
    assert not [name for name in api.sent if name.startswith(("tests", ".", "Makefile", "pyproject"))]
    assert all(body == (ROOT / name).read_bytes() for name, body in api.sent.items())


def test_only_what_git_holds_is_sent(tmp_path):
    for name in ("app.py", "viz/held.py", "viz/stray.py", "tests/test_held.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    for command in (["init", "-q"], ["add", "app.py", "viz/held.py", "tests"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert files(tmp_path) == ["app.py", "viz/held.py"]


def test_the_app_starts_from_what_is_sent(tmp_path):
    for name in files():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(ROOT / name)
    code = "import app, former; from viz.tabs import TABS; assert former.__file__.startswith({0!r}); print(len(TABS))"
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    text = subprocess.run(
        [sys.executable, "-c", code.format(str(tmp_path))],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert text.returncode == 0, text.stderr.decode()


def test_files_that_the_app_no_longer_has_are_deleted_there_and_no_others():
    api = Api()
    upload("user/former", api)
    patterns = api.options["delete_patterns"]
    there = ["viz/old.py", "checkpoints/old/card.json", "app.py", ".gitattributes", "notes.txt"]
    assert list(filter_repo_objects(there, allow_patterns=patterns)) == there[:3]  # pyright: ignore[reportArgumentType]


def test_cpu_wheels_come_from_the_index_that_one_names():
    api = Api()
    upload("user/former", api, "https://index.example/cpu")
    index, rest = api.sent["requirements.txt"].decode().split("\n", 1)
    assert index == "--extra-index-url https://index.example/cpu"
    assert rest == (ROOT / "requirements.txt").read_text()


def test_models_are_named_in_a_variable_of_the_space_that_the_app_reads(monkeypatch, capsys, tmp_path):
    api = Api()
    upload("user/former", api, models=f"{tmp_path}/first {tmp_path}/second")
    space, name, value = api.variable
    assert space == "user/former"
    monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["app.py"])
    with pytest.raises(SystemExit):  # there is no such folder
        app.main()
    assert f"{tmp_path}/first" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["former", "a/b/c", "", "a b/c", "../x/y"])
def test_a_name_that_is_none_is_refused_before_anything_is_asked(name):
    with pytest.raises(ValueError, match="expected SPACE=user/name"):
        upload(name, None)


def test_a_folder_without_git_is_refused(tmp_path):
    with pytest.raises(ValueError, match=re.escape(str(tmp_path))):
        files(tmp_path)


@pytest.mark.parametrize(
    ("token", "said"),
    [(None, "hf auth login"), ("hf_" + "x" * 34, "is there a network")],
    ids=["no token", "no network"],
)
def test_what_goes_wrong_is_said_in_one_line(token, said, tmp_path):
    environment = os.environ | {
        "HF_HOME": str(tmp_path),
        "HF_ENDPOINT": "http://127.0.0.1:9",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
    environment = {k: v for k, v in environment.items() if not k.endswith("_TOKEN") and "proxy" not in k.lower()}
    environment |= {"HF_TOKEN": token} if token else {}
    run = subprocess.run(
        [sys.executable, "-m", "viz.server.space", "user/former"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        check=False,
    )
    lines = run.stderr.decode().strip().splitlines()
    assert run.returncode == 1
    assert len(lines) == 1, lines
    assert said in lines[0]


def test_what_the_front_matter_asks_for_is_within_the_requirements():
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    values = {(result := Requirement(line.split(" #")[0])).name: result for line in lines}
    assert FRONT_MATTER["sdk_version"] in values["gradio"].specifier
    supported = re.findall(r'requires-python = "(.+)"', (ROOT / "pyproject.toml").read_text())
    assert FRONT_MATTER["python_version"] in SpecifierSet(*supported)
    assert FRONT_MATTER["app_file"] in files()
    for version in ("2.9.1", "2.11.0", "2.11.0+cpu"):  # a ZeroGPU Space has 2.8 to 2.11; CPU wheels carry "+cpu"
        assert version in values["torch"].specifier
