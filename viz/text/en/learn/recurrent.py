"""Messages of Learn's section "Why not recurrent or convolutional"."""

from __future__ import annotations

MESSAGES = {
    "learn_recurrent_title": "Why not recurrent or convolutional",
    "learn_recurrent_text": "A recurrent network passes all it knows along in one vector, word by word: the first word"
    " reaches the end only through every step between, and each step waits for the one before.\n\nA convolution"
    " computes all positions at once, but sees only a few before each; more layers see farther. Self-attention reaches"
    " every earlier position in one layer, and nothing waits.\n\nThis is an argument about steps. The price: the number"
    " of dot products grows with t². The argument does not decide which is better: with equal parameters, bytes and"
    " seconds our convolutions win, because a training this short rewards nearby context. Long texts and long"
    " trainings are not measured here.",
    "learn_recurrent_field": "Text, up to {most} bytes",
    "learn_recurrent_short": "At least two characters, please.",
    "learn_recurrent_show": "Show",
    "learn_recurrent_show_reach": "steps",
    "learn_recurrent_show_reach_hint": "Which input has reached which output, step by step",
    "learn_recurrent_show_time": "time",
    "learn_recurrent_show_time_hint": "How much time longer texts take",
    "learn_recurrent_show_bits": "bits",
    "learn_recurrent_show_bits_hint": "The loss of the three models, all trained in the same way",
    "learn_recurrent_recurrent": "recurrent",
    "learn_recurrent_convolutional": "convolutional",
    "learn_recurrent_attention": "self-attention",
    "learn_recurrent_step": "Steps done",
    "learn_recurrent_step_is": "after {step} of {last} steps",
    "learn_recurrent_play_hint": "One step after another; with reduced motion, one per press",
    "learn_recurrent_map": "Inputs that have reached outputs, {kind}: a row for each output, a column for each input",
    "learn_recurrent_wires": "Above each map: what is computed from what, from the inputs below to the outputs above."
    " Filled: done after these steps; red: the first input has come this far.",
    "learn_recurrent_wiring": "{kind}: what is computed from what, after {step, plural, one {# step} other {# steps}}",
    "learn_recurrent_outputs": "outputs",
    "learn_recurrent_inputs": "inputs",
    "learn_recurrent_output": "The output at “{label}” is ready from step {step} on",
    "learn_recurrent_stand": "Outputs ready: {stand} of {count}; all of them after {all, plural, one {# step} other {#"
    " steps}}. {reaches, select, yes {The first input reaches the last output after {first, plural, one {# step} other"
    " {# steps}}.} other {The first input never reaches the last output.}}",
    "learn_recurrent_cell": "{kind}: “{input}” {reaches, select, yes {reaches the output at “{output}” after {step,"
    " plural, one {# step} other {# steps}}; changing it changes the logits there by {moved}.} other {never reaches"
    " the output at “{output}”.}}",
    "learn_recurrent_chart_time": "Time to read a text, over its length, for each kind of model",
    "learn_recurrent_chart_bits": "Bits per byte over seconds of training, a dot for each kind of model",
    "learn_recurrent_axis_length": "bytes of the text",
    "learn_recurrent_axis_time": "milliseconds",
    "learn_recurrent_axis_seconds": "processor seconds of training",
    "learn_recurrent_axis_bits": "bits per byte",
    "learn_recurrent_at_length": "{t, number} bytes",
    "learn_recurrent_longer": "{times} times as long",
    "learn_recurrent_milliseconds": "{value} ms",
    "learn_recurrent_ratio": "× {value}",
    "learn_recurrent_time_note": "On one processor core nothing runs in parallel, so this measures work, not waiting."
    " The work grows with t for the recurrent network and the convolutions, and in the end with t² for attention. On"
    " parallel hardware the waiting counts too: the view “steps” shows it.",
    "learn_recurrent_measured": "Measured on {date}, the fastest of several rounds: {cpu}, {threads, plural, one {#"
    " thread} other {# threads}}, torch {torch};",
    "learn_recurrent_column_parameters": "parameters",
    "learn_recurrent_column_bytes": "bytes read",
    "learn_recurrent_column_seconds": "processor time",
    "learn_recurrent_column_bits": "bits per byte",
    "learn_recurrent_seconds": "{value} s",
    "learn_recurrent_winner": "Best with equal parameters and equal bytes: {kind}, {bits} bits. {quickest, select, yes"
    " {It also took the least time, {seconds} s, so no other is better in equal time either.} other {Others took less"
    " time.}}",
    "learn_recurrent_bits_note": "From the models’ cards: 500 steps on the same bytes, one seed each, validation"
    " split; seconds are rough. The learning rate was chosen for the transformer, so the others might do better"
    " still.",
    "learn_recurrent_lesson": "{count} bytes: the recurrent network needs {recurrent} steps one after another, the"
    " convolutions {convolutional}, self-attention {attention}. Only the recurrent network’s number grows with the"
    " text.",
    "learn_recurrent_lesson_time": "On one processor core, {t, number} bytes take the recurrent network {recurrent} ms,"
    " the convolutions {convolutional} ms and self-attention {attention} ms.",
    "learn_recurrent_lesson_bits": "After equally many steps on the same bytes, the lowest loss is {bits} bits per"
    " byte: {kind}.",
    "learn_recurrent_try_one": "One step",
    "learn_recurrent_try_time": "How long longer texts take",
    "learn_recurrent_try_bits": "Which is better?",
    "learn_recurrent_question": "After how many steps does the first byte reach the last output of the recurrent"
    " network, which has two layers?",
    "learn_recurrent_choice_layers": "One for each layer",
    "learn_recurrent_choice_each": "At least one for each byte",
    "learn_recurrent_choice_never": "It never does",
    "learn_recurrent_answer": "With these {count} bytes it takes {recurrent} steps. Self-attention needs"
    " {attention, plural, one {# step} other {# steps}}.",
}
