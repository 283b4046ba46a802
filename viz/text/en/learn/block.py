"""Messages of Learn's section "The block"."""

from __future__ import annotations

MESSAGES = {
    "learn_block_title": "The block",
    "learn_block_text": "A block adds to each token’s vector twice: first what attention gathers from other tokens,"
    " then what a feed-forward layer computes from this token alone.\n\nThe input is kept and only added to, so a token"
    " has one vector from the first block to the last. (In the article’s own block a norm rescales it after each"
    " addition.)\n\nThe output layer can read this vector at any depth: it shows what the model would predict if it"
    " stopped there. Choose a token, and follow its guesses up the stack. Attention is the only link between tokens:"
    " switch it off in every block, and changing a token changes its own output and no other, not even by rounding.",
    "learn_block_show": "Show",
    "learn_block_show_stack": "One token",
    "learn_block_show_linear": "Not linear",
    "learn_block_show_gradient": "Norms",
    "learn_block_show_stack_hint": "One token through the whole stack",
    "learn_block_show_linear_hint": "Which parts of a block are not linear",
    "learn_block_show_gradient_hint": "The gradient by depth at the start of training, with norms after and before",
    "learn_block_linear": "Is a block f linear? Then f(x + p) would be f(x) + f(p) − f(0). Here x are the vectors of"
    " your text, p those of its positions, and f is the first block of “{model}”, with some parts left out:",
    "learn_block_cases": "The parts that are kept, and how much f misses additivity",
    "learn_block_part_softmax": "softmax of q·k",
    "learn_block_part_activation": "{activation}",
    "learn_block_part_norm": "norms",
    "learn_block_in": "input x",
    "learn_block_out": "output x",
    "learn_block_block": "block {layer}",
    "learn_block_after_attention": "after attention",
    "learn_block_adds_attention": "Attention adds",
    "learn_block_adds_feed_forward": "Feed-forward adds",
    "learn_block_out_softmax": "weights frozen",
    "learn_block_out_activation": "removed",
    "learn_block_out_norm": "removed",
    "learn_block_off": "Largest difference, relative to the largest number",
    "learn_block_linear_how": "The bars are logarithmic, from 10⁻⁸ to 1. Frozen weights are computed once, from x + p."
    " The rest of the block is then only matrices, sums and biases.",
    "learn_block_activation_relu": "ReLU",
    "learn_block_activation_gelu": "GELU",
    "learn_block_activation_gelu_tanh": "GELU",
    "learn_block_lesson_linear": "The whole block misses additivity by {whole}; if only one of softmax, {activation}"
    " or norm is kept, by at least {least}. If none of them is kept, only rounding is left: {none}.",
    "learn_block_gradient": "Gradient of each block at the start of training",
    "learn_block_gradient_size": "size of the gradient",
    "learn_block_gradient_how": "An untrained generator with vectors of {emb} numbers predicts the next byte at each"
    " position of your text. The chart shows, for each block, the length of the gradient of all its weights before the"
    " first training step. The initial weights are drawn as in the first transformers (Glorot’s variance).",
    "learn_block_norm_post": "norms after the residuals, as in the article",
    "learn_block_norm_pre": "norms before each sublayer",
    "learn_block_depth": "Blocks",
    "learn_block_seed": "Seed",
    "learn_block_short": "Type at least two bytes: one to read and one to predict.",
    "learn_block_lesson_gradient": "With {depth} blocks, the last one’s gradient is {post} times the first one’s with"
    " norms after the residuals, and {pre} times with norms before.",
    "learn_block_field": "Text",
    "learn_block_attention": "Attention",
    "learn_block_attention_on": "On",
    "learn_block_attention_off": "Off",
    "learn_block_attention_on_hint": "As it was trained",
    "learn_block_attention_off_hint": "No head of any layer adds anything",
    "learn_block_norms": "Norms",
    "learn_block_norms_pre": "before",
    "learn_block_norms_post": "after",
    "learn_block_norms_pre_hint": "Before each sublayer, as in most models today",
    "learn_block_norms_post_hint": "After each sum, as in the article; shown on a small model that was trained that"
    " way",
    "learn_block_step": "Stage of the block",
    "learn_block_step_is": "block {layer}, stage {reached} of {count}",
    "learn_block_play_hint": "Sends the token through the blocks, stage by stage; with reduced motion, one stage per"
    " press",
    "learn_block_picture": "Block {layer}: the length of the vector after each stage",
    "learn_block_stage": "{stage}: length {length}",
    "learn_block_stage_norm": "norm",
    "learn_block_stage_attention": "attention",
    "learn_block_stage_feed_forward": "feed-forward",
    "learn_block_stage_sum": "sum",
    "learn_block_others": "other tokens",
    "learn_block_tokens": "Click a token to follow it (at most {most} are shown). Below each token: how much its output"
    " changes when the followed token is changed",
    "learn_block_token": "{label}: click to follow it. When “{chosen}” changes, the output of {label} changes by"
    " {moved}",
    "learn_block_stack": "“{label}” through “{model}”: its guess for the next token",
    "learn_block_point": "After",
    "learn_block_top": "Top guess",
    "learn_block_embedding": "embedding",
    "learn_block_part_attention": "attention {layer}",
    "learn_block_part_feed_forward": "feed-forward {layer}",
    "learn_block_guess": "{label} {share}",
    "learn_block_chart": "How much attention and feed-forward add",
    "learn_block_layer": "block",
    "learn_block_length": "length of what is added",
    "learn_block_trace_attention": "attention",
    "learn_block_trace_feed_forward": "feed-forward",
    "learn_block_lesson": "After “{label}” the model predicts “{last}” ({share}); {since, select, never {only the last"
    " sublayer makes it the top guess} other {it has been the top guess since “{point}”}}.",
    "learn_block_count": "Change “{label}”: {moved, number} of the {others, number} other outputs {moved, plural, one"
    " {changes} other {change}}.",
    "learn_block_try_off": "Attention off",
    "learn_block_try_post": "Norms as in the article",
    "learn_block_try_linear": "What is not linear?",
    "learn_block_question": "Attention is off in every block, and one byte is changed. Which outputs change?",
    "learn_block_choice_own": "Only that byte’s own",
    "learn_block_choice_after": "Its own and those after it",
    "learn_block_choice_all": "All of them",
    "learn_block_answer": "Without attention, the output of “{label}” changes by {own}, the others by at most"
    " {others}.",
}
