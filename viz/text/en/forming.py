"""Messages of tab Explore about heads during training."""

from __future__ import annotations

MESSAGES = {
    "forming_title": "During training",
    "forming_play_hint": "Plays the snapshots in order; with reduced motion, one per press",
    "forming_step": "training step",
    "forming_step_is": "step {step, number}",
    "forming_chart": "Bits and the heads’ copying scores over the steps of training. Click to choose a step.",
    "forming_axis_bits": "bits",
    "forming_axis_score": "copying score",
    "forming_line_text": "bits per byte of text",
    "forming_line_copied": "bits per repeated letter",
    "forming_head": "{name} at step {step, number}: copying score {score}; at the end {last}. The score is measured on"
    " random letters that repeat: how much the head attends to the letter that followed the same letter before.",
    "forming_worth": "The model needs {text} bits per byte of text, and {copied} bits per letter that it could copy."
    " A blind guess among 26 letters costs 4.70 bits.",
    "forming_moment": "{name} begins to copy between step {before, number} and step {step, number}, when its score"
    " passes half of its final value.",
    "forming_show": "Show this moment",
    "forming_measured": "Text: {bytes, number} bytes that training never saw. Measured on {date}, on {cpu}, torch"
    " {torch}:",
    "forming_revisions": "Move the slider to see the model after other steps of its training: every view follows."
    " Curves over the steps are measured only for models that read bytes.",
    "forming_none": "The snapshots of this model and their heads have not been measured. This command measures"
    " them in a few minutes: {command}",
}
