"""Messages of Learn's section "Several heads"."""

from __future__ import annotations

MESSAGES = {
    "learn_several_heads_title": "Several heads",
    "learn_several_heads_text": "With several heads, a word attends in several ways at once.\n\nOne head has one set of"
    " weights. “gave” then gets giver, gift and receiver in one sum: in different amounts, but always in the same way."
    " With several heads, each has its own queries, keys and values, and its output fills its own part of y.\n\nHeads"
    " alone do not show who comes first. Without positions and without a mask a sentence is a set: swap mary and susan,"
    " and y of “gave” stays the same up to rounding, whatever the matrices. Here they are set by hand so that each"
    " number of y is the weight of one word; the table repeats the test with random and with trained matrices.",
    "learn_several_heads_show": "Show",
    "learn_several_heads_show_gave": "who gave",
    "learn_several_heads_show_gave_hint": "What the heads of “gave” attend to, and what a swap of two words changes",
    "learn_several_heads_show_sizes": "three forms",
    "learn_several_heads_show_sizes_hint": "Parameters and time of narrow, wide and chunked heads, and their loss",
    "learn_several_heads_heads": "Heads",
    "learn_several_heads_heads_one": "One",
    "learn_several_heads_heads_four": "Four",
    "learn_several_heads_heads_one_hint": "One set of weights: everything that “gave” attends to is added up",
    "learn_several_heads_heads_four_hint": "Four sets of weights, and a part of y for each",
    "learn_several_heads_positions": "Positions",
    "learn_several_heads_positions_off": "Off",
    "learn_several_heads_positions_on": "On",
    "learn_several_heads_positions_off_hint": "A word’s vector says only which word it is",
    "learn_several_heads_positions_on_hint": "A word’s vector also says where the word is",
    "learn_several_heads_before": "As written",
    "learn_several_heads_after": "mary and susan swapped",
    "learn_several_heads_picture": "{sentence}: what each head of “gave” attends to",
    "learn_several_heads_parts": "y of “gave”, in {count, plural, one {one part} other {# parts}}",
    "learn_several_heads_all": "all words in one sum",
    "learn_several_heads_giver": "giver",
    "learn_several_heads_gift": "gift",
    "learn_several_heads_receiver": "receiver",
    "learn_several_heads_itself": "verb",
    "learn_several_heads_lesson_same": "Swap mary and susan, and y of “gave” does not change: without positions"
    " {count, plural, one {one head} other {# heads}} cannot tell who comes first.",
    "learn_several_heads_lesson_amounts": "One head with positions: y of “gave” is a single sum with {first} of mary"
    " and {second} of susan. After the swap only these amounts differ.",
    "learn_several_heads_lesson_parts": "Four heads with positions: the giver’s part of y is {first} mary, and after"
    " the swap {second} susan. Giver and receiver are in different parts.",
    "learn_several_heads_lesson_forms": "k = {k, number}, h = {heads, number}: {divides, select, yes {narrow heads have"
    " {narrow} parameters, wide ones {wide}, chunked ones {chunked}.} other {wide heads have {wide} parameters. The"
    " other forms cut k into h equal parts, which is impossible here.}}",
    "learn_several_heads_moves": "How much the output of “gave” changes after the swap",
    "learn_several_heads_made_hand": "set by hand",
    "learn_several_heads_made_random": "random",
    "learn_several_heads_made_learned": "learned: {model}, first layer",
    "learn_several_heads_matrices": "Matrices",
    "learn_several_heads_without": "No positions",
    "learn_several_heads_with": "Positions",
    "learn_several_heads_none": "–",
    "learn_several_heads_forms": "The three forms: parameters and time",
    "learn_several_heads_time": "Time",
    "learn_several_heads_milliseconds": "{value} ms",
    "learn_several_heads_too_large": "not run",
    "learn_several_heads_trained": "Loss of trained models",
    "learn_several_heads_change": "Model",
    "learn_several_heads_parameters": "Parameters",
    "learn_several_heads_bits": "Bits per byte",
    "learn_several_heads_trained_same": "four narrow heads, joined",
    "learn_several_heads_trained_unify": "without unifyheads",
    "learn_several_heads_trained_one": "one head",
    "learn_several_heads_trained_wide": "four wide heads",
    "learn_several_heads_worth": "From the models’ cards; each model was trained for {steps, number} steps on the same"
    " bytes, and lower is better. Without unifyheads there are {maps, number} fewer parameters, and the loss is {unify}"
    " bits higher. With one head instead of {heads} it is {one} bits higher. These are single runs: a few hundredths"
    " may be chance.",
    "learn_several_heads_emb": "k, size of a word’s vector",
    "learn_several_heads_count": "h, heads",
    "learn_several_heads_form": "Form",
    "learn_several_heads_size": "One head",
    "learn_several_heads_formula": "By formula",
    "learn_several_heads_counted": "Counted",
    "learn_several_heads_narrow": "narrow",
    "learn_several_heads_wide": "wide",
    "learn_several_heads_chunked": "chunked",
    "learn_several_heads_narrow_hint": "Each head maps the whole vector to k / h numbers",
    "learn_several_heads_wide_hint": "Each head maps the whole vector to k numbers",
    "learn_several_heads_chunked_hint": "The vector is cut into h chunks, and each head maps its own",
    "learn_several_heads_formula_narrow": "3k² + k² + k = {value, number}",
    "learn_several_heads_formula_wide": "3hk² + hk² + k = {value, number}",
    "learn_several_heads_formula_chunked": "3k²/h + k² + k = {value, number}",
    "learn_several_heads_divide": "k must be a multiple of h",
    "learn_several_heads_unify": "In the formulas, the first term counts queries, keys and values; the rest counts"
    " unifyheads, which joins the heads. Narrow heads cost no more than one head; wide ones cost h times as much. Time:"
    " the fastest of several calls on {words} words, just now, on the server.",
    "learn_several_heads_try_one": "One head, positions",
    "learn_several_heads_try_off": "Four heads, no positions",
    "learn_several_heads_try_paper": "k = 512, 8 heads",
    "learn_several_heads_question": "Eight heads, no positions, no mask, trained as long as you like. Can the output of"
    " “gave” show who the giver is?",
    "learn_several_heads_answer_never": "No, never",
    "learn_several_heads_answer_heads": "Yes: one head for the giver, one for the receiver",
    "learn_several_heads_answer_training": "Only if the training data show it",
    "learn_several_heads_answer": "Without positions, y of “gave” changed by at most {without}, whether the matrices"
    " were set by hand, random or learned: this is rounding. With positions, it changed by up to {with}.",
}
