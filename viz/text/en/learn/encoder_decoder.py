"""Section "Encoder-decoder" says."""

from __future__ import annotations

MESSAGES = {
    "learn_encoder_decoder_title": "Encoder-decoder",
    "learn_encoder_decoder_text": "An encoder reads the whole text, without a mask, and leaves a vector for each"
    " character: the memory is a sequence, not one vector. A decoder writes the answer. Each of its blocks looks back"
    " at what is written so far, under a causal mask, and across at the memory: queries come from the answer, keys and"
    " values from the text.\n\nIn training the decoder is asked for every next character after the true ones before it,"
    " at all places at once: teacher forcing. The article says the decoder is given the input sentence; what it is"
    " given is the beginning of the target. Writing alone, it goes on from its own characters, and one slip may spoil"
    " the rest.",
    "learn_encoder_decoder_field": "Date",
    "learn_encoder_decoder_target": "Target",
    "learn_encoder_decoder_target_hint": "as the text should come out",
    "learn_encoder_decoder_unread": "That names no date from {first} to {last} that we can tell. Type what it should"
    " come to as the target, or another date.",
    "learn_encoder_decoder_prefix": "Reads on from",
    "learn_encoder_decoder_prefix_true": "the true beginning",
    "learn_encoder_decoder_prefix_own": "its own",
    "learn_encoder_decoder_prefix_true_hint": "Teacher forcing: the target’s own characters, whatever the model said",
    "learn_encoder_decoder_prefix_own_hint": "What the model itself has written",
    "learn_encoder_decoder_layer": "Layer",
    "learn_encoder_decoder_head": "Head",
    "learn_encoder_decoder_play": "{running, select, yes {Stop} other {Play}}",
    "learn_encoder_decoder_play_hint": "One character after another; with reduced motion, one at each press",
    "learn_encoder_decoder_step": "Characters written",
    "learn_encoder_decoder_step_is": "{step} of {last} steps",
    "learn_encoder_decoder_map": "Where the decoder looks in the text: a row for each character that it writes, a"
    " column for each that it reads",
    "learn_encoder_decoder_rows": "to write",
    "learn_encoder_decoder_columns": "memory: {rows} vectors of {emb} numbers, one per token",
    "learn_encoder_decoder_cell": "To write “{row}” the head gives {share} to “{column}”.",
    "learn_encoder_decoder_places": "Each character of the target, and what it is given",
    "learn_encoder_decoder_to_write": "target",
    "learn_encoder_decoder_after": "{prefix, select, true {after the true} other {after its own}}",
    "learn_encoder_decoder_given": "is given",
    "learn_encoder_decoder_bits": "{bits} bits",
    "learn_encoder_decoder_bits_hint": "What the target costs in all, where the model has not ended before",
    "learn_encoder_decoder_place": "After “{read}” the target “{target}” is given {share}; likeliest is “{says}”.",
    "learn_encoder_decoder_ended": "The model has ended",
    "learn_encoder_decoder_forms": "{date}, written at temperature 1",
    "learn_encoder_decoder_no_date": "Neither side is a date in its plain form, such as 2026-11-21.",
    "learn_encoder_decoder_right": "{right, select, yes {right} other {wrong}}",
    "learn_encoder_decoder_judged": "Judged by a reader that follows rules and shares no code with what the model"
    " learned from.",
    "learn_encoder_decoder_lesson_same": "The model writes the target itself: both beginnings are the same, and it"
    " costs {bits} bits.",
    "learn_encoder_decoder_lesson_other": "The model writes “{own}”. After the true beginning the target costs {bits}"
    " bits, after its own {given}{short, select, yes {, up to where it has ended} other {}}.",
    "learn_encoder_decoder_try_slip": "A text it misreads",
    "learn_encoder_decoder_try_back": "Write a date back",
    "learn_encoder_decoder_try_forms": "Other forms",
    "learn_encoder_decoder_question": "What does the decoder have of the text that is shown?",
    "learn_encoder_decoder_choice_one": "One vector that stands for all of it",
    "learn_encoder_decoder_choice_each": "A vector for each of its tokens",
    "learn_encoder_decoder_choice_written": "A vector for each character written so far",
    "learn_encoder_decoder_answer": "The text has {tokens, plural, one {# token} other {# tokens}}, its characters and"
    " one that says what to do; the memory has {rows, plural, one {# vector} other {# vectors}} of {emb} numbers.",
}
