"""Messages: each is valid, each that is used exists, and numbers are formatted for readers."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from former import masks
from former.runs.kinds import KINDS
from viz.text import LANGUAGES, Refusal, en, first_known, in_words, message, note, zh
from viz.text.form import Placeholder, fill, parse

ROOT = Path(__file__).resolve().parents[3]
TEXT = ROOT / "viz" / "text"
CALLS = {
    "*.js": re.compile(r"""\b(?:say|unanswered)\(\s*["'](\w+)["']|complain\(\s*["'](\w+)["']"""),
    "*.py": re.compile(
        r"""(?:\b(?:message|note|Refusal|NothingToShow|Busy|Taken)|notice\(\s*"\w+", note)\(\s*"(\w+)\""""
    ),
}


def placeholders(parts) -> set[str]:
    """Returns the placeholder names in a message, including those inside its select and plural arms."""
    values = [part for part in parts if isinstance(part, Placeholder)]
    return {each.name for each in values}.union(*(placeholders(arm) for each in values for arm in each.arms.values()))


LATIN = re.compile(r"[A-Za-z][A-Za-z0-9’'-]*")
SPARED = re.compile(
    r"“[ -~·…]*”"  # a word that a model reads or writes
    r"|[（，][A-Za-z][A-Za-z ,-]*[，：）]"  # the English term, where the Chinese one first appears
)
STAY = {  # Latin words that Chinese readers write so
    *(
        "Former",
        "BERT",
        "GPT-2",
        "Transformer",
        "Transformer-XL",
        "PyTorch",
        "Python",
        "WordPiece",
        "enwik8",
        "numpy",
        "API",
        "Hugging",
        "Face",
    ),
    *("gpt", "gpt2", "gpt2-xl", "generator", "bert-reviews", "torch", "former"),  # models and packages
    *(
        "softmax",
        "logit",
        "exp",
        "sin",
        "cos",
        "log",
        "ln",
        "max",
        "rollout",
        "top-k",
        "top-p",
        "min-p",
        "GELU",
        "ReLU",
        "BPE",
    ),
    *("CLS", "SEP", "MASK", "UNK", "unk", "xE2"),  # tokens
    *("LayerNorm", "RMSNorm", "SwiGLU", "RoPE", "silu", "up", "Gx", "Ux", "Llama"),
    *(
        "unifyheads",
        "save",
        "zero",
        "grad",
        "float32",
        "out",
        "hk",
        "Px",
        "bmm",
        "SelfAttention",
    ),  # of the code and of equations
    *("CSV", "HTML", "NPZ", "PNG", "SVG", "kB", "MB", "GB", "TB", "PB", "EB", "ms"),
    *("Alt", "Ctrl", "Enter", "Esc", "Home", "End", "Shift", "Mac"),
    *("Peter", "Bloem", "Glorot", "Radford"),
    *("mary", "susan", "gave", "the", "cat", "walks", "on", "street", "pots", "stop", "dolphins", "dhilnops"),  # read
}


def modules(language: str) -> dict[str, dict[str, str]]:
    """Returns the messages of each file of a language, by its path."""
    folder = TEXT / language
    files = [path.relative_to(folder) for path in folder.rglob("*.py") if path.stem != "__init__"]
    names = {path.as_posix(): ".".join(path.with_suffix("").parts) for path in files}
    return {path: import_module(f"viz.text.{language}.{name}").MESSAGES for path, name in names.items()}


def choices(parts) -> dict[str, set[str]]:
    """Returns the values of each select in a message, by the select's name, nested ones included."""
    results: dict[str, set[str]] = {}
    for each in (part for part in parts if isinstance(part, Placeholder)):
        if each.kind == "select":
            results.setdefault(each.name, set()).update(each.arms)
        for arm in each.arms.values():
            for name, values in choices(arm).items():
                results.setdefault(name, set()).update(values)
    return results


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_can_be_read_and_has_the_places_and_choices_that_it_has_in_english(language):
    assert LANGUAGES[language].keys() == en.MESSAGES.keys()
    for key, said in LANGUAGES[language].items():
        theirs, ours = parse(said), parse(en.MESSAGES[key])
        assert placeholders(theirs) == placeholders(ours), key
        assert choices(theirs) == choices(ours), key


def test_a_language_that_is_begun_is_offered_and_says_the_rest_in_english(tmp_path):
    shutil.copytree(TEXT, tmp_path / "viz" / "text")
    for file in ("__init__.py", "style.py"):
        shutil.copy(ROOT / "viz" / file, tmp_path / "viz")
    begun = tmp_path / "viz" / "text" / "qx"
    begun.mkdir()
    shutil.copy(TEXT / "en" / "__init__.py", begun)
    (begun / "page.py").write_text('MESSAGES = {"language_name": "Ours"}', encoding="utf-8")
    said = "from viz.text import message; print(message('language_name', 'qx'), message('tab_mask', 'qx'))"
    done = subprocess.run([sys.executable, "-c", said], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["Ours", message("tab_mask")]


def test_every_file_of_a_language_has_the_keys_of_its_english_one():
    english, chinese = modules("en"), modules("zh")
    assert chinese.keys() == english.keys()
    for path, messages in chinese.items():
        assert messages.keys() == english[path].keys(), path


def wordings(parts) -> Iterator[str]:
    """Returns the texts of a message, those inside its arms included."""
    for part in parts:
        if isinstance(part, str):
            yield part
        elif part:
            for arm in part.arms.values():
                yield from wordings(arm)


def test_what_is_not_chinese_in_a_chinese_message_is_a_name_or_a_sign():
    foreign = {
        (key, word)
        for key, said in zh.MESSAGES.items()
        if key != "learn_key_value_sample"  # a text for a model
        for text in wordings(parse(said))
        for word in LATIN.findall(SPARED.sub("", text))
        if len(word) > 1 and word not in STAY
    }
    assert foreign == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_message_stands_in_two_files(language):
    counts = Counter(key for messages in modules(language).values() for key in messages)
    assert [key for key, count in counts.items() if count > 1] == []
    assert counts


@pytest.mark.parametrize("pattern", CALLS)
def test_every_message_that_is_asked_for_by_name_is_there(pattern):
    requests = {
        name
        for path in (ROOT / "viz").rglob(pattern)
        for key in CALLS[pattern].findall(path.read_text(encoding="utf-8"))
        for name in ([key] if isinstance(key, str) else key)
        if name
    }
    assert len(requests) > 20
    assert requests - en.MESSAGES.keys() == set()


def test_every_message_is_asked_for():
    """A key appears in the code as a whole string, or its beginning as the start of a template string."""
    files = [
        *(ROOT / "former").rglob("*.py"),
        *(ROOT / "viz").rglob("*.py"),
        *(ROOT / "viz").rglob("*.js"),
    ]
    source = "\n".join(path.read_text(encoding="utf-8") for path in files if TEXT not in path.parents)
    whole = set(re.findall(r"""["'`](\w+)["'`]|\b(\w+):""", source))
    names = {name for pair in whole for name in pair}
    begun = set(re.findall(r"([a-z]\w*_)\$?\{", source)) - {"learn_"} | {"equation_"}
    titles = [key for key in en.MESSAGES if re.fullmatch("learn_.*_title", key)]
    sections = sorted((key.removesuffix("title") for key in titles), key=len, reverse=True)

    def asked(key: str) -> bool:
        stem = re.sub("_(hint|label|means)$", "", key)
        return bool({key, stem} & names) or any(key.startswith(beginning) for beginning in begun)

    def asked_by_section(key: str) -> bool:
        section = next((section for section in sections if key.startswith(section)), None)
        name = key.removeprefix(section or "")
        return bool(section) and (asked(name) or name.split("_")[0] in names)  # of a choice: the field, then the value

    assert [key for key in en.MESSAGES if not asked(key) and not asked_by_section(key)] == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_there_are_words_for_the_effect_of_a_head_in_every_kind_of_model(kind):
    keys = {f"effect_on_{kind.effect_on}", f"effects_on_{kind.effect_on}", f"effects_on_{kind.effect_on}_better"}
    assert keys <= en.MESSAGES.keys()


def say(pattern: str, **values) -> str:
    return fill(parse(pattern), values)


def test_numbers_plurals_and_choices_are_filled_in():
    assert say("{a} of {b, number}", a="x", b=12345) == "x of 12,345"
    words = "{n, plural, one {# word} other {# words}} {where, select, last {at the end of {text}} other {here}}."
    assert say(words, n=1, where="last", text="{n}") == "1 word at the end of {n}."
    assert say(words, n=2000, where="elsewhere") == "2,000 words here."
    assert say("no # here") == "no # here"


def test_a_value_may_be_a_message_itself():
    words = message("bad_number", name=note("write_seed"), low=0, high=9, given="x")
    assert words == "Seed must be a number from 0 to 9, not x."


@pytest.mark.parametrize(
    "pattern", ["{", "{a", "}", "a } b", "{a, plural, one {x}}", "{a, number {x}}", "{a, odd}", "{}"]
)
def test_a_message_that_is_not_closed_or_not_known_is_refused(pattern):
    with pytest.raises(ValueError, match="a message"):
        parse(pattern)


def test_a_refusal_says_itself_and_is_a_key_with_values_on_its_way_to_the_page():
    refusal = Refusal("long_text", given=5000, limit=4000)
    words = "This text has 5,000 characters; the limit is 4,000. Please shorten it."
    assert str(refusal) == in_words(refusal.note) == words
    assert refusal.note == {"key": "long_text", "values": {"given": 5000, "limit": 4000}}


@pytest.mark.parametrize(
    ("wanted", "language"),
    [(["zh-CN", "en"], "zh"), (["qx", " ZH "], "zh"), (["en-GB", "zh"], "en"), (["qx"], "en"), ([], "en")],
)
def test_the_first_language_there_is_is_taken(wanted, language):
    assert first_known(wanted) == language


@pytest.mark.parametrize("kind", masks.MASKS)
def test_every_kind_of_mask_has_its_words(kind):
    names = [f"mask_{kind}", f"mask_{kind}_hint", f"mask_full_{kind}"]
    assert {*names, *([f"mask_size_{kind}"] if masks.MASKS[kind].size else [])} <= en.MESSAGES.keys()
