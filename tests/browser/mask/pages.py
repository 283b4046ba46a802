"""Page objects of tab Mask."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator

from tests.browser.pages import Tab
from tests.browser.written import number

PARTS = ("controls", "stages", "growth", "proof", "reach", "consequence")
TEXT = "The cat sat on the mat."  # the tab's own
T = len(TEXT)
SIZE = 5  # of a window or stride, as the tab opens with
LONG = "The river flows through the city, and the city has a bridge."  # to measure the losses on


def read(text: str) -> float:
    """Parses the number in a cell: "−1.5", "Σ 4.3", "max .012"."""
    return number(text.replace("Σ", "").replace("max", ""))


class Masking(Tab):
    """Tab Mask."""

    def open(self, **parameters: Any) -> Masking:
        """Opens the tab, and waits until all its answers are painted."""
        self.visit(tab="mask", **parameters)
        self.settled()
        return self

    def settled(self) -> None:
        """Waits until no request is pending, and every part shows the newest answer."""
        self.wait(
            """(parts) => {
              const masking = window.former?.masking;
              if (!masking?.settings || masking.busy || Object.values(masking.answers).includes(null)) return false;
              return parts.every((name) =>
                Number(document.querySelector(`.former-mask-${name}[data-rev]`)?.dataset.rev) === masking.rev);
            }""",
            list(PARTS),
        )
        self.painted()

    def set(self, choice: str) -> None:
        """Chooses a mask."""
        self.page.get_by_role("radio", name=choice, exact=True).check()
        self.settled()

    def step(self, name: str, to: int) -> None:
        """Types a number into its stepper."""
        box = self.page.get_by_role("spinbutton", name=name, exact=True)
        box.fill(str(to))
        box.press("Enter")
        self.settled()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def next(self) -> None:
        """Goes one step further."""
        self.button("Next →").click()
        self.painted()

    def follow(self, **parameters: Any) -> None:
        """Shows the view of another link, as for a follower or after Back."""
        self.page.evaluate("parameters => former.followers.mask(new URLSearchParams(parameters))", parameters)
        self.settled()

    def cells(self) -> str:
        """Returns the count in the stages panel."""
        return self.part("mask-stages").locator(".cells").inner_text()

    def square(self, part: str, name: str) -> Locator:
        """Returns one of the pictures."""
        return self.part(f"mask-{part}").locator(f"[data-map={name}] canvas")

    def point_of(self, canvas: Locator, row: int, column: int, t: int) -> tuple[float, float]:
        """Returns the coordinates of a cell's centre on the page."""
        canvas.scroll_into_view_if_needed()
        left, top, width, height = (float(side) for side in (canvas.get_attribute("data-frame") or "").split())
        box = canvas.bounding_box()
        assert box, "there is no picture"
        return box["x"] + left + (column + 0.5) * width / t, box["y"] + top + (row + 0.5) * height / t

    def point(self, canvas: Locator, row: int, column: int, t: int) -> None:
        """Points at a cell."""
        self.page.mouse.move(*self.point_of(canvas, row, column, t))
        self.painted()

    def colours(self, canvas: Locator, cells: list[tuple[int, int]], t: int) -> list[tuple[int, ...]]:
        """Returns red, green and blue of each (row, column), near the cell's corner, where there is no text."""
        left, top, width, height = (float(side) for side in (canvas.get_attribute("data-frame") or "").split())
        spots = [
            (round(left + (column + 0.2) * width / t), round(top + (row + 0.2) * height / t)) for row, column in cells
        ]
        pixels = canvas.evaluate(
            "(node, spots) => spots.map(([x, y]) => [...node.getContext('2d').getImageData(x, y, 1, 1).data])", spots
        )
        return [tuple(pixel[:3]) for pixel in pixels]

    def reading(self) -> dict[str, str]:
        """Returns the stages panel's text about the cell under the pointer."""
        return self.part("mask-stages").locator(".readout").evaluate("node => ({ ...node.dataset })")

    def line(self, name: str) -> list[str]:
        """Returns the numbers of a line of the step table."""
        return self.part("mask-stages").locator(f"[data-line={name}] td.cell").all_inner_texts()

    def total(self, name: str) -> str:
        return self.part("mask-stages").locator(f"[data-line={name}] td.total").inner_text()

    def sentence(self) -> str:
        """Returns the sentence of the step."""
        return self.part("mask-stages").locator(".sentence").inner_text()

    def moves(self, side: str) -> str:
        """Returns the sentence of the proof with or without the mask."""
        return self.part("mask-proof").locator(f".sentences [data-side={side}]").inner_text()

    def token(self, i: int) -> Locator:
        """Changes a token."""
        return self.part("mask-proof").locator(f".tokens [data-token='{i}']")

    def pairs(self, mask: str) -> list[int]:
        """Returns the number of pairs in reach after each layer."""
        cells = self.part("mask-reach").locator(f"tr[data-mask={mask}] td.cell")
        return cells.evaluate_all("cells => cells.map((cell) => Number(cell.dataset.pairs))")

    def counts(self) -> dict[str, int]:
        """Returns the counts next to the growth chart."""
        rows = self.part("mask-growth").locator(".counts > div")
        return dict(rows.evaluate_all("rows => rows.map((row) => [row.dataset.line, Number(row.dataset.count)])"))

    def bits(self, name: str, model: str | None = None) -> tuple[float, str]:
        """Returns the value of a bar of bits per byte, and the text next to it."""
        whole = self.part("mask-consequence")
        bar = (whole.locator(f"[data-model={model}]") if model else whole).locator(f"[data-bar={name}]")
        return float(bar.get_attribute("data-bits") or "nan"), bar.locator("b").inner_text()

    def lesson(self) -> str:
        return self.page.locator(".former-lesson .sentence", has_text="scores").inner_text()
