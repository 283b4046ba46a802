"""Messages of Learn's section "Sparse"."""

from __future__ import annotations

MESSAGES = {
    "learn_sparse_title": "Sparse",
    "learn_sparse_text": "In dense attention every token attends to every token, in t² cells, most of them with almost"
    " no weight. A sparse transformer computes only a pattern of cells: near keys, and some far ones that stand in for"
    " the rest.\n\nWith a stride of √t a query has at most about 2√t keys, so a layer costs on the order of t√t. Later"
    " layers can connect pairs that one layer does not.\n\nThe pattern is chosen, not learned, and it fixes the paths"
    " information can take. A mask alone saves nothing, because a dense kernel computes cells that are then thrown"
    " away; here the pattern is cut into small dense products, and no t × t table is ever stored.",
    "learn_sparse_show": "Show",
    "learn_sparse_show_pattern": "pattern",
    "learn_sparse_show_time": "time",
    "learn_sparse_show_memory": "memory",
    "learn_sparse_show_pattern_hint": "Which cells are computed, and which pairs are connected after each layer",
    "learn_sparse_show_time_hint": "A forward and a backward pass, as texts get longer",
    "learn_sparse_show_memory_hint": "The peak memory of such a pass",
    "learn_sparse_kind": "Pattern",
    "learn_sparse_kind_local": "local",
    "learn_sparse_kind_strided": "strided",
    "learn_sparse_kind_fixed": "fixed",
    "learn_sparse_kind_local_hint": "The last l tokens",
    "learn_sparse_kind_strided_hint": "The last l tokens, and every l-th token before them",
    "learn_sparse_kind_fixed_hint": "The query’s own block of l tokens, and the last token of each block before",
    "learn_sparse_t": "Tokens t",
    "learn_sparse_size": "Stride l",
    "learn_sparse_play_hint": "One layer after another; with reduced motion, one per press",
    "learn_sparse_step": "Layers",
    "learn_sparse_step_is": "{layers, plural, one {# layer} other {# layers}}",
    "learn_sparse_map": "Which input an output can depend on: a row for each output, a column for each input",
    "learn_sparse_outputs": "outputs",
    "learn_sparse_inputs": "inputs",
    "learn_sparse_cell": "{when, select, now {Output {row} sees input {column}: the pattern has this cell.} later"
    " {Output {row} can depend on input {column} after {layers, plural, one {# layer} other {# layers}}.} long {Output"
    " {row} needs more than {layers} layers to depend on input {column}.} other {Input {column} comes after output"
    " {row}, which never sees it.}}",
    "learn_sparse_legend_one": "in the pattern",
    "learn_sparse_legend_more": "reached by later layers (the later, the fainter)",
    "learn_sparse_reached": "Connected pairs",
    "learn_sparse_after": "after {layers, plural, one {# layer} other {# layers}}",
    "learn_sparse_cells": "{cells} of {causal} cells are computed ({share}): a query has {keys} keys on average. The"
    " result differs from masked dense attention by at most {error}.",
    "learn_sparse_way_strided": "strided",
    "learn_sparse_way_fixed": "fixed",
    "learn_sparse_way_causal": "dense, fused",
    "learn_sparse_way_masked": "dense, fused, under the strided mask",
    "learn_sparse_way_equation": "dense, by the equation",
    "learn_sparse_tokens": "tokens",
    "learn_sparse_axis_time": "milliseconds",
    "learn_sparse_axis_memory": "MB",
    "learn_sparse_chart_time": "Time of a forward and a backward pass by text length, for each method",
    "learn_sparse_chart_memory": "Peak memory of a forward and a backward pass by text length, for each method",
    "learn_sparse_long": "At 16,384 tokens and a stride of 128 the strided pattern has {strided} cells, the fixed one"
    " {fixed}, a causal mask {causal}.",
    "learn_sparse_measured": "Measured on {date}: {heads} heads of size {size}, stride √t. The time is the processor"
    " time of the fastest of a few passes (beyond 4,096 tokens, of a single pass). {cpu}, {threads, plural, one {#"
    " thread} other {# threads}}, torch {torch};",
    "learn_sparse_lesson_pattern": "{cells} of {causal} cells are computed. After {layers, plural, one {# layer} other"
    " {# layers}} {share} of all pairs are connected{joined, select, never {; even {most} layers do not connect all}"
    " now {: every token can depend on every earlier one} other {; after {all, plural, one"
    " {# layer} other {# layers}} every token can depend on every earlier one}}.",
    "learn_sparse_lesson_time": "{t, number} tokens: {strided} ms strided, {dense} ms dense, which is {times} times as"
    " long.",
    "learn_sparse_lesson_memory": "{t, number} tokens take {strided} MB strided and {dense} MB dense, with a fused"
    " kernel. Neither stores the whole table of scores. The equation stores it: {at, number} tokens already take"
    " {equation} MB.",
    "learn_sparse_try_fixed": "Fixed",
    "learn_sparse_try_local": "Only near keys",
    "learn_sparse_try_time": "What it costs",
    "learn_sparse_question": "With the current pattern, how many layers does it take until every token can depend on"
    " every earlier one?",
    "learn_sparse_choice_one": "One",
    "learn_sparse_choice_two": "Two",
    "learn_sparse_choice_more": "More",
    "learn_sparse_answer": "{kind, select, local {The local} strided {The strided} other {The fixed}} pattern of"
    " stride {size} over {t} tokens: {share} of all pairs are connected after one layer, {second} after two.",
}
