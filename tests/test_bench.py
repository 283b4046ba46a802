"""The logic of the benches: finding a browser, and comparing figures with bars."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

import former
from tests.bench.app import Result
from tests.bench.limits import products
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


def test_a_figure_without_a_bar_fails_nothing_and_one_beyond_its_bar_does() -> None:
    assert Result("a figure", 9, "ms", None, "").passed
    assert Result("at most", 1, "×", 1.8, "").passed
    assert not Result("at most", 2, "×", 1.8, "").passed
    assert Result("at least", 0.6, "×", 0.5, "", at_least=True).passed
    assert not Result("at least", 0.4, "×", 0.5, "", at_least=True).passed


def test_the_products_of_a_pass_are_those_that_its_weights_and_maps_need() -> None:
    config = former.ModelConfig(num_tokens=29, emb=12, heads=3, depth=2, seq_length=19)
    result = sum(count * pairs * rows * inner * columns for count, pairs, rows, inner, columns in products(config, 7))
    matrices = [m for m in former.Generator(config).modules() if isinstance(m, torch.nn.Linear)]
    maps = 2 * config.depth * 7 * 7 * config.emb  # q · k and weights · v
    assert result == 7 * sum(m.weight.numel() for m in matrices) + maps
