"""Messages of Learn's section "Which head does it?"."""

from __future__ import annotations

MESSAGES = {
    "learn_which_head_title": "Which head does it?",
    "learn_which_head_text": "Texts A and B differ in one detail, and the model predicts something different after"
    " each. Which head is responsible?\n\nThere are two ways to ask. Switch a head off in A: what is lost without it?"
    " Or carry its output from A into B, with everything else as it was: what comes back?\n\nThe answers need not"
    " agree. Without a head, another may stand in for it (a backup head), so little is lost. And if both texts need a"
    " head in the same way, much is lost without it, though it carries nothing of the difference. Carrying over asks"
    " what a head knows; switching off asks what depends on it.",
    "learn_which_head_pinned": "A",
    "learn_which_head_other": "B",
    "learn_which_head_lengths": "A has {first, plural, one {# token} other {# tokens}} and B has {second}. They must"
    " have the same number of tokens.",
    "learn_which_head_long": "These texts have {given} tokens; this section reads up to {most}.",
    "learn_which_head_lost": "Switched off in A: lost (%)",
    "learn_which_head_returned": "Carried from A into B: returned (%)",
    "learn_which_head_axes": "layers\u00a0↓ heads\u00a0→",
    "learn_which_head_cell": "Layer {layer}, head {head}: {lost} lost, {returned} returned",
    "learn_which_head_metric": "Measured: the logit of “{answer}” minus that of “{rival}”, {first} in A and {second} in"
    " B.",
    "learn_which_head_lesson": "Carried into B, layer {layer}, head {head} brings back {returned} of the difference;"
    " switched off in A, it takes away {lost}.",
    "learn_which_head_pair": "{pair, select, number {Singular or plural} year {The century} name {A repeated name}"
    " other {A quotation mark}}",
    "learn_which_head_question": "Carry one head at a time from A into B. Which head of “{model}” brings back the"
    " most?",
    "learn_which_head_answer": "Layer {layer}, head {head} brings back {returned}, the next one {second}.",
}
