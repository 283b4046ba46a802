"""Reads the corpora from a local file, compressed or not, or from their public home; always checks their hash."""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import os
import re
import tarfile
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

SPLITS = ("train", "val", "test")
ARTICLES = "\n\n\n"  # between two articles of a text; no piece of a word and no passage crosses it
TEXT_SHARES = {"train": (0, 90), "val": (90, 95), "test": (95, 100)}  # percent of the bytes, the usual split of enwik8


@dataclass(frozen=True)
class Source:
    """A file that holds a corpus.

    Args:
        sha256: of the file, after unpacking `.xz`.
        home: its public address, or "".
    """

    sha256: str
    home: str = ""


@dataclass(frozen=True)
class Corpus:
    """A corpus: its entry in model cards, and the files that hold it.

    Args:
        title: one line about it.
        license: the terms of use.
        splits: how it is cut into train, val and test.
        sources: by file name; the first with a public home is downloaded. Empty if the task generates its data.
    """

    title: str
    license: str
    splits: str
    sources: dict[str, Source]

    @property
    def argument(self) -> str:
        """The argument that names the corpus in a command: " --data DATA", or "" for generated data."""
        return " --data DATA" if self.sources else ""

    @property
    def home(self) -> tuple[str, str]:
        """The name of the file with a public home, and its address."""
        return next((name, source.home) for name, source in self.sources.items() if source.home)


CORPORA: dict[str, Corpus] = {
    "wiki100": Corpus(
        title="wiki100: 10^8 bytes of English Wikipedia in article order",
        license="CC BY-SA, Wikipedia contributors",
        splits="first 90 % train, next 5 % validation, last 5 % test",
        sources={
            "wiki100": Source("7a18c2aeccf284369b4ec820fd1951358db4cbb01e7895381a47d8cc323863b6"),
            "enwik8.zip": Source(
                "547994d9980ebed1288380d652999f38a14fe291a6247c157c3d33d4932534bc",
                "https://mattmahoney.net/dc/enwik8.zip",
            ),
        },
    ),
    "imdb": Corpus(
        title="Large Movie Review Dataset (Maas et al. 2011), the 50,000 labelled reviews",
        license="free for research; cite Maas et al. 2011",
        splits="20,000 train and 5,000 validation of the official training reviews, the official 25,000 test",
        sources={
            "imdb.jsonl": Source("b501ef78d3e4ee715a673f3868bb96dcbc633518d4f959a638bf5d81a29d10d6"),
            "aclImdb_v1.tar.gz": Source(
                "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe",
                "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",
            ),
        },
    ),
    "dates": Corpus(
        title="dates from 1900 to 2099 in 3,033 forms, written by former/training/tasks/dates.py",
        license="none is needed: the program writes them",
        splits="90 % of dates train, 5 % validation, 5 % test; 80, 10 and 10 % of forms",
        sources={},
    ),
}
"""By the name that recipes use."""


class Origin(TypedDict):
    """The source of a run's corpus, as stored in its saved states and its card."""

    file: str  # its name, without the folder
    sha256: str  # of the file as it is on disk, compressed or not
    unchecked: bool  # True: not compared with the known corpora


def origin(path: Path, unchecked: bool) -> Origin:
    """Returns the `Origin` of a corpus file for a run's saved states: its name, its hash, and `unchecked`."""
    return {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "unchecked": unchecked}


@dataclass(frozen=True)
class Review:
    """A review: its text, and whether it is positive."""

    text: str
    label: int  # 0 negative, 1 positive


def load_text(path: Path, corpus: str, unchecked: bool = False) -> bytes:
    """Reads all bytes of a text corpus; `split_text` cuts them.

    Args:
        path: a file, plain or compressed by xz, or enwik8's zip.
        corpus: its name in `CORPORA`.
        unchecked: accept any file, not only a known one.
    Raises:
        ValueError: the file is missing, damaged or unknown; the message says what to do.
    """
    data = _read(path, corpus, unchecked)
    try:
        return _unzip(data)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ValueError(f"{path} is damaged ({error}); download it again") from error


def split_text(data: bytes) -> dict[str, tuple[int, int]]:
    """Returns where each split begins and ends: 90 % of the bytes are train, 5 % val and 5 % test."""
    return {name: (len(data) * low // 100, len(data) * high // 100) for name, (low, high) in TEXT_SHARES.items()}


def split_as_text(content: bytes, split: str, most: int | None = None) -> str:
    """Decodes a split of a corpus's bytes, or the split's first `most` bytes; drops incomplete characters at
    both ends."""
    begin, end = split_text(content)[split]
    return content[begin : end if most is None else min(end, begin + most)].decode(errors="ignore")


def load_reviews(path: Path, corpus: str, unchecked: bool = False) -> dict[str, list[Review]]:
    """Reads the reviews of each split.

    Args:
        path: JSON lines with `text`, `label` and possibly `split`, plain or compressed by xz, or the archive of Maas et
            al.
        corpus: its name in `CORPORA`.
        unchecked: accept any file, not only a known one.
    Raises:
        ValueError: the file is missing, damaged or unknown; the message says what to do.
    """
    data = _read(path, corpus, unchecked)
    splits: dict[str, list[Review]] = {name: [] for name in SPLITS}
    try:
        for split, review in _from_archive(data) if path.suffix == ".gz" else _from_lines(data, path):
            splits[split].append(review)
    except (tarfile.TarError, zlib.error, EOFError, OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is damaged ({error}); download it again") from error
    return splits


def download(corpus: str, directory: Path) -> Path:
    """Downloads a corpus into a directory unless it is there; returns its path.

    A corpus that its task generates needs no file: the directory is returned.

    Raises:
        ValueError: the public home cannot be reached; the message says what to do.
    """
    if not CORPORA[corpus].sources:
        return directory
    name, home = CORPORA[corpus].home
    path = directory / name
    if not path.exists():
        directory.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{name}.{os.getpid()}")  # under torchrun each process downloads its own file
        try:
            urllib.request.urlretrieve(home, temporary)
            temporary.replace(path)
        except OSError as error:
            raise ValueError(f"{home} cannot be reached ({error}); give the corpus as a file: --data PATH") from error
        finally:
            temporary.unlink(missing_ok=True)
    return path


def _read(path: Path, corpus: str, unchecked: bool) -> bytes:
    """Returns the file's bytes, unpacked from xz, after checking their hash."""
    if not CORPORA[corpus].sources:
        raise ValueError(f"corpus must be one that is read from a file, got {corpus!r}, which its task generates")
    _, home = CORPORA[corpus].home
    if not path.is_file():
        raise ValueError(
            f"--data must be a file of your own, or hold {corpus}; there is no file at {path}; download {home}"
        )
    try:
        data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    except lzma.LZMAError as error:
        raise ValueError(f"{path} is damaged ({error}); download it again, or {home}") from error
    if not data:
        raise ValueError(f"--data must be a file to learn from, got an empty one, {path}")
    known = {source.sha256 for source in CORPORA[corpus].sources.values()}
    sha256 = hashlib.sha256(data).hexdigest()
    if not unchecked and sha256 not in known:
        raise ValueError(
            f"{path} is not a known copy of {corpus}: its sha256 is {sha256}, expected one of {sorted(known)}; "
            f"download {home}, or add --unchecked to use a corpus of your own"
        )
    return data


def _unzip(data: bytes) -> bytes:
    """Returns the only file of a zip archive; other data unchanged."""
    if not data.startswith(b"PK\x03\x04"):
        return data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(archive.namelist()[0])


def _from_lines(data: bytes, path: Path) -> Iterator[tuple[str, Review]]:
    """Yields one review per line; of the lines without a split, 1 in 20 goes to `val`, 1 in 20 to `test`, the others to
    `train`."""
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if isinstance(row, dict):
            row.setdefault("split", {0: "test", 10: "val"}.get(number % 20, "train"))
        match row:
            case {"split": "train" | "val" | "test" as split, "label": 0 | 1 as label, "text": str(text)}:
                yield split, Review(text, int(label))
            case _:
                raise ValueError(
                    f"{path} must hold one JSON object per line with text (a string) and label (0 or 1), and may say "
                    f"split (train, val or test); line {number} is {line[:80]!r}"
                )


def _from_archive(data: bytes) -> Iterator[tuple[str, Review]]:
    """Yields the reviews in order of label and number, so that a film's reviews stay together; every fifth review of
    `train` goes to `val`."""
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        matches = [re.fullmatch(r"aclImdb/(train|test)/(neg|pos)/(\d+)_\d+\.txt", name) for name in archive.getnames()]
        names = {(*match.group(1, 2), int(match[3])): match[0] for match in matches if match}
        for (split, label, number), name in sorted(names.items()):
            if (file := archive.extractfile(name)) is not None:
                to = "val" if split == "train" and number % 5 == 0 else split
                yield to, Review(file.read().decode(), int(label == "pos"))
