"""Messages of Learn's section "Scaling"."""

from __future__ import annotations

MESSAGES = {
    "learn_scaling_title": "Scaling",
    "learn_scaling_text": "Scores are divided by √k, so that the softmax stays soft enough to learn, whatever the size"
    " of the vectors.\n\nA dot product of two vectors of size k is a sum of k products. For random numbers (mean 0,"
    " standard deviation 1) its standard deviation is √k. The softmax of widely spread scores gives nearly all weight"
    " to one key, and its gradient, the slope that training follows, almost vanishes: the model cannot learn to attend"
    " elsewhere. Dividing by √k makes the standard deviation 1 again, for any k.\n\nThe article argues with a vector of"
    " k equal numbers c, whose length is √k · c. That shows how length grows; the reason for the root is the spread of"
    " the scores. Where eight heads share a vector of 256 numbers, k is the size of one head: 32.",
    "learn_scaling_measure": "Measure",
    "learn_scaling_mean": "mean",
    "learn_scaling_spread": "spread",
    "learn_scaling_spread_hint": "Standard deviation of the dot products: how far they are spread out",
    "learn_scaling_entropy": "entropy, bits",
    "learn_scaling_entropy_hint": "Of the softmax over 16 keys: 4 bits if all weights are equal, 0 if one key has all",
    "learn_scaling_gradient": "gradient",
    "learn_scaling_gradient_hint": "Size of the softmax’s gradient: the norm of its matrix of derivatives",
    "learn_scaling_seed": "Seed",
    "learn_scaling_size": "k, the size of a vector",
    "learn_scaling_size_is": "k = {k}, √k = {root}",
    "learn_scaling_plain": "q·k",
    "learn_scaling_scaled": "q·k / √k",
    "learn_scaling_row_plain": "16 weights from q·k",
    "learn_scaling_row_scaled": "16 weights from q·k / √k",
    "learn_scaling_chart": "The measured value for k = 2 to k = 1,024, with division by √k and without. Click to choose"
    " k.",
    "learn_scaling_show": "Vectors",
    "learn_scaling_show_random": "Random",
    "learn_scaling_show_trained": "Trained",
    "learn_scaling_show_random_hint": "Random vectors, from k = 2 to k = 1,024",
    "learn_scaling_show_trained_hint": "Two models trained alike, except that one does not divide by √s",
    "learn_scaling_field": "Text, up to {most} bytes",
    "learn_scaling_chart_trained": "How spread out each head’s attention is: the mean entropy of its rows, in bits,"
    " with division by √s and without",
    "learn_scaling_head": "layer {layer}, head {head}",
    "learn_scaling_with_scaled": "with √s",
    "learn_scaling_with_plain": "without",
    "learn_scaling_model": "{name}, {with}",
    "learn_scaling_mean_entropy": "entropy of its rows",
    "learn_scaling_surprise": "bits per byte of this text",
    "learn_scaling_bits": "on the validation text",
    "learn_scaling_none": "–",
    "learn_scaling_alike": "Both were trained on the same bytes for 500 steps from the same seed; the heads have size"
    " s = 16, so √s is 4. A row’s entropy is highest when all its weights are equal.",
    "learn_scaling_lesson_trained": "On this text the rows have a mean entropy of {scaled} bits with division by √s,"
    " {plain} without; equal weights would have {even}. According to the models’ cards, the loss is {bits} bits per"
    " byte with the division, {other} without.",
    "learn_scaling_lesson_spread": "At k = {k} the dot products have a standard deviation of {plain} (√k is {root});"
    " after dividing by √k it is {scaled}.",
    "learn_scaling_lesson_entropy": "At k = {k} the weights of a row have an entropy of {plain} bits on average; after"
    " dividing by √k, which is {root}, of {scaled} (4 if all are equal).",
    "learn_scaling_lesson_gradient": "At k = {k} the softmax’s gradient has size {plain}; after dividing by √k, which"
    " is {root}, it is {scaled}.",
    "learn_scaling_try": "k = {k}",
    "learn_scaling_try_trained": "Two trained models",
    "learn_scaling_try_gradient": "The gradient at k = 1,024",
    "learn_scaling_question": "k grows fourfold, from 16 to 64. How does the standard deviation of the dot products"
    " grow?",
    "learn_scaling_choice_four": "Fourfold",
    "learn_scaling_choice_two": "Twofold",
    "learn_scaling_choice_same": "Not at all",
    "learn_scaling_answer": "Measured here: {before} at k = 16, {after} at k = 64, which is {ratio} times as much.",
}
