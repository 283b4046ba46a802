"""Section "The block" says."""

from __future__ import annotations

MESSAGES = {
    "learn_block_title": "The block",
    "learn_block_text": "A block adds to each token’s vector twice: first what attention fetches from other tokens,"
    " then what a feed-forward layer makes of this token alone. What came in is kept and only added to, so a token has"
    " one vector from the first block to the last. (In the article’s own block a norm rescales it after each"
    " addition.)\n\nThe output layer can read this vector anywhere, and says what the model would predict if it"
    " stopped there. Choose a token, and follow its guesses down the stack. Attention is the only way between tokens:"
    " switch it off in every block, and a changed token moves its own output and no other, not even by rounding.",
    "learn_block_show": "Show",
    "learn_block_show_stack": "One token",
    "learn_block_show_linear": "Not linear",
    "learn_block_show_gradient": "Norms",
    "learn_block_show_stack_hint": "One token through the whole stack",
    "learn_block_show_linear_hint": "What of a block is not linear",
    "learn_block_show_gradient_hint": "The gradient by depth at the start of training, norms after and before",
    "learn_block_linear": "Is a block f linear? Then f(x + p) would be f(x) + f(p) − f(0). Here x are the vectors of"
    " your text, p those of its places, and f is the first block of “{model}”, with parts of it taken out:",
    "learn_block_cases": "What is left in, and how far f is from additive",
    "learn_block_part_softmax": "softmax of q·k",
    "learn_block_part_activation": "{activation}",
    "learn_block_part_norm": "norms",
    "learn_block_in": "in",
    "learn_block_out_softmax": "weights frozen",
    "learn_block_out_activation": "out",
    "learn_block_out_norm": "out",
    "learn_block_off": "Largest difference, as a part of the largest number",
    "learn_block_linear_how": "The bars are logarithmic, from 10⁻⁸ to 1. Frozen weights are those that x + p gave. What"
    " remains of the block then are matrices, sums and biases.",
    "learn_block_activation_relu": "ReLU",
    "learn_block_activation_gelu": "GELU",
    "learn_block_activation_gelu_tanh": "GELU",
    "learn_block_lesson_linear": "The whole block is {whole} away from additive, and each of softmax, {activation} and"
    " norm alone keeps it {least} away or more. With none of them only rounding is left: {none}.",
    "learn_block_gradient": "Gradient of each block at the start of training",
    "learn_block_gradient_size": "size of the gradient",
    "learn_block_gradient_how": "A fresh generator with vectors of {emb} numbers is to predict each next byte of your"
    " text; shown is the length of the gradient of all weights of a block, before the first step. The weights begin as"
    " those of the first transformers did (Glorot’s variance).",
    "learn_block_norm_post": "norms after the residuals, as in the article",
    "learn_block_norm_pre": "norms before each sublayer",
    "learn_block_depth": "Blocks",
    "learn_block_seed": "Seed",
    "learn_block_short": "Type at least two bytes: one to read and one to predict.",
    "learn_block_lesson_gradient": "Of {depth} blocks the last one’s gradient is {post} times the first one’s with"
    " norms after the residuals, and {pre} times with norms before.",
    "learn_block_field": "Text",
    "learn_block_attention": "Attention",
    "learn_block_attention_on": "On",
    "learn_block_attention_off": "Off",
    "learn_block_attention_on_hint": "As it was trained",
    "learn_block_attention_off_hint": "No head of any layer brings anything",
    "learn_block_tokens": "Click the token to follow, of {most} at most. Below each token: how far its output moves"
    " when the followed one is changed",
    "learn_block_token": "{label}: follow it. When “{chosen}” changes, its output moves by {moved}",
    "learn_block_stack": "“{label}” through “{model}”: what it would say next",
    "learn_block_point": "After",
    "learn_block_added": "Adds",
    "learn_block_top": "The model would say",
    "learn_block_embedding": "embedding",
    "learn_block_part_attention": "{layer} attention",
    "learn_block_part_feed_forward": "{layer} feed-forward",
    "learn_block_guess": "{label} {share}",
    "learn_block_chart": "How much each half adds",
    "learn_block_layer": "block",
    "learn_block_length": "length of what is added",
    "learn_block_trace_attention": "attention",
    "learn_block_trace_feed_forward": "feed-forward",
    "learn_block_lesson": "After “{label}” the model says “{last}” ({share}); {since, select, never {only the last half"
    " block makes it so} other {it has been the likeliest since “{point}”}}.",
    "learn_block_count": "Change “{label}”, and {moved, number} of the {others, number} other outputs {moved, plural,"
    " one {moves} other {move}}.",
    "learn_block_try_off": "Attention off",
    "learn_block_try_linear": "What is not linear?",
    "learn_block_try_gradient": "Norms after or before",
    "learn_block_question": "Attention is off in every block, and one byte is changed. Which outputs move?",
    "learn_block_choice_own": "Only that byte’s own",
    "learn_block_choice_after": "Its own and those after it",
    "learn_block_choice_all": "All of them",
    "learn_block_answer": "Run without attention, the output of “{label}” moves by {own}, the others by {others} at the"
    " most.",
}
