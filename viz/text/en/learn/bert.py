"""Messages of Learn's section "BERT"."""

from __future__ import annotations

MESSAGES = {
    "learn_bert_title": "BERT",
    "learn_bert_text": "BERT has no causal mask: every token attends to both sides.\n\nSo it cannot be trained to"
    " predict what comes next. Instead 15 % of the tokens are chosen, most of them are hidden behind [MASK], and the"
    " model predicts them. The tokens are WordPieces: a common word is one, a rare word is several, and ## continues a"
    " word.\n\nThe first token, [CLS], represents the whole text. From its last vector the model predicts whether the"
    " second of two texts follows the first. For another task, such as judging reviews, one new layer on that vector is"
    " enough, and all weights are trained a little further (fine-tuned).",
    "learn_bert_show": "Show",
    "learn_bert_show_words": "words",
    "learn_bert_show_texts": "two texts",
    "learn_bert_show_figures": "figures",
    "learn_bert_show_words_hint": "Press a word to hide it and see the model’s guess",
    "learn_bert_show_texts_hint": "Whether the second text follows the first, predicted from [CLS]",
    "learn_bert_show_figures_hint": "How often the model is right, measured after its training",
    "learn_bert_field": "Text",
    "learn_bert_first": "First",
    "learn_bert_second": "Second",
    "learn_bert_read": "The model’s input",
    "learn_bert_hidden": "A border marks what is hidden. [CLS] comes first, and [SEP] ends each text.",
    "learn_bert_ground": "The background of a token shows how much [CLS] attends to it in the last block (mean over"
    " the heads, on a square-root scale). A bar marks where the second text begins.",
    "learn_bert_piece": "“{label}”, {second, select, yes {of the second text} other {of the first text}}: [CLS] gives"
    " it {share}",
    "learn_bert_verdict": "The prediction from [CLS]",
    "learn_bert_follows": "it follows",
    "learn_bert_other": "it does not",
    "learn_bert_no_judge": "This model has no output layer for pairs of texts.",
    "learn_bert_card": "Both tasks, from the model’s card",
    "learn_bert_no_card": "The card of “{model}” has no figures for the two tasks.",
    "learn_bert_right": "correct",
    "learn_bert_without": "baseline",
    "learn_bert_masked_accuracy": "hidden tokens",
    "learn_bert_next_sentence_other": "follows, or is from another article",
    "learn_bert_next_sentence_same": "follows, or is from elsewhere in the article",
    "learn_bert_source": "Over {rows, plural, one {# row} other {{rows, number} rows}} of {split, select, val {the"
    " validation split} test {the test split} other {{split}}}, of up to {context} tokens. Baselines that ignore the"
    " text: always the most common token, and a guess between two equally frequent cases. Measured by",
    "learn_bert_masks": "The article’s ablation: hidden tokens predicted correctly after {steps} more steps of"
    " training",
    "learn_bert_mask": "{name, select, causal {each token sees only earlier ones} other {each token sees both sides}}",
    "learn_bert_masks_note": "Both models start from these weights and see the same rows; only the mask differs"
    " ([CLS] still sees all). Measured on the first million bytes of the validation split.",
    "learn_bert_tuned": "Fine-tuned to judge film reviews: share correct on {split, select, val {the validation split}"
    " test {the test split} other {{split}}}",
    "learn_bert_row": "{name, select, pretrained {pretrained} not_pretrained {not pretrained} causal {pretrained,"
    " fine-tuned under a causal mask} other {{name}}}",
    "learn_bert_alone": "Its card has nothing to compare with: neither the same model without pretraining nor one"
    " under a causal mask.",
    "learn_bert_not_tuned": "No fine-tuned model, bert-reviews, is available here, so there is nothing to compare"
    " pretraining with.",
    "learn_bert_lesson_none": "Press a word to hide it.",
    "learn_bert_lesson_word": "For {count, select, 1 {the hidden token} other {the first of {count} hidden tokens}} the"
    " model predicts “{said}” ({share}){known, select, right {, and that is right} yes {; the right one is “{truth}”"
    " ({chance})} other {}}.",
    "learn_bert_lesson_texts": "The probability that the second text follows the first: {share}.",
    "learn_bert_lesson_figures": "It predicts {found} of the hidden tokens correctly; always guessing the most common"
    " token gets {commonest}.{known, select, yes { Trained further under a causal mask, it gets {causal}.} other {}}",
    "learn_bert_try_pieces": "Rare words",
    "learn_bert_try_other": "Another second text",
    "learn_bert_try_figures": "How good is it?",
    "learn_bert_question": "Hide one more token, right next to the first blank. On which side must it be to change the"
    " model’s prediction at the blank?",
    "learn_bert_choice_before": "Only before it",
    "learn_bert_choice_after": "Only after it",
    "learn_bert_choice_both": "On either side",
    "learn_bert_sides": "First hide a word that has a word on both sides.",
    "learn_bert_answer": "Hiding the token before the blank as well changes a word’s probability in the blank by up to"
    " {before}; hiding the token after it, by up to {after}.",
}
