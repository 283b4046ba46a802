"""Section "Generation" says."""

from __future__ import annotations

MESSAGES = {
    "learn_generation_title": "Generation",
    "learn_generation_text": "A generator is trained to say the next byte. Its target is its own input, shifted by one:"
    " at each place it may use what came before, and is scored on what comes next. One pass scores all places, and"
    " nobody has to write labels.\n\nThat needs the mask. Without it a place sees its own answer, one byte to the"
    " right, and learns to copy it: nearly perfect in training, useless for writing, where nothing stands to the right"
    " yet. Only the last target stands in no input: there it fails. Drag the step, and see the loss fall and the"
    " writing change.",
    "learn_generation_field": "Text, up to {most} bytes",
    "learn_generation_seed": "Seed",
    "learn_generation_short": "Three characters at least, please: the last is only a target.",
    "learn_generation_table": "What each place reads, what it must say, and the probability that it is given, in"
    " percent",
    "learn_generation_input": "reads",
    "learn_generation_target": "must say",
    "learn_generation_trained": "with the mask",
    "learn_generation_unmasked": "without a mask",
    "learn_generation_bits": "bits",
    "learn_generation_bits_hint": "Bits per byte: the mean of −log₂ of these probabilities",
    "learn_generation_cell": "After “{input}” comes “{target}”: probability {share}",
    "learn_generation_peek": "Without a mask: layer {layer}, head {head} of “{model}” has {share} of its weight on"
    " the very next byte, the answer.",
    "learn_generation_step": "Step of the training",
    "learn_generation_step_is": "step {step, number}: {bytes, number} bytes read",
    "learn_generation_play": "{running, select, yes {Stop} other {Play}}",
    "learn_generation_play_hint": "Goes through the snapshots; with reduced motion, one at each press",
    "learn_generation_chart": "Bits per byte over the steps of training, of the validation split and of this text. A"
    " click chooses the step.",
    "learn_generation_line_validation": "validation split",
    "learn_generation_line_text": "this text",
    "learn_generation_axis_step": "step",
    "learn_generation_axis_bits": "bits per byte",
    "learn_generation_measured": "Validation: {bytes, number} bytes that training never saw, measured on {date}."
    " {cpu}, torch {torch};",
    "learn_generation_writes": "“{model}” at step {step, number} writes on:",
    "learn_generation_writes_unmasked": "“{model}”, without a mask, writes on:",
    "learn_generation_lesson": "At step {step, number} the next byte costs {bits} bits on average. Without a mask it"
    " costs {unmasked}, because the answer stands in the input.",
    "learn_generation_try_begin": "Before training",
    "learn_generation_try_words": "Step {step, number}",
    "learn_generation_try_seed": "Another draw",
    "learn_generation_question": "Without a mask each target can be read off the input, except one. Which?",
    "learn_generation_choice_first": "The first",
    "learn_generation_choice_middle": "One in the middle",
    "learn_generation_choice_last": "The last",
    "learn_generation_answer": "The least likely is number {place} of {count}, “{target}”, with {share}; the others"
    " have {others} on average.",
}
