"""Section "Transformer-XL" says."""

from __future__ import annotations

MESSAGES = {
    "learn_transformer_xl_title": "Transformer-XL",
    "learn_transformer_xl_text": "A model with a fixed context forgets at its edge. Transformer-XL reads segment by"
    " segment, and every layer keeps what it read, its memory: the queries of the next segment look at that too. No"
    " gradient flows into it. Each layer looks one memory further back than the layer below, so bytes that are long out"
    " of sight still move the output.\n\nA place counted from the segment’s start would mean nothing in a memory, so a"
    " score is told the distance instead. It has four terms, as in the section on positions: the key’s place has become"
    " a distance, and the query’s a learned vector, u or v, the same for all.",
    "learn_transformer_xl_show": "Show",
    "learn_transformer_xl_show_memory": "memory",
    "learn_transformer_xl_show_reach": "reach",
    "learn_transformer_xl_show_terms": "terms",
    "learn_transformer_xl_show_memory_hint": "What each byte costs with the memory and without",
    "learn_transformer_xl_show_reach_hint": "How far back what each layer has still moves",
    "learn_transformer_xl_show_terms_hint": "The score of a head as the sum of four terms",
    "learn_transformer_xl_field": "Text",
    "learn_transformer_xl_short": "At least {least} characters, please: with fewer there is nothing to remember.",
    "learn_transformer_xl_memory": "Memory",
    "learn_transformer_xl_memory_on": "on",
    "learn_transformer_xl_memory_off": "off",
    "learn_transformer_xl_memory_on_hint": "Every layer sees what it kept of the segments before",
    "learn_transformer_xl_memory_off_hint": "Every segment is read as if nothing came before it",
    "learn_transformer_xl_layer": "Layer",
    "learn_transformer_xl_head": "Head",
    "learn_transformer_xl_byte": "“{label}”: {bits} bits; with memory {on}, without {off}",
    "learn_transformer_xl_ground": "The background of a byte shows what it costs in bits: the stronger, the more. A"
    " bar marks where each segment of {segment} bytes begins; in training one has {trained}.",
    "learn_transformer_xl_chart_memory": "Bits per byte of this text by how many bytes each layer remembers",
    "learn_transformer_xl_axis_memory": "bits per byte of this text",
    "learn_transformer_xl_remembered": "{memory, plural, one {# byte} other {# bytes}} kept",
    "learn_transformer_xl_measured": "{memory} bytes kept: {bits}",
    "learn_transformer_xl_on_val": "On {bytes, number} bytes that it was not trained on, in bits per byte:",
    "learn_transformer_xl_map": "How far each byte moves what each layer has at the last byte: a row for each layer, a"
    " column for each byte",
    "learn_transformer_xl_layers": "layer",
    "learn_transformer_xl_bytes": "bytes of the text; a segment and a memory have {short} here",
    "learn_transformer_xl_cell": "{moves, select, yes {“{label}”, {back, plural, one {# byte} other {# bytes}} back,"
    " moves layer {layer} by {moved}.} other {“{label}”, {back, plural, one {# byte} other {# bytes}} back, does not"
    " reach layer {layer}.}}",
    "learn_transformer_xl_reaches": "after layer {layer}",
    "learn_transformer_xl_far": "{back, plural, one {# byte} other {# bytes}} back",
    "learn_transformer_xl_farthest": "How far back a byte still changes the last one",
    "learn_transformer_xl_rounding": "Measured by changing each byte in turn, in 64 bits; a cell without colour is"
    " exactly 0. Colours show the square root of each value’s share of the largest in its layer.",
    "learn_transformer_xl_chart_terms": "The score of each key for the last byte, as a stack of its four terms",
    "learn_transformer_xl_keys": "key",
    "learn_transformer_xl_score": "score",
    "learn_transformer_xl_token_token": "q · k: what both hold",
    "learn_transformer_xl_token_place": "q · W r: what is read asks for a distance",
    "learn_transformer_xl_place_token": "u · k: what the key holds",
    "learn_transformer_xl_place_place": "v · W r: the distance alone",
    "learn_transformer_xl_together": "The four together differ from the model’s own scores by {error} at most. In the"
    " section on positions each place of a query had a vector; here one learned vector serves all of them.",
    "learn_transformer_xl_lesson_memory": "Without a memory this text costs {off} bits per byte, with one of {memory}"
    " bytes {on}.",
    "learn_transformer_xl_lesson_reach": "{on, select, on {With its memory, the last layer is changed from as far as"
    " {far, plural, one {# byte} other {# bytes}} back, the first from {near}.} other {Without memory nothing before"
    " the segment changes anything: {far, plural, one {# byte} other {# bytes}} back at most.}}",
    "learn_transformer_xl_lesson_terms": "Layer {layer}, head {head}: from key to key the term “{term}” varies most,"
    " with a standard deviation of {spread}.",
    "learn_transformer_xl_try_off": "Without memory",
    "learn_transformer_xl_try_reach": "How far back?",
    "learn_transformer_xl_try_terms": "Four terms",
    "learn_transformer_xl_question": "Each layer keeps {short} bytes. How far back can a byte stand and still change"
    " the last of {layers} layers?",
    "learn_transformer_xl_choice_one": "{short} bytes before the segment: one memory",
    "learn_transformer_xl_choice_layers": "More: a memory for each layer",
    "learn_transformer_xl_choice_none": "No further than its segment",
    "learn_transformer_xl_answer": "The farthest byte that changes the last layer is {far} back, and the segment has"
    " {short}; for the first layer it is {near} back.",
}
