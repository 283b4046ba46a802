"""Characters as tokens, for a model that reads one text and writes another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from former.checks import require_instance
from former.tokens.labels import check_ids, visible
from former.tokens.words import PAD, UNK, UNK_ID

BEGIN, END = "<begin>", "<end>"
_SPECIAL = (PAD, UNK, BEGIN, END)


class CharacterTokenizer:
    """Each character is a token; unknown ones are `<unk>`.

    For a model with several tasks, the first token of the input names the task. A task has a shape, such as
    "0000-00-00": a text belongs to the first task whose shape it equals if every digit is replaced by 0.

    Ids: `<pad>` 0, `<unk>` 1, `<begin>` 2 and `<end>` 3 around outputs, then the tasks, then the characters.

    Args:
        characters: the vocabulary, without repetition.
        tasks: task name, such as "<read>", → shape of its texts; "" fits every text.
    Raises:
        ValueError: a repeated character or name, or invalid tasks.
    """

    unit: ClassVar[str] = "character"
    begin, end = _SPECIAL.index(BEGIN), _SPECIAL.index(END)

    def __init__(self, characters: str, tasks: Mapping[str, str] = MappingProxyType({})) -> None:
        if not isinstance(tasks, Mapping) or not all(isinstance(text, str) for pair in tasks.items() for text in pair):
            raise ValueError(f"tasks must map the name of each task to a shape, got {tasks!r}")
        if short := [task for task in tasks if len(task) < 2]:
            raise ValueError(f"tasks must have names of several characters, got {short}")
        self.characters, self.tasks = characters, dict(tasks)
        self._names = (*_SPECIAL, *self.tasks, *characters)
        self._ids = {name: i for i, name in enumerate(self._names)}
        if len(self._ids) != len(self._names):
            raise ValueError(f"characters and tasks must be distinct, got {characters!r} and {list(self.tasks)}")

    @property
    def num_tokens(self) -> int:
        """Size of the vocabulary."""
        return len(self._names)

    def encode(self, text: str) -> list[int]:
        """Converts an input text to ids: first the token of the text's task, such as "<read>", if there are tasks, then
        the characters."""
        require_instance("text", text, str)
        shape = re.sub("[0-9]", "0", text)
        task = [self._ids[name] for name, fits in self.tasks.items() if fits in ("", shape)][:1]
        return task + self.pieces(text)

    def encode_target(self, text: str) -> list[int]:
        """Converts an output text to ids: its characters between `<begin>` and `<end>`."""
        return [self.begin, *self.pieces(text), self.end]

    def decode(self, ids: Sequence[int]) -> str:
        """Converts ids to text: the characters among them; an unknown one becomes U+FFFD.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        check_ids(ids, self.num_tokens)
        names = (self._names[i] for i in ids)
        return "".join("\ufffd" if name == UNK else name for name in names if len(name) == 1 or name == UNK)

    def labels(self, ids: Sequence[int]) -> list[str]:
        """Returns a visible label for each token, such as "␣" for a space.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        check_ids(ids, self.num_tokens)
        return [visible(name) if len(name) == 1 else name for name in (self._names[i] for i in ids)]

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values for a JSON card."""
        return {"kind": "characters", "characters": self.characters, "tasks": self.tasks}

    def pieces(self, text: str) -> list[int]:
        """Converts a text to the ids of its characters alone, without a task."""
        require_instance("text", text, str)
        return [self._ids.get(character, UNK_ID) for character in text]
