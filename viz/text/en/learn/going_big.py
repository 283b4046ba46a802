"""Messages of Learn's section "Going big"."""

from __future__ import annotations

MESSAGES = {
    "learn_going_big_title": "Going big",
    "learn_going_big_text": "Every word attends to every word, so a head computes t × t dot products: twice the length"
    " takes four times the memory.\n\nWith their softmax and the gradients of both, the article counts four such tables"
    " for each head, text and layer. PyTorch does not hold all of them at once: until the backward pass it keeps one,"
    " the weights.\n\nFour tricks help: 16-bit numbers; a batch in parts whose gradients add up (as long as zero_grad"
    " is not called); blocks that are recomputed instead of kept; and a fused kernel, which works in small parts and"
    " never stores a table.",
    "learn_going_big_t": "Words t",
    "learn_going_big_batch": "Texts",
    "learn_going_big_heads": "Heads",
    "learn_going_big_layers": "Layers",
    "learn_going_big_bits": "Bits per number",
    "learn_going_big_bits_32": "32",
    "learn_going_big_bits_16": "16",
    "learn_going_big_bits_32_hint": "Single precision: 4 bytes",
    "learn_going_big_bits_16_hint": "Half precision: 2 bytes",
    "learn_going_big_steps": "The dot products, step by step",
    "learn_going_big_step_table": "One table: {t, number} × {t, number} numbers of {bytes} bytes",
    "learn_going_big_step_batch": "of {batch, plural, one {# text} other {# texts}} and {heads, plural, one {# head}"
    " other {# heads}}",
    "learn_going_big_step_layer": "scores, weights and the gradients of both: times {held}",
    "learn_going_big_step_layers": "in {layers, plural, one {# layer} other {# layers}}",
    "learn_going_big_step_fits": "How many such layers fit in 12 GB",
    "learn_going_big_article": "The article’s example is 16 texts, 1,000 words, one head, 32 bits. It says “about 250"
    " MB” for one table of all texts; it is 64 MB. It then counts four, hence its twelve layers in 12 GB. By its own"
    " numbers {fits} layers fit; with eight heads, {eight}.",
    "learn_going_big_kept": "Kept for the backward pass, measured just now ({heads, plural, one {# head} other {#"
    " heads}} of size 64, {t, number} words)",
    "learn_going_big_equation": "By the equation",
    "learn_going_big_kernel": "By a fused kernel",
    "learn_going_big_chart": "Peak memory of a training step",
    "learn_going_big_axis": "MB",
    "learn_going_big_bar": "{precision, select, fp32 {32 bits} other {16 bits}}{accumulate, select, 1 {} other {,"
    " {accumulate} parts}}{checkpointing, select, yes {, recomputed} other {}}",
    "learn_going_big_measured": "Measured on {date}: “{name}”, {batch} texts of {t} bytes, {depth} layers, {heads}"
    " heads, by the equation. According to the formula, the attention weights of all its layers take {formula}. {cpu},"
    " torch {torch};",
    "learn_going_big_lesson": "{t, number} words: {layer} of dot products per layer. At ten times the length:"
    " {longer}.",
    "learn_going_big_bytes": "{value} {unit, select, 0 {B} 1 {kB} 2 {MB} 3 {GB} 4 {TB} 5 {PB} other {EB}}",
    "learn_going_big_try_long": "Twice as long",
    "learn_going_big_try_half": "Half precision",
    "learn_going_big_try_deep": "8 heads, 12 layers",
    "learn_going_big_question": "A text becomes ten times as long. How much memory do its dot products take?",
    "learn_going_big_choice_ten": "Ten times as much",
    "learn_going_big_choice_hundred": "A hundred times as much",
    "learn_going_big_choice_thousand": "A thousand times as much",
    "learn_going_big_answer": "The scores of a layer grow from {small} to {large}, {factor} times as much: both sides"
    " of the table become ten times as long.",
}
