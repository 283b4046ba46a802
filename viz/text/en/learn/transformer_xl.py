"""Messages of Learn's section "Transformer-XL"."""

from __future__ import annotations

MESSAGES = {
    "learn_transformer_xl_title": "Transformer-XL",
    "learn_transformer_xl_text": "A model with a fixed context forgets what lies before it. Transformer-XL reads"
    " segment by segment, and every layer keeps its input as a memory: the queries of the next segment attend to it"
    " too.\n\n"
    "No gradient flows into the memory. Each layer sees one memory further back than the layer below, so bytes far"
    " outside the segment still affect the output.\n\n"
    "A position counted from the segment’s start would mean nothing in a memory, so the score uses the distance"
    " instead. It has four terms, as in the section on positions: a distance replaces the key’s position, and a"
    " learned vector, u or v, the same for all queries, replaces the query’s position.",
    "learn_transformer_xl_show": "Show",
    "learn_transformer_xl_show_memory": "memory",
    "learn_transformer_xl_show_reach": "reach",
    "learn_transformer_xl_show_terms": "terms",
    "learn_transformer_xl_show_memory_hint": "The surprise of each byte with the memory and without",
    "learn_transformer_xl_show_reach_hint": "How far back a byte still has an effect on each layer",
    "learn_transformer_xl_show_terms_hint": "The score of a head as the sum of four terms",
    "learn_transformer_xl_field": "Text",
    "learn_transformer_xl_short": "At least {least} characters, please: with fewer there is nothing to remember.",
    "learn_transformer_xl_memory": "Memory",
    "learn_transformer_xl_memory_on": "on",
    "learn_transformer_xl_memory_off": "off",
    "learn_transformer_xl_memory_on_hint": "Every layer sees what it kept of the previous segments",
    "learn_transformer_xl_memory_off_hint": "Every segment is read as if nothing came before it",
    "learn_transformer_xl_layer": "Layer",
    "learn_transformer_xl_head": "Head",
    "learn_transformer_xl_byte": "“{label}”: {bits} bits; with memory {on}, without {off}",
    "learn_transformer_xl_ground": "The background of a byte shows its surprise in bits: the stronger the colour, the"
    " higher the surprise. A bar marks where each segment of {segment} bytes begins; in training a segment has"
    " {trained}.",
    "learn_transformer_xl_chart_memory": "Bits per byte of this text, by how many bytes each layer remembers",
    "learn_transformer_xl_axis_memory": "bits per byte of this text",
    "learn_transformer_xl_remembered": "{memory, plural, one {# byte} other {# bytes}} of memory",
    "learn_transformer_xl_measured": "{bits} with a memory of {memory} bytes",
    "learn_transformer_xl_on_val": "On {bytes, number} bytes not used for training, in bits per byte: {list}.",
    "learn_transformer_xl_map": "How much each byte changes the last vector of each layer: a row for each layer, a"
    " column for each byte",
    "learn_transformer_xl_layers": "layer",
    "learn_transformer_xl_bytes": "bytes of the text (segment and memory: {short} bytes each)",
    "learn_transformer_xl_cell": "{moves, select, yes {“{label}”, {back, plural, one {# byte} other {# bytes}} back,"
    " changes layer {layer} by {moved}.} other {“{label}”, {back, plural, one {# byte} other {# bytes}} back, does not"
    " reach layer {layer}.}}",
    "learn_transformer_xl_reaches": "after layer {layer}",
    "learn_transformer_xl_far": "{back, plural, one {# byte} other {# bytes}} back",
    "learn_transformer_xl_farthest": "How far back a byte can be and still change the last vector",
    "learn_transformer_xl_rounding": "Measured by changing each byte in turn, in 64-bit numbers; a cell without colour"
    " is exactly 0. Colours show the square root of each value’s share of the largest in its layer.",
    "learn_transformer_xl_chart_terms": "The score of each key for the last byte, as a stack of its four terms",
    "learn_transformer_xl_keys": "key",
    "learn_transformer_xl_score": "score",
    "learn_transformer_xl_token_token": "q · k: query and key content",
    "learn_transformer_xl_token_position": "q · W r: query content and distance",
    "learn_transformer_xl_position_token": "u · k: key content alone",
    "learn_transformer_xl_position_position": "v · W r: distance alone",
    "learn_transformer_xl_together": "The four together differ from the model’s own scores by at most {error}. In the"
    " section on positions each query position had its own vector; here one learned vector serves all of them.",
    "learn_transformer_xl_lesson_memory": "Without a memory this text costs {off} bits per byte; with a memory of"
    " {memory} bytes, {on}.",
    "learn_transformer_xl_lesson_reach": "{on, select, on {With its memory, the last layer still depends on a byte"
    " {far, plural, one {# byte} other {# bytes}} back, the first layer on one {near} back.} other {Without memory"
    " nothing before the segment has any effect: at most {far, plural, one {# byte} other {# bytes}} back.}}",
    "learn_transformer_xl_lesson_terms": "Layer {layer}, head {head}: of the four terms, “{term}” differs most from"
    " key to key, with a standard deviation of {spread}.",
    "learn_transformer_xl_try_off": "Without memory",
    "learn_transformer_xl_try_reach": "How far back?",
    "learn_transformer_xl_try_terms": "Four terms",
    "learn_transformer_xl_question": "Each layer keeps {short} bytes. How far back can a byte be and still change the"
    " last of {layers} layers?",
    "learn_transformer_xl_choice_one": "{short} bytes before the segment: one memory",
    "learn_transformer_xl_choice_layers": "More: a memory for each layer",
    "learn_transformer_xl_choice_none": "No further than its segment",
    "learn_transformer_xl_answer": "The farthest byte that changes the last layer is {far} bytes back, though a segment"
    " has only {short} bytes; for the first layer it is {near} bytes back.",
}
