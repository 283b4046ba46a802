"""Page objects of tab Learn."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Locator

import former
from tests.browser.pages import Tab
from viz.tabs.learn.sections import SECTIONS

NEEDS = {"bert": "bert", "transformer-xl": "xl"}  # the model without which a section is not shown
SHOWN = [section for section in SECTIONS if NEEDS.get(section.name, "gpt") in former.available()]


class Learning(Tab):
    """Tab Learn."""

    def open(self, section: str = "", **parameters: Any) -> Learning:
        """Opens the tab at a section, by default that of a link without one, and waits until it is drawn."""
        named = {"section": section} if section else {}
        tab = {"tab": "learn"} if parameters else {}  # some fields are called as Explore's are
        self.visit(**tab | named | parameters)
        self.settled()
        return self

    def settled(self) -> None:
        """Waits until the open section is drawn and no request is pending."""
        self.wait(
            """() => {
              const learn = window.former?.learn;
              const section = learn?.open && learn.find(learn.open);
              return section?.node?.dataset.drawn && !section.live?.busy;
            }"""
        )
        self.painted()

    @property
    def section(self) -> Locator:
        """Returns the section on the screen."""
        return self.page.locator(".former-learn .section:visible")

    @property
    def lesson(self) -> Locator:
        """Returns the line with the sentence and the link to the article."""
        return self.page.locator(".former-lesson[data-tab=learn]")

    def name(self) -> str | None:
        return self.section.get_attribute("data-section")

    def sentence(self) -> str:
        """Returns the tab's sentence."""
        return self.lesson.locator(".sentence").inner_text()

    def view(self) -> dict[str, Any]:
        """Returns the settings of the section."""
        return self.page.evaluate("former.learn.find(former.learn.open).live.view")

    def attempt(self, name: str) -> None:
        """Presses a "Try" button."""
        self.section.locator(f"[data-try='{name}']").click()
        self.settled()

    def choices(self) -> list[str]:
        """Returns the answers to the section's question (its settings may be radio buttons too)."""
        return self.section.locator(".check label > span").all_text_contents()

    def ask(self) -> None:
        """Opens the section's question, unless it is open."""
        self.section.locator(".check:not([open]) summary").evaluate_all("all => all.forEach((one) => one.click())")

    def choose(self, words: str) -> str:
        """Chooses an answer to the section's question; returns the page's comment."""
        self.ask()
        self.section.locator(".check").get_by_role("radio", name=words, exact=True).check()
        element = self.section.locator(".check .said:is(.right, .wrong)")
        element.wait_for()
        return element.inner_text()

    def numbers(self, caption: str) -> list[list[float]]:
        """Returns the cells of a small table."""
        rows = self.section.locator("table.numbers").filter(has_text=caption).locator("tbody tr").all()
        return [[float(cell.replace("−", "-")) for cell in row.locator("td").all_text_contents()] for row in rows]

    def tensors(self) -> dict[str, list[list[float]]]:
        """Returns the first rows of each tensor under "The code"."""
        self.section.locator("details.code > summary").click()
        self.section.get_by_role("button", name="Show my numbers").click()
        figures = self.section.locator(".tensors figure")
        figures.first.wait_for()
        rows = (
            "figure => [...figure.querySelectorAll('tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
        )
        return {
            figure.get_attribute("data-tensor") or "": [
                [float(cell.replace("−", "-")) for cell in row if cell != "…"] for row in figure.evaluate(rows)
            ]
            for figure in figures.all()
        }

    def grip(self, name: str) -> Locator:
        """Returns the handle of an arrow."""
        return self.section.locator(f".plane .grip[data-id='{name}']")

    def drag(self, name: str, across: float, down: float) -> None:
        """Drags an arrow's tip by so many pixels."""
        box = self.grip(name).bounding_box()
        assert box
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + across / 2, y + down / 2)
        self.page.mouse.move(x + across, y + down)
        self.page.mouse.up()
        self.painted()

    def data(self, name: str) -> Any:
        """Returns the unrounded data that a section exposes for tests."""
        return json.loads(self.section.get_attribute(f"data-{name}") or "null")
