"""Messages of Learn's section "Generation"."""

from __future__ import annotations

MESSAGES = {
    "learn_generation_title": "Generation",
    "learn_generation_text": "A generator is trained to predict the next byte.\n\nIts target is its own input, shifted"
    " by one: each position may use what came before, and is scored on what comes next. One pass scores all positions,"
    " and nobody has to write labels.\n\nThis needs the mask. Without it a position sees its own answer, one byte to"
    " the right, and learns to copy it: nearly perfect in training, useless for writing, where there is nothing to the"
    " right yet. Only the last target is not part of the input; there it fails. Drag the step to see the loss fall and"
    " the writing change.",
    "learn_generation_field": "Text, up to {most} bytes",
    "learn_generation_seed": "Seed",
    "learn_generation_short": "Please type at least three characters: the last one is only predicted, never read.",
    "learn_generation_table": "At each position: input, target, and the probability given to the target (%)",
    "learn_generation_input": "input",
    "learn_generation_target": "target",
    "learn_generation_trained": "with the mask",
    "learn_generation_unmasked": "without a mask",
    "learn_generation_bits": "bits",
    "learn_generation_bits_hint": "Bits per byte: the mean of −log₂ of these probabilities",
    "learn_generation_cell": "After “{input}” comes “{target}”: probability {share}",
    "learn_generation_peek": "Without a mask: layer {layer}, head {head} of “{model}” has {share} of its weight on"
    " the very next byte, the answer.",
    "learn_generation_step": "Training step",
    "learn_generation_step_is": "step {step, number}: {bytes, number} bytes read",
    "learn_generation_play_hint": "Goes through the snapshots; with reduced motion, one per press",
    "learn_generation_chart": "Bits per byte over the steps of training, on the validation split and on this text."
    " Click to choose the step.",
    "learn_generation_line_validation": "validation split",
    "learn_generation_line_text": "this text",
    "learn_generation_course": "{falls, select, yes {On this text the loss falls too, from {first} to {end} bits.}"
    " other {On this text the loss is lowest at step {step, number} ({least} bits) and ends at {end}. Training lowers"
    " the average over text like its own, an encyclopedia; a single sentence of another kind can get worse again.}}",
    "learn_generation_axis_step": "step",
    "learn_generation_axis_bits": "bits per byte",
    "learn_generation_measured": "Validation: {bytes, number} bytes that training never saw, measured on {date}."
    " {cpu}, torch {torch};",
    "learn_generation_writes": "“{model}” at step {step, number} continues:",
    "learn_generation_writes_unmasked": "“{model}”, without a mask, continues:",
    "learn_generation_lesson": "At step {step, number} the next byte costs {bits} bits on average. Without a mask it"
    " costs {unmasked}, because the answer is part of the input.",
    "learn_generation_show": "Show",
    "learn_generation_show_training": "training",
    "learn_generation_show_training_hint": "What each position is trained to predict",
    "learn_generation_show_cache": "cache",
    "learn_generation_show_cache_hint": "The keys and values that a model keeps while it writes, and the work that"
    " this saves",
    "learn_generation_cache": "Model",
    "learn_generation_cache_hint": "Show the cache of “{name}”",
    "learn_generation_tokens": "Text so far",
    "learn_generation_tokens_are": "{tokens, plural, one {# token} other {# tokens}}",
    "learn_generation_lesson_cache": "The keys and values of earlier tokens never change, because no token sees a later"
    " one. So “{name}” keeps them, and a step computes only the newest token instead of {tokens, plural, one {# token}"
    " other {all #}}.",
    "learn_generation_try_begin": "Before training",
    "learn_generation_try_words": "Step {step, number}",
    "learn_generation_try_other": "A sentence it gets worse at",
    "learn_generation_question": "Without a mask each target can be read from the input, except one. Which?",
    "learn_generation_choice_first": "The first",
    "learn_generation_choice_middle": "One in the middle",
    "learn_generation_choice_last": "The last",
    "learn_generation_answer": "The least likely target is number {position} of {count}, “{target}”, with probability"
    " {share}; the others have {others} on average.",
}
