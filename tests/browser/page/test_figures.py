"""The figures in a browser: how Plotly shows hostile tokens, and the label under the pointer."""

from pathlib import Path

import numpy as np
import plotly
import pytest

from viz import figures

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
TOKENS = ["<b>x</b>", "%{z}", "$x^2$", "&lt;", "<a href='javascript:alert(1)'>a</a>"]


def plot(page, figure) -> None:
    """Shows a figure offline, with the plotly.js of the installed package."""
    if not page.evaluate("Boolean(window.Plotly)"):
        page.set_content("<div id=figure></div>")
        page.add_script_tag(path=PLOTLY)
    page.evaluate(
        "(json) => { const { data, layout } = JSON.parse(json); return Plotly.newPlot('figure', data, layout); }",
        figure.to_json(),
    )


def read(page, x: float, y: float) -> list[str]:
    """Returns the lines of the label under the pointer at a point of the axes."""
    spot = page.evaluate(
        """([x, y]) => {
          const root = document.getElementById('figure'), box = root.getBoundingClientRect();
          const at = (axis, value) => axis._offset + axis.l2p(value);
          return [box.x + at(root._fullLayout.xaxis, x), box.y + at(root._fullLayout.yaxis, y)];
        }""",
        [x, y],
    )
    page.mouse.move(spot[0] - 1, spot[1])
    page.mouse.move(*spot)
    page.wait_for_timeout(200)  # Plotly answers the pointer every 50 ms
    return page.locator(".hoverlayer .hovertext .nums tspan.line").all_text_contents()


def test_tokens_are_shown_letter_by_letter_on_the_axes_and_under_the_pointer(page):
    weights = np.tri(5) / np.arange(1, 6)[:, None]
    plot(page, figures.attention(weights, TOKENS, title="<i>T</i>"))
    assert page.locator(".gtitle").text_content() == "<i>T</i>"
    assert page.locator(".xtick text").all_text_contents() == [*TOKENS[:4], "<a href='javascript:ale…"]
    assert page.locator("#figure a[href^=javascript]").count() == 0
    assert read(page, 1, 2) == ["query $x^2$", "key %{z}", "weight 0.3333"]
    assert read(page, 3, 0) == ["query <b>x</b>", "key &lt;", "masked"]


def test_the_grid_reads_layer_head_tokens_and_weight_and_says_what_is_masked(page):
    weights = np.random.default_rng(0).random((2, 3, 4, 4)) * np.tri(4)
    weights /= weights.sum(-1, keepdims=True)
    plot(page, figures.heads(weights, ["a", "b", "a", "%{x}"]))
    step = 5  # four cells and a gap
    assert read(page, 2 * step + 1, 1 * step + 3) == [
        "layer 1 · %{x}",
        "head 2 · b",
        f"weight {weights[1, 2, 3, 1]:.4g}",
    ]
    assert read(page, step + 2, 0) == ["layer 0, head 1", "masked"]
    assert read(page, 0, 2) == ["layer 0 · a\u2009₂", "head 0 · a\u2009₀", f"weight {weights[0, 0, 2, 0]:.4g}"]
    assert read(page, step - 1, 2) == []  # between two heads
