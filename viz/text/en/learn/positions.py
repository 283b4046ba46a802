"""Section "Positions" says."""

from __future__ import annotations

MESSAGES = {
    "learn_positions_title": "Positions",
    "learn_positions_text": "Attention reads a set: a classifier without positions gives a text and its shuffle the"
    " same verdict. So each place gets a vector p, which is added to the token’s x. Every score is then a product of"
    " two sums and comes apart into four terms: token with token, token with place, place with token, place with"
    " place. Some heads go by the last alone.\n\nA learned p exists for the places of the training and for none"
    " beyond. Sines go on for ever, but beyond the training they make vectors that the model never saw, and it is"
    " lost. A model without p does worse at nearly every place, but hardly any worse beyond: it meets no new vectors.",
    "learn_positions_show": "Show",
    "learn_positions_show_order": "Order",
    "learn_positions_show_score": "Score",
    "learn_positions_show_length": "Length",
    "learn_positions_show_order_hint": "The verdict on a text and on its words in another order",
    "learn_positions_show_score_hint": "The score of a trained head as the sum of four terms",
    "learn_positions_show_length_hint": "The loss at each place, within the trained length and beyond it",
    "learn_positions_field": "Text",
    "learn_positions_typed": "As typed",
    "learn_positions_other": "In another order",
    "learn_positions_swap": "Click two words, and they change places.",
    "learn_positions_shuffle": "Shuffle",
    "learn_positions_classifier": "{name}{positions, select, none {: without positions} other {: {positions}"
    " positions}}",
    "learn_positions_positive": "{share} positive",
    "learn_positions_moved": "{kind, select, equal {Does not move, to rounding.} other {Moves by {by} points.}}",
    "learn_positions_lesson_still": "Both orders are the same: click two words, or shuffle.",
    "learn_positions_lesson_order": "In another order “{name}” goes from {before} positive to {after}; “{bag}”, which"
    " has no positions, reads the same set and stays.",
    "learn_positions_head": "Head",
    "learn_positions_query": "of the first layer. Click the token that asks:",
    "learn_positions_token": "“{label}” at place {place}",
    "learn_positions_chart_score": "The score of each key, as a stack of its four terms. A click takes one apart.",
    "learn_positions_keys": "key",
    "learn_positions_score": "score",
    "learn_positions_token_token": "token · token",
    "learn_positions_token_place": "token · place",
    "learn_positions_place_token": "place · token",
    "learn_positions_place_place": "place · place",
    "learn_positions_query_token": "query’s token",
    "learn_positions_query_place": "query’s place",
    "learn_positions_key_token": "key’s token",
    "learn_positions_key_place": "key’s place",
    "learn_positions_pair": "Query “{query}” at {at}, key “{key}” at {place}",
    "learn_positions_together": "Together {sum}; the model’s own score is {score}, which gives a weight of {weight}."
    " Over all keys the two differ by {error} at most. The norm’s divisor is kept as it was for the whole sum, and the"
    " norm’s bias is counted with the token.",
    "learn_positions_lesson_score": "Head {head}: “{query}” gives {share} to “{key}”, {where, select, self {itself} one"
    " {the token before} other {{back} tokens back}}. Of that score, {score}, the largest term is {term}: {value}.",
    "learn_positions_chart_length": "Bits for the next byte by how many bytes were read. The upright line marks the"
    " trained length, {trained}.",
    "learn_positions_line": "{positions, select, learned {learned} sinusoidal {sines} none {no positions} other"
    " {{positions}}} ({name})",
    "learn_positions_read": "bytes read",
    "learn_positions_bits": "bits for the next byte",
    "learn_positions_ends": "“{name}” ends at {trained}: there is no vector for the next place.",
    "learn_positions_measured": "Measured on {date}: {windows, number} windows of {length} bytes, the mean of {width}"
    " places each. All were trained for the same {steps, number} steps, on {trained} bytes at once. {cpu}, torch"
    " {torch};",
    "learn_positions_lesson_length": "At the trained length, {trained} bytes, sines stand at {sinusoidal} bits per"
    " byte and no positions at {none}; near {length} bytes they stand at {sinusoidal_beyond} and {none_beyond}.",
    "learn_positions_try_place": "A head that goes by place",
    "learn_positions_try_token": "A head that goes by token",
    "learn_positions_try_beyond": "Beyond the trained length",
    "learn_positions_question": "Head {head} of “{model}”, first layer: leave the three terms with a place out of its"
    " scores. Does the chosen token still look most at the same key?",
    "learn_positions_choice_same": "Yes, at the same one",
    "learn_positions_choice_other": "No, at another",
    "learn_positions_answer": "With all four terms “{query}” looks most at “{whole}” at {place}; by token · token alone"
    " at “{alone}” at {other}.",
}
