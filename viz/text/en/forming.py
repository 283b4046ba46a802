"""Tab Explore says of heads as they form."""

from __future__ import annotations

MESSAGES = {
    "forming_title": "As it was trained",
    "forming_play": "{running, select, yes {Stop} other {Play}}",
    "forming_play_hint": "Goes through the snapshots; with reduced motion, one at each press",
    "forming_step": "step of the training",
    "forming_step_is": "step {step, number}",
    "forming_chart": "Bits and the heads’ copying scores over the steps of training. A click chooses the step.",
    "forming_axis_bits": "bits",
    "forming_axis_score": "copying score",
    "forming_line_text": "bits per byte of text",
    "forming_line_copied": "bits a letter that comes again",
    "forming_head": "{name} at step {step, number}: copying score {score}; in the end {last}. On random letters that"
    " come twice, it is the attention that goes to what followed the same letter before.",
    "forming_worth": "The model needs {text} bits for a byte of text, and {copied} for a letter that it could copy: to"
    " know only that it is one of 26 letters would cost 4.70.",
    "forming_moment": "{name} begins to copy between step {before, number} and step {step, number}: there its score"
    " passes half of what it is in the end.",
    "forming_show": "Show this moment",
    "forming_measured": "Text: {bytes, number} bytes that training never saw. Measured on {date}, on {cpu}, torch"
    " {torch}:",
    "forming_none": "What the snapshots of this model are worth, and what their heads do, has not been measured. This"
    " does it, in minutes: {command}",
}
