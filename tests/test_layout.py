"""Files and folders stay small: today's exceptions are listed, and may only shrink."""

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINES = 300  # of a file
FILES = 15  # directly in one folder
LONG = {  # to the next twenty lines
    "former/analysis/scan.py": 320,
    "former/attention.py": 340,
    "former/generate.py": 360,
    "former/hooks.py": 340,
}
FULL = {
    "former": 24,
    "viz/browser": 17,
    "viz/browser/lib": 28,
    "viz/tabs/mask": 17,
    "viz/tabs/permute": 21,
}
WORDS = "viz/text/"  # has a file for each tab and section, whose folders are counted
SOURCES = [
    path
    for folder in ("former", "viz")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".js", ".css") and "__pycache__" not in path.parts
]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_no_file_is_longer_than_it_may_be_and_what_became_short_is_no_exception():
    lines = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    longer = {file: n for file, n in lines.items() if n > LONG.get(file, LINES)}
    assert not longer, f"split these files, or shorten them: a file has at most {LINES} lines"
    assert not [file for file in LONG if lines.get(file, 0) <= LINES], "take these out of LONG: they are short now"


def test_no_folder_is_fuller_than_it_may_be_and_what_became_small_is_no_exception():
    files = Counter(name(path.parent) for path in SOURCES if not name(path).startswith(WORDS))
    fuller = {folder: n for folder, n in files.items() if n > FULL.get(folder, FILES)}
    assert not fuller, f"move what belongs together into a folder of its own: a folder has at most {FILES} files"
    assert not [folder for folder in FULL if files[folder] <= FILES], "take these out of FULL: they are small now"
