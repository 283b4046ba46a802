"""Messages of Learn's section "Classification"."""

from __future__ import annotations

MESSAGES = {
    "learn_classification_title": "Classification",
    "learn_classification_text": "Average the vectors of all words, and one linear map gives the verdict.\n\nA review"
    " gets one verdict, but the stack gives a vector for each word. The vectors are averaged over all words, and one"
    " linear map turns the average into two numbers, one for each class. Both steps are sums, so the verdict is an"
    " exact sum too: each word adds its part, its pull, and all pulls plus the bias give the difference of the two"
    " numbers.\n\nEach vector describes a word in its context: attention has mixed other words into it. If you leave a"
    " word out of the average, what other words took from it remains. Maximum pooling keeps only each number’s largest"
    " value, so a few words can decide; this model was not trained for it.",
    "learn_classification_text_field": "Review, up to {most} words",
    "learn_classification_empty": "Leave at least one word in the average.",
    "learn_classification_review": "The review. Click a word to leave it out of the average.",
    "learn_classification_hint": "Click a word to leave it out of the pooling, or to put it back.",
    "learn_classification_verdicts": "The verdict with each pooling",
    "learn_classification_average": "Averaged, as trained",
    "learn_classification_max": "Maximum of each number",
    "learn_classification_positive": "{share} positive",
    "learn_classification_word": "“{word}”{kind, select, in { pulls by {pull}} other { is left out}}",
    "learn_classification_strongest": "The strongest pulls: left towards negative, right towards positive",
    "learn_classification_rest": "{count, plural, one {# other} other {# others}}",
    "learn_classification_sum": "Pulls {pulls}, bias {bias}: together {difference}, the difference of the two numbers."
    " The softmax of the two gives {share} positive.",
    "learn_classification_supplied": "The {size} maxima come from {used} of {words, plural, one {# word} other {#"
    " words}}; {count} come from “{word}”.",
    "learn_classification_whole": "The whole classifier",
    "learn_classification_picture": "The whole classifier: {t, plural, one {# word} other {# words}}, {depth} blocks,"
    " the average, a linear layer and a softmax: {share} positive",
    "learn_classification_embedded": "embedding + position",
    "learn_classification_blocks": "{depth} blocks",
    "learn_classification_pooled": "{pooling, select, average {average} other {maximum}}",
    "learn_classification_line": "linear",
    "learn_classification_size_words": "{t} × {emb} numbers",
    "learn_classification_size_pooled": "{emb} numbers",
    "learn_classification_size_line": "2 numbers",
    "learn_classification_size_softmax": "2 probabilities",
    "learn_classification_class_negative": "negative",
    "learn_classification_class_positive": "positive",
    "learn_classification_outcome": "{kind, select, positive {positive {share}} other {negative {share}}}",
    "learn_classification_quoted": "“{word}”",
    "learn_classification_why": "Outlined: the pulls if each word attended only to itself. {same, select, yes"
    " {“{word}” would pull most then too, by {alone}.} other {“{top}” would pull most then, by {most}, and “{word}” by"
    " {alone}.}} In the model, the first block makes “{word}” give {share} of its"
    " attention to {sources}, so it carries their meaning: its pull is {pull}.",
    "learn_classification_lesson": "{pooling, select, average {With the average, the} other {With the maxima, the}}"
    " verdict is {kind, select, positive {positive} other {negative}}: {share}. “{word}” pulls most, by {pull},"
    " towards {side, select, positive {positive} other {negative}}.",
    "learn_classification_try_mixed": "A mixed review",
    "learn_classification_try_max": "Maximum pooling",
    "learn_classification_try_without": "Without the strongest word",
    "learn_classification_question": "Leave the word with the strongest pull out of the average. Does the verdict"
    " flip?",
    "learn_classification_choice_stays": "No, it stays on its side",
    "learn_classification_choice_turns": "Yes, it flips",
    "learn_classification_answer": "Without “{word}” the review is {after} positive; with it, {before}.",
}
