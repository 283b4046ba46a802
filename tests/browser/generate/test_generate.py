"""Tab Generate: live text, its distribution, its branches."""

import contextlib
import json
import re
import socket
import struct
from collections.abc import Iterator
from functools import partial

import pytest
from playwright.sync_api import expect

import former
from tests.browser.pages import REFUSED, Writing, agrees, check_shares, tab_to
from tests.browser.reference import Reference, rule
from tests.ranked import check_largest, clear_largest
from viz.tabs.generate import branches
from viz.tabs.generate.routes import STREAMS
from viz.text import message, note

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Writing
MODEL = partial(Reference, "generator")

PROMPT = "The capital of France is"


def test_start_writes_to_the_length_what_the_weights_give_for_the_seed(tab, model):
    rules = {"temperature": 0.7, "top_k": 20, "top_p": 0.9, "seed": 5}
    tab.open(text=PROMPT, length=12, pace=30, **rules)
    tab.press("Start")
    tab.wait("() => former.writing.cursor.depth === 12")
    tab.rested()
    expected = model.write(model.ids(PROMPT), 12, **rules)
    assert tab.written() == expected
    assert "".join(tab.shown()[len(PROMPT) :]).isprintable()
    assert len(tab.shown()) == len(PROMPT) + 12


def test_a_prompt_that_is_typed_has_none_of_the_tokens_of_the_one_before(tab):
    tab.open(text=PROMPT, length=5, pace=30)
    tab.press("Start")
    tab.wait("() => former.writing.cursor.depth === 5")
    tab.rested()
    tab.page.evaluate("former.writing.set({ text: 'Another' })")
    assert tab.page.evaluate("[former.writing.tokens(), former.second.tokens]") == [[], []]
    tab.page.evaluate("former.writing.run()")  # before the new prompt is asked for
    tab.wait("() => former.writing.cursor.depth === 5")
    tab.rested()
    assert "".join(tab.shown()).startswith("Another")
    assert len(tab.written()) == 5


@contextlib.contextmanager
def greedy(port: int) -> Iterator[int]:
    """Opens as many streams from this address as the server allows, and keeps them open until the end."""
    body = json.dumps({"model": "tiny-generator", "text": "All of it", "length": 1000, "pace": 0.5})
    with contextlib.ExitStack() as lines:
        value = 0
        while value < STREAMS:
            line = lines.enter_context(socket.create_connection(("127.0.0.1", port)))
            line.sendall(f"POST /write HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            if line.recv(12) == b"HTTP/1.1 503":
                break
            value += 1
        yield value


@pytest.mark.own_page
def test_a_refusal_that_ends_the_stream_is_shown(tab):
    tab.open(model="tiny-generator", text=PROMPT)
    header = json.dumps({"error": note("not_numbers")}).encode()
    tab.page.route("**/write", lambda route: route.fulfill(body=struct.pack("<II", len(header), 0) + header))
    tab.press("Start")
    expect(tab.page.get_by_text(message("not_numbers"))).to_be_visible()


@pytest.mark.own_page
def test_who_takes_all_places_is_told_so_after_asking_again_and_another_visitor_is_served(tab, guard, new_context):
    guard.allow("status of 503")
    short = {"model": "tiny-generator", "text": PROMPT, "length": 3, "pace": 30}
    tab.open(**short)
    tab.page.evaluate("former.PAUSE.first = former.PAUSE.most = 300")  # ms until it asks again, instead of about 10 s
    answers: list[int] = []
    tab.page.on("response", lambda answer: answers.append(answer.status) if answer.url.endswith("/write") else None)
    with greedy(int(tab.origin.rpartition(":")[2])) as held:
        assert held == STREAMS // 2
        tab.press("Start")
        element = tab.page.get_by_text("Too many people are writing with the models just now.")
        expect(element).to_be_visible()
        assert answers == [503] * 4
        context = new_context(extra_http_headers={"X-Forwarded-For": "203.0.113.9"})  # another address
        guard.watch(context)
        refused: list[str] = []
        context.on("response", lambda answer: refused.append(answer.url) if answer.status >= 400 else None)
        honest = Writing(context.new_page(), tab.origin).open(**short)
        honest.press("Start")
        honest.wait("() => former.writing.cursor.depth === 3")
        assert not refused
    tab.press("Start")
    tab.wait("() => former.writing.cursor.depth === 3")
    expect(element).to_be_hidden()


def test_at_temperature_0_each_token_is_the_likeliest_of_the_model(tab, model):
    tab.open(text=PROMPT, temperature=0, length=5, pace=30)
    tab.press("Start")
    tab.wait("() => former.writing.cursor.depth === 5")
    tab.rested()
    ids = model.ids(PROMPT)
    for token in tab.written():
        check_largest(token, model.run(ids).out[-1], 1e-3)  # of logits some tens apart, float32 in the app
        ids.append(token)


def test_the_bars_show_the_models_distribution_and_what_the_rules_leave_of_it(tab, model):
    tab.open(text=PROMPT, temperature=0.8, top_k=7)
    logits = model.run(model.ids(PROMPT)).out[-1]
    probs, kept = logits.softmax(-1), rule(logits, 0.8, 7)
    rows = tab.candidates()
    assert len(rows) >= 10
    labels = {32: "␣", 10: "⏎", 9: "⇥"}
    tokens = {labels.get(i, chr(i) if 32 < i < 127 else f"x{i:02X}"): i for i in range(256)}
    check_shares([(label, own) for label, own, _ in rows[:10]], {label: float(probs[i]) for label, i in tokens.items()})
    for label, _, after in rows[:10]:
        token = tokens[label]
        assert after == "top-k" if kept[token] == 0 else agrees(after, float(kept[token]))
    width = tab.page.locator(".former-next-token .candidate i.model").first.evaluate("bar => bar.style.width")
    assert float(width.removesuffix("%")) / 100 == pytest.approx(float(probs.max()), abs=1e-4)


@pytest.mark.parametrize("of", ["head", "mean"])
def test_the_attention_painted_on_the_text_is_that_of_the_outlined_token(tab, model, of):
    tab.open(text=PROMPT, layer=1, head=2, of=of, scale="row", written="32.80")
    weights = model.run([*model.ids(PROMPT), 32, 80]).weights[1]
    row = (weights[2] if of == "head" else weights.mean(0))[-1]
    sentence = tab.page.locator(".former-written-text .sentence").inner_text()
    values = [(int(at), text) for at, text in re.findall(r"at (\d+) \(([^)]*)\)", sentence)]
    most = clear_largest(row, 1.1e-3)  # 8 bits for each root, of weights below 0.07
    assert values[0][0] == most
    for at, text in values:
        actual = float(re.sub(r"[^\d.]", "", text)) / 100
        assert actual == pytest.approx(float(row[at]), abs=0.01)  # 8 bits for √weight, then rounded to be read
    inks = tab.page.locator(".former-written-text .tokens [data-at]").evaluate_all(
        "spans => spans.map((span) => getComputedStyle(span).backgroundColor)"
    )
    light = [sum(map(int, re.findall(r"\d+", ink)[:3])) for ink in inks]
    assert light.index(min(light)) == most
    assert light.index(max(light)) != most


def test_a_pause_holds_the_text_and_going_on_gives_the_same_as_without_it(tab, model):
    tab.open(text=PROMPT, length=30, pace=6, seed=9, temperature=0.9)
    tab.press("Start")
    tab.wait("() => former.writing.cursor.depth >= 2")
    tab.press("Pause")
    tab.rested()
    value = tab.written()
    tab.page.wait_for_timeout(600)
    assert tab.written() == value
    assert 2 <= len(value) < 30
    tab.press("Resume")
    tab.wait("() => former.writing.cursor.depth === 30")
    tab.rested()
    assert tab.written() == model.write(model.ids(PROMPT), 30, 0.9, 0, 1.0, 9)


def test_a_step_writes_one_token_and_back_takes_it_back(tab):
    tab.open(text=PROMPT)
    drawn = tab.page.locator(".former-next-token .candidate.drawn .label").inner_text()
    tab.press("Step")
    tab.wait("() => former.writing.cursor.depth === 1")
    tab.rested()
    assert tab.shown()[len(PROMPT)] == drawn.replace("␣", " ")
    tab.press("← Back")
    tab.wait("() => former.writing.cursor.depth === 0")
    tab.rested()
    assert tab.written() == []
    assert tab.here() == len(PROMPT) - 1
    expect(tab.button("← Back")).to_be_disabled()


def test_another_candidate_after_going_back_begins_a_branch_and_the_first_can_be_returned_to(tab):
    tab.open(text=PROMPT, length=3, pace=30, temperature=1)
    tab.press("Start")
    tab.wait("() => former.writing.cursor.depth === 3")
    tab.rested()
    first = tab.written()
    for _ in range(2):
        tab.press("← Back")
    tab.rested()
    other = tab.page.locator(".former-next-token .candidate:not(.taken)").first
    label = other.locator(".label").inner_text()
    other.click()
    tab.wait("() => former.writing.cursor.depth === 2")
    tab.rested()
    assert tab.shown()[len(PROMPT) + 1] == label.replace("␣", " ")
    assert len(tab.written()) == 2
    assert tab.written()[0] == first[0]
    assert tab.written()[1] != first[1]
    branches = tab.page.locator(".former-trail .branch")
    expect(branches).to_have_count(2)
    branches.first.click()
    tab.rested()
    assert tab.written() == first


def test_a_branch_goes_to_the_end_of_the_text_that_is_there_now(tab):
    tab.open(text=PROMPT)
    tab.page.evaluate("former.writing.set({ text: 'Another' })")
    tab.rested()
    tab.page.locator(".former-trail .branch").first.click()
    tab.rested()
    assert tab.page.evaluate("former.writing.cursor === former.writing.branches.root")


def test_a_token_that_is_pointed_at_is_described_by_the_rules_that_drew_it(tab):
    tab.open(text=PROMPT, length=3, pace=30, temperature=0.8)
    tab.press("Start")
    tab.wait("() => former.writing.cursor.depth === 3")
    tab.rested()
    rules = tab.page.locator(".former-next-token .order")
    expect(rules).to_contain_text("0.80")
    tab.page.evaluate("former.writing.set({ temperature: 1.5 })")
    tab.rested()
    expect(rules).to_contain_text("1.50")
    tab.page.evaluate("former.writing.point(former.writing.branches.path(former.writing.cursor)[0])")
    expect(rules).to_contain_text("0.80")


def test_escape_in_the_written_text_makes_its_panel_small_again(tab):
    tab.open(text=PROMPT)
    part = tab.part("written-text")
    part.locator(".panel-maximise").click()
    expect(part.locator(".panel.maximised")).to_have_count(1)
    part.locator(".tokens").first.press("Escape")
    expect(part.locator(".panel.maximised")).to_have_count(0)


def test_draws_stand_beside_the_probabilities_beams_in_the_tree_and_the_cache_is_measured(tab):
    tab.open(text=PROMPT, top_k=3, length=300)
    expect(tab.page.locator(".former-written-text .sentence")).to_contain_text(f"{256 - len(PROMPT)} tokens from here")
    tab.press("Draw 100 times")
    tab.page.locator(".former-next-token[data-draws='100']").wait_for()
    times = [int(text.split()[0]) for text in tab.page.locator(".former-next-token .times").all_inner_texts()]
    assert sum(times) == 100
    assert sum(count > 0 for count in times) <= 3
    hints = [
        button.get_attribute("aria-label") or "" for button in tab.page.locator(".former-next-token .candidate").all()
    ]
    assert [f"; drawn {count} times" in hint for count, hint in zip(times, hints, strict=True)] == [True] * len(times)
    tab.press("Beam search")
    expect(tab.page.locator(".former-trail .branch")).to_have_count(4)
    for text in tab.page.locator(".former-trail .from").all_inner_texts()[1:]:
        token, other = re.findall("“([^”]*)”", text)
        assert token != other
    tab.rested()
    bundle = former.load("generator")
    best, *others = former.beam_search(bundle.model, [*PROMPT.encode()], branches.SEARCHED, 4)
    # another beam is as good if only rounding decides between the two
    assert tab.written() in [best.ids, *(beam.ids for beam in others if best.score - beam.score < 1e-4)]
    kept = tab.page.locator(".former-cache[data-rev]")
    expect(kept).to_have_attribute("data-bytes", f"{(len(PROMPT) + branches.SEARCHED) * 2 * 12 * 256 * 4}")
    tab.press("Measure a step")
    expect(kept.locator("[data-time]")).to_have_count(2)


@pytest.mark.own_page
def test_branches_hold_a_bounded_number_of_tokens_and_the_page_says_which_went(tab):
    tab.open(text=PROMPT, length=6, pace=30, temperature=1)
    tab.page.evaluate("former.limits.written = 10")
    tab.press("Start over")
    tab.rested()
    tab.press("Start")
    tab.wait("() => former.writing.cursor.depth === 6")
    tab.rested()
    for _ in range(5):
        tab.press("← Back")
    tab.rested()
    gone = tab.page.locator(".former-trail .panel-foot")
    expect(gone).to_be_empty()
    tab.page.locator(".former-next-token .candidate:not(.taken)").first.click()
    tab.rested()
    tab.press("Resume")
    tab.wait("() => former.writing.cursor.depth === 6")
    tab.rested()
    expect(tab.page.locator(".former-trail .branch")).to_have_count(1)
    expect(gone).to_have_text("All branches together hold at most 10 tokens. The oldest 5 tokens were removed.")
    assert tab.page.evaluate("former.writing.branches.size") == len(tab.written()) == 6


def test_what_is_let_go_is_the_oldest_way_beside_the_path_and_the_rest_keeps_its_place(tab):
    tab.open(text=PROMPT)
    result = tab.page.evaluate("""() => {
      const branches = new former.Branches(6);
      const write = (parent, ...tokens) => tokens.reduce((node, token) => branches.write(node, token), parent);
      write(branches.root, 1, 2, 3);
      write(branches.root.children[0], 4, 5); // leaves it after 1
      const end = write(branches.root, 6, 7); // leaves both at the prompt: the seventh token is one too many
      const ways = branches.list.map((_, i) => branches.path(branches.end(i)).map(({ token }) => token));
      return { size: branches.size, gone: branches.gone, ways, shown: branches.tip(branches.root) === end };
    }""")
    assert result == {"size": 2, "gone": 5, "ways": [[6, 7]], "shown": True}


@pytest.mark.own_page
def test_copy_gives_the_text_and_says_so_where_the_clipboard_is_refused(tab, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.open(text=PROMPT, written="32.80")
    tab.press("Copy")
    element = tab.page.locator(".former-writing-controls .status")
    expect(element).to_have_text("Copied.")
    assert tab.page.evaluate("navigator.clipboard.readText()") == f"{PROMPT} P"
    assert tab.page.evaluate("getSelection().toString()") == ""
    tab.page.evaluate(REFUSED)
    tab.press("Copy")
    expect(element).to_contain_text("does not let this page copy")
    assert tab.page.evaluate("getSelection().toString()") == f"{PROMPT} P"


@pytest.mark.own_page
def test_copy_leaves_out_a_character_that_is_not_complete_and_shows_its_bytes(tab, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.open(text="a", written="226.130")
    tab.press("Copy")
    element = tab.page.locator(".former-writing-controls .status")
    expect(element).to_have_text(f"Copied. {message('write_half', bytes='E2 82')}")
    assert tab.page.evaluate("navigator.clipboard.readText()") == "a"
    tab.open(text="a", written="226.130.172")
    tab.press("Copy")
    expect(element).to_have_text("Copied.")
    assert tab.page.evaluate("navigator.clipboard.readText()") == "a€"


def test_an_empty_prompt_has_nothing_that_comes_next(tab, guard):
    guard.allow("status of 422")
    tab.open(model="generator", text=PROMPT)
    says = expect(tab.page.locator(".former-lesson[data-tab=generate] .sentence"))
    says.to_contain_text(re.compile("(likely|comes) next"))
    tab.page.get_by_role("textbox", name="Prompt").fill("")
    says.to_have_text(message("no_prompt"))
    expect(tab.page.locator(".former-next-token .candidate")).to_have_count(0)
    expect(tab.page.locator(".former-next-token .panel-foot")).to_have_text("")
    tab.page.get_by_role("textbox", name="Prompt").fill(PROMPT)
    says.to_contain_text(re.compile("(likely|comes) next"))
    assert len(tab.candidates()) == 20


def test_stop_ends_the_writing_and_goes_back_to_the_prompt(tab):
    tab.open(text=PROMPT, length=500, pace=10)
    tab.press("Start")
    tab.wait("() => former.writing.cursor.depth >= 2")
    tab.press("Stop")
    tab.rested()
    assert tab.here() == len(PROMPT) - 1
    assert tab.written() == []
    size = tab.page.evaluate("former.writing.branches.size")
    tab.page.wait_for_timeout(500)
    assert tab.page.evaluate("former.writing.branches.size") == size, "it went on writing"


def test_half_a_character_newline_and_space_are_shown_as_what_they_are(tab):
    tab.open(text="a b\né", written="195")
    assert tab.shown() == ["a", " ", "b", "⏎", "é", "‥", "xC3"]
    tab.open(text="a b\né", written="195.169")
    assert tab.shown() == ["a", " ", "b", "⏎", "é", "‥", "é", "‥"]


def test_a_space_is_marked_where_no_gap_between_words_shows_it_and_while_it_is_pointed_at(tab):
    text = "a cat  sat \n on "
    tab.open(text=text)
    marked = """spaces => spaces.filter(space => getComputedStyle(space, "::before").content === '"␣"')
      .map(space => Number(space.closest("[data-at]").dataset.at))"""
    spaces = tab.page.locator(".former-written-text .tokens .space")
    assert spaces.evaluate_all(marked) == [5, 6, 10, 12, 15]
    places = "spaces => spaces.map(space => space.getBoundingClientRect().x)"
    before = spaces.evaluate_all(places)
    tab.page.locator('.former-written-text .tokens [data-at="1"]').hover()
    assert spaces.evaluate_all(marked) == [1, 5, 6, 10, 12, 15]
    assert spaces.evaluate_all(places) == before, "the mark moves the text"
    tab.page.mouse.move(0, 0)


@pytest.mark.parametrize("height", [600, 720, 800, 900])
def test_no_row_of_what_comes_next_is_cut(tab, height):
    tab.open(text=PROMPT)
    size = tab.page.viewport_size
    tab.page.set_viewport_size({"width": size["width"], "height": height})
    tab.painted()
    try:
        cut = tab.page.locator(".former-next-token .panel-body").evaluate("""body => {
          const edge = body.getBoundingClientRect().bottom;
          const rows = [...body.querySelectorAll(".candidate")].map(row => row.getBoundingClientRect());
          return [rows.length, rows.filter(({ top, bottom }) => top < edge - 0.5 && bottom > edge + 0.5).length];
        }""")
    finally:
        tab.page.set_viewport_size(size)
    assert cut[0] > 12
    assert cut[1] == 0


def test_a_link_restores_settings_and_text_and_the_next_token_is_the_same(page, tab):
    requests = {
        "text": "Once upon a time",
        "temperature": "1.25",
        "top_k": "12",
        "top_p": "0.85",
        "seed": "77",
        "length": "6",
        "pace": "30",
        "layer": "2",
        "head": "3",
        "of": "head",
        "scale": "linear",
    }
    tab.open(**requests)
    tab.press("Start")
    tab.wait("() => former.writing.cursor.depth === 6")
    tab.rested()
    link, shown, candidates = page.url, tab.shown(), tab.candidates()
    other = Writing(page.context.new_page(), tab.origin)
    other.page.goto(link)
    other.rested()
    other.wait("() => former.writing.cursor.depth === 6")
    assert {name: other.link()[name] for name in requests} == requests
    assert other.shown() == shown
    assert other.candidates() == candidates
    for name in ("Seed", "Length"):
        assert other.page.get_by_role("spinbutton", name=name).input_value() == requests[name.lower()]


NONSENSE = {"temperature": "hot", "seed": "-4", "top_p": "NaN", "layer": "99", "length": "0", "written": "1.x"}


def test_all_nonsense_in_a_link_is_named_and_the_usual_is_used(tab):
    tab.goto(tab="generate", text=PROMPT, **NONSENSE)
    tab.rested()
    message = tab.page.locator(".former-writing-controls .status")
    for name, value in NONSENSE.items():
        expect(message).to_contain_text(name)
        expect(message).to_contain_text(f"“{value}”")
        assert name not in tab.link()


def test_nonsense_in_a_link_that_an_open_page_takes_up_is_named_until_the_next(tab):
    tab.open(text=PROMPT)
    message = tab.page.locator(".former-writing-controls .status")
    follow = "(view) => former.page.follow(new URLSearchParams({tab: 'generate', ...view}))"
    tab.page.evaluate(follow, {"text": PROMPT, **NONSENSE})
    for value in NONSENSE.values():
        expect(message).to_contain_text(f"“{value}”")
    tab.page.evaluate(follow, {"text": PROMPT, "seed": "4"})
    for value in NONSENSE.values():
        expect(message).not_to_contain_text(f"“{value}”")


def test_the_tokens_of_a_link_are_not_shown_one_by_one(tab):
    tab.open(text=PROMPT, model="tiny-generator")
    tab.page.evaluate(
        """() => { window.shown = 0;
                  former.writing.subscribe(document.querySelector(".former-written-text"),
                    (changed) => { if (changed.has("text")) window.shown++; }); }"""
    )
    tab.page.evaluate(
        "(view) => former.page.follow(new URLSearchParams({ tab: 'generate', ...view }))",
        {"text": PROMPT, "model": "tiny-generator", "written": ".".join(["97"] * 200)},
    )
    tab.wait("() => former.writing.cursor.depth === 200")
    tab.rested()
    assert tab.shown() == [*PROMPT, *["a"] * 200]
    assert 0 < tab.page.evaluate("shown") < 50


@pytest.mark.own_page
def test_generate_works_by_keyboard_alone(tab):
    tab.open(text=PROMPT, length=3, pace=30)
    keyboard = tab.page.keyboard
    tab_to(tab.page, "at.textContent === 'Start'")
    keyboard.press("Enter")
    tab.wait("() => former.writing.cursor.depth === 3")
    tab.rested()
    tab_to(tab.page, "at.classList.contains('tokens')")
    keyboard.press("ArrowLeft")
    tab.wait("() => former.writing.cursor.depth === 2")
    keyboard.press("Home")
    tab.wait("() => former.writing.cursor.depth === 0")
    keyboard.press("ArrowRight")
    tab.wait("() => former.writing.cursor.depth === 1")
    tab.rested()
    tab_to(tab.page, "at.classList.contains('candidate')")
    keyboard.press("ArrowDown")
    keyboard.press("Enter")
    tab.wait("() => former.writing.cursor.depth === 2")
    expect(tab.page.locator(".former-trail .branch")).to_have_count(2)


@pytest.mark.own_page
def test_a_second_model_writes_beside_the_first_from_the_same_prompt_and_seed_and_stands_in_the_link(tab, model, other):
    rules = {"temperature": 0.7, "top_k": 20, "top_p": 0.9, "seed": 5}
    tab.open(model="generator", text=PROMPT, length=12, pace=30, **rules)
    tab.page.locator(".former-writing-controls .second select").select_option("tiny-generator")
    tab.press("Start")
    done = """() => window.former?.writing?.cursor.depth === 12 && former.second.tokens.length === 12
      && !former.writing.runs()"""
    tab.wait(done)
    tab.rested()
    expected = Reference("tiny-generator").write(model.ids(PROMPT), 12, **rules)
    assert tab.written() == model.write(model.ids(PROMPT), 12, **rules)
    assert tab.link()["second_written"] == ".".join(map(str, expected))
    names = tab.page.locator(".former-written-text .column h3").all_inner_texts()
    assert names == [f"{name}: 12 tokens written, 12 bytes" for name in ("generator", "tiny-generator")]

    follower = other()
    follower.page.set_viewport_size({"width": 390, "height": 844})
    follower.page.goto(tab.page.url)
    follower.wait(done)
    follower.rested()
    follower.painted()
    text = "els => els.map((el) => el.textContent)"
    columns = [one.page.locator(".former-written-text .tokens").evaluate_all(text) for one in (tab, follower)]
    assert columns[0] == columns[1]
    boxes = [box.bounding_box() for box in follower.page.locator(".former-written-text .tokens").all()]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"], "on a phone one is below the other"
    assert min(box["height"] for box in boxes if box) > 40
    assert follower.page.evaluate("document.documentElement.scrollWidth") <= 390
    follower.page.locator(".former-writing-controls .model select").select_option("tiny-generator")
    follower.rested()
    assert "second" not in follower.link(), "a model does not stand beside itself"
    tab.press("Stop")
    tab.rested()
    assert "second_written" not in tab.link()


def test_a_text_is_shown_in_tokens_or_in_bytes(tab):
    text = "A naïve café"
    tab.open(model="gpt", text=text)
    tokens = tab.shown()
    assert len(tokens) < len(text)
    tab.page.locator(".former-written-text select").last.select_option("byte")
    tab.painted()
    signs = tab.page.locator(".former-written-text .tokens i").all_text_contents()
    expected = [chr(byte) if 32 < byte < 127 else "␣" if byte == 32 else f"{byte:02X}" for byte in text.encode()]
    assert [sign.strip("\u200b") for sign in signs] == expected
    assert len(tab.shown()) == len(tokens), "its attention is still that of tokens"
    assert tab.link()["units"] == "byte"


def test_a_step_with_the_cache_is_measured_anew_at_each_press(tab):
    tab.open(model="tiny-generator", text="The cat")
    seconds = []
    for _ in range(2):
        with tab.page.expect_response("**/ask/cache/step") as answer:
            tab.press("Measure a step")
        seconds.append(answer.value.json()["seconds"])
    assert seconds[0] != seconds[1]
