"""Messages of Learn's section "Encoder-decoder"."""

from __future__ import annotations

MESSAGES = {
    "learn_encoder_decoder_title": "Encoder-decoder",
    "learn_encoder_decoder_text": "An encoder reads the whole text, without a mask, and gives a vector for each"
    " character: the memory is a sequence, not one vector. A decoder writes the answer.\n\nEach of its blocks attends"
    " to what is written so far, under a causal mask, and then to the memory (cross-attention): queries come from the"
    " answer, keys and values from the text.\n\nIn training the decoder must predict every next character from the"
    " correct ones before it, at all positions at once: teacher forcing. The article says the decoder is given the"
    " input sentence; in fact it is given the beginning of the target. When it writes alone, it continues from its own"
    " characters, and one error may spoil the rest.",
    "learn_encoder_decoder_field": "Date",
    "learn_encoder_decoder_target": "Target",
    "learn_encoder_decoder_target_hint": "what the answer should be",
    "learn_encoder_decoder_unread": "This page cannot read the text as a date from {first} to {last}. Type the right"
    " answer as the target, or another date.",
    "learn_encoder_decoder_prefix": "Decoder sees",
    "learn_encoder_decoder_prefix_true": "the correct answer so far",
    "learn_encoder_decoder_prefix_own": "its own answer so far",
    "learn_encoder_decoder_prefix_true_hint": "Teacher forcing: the target’s own characters, whatever the model"
    " predicted",
    "learn_encoder_decoder_prefix_own_hint": "What the model itself has written",
    "learn_encoder_decoder_layer": "Layer",
    "learn_encoder_decoder_head": "Head",
    "learn_encoder_decoder_play_hint": "One character after another; with reduced motion, one per press",
    "learn_encoder_decoder_step": "Characters written",
    "learn_encoder_decoder_step_is": "{step} of {last} steps",
    "learn_encoder_decoder_map": "What the decoder attends to in the text: a row for each character it writes, a"
    " column for each it reads",
    "learn_encoder_decoder_rows": "to write",
    "learn_encoder_decoder_columns": "memory: {rows} vectors of {emb} numbers, one per token",
    "learn_encoder_decoder_cell": "To write “{row}” the head gives {share} to “{column}”.",
    "learn_encoder_decoder_places": "Each character of the target, and its probability",
    "learn_encoder_decoder_to_write": "target",
    "learn_encoder_decoder_after": "{prefix, select, true {after the correct} other {after its own}}",
    "learn_encoder_decoder_given": "probability",
    "learn_encoder_decoder_bits": "{bits} bits",
    "learn_encoder_decoder_bits_hint": "The loss of the whole target, up to where the model ends its answer",
    "learn_encoder_decoder_character": "After “{read}” the target “{target}” has probability {share}; most likely is"
    " “{says}”.",
    "learn_encoder_decoder_ended": "The model has ended its answer",
    "learn_encoder_decoder_forms": "{date}, written at temperature 1",
    "learn_encoder_decoder_no_date": "Neither side is a date in its standard form, such as 2026-11-21.",
    "learn_encoder_decoder_right": "{right, select, yes {right} other {wrong}}",
    "learn_encoder_decoder_judged": "Checked by a rule-based program that shares no code with the one that made the"
    " training data.",
    "learn_encoder_decoder_lesson_same": "The model writes the target itself: both inputs are the same, and the loss"
    " is {bits} bits.",
    "learn_encoder_decoder_lesson_other": "The model writes “{own}”. Given the correct answer so far, the target costs"
    " {bits} bits; given its own answer so far, {given}{short, select, yes {, up to where it ends} other {}}.",
    "learn_encoder_decoder_try_read": "A text it reads correctly",
    "learn_encoder_decoder_try_back": "The other direction",
    "learn_encoder_decoder_try_forms": "Other forms",
    "learn_encoder_decoder_question": "What does the decoder get from the text?",
    "learn_encoder_decoder_choice_one": "One vector for all of it",
    "learn_encoder_decoder_choice_each": "A vector for each of its tokens",
    "learn_encoder_decoder_choice_written": "A vector for each character written so far",
    "learn_encoder_decoder_answer": "The text has {tokens, plural, one {# token} other {# tokens}}: its characters and"
    " one that names the task. The memory has {rows, plural, one {# vector} other {# vectors}} of {emb} numbers.",
}
