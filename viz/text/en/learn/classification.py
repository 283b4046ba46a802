"""Section "Classification" says."""

from __future__ import annotations

MESSAGES = {
    "learn_classification_title": "Classification",
    "learn_classification_text": "A review gets one verdict, but the stack gives a vector for each word. They are"
    " averaged over time, and one linear map makes two numbers of the average, one for each class. Both steps are"
    " sums, so the verdict comes apart exactly: each word pulls by its share, and all pulls with the bias make the"
    " difference of the two numbers.\n\nEach vector is of a word in its place: attention has mixed other words into"
    " it. Take a word out of the average, and what other words took from it remains. Maximum pooling keeps only the"
    " largest value of each number, so a few words can decide; this model was not trained for it.",
    "learn_classification_text_field": "Review, up to {most} words",
    "learn_classification_empty": "Leave at least one word in the average.",
    "learn_classification_review": "The review. A click takes a word out of the average.",
    "learn_classification_hint": "A click takes a word out of the pooling, or puts it back.",
    "learn_classification_verdicts": "The verdict by each pooling",
    "learn_classification_average": "Averaged, as trained",
    "learn_classification_max": "Maximum of each number",
    "learn_classification_positive": "{share} positive",
    "learn_classification_word": "“{word}”{kind, select, in { pulls by {pull}} other { is taken out}}",
    "learn_classification_strongest": "The strongest pulls: to negative on the left, to positive on the right",
    "learn_classification_rest": "{count, plural, one {# other} other {# others}}",
    "learn_classification_sum": "Pulls {pulls}, bias {bias}: together {difference}, the difference of the two numbers."
    " The softmax of the two gives {share} positive.",
    "learn_classification_supplied": "Of the {size} numbers of a vector the maxima come from {used} of {words, plural,"
    " one {# word} other {# words}}; “{word}” gives {count}.",
    "learn_classification_lesson": "{pooling, select, average {Averaged, the} other {By the maxima, the}} verdict is"
    " {kind, select, positive {positive} other {negative}}: {share}. “{word}” pulls most, by {pull}, to {side, select,"
    " positive {positive} other {negative}}.",
    "learn_classification_try_mixed": "A mixed review",
    "learn_classification_try_max": "Maximum pooling",
    "learn_classification_try_without": "Without the strongest word",
    "learn_classification_question": "Which word of your review pulls hardest? Leave it out of the average. Does the"
    " verdict change sides?",
    "learn_classification_choice_stays": "It stays on its side",
    "learn_classification_choice_turns": "It turns to the other",
    "learn_classification_answer": "Without “{word}” the review is {after} positive; with it, {before}.",
}
