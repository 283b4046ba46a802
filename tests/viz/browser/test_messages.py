"""The browser says every message, and writes numbers, as Python does."""

import json

import pytest

from tests.modules import evaluate
from tests.viz.text.test_text import ROOT, placeholders
from viz.text import LANGUAGES, in_words, note
from viz.text.form import parse


@pytest.mark.parametrize("language", LANGUAGES)
def test_python_and_the_browser_say_the_same(language):
    requests = [
        note(key, **{name: note("write_seed") if count is None else count for name in placeholders(parse(text))})
        for key, text in LANGUAGES[language].items()
        for count in (0, 1, 2, 12345, "last", "${1}<b>", "שלום", "🏽", None)
        if isinstance(count, int) or not any(kind in text for kind in (", plural", ", number"))
    ]
    text = evaluate("browser/lib/messages.js", "({ inWords }, asked) => asked.map(inWords)", requests, language)
    assert text == [in_words(each, language) for each in json.loads(json.dumps(requests))]


def test_a_word_in_quotes_keeps_its_direction_to_itself():
    labels = ["cat", "<unk> שלום", "🏽"]
    said = evaluate(
        "browser/lib/messages.js", "({ inQuotes, say }, all) => all.map((one) => say(inQuotes(one)))", labels
    )
    assert said == ["“cat”", "“\u2068<unk> שלום\u2069”", "“\u2068🏽\u2069”"]
    scripts = {path.name for path in (ROOT / "viz").rglob("*.js") if "“${" in path.read_text(encoding="utf-8")}
    assert scripts == {"messages.js"}  # all others call it


def test_a_label_is_cut_between_what_people_see_as_characters():
    labels = ["👩‍👩‍👧👍🏽é", "👩‍👩‍👧👍🏽éx", "e\u0301o\u0302u\u0308", "e\u0301o\u0302u\u0308n"]
    cut = evaluate("browser/lib/base.js", "({ shorten }, labels) => labels.map((label) => shorten(label, 3))", labels)
    assert cut == [labels[0], "👩‍👩‍👧👍🏽…", labels[2], "e\u0301o\u0302…"]


def test_a_number_is_written_as_a_person_reads_it():
    numbers = [[100, 2], [99.6, 2], [-12345.6, 4], [99.96, 3], [0.00012, 4]]
    write = "({ asNumber }, numbers) => numbers.map((each) => asNumber(...each))"
    power = "1.2\u00a0×\u00a010⁻⁴"  # no line ends within it
    assert evaluate("browser/lib/numbers.js", write, numbers) == ["100", "100", "−12,346", "100", power]


def test_a_share_is_written_in_percent_and_zero_has_no_sign():
    shares = [0.834, 0.0996, 0.0123, 0.0001, 0, -0.0001, -0.05, -1.234]
    write = "({ asShare }, shares) => shares.map(asShare)"
    written = "83 %, 10 %, 1.2 %, < 0.1 %, 0 %, 0 %, −5 %, −123 %"
    no_break = [each.replace(" ", "\u00a0") for each in written.split(", ")]
    assert evaluate("browser/lib/numbers.js", write, shares) == no_break


def test_two_shares_that_are_the_same_in_percent_are_written_as_numbers_that_differ():
    pairs = [[0.834, 0.5], [0.29101, 0.2923], [0.00012, 0.00034], [0.5, 0.5]]
    write = "({ asShares }, pairs) => pairs.map((pair) => asShares(...pair).join(' '))"
    written = ["83% 50%", "0.2910 0.2923", "1.2×10⁻⁴ 3.4×10⁻⁴", "50% 50%"]
    assert [each.replace("\u00a0", "") for each in evaluate("browser/lib/numbers.js", write, pairs)] == written
