"""Messages of Learn's section "Queries, keys, values"."""

from __future__ import annotations

MESSAGES = {
    "learn_queries_keys_values_title": "Queries, keys, values",
    "learn_queries_keys_values_text": "Every word is used three times: it asks (query: a row of the table), it is"
    " compared (key: a column), and it is passed on (value: its share of every y).\n\nIn the first section one arrow"
    " did all three. Now three matrices W turn it into three: a query, a key and a value.\n\nDrag the two dashed"
    " columns of a matrix: they show where it sends the arrows (1, 0) and (0, 1). The words lie on a circle, each a"
    " fifth of a turn after the one before. The starting matrices change nothing, so this is section 1 again, except"
    " that scores are divided by √s, here √2.",
    "learn_queries_keys_values_show": "Show",
    "learn_queries_keys_values_show_plane": "in the plane",
    "learn_queries_keys_values_show_plane_hint": "Three 2 × 2 matrices whose columns you drag",
    "learn_queries_keys_values_show_head": "a trained head",
    "learn_queries_keys_values_show_head_hint": "One head of a trained model, from its input to its output",
    "learn_queries_keys_values_plane": "{name}: the words after this matrix. You can drag its two columns, or move"
    " them with the arrow keys.",
    "learn_queries_keys_values_tip": "Column {number} of {name}: {x}, {y}. The arrow keys move it.",
    "learn_queries_keys_values_matrix_q": "W_q: queries",
    "learn_queries_keys_values_matrix_k": "W_k: keys",
    "learn_queries_keys_values_matrix_v": "W_v: values, and y",
    "learn_queries_keys_values_matrix": "[{a} {b}; {c} {d}]",
    "learn_queries_keys_values_scores": "Scores q·k / √2",
    "learn_queries_keys_values_weights": "Weights: the softmax of each row",
    "learn_queries_keys_values_row": "Show the three uses of “{word}”",
    "learn_queries_keys_values_uses": "As a query, “{word}” gets {share} of its output from “{most}” (its row). As a"
    " key, it gets the most attention from “{reader}”, {read} (its column). As a value, it has a weight of {all} in all"
    " outputs together (the sum of its column).",
    "learn_queries_keys_values_lesson": "“{word}” attends most to “{most}”, {share}. Drag a dashed column of a matrix"
    " to change the weights.",
    "learn_queries_keys_values_lesson_head": "In “{model}”, “{query}” gives “{key}” {share} of its attention. Click a"
    " number in q, k or v to trace it back to the model’s weights.",
    "learn_queries_keys_values_text_field": "Text, up to {most} tokens",
    "learn_queries_keys_values_step_layer": "Layer",
    "learn_queries_keys_values_step_head": "Head",
    "learn_queries_keys_values_step_query": "Query token",
    "learn_queries_keys_values_step_key": "Key token",
    "learn_queries_keys_values_x_of": "x of “{word}”",
    "learn_queries_keys_values_q_of": "q of “{word}”",
    "learn_queries_keys_values_k_of": "k of “{word}”",
    "learn_queries_keys_values_v_of": "v of “{word}”",
    "learn_queries_keys_values_out_of": "out of “{word}”",
    "learn_queries_keys_values_score": "score = q·k / √s = {product} / {root} = {score}",
    "learn_queries_keys_values_score_masked": "q·k = {product}, but “{key}” comes later than “{query}”: the mask makes"
    " the score −∞",
    "learn_queries_keys_values_weight": "weight = softmax over all keys that “{query}” may see = {weight}, so {share}"
    " of the value below goes into the output",
    "learn_queries_keys_values_trace": "{part}[{at}] of “{word}” = {sum}: the sum of {count} products of a model weight"
    " and a number in x",
    "learn_queries_keys_values_trace_file": "{tensor} in {file}",
    "learn_queries_keys_values_try_away": "W_k = −1: attend elsewhere",
    "learn_queries_keys_values_try_nothing": "W_q = 0: ask nothing",
    "learn_queries_keys_values_try_turn": "W_v: a quarter turn",
    "learn_queries_keys_values_puzzle": "Set W_q and W_k so that every word except the first attends most to the word"
    " before it.",
    "learn_queries_keys_values_question": "Only W_v changes. What else changes?",
    "learn_queries_keys_values_choice_weights": "The weights only",
    "learn_queries_keys_values_choice_outputs": "The outputs only",
    "learn_queries_keys_values_choice_both": "Weights and outputs",
    "learn_queries_keys_values_answer": "With other values the weights changed by {weights} and the outputs by up to"
    " {outputs}: queries and keys alone decide which word attends to which.",
}
