"""Messages of Learn's section "In PyTorch"."""

from __future__ import annotations

MESSAGES = {
    "learn_in_pytorch_title": "In PyTorch",
    "learn_in_pytorch_text": "Self-attention is three lines of PyTorch.\n\nx holds a sentence, one row for each word;"
    " the vectors are those that a classifier of film reviews has learned. The first line computes all dot products"
    " at once, the second turns each row into weights, the third computes all outputs. These vectors are short: as"
    " they are, every word gives a share to every other, and the rows of y look alike. Multiplied by 16, each word"
    " chooses.\n\nThe plain loop below does the same, number by number. Only the time differs: a matrix product is a"
    " single call to compiled code. The first number of each shape is the batch size: the same three lines could"
    " process several sentences at once.",
    "learn_in_pytorch_text_field": "Text, up to {most} words",
    "learn_in_pytorch_x": "x = vectors of “{model}”",
    "learn_in_pytorch_raw_label": "The raw weights: the dot product of each word with every word",
    "learn_in_pytorch_weights_label": "The weights: the softmax of each row",
    "learn_in_pytorch_read": "{name}[0, {row}, {column}] = {value}: number {column} of “{word}”",
    "learn_in_pytorch_read_pair": "{name}[0, {row}, {column}] = {value}: from “{word}” to “{other}”",
    "learn_in_pytorch_point": "Point at a tensor to read its numbers.",
    "learn_in_pytorch_measure": "Measure again",
    "learn_in_pytorch_time_loop": "Plain loop",
    "learn_in_pytorch_time_lines": "Three lines",
    "learn_in_pytorch_microseconds": "{value} µs",
    "learn_in_pytorch_milliseconds": "{value} ms",
    "learn_in_pytorch_times": "{factor} times as fast for {words, plural, one {# word} other {# words}}, just now on"
    " this server. The outputs agree up to rounding ({error}).",
    "learn_in_pytorch_times_factor": "vectors × {factor}",
    "learn_in_pytorch_lesson": "Equal weights would be {even}. With the vectors as trained, no weight is above"
    " {plain}{factor, select, 1 {} other {; with vectors × {factor}, “{word}” gives “{other}” {share}}}.",
    "learn_in_pytorch_try_swap": "Swap two words",
    "learn_in_pytorch_try_longer": "Vectors × {factor}",
    "learn_in_pytorch_try_copies": "Time the sentence repeated {copies} times",
    "learn_in_pytorch_question": "What sums to 1 in the tensor of weights?",
    "learn_in_pytorch_choice_rows": "Each row",
    "learn_in_pytorch_choice_columns": "Each column",
    "learn_in_pytorch_choice_both": "Each row and each column",
    "learn_in_pytorch_answer": "For your sentence the rows sum to {rows}, the columns to {columns}: each word’s own"
    " weights add up to 1, but some words receive more attention in total than others.",
}
