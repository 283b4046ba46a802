"""Sends the app to a Gradio Space of the Hugging Face Hub, by the Hub's own client.

    python -m viz.server.space USER/NAME [--torch-index URL]

The Hub refuses a git push that holds raw binary files, such as the shipped models; its client stores them as it wants
them. Sent is what git holds of the app, as it lies in the working tree; what an earlier upload left there and the app
no longer has is deleted. A token is taken from the environment (HF_TOKEN) or from `hf auth login`.

A Space installs requirements.txt on Linux, where pip's usual torch brings gigabytes of CUDA that a CPU Space never
uses. `--torch-index` names a package index with CPU wheels: a line for it is put into the requirements that are sent.
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
PARTS = ("README.md", "LICENSE", "app.py", "requirements.txt", "assets", "checkpoints", "former", "viz")
TOKEN_WANTED = "a token that may write is needed: run `hf auth login`, or set HF_TOKEN"
NAME = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


def files(root: Path = ROOT) -> list[str]:
    """What a Space needs of the repository at `root`, by git: neither tests nor what lies around untracked.

    Raises:
        ValueError: `root` is no git repository that holds the app.
    """
    asked = subprocess.run(["git", "ls-files", "-z", "--", *PARTS], cwd=root, capture_output=True, check=False)
    found = [name for name in asked.stdout.decode().split("\0") if name and (root / name).is_file()]
    if "app.py" not in found:
        raise ValueError(f"expected a git repository that holds app.py, got {root}")
    return found


def upload(space: str, api: Any, torch_index: str | None = None, root: Path = ROOT) -> str:
    """Makes the Space unless there is one, and sends it the app; returns its address.

    Args:
        space: user/name.
        api: a huggingface_hub.HfApi.
        torch_index: of CPU wheels, see above.
        root: of the repository.
    Raises:
        ValueError: a name that is none, or no repository.
    """
    if not NAME.fullmatch(space):
        raise ValueError(f"expected SPACE=user/name, got {space!r}")
    with tempfile.TemporaryDirectory() as folder:
        for name in files(root):
            target = Path(folder, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, target)
        if torch_index:
            wanted = Path(folder, "requirements.txt")
            wanted.write_text(f"--extra-index-url {torch_index}\n{wanted.read_text()}")
        address = api.create_repo(space, repo_type="space", space_sdk="gradio", exist_ok=True)
        api.upload_folder(
            repo_id=space,
            repo_type="space",
            folder_path=folder,
            commit_message="The app",
            delete_patterns=[f"{part}/*" if (root / part).is_dir() else part for part in PARTS],
        )
    return str(address)


def main() -> None:
    """Sends the app to the Space that the command line names; an error is one line."""
    parser = argparse.ArgumentParser(description="Send the app to a Hugging Face Space.")
    parser.add_argument("space", metavar="USER/NAME")
    parser.add_argument("--torch-index", metavar="URL", help="a package index with CPU wheels of torch for Linux")
    given = parser.parse_args()
    if get_token() is None:
        sys.exit(f"make space: {TOKEN_WANTED}")
    try:
        print(upload(given.space, HfApi(), given.torch_index))
    except Exception as raised:  # of the Hub's client, whose own errors differ from version to version
        sys.exit(f"make space: {explained(raised)}")


def explained(raised: BaseException) -> str:
    """What went wrong, in one line, and what to do where that is known."""
    status = getattr(getattr(raised, "response", None), "status_code", None)
    if status == 401:
        return TOKEN_WANTED
    if status == 403:
        return "this token may not write to that Space"
    cause: BaseException | None = raised
    while cause is not None:
        if isinstance(cause, (ConnectionError, TimeoutError, socket.gaierror)):
            return "the Hugging Face Hub does not answer; is there a network?"
        cause = cause.__cause__ or cause.__context__
    return " ".join(str(raised).split()) or type(raised).__name__


if __name__ == "__main__":
    main()
