"""Errors in the style sheets that browsers do not report."""

import re
from pathlib import Path

VIZ = Path(__file__).resolve().parents[2] / "viz"
INSIDE = [path for path in sorted(VIZ.rglob("*.css")) if path.parent.name != "lib"]  # what Gradio writes anew


def test_no_rule_gives_a_font_by_variables_and_one_of_its_parts_apart():
    """Gradio writes each rule as the browser serialises it, and would leave out such a font."""
    assert INSIDE
    for sheet in INSIDE:
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
        for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", text):
            match = re.search(r"(^|;)\s*font:[^;]*var\(", body)
            apart = re.search(r";\s*(font-[a-z-]+|line-height):", body)
            assert not (match and apart), f"{sheet}: {selector.strip()}"
