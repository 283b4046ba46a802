"""Messages of Learn's section "GPT-2"."""

from __future__ import annotations

MESSAGES = {
    "learn_gpt_2_title": "GPT-2",
    "learn_gpt_2_text": "GPT-2 is the article’s generator with small changes, made large, and its tokens are words or"
    " parts of words.\n\nByte-pair encoding begins with the 256 bytes as tokens and merges the most common pair of"
    " neighbours into a new token, again and again: every text can be read, a common word is one token, a rare word"
    " several.\n\nA token holds several bytes, so we count bits per byte; otherwise models could not be compared. The"
    " article’s figure, 0.93, is what GPT-2’s makers report for their largest model on enwik8, without training on it"
    " and with a context of 1,024 tokens. Our models are small and measured on other text: compare them only with each"
    " other.",
    "learn_gpt_2_show": "Show",
    "learn_gpt_2_show_pieces": "tokens",
    "learn_gpt_2_show_bits": "bits",
    "learn_gpt_2_show_sizes": "sizes",
    "learn_gpt_2_show_pieces_hint": "What is merged in a text, and the surprise of each token",
    "learn_gpt_2_show_bits_hint": "Models of tokens and of bytes: the same architecture, trained on the same corpus",
    "learn_gpt_2_show_sizes_hint": "Parameters of the published sizes, and of one that you set",
    "learn_gpt_2_field": "Text",
    "learn_gpt_2_short": "At least two tokens, please: the first cannot be predicted, because nothing comes before it.",
    "learn_gpt_2_level": "Merges",
    "learn_gpt_2_level_is": "{merges, plural, one {# merge} other {{merges, number} merges}}",
    "learn_gpt_2_pieces": "{bytes, plural, one {# byte} other {# bytes}} in {pieces, plural, one {# token} other {#"
    " tokens}}: {each} bytes each",
    "learn_gpt_2_piece": "“{label}”: number {id} of the vocabulary, {bytes, plural, one {# byte} other {# bytes}}{bits,"
    " select, none {} other {, {bits} bits}}",
    "learn_gpt_2_coloured": "The background of a token shows its surprise for “gpt” in bits: the stronger the colour,"
    " the higher the surprise.",
    "learn_gpt_2_uncoloured": "With all merges you see the tokens that “gpt” reads, and the surprise of each.",
    "learn_gpt_2_on_text": "This text from its second token on, {bytes} bytes",
    "learn_gpt_2_bits_of": "{bits} bits per byte",
    "learn_gpt_2_unit": "{unit, select, piece {tokens} other {bytes}}",
    "learn_gpt_2_row_reads": "input",
    "learn_gpt_2_row_vocabulary": "vocabulary",
    "learn_gpt_2_row_parameters": "parameters",
    "learn_gpt_2_row_context": "context",
    "learn_gpt_2_row_bytes": "training bytes",
    "learn_gpt_2_row_seconds": "training time",
    "learn_gpt_2_row_bits": "bits per byte, full context",
    "learn_gpt_2_row_equal": "bits per byte, context of 256 bytes",
    "learn_gpt_2_in_view": "{count} {unit, select, piece {tokens} other {bytes}}",
    "learn_gpt_2_minutes": "{minutes} min{runs, select, 1 {} other {, {runs} runs}}",
    "learn_gpt_2_winner": "{ahead, select, yes {At equal context “{pieces}” needs fewer bits.} other {At equal context"
    " “{pieces}” does not need fewer bits.}} {sooner, select, yes {It was trained for less time, so it also wins at"
    " equal time.} other {This says nothing about equal time.}}",
    "learn_gpt_2_source": "From the models’ cards: 5 million bytes that neither was trained on, measured by",
    "learn_gpt_2_reported": "GPT-2’s own figures are from its paper (Radford et al. 2019, table 3), in bits per byte;"
    " the article says per character. enwik8 is English Wikipedia with its markup, and GPT-2’s training left Wikipedia"
    " out. “gpt” and “generator” were trained on Wikipedia; they were measured on another part of it, mostly without"
    " markup.",
    "learn_gpt_2_column_name": "model",
    "learn_gpt_2_column_depth": "blocks",
    "learn_gpt_2_column_emb": "e",
    "learn_gpt_2_column_heads": "heads",
    "learn_gpt_2_column_tokens": "token embedding",
    "learn_gpt_2_column_positions": "position embedding",
    "learn_gpt_2_column_blocks": "block weights",
    "learn_gpt_2_column_total": "parameters",
    "learn_gpt_2_column_reported": "enwik8",
    "learn_gpt_2_own": "yours",
    "learn_gpt_2_depth": "Blocks",
    "learn_gpt_2_heads": "Heads of 64 numbers",
    "learn_gpt_2_counted": "Counted on the module, without allocating its weights: 50,257 tokens, 1,024 positions. The"
    " output layer reuses the embedding of the tokens and has no weights of its own. The paper calls gpt2 117M and"
    " gpt2-xl 1542M; both have more parameters than that.",
    "learn_gpt_2_lesson_pieces": "After {merges, plural, one {# merge} other {{merges, number} merges}} the {bytes}"
    " bytes form {pieces} tokens. This text costs “gpt” {gpt} bits per byte, “generator” {generator}.",
    "learn_gpt_2_lesson_bits": "With a context of 256 bytes, “gpt”, whose tokens are several bytes long, needs {gpt}"
    " bits per byte, and “generator” {generator}.",
    "learn_gpt_2_lesson_sizes": "{depth, plural, one {# block} other {# blocks}} and an embedding of {emb}: {total}"
    " parameters, {share} of them in the blocks.",
    "learn_gpt_2_try_bytes": "Before any merge",
    "learn_gpt_2_try_foreign": "Rare words",
    "learn_gpt_2_try_bits": "Is it better?",
    "learn_gpt_2_question": "“gpt” sees 256 tokens, about 1,000 bytes, and “generator” 256 bytes. Now both see 256"
    " bytes: which needs fewer bits per byte?",
    "learn_gpt_2_choice_pieces": "“gpt” still needs fewer",
    "learn_gpt_2_choice_bytes": "“generator” needs fewer",
    "learn_gpt_2_answer": "With a context of 256 bytes “gpt” needs {gpt} and “generator” {generator}.",
}
