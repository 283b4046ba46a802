"""Messages of Learn's section "Self-attention"."""

from __future__ import annotations

MESSAGES = {
    "learn_self_attention_title": "Self-attention",
    "learn_self_attention_text": "Self-attention lets every word gather information from the others.\n\nHere a word is"
    " an arrow: drag it. The dot product of two arrows (across × across + up × up) is large when both are long and"
    " point the same way, and negative if their angle exceeds 90°. The softmax turns a word’s dot products into"
    " weights: e to the power of each, divided by the sum of these powers, so they add up to 1. The word’s output y is"
    " the sum of all arrows, each times its weight; rings mark the other words’ y.\n\nNothing is learned here, and"
    " order plays no part: “the” occurs twice with the same arrow, so both get the same y.",
    "learn_self_attention_words": "Words",
    "learn_self_attention_plane": "Words as arrows in the plane. You can drag each tip, or move it with the arrow"
    " keys.",
    "learn_self_attention_tip": "{word}: {x} across, {y} up. The arrow keys move it.",
    "learn_self_attention_products": "Dot products x·x",
    "learn_self_attention_weights": "Weights w: the softmax of each row",
    "learn_self_attention_row": "Show the sum for “{word}”",
    "learn_self_attention_sum": "y = {terms} = ({x}, {y})",
    "learn_self_attention_lesson": "“{word}” attends most to {most, select, self {itself} other {“{other}”}}: {share}"
    " of its output comes from there. Drag an arrow to change that.",
    "learn_self_attention_try_long": "“{word}” twice as long",
    "learn_self_attention_try_square": "“{word}” at a right angle to “{other}”",
    "learn_self_attention_try_short": "All arrows very short",
    "learn_self_attention_puzzle": "Make “{word}” attend more to “{other}” than to itself, without moving “{word}”.",
    "learn_self_attention_question": "All arrows shrink to a tenth of their length. What do the weights become?",
    "learn_self_attention_same": "They stay the same: only the lengths have changed",
    "learn_self_attention_even": "Almost the same for every word",
    "learn_self_attention_zero": "Almost 0, because the dot products are almost 0",
    "learn_self_attention_answer": "The dot products shrink a hundredfold, to {least} … {most}. The softmax of numbers"
    " so close to each other gives each word a weight between {low} and {high}.",
}
