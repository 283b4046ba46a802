"""Messages of Learn's section "Since the article"."""

from __future__ import annotations

MESSAGES = {
    "learn_since_title": "Since the article",
    "learn_since_text": "Today’s language models are still the article’s generator, with four parts replaced.\n\n"
    "Rotary positions add nothing to the embeddings: they turn each query and key by an angle that grows with its"
    " position, so a score depends only on the distance of two tokens. RMSNorm leaves out layer norm’s centring. In"
    " SwiGLU one map of the feed-forward layer computes gates, which scale the numbers of another map.\n\n"
    "A model that writes keeps the keys and values of all tokens, the cache. If several query heads share one head of"
    " keys and values, the cache shrinks. Each tiny model here has one of these parts; “tiny-modern” has all four, and"
    " so has “modern”, which is as large as “gpt”. The table shows which help.",
    "learn_since_show": "Show",
    "learn_since_show_rotary": "positions",
    "learn_since_show_norm": "norm",
    "learn_since_show_gate": "gate",
    "learn_since_show_cache": "cache",
    "learn_since_show_worth": "results",
    "learn_since_show_rotary_hint": "A query and a key, each turned according to its position",
    "learn_since_show_norm_hint": "LayerNorm and RMSNorm of the same vector",
    "learn_since_show_gate_hint": "Which numbers SwiGLU lets through",
    "learn_since_show_cache_hint": "How much memory shared keys and values save",
    "learn_since_show_worth_hint": "Tiny models that differ in one part each",
    "learn_since_field": "Text, up to {most} bytes",
    "learn_since_tokens": "The text. Choose a token.",
    "learn_since_token": "“{label}” at position {position}",
    "learn_since_head": "Head of the first layer",
    "learn_since_back": "Distance to the key",
    "learn_since_shift": "Move both tokens",
    "learn_since_places": "{count, plural, one {by # position} other {by # positions}}",
    "learn_since_plane": "The query q and the key k in the chosen plane, each turned according to its position",
    "learn_since_parts": "Each plane: how far q is ahead of k, and what it adds to the score",
    "learn_since_part": "adds",
    "learn_since_plane_hint": "Show plane {plane}",
    "learn_since_angle": "{plane}: {degrees}°",
    "learn_since_curve": "The score of these two vectors at every distance, with their own marked",
    "learn_since_distance": "distance of query and key",
    "learn_since_score": "score",
    "learn_since_scored": "“{query}” at position {at} and “{key}” at {position}: distance {count}, score {score}.",
    "learn_since_lesson_rotary": "The query “{query}” and the key “{key}”, {count, plural, one {# position} other {#"
    " positions}} before it, have the score {score}. Moving both tokens turns both arrows by the same angle, so the"
    " score stays.",
    "learn_since_added": "Add to every number",
    "learn_since_vector": "One token’s vector before the second layer of “{model}”: its first numbers, where g = 1",
    "learn_since_row_x": "vector x",
    "learn_since_row_layer": "LayerNorm(x)",
    "learn_since_row_rms": "RMSNorm(x)",
    "learn_since_moved": "x has mean {mean} and root mean square {size}. What you added changes LayerNorm’s numbers by"
    " at most {layer}, RMSNorm’s by up to {rms}.",
    "learn_since_lesson_norm": "LayerNorm first subtracts the mean, here {mean}; RMSNorm only divides by the root mean"
    " square, {size}. The closer the mean is to 0, the less the two differ.",
    "learn_since_gates": "The largest hidden numbers in the first layer of “{model}”",
    "learn_since_number": "{i}",
    "learn_since_column_gate": "gate Gx",
    "learn_since_column_open": "silu(Gx)",
    "learn_since_column_up": "up Ux",
    "learn_since_column_hidden": "product",
    "learn_since_closed": "At “{token}”, {share} of the gates are nearly closed: their factor is below 0.1.",
    "learn_since_lesson_gate": "Each number of “up” is multiplied by its gate’s factor. At “{token}”, {share} of the"
    " gates are nearly closed.",
    "learn_since_length": "Length of the text",
    "learn_since_length_is": "{t, number} tokens",
    "learn_since_chart_cache": "Cache size of published models: with shared keys and values, and with keys and values"
    " for every head",
    "learn_since_axis": "bytes, at 2 bytes a number",
    "learn_since_heads_of": "heads",
    "learn_since_kv_heads": "key-value heads",
    "learn_since_shared": "shared",
    "learn_since_own": "one for every head",
    "learn_since_less": "ratio",
    "learn_since_times": "{times} ×",
    "learn_since_bytes": "{value} {unit, select, 0 {B} 1 {kB} 2 {MB} 3 {GB} other {TB}}",
    "learn_since_lesson_cache": "For {t, number} tokens, {name} keeps {shared}; with keys and values for every head it"
    " would keep {own}.",
    "learn_since_what": "part",
    "learn_since_bits": "bits per byte",
    "learn_since_gain": "difference",
    "learn_since_parameters": "parameters",
    "learn_since_seconds": "processor time",
    "learn_since_cached": "bytes cached per token",
    "learn_since_seconds_of": "{seconds} s",
    "learn_since_what_family_tiny_generator": "the baseline that the others modify",
    "learn_since_what_tiny_rotary": "rotary positions",
    "learn_since_what_tiny_rms": "RMSNorm",
    "learn_since_what_tiny_swiglu": "SwiGLU, two thirds as wide",
    "learn_since_what_tiny_grouped": "four query heads, two key-value heads",
    "learn_since_what_tiny_modern": "all four",
    "learn_since_what_gpt": "the architecture of GPT-2",
    "learn_since_what_modern": "all four, and norms of queries and keys",
    "learn_since_alike": "The tiny models were trained on the same bytes for 500 steps from the same seed, each once: a"
    " few hundredths may be chance. “modern” read as many tokens in two trainings as “gpt” in its first five; the row"
    " of “gpt” shows what it needed then. Bits per byte are from the cards, on 5 million bytes of validation text."
    " Processor time includes compiling the model, and depends on what else the machine was doing.",
    "learn_since_lesson_worth": "Of the tiny models “{name}” predicts best: {bits} bits per byte, where the model"
    " without these parts needs {plain}. “{larger}” needs {its}; “{gpt}”, after as many tokens, {theirs}.",
    "learn_since_try_far": "200 positions later",
    "learn_since_try_added": "Add 2 to every number",
    "learn_since_try_worth": "Which part helps?",
    "learn_since_question": "Both tokens move 100 positions further into the text, so their distance stays. What"
    " happens to their score?",
    "learn_since_choice_same": "It stays the same",
    "learn_since_choice_weaker": "It gets closer to 0",
    "learn_since_choice_other": "It moves away from 0",
    "learn_since_answer": "The score is {score} here, and {later} with both 100 positions later.",
}
