"""Messages of the frame around every section of Learn."""

from __future__ import annotations

MESSAGES = {
    "tab_learn": "Learn",
    "learn_sections": "Sections",
    "learn_previous": "Previous section (key B)",
    "learn_next": "Next section (key N)",
    "learn_chip": "{number}: {title}{done, select, yes {, answered} other {}}",
    "learn_all": "All sections",
    "learn_progress": "{done} of {count} answered",
    "learn_loading": "Loading this section …",
    "learn_again": "Try again",
    "learn_try": "Try",
    "learn_reset": "Reset",
    "learn_reset_hint": "Restores the initial state of this section",
    "learn_puzzle": "Puzzle",
    "learn_puzzle_solved": "Solved",
    "learn_check": "Check yourself",
    "learn_check_wait": "Running the code …",
    "learn_check_right": "Yes. {said}",
    "learn_check_wrong": "No: the answer is “{right}”. {said}",
    "learn_open_in": "The same text in",
    "learn_code": "The code",
    "learn_code_place": "{file}, line {line}",
    "learn_code_values": "Show my numbers",
    "learn_code_values_hint": "The tensors of this code for the current state of the panel",
    "learn_code_shape": "{name}  ({shape})",
    "learn_words_limit": "Up to {most} words, {letters} characters in all.",
}
