"""Messages of tab Generate."""

from __future__ import annotations

MESSAGES = {
    "tab_generate": "Generate",
    "write_second": "Second model",
    "write_alone": "none",
    "write_second_label": "The text of the second model.",
    "write_second_name": "{model}: {tokens, plural, one {# token} other {# tokens}} written, {bytes, plural, one {#"
    " byte} other {# bytes}}",
    "write_units": "Unit",
    "write_units_token": "tokens",
    "write_units_byte": "bytes",
    "write_text": "Prompt",
    "write_hint": "Type the beginning; the model continues it from its last token",
    "write_greedy": "0, greedy",
    "write_all": "all",
    "write_per_second": "{value} a second",
    "write_range": "a whole number from {min} to {max}",
    "write_dice": "Another random seed",
    "write_transport": "Writing controls",
    "write_run": "Start",
    "write_resume": "Resume",
    "write_pause": "Pause",
    "write_step": "Step",
    "write_stop": "Stop",
    "write_back": "← Back",
    "write_forward": "Forward →",
    "write_run_hint": "Write as many tokens as Length says; press again for as many more",
    "write_pause_hint": "Pause; resuming gives the same text as without a pause",
    "write_step_hint": "Draw one token and write it",
    "write_stop_hint": "Stop and go back to the prompt; what was written stays under Branches",
    "write_back_hint": "Go back one token; taking another candidate there starts a branch",
    "write_forward_hint": "Go forward one token along this branch",
    "write_text_title": "Attention of the outlined token",
    "write_text_label": "The text. Left and right arrows move by a token, Home and End to the prompt and the end.",
    "write_mean": "mean",
    "write_scale": "Scale",
    "write_scale_root": "square root",
    "write_scale_row": "relative to the largest",
    "write_scale_linear": "0 to 1",
    "write_copy": "Copy",
    "write_copy_hint": "Copy the text up to the outlined token",
    "write_copied": "Copied.",
    "write_half": "The last character is incomplete: its bytes so far, {bytes}, were not copied.",
    "write_copy_refused": "The browser does not let this page copy. The text is selected: press Ctrl+C, or ⌘C on a"
    " Mac.",
    "write_no_state": "The model has not read the text up to this token yet.",
    "write_seen": "“{token}” at {at} ({share})",
    "write_looks": "{who}: “{token}” at position {at} attends mostly to {where}.",
    "write_link_short": "A link holds the first {held, number} of the {all, number} written tokens.",
    "write_link_was_short": "This link holds the first {held, number} of {all, number} written tokens.",
    "write_looks_even": "{who}: “{token}” at position {at} gives no token 1 % or more of its attention.",
    "write_window": "The model reads at most {context} tokens, so it no longer sees those before token {first}.",
    "write_will_slide": "The model reads at most {context} tokens: {left, plural, one {# token from here}"
    " other {# tokens from here}} it starts to forget the beginning of the text.",
    "write_cache_title": "Key-value cache",
    "write_cache_kept": "For each token the model keeps a key and a value of {size} numbers, {number} bytes each, for"
    " {keys, plural, one {# head} other {# heads}} in {layers, plural, one {# layer} other {# layers}}: {bytes}.",
    "write_cache_shared": "{heads, plural, other {# heads}} of queries share {keys, plural, one {# head} other {#"
    " heads}} of keys and values: with one for each, it would be {own}.",
    "write_cache_none": "This model keeps no keys and values: it reads every token again, or carries a memory of its"
    " own.",
    "write_cache_now": "{tokens, plural, one {# token} other {# tokens}}: {bytes}",
    "write_cache_queries": "queries",
    "write_cache_keys": "keys, values",
    "write_cache_measure": "Measure a step",
    "write_cache_measure_hint": "Compute the newest token with the cache and without it, five times each",
    "write_cache_with": "with the cache: 1 token",
    "write_cache_without": "without: {tokens, plural, one {# token} other {# tokens}}",
    "write_cache_ms": "{ms} ms",
    "write_cache_bytes": "{value} {unit, select, 0 {B} 1 {kB} 2 {MB} other {GB}}",
    "no_cache": "This model keeps no keys and values, so there is nothing to measure.",
    "guess_title": "Guess the next token",
    "guess_title_round": "Guess the next token, round {round}",
    "guess_intro": "{count, plural, one {# token} other {# tokens}} of a text are hidden. Guess each before it is"
    " shown: the model guesses too. The prepared texts were written for this game, so no model has read them.",
    "guess_rule": "Each guess costs −log₂ p bits, where p is the probability it gave the right token; fewer bits are"
    " better. {who, select, class {For the class, the probability of an option is its share of the votes, after one"
    " extra vote for each option} other {Your confidence is the probability of your option, and the other options"
    " share the rest equally}}. The probability of “another token” is divided among all other tokens in the model’s"
    " proportions.",
    "guess_text": "Text of the game",
    "guess_text_number": "Text {number}",
    "guess_text_own": "Your own text",
    "guess_start": "Play",
    "guess_again": "New game",
    "guess_go": "Guess",
    "guess_show": "Show the answer",
    "guess_next": "Next round",
    "guess_at": "Round {round} of {count}: what comes next?",
    "guess_confidence": "Confidence",
    "guess_other": "another token",
    "guess_waiting": "Your guess is in. The leader of the room shows the answer.",
    "guess_said": "“{token}”: {own} bits for {who, select, class {the class} other {you}}, {model} for the model.",
    "guess_end": "{count, plural, one {After # round} other {After # rounds}}: {own} bits against {model} for the"
    " model. {winner, select, you {You win} class {The class wins} other {The model wins}}.",
    "guess_round": "Round",
    "guess_token": "Token",
    "guess_you": "You",
    "guess_class": "Class",
    "guess_model": "Model",
    "guess_sum": "Sum",
    "guess_votes": "Guesses",
    "short_game": "The game needs a text of at least {least} tokens; this one has {given}.",
    "write_next_title": "What comes next",
    "write_model_bar": "model",
    "write_kept_bar": "with your settings",
    "write_cut": "{rule, select, top_k {top-k} top_p {top-p} min_p {min-p} other {cut}}",
    "write_none": "none",
    "write_applied": "Applied in order: {penalty, select, none {} other {penalty {penalty} → }}{rules}.",
    "write_applied_rule": "{rule, select, top_k {top-k {value} removes {removed, number}} top_p {top-p {value} removes"
    " {removed, number}} min_p {min-p {value} removes {removed, number}} other {temperature {value}}}",
    "write_draw": "Draw {count} times",
    "write_draw_hint": "Draw the next token many times without writing it, to compare shares with probabilities",
    "write_times": "{count} ×",
    "write_often": "{draws, number} draws, shown in green: {tokens, plural, one {one token} other {# different"
    " tokens}}. Their shares come closer to your settings’ probabilities the more you draw.",
    "write_beams": "Beams",
    "write_search": "Beam search",
    "write_search_hint": "Search for the likeliest continuations of the whole text, a few at a time; each becomes a"
    " branch",
    "write_beam": "beam {rank}, {bits} bits",
    "beams_causal": "Beam search needs a model that reads only what came before and keeps its keys and values. Please"
    " choose another model.",
    "beams_full": "This text already fills the {context, number} tokens that the model reads at once, so beam search"
    " cannot add any. Please shorten the text.",
    "write_drawn": "drawn",
    "write_taken": "taken",
    "write_take": "Take “{token}”. Model: {prob}; with your settings: {kept}{count, select, none {} other {; drawn"
    " {count} times}}{role, select, drawn {; drawn} taken {;"
    " taken} other {}}.",
    "write_rest": "{count, plural, one {# other token} other {# other tokens}}: {prob}; with your settings {kept}.",
    "write_left": "Uncertainty: {before} bits; with your settings {after} bits, among {left, plural, one {# token}"
    " other {# tokens}}.",
    "write_trail_title": "Branches",
    "write_clear": "Start over",
    "write_gone": "All branches together hold at most {limit, number} tokens. {count, plural, one {The oldest # token"
    " was} other {The oldest # tokens were}} removed.",
    "write_branch_first": "from the prompt · {count, plural, one {# token} other {# tokens}}",
    "write_branch_from": "leaves branch {from} after {at, plural, one {# token} other {# tokens}}: “{token}” instead"
    " of “{other}” · {count, plural, one {# token} other {# tokens}}",
    "write_count": "{count, plural, one {# token} other {# tokens}}",
    "write_running": "Writing …",
    "write_written": "written",
    "write_fork": "fork",
    "write_model": "Model",
    "write_temperature": "Temperature",
    "write_temperature_hint": "The logits are divided by the temperature before the softmax. Below 1, likely tokens"
    " become even likelier; above 1, unlikely tokens get a better chance. At 0 the likeliest token is always taken.",
    "write_top_k": "Top-k",
    "write_top_k_hint": "Only the k likeliest tokens can be drawn",
    "write_top_p": "Top-p",
    "write_top_p_hint": "Only the likeliest tokens can be drawn: the fewest whose probabilities add up to at least p",
    "write_min_p": "Min-p",
    "write_min_p_hint": "Tokens less likely than this fraction of the top token’s probability cannot be drawn: few"
    " remain where the model is sure, many where it is not",
    "write_penalty": "Repetition penalty",
    "write_penalty_hint": "Before all other rules, the logit of every token that the text already has is divided by"
    " this number if it is above 0, and multiplied by it if it is below",
    "write_seed": "Seed",
    "write_length": "Length",
    "write_pace": "Pace",
    "lesson_generate": "Most likely next: “{token}”, {share}. Uncertainty: {bits} bits, like a choice among {among}"
    " equally likely tokens. Choose another token to start a branch.",
    "lesson_generate_sure": "The model is almost certain that “{token}” comes next: {share}. Choose another token"
    " anyway to start a branch.",
    # refusals
    "no_prompt": "There is no prompt yet: type at least one character.",
    "long_written": "A text may grow by at most {limit, number} tokens. Go back, or start over.",
    "bad_written": "This text holds tokens that the model does not know. Please start over.",
    "busy_writing": "Too many people are writing with the models just now. Please try again in a few seconds.",
}
