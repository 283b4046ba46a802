"""The benches' own logic: how they find a browser, and which figures pass."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.browser.conftest import find_browser


@pytest.mark.parametrize("name", ["chromium-headless-shell", "chromium"])
def test_a_browser_that_stands_alone_on_the_path_is_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    playwright: Any = SimpleNamespace(chromium=SimpleNamespace(executable_path="/nowhere/chromium"))
    assert find_browser(playwright) == str(program)
