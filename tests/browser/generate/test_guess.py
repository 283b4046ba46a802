"""Guess the next token: ten rounds against the model, alone and in a room."""

import pytest
from playwright.sync_api import Locator, expect

import former
from tests.browser.pages import Writing
from viz.tabs.generate.guess import OPTIONS, ROUNDS, guess_tokens
from viz.text.examples import GAMES

pytestmark = [pytest.mark.browser, pytest.mark.own_page]
TAB = Writing


def at_round(tab: Writing, setting: int) -> Locator:
    """Returns the panel, once it shows a round being guessed (2i − 1) or its answer (2i)."""
    panel = tab.part("guess")
    tab.page.locator(f".former-guess[data-round='{setting}']").wait_for()
    return panel


def guess(panel: Locator, option: int, confidence: int) -> None:
    panel.get_by_role("radio").nth(option).check()
    panel.get_by_role("slider", name="Confidence").fill(f"{confidence}")
    panel.get_by_role("button", name="Guess", exact=True).click()


def bits(panel: Locator) -> list[list[float]]:
    """Returns the bits of the player and of the model: of each round, and their sums."""
    rows = panel.locator(".guess-scores :is(tbody, tfoot) tr").all()
    return [[float(cell) for cell in row.locator("td").all_inner_texts()[1:]] for row in rows]


def test_alone_ten_rounds_are_played_in_bits_and_a_link_has_the_round_but_not_the_guesses(tab, guard):
    guard.allow("status of 422")  # of the text that is too short
    tab.open(model="tiny-generator")
    tab.press("Play")
    for i in range(ROUNDS):
        panel = at_round(tab, 2 * i + 1)
        expect(panel.get_by_role("status")).to_have_text(f"Round {i + 1} of {ROUNDS}: what comes next?")
        guess(panel, i % OPTIONS, 60)
        at_round(tab, 2 * i + 2)
        expect(panel.locator("tr.right")).to_have_count(1)
        if i < ROUNDS - 1:
            tab.press("Next round")
    panel = at_round(tab, 2 * ROUNDS)
    *rounds, sums = bits(panel)
    expected = guess_tokens(former.load("tiny-generator"), GAMES[0], [[1 / OPTIONS] * OPTIONS] * ROUNDS)
    # one digit is shown, of numbers that the server computes by a faster twin
    assert [model for _, model in rounds] == pytest.approx(expected["model"].tolist(), abs=0.06)
    assert sums == pytest.approx([sum(column) for column in zip(*rounds, strict=True)], abs=0.06 * ROUNDS)
    winner = "You win" if sums[0] < sums[1] else "The model wins"
    expect(panel.get_by_role("status")).to_contain_text(f"After {ROUNDS} rounds")
    if abs(sums[0] - sums[1]) > 0.1:
        expect(panel.get_by_role("status")).to_contain_text(winner)
    expect(panel.locator(".guess-text")).to_have_text(GAMES[0])
    assert tab.link()["round"] == f"{2 * ROUNDS}"
    tab.press("New game")
    panel = at_round(tab, 1)
    panel.get_by_role("combobox", name="Text of the game").select_option("Your own text")
    panel.get_by_role("textbox", name="Your own text").fill("Too short")
    panel.get_by_role("button", name="Play").click()
    expect(panel.get_by_role("status")).to_contain_text("at least 15 tokens; this one has 9")


def test_in_a_room_all_guess_the_same_and_the_leader_sees_how_many_chose_what_and_then_shows_it(tab, browser):
    tab.open(model="tiny-generator", room="game", lead=1)
    visitors = [browser.new_context() for _ in range(2)]
    students = [Writing(visitor.new_page(), tab.origin) for visitor in visitors]
    for student in students:
        student.goto(tab="generate", room="game")
    tab.press("Play")
    for student in students:
        guess(at_round(student, 1), 2, 90)
        expect(student.part("guess")).to_contain_text("Your guess is in")
        expect(student.page.locator(".room-bar")).to_contain_text("You follow")
    panel = at_round(tab, 1)
    expect(panel.get_by_role("radio")).to_have_count(0)
    numbers = panel.locator(".guess-shares tbody td")
    expect(numbers).to_have_text(["0", "0", "2", *["0"] * (OPTIONS - 3)])
    tab.press("Show the answer")
    at_round(tab, 2)
    expect(panel.locator(".guess-scores thead th").nth(2)).to_have_text("Class")
    votes = [1 / 11, 1 / 11, 3 / 11, *[1 / 11] * 6]
    alone = [0.0125, 0.0125, 0.9, *[0.0125] * 6]
    for page, belief in ((tab, votes), *((student, alone) for student in students)):
        expected = guess_tokens(former.load("tiny-generator"), GAMES[0], [belief])
        [[own, model], sums] = bits(at_round(page, 2))
        assert [own, model] == sums == pytest.approx(expected["totals"].tolist(), abs=0.06)
    expect(students[0].part("guess").get_by_role("button", name="Next round")).to_have_count(0)
    tab.page.get_by_role("button", name="2 followers · 2 answers").click()
    record = tab.page.locator(".room-record [data-question]")
    expect(record.get_by_role("button")).to_have_text("Guess the next token, round 1")
    expect(record.locator(".votes")).to_have_text(["0", "0", "2", *["0"] * (OPTIONS - 3)])
    for page in (tab, students[0]):  # loaded again, a page still has the guesses and the record's words
        before = bits(at_round(page, 2))
        page.page.reload()
        assert bits(at_round(page, 2)) == before
    tab.page.get_by_role("button", name="2 followers · 2 answers").click()
    expect(record.locator("li")).to_have_count(OPTIONS)
    for visitor in visitors:
        visitor.close()


def test_a_guess_without_a_connection_counts_once_it_is_back(tab, browser):
    tab.open(model="tiny-generator", room="offline", lead=1)
    visitor = browser.new_context()
    student = Writing(visitor.new_page(), tab.origin)
    student.goto(tab="generate", room="offline")
    tab.press("Play")
    at_round(student, 1)
    visitor.set_offline(True)
    guess(at_round(student, 1), 2, 90)
    expect(student.page.locator(".room-bar")).to_contain_text("The server does not answer")
    visitor.set_offline(False)
    expect(at_round(tab, 1).locator(".guess-shares tbody td").nth(2)).to_have_text("1")
    visitor.close()


def test_a_leader_without_a_connection_keeps_the_round_on_the_screen_and_goes_on_when_it_is_back(tab, guard):
    guard.allow("ERR_INTERNET_DISCONNECTED")
    tab.open(model="tiny-generator", room="kept", lead=1)
    tab.press("Play")
    panel = at_round(tab, 1)
    text = panel.locator(".guess-text").inner_text()
    tab.page.context.set_offline(True)
    tab.press("Show the answer")
    expect(panel.get_by_role("status")).to_contain_text("You still see the last answer")
    assert panel.locator(".guess-text").inner_text() == text
    assert panel.locator(".guess-round").evaluate("round => round.inert"), "the answer could be passed over"
    tab.page.context.set_offline(False)
    at_round(tab, 2)
    expect(panel.get_by_role("status")).to_contain_text("for the class")


def test_a_double_click_goes_one_step(tab):
    tab.open(model="tiny-generator", room="double", lead=1)
    tab.press("Play")
    at_round(tab, 1)
    for name, round_ in (("Show the answer", 2), ("Next round", 3)):
        tab.button(name).dblclick()
        tab.page.wait_for_timeout(500)
        at_round(tab, round_)
