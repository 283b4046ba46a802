"""Messages of Learn's section "Complete self-attention"."""

from __future__ import annotations

MESSAGES = {
    "learn_complete_title": "Complete self-attention",
    "learn_complete_text": "Basic self-attention took three lines of PyTorch. With trained matrices and several heads"
    " it takes ten; three of them only rearrange numbers.\n\nA tensor of shape (b, t, k) is cut into heads. The heads"
    " are folded into the batch, so that one torch.bmm computes the scores of all heads of all sentences. Then"
    " everything is put back.\n\nChoose a line: the picture shows the tensor after it, for two sentences (yours, and"
    " its words in reverse) in the first layer of a trained classifier. The second column is our own code. It keeps the"
    " heads as a dimension of their own and computes the same numbers.",
    "learn_complete_field": "Text, up to {most} words",
    "learn_complete_lines": "The lines of the article and ours, with the shape of each tensor",
    "learn_complete_article": "The article",
    "learn_complete_ours": "Ours",
    "learn_complete_shape": "Shape of the tensor",
    "learn_complete_step": "Line",
    "learn_complete_step_is": "line {step} of {count}",
    "learn_complete_play_hint": "One line after another; with reduced motion, one per press",
    "learn_complete_tensor": "The tensor after this line:",
    "learn_complete_sentence": "sentence {number}",
    "learn_complete_head": "sentence {sentence}, head {head}",
    "learn_complete_head_short": "head {head}",
    "learn_complete_folded": "batch {number}: sentence {sentence}, head {head}",
    "learn_complete_read": "{name}[{index}] = {value}, of “{word}”",
    "learn_complete_point": "Point at the tensor to read its numbers.",
    "learn_complete_agrees": "The lines of the article and former.SelfAttention, with the weights of “{model}”, agree"
    " to within {error}: rounding.",
    "learn_complete_says_x": "{b} sentences of {t, plural, one {# word} other {# words}}, each a vector of {k}"
    " numbers.",
    "learn_complete_says_queries": "One matrix computes the queries of all {h} heads: {k} numbers, head after head."
    " Keys and values are computed in the same way.",
    "learn_complete_says_split": "The {k} numbers of each word are cut into {h} heads of {s}. Nothing is computed;"
    " only the shape changes.",
    "learn_complete_says_folded": "Each head of each sentence becomes a sequence of its own: {b} × {h} = {batch}"
    " sequences, each with {s} numbers per word.",
    "learn_complete_says_dot": "One torch.bmm computes {batch} matrices of dot products, {t} × {t} each.",
    "learn_complete_says_scaled": "The dot products are divided by √s = √{s}. The article’s line divides by √k;"
    " but a head’s vectors have only s = k / h numbers, so s is used here, as in most code today.",
    "learn_complete_says_weights": "The softmax turns each row into weights that add up to 1.",
    "learn_complete_says_out": "Each head averages its values by its weights; then the batch is unfolded into {b}"
    " sentences with {h} heads.",
    "learn_complete_says_joined": "The heads of each word are put side by side again: {h} × {s} = {k} numbers.",
    "learn_complete_says_y": "A last matrix, unifyheads, mixes the heads into one vector of {k} numbers for each word.",
    "learn_complete_try_weights": "The weights",
    "learn_complete_try_join": "Join the heads",
    "learn_complete_question": "Two sentences, four heads: how many matrices of scores does the one torch.bmm compute?",
    "learn_complete_choice_sentences": "Two, one for each sentence",
    "learn_complete_choice_heads": "Four, one for each head",
    "learn_complete_choice_both": "Eight, one for each head of each sentence",
    "learn_complete_answer": "The scores have the shape ({shape}): the first size is {sentences} sentences times"
    " {heads} heads.",
}
