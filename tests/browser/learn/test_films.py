"""Section "Why it works": dot products are recomputed, the factorisation is trained again in numpy, and nearest words
are searched again."""

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

import former
from tests.browser.learn.pages import Learning
from tests.browser.pages import says
from tests.ranked import check_order
from viz.tabs.learn.sections.films import FILMS, HELD, LIKES, PEOPLE

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def factorised(likes: str, seed: int, steps: int = 150) -> np.ndarray:
    """Returns the probability of each like, (people, films), with explicit gradients and Adam (Kingma and Ba 2015)."""
    liked = np.array([[float(digit) for digit in row] for row in likes.split(",")])
    observed = np.ones_like(liked)
    observed[HELD] = 0
    generator = torch.Generator().manual_seed(seed)
    both = [torch.randn(count, 2, generator=generator).double().numpy() * 0.3 for count in liked.shape]
    means, squares = ([np.zeros_like(each) for each in both] for _ in range(2))
    for step in range(1, steps + 1):
        people, films = both
        error = observed * (sigmoid(people @ films.T) - liked) / observed.sum()
        gradients = [error @ films + 0.01 * people / people.size, error.T @ people + 0.01 * films / films.size]
        for i, gradient in enumerate(gradients):
            means[i] = 0.9 * means[i] + 0.1 * gradient
            squares[i] = 0.999 * squares[i] + 0.001 * gradient**2
            update = means[i] / (1 - 0.9**step) / (np.sqrt(squares[i] / (1 - 0.999**step)) + 1e-8)
            both[i] = both[i] - 0.05 * update
    return sigmoid(both[0] @ both[1].T)


def test_by_hand_every_dot_product_is_the_sum_of_its_features_products(tab):
    tab.open("films")
    tab.section.locator("input[data-at='0 0']").fill("-0.5")
    tab.settled()
    pairs = [[float(x) for x in pair.split(",")] for pair in tab.view()["features"].split(";")]
    assert pairs[0][0] == -0.5
    expected = [[a * c + b * d for c, d in pairs[3:]] for a, b in pairs[:3]]
    assert np.allclose(tab.data("scores"), expected)
    assert np.allclose(tab.numbers("Dot products"), expected, atol=0.006)
    best = int(np.argmax(expected[0]))
    title = tab.section.locator("table.numbers thead th").nth(best).inner_text()
    assert tab.sentence().startswith(f"{PEOPLE[0]}’s largest dot product is with “{title}”")


def test_likes_train_a_factorisation_that_predicts_the_one_kept_back_and_a_click_trains_it_anew(tab):
    tab.open("films", show="learn", seed=4)
    expected = factorised(LIKES, 4)
    assert np.allclose(tab.data("predicted"), expected, atol=2e-3)
    assert ((expected > 0.5) == np.array([[digit == "1" for digit in row] for row in LIKES.split(",")])).all()
    percent = 100 * expected[HELD]
    assert says(tab.section.locator(".likes .held button").inner_text(), "?{:.0f}\u00a0%", percent)
    text = f"Yes. For {PEOPLE[HELD[0]]} and “{FILMS[HELD[1]]}” it predicts {{:.0f}}\u00a0%."
    assert says(tab.choose("Likes it"), text, percent)

    like, course = tab.section.locator("[data-like='0 0']"), tab.section.get_by_role("slider", name="Training step")
    like.hover()
    tab.page.mouse.down()
    course.dispatch_event("input")  # as while the training plays: every frame says other shares
    tab.page.mouse.up()
    tab.settled()
    changed = "0" + LIKES[1:]
    assert tab.view()["likes"] == changed
    assert np.allclose(tab.data("predicted"), factorised(changed, 4), atol=2e-3)
    expect(like).to_be_focused()

    course.press("Home")
    for _ in range(6):
        course.press("ArrowRight")
    expect(tab.section.locator(".course output")).to_contain_text("step 30")
    assert np.allclose(tab.data("predicted"), factorised(changed, 4, steps=30), atol=2e-3)


def test_near_words_are_those_of_a_plain_search_by_dot_product_and_by_cosine(tab):
    tab.open("films", show="words", word="wonderful")
    bundle = former.load("classifier")
    table = bundle.model.transformer.token_embedding.weight.detach().double().numpy()
    own = bundle.tokenizer.encode("wonderful")[0]
    lengths = np.linalg.norm(table, axis=1)
    dots = table @ table[own]
    for name, values in {"dot": dots, "cosine": dots / lengths / lengths[own]}.items():
        words = bundle.tokenizer.labels(range(len(values)))
        exact = {word: (value, size) for word, value, size in zip(words, values, lengths, strict=True)}
        del exact[words[own]]
        items = tab.section.locator(f"[data-by={name}] li")
        texts = items.locator("span").all_inner_texts()
        results = [text.split(", length ") for text in items.locator("small").all_inner_texts()]
        check_order(
            texts, [float(value) for value, _ in results], {word: each[0] for word, each in exact.items()}, 6e-4
        )
        sizes = [float(size) for _, size in results]
        assert sizes == pytest.approx([exact[word][1] for word in texts], abs=0.006)  # two decimals; three above
        assert len(texts) == 8
    tab.section.get_by_role("textbox").fill("<b>zzzzqqq</b>")
    tab.settled()
    assert tab.section.locator(".in-words b").count() == 2, "what was typed stays text"
