"""Messages of tab Explore about the prediction, and about edits of heads."""

from __future__ import annotations

MESSAGES = {
    "edits": "Change the heads",
    "edits_none": "Nothing is changed: this is the model as trained.",
    "edits_count": "{count, plural, one {# change:} other {# changes:}}",
    "edits_many": "The limit is {limit} changes at once. Please undo some of them.",
    "edit_layer": "Layer {layer}, all heads",
    "edit_of": "{map}: {name}",
    "edit_whole": "the whole layer",
    "edit_off": "Switch off",
    "edit_off_hint": "The head adds nothing to the text’s vectors; its weights are still shown",
    "control_off": "Off",
    "control_off_hint": "Switch this head off, or on again",
    "edit_uniform": "Make uniform",
    "edit_uniform_hint": "The head attends equally to every token it may see",
    "edit_undo": "As trained",
    "edit_undo_hint": "Undo the changes of this head",
    "edit_scale": "Scale its output",
    "edit_reset": "Reset all",
    "edit_reset_hint": "Undo every change",
    "edit_remove": "Undo: {words}",
    "edited_off": "{name}: off",
    "edited_uniform": "{name}: uniform",
    "edited_scale": "{name}: × {factor}",
    "effects_measure": "Measure every head",
    "effects_measure_hint": "Switch off one head after another, to see how much worse the prediction gets",
    "effects_stop": "Stop",
    "effects_running": "Switching off each of {count} heads in turn …",
    "effects_off": "{off, plural, one {# head is} other {# heads are}} off and not measured.",
    "effects_on_text": "Of the {measured} heads measured, {name} matters most: without it the text costs {size} more"
    " bits per {unit, select, piece {token} other {byte}}. The median change for a head is {median}.",
    "effects_on_text_better": "Of the {measured} heads measured, {name} has the largest effect, and a harmful one:"
    " without it the text costs {size} fewer bits per {unit, select, piece {token} other {byte}}. The median change"
    " for a head is {median}.",
    "effects_on_hidden": "Of the {measured} heads measured, {name} matters most: without it a hidden token costs {size}"
    " more bits. The median change for a head is {median}.",
    "effects_on_hidden_better": "Of the {measured} heads measured, {name} has the largest effect, and a harmful one:"
    " without it a hidden token costs {size} fewer bits. The median change for a head is {median}.",
    "effects_on_answer": "Of the {measured} heads measured, {name} of the {map} matters most: without it the answer"
    " costs {size} more bits per character. The median change for a head is {median}.",
    "effects_on_answer_better": "Of the {measured} heads measured, {name} of the {map} has the largest effect, and a"
    " harmful one: without it the answer costs {size} fewer bits per character. The median change for a head is"
    " {median}.",
    "effects_on_verdict": "Of the {measured} heads measured, {name} contributes most to the verdict: without it the"
    " log-odds fall by {size}. The median change for a head is {median}.",
    "effects_on_verdict_better": "Of the {measured} heads measured, {name} has the largest effect, and it works"
    " against the verdict: without it the log-odds rise by {size}. The median change for a head is {median}.",
    "effects_show": "Show it",
    "prediction": "Prediction",
    "prediction_next": "What comes next",
    "prediction_verdict": "The verdict",
    "bits": "bits",
    "bits_per_byte": "bits per byte",
    "bits_per_character": "bits per character",
    "bits_per_piece": "bits per token",
    "bits_per_word": "bits per word",
    "bits_worse": "({by} worse)",
    "bits_better": "({by} better)",
    "rivals_none": "Choose A and B to compare two tokens.",
    "rivals_choose": "Compare {token}, as {side}",
    "rivals_clear": "Stop comparing",
    "rivals_compared": "{answer} rather than {rival}: their logits differ by {logits}, so {likelier, select, answer"
    " {{answer}} other {{rival}}} is {times} times as likely.",
    "before_edits": "as trained",
    "after_edits": "with your changes",
    "answer_own": "Its answer",
    "answer_typed": "Your answer",
    "answer_instead": "its own: {text}",
    "answer_under": "Its answer with your changes",
    "answer_same": "as before",
    "answer_hint": "Type → and an answer after the date, and the decoder reads yours.",
    "surprise": "Surprise",
    "surprise_hint": "The colour of each token shows its surprise: point at one for the number.",
    "surprise_first": "{token} is the first token: nothing before it could predict it.",
    "surprise_of": "{token}: {bits} bits. The model gave it a probability of {share}.",
    "blanks": "Fill in the blanks",
    "blanks_words": "The words of the text. Press one to hide it, and again to show it.",
    "blanks_hint": "Click a word to hide it; in the text it then appears in [brackets]. The word’s tokens are shown"
    " below it: ## continues a word.",
    "blanks_hide": "Hide “{word}”",
    "blanks_show": "Show “{word}”",
    "blanks_reset": "Show all words",
    "blanks_at": "At {token}",
    "blanks_truth": "It was “{label}”:",
    "blanks_unknown": "The hidden word is not known.",
    "blanks_foreign": "The model’s vocabulary lacks {words}: it reads [UNK] instead of {count, plural, one {it} other"
    " {them}}.",
    "blanks_none": "No word is hidden yet.",
    "blanks_no_surprise": "This model sees both sides of every word, so it has no surprise for a text read from left"
    " to right; that panel is left out.",
    "blanks_follows": "{likelier, select, yes {The second text follows the first} other {The second text does not"
    " follow the first}}; probability that it does:",
    "blanks_one_text": "Type [SEP] between two texts, and the model says whether the second follows the first.",
    "lens": "Prediction after each layer",
    "lens_label": "The most likely next token: a row for each depth, a column for each token. The arrow keys move,"
    " Enter chooses the layer and the token.",
    "lens_hint": "How to read this",
    "lens_means": "The logit lens: the model’s last norm and output layer are applied after each layer, as if it were"
    " the last. Each row is one layer further; the last row is the model’s own prediction. The stronger a cell’s"
    " colour, the higher the probability.",
    "lens_right": "Underlined: the token that does come next in the text.",
    "lens_right_blanks": "Underlined: the word that is hidden there.",
    "lens_input": "Before the first layer",
    "lens_input_short": "input",
    "lens_after": "After layer {layer}",
    "lens_at": "{depth}, at {token}",
    "lens_at_verdict": "{depth}",
    "words": "Which words decided the verdict",
    "words_ablation": "By removing a token",
    "words_ablation_how": "How far the verdict’s log-odds, ln(p / (1 − p)), fall when this token alone is replaced by"
    " {blank}.",
    "words_attention": "By attention",
    "words_attention_how": "The token’s share of the attention that reaches the verdict, through all layers (rollout).",
    "words_measure": "Measure all {count} tokens",
    "words_together": "How far the verdict’s log-odds fall when {size} neighbours at once are replaced by {blank}: in"
    " a text this long, replacing each alone would take too many runs.",
    "words_running": "Running the model on the text many times, each time with another token replaced …",
    "words_caution": "Attention alone is not an explanation: it shows where information could flow, not what the"
    " verdict would be without a word. Only removing the word tests that.",
    "words_agree_much": "Over {tokens} tokens the two rankings mostly agree (rank correlation {number}).",
    "words_agree_partly": "Over {tokens} tokens the two rankings agree in part (rank correlation {number}).",
    "words_agree_little": "Over {tokens} tokens the two rankings are almost unrelated (rank correlation {number}).",
    "words_agree_against": "Over {tokens} tokens the two rankings are opposed (rank correlation {number}).",
    "words_agree_none": "The two rankings cannot be compared here: one of them gives all tokens the same value.",
}
