"""Tab Explore says of what the model predicts, and of changing its heads."""

from __future__ import annotations

MESSAGES = {
    "edits": "Change the heads",
    "edits_none": "Nothing is changed: this is the model as it was trained.",
    "edits_many": "{limit} changes at once are the limit. Please take some of them back.",
    "edit_head": "Layer {layer}, head {head}",
    "edit_layer": "Layer {layer}, all heads",
    "edit_of": "{map}: {name}",
    "edit_whole": "the whole layer",
    "edit_off": "Switch off",
    "edit_off_hint": "The head adds nothing to the text’s representation; its weights can still be seen",
    "edit_uniform": "Make uniform",
    "edit_uniform_hint": "The head looks at every token it may see alike",
    "edit_undo": "As trained",
    "edit_undo_hint": "Take back what was done to this head",
    "edit_scale": "Scale what it adds",
    "edit_reset": "Reset all",
    "edit_reset_hint": "Take back every change",
    "edit_remove": "Take back: {words}",
    "edited_off": "{name}: off",
    "edited_uniform": "{name}: uniform",
    "edited_scale": "{name}: × {factor}",
    "effects_measure": "Measure every head",
    "effects_measure_hint": "Switch off each head in its turn, and see what the prediction loses",
    "effects_stop": "Stop",
    "effects_running": "Switching off each of {count} heads in its turn …",
    "effects_generator": "Of the {measured} heads measured, {name} matters most: without it the text costs {size} bits"
    " per {unit, select, piece {piece} other {byte}} more. The median head changes this by {median}.",
    "effects_generator_better": "Of the {measured} heads measured, {name} changes the most, and it hurts: without it"
    " the text costs {size} bits per {unit, select, piece {piece} other {byte}} less. The median head changes"
    " this by {median}.",
    "effects_bert": "Of the {measured} heads measured, {name} matters most: without it a hidden piece costs {size} bits"
    " more. The median head changes this by {median}.",
    "effects_bert_better": "Of the {measured} heads measured, {name} changes the most, and it hurts: without it a"
    " hidden piece costs {size} bits less. The median head changes this by {median}.",
    "effects_translator": "Of the {measured} heads measured, {name} of the {map} matters most: without it the answer"
    " costs {size} bits per character more. The median head changes this by {median}.",
    "effects_translator_better": "Of the {measured} heads measured, {name} of the {map} changes the most, and it"
    " hurts: without it the answer costs {size} bits per character less. The median head changes this by {median}.",
    "effects_classifier": "Of the {measured} heads measured, {name} carries the most of the verdict: without it the"
    " log-odds fall by {size}. The median head changes them by {median}.",
    "effects_classifier_better": "Of the {measured} heads measured, {name} changes the most, and it speaks against the"
    " verdict: without it the log-odds rise by {size}. The median head changes them by {median}.",
    "effects_show": "Show it",
    "prediction": "Prediction",
    "prediction_next": "What comes next",
    "prediction_verdict": "The verdict",
    "bits": "bits",
    "bits_per_byte": "bits per byte",
    "bits_per_character": "bits per character",
    "bits_per_piece": "bits per piece",
    "bits_per_word": "bits per word",
    "bits_worse": "({by} worse)",
    "bits_better": "({by} better)",
    "before_edits": "as trained",
    "after_edits": "with your changes",
    "answer_own": "It answers",
    "answer_typed": "Your answer",
    "answer_instead": "its own: {text}",
    "answer_under": "With what you changed it would answer",
    "answer_same": "as before",
    "answer_hint": "Type → and an answer after the date, and the decoder reads yours.",
    "surprise": "Surprise",
    "surprise_hint": "Each token’s colour is its surprise: point at one for the number.",
    "surprise_first": "{token} is the first: nothing came before it to predict it from.",
    "surprise_of": "{token}: {bits} bits. The model gave it {share} beforehand.",
    "blanks": "Fill in the blanks",
    "blanks_words": "The words of the text. Press one to hide it, and again to show it.",
    "blanks_hint": "Press a word to hide it; in the text it then stands in [brackets]. Beneath each word are the pieces"
    " that it is cut into: ## continues a word.",
    "blanks_hide": "Hide “{word}”",
    "blanks_show": "Show “{word}”",
    "blanks_reset": "Hide nothing",
    "blanks_at": "At {token}",
    "blanks_truth": "It was “{label}”:",
    "blanks_unknown": "Nobody knows what stood here.",
    "blanks_foreign": "The model’s vocabulary lacks {words}: it reads [UNK] in {count, plural, one {its} other {their}}"
    " place.",
    "blanks_none": "No word is hidden yet.",
    "blanks_no_surprise": "This model reads both sides of every word, so it has no surprise of a text read from left to"
    " right: that panel is left out.",
    "blanks_follows": "{likelier, select, yes {The second text follows the first} other {The second text does not"
    " follow the first}}; probability that it does:",
    "blanks_one_text": "Type [SEP] between two texts, and it says whether the second follows the first.",
    "lens": "What it would say at each depth",
    "lens_label": "The likeliest next token, a row for each depth, a column for each token. The arrow keys move, Enter"
    " chooses the layer and the token.",
    "lens_hint": "How this is read",
    "lens_means": "The logit lens: the model’s last norm and output layer, applied after each layer, as if it were the"
    " last. Each row is one layer further; the last row is what the model says. The stronger a cell’s colour, the"
    " surer.",
    "lens_right": "Underlined: this is what does come next in the text.",
    "lens_right_blanks": "Underlined: the word that is hidden there.",
    "lens_no_blanks": "Hide a word, and the lens shows what the model would say there at each depth.",
    "lens_input": "Before the first layer",
    "lens_input_short": "input",
    "lens_after": "After layer {layer}",
    "lens_at": "{depth}, at {token}",
    "lens_at_verdict": "{depth}",
    "words": "What carried the verdict",
    "words_ablation": "By taking it away",
    "words_ablation_how": "How far the verdict’s log-odds fall when this token alone becomes {blank}.",
    "words_attention": "By attention",
    "words_attention_how": "Its share of the attention that reaches the verdict, through all layers (rollout).",
    "words_measure": "Measure all {count} tokens",
    "words_together": "How far the verdict’s log-odds fall when {size} neighbours at once become {blank}: in a text"
    " this long, each of them alone would take too many runs.",
    "words_running": "Running the text again and again, each time without another token …",
    "words_caution": "Attention alone is not an explanation: it says where information could flow, not what the verdict"
    " would be without it. Only taking a word away tests that.",
    "words_agree_much": "Over {tokens} tokens the two rankings mostly agree (rank correlation {number}).",
    "words_agree_partly": "Over {tokens} tokens the two rankings agree in part (rank correlation {number}).",
    "words_agree_little": "Over {tokens} tokens the two rankings have little to do with each other (rank correlation"
    " {number}).",
    "words_agree_against": "Over {tokens} tokens the two rankings run against each other (rank correlation {number}).",
    "words_agree_none": "The two rankings cannot be compared here: one of them puts all alike.",
}
