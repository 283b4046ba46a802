"""Page objects of tabs Explore and Generate: open, wait until painted, read what is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from playwright.sync_api import Locator, Page, TimeoutError

# Run in a page: its clipboard takes nothing, as in another page's frame.
REFUSED = "() => { navigator.clipboard.writeText = async () => { throw new DOMException('no', 'NotAllowedError'); }; }"

# Parameters of the page rather than of a view: a link with one of these is loaded as a new page.
OF_PAGE = ("present", "slide", "room", "lead", "embed", "print", "lang", "__theme")
IS_OPEN = """names => Boolean(window.former?.followers) &&
  !names.some((name) => new URLSearchParams(location.search).has(name))"""

# Waits until all parts have arrived and nothing is deferred, then some frames more; returns the page's address.
CAUGHT_UP = """async (frames) => {
  const frame = () => new Promise(requestAnimationFrame);
  const limit = performance.now() + 20_000;
  while (document.querySelector("[data-coming]") || window.former?.hasDeferred?.()) {
    if (performance.now() > limit) throw new Error("what was put off is not drawn");
    await frame();
  }
  for (let i = 0; i < frames; i++) await frame();
  return location.href;
}"""

# Waits until a node has not moved for 500 ms.
STILL = """async (node) => {
  const frame = () => new Promise(requestAnimationFrame);
  const place = () => { const { x, y } = node.getBoundingClientRect(); return `${x} ${y}`; };
  const limit = performance.now() + 20_000;
  for (let [since, stood] = [performance.now(), place()]; performance.now() < since + 500; await frame()) {
    if (performance.now() > limit) throw new Error("it does not stand still");
    if (place() !== stood) [since, stood] = [performance.now(), place()];
  }
}"""


class Tab:
    """The common part of all tabs."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.origin = origin

    def address(self) -> str:
        """Returns the page's address, once it has all choices."""
        return self.page.evaluate(CAUGHT_UP, 0)

    def link(self) -> dict[str, str]:
        """Returns the parameters of the page's address."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.address()).query).items()}

    def comes(self, tab: str) -> None:
        """Waits until the page's address is that of a tab, which it becomes when the tab has its first answer."""
        self.page.wait_for_url(lambda url: parse_qs(urlsplit(url).query).get("tab", ["explore"]) == [tab])

    def goto(self, **parameters: Any) -> None:
        """Opens the page by a link with these parameters."""
        self.page.goto(f"{self.origin}/?{urlencode(parameters)}")

    def visit(self, **parameters: Any) -> None:
        """Shows the view of a link, on the open page as with Back, or on a new one."""
        if self.takes_up(parameters):
            view = {name: str(value) for name, value in parameters.items()}
            self.page.evaluate("view => former.page.follow(new URLSearchParams(view))", view)
        else:
            self.goto(**parameters)

    def takes_up(self, parameters: dict[str, Any]) -> bool:
        """Returns whether the page is open and can show a link with these parameters."""
        return not set(OF_PAGE) & parameters.keys() and self.page.evaluate(IS_OPEN, OF_PAGE)

    def wait(self, condition: str, argument: Any = None) -> None:
        """Waits until a JavaScript condition holds; one about a script that is still to come does not hold yet."""
        tried = f"""(argument) => {{
          try {{
            const held = ({condition});
            return typeof held === "function" ? held(argument) : held;
          }} catch {{
            return false;
          }}
        }}"""
        self.page.wait_for_function(tried, arg=argument)

    def painted(self) -> None:
        """Waits until all changes so far are on the screen: parts paint once a frame, or after the map."""
        self.page.evaluate(CAUGHT_UP, 2)

    def part(self, name: str) -> Locator:
        """Returns a component; Gradio gives its class to two elements, of which this is the inner one."""
        return self.page.locator(f".former-{name} .former-{name}")


class Chart:
    """One of the page's charts, as a visitor uses it."""

    def __init__(self, tab: Tab, part: str) -> None:
        self.tab = tab
        self.root = tab.part(part).locator(".chart")
        self.container = tab.part(part).locator(".chart-place")

    def shown(self) -> Chart:
        """Scrolls it into view, and waits until it is drawn."""
        self.container.scroll_into_view_if_needed()
        self.root.locator(".nsewdrag").wait_for()
        self.tab.painted()
        return self

    def traces(self) -> dict[str, tuple[list[float], list[float]]]:
        """Returns Plotly's traces, {name: (x, y)}."""
        return self.root.evaluate("root => Object.fromEntries(root.data.map(({ name, x, y }) => [name, [x, y]]))")

    def point(self, across: float, down: float = 0.5) -> None:
        """Moves the pointer to a part of the plot, each from 0 to 1."""
        box = self.root.locator(".nsewdrag").bounding_box()
        assert box
        x, y = box["x"] + across * box["width"], box["y"] + down * box["height"]
        self.tab.page.mouse.move(x - 1, y)
        self.tab.page.mouse.move(x, y)
        self.tab.page.wait_for_timeout(200)  # Plotly answers the pointer every 50 ms
        self.tab.painted()

    def under_pointer(self) -> list[str]:
        """Returns the texts of the label under the pointer."""
        return self.root.locator(".hoverlayer .hovertext tspan.line, .hoverlayer text").all_text_contents()

    def range(self) -> list[float]:
        """Returns the current range of the x axis."""
        return self.root.evaluate("root => root._fullLayout.xaxis.range.map(Number)")


class Writing(Tab):
    """Tab Generate."""

    def open(self, **parameters: Any) -> Writing:
        """Opens the tab with an empty text, and waits until it is painted."""
        self.page.evaluate("Object.keys(window.former?.writing?.models ?? {}).length && former.writing.clear()")
        self.visit(tab="generate", **parameters)
        self.rested()
        return self

    def rested(self) -> None:
        """Waits until no request is pending and all answers are on the screen."""
        self.wait(
            """() => window.former?.writing?.status === "idle" && former.writing.cursor.state
            && former.writing.cursor.state.drawnBy
            && [...document.querySelectorAll(".former-written-text[data-rev], .former-next-token[data-rev]")]
               .filter((part) => Number(part.dataset.rev) === former.writing.rev).length === 2"""
        )
        self.painted()

    def press(self, name: str) -> None:
        """Presses a button."""
        self.button(name).click()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def shown(self) -> list[str]:
        """Returns the tokens on the screen, their spaces as spaces."""
        spans = self.page.locator(".former-written-text .tokens [data-at]").all_text_contents()
        return [span.rstrip("\n") for span in spans]

    def here(self) -> int:
        """Returns the index of the outlined token."""
        return int(self.page.locator(".former-written-text .tokens .here").get_attribute("data-at") or -1)

    def written(self) -> list[int]:
        """Returns the tokens after the prompt, from the link."""
        return [int(token) for token in self.link().get("written", "").split(".") if token]

    def candidates(self) -> list[tuple[str, str, str]]:
        """Returns the rows of the next-token distribution: label, probability, probability after top-k and top-p."""
        rows = self.page.locator(".former-next-token .candidate").all()
        return [
            (
                row.locator(".label").inner_text(),
                row.locator(".share").inner_text(),
                row.locator(".after").inner_text(),
            )
            for row in rows
        ]


def share(text: str) -> float:
    """ "34 %" → 0.34."""
    number = re.search(r"(\d+(?:\.\d+)?)\s*%", text)
    assert number, f"no percentage in {text!r}"
    return float(number[1]) / 100


def agrees(text: str, exact: float) -> bool:
    """Returns whether a written share, "34 %", "0.2 %", "< 0.1 %" or "0", is the exact number, rounded."""
    if text == "0":
        return exact < 1e-6
    if text.startswith("<"):
        return exact < 0.00105
    decimals = re.search(r"\d+(?:\.(\d+))?\s*%", text)
    digits = len(decimals[1] or "") if decimals else 0
    return abs(share(text) - exact) <= 0.5 * 10 ** -(digits + 2) + 2e-5


def says(text: str, template: str, *numbers: float) -> bool:
    """Returns whether a text has a passage, with these numbers in its fields, such as "{:.2f}".

    Each may differ by less than one unit of its last decimal, since processors compute numbers that round differently.
    """
    words, decimals = (re.split(r"\{:\.(\d)f\}", template)[start::2] for start in (0, 1))
    fields = [r"([-−]?\d+" + (rf"[.]\d{{{count}}}" if int(count) else "") + r")(?![.]?\d)" for count in decimals]
    pattern = "".join(re.escape(word) + field for word, field in zip(words, [*fields, ""], strict=True))
    units = [10.0 ** -int(count) for count in decimals]
    return any(
        all(
            abs(float(written.replace("−", "-")) - number) < unit
            for written, number, unit in zip(match.groups(), numbers, units, strict=True)
        )
        for match in re.finditer(pattern, text)
    )


def check_shares(said: Sequence[tuple[str, str]], exact: Mapping[str, float]) -> None:
    """Asserts that labels with shares are the likeliest, in order; those whose shares read alike may change places."""
    best = sorted(exact.values(), reverse=True)
    assert len({label for label, _ in said}) == len(said)
    for (label, share), largest in zip(said, best, strict=False):
        assert agrees(share, exact[label]), (label, share, exact[label])
        assert agrees(share, largest), (label, share, largest)


# Explore: whether the screen shows the pass that a link asks for.
TAKEN = """([model, text, edits]) => {
  const { store } = former;
  const { header } = store.pass ?? {};
  const same = header?.model === (model || "generator") && header.text === text;
  return same && former.editsInLink(header.edits) === edits;
}"""


class Exploring(Tab):
    """Tab Explore."""

    def open(self, **parameters: Any) -> Exploring:
        """Opens the tab, and waits until its pass is painted."""
        view = {"tab": "explore", **parameters}
        taken = self.takes_up(view)
        self.visit(**view)
        if taken:
            self.wait(TAKEN, [str(parameters.get(name, "")) for name in ("model", "text", "edits")])
        self.settled()
        return self

    def takes_up(self, parameters: dict[str, Any]) -> bool:
        """Like that of every tab, except that only a new page shows an example for a link without a text."""
        return "text" in parameters and super().takes_up(parameters)

    def settled(self) -> None:
        """Waits until the chosen head's exact numbers have arrived, and every part shows the newest answer."""
        self.wait(
            """() => {
              const store = window.former?.store;
              if (!store?.pass || !store.exact) return false;
              const { layer, head, view } = store.view;
              if (store.exact.layer !== layer || store.exact.head !== head) return false;
              const parts = ["overview", "statistics", "token-strip", view === "map" ? "head-map" : "lines"];
              return parts.every((name) => {
                const part = document.querySelector(`.former-${name}[data-rev]`);
                return Number(part?.dataset.rev) === store.rev;
              });
            }"""
        )
        self.painted()

    def unfold(self, panel: str) -> Locator:
        """Scrolls to a panel, whose fold it opens; returns the panel."""
        part = self.part(panel)
        line = self.page.locator(".explore-fold", has=part).locator(".fold")
        if line.get_attribute("aria-expanded") == "false":
            line.press("Enter")  # parts above that are still being drawn may move it away from a pointer
        part.scroll_into_view_if_needed()
        return part

    def type(self, text: str) -> None:
        """Types a text, and waits until it is on the screen."""
        self.page.get_by_role("textbox", name="Text", exact=True).fill(text)
        self.wait("(text) => former.store.pass.header.text === text", text)
        self.settled()

    def choose_model(self, name: str) -> None:
        """Chooses a model, and waits until it is on the screen."""
        self.page.locator(".former-model select").select_option(name)
        self.wait("(name) => former.store.pass.header.model === name", name)
        self.settled()

    def cell(self, layer: int, head: int) -> Locator:
        """Returns a head's cell in the overview."""
        return self.page.get_by_role("gridcell", name=re.compile(rf"^Layer {layer}, head {head}:"))

    def set(self, group: str, choice: str) -> None:
        """Sets one of the switches above the panels."""
        self.page.get_by_role("group", name=group, exact=True).get_by_role("radio", name=choice).check()
        self.settled()

    @property
    def map(self) -> Locator:
        """Returns the canvas of the head map."""
        return self.page.get_by_role("application", name=re.compile("^Map of"))

    def point(self, x: float, y: float) -> dict[str, str]:
        """Points at the head map, x and y from 0 to 1; returns query, key, weight and score."""
        self.map.scroll_into_view_if_needed()
        box = self.map.bounding_box()
        assert box, "there is no map"
        self.page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        self.painted()
        return self.page.locator(".former-head-map .readout").evaluate("node => ({ ...node.dataset })")

    def statistic(self, name: str) -> str:
        return self.page.locator(f".former-statistics [data-statistic={name}] > span").last.inner_text()

    def tokens(self) -> list[str]:
        """Returns the labels in the token strip."""
        return self.page.locator(".former-token-strip .tokens .token").all_text_contents()

    def token(self, i: int) -> Locator:
        return self.page.locator(f".former-token-strip .token[data-token='{i}']")

    def lesson(self) -> str:
        """Returns the tab's sentence."""
        return self.page.locator(".former-lesson[data-tab=explore] .sentence").inner_text()

    def strip(self) -> str:
        """Returns the sentence under the token strip."""
        return self.page.locator(".former-token-strip .readout").inner_text()

    def edited(self, act: Callable[[], Any]) -> None:
        """Edits heads, and waits until the answer is on the screen."""
        before = self.page.evaluate("former.store.rev")
        act()
        self.wait("(before) => former.store.rev > before", before)
        self.settled()


def presented(page: Page) -> str | None:
    """Returns the name of the panel that fills the window, or None."""
    return page.evaluate(
        """() => {
          const seen = [...document.querySelectorAll('.former .panel')]
            .filter((panel) => getComputedStyle(panel).visibility === 'visible' && panel.offsetWidth);
          if (!document.body.classList.contains('presenting')) return null;
          return seen.map((panel) => panel.dataset.panel).join('+');
        }"""
    )


def presents(page: Page, name: str) -> None:
    """Waits until exactly this panel fills the window."""
    with suppress(TimeoutError):  # then this says which panel does
        page.wait_for_function("(name) => window.former?.presenter?.panel === name", arg=name)
    assert (page.evaluate("former.presenter?.panel"), presented(page)) == (name, name)


def stands_still(locator: Locator) -> None:
    """Waits until an element has not moved for half a second."""
    locator.evaluate(STILL)


def tab_to(page: Page, arrived: str) -> None:
    """Presses Tab until a JavaScript condition on the focused element, `at`, holds."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(f"(() => {{ const at = document.activeElement; return {arrived}; }})()"):
            return
    raise AssertionError(f"Tab does not come to where {arrived}")
