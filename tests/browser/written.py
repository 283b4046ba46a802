"""Parses numbers as the page writes them."""

import re


def number(text: str) -> float:
    """Parses a number: "1.4 × 10⁻⁶" → 1.4e-6; "−0.5" → −0.5; "1,200" → 1200.

    Raises:
        ValueError: the text is anything but a number.
    """
    match = re.fullmatch(r"\s*([−-]?[\d,]*\.?\d+)(?:\s×\s10⁻([⁰¹²³⁴⁵⁶⁷⁸⁹]+))?\s*", text)
    if match is None:
        raise ValueError(f"not a number: {text!r}")
    power = "".join(str("⁰¹²³⁴⁵⁶⁷⁸⁹".index(digit)) for digit in match[2] or "⁰")
    return float(match[1].replace("−", "-").replace(",", "")) * 10.0 ** -int(power)
