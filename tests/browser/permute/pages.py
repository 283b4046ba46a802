"""Page objects of tab Word order, and its outputs recomputed from the files of weights."""

from __future__ import annotations

import re
from typing import Any

import torch
from playwright.sync_api import Locator
from torch import Tensor

from tests.browser.pages import Tab
from tests.browser.reference import Reference
from tests.browser.written import number
from tests.encodings import encodings

PARTS = ("word-order", "permutation", "equivariance", "moved-rows", "verdicts", "permute-controls")
# A text in another order, as most tests have it
TEXT = "I did not like the film but the music was great"  # 11 words
ORDER = [2, 0, 1, 3, 10, 5, 6, 7, 8, 9, 4]
LINKED = ".".join(map(str, ORDER))


class Permuting(Tab):
    """Tab Word order."""

    def open(self, **parameters: Any) -> Permuting:
        """Opens the tab, and waits until its first answer is painted."""
        self.visit(tab="permute", **parameters)
        self.settled()
        return self

    def settled(self) -> None:
        """Waits until no request is pending, and every part shows the newest answer."""
        self.wait(
            """(parts) => {
              const { permuting } = window.former ?? {};
              if (!permuting || permuting.busy || !permuting.rev) return false;
              return parts.every((name) =>
                Number(document.querySelector(`.former-${name}[data-rev]`)?.dataset.rev) === permuting.rev);
            }""",
            list(PARTS),
        )
        self.painted()

    def button(self, name: str) -> Locator:
        """Presses a button of the words' panel."""
        return self.part("word-order").get_by_role("button", name=name, exact=True)

    def press(self, name: str) -> None:
        self.button(name).click()
        self.settled()

    def type(self, text: str) -> None:
        """Types a text, and waits for its answer."""
        self.page.get_by_role("textbox", name="Text", exact=True).fill(text)
        self.settled()

    def switch(self, field: str, value: str) -> None:
        """Sets a switch next to the errors: positions or mask."""
        self.part("equivariance").locator(f"[data-field={field}] input[value={value}]").check(force=True)
        self.settled()

    def show(self, output: str) -> None:
        """Shows another output in the picture."""
        self.part("equivariance").locator(f".output[data-output={output}] input").check()
        self.settled()

    def chip(self, word: int) -> Locator:
        return self.page.locator(f".former-word-order .chip[data-word='{word}']")

    def words(self) -> list[str]:
        """Returns the words on the chips, in their order."""
        return self.page.locator(".former-word-order .chip > span").all_text_contents()

    def order(self) -> list[int]:
        """Returns the index in the typed text of the word at each position, from the chips."""
        chips = self.page.locator(".former-word-order .chip").evaluate_all("all => all.map((one) => one.dataset.word)")
        return [int(word) for word in chips]

    def data(self, name: str) -> dict[str, str]:
        """Returns the data that a part exposes for tests."""
        return self.part(name).evaluate("part => ({...part.dataset})")

    def errors(self) -> dict[str, tuple[float, str]]:
        """Returns the displayed number and the verdict of each output."""
        rows = self.page.locator(".former-equivariance .output").all()
        return {
            str(row.get_attribute("data-output")): (
                number(row.locator(".error").inner_text()),
                row.locator(".mark").inner_text(),
            )
            for row in rows
        }

    def beside(self, output: str) -> list[float]:
        """Returns the numbers next to an error: the largest output, the limit of rounding, and the error before."""
        text = self.page.locator(f".former-equivariance .output[data-output={output}] .more").inner_text()
        parts = re.fullmatch(r"max (.+) · rounding (.+?)(?: · was (.+))?", text.strip())
        assert parts, text
        return [number(part) for part in parts.groups() if part]

    def sentence(self) -> str:
        """Returns the sentence under the errors."""
        return self.page.locator(".former-equivariance .sentence").inner_text()

    def verdicts(self) -> dict[str, dict[str, Any]]:
        """Returns each classifier's verdict and probability in both orders."""
        values = {}
        for card in self.page.locator(".former-verdicts .card").all():
            orders = {name: card.locator(f".order-{name}") for name in ("typed", "moved")}
            values[str(card.get_attribute("data-model"))] = {
                "verdict": [order.locator(".verdict").inner_text() for order in orders.values()],
                "prob": [
                    float(re.findall(r"[\d.]+", order.locator(".prob").inner_text())[0]) / 100
                    for order in orders.values()
                ],
                "words": [order.locator(".words").inner_text() for order in orders.values()],
                "moved": card.locator(".moved").inner_text(),
            }
        return values

    def choose_table(self, name: str) -> None:
        """Chooses a kind of positions, and waits until it is painted."""
        self.page.get_by_role("combobox", name="Position vectors", exact=True).select_option(name)
        self.wait("(name) => document.querySelector('.former-position-maps[data-table]')?.dataset.table === name", name)
        self.painted()

    def compared(self) -> str:
        """Returns the sentence that compares the selected position with others, once Python's answer is shown."""
        self.wait(
            """() => {
              const panel = document.querySelector(".former-position-maps[data-table]");
              const { table, at, product } = panel?.dataset ?? {};
              return panel?.querySelector(".readout").dataset.compared === [table, at, product].join(" ");
            }"""
        )
        return self.page.locator(".former-position-maps .readout").inner_text()

    def message(self) -> str:
        return self.page.locator(".former-permute-controls .message").inner_text()

    def lesson(self) -> str:
        return self.page.locator(".former-lesson .sentence:visible").inner_text()

    def colours(self, which: int) -> set[str]:
        """Returns the different colours inside one of the four maps."""
        result = (
            self.page.locator(".former-moved-rows canvas")
            .nth(which)
            .evaluate(
                """(canvas) => {
              const ratio = canvas.width / parseFloat(canvas.style.width);
              const box = canvas.dataset.frame.split(" ").map(Number);
              const inside = [box[0] + 2, box[1] + 2, box[2] - 4, box[3] - 4].map((side) => Math.round(side * ratio));
              const { data } = canvas.getContext("2d").getImageData(...inside);
              const pixel = (_, i) => data.slice(4 * i, 4 * i + 3).join();
              return [...new Set(Array.from({ length: data.length / 4 }, pixel))];
            }"""
            )
        )
        return set(result)


class Outputs(Reference):
    """The classifier's outputs under other positions and masks, in float64."""

    def added(self, kind: str, t: int) -> Tensor | float:
        """Returns the position vectors that are added to the word vectors, for t positions."""
        if kind == "none":
            return 0.0
        if kind == "learned":
            return self.tensors["transformer.positions.embedding.weight"][:t]
        return encodings(t, self.config["emb"])

    def outputs(self, ids: list[int], kind: str = "none", causal: bool = False) -> dict[str, Tensor]:
        """Returns the tab's four f of one text; "rows" are the last block's outputs, (t, e)."""
        x = self.tensors["transformer.token_embedding.weight"][ids] + self.added(kind, len(ids))
        t = len(ids)
        mask = torch.ones(t, t).tril().bool() if causal else torch.ones(t, t).bool()
        values = {"basic": (x @ x.T).masked_fill(~mask, -torch.inf).softmax(-1) @ x}
        ones = torch.ones(self.config["heads"]).double()
        for layer in range(self.config["depth"]):
            block = f"transformer.blocks.{layer}"
            out, *_ = self.attention(f"{block}.attention", self.norm(f"{block}.norm1", x), ones, mask)
            x = x + out
            x = x + self.feed_forward(f"{block}.ff", self.norm(f"{block}.norm2", x))
            if layer == 0:
                values |= {"layer": out, "block": x}
        values["rows"] = self.norm("norm", x)
        return values | {"classifier": self.linear("toprobs", values["rows"].mean(0)).log_softmax(-1)}

    def both(self, ids: list[int], order: list[int], kind: str = "none", causal: bool = False):
        """Returns f(x) and f(Px)."""
        return self.outputs(ids, kind, causal), self.outputs([ids[i] for i in order], kind, causal)

    def errors(self, ids: list[int], order: list[int], kind: str, causal: bool) -> dict[str, float]:
        before, after = self.both(ids, order, kind, causal)
        moved = {name: f if name == "classifier" else f[order] for name, f in before.items()}
        return {name: float((after[name] - moved[name]).abs().max()) for name in before}

    def split(self, text: str) -> list[int]:
        """Returns the ids of the words and punctuation marks of a plain text."""
        return self.ids(" ".join(re.findall(r"\w+(?:'\w+)*|[^\w\s]", text.lower())))


def shuffled(count: int, seed: int) -> list[int]:
    """Returns the order of a seed: Fisher and Yates with mulberry32."""
    mask = 0xFFFFFFFF

    def dice() -> float:
        nonlocal seed
        seed = (seed + 0x6D2B79F5) & mask
        t = (seed ^ (seed >> 15)) * (1 | seed) & mask
        t = ((t + ((t ^ (t >> 7)) * (61 | t) & mask)) & mask) ^ t
        return ((t ^ (t >> 14)) & mask) / 2**32

    order = list(range(count))
    while True:
        for i in range(count - 1, 0, -1):
            j = int(dice() * (i + 1))
            order[i], order[j] = order[j], order[i]
        if count < 2 or order != list(range(count)):
            return order
