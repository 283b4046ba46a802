"""Section "Positions" says."""

from __future__ import annotations

MESSAGES = {
    "learn_positions_title": "Positions",
    "learn_positions_text": "Attention reads a set: a classifier without positions gives a text and its shuffled words"
    " the same verdict. So each position gets a vector p, which is added to the token’s x. Every score is then a"
    " product of two sums, and so a sum of four terms: token with token, token with position, position with token,"
    " position with position. Some heads use only the last term, position with position.\n\nA learned p exists only"
    " for the positions of the training. Sines continue for ever, but beyond the training they give vectors the model"
    " has never seen, and its predictions collapse. A model without p does worse at nearly every position, but hardly"
    " worse beyond: it meets no new vectors.",
    "learn_positions_show": "Show",
    "learn_positions_show_order": "Order",
    "learn_positions_show_score": "Score",
    "learn_positions_show_length": "Length",
    "learn_positions_show_order_hint": "The verdict on a text and on its words in another order",
    "learn_positions_show_score_hint": "The score of a trained head as the sum of four terms",
    "learn_positions_show_length_hint": "The loss at each position, within the trained length and beyond it",
    "learn_positions_field": "Text",
    "learn_positions_typed": "As typed",
    "learn_positions_other": "In another order",
    "learn_positions_swap": "Click two words to swap them.",
    "learn_positions_shuffle": "Shuffle",
    "learn_positions_classifier": "{name}{positions, select, none {: without positions} other {: {positions}"
    " positions}}",
    "learn_positions_positive": "{share} positive",
    "learn_positions_moved": "{kind, select, equal {Unchanged, up to rounding.} other {Changes by {by} points.}}",
    "learn_positions_lesson_still": "Both orders are the same: click two words, or shuffle.",
    "learn_positions_lesson_order": "In another order “{name}” goes from {before} positive to {after}; “{bag}”,"
    " without positions, reads the same set and does not change.",
    "learn_positions_head": "Head",
    "learn_positions_query": "of the first layer. Click the query token:",
    "learn_positions_token": "“{label}” at position {place}",
    "learn_positions_chart_score": "The score of each key, as a stack of its four terms. Click one to see its parts.",
    "learn_positions_keys": "key",
    "learn_positions_score": "score",
    "learn_positions_token_token": "token · token",
    "learn_positions_token_place": "token · position",
    "learn_positions_place_token": "position · token",
    "learn_positions_place_place": "position · position",
    "learn_positions_query_token": "query’s token",
    "learn_positions_query_place": "query’s position",
    "learn_positions_key_token": "key’s token",
    "learn_positions_key_place": "key’s position",
    "learn_positions_pair": "Query “{query}” at {at}, key “{key}” at {place}",
    "learn_positions_together": "Together {sum}; the model’s own score is {score}, which gives a weight of {weight}."
    " Over all keys the two differ by at most {error}. The norm divides each part by the same number as the whole sum;"
    " its bias is counted with the token.",
    "learn_positions_lesson_score": "Head {head}: “{query}” gives {share} to “{key}”, {where, select, self {itself}"
    " one {the token before} other {{back} tokens back}}. Its score is {score}; the largest term of it is {term}:"
    " {value}.",
    "learn_positions_chart_length": "Bits for the next byte, by how many bytes were read. The vertical line marks the"
    " trained length, {trained}.",
    "learn_positions_line": "{positions, select, learned {learned} sinusoidal {sines} none {no positions} other"
    " {{positions}}} ({name})",
    "learn_positions_read": "bytes read",
    "learn_positions_bits": "bits for the next byte",
    "learn_positions_ends": "“{name}” ends at {trained}: there is no vector for the next position.",
    "learn_positions_measured": "Measured on {date}: {windows, number} windows of {length} bytes, each point the mean"
    " of {width} positions. All were trained for the same {steps, number} steps, on {trained} bytes at once. {cpu},"
    " torch {torch};",
    "learn_positions_lesson_length": "At the trained length, {trained} bytes, sines need {sinusoidal} bits per byte"
    " and no positions {none}; near {length} bytes they need {sinusoidal_beyond} and {none_beyond}.",
    "learn_positions_try_place": "A head that uses positions",
    "learn_positions_try_token": "A head that uses tokens",
    "learn_positions_try_beyond": "Beyond the trained length",
    "learn_positions_question": "Head {head} of “{model}”, first layer: leave the three terms with a position out of"
    " its scores. Does the chosen token still attend most to the same key?",
    "learn_positions_choice_same": "Yes, to the same one",
    "learn_positions_choice_other": "No, to another",
    "learn_positions_answer": "With all four terms “{query}” attends most to “{whole}” at {place}; with token · token"
    " alone, to “{alone}” at {other}.",
}
