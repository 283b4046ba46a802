"""Messages of tab Mask."""

from __future__ import annotations

MESSAGES = {
    "tab_mask": "Mask",
    "mask_text": "Text, up to {limit} tokens shown",
    "mask_text_hint": "A short text",
    "mask_cut": "Your text has {total} tokens; the first {limit} are shown.",
    "mask_kind": "Mask",
    "mask_none": "none",
    "mask_none_hint": "Every token attends to every token",
    "mask_causal": "causal",
    "mask_causal_hint": "A token attends to itself and to the tokens before it",
    "mask_local": "local window",
    "mask_local_hint": "A token attends to the last few tokens, including itself",
    "mask_strided": "strided",
    "mask_strided_hint": "A token attends to the last few tokens and, further back, to every token a whole number of"
    " strides away",
    "mask_fixed": "fixed",
    "mask_fixed_hint": "A token attends to its own block, and to the last token of each block before",
    "mask_full_none": "no mask",
    "mask_full_causal": "the causal mask",
    "mask_full_local": "a local window of {size}",
    "mask_full_strided": "the strided mask with stride {size}",
    "mask_full_fixed": "the fixed mask with stride {size}",
    "mask_size_local": "window",
    "mask_size_strided": "stride",
    "mask_size_fixed": "stride",
    "mask_cells": "{cells} of {all} cells",
    "mask_stages": "Scores, mask, softmax",
    "mask_map_scores": "Scores q·k / √{size}",
    "mask_map_masked": "With the mask: −∞",
    "mask_map_weights": "Softmax: the weights",
    "mask_map_label": "{name}. Up and down choose a row, left and right go through its steps.",
    "mask_reading": "{query} → {key}: score {score}; the mask keeps it; weight {weight}",
    "mask_reading_hidden": "{query} → {key}: score {score}; the mask makes it −∞, so its weight is 0",
    "mask_point": "Point at a cell to read it; click it to go through the steps of its row. The mask applies in every"
    " layer.",
    "mask_row": "Row",
    "mask_back": "← Back",
    "mask_next": "Next →",
    "mask_step": "Step {at} of {count}: {name}",
    "mask_step_scores": "scores",
    "mask_step_masked": "mask",
    "mask_step_exp": "exp",
    "mask_step_sum": "sum",
    "mask_step_weights": "weights",
    "mask_line_scores": "score",
    "mask_line_masked": "masked",
    "mask_line_exp": "exp(· − max)",
    "mask_line_weights": "weight",
    "mask_say_scores": "{query} has a score with every token: {count, plural, one {# score} other {# scores}}, from"
    " {least} to {most}.",
    "mask_say_masked": "The mask sets {hidden} of the {count} scores to −∞; {left, plural, one {# remains} other {#"
    " remain}}.",
    "mask_say_masked_none": "No score of this row is masked: all {count} remain.",
    "mask_say_exp": "Subtract the largest remaining score, {most}, and take exp: {key} becomes 1, every −∞ exactly 0.",
    "mask_say_exp_none": "Subtract the largest score, {most}, and take exp: {key} becomes 1, every other number is"
    " less.",
    "mask_say_sum": "{left, plural, one {The remaining number is {sum}} other {The # remaining numbers add up to"
    " {sum}}}.",
    "mask_say_weights": "Divided by {sum}, they sum to 1; {key} gets the largest weight, {share}. The model’s own"
    " weights agree to within {error}.",
    "mask_growth": "What a mask costs",
    "mask_costs": "Cells to compute:",
    "mask_growth_label": "Cells a mask keeps, up to 100,000 tokens. The arrow keys move along the axis.",
    "mask_growth_x": "tokens t",
    "mask_growth_y": "cells",
    "mask_growth_none": "none: t²",
    "mask_growth_causal": "causal: t(t+1)/2",
    "mask_growth_local": "local: ≈ t·{size}",
    "mask_growth_strided": "strided, stride √t: ≈ 1.5 t√t",
    "mask_growth_fixed": "fixed, stride √t: ≈ t√t",
    "mask_growth_own": "{name}, stride stays {size}: ≈ t²/{double}",
    "mask_growth_at": "At t = {tokens}{own, select, true { (your text)} other {}}",
    "mask_growth_saves": "{name}: {cells} of {all} cells, {part}",
    "mask_growth_how": "Both axes are logarithmic. Every number is counted exactly; √t is rounded down.",
    "mask_proof": "Change one token: which outputs change?",
    "mask_proof_masked": "Under {name}",
    "mask_proof_unmasked": "Without a mask",
    "mask_proof_side": "{side}.",
    "mask_proof_label": "{name}: a row for each output, a column for each changed token. The arrow keys choose the"
    " token.",
    "mask_proof_tokens": "Choose the token to change",
    "mask_proof_moves": "Changing {token} changes {outputs}; {rest, select, first {nothing comes before it} some"
    " {{count, plural, one {# of them comes before it and changes} other {# of them come before it and change}} by up"
    " to {most}} other {nothing before it changes: the largest change there is 0}}.",
    "mask_proof_all": "every output",
    "mask_proof_outputs": "{count, plural, one {output} other {outputs}} {ranges}",
    "mask_proof_how": "Measured on the running {model}: each token in turn is replaced by the next one in the"
    " vocabulary, and the model runs again. A cell is the largest change in any of the output’s {logits} logits.",
    "mask_proof_reading": "Changing {key} changes output {query} by {with_mask} with the mask, by {without} without.",
    "mask_proof_zero": "exactly 0",
    "mask_reach": "How far information can reach",
    "mask_reach_label": "Under each mask, after each layer: which outputs (rows) can depend on which tokens (columns).",
    "mask_reach_after": "after layer",
    "mask_reach_from": "Under {name}, a change of {token} can reach {steps}.",
    "mask_reach_step": "{outputs} after layer {layer}",
    "mask_reach_same": "{outputs} from layer {layer} on",
    "mask_reach_full": "Layers needed until every earlier token can have an effect: {list}.",
    "mask_reach_full_one": "{name}: {layers}",
    "mask_reach_full_more": "{name}: more than {layers}",
    "mask_reach_measured": "Measured on the running model after its {depth} layers: a change shows in {moved} of the"
    " {reached} pairs within reach, and in {outside} of the others.",
    "mask_cell_reach": "{name}, after layer {layer}: {pairs} of {all} pairs within reach",
    "mask_consequence": "If a model is trained without a mask",
    "mask_consequence_text": "Text, up to {limit} bytes",
    "mask_consequence_task": "on its own task",
    "mask_consequence_hidden": "next byte hidden",
    "mask_consequence_masked": "trained with the causal mask",
    "mask_consequence_unmasked": "trained without a mask",
    "mask_consequence_last": "Nearly all of its {own} bits per byte come from the last byte, the only one that it"
    " could not find in its input: {bits} bits.",
    "mask_consequence_last_part": "The last byte, the only one that it could not find in its input, costs {bits}"
    " bits; all the others together cost {rest}.",
    "mask_consequence_cheats": "{name} finds each next byte in its input, and needs {own} bits per byte; {masked}"
    " needs {other}. When it writes, that byte is not there yet, and it needs {hidden}; blind guessing needs {blind}.",
    "mask_consequence_rare": "{name} could see each next byte, but has not learned to copy all of them: it needs {own}"
    " bits per byte; {masked} needs {other}. When it writes, that byte is not there yet, and it needs {hidden}; blind"
    " guessing needs {blind}.",
    "mask_consequence_fair": "{name} never saw the next byte, so hiding it changes nothing.",
    "mask_consequence_writes": "Each continues the same text by {count} bytes, at temperature {temperature}, with the"
    " same seed.",
    "mask_consequence_seed": "Seed",
    "mask_consequence_dice": "Another random seed",
    "mask_consequence_switched": "{name}, trained with the mask, run without it",
    "mask_consequence_before": "with its mask",
    "mask_consequence_after": "without the mask",
    "mask_consequence_worse": "Without its mask it needs {by} more bits per byte: it never learned to read what comes"
    " later.",
    "mask_consequence_better": "On this text it needs {by} fewer bits per byte without its mask: here, what comes"
    " later happens to help. On a longer text it usually needs more.",
    "mask_consequence_missing": "This comparison needs {names}, which {count, plural, one {is} other {are}} not among"
    " the models here.",
    "mask_bits": "bits per byte",
    "mask_bits_of": "“{token}”: {bits} bits",
    "mask_waiting": "Measuring …",
    "mask_waiting_first": "Computing the scores …",
    "mask_lesson": "{mask, select, causal {The causal mask} local {A local window of {size}} strided {The strided mask"
    " with stride {size}} other {The fixed mask with stride {size}}} keeps {cells} of {all} scores.",
    "mask_lesson_moves": "{mask, select, causal {The causal mask} local {A local window of {size}} strided {The"
    " strided mask with stride {size}} other {The fixed mask with stride {size}}} keeps {cells} of {all} scores."
    " Changing {token} changes {outputs}{before, select, none {, none before it} other {}}; without the mask it would"
    " change {unmasked}.",
    "mask_lesson_none": "Without a mask, all {all} scores remain.",
    "mask_lesson_none_moves": "Without a mask, all {all} scores remain. Changing {token} changes {unmasked}{too,"
    " select, some {, also those before it} other {}}.",
    "mask_model": "Model",
    "mask_size_field": "Window or stride",
    # refusals
    "no_such_mask": "There is no such mask. Please choose one of those on the page.",
}
