"""Messages of Learn's section "Positions"."""

from __future__ import annotations

MESSAGES = {
    "learn_positions_title": "Positions",
    "learn_positions_text": "Attention reads a set: a classifier without positions gives a text and its shuffled words"
    " the same verdict. So each position gets a vector p, added to the token’s x.\n\nEvery score is then a product of"
    " two sums, and so a sum of four terms: token with token, token with position, position with token, position with"
    " position. Some heads use only the last one.\n\nLearned vectors p exist only for the positions seen in training."
    " Sines can be computed for any position, but beyond those they give vectors the model has never seen, and its"
    " predictions collapse. A model without p is worse at nearly every position, but does not collapse: it meets no new"
    " vectors.",
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
    "learn_positions_classifier": "{name}{positions, select, none {: without positions} learned {: learned positions}"
    " sinusoidal {: sinusoidal positions} other {: {positions} positions}}",
    "learn_positions_positive": "{share} positive",
    "learn_positions_moved": "{kind, select, equal {Unchanged, up to rounding.} other {Changes by {by} points.}}",
    "learn_positions_lesson_still": "Both orders are the same: click two words, or shuffle.",
    "learn_positions_lesson_order": "With the words in another order, “{name}” goes from {before} positive to {after};"
    " “{bag}”, without positions, reads the same set and does not change.",
    "learn_positions_head": "Head",
    "learn_positions_query": "of the first layer. Click the query token:",
    "learn_positions_token": "“{label}” at position {position}",
    "learn_positions_chart_score": "The score of each key, as a stack of its four terms. Click one to see its parts.",
    "learn_positions_keys": "key",
    "learn_positions_score": "score",
    "learn_positions_token_token": "token · token",
    "learn_positions_token_position": "token · position",
    "learn_positions_position_token": "position · token",
    "learn_positions_position_position": "position · position",
    "learn_positions_query_token": "query’s token",
    "learn_positions_query_position": "query’s position",
    "learn_positions_key_token": "key’s token",
    "learn_positions_key_position": "key’s position",
    "learn_positions_pair": "Query “{query}” at {at}, key “{key}” at {position}",
    "learn_positions_together": "The four terms add up to {sum}. The model’s own score is {score}, which gives a weight"
    " of {weight}. Over all keys, sum and score differ by at most {error}. The layer norm divides each part by the same"
    " number as the whole; its bias is counted with the token.",
    "learn_positions_lesson_score": "Head {head}: “{query}” gives {share} to “{key}”, {where, select, self {itself} one"
    " {the token before} other {{back} tokens back}}. The score is {score}; its largest term is {term}: {value}.",
    "learn_positions_chart_length": "Bits for the next byte, by how many bytes were read. The vertical line marks the"
    " trained length, {trained}.",
    "learn_positions_line": "{positions, select, learned {learned} sinusoidal {sines} none {no positions} other"
    " {{positions}}} ({name})",
    "learn_positions_read": "bytes read",
    "learn_positions_bits": "bits for the next byte",
    "learn_positions_ends": "“{name}” ends at position {trained}: it has no vector for any position after that.",
    "learn_positions_measured": "Measured on {date}: {windows, number} windows of {length} bytes; each point is the"
    " mean of {width} positions. All models were trained for {steps, number} steps on windows of {trained} bytes."
    " {cpu}, torch {torch};",
    "learn_positions_lesson_length": "At the trained length, {trained} bytes, sines need {sinusoidal} bits per byte"
    " and no positions {none}; near {length} bytes they need {sinusoidal_beyond} and {none_beyond}.",
    "learn_positions_try_position": "A head that uses positions",
    "learn_positions_try_token": "A head that uses tokens",
    "learn_positions_try_beyond": "Beyond the trained length",
    "learn_positions_question": "In head {head} of the first layer of “{model}”, leave out the three terms that contain"
    " a position. Does the chosen token still attend most to the same key?",
    "learn_positions_choice_same": "Yes, to the same one",
    "learn_positions_choice_other": "No, to another",
    "learn_positions_answer": "With all four terms “{query}” attends most to “{whole}” at {position}; with token ·"
    " token alone, to “{alone}” at {other}.",
}
