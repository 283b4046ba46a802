"""Section "The block" says."""

from __future__ import annotations

MESSAGES = {
    "learn_block_title": "The block",
    "learn_block_text": "A block adds to each token twice: first what attention fetches from other tokens, then what a"
    " feed-forward makes of the token alone. What came in passes through beside both, so a token keeps one vector that"
    " grows from block to block.\n\nThe output layer can read this vector anywhere, and says what the model would"
    " predict if it stopped there. Choose a token, and follow its guesses down the stack. Attention is the only way"
    " between tokens: switch it off in every block, and a changed token moves its own output and no other, not even by"
    " rounding.",
    "learn_block_field": "Text, up to {most} bytes",
    "learn_block_attention": "Attention",
    "learn_block_attention_on": "On",
    "learn_block_attention_off": "Off",
    "learn_block_attention_on_hint": "As it was trained",
    "learn_block_attention_off_hint": "No head of any layer brings anything",
    "learn_block_tokens": "The token that is followed. Below each: how far its output moves when this one is changed",
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
    " block makes it so} other {it has stood first since {point}}}.",
    "learn_block_count": "Change “{label}”, and {moved, number} of the {others, number} other outputs {moved, plural,"
    " one {moves} other {move}}.",
    "learn_block_try_off": "Attention off",
    "learn_block_try_middle": "A token in the middle",
    "learn_block_try_other": "Another text",
    "learn_block_other": "In 1492, Christopher Columb",
    "learn_block_question": "Attention is off in every block, and one byte is changed. Which outputs move?",
    "learn_block_choice_own": "Only that byte's own",
    "learn_block_choice_after": "Its own and those after it",
    "learn_block_choice_all": "All of them",
    "learn_block_answer": "Run without attention, the output of “{label}” moves by {own}, the others by {others} at the"
    " most.",
}
