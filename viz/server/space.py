"""Uploads the app to a Gradio Space of the Hugging Face Hub, with the Hub's own client.

    python -m viz.server.space USER/NAME [--models "ID ..."] [--torch-index URL]

The Hub rejects a git push with raw binary files, such as the shipped models; its client stores them in the Hub's own
way. It uploads the app's files that git tracks, as they are in the working tree, and deletes those of an earlier upload
that the app no longer has. The token comes from the environment (HF_TOKEN) or from `hf auth login`.

A Space installs requirements.txt on Linux, where pip's default torch brings gigabytes of CUDA that a CPU Space never
uses. `--torch-index` names a package index with CPU wheels, which is added to the uploaded requirements.
"""

from __future__ import annotations

import argparse
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi, get_token

ROOT = Path(__file__).resolve().parents[2]
PARTS = (
    *("README.md", "README.zh.md", "LICENSE", "app.py", "requirements.txt"),
    *("assets", "checkpoints", "docs", "former", "viz"),
)
MODELS = "FORMER_MODELS"  # the Space's variable that replaces app.py's arguments
TOKEN_NEEDED = "a token with write permission is needed: run `hf auth login`, or set HF_TOKEN"
NAME = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


def files(root: Path = ROOT) -> list[str]:
    """Lists the files of the repository at `root` that a Space needs: those that git tracks, without the tests.

    Raises:
        ValueError: `root` is not a git repository with the app.
    """
    listing = subprocess.run(["git", "ls-files", "-z", "--", *PARTS], cwd=root, capture_output=True, check=False)
    names = [name for name in listing.stdout.decode().split("\0") if name and (root / name).is_file()]
    if "app.py" not in names:
        raise ValueError(f"expected a git repository with app.py, got {root}")
    return names


def upload(space: str, api: Any, torch_index: str | None = None, models: str = "") -> str:
    """Uploads the app to the Space, creating it if needed; returns its address.

    Args:
        space: user/name.
        api: a huggingface_hub.HfApi.
        torch_index: the URL of an index of CPU wheels, see above.
        models: ids of models on the Hub, with spaces between them, that the Space shows as well as the shipped ones;
            "" leaves the Space's setting as it is.
    Raises:
        ValueError: an invalid name, or not a repository with the app.
    """
    if not NAME.fullmatch(space):
        raise ValueError(f"expected SPACE=user/name, got {space!r}")
    with tempfile.TemporaryDirectory() as folder:
        for name in files():
            target = Path(folder, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
        if torch_index:
            requirements = Path(folder, "requirements.txt")
            requirements.write_text(f"--extra-index-url {torch_index}\n{requirements.read_text()}")
        address = api.create_repo(space, repo_type="space", space_sdk="gradio", exist_ok=True)
        if models:  # before the upload, which starts the app
            api.add_space_variable(space, MODELS, models)
        api.upload_folder(
            repo_id=space,
            repo_type="space",
            folder_path=folder,
            commit_message="The app",
            delete_patterns=[f"{part}/*" if (ROOT / part).is_dir() else part for part in PARTS],
        )
    return str(address)


def main() -> None:
    """Uploads the app to the Space named on the command line; an error is printed in one line."""
    parser = argparse.ArgumentParser(description="Upload the app to a Hugging Face Space.")
    parser.add_argument("space", metavar="USER/NAME")
    parser.add_argument("--torch-index", metavar="URL", help="a package index with CPU wheels of torch for Linux")
    parser.add_argument("--models", metavar='"ID ..."', default="", help="models of the Hub to show as well")
    options = parser.parse_args()
    if get_token() is None:
        sys.exit(f"make space: {TOKEN_NEEDED}")
    try:
        print(upload(options.space, HfApi(), options.torch_index, models=options.models))
    except Exception as raised:  # the error classes of the Hub's client vary between versions
        sys.exit(f"make space: {explain(raised)}")


def explain(raised: BaseException) -> str:
    """Returns one line that says why an upload failed and, if known, what to do."""
    status = getattr(getattr(raised, "response", None), "status_code", None)
    if status == 401:
        return TOKEN_NEEDED
    if status == 403:
        return "this token has no permission to write to that Space"
    cause: BaseException | None = raised
    while cause is not None:
        if isinstance(cause, (ConnectionError, TimeoutError, socket.gaierror)):
            return "the Hugging Face Hub does not answer; is there a network?"
        cause = cause.__cause__ or cause.__context__
    return " ".join(str(raised).split()) or type(raised).__name__


if __name__ == "__main__":
    main()
