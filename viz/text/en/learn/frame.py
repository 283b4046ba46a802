"""Messages of the frame around every section of Learn."""

from __future__ import annotations

MESSAGES = {
    "tab_learn": "Learn",
    "learn_intro": "Learn how a transformer works by changing its numbers. For students and teachers: begin here with"
    " section 1; take a text of your own to Explore.",
    "learn_group_basics": "Basics",
    "learn_group_tricks": "The three tricks",
    "learn_group_building": "Building a transformer",
    "learn_group_reasons": "Why it works this way",
    "learn_group_modern": "Modern transformers",
    "learn_group_beyond": "Going further",
    "learn_sections": "Sections",
    "learn_previous": "Previous section (key B)",
    "learn_next": "Next section (key N)",
    "learn_chip": "{number}: {title}{done, select, yes {, answered} other {}}{solved, select, yes {, puzzle"
    " solved} other {}}",
    "learn_progress": "All sections: {done} of {count} answered",
    "learn_kept": "✓ {answered, plural, one {# question answered} other {# questions answered}}, ◆ {solved, plural, one"
    " {# puzzle solved} other {# puzzles solved}}: kept in this browser only.",
    "learn_clear": "Clear",
    "learn_clear_really": "Clear all progress?",
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
    "learn_open_in": "Continue in",
    "learn_code": "The code",
    "learn_code_place": "{file}, line {line}",
    "learn_code_values": "Show my numbers",
    "learn_code_values_hint": "The tensors of this code for the current state of the panel",
    "learn_code_shape": "{name}  ({shape})",
    "learn_words_limit": "Up to {most} words, {letters} characters in all.",
}
